"""Hints that are requested and followed, and the display of thinking bots."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from browser.accessibility import Inspector
from browser.axxa_table import AXXA, decide, until_phase
from browser.checks import alien_nodes, cut_off, scrolls_sideways, small_controls, too_wide
from browser.devices import PHONE
from browser.people import NewPerson
from browser.table import AXES_AND_ALLIES, PATIENCE, VIKING_AXES, Act, Table, open_table, play_until_turn, whose_turn

DESKTOP: dict[str, Any] = {}


def at_turn(new_person: NewPerson, game: str, players: int = 2, **options: Any) -> tuple[Table, Table]:
    """Open a table of people; return the page of the player to move and another page.

    There are no bots, because bots that go first may win before a person moves.
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


MATRIX = [
    pytest.param(
        game, options, by, marks=[pytest.mark.long] * ((game == VIKING_AXES) != (by is Locator.tap)), id=f"{game} {device}"
    )
    for game in (AXES_AND_ALLIES, VIKING_AXES)
    for options, by, device in ((DESKTOP, Locator.click, "desktop"), (PHONE, Locator.tap, "phone"))
]


@pytest.mark.parametrize(("game", "options", "by"), MATRIX)
def test_a_followed_hint_is_marked_in_every_log(new_person: NewPerson, game: str, options: dict[str, Any], by: Act) -> None:
    actor, other = at_turn(new_person, game, **options)
    page = actor.page
    page.evaluate("""() => {
      const live = document.getElementById("live");
      window.announced = [];
      new MutationObserver(() => window.announced.push(live.textContent)).observe(live, { childList: true });
    }""")
    lines = take_hint(actor, by)
    assert not scrolls_sideways(page)
    assert (too_wide(page), cut_off(page), small_controls(page), alien_nodes(page)) == ([], [], [], [])
    expect(page.locator("#hints")).to_be_in_viewport(ratio=0.99)
    page.wait_for_function("announced.includes(document.getElementById('hints').dataset.say)")
    expect(other.page.locator("#hints")).to_have_count(0)
    expect(page.locator("#hint")).to_have_attribute("aria-disabled", "true")
    if game == AXES_AND_ALLIES and by is not Locator.tap:
        _check_pointing(actor, lines.first)
    if game == AXES_AND_ALLIES:
        _check_reload(actor, lines)
    newest = actor.newest_event
    by(lines.first)
    if by is Locator.tap:
        by(lines.first)  # the first tap only shows the action on the board
    other.wait_for_event(newest + 1)
    for table in (actor, other):
        expect(table.page.locator("#hints")).to_have_count(0)
        expect(table.page.locator(f"#log-{newest + 1}")).to_contain_text("with a hint")


def _check_pointing(actor: Table, line: Locator) -> None:
    """Pointing at a hint highlights its action."""
    line.hover()
    expect(actor.page.locator("#controls .meant")).to_have_attribute("value", line.get_attribute("value") or "")
    actor.page.locator("#undo").hover()
    expect(actor.page.locator("#controls .meant")).to_have_count(0)


def _check_reload(actor: Table, lines: Locator) -> None:
    """A hint survives a reload."""
    texts = lines.all_inner_texts()
    actor.page.reload()
    expect(actor.page.locator("#live")).to_be_attached()
    expect(lines).to_have_count(len(texts))
    assert lines.all_inner_texts() == texts


def test_hints_work_without_javascript(new_person: NewPerson) -> None:
    friends, plain = (new_person(), new_person()), new_person(java_script_enabled=False)
    *others, table = open_table(*friends, plain)
    play_until_turn(table, others)
    newest = table.newest_event
    take_hint(table, Locator.click).first.click()
    expect(plain.page.locator(f"#log-{newest + 1}")).to_contain_text("with a hint")


@pytest.mark.parametrize(
    "game", [*(pytest.param(each, marks=pytest.mark.long) for each in (AXES_AND_ALLIES, AXXA)), "Dungeon Allies"]
)
def test_a_tapped_hint_first_shows_its_action_on_the_board(new_person: NewPerson, game: str) -> None:
    table, _ = at_turn(new_person, game, **PHONE)
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


def test_a_thinking_king_is_shown(new_person: NewPerson) -> None:
    person = new_person()
    (table,) = open_table(person, bots=2, rank="king", game=VIKING_AXES)
    page, inspector = person.page, Inspector()
    page.evaluate(KEEP_THINKERS)
    while not (seen := page.evaluate("window.thinkers")):  # a bot without a choice doesn't search
        assert table.wait_for_turn()
        table.act()
    assert re.search("the King is thinking", seen[0]["prompt"])
    assert "thinking" in seen[0]["plate"]
    assert "thinking" not in seen[0]["live"], "a screen reader would announce it repeatedly"
    assert seen[0]["moving"] == 0
    inspector.inspect("a bot is thinking", page)
    assert inspector.found == []


KEEP_THINKERS = """() => {
  window.thinkers = [];
  new MutationObserver(() => {
    if (document.getElementById("thinking")) window.thinkers.push({
      prompt: document.getElementById("thinking").textContent,
      plate: document.querySelector(".plate.active").textContent,
      live: document.getElementById("live").textContent,
      moving: document.getAnimations().filter(each => each.effect.getComputedTiming().endTime > 20).length,
    });
  }).observe(document.body, { subtree: true, childList: true, attributes: true });
}"""
"""Keeps the texts that show a thinking bot."""
