"""Hints that are requested and followed, and the display of thinking bots."""

from __future__ import annotations

import re
import sqlite3
from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.accessibility import Inspector
from browser.axxa_table import AXXA, alone, decide, until_phase
from browser.checks import alien_nodes, cut_off, moving, scrolls_sideways, small_controls, too_wide
from browser.devices import PHONE
from browser.people import NewPerson
from browser.server import Hall
from browser.table import AXES_AND_ALLIES, PATIENCE, VIKING_AXES, Act, Table, open_table, play_until_turn, whose_turn

DESKTOP: dict[str, Any] = {}


def at_turn(new_person: NewPerson, game: str, players: int = 3, **options: Any) -> tuple[Table, Table]:
    """Open a table of people; return the page of the player to move and another page.

    There are no bots, because bots that go first may win before a person moves. There are three players, because two allies
    might wait for a one so long that no page shows the whole log.
    """
    seats = open_table(*(new_person(**options) for _ in range(players)), game=game)
    actor = whose_turn(seats)
    assert actor is not None
    return actor, next(table for table in seats if table is not actor)


def take_hint(table: Table, by: Act) -> Locator:
    """Request a hint and return its actions."""
    by(table.page.locator("#hint"))
    lines = table.page.locator(".hint-line")
    expect(lines.first).to_be_visible(timeout=PATIENCE)
    assert 1 <= lines.count() <= 3
    assert re.search(r"\d %|^[^%]+$", lines.first.inner_text().replace("\N{NO-BREAK SPACE}", " "))
    return lines


def press_enter(button: Locator) -> None:
    button.focus()
    button.press("Enter")


@pytest.mark.parametrize("game", [VIKING_AXES, AXXA])
def test_following_a_hint_by_keyboard_moves_the_focus_to_the_board(new_person: NewPerson, game: str) -> None:
    (table,) = open_table(new_person(), bots=0 if game == AXXA else 1, game=game)
    assert table.wait_for_turn()
    version = table.version
    press_enter(take_hint(table, press_enter).first)
    table.wait_for_version(version + 1)
    if table.wait_for_turn():
        expect(table.page.locator("#controls :focus")).to_have_count(1)


def test_a_hint_requested_again_after_an_early_move_is_for_the_next_decision(new_person: NewPerson) -> None:
    table = alone(new_person)
    until_phase(table.page, "turn")
    for _ in range(2):
        table.page.locator("#hint").click()
        expect(table.page.locator("#hints")).to_contain_text("is thinking")
        decide(table.page)
    take_hint(table, Locator.click)


@pytest.mark.parametrize("game", [AXES_AND_ALLIES, VIKING_AXES])
@pytest.mark.parametrize(("options", "by"), [(DESKTOP, Locator.click), (PHONE, Locator.tap)], ids=["desktop", "phone"])
def test_a_followed_hint_is_marked_in_every_log(new_person: NewPerson, game: str, options: dict[str, Any], by: Act) -> None:
    actor, other = at_turn(new_person, game, **options)
    page = actor.page
    lines = take_hint(actor, by)
    assert not scrolls_sideways(page)
    assert (too_wide(page), cut_off(page), small_controls(page), alien_nodes(page)) == ([], [], [], [])
    expect(lines.first).to_be_in_viewport(ratio=0.9)
    expect(other.page.locator("#hints")).to_have_count(0)
    expect(page.locator("#hint")).to_have_attribute("aria-disabled", "true")
    newest = actor.newest_event
    by(lines.first)
    if by is Locator.tap:
        by(lines.first)  # the first tap only shows the action on the board
    other.wait_for_event(newest + 1)
    for table in (actor, other):
        expect(table.page.locator("#hints")).to_have_count(0)
        expect(table.page.locator(f"#log-{newest + 1}")).to_contain_text("with a hint")


@pytest.mark.parametrize("game", [AXES_AND_ALLIES, VIKING_AXES, AXXA, "Dungeon Allies"])
def test_a_hint_scrolls_into_view_on_a_phone_and_is_announced(new_person: NewPerson, game: str) -> None:
    page = at_turn(new_person, game, players=4, **PHONE)[0].page
    page.evaluate("""() => {
      const live = document.getElementById("live");
      window.announced = [];
      new MutationObserver(() => window.announced.push(live.textContent)).observe(live, { childList: true });
    }""")
    page.locator("#hint").tap()
    expect(page.locator(".hint-line").first).to_be_visible(timeout=PATIENCE)
    expect(page.locator("#hints")).to_be_in_viewport(ratio=0.99)
    assert "The king is thinking" in " ".join(page.evaluate("announced"))


def test_pointing_at_a_hint_highlights_its_action(new_person: NewPerson) -> None:
    actor, _ = at_turn(new_person, AXES_AND_ALLIES)
    line = take_hint(actor, Locator.click).first
    line.hover()
    expect(actor.page.locator("#controls .meant")).to_have_attribute("value", line.get_attribute("value") or "")
    actor.page.locator("#undo").hover()
    expect(actor.page.locator("#controls .meant")).to_have_count(0)


def test_hints_work_without_javascript(new_person: NewPerson) -> None:
    friends, plain = (new_person(), new_person()), new_person(java_script_enabled=False)
    *others, table = open_table(*friends, plain)
    play_until_turn(table, others)
    newest = table.newest_event
    take_hint(table, Locator.click).first.click()
    expect(plain.page.locator(f"#log-{newest + 1}")).to_contain_text("with a hint")


@pytest.mark.parametrize("game", [AXES_AND_ALLIES, AXXA, "Dungeon Allies"])
def test_a_tapped_hint_first_shows_its_action_on_the_board(new_person: NewPerson, game: str) -> None:
    table, _ = at_turn(new_person, game, players=2, **PHONE)
    page = table.page
    line = take_hint(table, Locator.tap).first
    decision = page.locator("#controls input[name=n]").input_value()
    line.tap()
    expect(page.locator(".meant").last).to_be_in_viewport()
    expect(line).to_have_class(re.compile("shown"))
    expect(page.locator("#live")).to_have_text("Tap again to play it")
    expect(page.locator("#controls input[name=n]")).to_have_value(decision)
    line.tap()
    expect(page.locator(f"#controls input[name=n][value='{decision}']")).to_have_count(0)


def test_a_hint_under_the_mouse_or_with_the_focus_shows_its_action_on_the_board(new_person: NewPerson) -> None:
    (table,) = open_table(new_person(), bots=1, game="Dungeon Allies")
    assert table.wait_for_turn()
    lines, page = take_hint(table, Locator.click), table.page
    lines.first.hover()
    expect(page.locator(".meant").last).to_be_visible()
    page.locator("#prompt").hover()
    expect(page.locator(".meant")).to_have_count(0)
    lines.first.focus()
    expect(page.locator(".meant").last).to_be_visible()


def test_a_hint_survives_a_reload(new_person: NewPerson) -> None:
    actor, _ = at_turn(new_person, AXES_AND_ALLIES)
    texts = take_hint(actor, Locator.click).all_inner_texts()
    actor.page.reload()
    expect(actor.page.locator("#live")).to_be_attached()
    expect(actor.page.locator(".hint-line")).to_have_count(len(texts))
    assert actor.page.locator(".hint-line").all_inner_texts() == texts


def test_a_thinking_king_is_shown_and_moves_within_four_seconds(new_person: NewPerson, hall: Hall) -> None:
    person = new_person(reduced_motion="reduce")
    (table,) = open_table(person, bots=2, rank="king", game=VIKING_AXES)
    page, inspector = person.page, Inspector()
    while (seen := thinker(page)) is None:  # a bot without a choice doesn't search
        expect(page.locator("#thinking, #frame.yours")).to_be_attached(timeout=PATIENCE)
        if table.my_turn:
            table.act()
    assert re.search("the king is thinking", seen["prompt"])
    assert "thinking" in seen["plate"]
    assert "thinking" not in seen["live"], "a screen reader would announce it repeatedly"
    assert moving(page) == []
    inspector.inspect("a bot is thinking", page)
    assert inspector.found == []
    table.wait_for_turn()
    # The king may have made the first action, which has no pause.
    while not (found := pauses(hall, table.path.removeprefix("/tables/"), person=0)):
        table.act()
        table.wait_for_turn()
    assert max(found) < 4


def thinker(page: Page) -> dict[str, str] | None:
    """Return the texts that show a thinking bot, read at the same time; None if no bot is thinking."""
    found: dict[str, str] | None = page.evaluate("""() => document.getElementById("thinking") && {
      prompt: document.getElementById("thinking").textContent,
      plate: document.querySelector(".plate.active").textContent,
      live: document.getElementById("live").textContent,
    }""")
    return found


def pauses(hall: Hall, table: str, person: int) -> list[float]:
    """Return the seconds before every action of a bot."""
    with sqlite3.connect(hall.data / "meadhall.db") as database:
        query = "SELECT seat, created_at FROM match_entries WHERE table_id = ? ORDER BY number"
        rows = database.execute(query, (table,)).fetchall()
    times = [(seat, datetime.fromisoformat(created_at)) for seat, created_at in rows]
    return [(after - before).total_seconds() for (_, before), (seat, after) in pairwise(times) if seat != person]
