"""A whole match without a mouse."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.checks import focused
from browser.people import Come, Person
from browser.table import Table, open_table, somebody_bound, whose_turn

_FAR = 150
"""More stops than any page has: most are the rules named in the log."""


def test_a_match_is_played_by_keyboard_alone(come: Come) -> None:
    page = come().open("/")
    tab_to(page, lambda: "Play now" in page.locator(":focus").inner_text())
    page.keyboard.press("Enter")
    table = Table(page)
    table.wait_for_game()
    _check_the_list_of_keys(page)

    decisions = 0
    while decisions < 2:  # somebody may fall before: as many matches as it takes
        decisions = 0
        table.wait_for_game()
        while table.wait_for_turn():
            table.act(by=_press_digit if decisions % 2 else _press_enter)
            decisions += 1
            if table.wait_for_turn():
                assert focused(page), "the place in the page is lost"
        if decisions:  # else it may have been over when the page came
            expect(page.locator(".prompt-line:focus")).to_be_in_viewport()
            table.has_kept_the_place()
        tab_to(page, lambda: focused(page) == "rematch")
        page.keyboard.press("Enter")
        expect(page.locator("#frame.game:not(.over)")).to_be_visible()


def test_a_hint_comes_by_its_key_and_a_refused_action_says_why(come: Come) -> None:
    table = somebody_bound(come(), come(), come())
    page = table.page
    page.keyboard.press("h")
    expect(page.locator(".hint-line").first).to_be_visible()
    expect(page.locator("#live")).to_contain_text("your chance of winning")
    key = page.locator("#hint-1 .key").inner_text()
    meant = page.locator(f"#controls [data-key='{key}']")
    expect(meant).to_have_attribute("value", page.locator("#hint-1").get_attribute("value") or "")
    wanted = table.refused.first.get_attribute("id") or ""
    tab_to(page, lambda: focused(page) == wanted)
    expect(page.locator(f"#{wanted} [role=tooltip]")).to_contain_text("(AA-")
    expect(page.locator(f"#{wanted} [role=tooltip]")).to_have_css("visibility", "visible")


@pytest.mark.parametrize(("opener", "sheet"), [("r", "rules"), ("?", "keys"), ("#resign", "resign-ask")])
def test_no_key_reaches_the_table_behind_an_open_sheet(come: Come, opener: str, sheet: str) -> None:
    host, friend = come(), come()
    table = whose_turn(open_table(host, friend))
    assert table
    page, asked = table.page, list[str]()
    page.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)
    table.choices.first.focus()
    before = opener if opener.startswith("#") else f"#{focused(page)}"
    if before == opener:
        page.locator(opener).press("Enter")
    else:
        page.keyboard.press(opener)
    expect(page.locator(f"#{sheet} [popovertargetaction=hide]")).to_be_focused()
    for key in ("1", "2", "h", "u"):
        page.keyboard.press(key)
    expect(page.locator(f"#{sheet}")).to_be_visible()
    page.keyboard.press("Escape" if before == opener else opener)
    expect(page.locator(f"#{sheet}")).to_be_hidden()
    expect(page.locator(before)).to_be_focused()
    table.act(by=_press_digit)
    assert [url.rpartition("/")[2] for url in asked] == ["act"]


@pytest.mark.parametrize("game", ["Viking Axes", "AxxA", "Dungeon Allies"])
def test_who_resigns_keeps_the_place_in_the_page(come: Come, game: str) -> None:
    """Not in Axes and Allies: there the bot that takes the first seat may win before the second is left."""
    players = open_table(come(), come(), game=game)
    for table in players:
        table.page.locator("#resign").press("Enter")
        expect(table.page.locator("#resign-ask [popovertargetaction=hide]")).to_be_focused()
        table.page.locator("#resign-yes").press("Enter")
        expect(table.page.locator("#frame.watching")).to_be_visible()
        table.has_kept_the_place()


def test_who_has_not_moved_yet_when_the_match_ends_is_led_to_what_is_next(come: Come) -> None:
    person = come()
    (table,) = open_table(person, bots=1, game="AxxA")
    assert not focused(table.page)
    _resign_elsewhere(person, table)
    table.has_kept_the_place()


def test_the_focus_stays_in_an_open_sheet_when_the_match_ends(come: Come) -> None:
    person = come()
    (table,) = open_table(person, bots=1, game="AxxA")
    page = table.page
    page.locator("#resign").focus()
    page.keyboard.press("?")
    shut = page.locator("#keys [popovertargetaction=hide]")
    expect(shut).to_be_focused()
    _resign_elsewhere(person, table)
    expect(shut).to_be_focused()
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_hidden()
    table.has_kept_the_place()


def _resign_elsewhere(person: Person, table: Table) -> None:
    elsewhere = person.context.new_page()
    elsewhere.goto(table.path)
    elsewhere.locator("#resign").click()
    elsewhere.locator("#resign-yes").click()
    expect(table.page.locator("#end")).to_be_attached()
    elsewhere.close()


def _check_the_list_of_keys(page: Page) -> None:
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Shortcuts")).to_be_visible()
    expect(page.locator("#keys")).to_contain_text("Choose the action with this number")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Shortcuts")).to_be_hidden()


def _press_digit(button: Locator) -> None:
    button.page.keyboard.press(button.get_attribute("data-key") or "")


def _press_enter(button: Locator) -> None:
    tab_to(button.page, lambda: focused(button.page) == button.get_attribute("id"))
    button.page.keyboard.press("Enter")


def tab_to(page: Page, there: Callable[[], bool]) -> None:
    """Press Tab until the focus is there."""
    for _ in range(_FAR):
        if focused(page) and there():
            return
        page.keyboard.press("Tab")
    raise AssertionError("Tab never leads there")
