"""Tables in small windows: the board stands still, and what comes over it leaves the rest of the table in view."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from browser.checks import overlapping
from browser.devices import PHONE
from browser.people import NewPerson
from browser.table import AXES_AND_ALLIES, STRATEGIC, VIKING_AXES, open_table, whose_turn
from browser.test_layout import ONE_SCREEN, resize

SMALL = [(390, 844), (844, 390), (820, 1180)]

OPPONENTS = {AXES_AND_ALLIES: ".warrior", VIKING_AXES: ".va-backs, #in-play", "AxxA": ".axxa-stack", "Dungeon Allies": ".da-1"}
"""What no sheet may cover, by game."""

PLACE = """() => {
  const { x, y, width, height } = document.querySelector("#board > :first-child").getBoundingClientRect();
  return [x + scrollX, y + scrollY, width, height].map(Math.round).join(" ");
}"""

LONG = "document.querySelector('.prompt-question').textContent = 'A question that is much too long. '.repeat(9)"
MANY_CLOCKS = """() => {
  const row = document.getElementById("clock-row");
  for (let k = 0; k < 5; k += 1) {
    const clock = row.lastElementChild.cloneNode(true);
    clock.querySelectorAll("[id]").forEach(each => each.removeAttribute("id"));
    row.append(clock);
  }
}"""
UNREAD = """() => {
  const chat = document.querySelector(".bar-chat");
  chat.hidden = false;
  chat.lastElementChild.textContent = "12";
}"""


def places(page: Page) -> list[str]:
    """Return where the board lies on the page in each small window."""
    found = []
    for size in SMALL:
        resize(page, size)
        found.append(f"{size}: {page.evaluate(PLACE)}")
    resize(page, SMALL[0])
    return found


@pytest.mark.slow("looks at three windows in each of eight states")
@pytest.mark.parametrize("game", OPPONENTS)
def test_the_board_stands_still_whatever_is_shown(new_person: NewPerson, game: str) -> None:
    option = STRATEGIC if game == VIKING_AXES else ""
    tables = open_table(new_person(), new_person(), new_person(), game=game, option=option, clock="seat:1200")
    actor = whose_turn(tables)
    assert actor is not None
    page, other = actor.page, next(table for table in tables if table is not actor)
    resize(page, SMALL[0])
    expect(page.locator("#goal")).to_be_visible()
    before = places(page)
    moved = {}
    for state in states(page, other.page, game):
        moved[state] = [now for was, now in zip(before, places(page), strict=True) if was != now]
    assert not any(moved.values()), f"{moved}, before: {before}"


def states(page: Page, other: Page, game: str) -> Iterator[str]:
    """Show one thing after another over or above the board of the first page; yield the name of each."""
    assert overlapping(page, "#goal", OPPONENTS[game]) == []
    page.locator("#goal").click(position={"x": 5, "y": 5})
    page.mouse.move(5, 5)
    expect(page.locator("#goal")).to_be_hidden()
    yield "without the goal"
    page.locator("#hint").click()
    expect(page.locator(".hint-line").first).to_be_visible()
    yield "a hint"
    page.keyboard.press("Escape")
    expect(page.locator("#hints")).to_be_hidden()
    page.locator("#hint").click()
    expect(page.locator(".hint-line").first).to_be_visible()
    page.locator(".prompt-line").click()
    expect(page.locator("#hints")).to_be_hidden()
    yield "a hint that was put down"
    other.locator("#propose").click()
    other.locator("#propose-sheet form[id^=offer-form] button").first.click()
    expect(page.locator("#agree")).to_be_in_viewport()
    assert overlapping(page, "#proposal", OPPONENTS[game]) == []
    yield "a proposal"
    page.locator(".prompt-line").click()
    expect(page.locator("#agree")).to_be_hidden()
    yield "a proposal that was put down"
    page.locator("#proposal-words").click()
    page.mouse.move(5, 5)
    expect(page.locator("#agree")).to_be_visible()
    page.locator("#decline").press("Enter")  # under a mouse the sheet would stay
    expect(page.locator("#proposal.ended")).to_be_attached()
    yield "a declined proposal"
    page.evaluate(LONG)
    page.evaluate(MANY_CLOCKS)
    yield "a long prompt and many clocks"
    page.evaluate(UNREAD)
    yield "unread lines"


def test_a_question_leaves_its_target_in_view_and_stands_above_the_board(new_person: NewPerson) -> None:
    people = [new_person(**PHONE) for _ in range(2)]
    tables = open_table(*people, game=VIKING_AXES, option=STRATEGIC)
    for person in people:
        person.ask("/settings", confirm="always")
        person.page.reload()
    actor = whose_turn(tables)
    assert actor is not None
    page, choice = actor.page, actor.choices.first
    for size in (*SMALL, (1024, 768), (1440, 900)):
        resize(page, size)
        before, value = page.evaluate(PLACE), choice.get_attribute("value")
        choice.click()
        expect(page.locator("#sure")).to_be_in_viewport()
        expect(page.locator(f"#act-{value}")).to_be_in_viewport()
        assert overlapping(page, "#ask", "#board, #controls button[name=action]") == [], size
        assert page.evaluate(PLACE) == before, size
        page.locator("#unsure").click()


@pytest.mark.parametrize("game", [VIKING_AXES, AXES_AND_ALLIES])
def test_the_goal_is_told_once_and_covers_no_target(new_person: NewPerson, game: str) -> None:
    person, friend = new_person(), new_person()
    table, _ = open_table(person, friend, game=game, option=STRATEGIC if game == VIKING_AXES else "")
    goal = table.page.locator("#goal")
    expect(goal).to_be_visible()
    for size in ((1440, 900), (1024, 768)):
        resize(table.page, size)
        assert overlapping(table.page, "#goal", "#board, #controls button") == [], size
        assert overlapping(table.page, "#goal", ".prompt-line") != [], size
    table.page.reload()
    expect(goal).to_be_hidden()
    again, _ = open_table(person, friend, game=game, option=STRATEGIC if game == VIKING_AXES else "")
    expect(again.page.locator("#goal")).to_be_hidden()


def test_a_take_back_tells_no_goal_again(new_person: NewPerson) -> None:
    (table,) = open_table(new_person(**PHONE), bots=2, game=VIKING_AXES)
    table.wait_for_turn()
    goal = table.page.locator("#goal")
    expect(goal).to_be_visible()
    version = table.version
    table.choices.first.evaluate("choice => choice.click()")
    table.wait_for_version(version + 1)
    table.page.locator("#undo").evaluate("button => button.click()")
    expect(goal).to_be_attached()
    expect(goal).to_be_hidden()


def test_tools_are_in_view_and_their_sheet_is_small(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person()
    page = open_table(host, friend, game=AXES_AND_ALLIES, clock="seat:1200")[0].page
    for size in (*SMALL, *ONE_SCREEN):
        resize(page, size)
        expect(page.locator("#propose")).to_be_in_viewport(ratio=1)
        page.locator("#propose").click()
        sheet = page.locator("#propose-sheet")
        expect(sheet.locator("#resign-yes")).to_be_in_viewport(ratio=1)
        if size[1] > SMALL[1][1]:
            expect(sheet.locator("#note-save")).to_be_in_viewport(ratio=1)
        page.keyboard.press("Escape")
        expect(sheet).to_be_hidden()


def test_hints_point_at_the_board_in_one_line(new_person: NewPerson) -> None:
    (table,) = open_table(new_person(**PHONE), bots=2, game=VIKING_AXES, option=STRATEGIC)
    page = table.page
    table.wait_for_turn()
    page.locator("#hint").tap()
    lines = page.locator(".hint-line")
    expect(lines.first).to_be_visible()
    everything = page.locator("#hints").bounding_box()
    lines.first.tap()
    expect(page.locator(".hint-line:visible")).to_have_count(1)
    expect(page.locator(".meant").first).to_be_in_viewport(ratio=1)
    assert overlapping(page, "#hints", ".meant") == []
    line = page.locator("#hints").bounding_box()
    assert line is not None
    assert everything is not None
    assert line["height"] < min(100, everything["height"])
    page.locator(".prompt-line").tap()
    expect(page.locator("#hints")).to_be_hidden()
    page.locator("#hint").tap()
    expect(lines.first).to_be_visible()


def test_on_a_phone_the_end_is_in_view_and_the_next_match_before_it(new_person: NewPerson) -> None:
    person = new_person(**PHONE)
    (table,) = open_table(person, bots=2, game=VIKING_AXES)
    person.ask(f"{table.path}/resign")
    expect(table.page.locator("#play-again")).to_be_in_viewport(ratio=1)
    end, board = table.page.locator("#end").bounding_box(), table.page.locator("#va-board").bounding_box()
    assert end is not None
    assert board is not None
    assert end["y"] - (board["y"] + board["height"]) < 80, "only the button of the next match stands between them"
