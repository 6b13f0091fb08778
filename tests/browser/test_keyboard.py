"""The keyboard: shortcuts, dialogs and the focus."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.checks import focused
from browser.keyboard import tab_to
from browser.people import NewPerson, Person
from browser.table import Table, open_table, table_with_refused_choice, whose_turn


def test_a_key_requests_a_hint_and_a_refused_action_shows_a_reason(new_person: NewPerson) -> None:
    table = table_with_refused_choice(new_person(), new_person(), new_person())
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


@pytest.mark.parametrize(
    ("key", "code", "sheet"),
    [("?", "Digit7", "keys"), ("R", "KeyR", "rules"), ("к", "KeyR", "rules"), ("ρ", "KeyR", "rules"), ("r", "KeyP", "rules")],
    ids=["German question mark", "caps lock", "Cyrillic", "Greek", "Dvorak"],
)
def test_shortcuts_work_on_any_keyboard(new_person: NewPerson, key: str, code: str, sheet: str) -> None:
    (table,) = open_table(new_person(), game="AxxA")
    assert table.wait_for_turn()
    number = table.page.locator("#controls input[name=n]")
    before = number.input_value()
    _press_on_layout(table.page, key, code, shift=key == "?")
    expect(table.page.locator(f"#{sheet}")).to_be_visible()
    _press_on_layout(table.page, key, code, shift=key == "?")
    expect(table.page.locator(f"#{sheet}")).to_be_hidden()
    expect(number).to_have_value(before)


@pytest.mark.parametrize(
    ("key", "shift"), [("&", False), ("+", False), ("1", True)], ids=["AZERTY", "Czech", "AZERTY with Shift"]
)
def test_a_digit_is_meant_by_its_place(new_person: NewPerson, key: str, shift: bool) -> None:
    table = whose_turn(open_table(new_person(), new_person()))
    assert table
    table.act(by=lambda _button: _press_on_layout(table.page, key, "Digit1", shift), choose=lambda legal: legal[0])


def _press_on_layout(page: Page, key: str, code: str, shift: bool) -> None:
    page.evaluate(
        "([key, code, shiftKey]) => document.body.dispatchEvent("
        "new KeyboardEvent('keydown', { key, code, shiftKey, bubbles: true, cancelable: true }))",
        [key, code, shift],
    )


def test_keys_do_not_reach_the_page_behind_an_open_dialog(new_person: NewPerson) -> None:
    table = whose_turn(open_table(new_person(), new_person()))
    assert table
    page, posted = table.page, list[str]()
    page.on("request", lambda request: posted.append(request.url) if request.method == "POST" else None)
    for opener, sheet in (("r", "rules"), ("?", "keys"), ("#propose", "propose-sheet")):
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
    assert [url.rpartition("/")[2] for url in posted] == ["act"]


def test_resigning_keeps_the_focus_in_place(new_person: NewPerson) -> None:
    """A bot plays the seat, also at its turn."""
    for table in open_table(new_person(), new_person(), new_person(), game="Viking Axes")[:2]:
        _resign_by_keyboard(table.page)
        expect(table.page.locator("#stand-in")).to_have_text("You have resigned. A bot plays your seat to the end.")
        expect(table.page.locator("#propose")).to_be_focused()


def test_resigning_a_match_of_two_sides_moves_the_focus_to_the_result(new_person: NewPerson) -> None:
    left, won = open_table(new_person(), new_person(), game="Dungeon Allies")
    _resign_by_keyboard(left.page)
    for table, words in ((left, "You lost"), (won, "You win")):
        expect(table.page.locator("#end-title")).to_have_text(words)
    left.expect_focus_in_place()


def _resign_by_keyboard(page: Page) -> None:
    page.locator("#propose").press("Enter")
    expect(page.locator("#propose-sheet [popovertargetaction=hide]")).to_be_focused()
    page.locator("#resign-yes").press("Enter")


def test_the_focus_moves_to_the_result_when_the_match_ends_before_any_move(new_person: NewPerson) -> None:
    person = new_person()
    (table,) = open_table(person, game="AxxA")
    assert not focused(table.page)
    _resign_elsewhere(person, table)
    table.expect_focus_in_place()


def test_the_focus_stays_in_an_open_dialog_when_the_match_ends(new_person: NewPerson) -> None:
    person = new_person()
    (table,) = open_table(person, game="AxxA")
    page = table.page
    page.locator("#resign").focus()
    page.keyboard.press("?")
    close = page.locator("#keys [popovertargetaction=hide]")
    expect(close).to_be_focused()
    _resign_elsewhere(person, table)
    expect(close).to_be_focused()
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_hidden()
    table.expect_focus_in_place()


def _resign_elsewhere(person: Person, table: Table) -> None:
    elsewhere = person.context.new_page()
    elsewhere.goto(table.path)
    elsewhere.locator("#resign").click()
    elsewhere.locator("#resign-yes").click()
    expect(table.page.locator("#end")).to_be_attached()
    elsewhere.close()


def _press_digit(button: Locator) -> None:
    button.page.keyboard.press(button.get_attribute("data-key") or "")
