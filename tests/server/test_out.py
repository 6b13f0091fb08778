"""Test the page and the choices of a player who has dropped out of a match that goes on."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from random import Random
from typing import Any

import pytest

import meadhall
from meadhall.engine.match.telling import how_out
from meadhall.engine.state import chance
from meadhall.server.hall.room import Room
from meadhall.server.hall.stand_ins import is_out
from meadhall.server.hall.state import TableState
from meadhall.server.settings import Settings
from server.manual_time import ManualTime
from server.matches import match_of, stored
from server.people import AXES, OpenHall, Person, open_hall, until

VIKINGS = "viking-axes"


def let_play(room: Room, seat: int, action: int) -> None:
    room.change(lambda draft: draft.add("action", seat, action))


def play_until_out(room: Room, out: tuple[int, ...], chosen: Random) -> bool:
    """Let all seats play at random, whoever plays them, until these are out. Return False if the match is over before."""
    while not match_of(room).over:
        match = match_of(room)
        if all(is_out(match, seat) for seat in out):
            return True
        (seat, *_) = match.deciders
        let_play(room, seat, chosen.choice(match.legal(seat)).action)
    return False


async def table_of(hall: OpenHall, game: str, people: int, bots: int) -> tuple[list[Person], Room]:
    """Start a match of people on the first seats, and bots that play only if time passes."""
    persons = [hall.person(f"10.0.0.{k + 1}") for k in range(people)]
    table = await persons[0].open(game, people + bots)
    for person in persons[1:]:
        assert (await person.ask(f"/tables/{table}/seats", {"set": "sit"})).status_code == 200
    for seat in range(people, people + bots):
        await persons[0].ask(f"/tables/{table}/seats", {"seat": str(seat), "set": "bot:karl"})
    assert (await persons[0].ask(f"/tables/{table}/start")).status_code == 200
    return persons, await hall.room(table)


async def with_out(
    hall: OpenHall, game: str = AXES, people: int = 1, bots: int = 3, out: tuple[int, ...] = (0,)
) -> tuple[list[Person], Room]:
    """Start matches until of the people these, and no other, are out of one that goes on."""
    chosen = Random(1)
    while True:
        persons, room = await table_of(hall, game, people, bots)
        others = [seat for seat in range(people) if seat not in out]
        if play_until_out(room, out, chosen) and not any(is_out(match_of(room), seat) for seat in others):
            return persons, room


async def page_of(person: Person, room: Room) -> str:
    return unescape((await person.get(f"/tables/{room.table.id}")).text)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Return settings with which bots act only if much time passes."""
    return replace(settings, bot_pause=600.0)


@pytest.mark.parametrize(("game", "blow"), [(AXES, "hacks you to pieces"), (VIKINGS, "at you")])
async def test_a_player_who_is_out_is_told_so_in_the_words_of_the_game(
    hall: OpenHall, time: ManualTime, game: str, blow: str
) -> None:
    (person,), room = await with_out(hall, game)
    killer = next(step.seat for step in reversed(match_of(room).steps) if not is_dead(room, step.before, 0))
    page = await page_of(person, room)
    said = page.partition("You are out: ")[2].partition("</span>")[0]
    assert said.startswith(match_of(room).names[killer])
    assert said.endswith(f"{blow}.")
    for id in ("skip-to-end", "rematch", "another-game"):
        assert f'id="{id}"' in page
    for id in ("resign", "undo", "hint", "stand-in"):
        assert f'id="{id}"' not in page
    assert "You are out" not in await page_of(hall.person("10.0.0.9"), room), "a spectator"


def is_dead(room: Room, before: Any, seat: int) -> bool:
    is_out = room.game.is_out
    assert is_out is not None
    return is_out(room.game.state.at(before), seat)


@pytest.mark.parametrize("game", ["axxa", "dungeon-allies"])
async def test_where_no_player_drops_out_a_table_never_says_so(hall: OpenHall, time: ManualTime, game: str) -> None:
    (person,), room = await table_of(hall, game, 1, 1)
    chosen = Random(1)
    for _ in range(3):
        match = match_of(room)
        assert not any(is_out(match, seat) for seat in range(match.players))
        page = await page_of(person, room)
        assert "You are out" not in page
        assert 'id="skip-to-end"' not in page
        (seat, *_others) = match.deciders
        let_play(room, seat, chosen.choice(match.legal(seat)).action)


async def test_to_skip_to_the_end_lets_the_bots_play_the_same_match_without_pauses(
    hall: OpenHall, time: ManualTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chance, "new_seed", lambda: bytes(31) + b"\x07")
    played = []
    for skips in (False, True):
        (person,), room = await with_out(hall)
        before = len(stored(hall, room))
        if skips:
            began = time.seconds()
            for _again in range(2):
                assert (await person.ask(f"/tables/{room.table.id}/skip")).status_code == 200
            await until(room, lambda room=room: room.table.status == "over")  # type: ignore[misc]
            assert time.seconds() == began
        else:
            await hall.let_time_pass_until(lambda room=room: room.table.status == "over")  # type: ignore[misc]
        played.append(stored(hall, room)[before:])
    with_pauses, skipped = played
    assert skipped[0][0] == "skip"
    assert skipped[1:] == with_pauses
    assert {kind for kind, _, _ in with_pauses} == {"action"}


async def test_a_skip_lasts_over_a_restart(settings: Settings, at_once: None, time: ManualTime) -> None:
    async with open_hall(settings, time=time) as hall:
        (person,), room = await with_out(hall)
        room.bots.next_seat = lambda: None  # type: ignore[method-assign]
        assert (await person.ask(f"/tables/{room.table.id}/skip")).status_code == 200
        assert 'id="skip-to-end"' not in await page_of(person, room)
        assert "On to the end" in await page_of(person, room)
    async with open_hall(settings, time=time) as hall:
        began = time.seconds()
        room = await hall.room(room.table.id)
        await until(room, lambda: room.table.status == "over")
        assert time.seconds() == began


async def test_a_player_who_is_out_watches_or_leaves_while_other_people_play(hall: OpenHall, time: ManualTime) -> None:
    (dead, living), room = await with_out(hall, people=2, bots=2)
    table, before = f"/tables/{room.table.id}", stored(hall, room)
    for deed in ("skip", "rematch"):
        answer = await dead.ask(f"{table}/{deed}")
        assert (answer.status_code, "Other people still play." in answer.text) == (409, True), deed
    answer = await living.ask(f"{table}/skip")
    assert (answer.status_code, answer.json()["error"], answer.json()["reason"]) == (
        409,
        "wrong-moment",
        "The match is not over yet.",
    )
    assert (await hall.person("10.0.0.9").ask(f"{table}/skip")).status_code == 403
    assert stored(hall, room) == before
    page = await page_of(dead, room)
    assert "Watch on, or leave." in page
    assert 'id="another-game"' in page
    assert not any(f'id="{id}"' in page for id in ("skip-to-end", "rematch", "undo"))
    assert 'id="absent-0"' not in await page_of(living, room), "no bot has to play for a player who is out"


async def test_a_player_who_is_out_gives_up_and_takes_back_nothing(hall: OpenHall, time: ManualTime) -> None:
    (dead, _living), room = await with_out(hall, people=2, bots=2)
    table, before = f"/tables/{room.table.id}", stored(hall, room)
    for path, form in (("resign", {}), ("undo", {}), ("propose", {"what": "take-back"}), ("propose", {"what": "draw"})):
        answer = await dead.ask(f"{table}/{path}", form)
        assert answer.status_code == 409, path
        assert "out of the game" in answer.json()["reason"], path
    assert 'id="resign-yes"' not in (await dead.get(f"{table}/propose")).text
    assert stored(hall, room) == before


async def test_a_player_who_is_out_plays_again_while_the_bots_go_on(hall: OpenHall, time: ManualTime) -> None:
    (person,), room = await with_out(hall)
    answer = await person.post(f"/tables/{room.table.id}/rematch")
    assert answer.status_code == 303
    again = await hall.room(answer.headers["location"].rpartition("/")[2])
    assert (again.table.status, room.table.status) == ("running", "running")
    assert [seat.bot for seat in again.table.seats] == [seat.bot for seat in room.table.seats]
    await hall.let_time_pass_until(lambda: room.table.status == "over")
    assert room.table.rematch == again.table.id


async def test_an_undo_that_revives_a_player_ends_the_skipping(hall: OpenHall, time: ManualTime) -> None:
    _, room = await with_out(hall)
    draft: TableState = room.state.draft(time.now())
    draft.add("skip", 0)
    assert draft.is_skipped
    draft.add("undo", 0, len(match_of(room).steps))
    assert not draft.is_skipped


async def test_a_program_skips_to_the_end_as_a_page_does(hall: OpenHall, time: ManualTime) -> None:
    program, chosen = await hall.program(), Random(1)
    while True:
        table = await program.open(game=AXES, bots=["karl"] * 3)
        room = await hall.room(table["id"])
        if play_until_out(room, (0,), chosen):
            break
    assert (await program.post(f"/tables/{table['id']}/skip")).status_code == 200
    await until(room, lambda: room.table.status == "over")
    assert (await program.post(f"/tables/{table['id']}/skip")).status_code == 409


def test_a_game_that_tells_no_blow_says_nothing_of_it() -> None:
    match = meadhall.game("axes-and-allies").match(seed="mead", seats=["Gorm", "Björn", "Astrid"])
    match.play(2)
    assert how_out(match, 2) == "Björn hacks you to pieces"
    match.game = replace(match.game, elements=replace(match.game.elements, out=None))
    assert how_out(match, 2) == ""
