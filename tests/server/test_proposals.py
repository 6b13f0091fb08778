"""Proposals as a state machine over the entries of a match: what opens, answers and ends them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import reduce

import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from meadhall.engine.errors import MeadhallError
from meadhall.server.errors import NotSeated, Stale, TooMany, WrongMoment
from meadhall.server.hall.proposal_kinds import KINDS, Addressed, What
from meadhall.server.hall.proposals import WAIT_DECISIONS, WAIT_TIME, Proposals
from meadhall.server.store.models import Entry, EntryKind

START = datetime(2026, 11, 26, 20, 0, tzinfo=UTC)
LIMIT = timedelta(minutes=2)
SEATS = frozenset(range(3))
seats = st.sampled_from(sorted(SEATS))


class Proposing(RuleBasedStateMachine):
    """A match of three seats. Beside the entries it keeps in plain variables how things stand."""

    def __init__(self) -> None:
        super().__init__()
        self.state = Proposals()
        self.entries: list[Entry] = []
        self.at = START
        self.playing_bots: set[int] = {2}
        self.deputies: set[int] = set()
        self.what: What | None = None  # of the open proposal
        self.number = self.entry = self.seat = 0
        self.waiting: set[int] = set()
        self.asked: frozenset[int] = frozenset()
        self.until = START
        self.ending = ""
        self.decisions = 0
        self.refused: dict[tuple[int, What], tuple[int, datetime]] = {}

    # ------------------------------------------------------------------------------------------------------- what happens

    def store(self, entry: Entry) -> None:
        self.entries.append(entry)
        self.state = self.state.follow(entry)

    def happen(self, kind: EntryKind, seat: int, value: int = 0, **data: object) -> None:
        self.store(Entry(len(self.entries) + 1, kind, seat, value, data or None, self.at))

    def end(self, ending: str) -> None:
        if self.what is not None and ending in ("declined", "withdrawn", "expired"):
            self.refused[self.seat, self.what] = (self.decisions, self.at)
        self.what, self.ending = None, ending
        self.deputies.clear()

    @rule(minutes=st.sampled_from([1, 5]))
    def wait(self, minutes: int) -> None:
        self.at += timedelta(minutes=minutes)

    @rule(what=st.sampled_from([kind.what for kind in KINDS.values()]), seat=seats)
    def propose(self, what: What, seat: int) -> None:
        asked = SEATS - {seat}
        entry = len(self.entries) + 1
        addressed = Addressed(seat, asked, 1 if what == "take-back" else 0)
        arguments = (entry, what, addressed, self.playing_bots, self.at, LIMIT)
        decisions, failed_at = self.refused.get((seat, what), (-WAIT_DECISIONS, START))
        error: type[MeadhallError] | None = None
        if self.what is not None:
            error = WrongMoment
        elif self.decisions < decisions + WAIT_DECISIONS and self.at < failed_at + WAIT_TIME:
            error = TooMany
        if error is not None:
            with pytest.raises(error):
                self.state.proposed(*arguments)
            return
        self.store(self.state.proposed(*arguments))
        self.what, self.seat = what, seat
        self.entry, self.number = entry, self.number + 1  # hints don't count
        self.asked, self.until = frozenset(asked), self.at + LIMIT
        self.waiting = set(asked) - (self.playing_bots if what != "draw" else set())
        self.deputies.clear()
        if not self.waiting:
            self.end("accepted")

    @precondition(lambda self: self.entries)
    @rule(seat=seats, agrees=st.sampled_from([True, True, True, False]), late=st.integers(0, 9))
    def vote(self, seat: int, agrees: bool, late: int) -> None:
        number = self.number + (1 if late == 0 else 0)
        error: type[MeadhallError] | None = None
        if self.what is None or number != self.number or self.at >= self.until:
            error = Stale
        elif seat not in self.asked:
            error = NotSeated
        elif seat not in self.waiting:
            error = WrongMoment
        if error is not None:
            with pytest.raises(error):
                self.state.answered(len(self.entries) + 1, number, seat, agrees, self.at)
            return
        self.store(self.state.answered(len(self.entries) + 1, number, seat, agrees, self.at))
        if not agrees:
            self.end("declined")
            return
        self.waiting.discard(seat)
        if not self.waiting:
            self.end("accepted")

    @precondition(lambda self: self.entries)
    @rule(owner=seats, wants=st.sampled_from([False, False, True]))
    def withdraw(self, owner: int, wants: bool) -> None:
        if not wants:
            return
        error = Stale if self.what is None else NotSeated if owner != self.seat else None
        if error is not None:
            with pytest.raises(error):
                self.state.withdrawn(len(self.entries) + 1, self.number, owner, self.at)
            return
        self.store(self.state.withdrawn(len(self.entries) + 1, self.number, owner, self.at))
        self.end("withdrawn")

    @precondition(lambda self: self.entries)
    @rule(comes=st.sampled_from([False, False, True]))
    def expire(self, comes: bool) -> None:
        if not comes:
            return
        if self.what is None:
            with pytest.raises(Stale):
                self.state.expired(len(self.entries) + 1, self.entry, self.at)
            return
        self.store(self.state.expired(len(self.entries) + 1, self.entry, self.at))
        self.end("expired")

    @rule(seat=seats, hinted=st.booleans())
    def act(self, seat: int, hinted: bool) -> None:
        self.decisions += 1
        self.happen("hinted" if hinted else "action", seat)
        if seat in self.deputies:
            self.deputies.discard(seat)  # its time was up, and a bot played this decision
        elif self.what in ("take-back", "draw", "give-up") and seat in self.waiting - self.playing_bots:
            self.end("declined")
        elif self.what == "take-back" and seat == self.seat:
            self.end("withdrawn")  # a draw is offered with a move, as in chess

    @rule(seat=seats)
    def undo(self, seat: int) -> None:
        self.happen("undo", seat, 1)
        if self.what == "take-back":
            self.end("void")

    @rule(seat=seats, lasts=st.sampled_from(["decision", "return", "end"]))
    def stand_in(self, seat: int, lasts: str) -> None:
        self.happen("stand_in", seat, bot="jarl", lasts=lasts)
        if lasts == "decision":
            if self.what is not None:
                self.deputies.add(seat)
            return
        if self.what is not None and seat == self.seat:
            self.end("withdrawn")  # the proposer has left
        self.playing_bots.add(seat)

    @precondition(lambda self: self.deputies)
    @rule()
    def act_for_the_last_time(self) -> None:
        self.act(min(self.deputies), hinted=False)

    @rule(seat=seats)
    def come_back(self, seat: int) -> None:
        self.happen("return", seat)
        self.playing_bots.discard(seat)

    # ------------------------------------------------------------------------------------------------------------ the laws

    @invariant()
    def it_stands_as_it_should(self) -> None:
        found, last = self.state.open, self.state.last
        assert self.state.decisions == self.decisions
        assert self.state.refused == self.refused
        if found is not None:
            assert (found.what, found.number, found.entry) == (self.what, self.number, self.entry)
            assert found.seat == self.seat
            assert (set(found.waiting), set(found.deputies), found.until) == (self.waiting, self.deputies, self.until)
        else:
            assert self.what is None
            assert self.ending == ("" if last is None else last.ending)

    @invariant()
    def only_the_last_vote_has_the_effect(self) -> None:
        accepted = [entry.number for entry in self.entries if self.state.accepted_by(entry) is not None]
        last = self.state.last
        has_effect = self.state.open is None and last is not None and last.ending == "accepted"
        assert accepted == ([last.entry] if has_effect and last is not None else [])

    def teardown(self) -> None:
        assert reduce(Proposals.follow, self.entries, Proposals()) == self.state, "entries are all that it follows from"


TestProposing = Proposing.TestCase
TestProposing.settings = settings(stateful_step_count=40)


def test_a_late_vote_is_told_how_the_proposal_ended_and_a_repeated_proposal_how_long_to_wait() -> None:
    state = Proposals()
    for entry in (
        state.proposed(1, "draw", Addressed(0, frozenset({1, 2})), set(), START, LIMIT),
        Entry(2, "decline", 1, 1, at=START),
    ):
        state = state.follow(entry)
    with pytest.raises(Stale, match="already declined"):
        state.answered(3, 1, 2, True, START)
    with pytest.raises(TooMany, match=f"{WAIT_DECISIONS} more decisions"):
        state.check_new("draw", 0, START)
    state.check_new("draw", 0, START + WAIT_TIME)
    late = state.follow(state.proposed(3, "draw", Addressed(1, frozenset({0, 2})), set(), START, LIMIT))
    with pytest.raises(Stale, match="time"):
        late.answered(4, 2, 0, True, START + LIMIT)
