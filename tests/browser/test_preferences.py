"""Settings of a guest, and preferences of the device: language and reduced motion."""

from __future__ import annotations

from playwright.sync_api import expect

from browser.checks import alien_nodes, moving
from browser.people import NewPerson
from browser.table import open_table, play_now


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


def test_german_browsers_get_german_pages(new_person: NewPerson) -> None:
    page = new_person(locale="de-DE").open("/rules/axes-and-allies")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator("#rulebook")).to_contain_text("Bündnis")
    expect(page.get_by_role("button", name="Jetzt spielen")).to_be_visible()


def test_reduced_motion_stops_animations(new_person: NewPerson) -> None:
    (table,) = open_table(new_person(), bots=2)

    def check_motion() -> None:
        assert moving(table.page) == []

    table.play_on(before=check_motion)
    check_motion()
    assert alien_nodes(table.page) == []
