"""An evening of three for each game: by mouse at a desk, by touch on a phone and by keys, with a visitor whose network fails."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from browser import axxa_table, dungeon_table
from browser.checks import alien_nodes, cut_off, differences, focused, moving, scrolls_sideways, small_controls, too_wide
from browser.devices import PHONE
from browser.keyboard import press_by_keys
from browser.people import NewPerson, Person
from browser.table import AXES_AND_ALLIES, PATIENCE, VIKING_AXES, Act, Table, ally_first, fill_lobby, play_now, whose_turn

DEVICES: list[tuple[dict[str, Any], Act]] = [({}, Locator.click), (PHONE, Locator.tap), ({}, press_by_keys)]
GAMES = (AXES_AND_ALLIES, VIKING_AXES, axxa_table.AXXA, dungeon_table.DUNGEON_ALLIES)
DECISIONS = 6
CHOICES = "#acts button:not([aria-disabled=true]), .axxa-chooser, .axxa-act, .axxa-price, .da-slot.can, .da-acts .act"


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.slow("a match on four pages")
def test_three_people_play_from_the_invitation_to_the_rematch(new_person: NewPerson, game: str) -> None:
    people = [new_person(**options) for options, _ in DEVICES]
    visitor = new_person()
    visitor.allow("net::ERR_INTERNET_DISCONNECTED", "net::ERR_NETWORK")
    tables = fill_lobby(*people, game=game)
    watching = Table(visitor.open(tables[0].path))
    people[0].page.locator("#start").click()
    for table in (*tables, watching):
        table.wait_for_game()
    moved = set[int]()
    decisions = 0
    while decisions < DECISIONS or len(moved) < len(people):
        actor = whose_turn(tables)
        assert actor is not None, "the match is over early"
        seat = tables.index(actor)
        check_turn(actor, [*tables, watching])
        if seat == 1:
            check_phone(actor)
        visitor.context.set_offline(decisions == DECISIONS // 2)
        had_focus = bool(focused(actor.page))  # a digit needs none
        decide(actor, game, DEVICES[seat][1])
        if had_focus and seat == 2 and actor.my_turn:
            actor.page.wait_for_function("() => document.activeElement !== document.body")
        moved.add(seat)
        decisions += 1
    visitor.context.set_offline(False)
    whose_turn([*tables, watching])
    for table in (*tables, watching):
        assert table.events == watching.events
        assert (differences(table.page), alien_nodes(table.page), moving(table.page)) == ([], [], [])
    agree_to_end(people, tables, game)
    for table in (*tables, watching):
        expect(table.page.locator("#end .chart")).to_be_visible(timeout=PATIENCE)
        assert (differences(table.page), alien_nodes(table.page)) == ([], [])
    if game != axxa_table.AXXA:
        play_a_rematch(people, tables)


def check_turn(actor: Table, tables: list[Table]) -> None:
    """Check that every page says whose turn it is, and that the others can choose nothing."""
    name = actor.page.locator(".plate.active .plate-name strong").inner_text()
    expect(actor.page).to_have_title(re.compile("Your turn"))
    for table in tables:
        if table is not actor:
            expect(table.prompt).to_contain_text(name)
            expect(table.page).not_to_have_title(re.compile("Your turn"))
    expect(tables[-1].page.get_by_text("You are watching.")).to_be_visible()


def check_phone(table: Table) -> None:
    """Check that the page fits a phone, with all choices in view and large enough for a finger."""
    page = table.page
    assert not scrolls_sideways(page)
    assert (too_wide(page), cut_off(page), small_controls(page)) == ([], [], [])
    for each in (table.prompt, *page.locator(CHOICES).all()):
        expect(each).to_be_in_viewport(ratio=0.99)


def decide(table: Table, game: str, press: Act) -> None:
    """Make one decision, which keeps the match going."""
    if game == axxa_table.AXXA:
        axxa_table.decide(table.page, press)
    elif game == dungeon_table.DUNGEON_ALLIES:
        dungeon_table.decide(table.page, press=press)
    else:
        table.act(ally_first, by=press)


def agree_to_end(people: list[Person], tables: list[Table], game: str) -> None:
    """End the match by agreement: a draw, or, of players who win together, without a winner."""
    host, phone, keys = (person.page for person in people)
    host.locator("#propose").click()
    host.get_by_role("button", name=re.compile("Offer a draw|Propose to give up")).click()
    phone.locator("#agree").tap()
    expect(phone.locator("#agree")).to_have_count(0)
    expect(keys.locator("#agree")).to_be_visible()
    keys.keyboard.press("y")
    for table in tables:
        expect(table.page.locator("#end-title")).to_be_attached()
    if game in (AXES_AND_ALLIES, VIKING_AXES):
        tables[2].expect_focus_in_place()


def play_a_rematch(people: list[Person], tables: list[Table]) -> None:
    """A rematch takes all players to the same new table, where they play."""
    first = tables[0].path
    for person in people:
        person.page.get_by_role("button", name="Rematch").click()
        person.page.wait_for_url(lambda url: first not in url)
    assert len({table.path for table in tables}) == 1
    for table in tables:
        table.wait_for_game()
    assert whose_turn(tables) is not None


def test_a_match_is_played_with_plain_forms(new_person: NewPerson) -> None:
    """Without JavaScript, to the end and its replay."""
    table = play_now(new_person(java_script_enabled=False))
    table.play_on()
    assert table.headline.startswith(("You win", "You lost"))
    table.page.get_by_role("link", name="Replay").first.click()
    expect(table.page.locator("#step-back")).to_be_visible()
