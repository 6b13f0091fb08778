"""Hints that are requested and followed, and the display of thinking bots."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from browser.axxa_table import AXXA, decide, until_phase
from browser.checks import alien_nodes, cut_off, scrolls_sideways, small_controls, too_wide
from browser.devices import PHONE
from browser.people import NewPerson
from browser.table import AXES_AND_ALLIES, PATIENCE, VIKING_AXES, Act, Table, open_table, whose_turn


def at_turn(new_person: NewPerson, game: str, **options: Any) -> tuple[Table, Table]:
    """Open a table of two people; return the page of the player to move and the other page.

    There are no bots, because bots that go first may win before a person moves.
    """
    seats = open_table(new_person(**options), new_person(**options), game=game)
    actor = whose_turn(seats)
    assert actor is not None
    return actor, next(table for table in seats if table is not actor)


def take_hint(table: Table, by: Act) -> Locator:
    """Request a hint and return its actions."""
    by(table.page.locator("#hint"))
    lines = table.page.locator(".hint-line")
    expect(lines.first).to_be_visible(timeout=PATIENCE)
    return lines


def press_enter(button: Locator) -> None:
    button.focus()
    button.press("Enter")


def test_hints_by_keyboard(new_person: NewPerson) -> None:
    """One that is requested again after an early move is for the next decision; following it moves the focus to the board."""
    (table,) = open_table(new_person(), game=AXXA)
    until_phase(table.page, "turn")
    for _ in range(2):
        table.page.locator("#hint").click()
        decide(table.page)
    version = table.version
    press_enter(take_hint(table, press_enter).first)
    table.wait_for_version(version + 1)
    expect(table.page.locator("#controls :focus")).to_have_count(1)


def test_a_hint_is_announced_points_at_the_board_survives_a_reload_and_is_followed(new_person: NewPerson) -> None:
    actor, other = at_turn(new_person, AXES_AND_ALLIES)
    page = actor.page
    page.evaluate("""() => {
      const live = document.getElementById("live");
      window.announced = [];
      new MutationObserver(() => window.announced.push(live.textContent)).observe(live, { childList: true });
    }""")
    lines = take_hint(actor, Locator.click)
    page.wait_for_function("announced.includes(document.getElementById('hints').dataset.say)")
    expect(other.page.locator("#hints")).to_have_count(0)
    for show, elsewhere in ((lines.first.hover, "#undo"), (lines.first.focus, "#prompt")):
        show()
        expect(page.locator("#controls .meant")).to_have_attribute("value", lines.first.get_attribute("value") or "")
        page.locator(elsewhere).hover()
        expect(page.locator("#controls .meant")).to_have_count(0)
    texts = lines.all_inner_texts()
    page.reload()
    expect(page.locator("#live")).to_be_attached()
    expect(lines).to_have_count(len(texts))
    assert lines.all_inner_texts() == texts
    newest = actor.newest_event
    lines.first.click()
    other.wait_for_event(newest + 1)
    for table in (actor, other):
        expect(table.page.locator("#hints")).to_have_count(0)
        expect(table.page.locator(f"#log-{newest + 1}")).to_contain_text("with a hint")


@pytest.mark.parametrize(
    "game", [*(pytest.param(each, marks=pytest.mark.long) for each in (VIKING_AXES, AXXA)), "Dungeon Allies"]
)
def test_a_tapped_hint_first_shows_its_action_on_the_board(new_person: NewPerson, game: str) -> None:
    table, _ = at_turn(new_person, game, **PHONE)
    page = table.page
    line = take_hint(table, Locator.tap).first
    assert not scrolls_sideways(page)
    assert (too_wide(page), cut_off(page), small_controls(page), alien_nodes(page)) == ([], [], [], [])
    decision = page.locator("#controls input[name=n]").input_value()
    line.tap()
    expect(page.locator(".meant").last).to_be_in_viewport()
    expect(line).to_have_class(re.compile("shown"))
    expect(page.locator("#live")).to_have_text("Tap again to play it")
    expect(page.locator("#controls input[name=n]")).to_have_value(decision)
    line.tap()
    expect(page.locator(f"#controls input[name=n][value='{decision}']")).to_have_count(0)


def test_a_thinking_king_is_shown_without_a_move_or_an_announcement(new_person: NewPerson) -> None:
    (table,) = open_table(new_person(), bots=2, rank="king", game=VIKING_AXES)
    page = table.page
    page.evaluate(KEEP_THINKERS)
    while not (seen := page.evaluate("window.thinkers")):  # a bot without a choice doesn't search
        assert table.wait_for_turn()
        table.act()
    assert "thinking" in seen[0]["plate"]
    assert "thinking" not in seen[0]["live"], "a screen reader would announce it repeatedly"
    assert seen[0]["moving"] == 0


KEEP_THINKERS = """() => {
  window.thinkers = [];
  new MutationObserver(() => {
    if (document.getElementById("thinking")) window.thinkers.push({
      plate: document.querySelector(".plate.active").textContent,
      live: document.getElementById("live").textContent,
      moving: document.querySelector(".plate.active").getAnimations({ subtree: true })
        .filter(each => each.effect.getComputedTiming().endTime > 20).length, // the board may still play the last action
    });
  }).observe(document.body, { subtree: true, childList: true, attributes: true });
}"""
"""Keeps the texts that show a thinking bot."""
