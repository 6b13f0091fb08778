"""Undo: a seat takes back its last decision, with the moves of bots since then, as long as nothing has come to light."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

import meadhall
from games_for_tests.hoard.rules import BOAST, LOOK
from meadhall.engine import chance
from meadhall.engine.match import Match
from meadhall.server.hall.room import Room
from meadhall.server.settings import Settings
from meadhall.server.store.models import Entry
from server.matches import at_turn, match_of, stored, undo
from server.people import HOARD, OpenHall, Person, open_hall, play_out

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_an_action_that_revealed_nothing_is_undone_and_its_number_is_not_used_again(hall: OpenHall) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    await actor.act(room.table.id, BOAST, 1)
    assert (await undo(actor, room, 1)).status_code == 200
    assert match_of(room).steps == []
    assert (await actor.act(room.table.id, BOAST, 2)).status_code == 200
    assert [step.n for step in match_of(room).steps] == [2]
    assert await stored(hall, room) == [("action", 0, BOAST), ("undo", 0, 1), ("action", 0, BOAST)]


async def test_an_undo_survives_a_restart(settings: Settings, at_once: None) -> None:
    async with open_hall(settings) as before:
        actor, other, room, _ = await at_turn(before, HOARD)
        for _ in range(2):
            await actor.act(room.table.id, BOAST)
            await undo(actor, room)
        await actor.act(room.table.id, LOOK)
        table, record = room.table.id, match_of(room).record(0)
        cookies = [dict(person.http.cookies) for person in (actor, other)]
    async with open_hall(settings) as after:
        again = await after.room(table)
        assert match_of(again).record(0) == record
        people = [after.person(), after.person()]
        for person, kept in zip(people, cookies, strict=True):
            person.http.cookies.update(kept)
        assert [step.n for step in match_of(again).steps] == [3]
        await play_out(again, dict(enumerate(people)))
        complete = match_of(again).record()
        assert [undone["actions"][0]["n"] for undone in complete["undone"]] == [1, 2]
        assert meadhall.replay(complete).result() == match_of(again).result()


async def test_an_action_that_revealed_something_cannot_be_undone(hall: OpenHall) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    await actor.act(room.table.id, LOOK)
    answer = await undo(actor, room)
    assert (answer.status_code, answer.json()["error"]) == (409, "cannot-undo")
    assert "revealed" in answer.json()["reason"]


async def test_only_a_seat_that_has_decided_can_undo_and_only_the_decision_that_its_page_shows(hall: OpenHall) -> None:
    actor, other, room, _ = await at_turn(hall, HOARD)
    assert "decided anything yet" in (await undo(actor, room)).json()["reason"]
    await actor.act(room.table.id, BOAST)
    assert "decided anything yet" in (await undo(other, room)).json()["reason"]
    assert (await undo(hall.person(), room)).status_code == 403
    assert (await undo(actor, room, 2)).json()["error"] == "stale"
    assert (await undo(actor, room, 1)).status_code == 200


async def test_after_the_match_nothing_can_be_undone(hall: OpenHall) -> None:
    """Its seed has been published by then."""
    host, friend, room = await hall.two_at(HOARD)
    await play_out(room, {0: host, 1: friend})
    match = match_of(room)
    before = match.steps[-1].before.copy()
    before["reveals"] = match.states["reveals"]  # as if the last action had revealed nothing
    match.steps[-1] = replace(match.steps[-1], before=before)
    last = (host, friend)[match.steps[-1].seat]
    answer = await undo(last, room)
    assert (answer.status_code, answer.json()["error"]) == (409, "over")
    assert match_of(room).over


def revealing(match: Match, *, revealed: bool) -> int | None:
    """Return a legal action that reveals something, or one that reveals nothing and ends the turn; None if there is none."""
    for each in match.legal():
        copy = match.copy()
        copy.play(each)
        if not copy.over and copy.reveals(len(copy.steps) - 1) == revealed and (revealed or copy.actor != match.actor):
            return each.action
    return None


def plan(game: str, players: int, *revealed: bool) -> tuple[bytes, list[int]]:
    """Return a seed of a game, and actions whose last ones reveal something or nothing. The first of these is seat 0's."""
    for number in range(100):
        match = meadhall.game(game).match(players=players, seed=f"undo {number}")
        while not match.over and len(match.steps) < 60:
            copy = match.copy()
            for wanted in revealed if match.actor == 0 else ():
                action = revealing(copy, revealed=wanted) if not copy.over else None
                if action is None:
                    break
                copy.play(action)
            if len(copy.steps) == len(match.steps) + len(revealed):
                return match.seed, [step.action for step in copy.steps]
            match.play(match.legal()[0])
    raise AssertionError("there is no such seed")


@asynccontextmanager
async def slow_bots(settings: Settings, monkeypatch: pytest.MonkeyPatch, seed: bytes, bots: int) -> AsyncIterator[Any]:
    """Open a match of Dungeon Allies against bots that think for minutes, so that the test can play for them."""
    monkeypatch.setattr(chance, "new_seed", lambda: seed)
    async with open_hall(replace(settings, bot_pause=600.0)) as hall:
        person = hall.person()
        table = await person.ask("/tables", {"game": "dungeon-allies", "kind": "bots", "players": str(1 + bots)})
        assert table.status_code == 201, table.text
        yield hall, person, await hall.room(table.json()["id"])


async def play(person: Person, room: Room, action: int) -> None:
    """Play an action of seat 0, the person's, or of a bot."""
    seat = match_of(room).actor
    assert seat is not None
    if seat == 0:
        assert (await person.act(room.table.id, action)).status_code == 200
        return

    def bot_plays(match: Match) -> Entry:
        match.play(action, seat)
        return Entry(room.entry_count + 1, "action", seat, action)

    await room.append(bot_plays)


async def test_an_undo_takes_back_the_moves_of_bots_too(
    settings: Settings, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed, actions = plan("dungeon-allies", 3, False, False, False)
    async with slow_bots(settings, monkeypatch, seed, bots=2) as (hall, person, room):
        for action in actions[:-3]:
            await play(person, room, action)
        before, first = match_of(room).states, match_of(room).next_number
        await person.act(room.table.id, actions[-3])
        page = (await person.get(f"/tables/{room.table.id}")).text
        for action in actions[-2:]:
            await play(person, room, action)
        shown = re.search(r'name="n" value="(\d+)"><button id="undo"', page)
        assert shown, page
        assert int(shown[1]) == first, "a page from before the bots' moves means the same decision"
        assert (await undo(person, room, first)).status_code == 200
        match = match_of(room)
        assert (match.states == before).all()
        assert [step.n for step in match.undone[-1].steps] == [first, first + 1, first + 2]
        await person.act(room.table.id, actions[-3])
        assert match_of(room).steps[-1].n == first + 3, "numbers are never used again"
        assert (await stored(hall, room))[-2] == ("undo", 0, 3)
        record = match_of(room).record(abandoned="enough")
        assert len(record["undone"][-1]["actions"]) == 3
        assert meadhall.replay(record).record() == record


@pytest.mark.parametrize("revealed", [(True,), (False, True)], ids=["you", "bot"])
async def test_an_undo_past_a_revelation_is_refused_with_that_reason(
    settings: Settings, at_once: None, monkeypatch: pytest.MonkeyPatch, revealed: tuple[bool, ...]
) -> None:
    seed, actions = plan("dungeon-allies", 2, *revealed)
    async with slow_bots(settings, monkeypatch, seed, bots=1) as (_, person, room):
        for action in actions:
            await play(person, room, action)
        reason = "your action rolled" if len(revealed) == 1 else f"{room.table.seats[1].name} has rolled dice"
        answer = await undo(person, room)
        assert (answer.status_code, answer.json()["error"]) == (409, "cannot-undo")
        assert reason in answer.json()["reason"]
        assert reason in (await person.get(f"/tables/{room.table.id}")).text, "the button says so too"


async def test_an_undo_past_the_move_of_another_person_is_refused(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    seed, actions = plan("dungeon-allies", 2, False, False)
    monkeypatch.setattr(chance, "new_seed", lambda: seed)
    host, friend, room = await hall.two_at("dungeon-allies")
    people = {0: host, 1: friend}
    for action in actions:
        actor = match_of(room).actor
        assert actor is not None
        await people[actor].act(room.table.id, action)
    answer = await undo(host, room)
    assert (answer.status_code, "has moved since" in answer.json()["reason"]) == (409, True)
    assert (await undo(friend, room)).status_code == 200
    assert (await undo(host, room)).status_code == 200, "the friend's move is taken back"
