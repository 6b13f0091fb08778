"""Proposals as a state machine over the entries of a match: what opens, answers and ends them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import reduce

import pytest

from meadhall.engine.errors import Refused
from meadhall.server.errors import NotSeated, Stale, TooMany, WrongMoment
from meadhall.server.hall.proposals import WAIT_DECISIONS, WAIT_TIME, Proposals, What, check_kind
from meadhall.server.store.models import Entry, EntryKind

START = datetime(2026, 11, 26, 20, 0, tzinfo=UTC)
LIMIT = timedelta(minutes=2)


class History:
    """The entries of a match of four seats, where bots play on ``bots``."""

    def __init__(self, *bots: int) -> None:
        self.bots = bots
        self.entries: list[Entry] = []
        self.at = START

    @property
    def state(self) -> Proposals:
        return reduce(Proposals.follow, self.entries, Proposals())

    def add(self, kind: EntryKind, seat: int, value: int = 0, **data: object) -> None:
        self.entries.append(Entry(len(self.entries) + 1, kind, seat, value, data or None, self.at))

    def propose(self, what: What, seat: int, to: int = 0, guest: str = "", limit: timedelta = LIMIT) -> int:
        asked = set(range(4)) - ({seat} if what != "swap" else set())
        number = len(self.entries) + 1
        self.entries.append(self.state.proposed(number, what, seat, asked, self.bots, self.at, limit, to, guest))
        return number

    def vote(self, proposal: int, seat: int, agrees: bool = True) -> None:
        self.entries.append(self.state.answered(len(self.entries) + 1, proposal, seat, agrees, self.at))

    @property
    def ending(self) -> str:
        state = self.state
        if state.open is not None:
            return "open"
        return state.last.ending if state.last is not None else ""


def test_a_proposal_is_accepted_when_every_seat_that_was_asked_has_agreed() -> None:
    match = History()
    proposal = match.propose("draw", 0)
    for seat in (3, 1):
        match.vote(proposal, seat)
        assert match.state.accepted_by(match.entries[-1]) is None
    match.vote(proposal, 2)
    accepted = match.state.accepted_by(match.entries[-1])
    assert accepted is not None
    assert (accepted.what, accepted.seat, accepted.asked) == ("draw", 0, frozenset({1, 2, 3}))
    match.add("hint", 0)
    assert match.state.accepted_by(match.entries[-1]) is None, "only the last vote has the effect"


def test_one_decline_ends_it() -> None:
    match = History()
    proposal = match.propose("take-back", 0, 1)
    match.vote(proposal, 1)
    match.vote(proposal, 2, agrees=False)
    assert (match.ending, match.state.last and match.state.last.seat) == ("declined", 2)
    with pytest.raises(Stale, match="already declined"):
        match.vote(proposal, 3)


def test_bots_agree_at_once_except_to_a_draw() -> None:
    match = History(1, 2, 3)
    match.propose("take-back", 0, 1)
    assert match.ending == "accepted"
    assert match.state.accepted_by(match.entries[-1]) is not None, "nobody is asked"
    match.propose("draw", 0)
    assert match.state.open is not None
    assert match.state.open.waiting == {1, 2, 3} == match.state.open.bots


@pytest.mark.parametrize("what", ["take-back", "draw", "give-up"])
def test_a_person_who_plays_on_without_an_answer_declines(what: What) -> None:
    match = History(3)
    proposal = match.propose(what, 0)
    match.vote(proposal, 1)
    match.add("action", 1)
    match.add("action", 3)
    assert match.ending == "open", "one has agreed, the other is a bot"
    match.add("hinted", 2)
    assert (match.ending, match.state.last and match.state.last.seat) == ("declined", 2)


def test_actions_leave_other_proposals_open() -> None:
    match = History()
    match.propose("pause", 0)
    for seat in range(4):
        match.add("action", seat)
    assert match.ending == "open"


def test_a_proposer_who_plays_on_takes_nothing_back() -> None:
    match = History()
    match.propose("take-back", 0, 1)
    match.add("action", 0)
    assert match.ending == "withdrawn"
    match = History()
    match.propose("draw", 0)
    match.add("action", 0)
    assert match.ending == "open", "a draw is offered with a move, as in chess"


def test_an_undo_makes_a_take_back_void() -> None:
    match = History()
    match.propose("take-back", 0, 1)
    match.add("undo", 1, 1)
    assert match.ending == "void"
    assert match.state.refused == {}


def test_only_the_proposer_withdraws() -> None:
    match = History()
    proposal = match.propose("draw", 0)
    with pytest.raises(NotSeated):
        match.state.withdrawn(2, proposal, 1, START)
    match.entries.append(match.state.withdrawn(2, proposal, 0, START))
    assert match.ending == "withdrawn"


def test_a_proposal_expires_and_late_votes_are_refused() -> None:
    match = History()
    proposal = match.propose("draw", 0)
    match.at += LIMIT
    with pytest.raises(Stale, match="time"):
        match.vote(proposal, 1)
    match.entries.append(match.state.expired(2, proposal, match.at))
    assert match.ending == "expired"
    with pytest.raises(Stale):
        match.state.expired(3, proposal, match.at)


def test_silence_agrees_that_the_clocks_run_again() -> None:
    match = History()
    proposal = match.propose("resume", 1)
    match.entries.append(match.state.expired(len(match.entries) + 1, proposal, match.at))
    assert match.ending == "accepted"
    assert match.state.accepted_by(match.entries[-1]) is not None


def test_there_is_one_open_proposal_and_a_player_comes_before_a_guest() -> None:
    match = History()
    match.propose("swap", 2, guest="erik")
    with pytest.raises(WrongMoment):
        match.propose("swap", 1, guest="leif")
    match.propose("draw", 0)
    assert (match.state.open and match.state.open.what, match.ending) == ("draw", "open")
    with pytest.raises(WrongMoment):
        match.propose("take-back", 1, 1)


def test_the_same_proposal_without_success_must_wait_for_some_decisions_or_a_while() -> None:
    match = History()
    match.vote(match.propose("draw", 0), 1, agrees=False)
    with pytest.raises(TooMany, match=f"{WAIT_DECISIONS} more decisions"):
        match.propose("draw", 0)
    match.vote(match.propose("draw", 2), 1, agrees=False)
    for _ in range(WAIT_DECISIONS):
        match.add("action", 3)
    match.vote(match.propose("draw", 0), 1, agrees=False)
    match.at += WAIT_TIME
    match.propose("draw", 0)


def test_a_vote_counts_once_and_only_from_those_who_are_asked() -> None:
    match = History()
    proposal = match.propose("draw", 0)
    match.vote(proposal, 1)
    with pytest.raises(WrongMoment):
        match.vote(proposal, 1, agrees=False)
    with pytest.raises(NotSeated):
        match.vote(proposal, 0)
    with pytest.raises(Stale):
        match.vote(proposal + 1, 2)


def test_a_seat_that_a_bot_takes_over_is_answered_by_the_bot() -> None:
    match = History()
    match.propose("draw", 0)
    match.add("stand_in", 1, bot="jarl", lasts="return")
    assert match.state.open is not None
    assert match.state.open.bots == {1}
    match.add("action", 1)
    assert match.ending == "open", "a bot that plays on declines nothing"
    match.add("return", 1)
    assert match.state.open.bots == frozenset()
    match.add("stand_in", 2, bot="jarl", lasts="decision")
    match.add("action", 2)
    assert match.ending == "open", "its time was up, and a bot played this decision"
    match.add("stand_in", 0, bot="jarl", lasts="return")
    assert match.ending == "withdrawn", "the proposer has left"


def test_only_known_kinds_can_be_proposed() -> None:
    assert check_kind("draw") == "draw"
    with pytest.raises(Refused, match="take-back"):
        check_kind("peace")
