"""The hall is stopped or killed in the middle of a match: every page reconnects to the same table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from browser.people import Person
from browser.server import Hall, meadhall
from browser.table import PATIENCE, ally_first, open_table, play_now, whose_turn
from meadhall import replay

AXES = "axes-and-allies"
_UNREACHABLE = ("net::ERR_", "503", "Failed to fetch", "network error", "SSE reconnect failed", "when fetching the script")


@pytest.fixture
def own_hall(tmp_path: Path) -> Iterator[Hall]:
    """Start a hall for one test of Axes and Allies. Its bots don't move before the next start, so no match ends early."""
    hall = Hall(tmp_path / "hall", bot_pause=3600.0)
    hall.start(AXES)
    yield hall
    hall.stop()


@pytest.fixture
def visitors(browser: Browser, own_hall: Hall) -> Iterator[Callable[[], Person]]:
    """Return a function that creates people whose pages may lose the connection."""
    here: list[Person] = []

    def person() -> Person:
        here.append(Person(browser, own_hall.url))
        here[-1].allow(*_UNREACHABLE)
        return here[-1]

    yield person
    for each in here:
        each.leave()
    assert [fault for each in here for fault in each.faults] == []


def test_a_match_survives_a_stop_and_a_kill(own_hall: Hall, visitors: Callable[[], Person], tmp_path: Path) -> None:
    host, friend = visitors(), visitors()
    players = open_table(host, friend)
    for end in (own_hall.stop, own_hall.kill):
        actor = whose_turn(players)
        assert actor is not None
        actor.act(ally_first)
        actor = whose_turn(players)
        assert actor is not None
        events = actor.events

        end()
        for table in players:
            expect(table.page.locator("#toast")).to_contain_text("Connection lost")
        actor.choices.first.click()
        expect(actor.page.locator("#toast")).to_contain_text("didn't respond")
        expect(actor.page.locator("#toast")).to_contain_text("Connection lost")  # again, until the connection is back
        own_hall.start(AXES)

        for table in players:
            expect(table.page.locator("#toast")).to_have_text("Reconnected.", timeout=2 * PATIENCE)
            assert table.events == events
        assert whose_turn(players) is actor

    while (actor := whose_turn(players)) is not None:
        actor.act()
        for table in players:
            table.wait_for_event(actor.newest_event)
    assert players[0].events == players[1].events
    _verify(host, tmp_path)


def test_bots_continue_after_a_kill(own_hall: Hall, visitors: Callable[[], Person], tmp_path: Path) -> None:
    person = visitors()
    table = play_now(person)
    if table.my_turn:
        table.act(ally_first)
    before = table.events
    own_hall.kill()
    own_hall.bot_pause = 0.05
    own_hall.start(AXES)
    table.play_on()
    log = _verify(person, tmp_path)
    assert before == list(range(len(before)))
    assert len(log) > len(before), "it was the turn of a bot"


def _verify(person: Person, folder: Path) -> list[str]:
    """Download the record, verify it with the command, and return its events in words."""
    with person.page.expect_download() as download:
        person.page.get_by_role("link", name="Record", exact=True).click()
    download.value.save_as(folder / "match.json")
    verified = meadhall("verify", folder / "match.json")
    assert verified.returncode == 0, verified.stdout
    match = replay(json.loads((folder / "match.json").read_text(encoding="utf-8")))
    events = [*match.setup, *(event for step in match.steps for event in step.events)]
    return [match.game.words.event(event, match.names) for event in events]
