"""The hall is stopped, or dies, in the middle of a match: everybody is back at the same table by themselves."""

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
_UNREACHABLE = ("net::ERR_", "503", "Failed to fetch", "network error", "SSE reconnect failed")


@pytest.fixture
def own_hall(tmp_path: Path) -> Iterator[Hall]:
    """A hall for one test of Axes and Allies. Its bots do nothing before the next start: nothing is over before that."""
    hall = Hall(tmp_path / "hall", bot_pause=3600.0)
    hall.start(AXES)
    yield hall
    hall.stop()


@pytest.fixture
def visitors(browser: Browser, own_hall: Hall) -> Iterator[Callable[[], Person]]:
    """People who know that the hall is going to be out of reach for a while."""
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
        story = actor.told

        end()
        for table in players:
            expect(table.page.locator("#toast")).to_contain_text("Connection lost")
        actor.choices.first.click()
        expect(actor.page.locator("#toast")).to_contain_text("didn't respond")
        own_hall.start(AXES)

        for table in players:
            expect(table.page.locator("#toast")).to_have_text("Reconnected.", timeout=2 * PATIENCE)
            assert table.told == story
        assert whose_turn(players) is actor

    while (actor := whose_turn(players)) is not None:
        actor.act()
        for table in players:
            table.wait_for_news(actor.news)
    assert players[0].told == players[1].told
    _verify(host, tmp_path)


def test_bots_go_on_after_a_kill(own_hall: Hall, visitors: Callable[[], Person], tmp_path: Path) -> None:
    person = visitors()
    table = play_now(person)
    if table.my_turn:
        table.act(ally_first)
    before = table.story
    own_hall.kill()
    own_hall.bot_pause = 0.05
    own_hall.start(AXES)
    table.play_on()
    story = _verify(person, tmp_path)
    assert before.items() <= dict(enumerate(story)).items()
    assert len(story) > len(before), "it is a bot whose turn it was"


def _verify(person: Person, folder: Path) -> list[str]:
    """All that happened, in words, from the record that the page gives out, which the command verifies."""
    with person.page.expect_download() as download:
        person.page.get_by_role("link", name="Record", exact=True).click()
    download.value.save_as(folder / "match.json")
    verified = meadhall("verify", folder / "match.json")
    assert verified.returncode == 0, verified.stdout
    match = replay(json.loads((folder / "match.json").read_text(encoding="utf-8")))
    happened = [*match.setup, *(event for step in match.steps for event in step.events)]
    return [match.game.words.event(event, match.names) for event in happened]
