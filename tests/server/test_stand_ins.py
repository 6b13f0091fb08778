"""Stand-ins: a bot takes over a person's seat, and the owner takes it back."""

from __future__ import annotations

from typing import Any

import pytest

import meadhall
from meadhall.server.errors import WrongMoment
from meadhall.server.hall import match_changes
from meadhall.server.hall.room import Room
from meadhall.server.hall.stand_ins import standing_in
from meadhall.server.settings import Settings
from meadhall.server.store import guests, tables
from server.matches import at_turn, match_of, stored
from server.people import HOARD, OpenHall, open_hall, play_out, until

pytestmark = pytest.mark.asyncio(loop_scope="module")


def let_bot_play(room: Room, seat: int, lasts: Any = "return", bot: str = "thrall") -> None:
    room.change(lambda draft: draft.add("stand_in", seat, data=standing_in("away", lasts, bot)))


async def test_a_bot_plays_for_the_owner_until_they_take_the_seat_back(hall: OpenHall) -> None:
    actor, other, room, _ = await at_turn(hall, HOARD)
    seat = match_of(room).actor
    assert seat is not None
    let_bot_play(room, seat)
    await until(room, lambda: len(match_of(room).steps) > 0)
    assert match_of(room).steps[0].bot == "thrall"
    assert room.table.seat_of(min(room.table.seats[seat].guests)) == seat, "the seat keeps its owner"
    page = (await actor.get(f"/tables/{room.table.id}")).text
    assert "A bot plays for you" in page
    assert 'id="return"' in page
    assert 'id="return"' not in (await other.get(f"/tables/{room.table.id}")).text
    assert "Thrall plays" in (await other.get(f"/tables/{room.table.id}")).text
    assert (await actor.ask(f"/tables/{room.table.id}/return")).status_code == 200
    assert match_of(room).stand_ins == {}
    kinds = [kind for kind, _seat, _value in stored(hall, room)]
    assert [kind for kind in kinds if kind != "action"] == ["stand_in", "return"]
    people = {seat: actor, 1 - seat: other}
    await play_out(room, people)
    record = match_of(room).record()
    assert [each["kind"] for each in record["seats"]] == ["human", "human"]
    assert [each.get("bot") for each in record["actions"]].count("thrall") >= 1
    assert record["actions"][-1].get("bot") is None
    assert meadhall.replay(record).record() == record


async def test_while_a_bot_plays_the_owner_decides_nothing(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    actor, _, room, action = await at_turn(hall, HOARD)
    seat = match_of(room).actor
    assert seat is not None
    monkeypatch.setattr(room.bots, "play", lambda: None)
    let_bot_play(room, seat)
    table = f"/tables/{room.table.id}"
    for answer in (await actor.act(room.table.id, action), await actor.ask(f"{table}/hint"), await actor.ask(f"{table}/undo")):
        assert (answer.status_code, answer.json()["reason"]) == (409, "A bot plays for you. Take your seat back first.")
    assert 'data-turn="no"' in (await actor.get(table)).text
    assert "Waiting" not in (await actor.get("/")).text or "Your turn" not in (await actor.get("/")).text
    assert (await actor.ask(f"{table}/return")).status_code == 200
    assert (await actor.act(room.table.id, action)).status_code == 200


async def test_a_repeated_return_changes_nothing_and_a_spectator_has_none(hall: OpenHall) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    for _again in range(2):
        assert (await actor.ask(f"/tables/{room.table.id}/return")).status_code == 200
    assert stored(hall, room) == []
    assert (await hall.person().ask(f"/tables/{room.table.id}/return")).status_code == 403


async def test_a_stand_in_for_one_decision_ends_with_it(hall: OpenHall) -> None:
    _, _, room, _ = await at_turn(hall, HOARD)
    seat = match_of(room).actor
    assert seat is not None
    let_bot_play(room, seat, "decision")
    await until(room, lambda: len(match_of(room).steps) > 0)
    assert match_of(room).steps[0].bot == "thrall"
    assert match_of(room).stand_ins == {}


async def test_a_stand_in_plays_on_after_a_restart_and_the_owner_returns(settings: Settings, at_once: None) -> None:
    async with open_hall(settings) as hall:
        actor, _, room, _ = await at_turn(hall, HOARD)
        seat, table = match_of(room).actor, room.table.id
        assert seat is not None
        room.bots.play = lambda: None  # type: ignore[method-assign]  # the restart comes before the bot's decision
        let_bot_play(room, seat)
        cookies = dict(actor.http.cookies)
    async with open_hall(settings) as hall:
        room = await hall.room(table)
        await until(room, lambda: len(match_of(room).steps) > 0)
        assert match_of(room).steps[0].bot == "thrall"
        owner = hall.person()
        owner.http.cookies.update(cookies)
        assert (await owner.ask(f"/tables/{table}/return")).status_code == 200
        before = match_of(room)
    async with open_hall(settings) as hall:
        again = match_of(await hall.room(table))
        assert (again.stand_ins, again.record()) == ({}, before.record())


async def test_a_hall_resumes_a_match_of_people_in_which_a_bot_stands_in(settings: Settings, at_once: None) -> None:
    """Nobody opens its page: the bot has to be found when the hall starts."""
    async with open_hall(settings) as hall:
        _, _, room, _ = await at_turn(hall, HOARD)
        seat, table = match_of(room).actor, room.table.id
        assert seat is not None
        room.bots.play = lambda: None  # type: ignore[method-assign]
        let_bot_play(room, seat)
    async with open_hall(settings) as hall:
        assert table in hall.store.transact(tables.running_with_bots, HOARD)


async def test_a_program_sees_the_stand_in_and_takes_its_seat_back(hall: OpenHall) -> None:
    one, _two, table = await hall.two_programs("axes-and-allies")
    room = await hall.room(table)
    room.bots.play = lambda: None  # type: ignore[method-assign]
    let_bot_play(room, 0)
    info = (await one.read(f"/tables/{table}")).json()
    assert [seat["stand_in"] for seat in info["seats"]] == ["thrall", None]
    assert (await one.read(f"/tables/{table}/legal")).json() == []
    info = (await one.post(f"/tables/{table}/return")).json()
    assert [seat["stand_in"] for seat in info["seats"]] == [None, None]


async def test_one_of_three_who_resigned_keeps_the_seat_but_never_returns(hall: OpenHall) -> None:
    host, _, room = await hall.three_at()
    table = f"/tables/{room.table.id}"
    assert (await host.ask(f"{table}/resign")).status_code == 200
    assert room.table.seats[0].kind == "human"
    answer = await host.ask(f"{table}/return")
    assert (answer.status_code, answer.json()["reason"]) == (409, "You have resigned. A bot plays your seat to the end.")
    page = (await host.get(table)).text
    assert "You have resigned" in page
    assert 'id="return"' not in page
    assert 'id="resign"' not in page
    assert (await host.ask(f"{table}/resign")).status_code == 409


async def test_the_return_is_refused_after_the_end(hall: OpenHall) -> None:
    room = await hall.played_out()
    with pytest.raises(WrongMoment, match="over"):
        room.change(match_changes.take_back_seat, _guest(hall, room))


def _guest(hall: OpenHall, room: Room) -> Any:
    return hall.store.transact(guests.find, min(room.table.seats[0].guests))
