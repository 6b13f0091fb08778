"""The speed of animations that a guest has chosen."""

from __future__ import annotations

from playwright.sync_api import expect

from browser.people import NewPerson, Person

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


def test_the_speed_can_be_chosen_without_javascript(new_person: NewPerson) -> None:
    person = new_person(java_script_enabled=False)
    choose_speed(person, "fast")
    person.open("/settings")
    expect(person.page.locator("html")).to_have_attribute("data-motion", "fast")
