"""What a guest has chosen, and what their device asks for."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from browser.checks import alien_nodes, moving
from browser.people import Come
from browser.table import open_table, play_now


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_chosen_is_remembered(come: Come, theme: str) -> None:
    other = "dark" if theme == "light" else "light"
    person = come(color_scheme=other)
    page = person.open("/settings")
    page.locator(f"input[name=theme][value={theme}]").check()
    page.get_by_role("button", name="Save").click()
    person.open("/")
    expect(page.locator("html")).to_have_attribute("data-theme", theme)
    expect(page.locator("html")).to_have_css("color-scheme", theme)


def test_a_name_chosen_is_the_name_at_the_table(come: Come) -> None:
    person = come()
    page = person.open("/settings")
    page.locator("#name").fill("Brynhild")
    page.get_by_role("button", name="Save").click()
    play_now(person)
    expect(page.locator("#plate-0")).to_contain_text("Brynhild")


def test_german_is_spoken_to_who_asks_for_it(come: Come) -> None:
    page = come(locale="de-DE").open("/rules/axes-and-allies")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator("#rulebook")).to_contain_text("Bündnis")
    expect(page.get_by_role("button", name="Jetzt spielen")).to_be_visible()


def test_nothing_moves_for_who_wants_stillness(come: Come) -> None:
    (table,) = open_table(come(reduced_motion="reduce"), bots=2)

    def still() -> None:
        assert moving(table.page) == []

    table.play_on(before=still)
    still()
    assert alien_nodes(table.page) == []
