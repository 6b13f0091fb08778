"""A whole match without a mouse."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from browser.checks import focused
from browser.people import Come
from browser.table import Table, somebody_bound

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
        while table.wait_for_turn():
            table.act(by=_press_digit if decisions % 2 else _press_enter)
            decisions += 1
            if table.wait_for_turn():
                assert focused(page), "the place in the page is lost"
        tab_to(page, lambda: focused(page) == "rematch")
        page.keyboard.press("Enter")
        expect(page.locator("#frame.game:not(.over)")).to_be_visible()


def test_a_hint_comes_by_its_key_and_a_refused_action_says_why(come: Come) -> None:
    table = somebody_bound(come(), come(), come())
    page = table.page
    page.keyboard.press("h")
    expect(page.locator(".hint-line").first).to_be_visible()
    expect(page.locator("#live")).to_contain_text("chance that you win")
    key = page.locator("#hint-1 .key").inner_text()
    meant = page.locator(f"#controls [data-key='{key}']")
    expect(meant).to_have_attribute("value", page.locator("#hint-1").get_attribute("value") or "")
    wanted = table.refused.first.get_attribute("id") or ""
    tab_to(page, lambda: focused(page) == wanted)
    expect(page.locator(f"#{wanted} [role=tooltip]")).to_contain_text("(AA-")
    expect(page.locator(f"#{wanted} [role=tooltip]")).to_have_css("visibility", "visible")


def _check_the_list_of_keys(page: Page) -> None:
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    expect(page.locator("#keys")).to_contain_text("Choose the action with that number")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()


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
