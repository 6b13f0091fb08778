"""The hall is stopped or killed: every page reconnects to the same table, bots play on, and accounts stay."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from browser.people import Person
from browser.server import QUICK, Hall
from browser.table import PATIENCE, Table, ally_first, open_table, play_now, whose_turn
from browser.test_accounts import Authenticator, keep_by_passkey
from meadhall import replay

_UNREACHABLE = ("net::ERR_", "503", "Failed to fetch", "network error", "SSE reconnect failed", "when fetching the script")


@pytest.fixture
def own_hall(tmp_path: Path) -> Iterator[Hall]:
    """Start a hall. Its bots don't move before the next start, so no match ends early."""
    hall = Hall(tmp_path / "hall", bot_pause=3600.0, command=QUICK)
    hall.start()
    yield hall
    hall.stop()


@pytest.fixture
def visitors(browser: Browser, own_hall: Hall) -> Iterator[Callable[[], Person]]:
    """Return a function that creates people whose pages may lose the connection."""
    here: list[Person] = []

    def person() -> Person:
        here.append(Person(browser, own_hall.url.replace("127.0.0.1", "localhost")))
        here[-1].allow(*_UNREACHABLE)
        return here[-1]

    yield person
    for each in here:
        each.leave()
    assert [fault for each in here for fault in each.faults] == []


@pytest.mark.slow("starts a hall three times")
def test_matches_and_accounts_survive_a_stop_and_a_kill(own_hall: Hall, visitors: Callable[[], Person]) -> None:
    host, friend, alone = visitors(), visitors(), visitors()
    players, against_bots = open_table(host, friend), play_now(alone)
    Authenticator(host)
    tab, host.page = host.page, host.context.new_page()
    Authenticator(host)
    keep_by_passkey(host, "Hallgerd")
    host.page, account = tab, host.page
    if against_bots.my_turn:
        against_bots.act(ally_first)
    before = against_bots.events

    _survive(own_hall, own_hall.stop, players, _act_meanwhile)
    own_hall.bot_pause = 0.0
    _survive(own_hall, own_hall.kill, players)
    while (actor := whose_turn(players)) is not None:
        actor.act()
        for table in players:
            table.wait_for_event(actor.newest_event)
    assert players[0].events == players[1].events
    _verified_log(host, players[0])

    against_bots.play_on()
    assert before == list(range(len(before)))
    assert len(_verified_log(alone, against_bots)) > len(before), "it was the turn of a bot"

    account.goto("/account")
    expect(account.get_by_label("Your name")).to_have_value("Hallgerd")


def _act_meanwhile(actor: Table) -> None:
    """A choice without a connection is told to have failed, and then the page says again that there is none."""
    actor.choices.first.click()
    expect(actor.page.locator("#toast")).to_contain_text("didn't respond")
    expect(actor.page.locator("#toast")).to_contain_text("Connection lost")


def _survive(
    hall: Hall, end: Callable[[], int], players: list[Table], meanwhile: Callable[[Table], None] = lambda _actor: None
) -> None:
    """End the hall in the middle of a match and start it again: the pages reconnect by themselves, and nothing is lost."""
    actor = whose_turn(players)
    assert actor is not None
    actor.act(ally_first)
    actor = whose_turn(players)
    assert actor is not None
    events = actor.events

    end()
    for table in players:
        expect(table.page.locator("#toast")).to_contain_text("Connection lost")
    meanwhile(actor)
    hall.start()

    for table in players:
        expect(table.page.locator("#toast")).to_have_text("Reconnected.", timeout=2 * PATIENCE)
        assert table.events == events
    assert whose_turn(players) is actor


def _verified_log(person: Person, table: Table) -> list[str]:
    """Return the events of the match in words, from its record, which is verified."""
    match = replay(person.context.request.get(f"{table.path}/record").json())
    events = [*match.setup, *(event for step in match.steps for event in step.events)]
    return [match.game.words.event(event, match.names) for event in events]
