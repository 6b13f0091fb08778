"""Hints that are asked for and followed, and bots that are seen thinking."""

from __future__ import annotations

import re
import sqlite3
from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.checks import alien_nodes, cut_off, moving, scrolls_sideways, small_controls, too_wide
from browser.people import Come
from browser.server import Hall
from browser.table import AXES_AND_ALLIES, PATIENCE, Act, Table, at_plain_turn, open_table, whose_turn
from browser.test_accessible import Inspector
from browser.test_axxa import AXXA, alone, decide, until_phase
from browser.test_phone import PHONE
from browser.test_viking_axes import VIKING_AXES

DESKTOP: dict[str, Any] = {}


def at_turn(come: Come, game: str, players: int = 3, **manner: Any) -> tuple[Table, Table]:
    """A table of people: who is to decide, and another. (Two allies might wait so long for a one that no page shows all of it.)

    All are people, as bots that go first may have won before.
    """
    seats = open_table(*(come(**manner) for _ in range(players)), game=game)
    actor = whose_turn(seats)
    assert actor is not None
    return actor, next(table for table in seats if table is not actor)


def take_hint(table: Table, by: Act) -> Locator:
    """Ask for a hint; its actions."""
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
def test_who_follows_a_hint_by_keyboard_goes_on_at_the_board(come: Come, game: str) -> None:
    (table,) = open_table(come(), bots=0 if game == AXXA else 1, game=game)
    assert table.wait_for_turn()
    moment = table.moment
    press_enter(take_hint(table, press_enter).first)
    table.wait_for_moment(moment + 1)
    if table.wait_for_turn():
        expect(table.page.locator("#controls :focus")).to_have_count(1)


def test_who_plays_before_the_hint_has_come_gets_one_at_the_next_decision(come: Come) -> None:
    table = alone(come)
    until_phase(table.page, "turn")
    for _ in range(2):
        table.page.locator("#hint").click()
        expect(table.page.locator("#hints")).to_contain_text("is thinking")
        decide(table.page)
    take_hint(table, Locator.click)


@pytest.mark.parametrize("game", [AXES_AND_ALLIES, VIKING_AXES])
@pytest.mark.parametrize(("manner", "by"), [(DESKTOP, Locator.click), (PHONE, Locator.tap)], ids=["desktop", "phone"])
def test_a_hint_is_followed_and_everybody_sees_it(come: Come, game: str, manner: dict[str, Any], by: Act) -> None:
    actor, other = at_turn(come, game, **manner)
    page = actor.page
    lines = take_hint(actor, by)
    assert not scrolls_sideways(page)
    assert (too_wide(page), cut_off(page), small_controls(page), alien_nodes(page)) == ([], [], [], [])
    expect(lines.first).to_be_in_viewport(ratio=0.9)
    expect(other.page.locator("#hints")).to_have_count(0)
    expect(page.locator("#hint")).to_have_attribute("aria-disabled", "true")
    news = actor.news
    by(lines.first)
    other.wait_for_news(news + 1)
    for table in (actor, other):
        expect(table.page.locator("#hints")).to_have_count(0)
        expect(table.page.locator(f"#log-{news + 1}")).to_contain_text("with a hint")


@pytest.mark.parametrize("game", [AXES_AND_ALLIES, VIKING_AXES, AXXA, "Dungeon Allies"])
def test_a_hint_comes_into_sight_on_a_phone_and_is_told(come: Come, game: str) -> None:
    page = at_turn(come, game, players=4, **PHONE)[0].page
    page.evaluate("""() => {
      const live = document.getElementById("live");
      window.said = [];
      new MutationObserver(() => window.said.push(live.textContent)).observe(live, { childList: true });
    }""")
    page.locator("#hint").tap()
    expect(page.locator(".hint-line").first).to_be_visible(timeout=PATIENCE)
    expect(page.locator("#hints")).to_be_in_viewport(ratio=0.99)
    assert "The king is thinking" in " ".join(page.evaluate("said"))


def test_what_a_hint_names_is_shown_on_the_board_when_pointed_at(come: Come) -> None:
    actor, _ = at_turn(come, AXES_AND_ALLIES)
    line = take_hint(actor, Locator.click).first
    line.hover()
    expect(actor.page.locator("#controls .meant")).to_have_attribute("value", line.get_attribute("value") or "")
    actor.page.locator("#undo").hover()
    expect(actor.page.locator("#controls .meant")).to_have_count(0)


def test_a_hint_comes_without_javascript(come: Come) -> None:
    friends, plain = (come(), come()), come(java_script_enabled=False)
    *others, table = open_table(*friends, plain)
    at_plain_turn(table, others)
    news = table.news
    take_hint(table, Locator.click).first.click()
    expect(plain.page.locator(f"#log-{news + 1}")).to_contain_text("with a hint")


def test_a_hint_that_is_asked_for_stays_over_a_reload_and_a_page_elsewhere(come: Come) -> None:
    actor, _ = at_turn(come, AXES_AND_ALLIES)
    said = take_hint(actor, Locator.click).all_inner_texts()
    actor.page.reload()
    expect(actor.page.locator("#live")).to_be_attached()
    expect(actor.page.locator(".hint-line")).to_have_count(len(said))
    assert actor.page.locator(".hint-line").all_inner_texts() == said


def test_a_king_is_seen_thinking_and_plays_within_four_seconds(come: Come, hall: Hall) -> None:
    person = come(reduced_motion="reduce")
    (table,) = open_table(person, bots=2, rank="king", game=VIKING_AXES)
    page, inspector = person.page, Inspector()
    while (seen := thinker(page)) is None:  # a bot without a choice does not think for long
        expect(page.locator("#thinking, #frame.yours")).to_be_attached(timeout=PATIENCE)
        if table.my_turn:
            table.act()
    assert re.search("the king is thinking", seen["prompt"])
    assert "thinking" in seen["plate"]
    assert "thinking" not in seen["said"], "that would be said again and again"
    assert moving(page) == []
    inspector.look("somebody thinks", page)
    assert inspector.found == []
    table.wait_for_turn()
    while not (told := pauses(hall, table.path.removeprefix("/tables/"), person=0)):  # the king's was the first action of all
        table.act()
        table.wait_for_turn()
    assert max(told) < 4


def thinker(page: Page) -> dict[str, str] | None:
    """How somebody is seen thinking, all of it at one moment; None if nobody is."""
    found: dict[str, str] | None = page.evaluate("""() => document.getElementById("thinking") && {
      prompt: document.getElementById("thinking").textContent,
      plate: document.querySelector(".plate.active").textContent,
      said: document.getElementById("live").textContent,
    }""")
    return found


def pauses(hall: Hall, table: str, person: int) -> list[float]:
    """Seconds before every action of a bot."""
    with sqlite3.connect(hall.data / "meadhall.db") as database:
        told = database.execute("SELECT seat, at FROM entries WHERE table_id = ? ORDER BY entry", (table,)).fetchall()
    moments = [(seat, datetime.fromisoformat(at)) for seat, at in told]
    return [(after - before).total_seconds() for (_, before), (seat, after) in pairwise(moments) if seat != person]
