"""Undo: a seat takes back its last decision, with the moves of bots since then, as long as nothing has come to light."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import settings as profile, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule as step

import meadhall
from games_for_tests import least
from games_for_tests.hoard.rules import BOAST
from games_for_tests.least import legal, play as take, score
from meadhall.engine.errors import CannotUndo, MatchOver, Refused
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import Seat
from meadhall.engine.registry import registered
from meadhall.sdk import rule
from meadhall.server.errors import Stale
from meadhall.server.hall.move import UndoOffer, check_undo, undo_of
from meadhall.server.hall.room import Room
from meadhall.server.pages.picture import picture_of
from meadhall.server.settings import Settings
from meadhall.server.store import profiles
from meadhall.server.store.models import SeatRow, TableRow, new_link_token
from server.matches import at_turn, match_of, stored, undo
from server.people import HOARD, OpenHall, Person, open_hall

pytestmark = pytest.mark.asyncio(loop_scope="module")

ONE, TWO, SHOWN = range(3)
"""Actions of the game below. The third one reveals something."""


@rule
def setup(state: least.State, _players: int, _options: Any, _log: Any) -> None:
    state.stones = 40


@rule
def play(state: least.State, action: int, log: Any) -> None:
    take(state, action, log)
    if action == SHOWN:
        state.reveals += 1


STONES = replace(
    least.game,
    name="many-stones",
    max_players=3,
    rules=cast("Any", SimpleNamespace(setup=setup, legal=legal, play=play, score=score)),
)
"""A game in which every action ends the turn, and most reveal nothing."""


@pytest.fixture(scope="module", autouse=True)
def with_stones() -> Iterator[None]:
    with registered(STONES):
        yield


# --------------------------------------------------------------------------------------------------------------- the laws


@dataclass(frozen=True)
class Decision:
    """A decision of a match, as the law needs it."""

    number: int
    seat: int
    by_bot: bool
    reveals: bool
    before: bytes


class Undoing(RuleBasedStateMachine):
    """A match of two people, for whom bots sometimes play, and a bot: who may take back what."""

    def __init__(self) -> None:
        super().__init__()
        self.match = Match(STONES, seats=[Seat("Ada"), Seat("Bo"), Seat("Karl", "bot", "karl")], seed="undo")
        seats = tuple(
            SeatRow(k, seat.kind, seat.name, seat.bot, frozenset(), new_link_token()) for k, seat in enumerate(self.match.seats)
        )
        self.table = TableRow("t", STONES.name, 1, {}, "running", "", True, b"", datetime.now(UTC), seats)
        self.done: list[Decision] = []
        self.numbers = 0

    @precondition(lambda self: not self.match.over)
    @step(action=st.sampled_from([ONE, ONE, TWO, SHOWN]), stands_in=st.sampled_from([False, False, True]))
    def decide(self, action: int, stands_in: bool) -> None:
        seat, before = self.match.actor, self.match.states.tobytes()
        assert seat is not None
        action = min(action, len(self.match.legal()) - 1)
        self.match.play(action, seat, bot="karl" if stands_in and seat < 2 else None)
        self.numbers += 1
        assert self.match.steps[-1].n == self.numbers, "a number is never used again"
        self.done.append(Decision(self.numbers, seat, stands_in or seat == 2, action == SHOWN, before))

    def obstacle(self, seat: int) -> tuple[type[Refused], str] | None:
        """Return what stands in the way of an undo, the earliest first."""
        if self.match.over:
            return MatchOver, "the match is over"
        own = [k for k, each in enumerate(self.done) if each.seat == seat]
        if not own:
            return CannotUndo, "haven't decided anything"
        if self.done[own[-1]].by_bot and seat < 2:
            return CannotUndo, "a bot decided it for you"
        for each in self.done[own[-1] :]:
            if each.seat != seat and not each.by_bot:
                return CannotUndo, f"{self.match.names[each.seat]} has moved since"
            if each.reveals:
                return CannotUndo, "your action rolled" if each.seat == seat else f"{self.match.names[each.seat]} has rolled"
        return None

    @step(seat=st.integers(0, 2))
    def undo(self, seat: int) -> None:
        obstacle = self.obstacle(seat)
        offer = undo_of(self.match, self.table, seat)
        if obstacle is not None:
            error, words = obstacle
            assert offer.number is None
            assert words in offer.refusal
            with pytest.raises(error, match=words):
                check_undo(self.match, self.table, seat)
            return
        place = max(k for k, each in enumerate(self.done) if each.seat == seat)
        assert offer == UndoOffer(self.done[place].number)
        with pytest.raises(Stale):
            check_undo(self.match, self.table, seat, self.numbers + 1)
        count = check_undo(self.match, self.table, seat, offer.number)
        self.match.undo(count)
        assert self.match.states.tobytes() == self.done[place].before
        assert [each.n for each in self.match.undone[-1].steps] == [each.number for each in self.done[place:]]
        del self.done[place:]

    def teardown(self) -> None:
        record = self.match.record(abandoned=None if self.match.over else "enough")
        with registered(STONES):
            assert meadhall.replay(record).record() == record


TestUndoing = Undoing.TestCase
EXAMPLES = 100 if profile.default is None else profile.default.max_examples
TestUndoing.settings = profile(max_examples=EXAMPLES // 3, stateful_step_count=25)


# ----------------------------------------------------------------------------------------------------------- at a table


async def test_a_decision_is_taken_back_and_its_number_is_not_used_again(hall: OpenHall) -> None:
    actor, other, room, _ = await at_turn(hall, HOARD)
    assert "decided anything yet" in (await undo(actor, room)).json()["reason"]
    await actor.act(room.table.id, BOAST, 1)
    assert "decided anything yet" in (await undo(other, room)).json()["reason"]
    assert (await undo(hall.person(), room)).status_code == 403
    assert (await undo(actor, room, 2)).json()["error"] == "stale"
    assert (await undo(actor, room, 1)).status_code == 200
    assert match_of(room).steps == []
    assert (await actor.act(room.table.id, BOAST, 2)).status_code == 200
    assert [each.n for each in match_of(room).steps] == [2]
    assert stored(hall, room) == [("action", 0, BOAST), ("undo", 0, 1), ("action", 0, BOAST)]


async def test_an_action_that_revealed_something_cannot_be_undone_and_nothing_after_the_match(hall: OpenHall) -> None:
    """After the match its seed has been published, also if the last action revealed nothing."""
    host, friend, room = await hall.two_at(STONES.name)
    people = (host, friend)
    for shown in (True, *[False] * 40):
        match = match_of(room)
        if match.actor is None:
            break
        actor = people[match.actor]
        await actor.act(room.table.id, SHOWN if shown else min(TWO, len(match.legal()) - 1))
        if shown:
            answer = await undo(actor, room)
            assert (answer.status_code, answer.json()["error"]) == (409, "cannot-undo")
            assert "revealed" in answer.json()["reason"]
    answer = await undo(people[match_of(room).steps[-1].seat], room)
    assert (answer.status_code, answer.json()["error"]) == (409, "over")
    assert match_of(room).over


async def test_a_player_who_is_not_sure_is_asked_before_a_decision_that_can_not_be_taken_back(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(STONES.name)
    people, path = (host, friend), f"/tables/{room.table.id}/act"

    async def act(action: int, sure: str) -> Any:
        return await people[match_of(room).actor or 0].ask(path, {"action": str(action), "sure": sure})

    assert (await act(TWO, "no")).status_code == 200
    asked = await act(SHOWN, "no")
    assert (asked.status_code, asked.json()["error"]) == (428, "unsure")
    assert "? You can't take this back." in asked.json()["reason"]
    assert len(match_of(room).steps) == 1
    assert (await act(SHOWN, "yes")).status_code == 200
    while (match := match_of(room)).state.stones > 2:
        await act(TWO, "yes")
    last = len(match.legal()) - 1
    assert (await act(last, "no")).status_code == 428, "it ends the match"
    assert (await act(last, "")).status_code == 200


@asynccontextmanager
async def slow_bots(settings: Settings, bots: int) -> AsyncIterator[tuple[OpenHall, Person, Room]]:
    """Open a match against bots that think for minutes, so that the test can play for them."""
    async with open_hall(replace(settings, bot_pause=600.0)) as hall:
        person = hall.person()
        table = await person.ask("/tables", {"game": STONES.name, "kind": "bots", "players": str(1 + bots)})
        assert table.status_code == 201, table.text
        yield hall, person, await hall.room(table.json()["id"])


def let_bot_play(room: Room, action: int) -> None:
    actor = match_of(room).actor
    assert actor
    room.change(lambda draft: draft.add("action", actor, action))


async def test_an_undo_takes_back_the_moves_of_bots_too(settings: Settings, at_once: None) -> None:
    async with slow_bots(settings, bots=2) as (hall, person, room):
        path, before = f"/tables/{room.table.id}", match_of(room).states
        await person.act(room.table.id, ONE)
        page = (await person.get(path)).text
        for _ in range(2):
            let_bot_play(room, TWO)
        shown = re.search(r'name="n" value="(\d+)"><button id="undo"', page)
        assert shown, page
        assert int(shown[1]) == 1, "a page from before the bots' moves means the same decision"
        assert (await undo(person, room, 1)).status_code == 200
        match = match_of(room)
        assert (match.states == before).all()
        assert [each.n for each in match.undone[-1].steps] == [1, 2, 3]
        assert (stored(hall, room))[-1] == ("undo", 0, 3)
        await person.act(room.table.id, ONE)
        let_bot_play(room, SHOWN)
        assert "fall differently" in (await person.get(path)).text, "the button says what the take-back costs"
        assert (await undo(person, room)).status_code == 200
        assert (match_of(room).states == before).all()
        while not match_of(room).over:
            action = min(TWO, len(match_of(room).legal()) - 1)
            if match_of(room).actor:
                let_bot_play(room, action)
            else:
                await person.act(room.table.id, action)
        assert ", with 1 take-back" in (await person.get(path)).text
        guest = next(iter(room.table.seats[0].guests))
        groups, scores, _days = hall.store.transact(profiles.results_of, guest, "2999-01-01")
        assert [group.take_backs for group in groups] == [1]
        assert scores == [], "the match counts for no streak"
        assert "with 1 take-back" in " ".join(picture_of(match_of(room), room.table, 1).how)
