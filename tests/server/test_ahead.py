"""Decide ahead: a waiting player chooses their next action, which is played when their decision begins."""

from __future__ import annotations

import re
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from difflib import unified_diff
from typing import Any

import pytest

from games_for_tests.hoard.rules import BOAST, DRAW, LOOK
from meadhall.engine.state import chance
from meadhall.games.axes_and_allies.rules import ATTACK
from meadhall.server.hall import match_changes
from meadhall.server.hall.room import Room
from meadhall.server.hall.stand_ins import standing_in
from meadhall.server.settings import Settings
from meadhall.server.store import guests
from meadhall.server.store.models import SIGNS, EntryKind
from server.leaks import all_responses, comparable, guest_of
from server.manual_time import ManualTime
from server.matches import match_of, stored, undo
from server.people import HOARD, OpenHall, Person, Visitor, open_hall, stream

pytestmark = pytest.mark.asyncio(loop_scope="module")

CANCEL = "Tap again to cancel"


async def choose(person: Person, room: Room, action: int | str, n: int | None = None) -> Any:
    """Choose an action ahead; "" revokes the choice."""
    number = {} if n is None else {"n": str(n)}
    return await person.ask(f"/tables/{room.table.id}/ahead", {"action": str(action)} | number)


async def clocked(hall: OpenHall) -> tuple[Person, Person, Room]:
    """Start a match of two people with a clock."""
    ada, bo = hall.person(), hall.person("10.0.0.2")
    table = await ada.open(HOARD)
    assert (await ada.ask(f"/tables/{table}/clock", {"clock": "seat:300"})).status_code == 200
    await bo.ask(f"/tables/{table}/seats", {"set": "sit"})
    assert (await ada.ask(f"/tables/{table}/start")).status_code == 200
    return ada, bo, await hall.room(table)


def chosen(room: Room) -> dict[int, int]:
    return dict(room.state.intentions.chosen)


def played(room: Room) -> list[tuple[int, int]]:
    return [(step.seat, step.action) for step in match_of(room).steps]


def unheld(room: Room, seat: int) -> int:
    """Return the action of a card that the seat doesn't hold, so that it can't be played."""
    return next(card for card in range(DRAW) if card + 1 not in match_of(room).states["hand"][0, seat].tolist())


async def page_of(person: Person, room: Room) -> str:
    return (await person.get(f"/tables/{room.table.id}")).text


async def test_what_was_chosen_ahead_is_played_when_the_decision_begins(hall: OpenHall) -> None:
    ada, bo, room = await hall.two_at(HOARD)
    assert (await choose(bo, room, BOAST, 1)).status_code == 200
    assert played(room) == []
    page = await page_of(bo, room)
    assert f"You will boast. {CANCEL}." in page
    assert 'id="revoke"' in page
    await ada.act(room.table.id, LOOK)
    assert played(room) == [(0, LOOK)], "it is still her turn"
    await ada.act(room.table.id, DRAW)
    assert played(room) == [(0, LOOK), (0, DRAW), (1, BOAST)]
    assert match_of(room).actor == 1, "the next decision is not decided"
    assert CANCEL not in await page_of(bo, room)
    assert stored(hall, room)[0] == ("ahead", 1, BOAST)


async def test_two_players_may_both_have_decided_ahead(hall: OpenHall) -> None:
    ada, bo, room = await hall.two_at(HOARD)
    await choose(bo, room, DRAW)
    await ada.act(room.table.id, DRAW)
    assert played(room) == [(0, DRAW), (1, DRAW)]
    await ada.act(room.table.id, BOAST)
    await ada.act(room.table.id, DRAW)
    await choose(ada, room, DRAW)
    await bo.act(room.table.id, DRAW)
    assert played(room)[-2:] == [(1, DRAW), (0, DRAW)]


async def test_what_is_not_legal_then_is_dropped_and_the_page_says_why(hall: OpenHall) -> None:
    ada, bo, room = await hall.two_at(HOARD)
    await choose(bo, room, unheld(room, 1))
    await ada.act(room.table.id, DRAW)
    assert played(room) == [(0, DRAW)]
    assert chosen(room) == {}
    why = "What you had chosen ahead isn&#39;t possible now: "
    assert why in await page_of(bo, room)
    for other in (ada, hall.person()):
        assert why not in await page_of(other, room)
    await bo.act(room.table.id, BOAST)
    assert why not in await page_of(bo, room)


async def test_a_choice_is_revoked_or_replaced_by_another(hall: OpenHall) -> None:
    ada, bo, room = await hall.two_at(HOARD)
    await choose(bo, room, BOAST)
    await choose(bo, room, BOAST)
    assert [kind for kind, _, _ in stored(hall, room)] == ["ahead"], "a repeated request changes nothing"
    await choose(bo, room, DRAW)
    assert chosen(room) == {1: DRAW}
    for _ in range(2):
        assert (await choose(bo, room, "")).status_code == 200
    assert chosen(room) == {}
    assert CANCEL not in await page_of(bo, room)
    await ada.act(room.table.id, DRAW)
    assert played(room) == [(0, DRAW)]


async def test_an_undo_revokes_what_was_chosen_ahead(hall: OpenHall) -> None:
    ada, bo, room = await hall.two_at(HOARD)
    await ada.act(room.table.id, BOAST)
    await choose(bo, room, DRAW)
    assert (await undo(ada, room)).status_code == 200
    assert chosen(room) == {}
    assert (await choose(bo, room, DRAW, 1)).status_code == 409, "meant for the position before the undo"
    assert chosen(room) == {}


@pytest.mark.parametrize("end", ["resign", "stand-in", "pause"])
async def test_the_end_of_the_seat_a_stand_in_and_a_pause_revoke_it(hall: OpenHall, end: str) -> None:
    ada, bo, room = await hall.three_at(HOARD)
    del ada
    await choose(bo, room, DRAW)
    if end == "resign":
        await bo.ask(f"/tables/{room.table.id}/resign")
    else:
        kind: EntryKind = "pause" if end == "pause" else "stand_in"
        room.change(lambda draft: draft.add(kind, 1, data=standing_in("away")))
    assert chosen(room) == {}
    if end == "stand-in":
        assert (await choose(bo, room, DRAW)).status_code == 409


async def test_nothing_can_be_chosen_ahead_during_a_pause(hall: OpenHall) -> None:
    _ada, bo, room = await clocked(hall)
    assert (await choose(bo, room, DRAW)).status_code == 200
    room.change(lambda draft: draft.add("pause", 0))
    assert (await choose(bo, room, DRAW)).status_code == 409
    assert chosen(room) == {}


async def test_it_takes_no_time_and_counts_as_confirmed(settings: Settings, at_once: None) -> None:
    async with open_hall(settings, time=ManualTime()) as hall:
        ada, bo, room = await clocked(hall)
        table = room.table.id
        answer = await bo.ask(f"/tables/{table}/ahead", {"action": str(DRAW), "sure": "no"})
        assert answer.status_code == 200, answer.text
        await hall.time.advance(5.0)
        await ada.act(table, DRAW)
        assert [step.seconds for step in match_of(room).steps] == [5.0, 0.0]


async def test_what_arrives_after_the_decision_has_begun_is_played(hall: OpenHall) -> None:
    ada, bo, room = await hall.two_at(HOARD)
    seen = match_of(room).next_number
    await ada.act(room.table.id, DRAW)
    assert (await choose(bo, room, BOAST, seen)).status_code == 200
    assert played(room) == [(0, DRAW), (1, BOAST)]
    late = await choose(bo, room, BOAST, seen)
    assert late.status_code == 409, "it was meant for the decision before"
    assert (await choose(bo, room, unheld(room, 1))).status_code == 422


async def test_only_a_waiting_player_chooses_and_only_what_the_game_offers(hall: OpenHall) -> None:
    ada, bo, room = await hall.two_at(HOARD)
    assert (await choose(hall.person(), room, DRAW)).status_code == 403
    for action, status in (("x", 400), ("99", 400), ("-1", 400)):
        assert (await choose(bo, room, action)).status_code == status
    axes_ada, axes_bo, axes = await hall.two_at()
    del ada, axes_ada
    seat = match_of(axes).actor
    other = axes_bo if seat == 0 else None
    if other is not None:
        refused = await choose(other, axes, ATTACK + 1)
        assert refused.status_code == 409
        assert "attack" in refused.json()["reason"]
    assert chosen(room) == chosen(axes) == {}


async def test_it_survives_a_restart(settings: Settings, at_once: None) -> None:
    async with open_hall(settings) as before:
        ada, bo, room = await before.two_at(HOARD)
        await choose(bo, room, DRAW)
        table, cookies = room.table.id, dict(ada.http.cookies)
    async with open_hall(settings) as after:
        room = await after.room(table)
        assert chosen(room) == {1: DRAW}
        ada = after.person()
        ada.http.cookies.update(cookies)
        await ada.act(table, DRAW)
        assert played(room) == [(0, DRAW), (1, DRAW)]
    async with open_hall(settings) as again:
        assert played(await again.room(table)) == [(0, DRAW), (1, DRAW)]


async def test_programs_choose_ahead_too_and_only_they_see_it(hall: OpenHall) -> None:
    ada, bo, table = await hall.two_programs()
    answer = await bo.post(f"/tables/{table}/ahead", {"action": DRAW, "n": 1})
    assert (answer.status_code, answer.json()["intended"]) == (200, DRAW)
    for other in (ada, await hall.program("Eve")):
        assert (await other.read(f"/tables/{table}")).json()["intended"] is None
    assert (await bo.post(f"/tables/{table}/ahead", {"action": None})).json()["intended"] is None
    await bo.post(f"/tables/{table}/ahead", {"action": DRAW})
    assert (await ada.act(table, DRAW)).json()["view"]["next"] == 3
    assert (await ada.post(f"/tables/{table}/ahead", {"action": "x"})).status_code == 400


async def told(settings: Settings, secretly: bool) -> list[str]:
    """Return what everyone else receives of a match in which the player on seat 0 decides ahead, ``secretly`` or not."""
    time = ManualTime()
    time.set_date(datetime(2026, 11, 27, 20, 0, tzinfo=UTC))
    async with open_hall(settings, time=time) as hall, AsyncExitStack() as streams:
        ada, bo, eve = people = [hall.person(f"10.0.1.{k}") for k in range(3)]
        for person, name, sign in zip(people, ("Ada", "Bo", "Eve"), SIGNS, strict=False):
            await person.post("/settings", {"name": name, "sign": sign, "colour": "blue"})
        table = await ada.open(HOARD)
        await bo.ask(f"/tables/{table}/seats", {"set": "sit"})
        await ada.ask(f"/tables/{table}/start")
        room, program, watcher = await hall.room(table), await hall.program("Bo"), await hall.program("Eve")
        found = hall.store.transact(guests.find, guest_of(hall, program))
        assert found is not None
        room.change(match_changes.carry_seat, 1, found)
        await ada.act(table, DRAW)
        clients: list[tuple[Visitor, str, str]] = [(program, f"/api/v1/tables/{table}/events", "")]
        clients += [(each, f"/tables/{table}/stream", page) for each in (bo, eve) for page in ("", "page")]
        live = [await streams.enter_async_context(stream(*client)) for client in clients]
        own = await streams.enter_async_context(stream(ada, f"/tables/{table}/stream"))
        heard: list[str] = []

        async def wait() -> None:
            for _ in range(3):
                await time.advance(1.0)
                for k, each in enumerate(live):
                    while each.waiting:
                        heard.append(f"{time.seconds()} {k} {await each.message()}")

        await wait()
        for action in (DRAW, BOAST, "", unheld(room, 0)):
            if secretly:
                assert (await choose(ada, room, action)).status_code == 200
                assert own.waiting
            await wait()
        assert len({each.split()[1] for each in heard}) == len(live), "every stream has said something"
        for person, robot in ((bo, program), (eve, watcher)):
            heard += await all_responses(person, robot, table)
        await bo.act(table, DRAW)
        await wait()
        for person, robot in ((bo, program), (eve, watcher)):
            heard += await all_responses(person, robot, table)
        links = [table, *(row.link_token for row in room.table.seats)]
        return [masked(each, links) for each in heard]


def masked(text: str, links: list[str]) -> str:
    for each in links:
        text = text.replace(each, "an-id")
    random = r'retry: \d+|data-mark="[^"]+"|class="qr-dark"[^>]+|expires=[^;]+|data-person="[^"]+"'
    return comparable(re.sub(random, "", text))


@pytest.mark.asyncio
async def test_others_learn_nothing_of_a_choice_that_is_not_played(
    settings: Settings, elsewhere: Settings, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chance, "new_seed", lambda: b"the same seed in both halls")
    plain, secret = await told(settings, secretly=False), await told(elsewhere, secretly=True)
    assert len(plain) == len(secret)
    for one, other in zip(plain, secret, strict=True):
        before, after = (each.replace("<", "\n<").splitlines() for each in (one, other))
        assert list(unified_diff(before, after, lineterm="", n=0)) == []
