"""One table: acting, changes that can't be stored, resigning."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

import meadhall
from games_for_tests.hoard.rules import BOAST, LOOK
from meadhall.server.hall import move
from meadhall.server.hall.notices.pubsub import Subscriber
from meadhall.server.hall.room import Room
from meadhall.server.hall.state import TableState
from meadhall.server.settings import Settings
from meadhall.server.store import tables
from server.matches import at_turn, match_of, stored
from server.people import HOARD, OpenHall, open_hall, until
from server.rows import save

pytestmark = pytest.mark.asyncio(loop_scope="module")


# ------------------------------------------------------------------------------------------------------------------------ acting


async def test_an_action_is_stored_before_it_is_published(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    actor, _, room, action = await at_turn(hall)
    seat = match_of(room).actor
    seen: list[tuple[int, int]] = []
    store = move._store

    def observed(room: Room, draft: TableState) -> None:
        store(room, draft)
        seen.append((room.version, len(match_of(room).steps)))

    monkeypatch.setattr(move, "_store", observed)
    version = room.version
    assert (await actor.act(room.table.id, action, 1)).status_code == 200
    assert seen == [(version, 0)], "nothing is published before the commit"
    assert room.version > version
    assert stored(hall, room) == [("action", seat, action)]


def everything_of(room: Room) -> tuple[Any, ...]:
    """Return what a room has and shows, with what its match contains."""
    match, clocks = match_of(room), room.state.clocks
    of_match = match.states.tobytes(), tuple(match.steps), tuple(match.undone), dict(match.stand_ins), match.abandoned
    return room.state, vars(room.state).copy(), of_match, clocks, room.version


def is_told(page: Subscriber) -> bool:
    """Return whether a page has been told of a change."""
    return page._is_outdated


async def test_a_change_that_cannot_be_stored_changes_nothing_but_its_draft(hall: OpenHall) -> None:
    host, _, room = await hall.three_at(HOARD)
    path, version = f"/tables/{room.table.id}", room.table.version
    changes: list[tuple[str, dict[str, str]]] = [("act", {"action": str(BOAST), "n": "1"}), ("hint", {}), ("resign", {})]
    with room.channel.subscribe("") as page:
        await page.wait(1)
        before = everything_of(room)
        trigger = "CREATE TRIGGER fault AFTER INSERT ON match_entries BEGIN INSERT INTO missing VALUES (1); END"  # as a bad disk
        hall.store.transact(lambda db: db.run(trigger))
        for name, form in (*changes, ("propose", {"what": "draw"})):
            answer = await host.ask(f"{path}/{name}", form)
            assert (answer.status_code, answer.json()["error"]) == (503, "database-away"), name
            assert everything_of(room) == before, name
        assert not is_told(page), "no page learns of it"
        hall.store.transact(lambda db: db.run("DROP TRIGGER fault"))
        assert stored(hall, room) == []
        table = hall.store.transact(tables.find, room.table.id)
        assert table is not None
        assert (table, table.version) == (room.table, version)
        assert (await host.act(room.table.id, BOAST, 1)).status_code == 200
        assert is_told(page)


async def test_of_two_actions_with_the_same_number_the_second_is_stale(hall: OpenHall) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    answers = await asyncio.gather(actor.act(room.table.id, BOAST, 1), actor.act(room.table.id, LOOK, 1))
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    (loser,) = [answer for answer in answers if answer.status_code == 409]
    assert loser.json()["error"] == "stale"
    assert len(stored(hall, room)) == 1


# ------------------------------------------------------------------------------------------------- changes beside the room


async def test_a_change_of_the_table_beside_its_room_is_known_and_shown_at_once(hall: OpenHall) -> None:
    host, _, room = await hall.two_at(HOARD)
    with room.channel.subscribe("") as page:
        await page.wait(1)
        renamed = save(hall.store, room.table.replace_seat(replace(room.table.seats[1], name="Ulrika")))
        hall.hall.note_changes([room.table.id])
        assert room.table == renamed
        assert match_of(room).names[1] == "Ulrika"
        assert is_told(page)
    assert "Ulrika" in (await host.get(f"/tables/{room.table.id}")).text


async def test_only_the_seat_learns_that_its_player_has_another_device(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(HOARD)
    row = room.table.seats[1]
    with room.channel.subscribe(min(room.table.seats[0].guests)) as other, room.channel.subscribe(min(row.guests)) as own:
        await other.wait(1)
        await own.wait(1)
        save(hall.store, room.table.replace_seat(replace(row, guests=row.guests | {"phone"})))
        hall.hall.note_changes([room.table.id])
        assert (is_told(own), is_told(other)) == (True, False)
    assert host is not friend


# --------------------------------------------------------------------------------------------------------------------- resigning


async def test_a_jarl_plays_on_for_one_of_three_who_resigns(hall: OpenHall) -> None:
    host, friend, room = await hall.three_at()
    name = room.table.seats[0].name
    assert (await host.ask(f"/tables/{room.table.id}/resign")).status_code == 200
    assert (room.table.status, room.table.outcome) == ("running", None)
    assert (room.table.seats[0].kind, room.table.seats[0].bot, room.table.seats[0].name) == ("human", None, name)
    await until(room, lambda: match_of(room).actor in (1, None))
    assert (await host.act(room.table.id, 0)).status_code == 409
    record = match_of(room).record()
    assert record["seats"][0] == {"name": name, "kind": "human"}, "the result counts for the owner"
    assert {action.get("bot") for action in record["actions"] if action["seat"] == 0} <= {"jarl"}
    assert friend is not host


async def test_the_match_is_abandoned_when_the_last_of_three_leaves(hall: OpenHall) -> None:
    host, friend, room = await hall.three_at()
    await friend.ask(f"/tables/{room.table.id}/resign")
    await host.ask(f"/tables/{room.table.id}/resign")
    assert room.table.status == "abandoned"
    assert room.bots.next_seat() is None
    answer = await host.act(room.table.id, 0)
    assert answer.status_code in (403, 409)
    record = (await host.get(f"/tables/{room.table.id}/record")).json()
    assert (record["abandoned"], record["result"], record["complete"]) == ("everybody left", None, True)
    assert "awarded" not in record
    assert meadhall.replay(record).commitment == record["commitment"]
    page = (await host.get(f"/tables/{room.table.id}")).text
    assert "given up" in page
    loaded = hall.store.transact(tables.find, room.table.id)
    assert loaded is not None
    assert (loaded.status, loaded.abandon_reason, loaded.outcome) == ("abandoned", "everybody left", None)


async def test_resigning_a_match_of_two_gives_the_other_the_win_everywhere(settings: Settings, at_once: None) -> None:
    async with open_hall(settings) as hall:
        actor, other, room, _ = await at_turn(hall)
        table = room.table.id
        loser, winner = (0, 1) if match_of(room).actor == 0 else (1, 0)
        names = [seat.name for seat in room.table.seats]
        assert f"{names[winner]} wins the match." in (await actor.get(f"/tables/{table}/propose")).text, "it says what happens"
        assert (await actor.ask(f"/tables/{table}/resign")).status_code == 200
        record = (await other.get(f"/tables/{table}/record")).json()
        assert (record["result"], record["abandoned"]) == (None, f"{names[loser]} resigned")
        assert (record["awarded"]["winners"], record["awarded"]["why"]) == ([winner], "resignation")
        assert meadhall.replay(record).record() == record
        cookies = dict(other.http.cookies)
    async with open_hall(settings) as hall:
        person = hall.person()
        person.http.cookies.update(cookies)
        stored = hall.store.transact(tables.find, table)
        assert stored is not None
        assert stored.outcome == {"winners": [winner], "scores": record["awarded"]["scores"], "why": "resignation"}
        assert f"{names[winner]} wins" in (await hall.person().get(f"/tables/{table}")).text
        page = (await person.get(f"/tables/{table}")).text
        assert "You win" in page
        assert "by resignation" in page
        assert 'id="rematch"' in page, "both still have their seats"
        assert f"{names[winner]} wins" in (await hall.person().get(f"/tables/{table}/replay?step=999")).text
        assert ">You win</span>" in (await person.get("/")).text
        assert "seed matches" in (await person.get(f"/tables/{table}/verify")).text
        assert match_of(await hall.room(table)).record() == record
        again = (await person.post(f"/tables/{table}/rematch")).headers["Location"].removeprefix("/tables/")
        rematch = hall.store.transact(tables.find, again)
        assert rematch is not None
        assert ([seat.name for seat in rematch.seats], rematch.outcome) == (names, None)


async def test_the_outcome_of_a_match_is_stored(hall: OpenHall) -> None:
    room = await hall.played_out()
    result = match_of(room).result()
    assert result is not None
    stored = hall.store.transact(tables.find, room.table.id)
    assert stored is not None
    places = match_of(room).places()
    assert places is not None
    expected = {"winners": list(result.winners), "scores": list(result.scores), "why": None, "reason": result.reason}
    assert stored.outcome == expected | {"places": list(places)}
