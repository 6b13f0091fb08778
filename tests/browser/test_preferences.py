"""What a guest has chosen: theme, name and the speed of animations; and what the device prefers."""

from __future__ import annotations

from playwright.sync_api import expect

from browser.people import NewPerson, Person
from browser.table import play_now


def test_the_chosen_theme_and_name_are_remembered(new_person: NewPerson) -> None:
    person = new_person(color_scheme="dark")
    for theme in ("light", "dark"):
        page = person.open("/settings")
        page.emulate_media(color_scheme="dark" if theme == "light" else "light")
        page.locator(f"input[name=theme][value={theme}]").check()
        page.locator("#name").fill("Brynhild")
        page.get_by_role("button", name="Save").click()
        person.open("/")
        expect(page.locator("html")).to_have_attribute("data-theme", theme)
        expect(page.locator("html")).to_have_css("color-scheme", theme)
    play_now(person)
    expect(page.locator("#plate-0")).to_contain_text("Brynhild")


PACE = "() => +getComputedStyle(document.documentElement).getPropertyValue('--pace')"


def choose_speed(person: Person, words: str) -> None:
    person.open("/settings")
    person.page.get_by_role("group", name="Speed of animations").get_by_label(words, exact=True).check()
    person.page.get_by_role("button", name="Save").click()


def test_a_chosen_speed_goes_before_the_wish_for_less_motion(new_person: NewPerson) -> None:
    person = new_person()
    assert person.open("/settings").evaluate(PACE) == 0
    for words, pace in (("slow", 1.8), ("normal", 1), ("fast", 0.5), ("off", 0)):
        choose_speed(person, words)
        assert person.open("/settings").evaluate(PACE) == pace
        expect(person.page.locator(f"input[name=motion][value={words}]")).to_be_checked()
    choose_speed(person, "System")
    assert person.open("/settings").evaluate(PACE) == 0
