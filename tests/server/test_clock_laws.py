"""The laws of the clocks of a match, whatever its players and the hall do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import inf
from typing import Any

from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import meadhall
from games_for_tests.goofspiel import game as goofspiel
from meadhall.engine.match.match import Match
from meadhall.engine.match.step import Lasting
from meadhall.engine.match.view import Seat
from meadhall.server.hall.clocks import COME_BACK, Clocks, outages
from meadhall.server.hall.stand_ins import standing_in
from meadhall.server.hall.state import replay
from meadhall.server.store.models import Clock, Entry, EntryKind
from meadhall.server.store.uptime import Downtime
from server.people import HOARD

START = datetime(2026, 11, 26, 20, 0, tzinfo=UTC)
PEOPLE = [Seat("Ada"), Seat("Björn"), Seat("Cy")]
WITH_A_BOT = [Seat("Ada"), Seat("Karl", "bot", "karl"), Seat("Cy")]


class ClockLaws(RuleBasedStateMachine):
    """Count second by second what each seat was granted and has spent. The clocks compute the same from entries and downtimes."""

    @initialize(
        clock=st.sampled_from(
            [Clock("seat", 100, 5), Clock("seat", 60, 0, "bot_seat"), Clock("decision", 60), Clock("reserve", 100, 30)]
        ),
        game=st.sampled_from([HOARD, goofspiel]),
        seats=st.sampled_from([PEOPLE[:2], PEOPLE, WITH_A_BOT]),
    )
    def begin(self, clock: Clock, game: Any, seats: list[Seat]) -> None:
        subject = meadhall.game(game) if isinstance(game, str) else game
        seats = seats if subject is not goofspiel else PEOPLE
        self.clock = clock
        self.match: Match[Any] = Match(subject, seed=bytes(32), seats=seats, started=START, clock=clock.to_json())
        self.first = self.match.copy()
        self.people = {k for k, seat in enumerate(seats) if seat.kind == "human"}
        self.history: list[tuple[Entry, Match[Any]]] = []
        self.downtimes: list[Downtime] = []
        self.now = 0
        self.still_until = self.played_until = 0
        self.is_paused = False
        self.granted = [clock.seconds] * len(seats)
        self.spent = [0] * len(seats)
        self.thought = [0] * len(seats)
        self.clocks = Clocks.of_start(clock, self.match, START)

    # --------------------------------------------------------------------------------------------------------------- the model

    def at(self, seconds: float | None = None) -> datetime:
        return START + timedelta(seconds=self.now if seconds is None else seconds)

    def left(self, seat: int) -> int:
        return self.granted[seat] - self.spent[seat]

    @property
    def begins(self) -> int:
        """When the clocks run again: after the last downtime, and when the boards have played the last actions."""
        return max(self.still_until, self.played_until)

    @property
    def running(self) -> set[int]:
        is_idle = self.match.ended or self.is_paused
        return set() if is_idle else (set(self.match.deciders) & self.people) - self.match.stand_ins.keys()

    def grant(self, seat: int, seconds: int) -> None:
        """Let a seat have that much left."""
        self.granted[seat] = self.spent[seat] + seconds

    def grant_time_to_go_on(self, seat: int) -> None:
        if self.clock.is_of_seats:
            self.grant(seat, max(self.left(seat), int(self.clock.one_more)))

    def begin_decisions(self, going_on: set[int]) -> None:
        for seat in set(range(self.match.players)) - going_on:
            self.thought[seat] = 0
            if not self.clock.is_of_seats:
                self.grant(seat, self.clock.seconds)

    def enter(self, kind: EntryKind, seat: int, data: Mapping[str, str] | None = None) -> None:
        entry = Entry(self.number(), kind, seat, 0, data)
        replay(entry, self.match)
        self.note(entry)

    def note(self, entry: Entry) -> None:
        timed = replace(entry, at=self.at())
        self.clocks = self.clocks.after(timed, self.match)
        self.history.append((timed, self.match.copy()))

    def number(self) -> int:
        return len(self.history) + 1

    # ------------------------------------------------------------------------------------------------------------------- rules

    @rule(seconds=st.integers(1, 90))
    def pass_time(self, seconds: int) -> None:
        end = self.now + seconds
        while self.now < end:
            if self.now < self.begins:
                self.now = min(end, self.begins)
                continue
            step = min([end - self.now, *map(self.left, self.running)])
            for seat in self.running:
                self.spent[seat] += step
                self.thought[seat] += step
            self.now += step
            self.let_time_be_up()

    def let_time_be_up(self) -> None:
        """Do what the hall does at a deadline: exactly then, and once for each seat."""
        while self.clocks.deadline is not None and self.clocks.deadline <= self.at():
            seat = self.clocks.running
            assert seat is not None
            assert self.left(seat) == 0, "never early"
            assert self.clocks.deadline == self.at(), "never late"
            lasts: Lasting = "decision" if self.clock.time_up == "bot_decision" else "return"
            self.enter("stand_in", seat, standing_in("time", lasts))
            self.grant_time_to_go_on(seat)
            assert self.clocks.deadline_of(seat) is None, "once"
        assert all(self.left(seat) > 0 for seat in self.running), "never missed"

    @rule(seconds=st.integers(1, 400))
    def be_down(self, seconds: int) -> None:
        """Let no process of the hall run for a while. Then the clocks are computed again from the beginning."""
        began, self.now = self.at(), self.now + seconds
        self.downtimes.append(Downtime(began, self.at()))
        self.still_until = self.now + int(COME_BACK.total_seconds())
        self.clocks = Clocks.of_start(self.clock, self.first, START, outages(self.downtimes))
        for entry, match in self.history:
            self.clocks = self.clocks.after(entry, match)

    @precondition(lambda self: not self.match.ended and not self.is_paused)
    @rule(choice=st.integers(0, 2), action=st.integers(0, 3), plays=st.sampled_from([0, 1, 4, 14]))
    def act(self, choice: int, action: int, plays: int) -> None:
        pending = self.match.deciders
        seat = pending[choice % len(pending)]
        legal = self.match.legal(seat)
        played = legal[action % len(legal)].action
        is_person = seat in self.running
        self.match.play(played, seat)
        self.note(Entry(self.number(), "action", seat, played, {"plays": 1000 * plays} if plays else None))
        self.played_until = min(max(self.played_until, self.now) + plays, self.now + 6)
        assert self.match.steps[-1].seconds == (self.thought[seat] if is_person else None)
        if is_person:
            most = inf if self.clock.kind != "reserve" else max(self.left(seat), self.clock.seconds)
            self.granted[seat] += int(min(self.clock.increment, most - self.left(seat)))
        self.begin_decisions(set(pending) - {seat})

    @precondition(lambda self: self.match.steps and not self.match.ended and self.clock.is_of_seats and not self.is_paused)
    @rule()
    def take_back(self) -> None:
        pending = set(self.match.deciders)
        (step,) = self.match.undo(1, revealed=True)
        self.note(Entry(self.number(), "undo", step.seat, 1))
        self.played_until = self.now
        if step.seconds is not None:
            self.grant(step.seat, max(0, self.left(step.seat) - self.clock.increment))
        self.begin_decisions((pending - {step.seat}) & set(self.match.deciders))
        self.let_time_be_up()

    @precondition(lambda self: not self.match.ended)
    @rule()
    def pause_or_resume(self) -> None:
        self.is_paused = not self.is_paused
        self.note(Entry(self.number(), "pause" if self.is_paused else "resume", 0, 0))

    @precondition(lambda self: not self.match.ended and not self.is_paused and self.people - self.match.stand_ins.keys())
    @rule(choice=st.integers(0, 2))
    def be_replaced(self, choice: int) -> None:
        """Let a bot play for a person who is away."""
        playing = sorted(self.people - self.match.stand_ins.keys())
        seat = playing[choice % len(playing)]
        self.enter("stand_in", seat, standing_in("away"))
        self.grant_time_to_go_on(seat)

    @precondition(lambda self: not self.match.ended and not self.is_paused and self.away)
    @rule()
    def come_back(self) -> None:
        pending, seat = set(self.match.deciders), self.away[0]
        self.enter("return", seat)
        self.grant_time_to_go_on(seat)
        if seat in pending:
            self.begin_decisions(pending - {seat})

    @property
    def away(self) -> list[int]:
        return [seat for seat, bot in self.match.stand_ins.items() if bot.lasts == "return"]

    # -------------------------------------------------------------------------------------------------------------------- laws

    @invariant()
    def what_is_left_and_spent_is_what_was_granted(self) -> None:
        assert list(self.clocks.left_at(self.at())) == [self.left(seat) for seat in range(self.match.players)]

    @invariant()
    def only_the_clocks_of_people_who_have_to_decide_run(self) -> None:
        assert set(self.clocks.all_running) == self.running
        later = self.clocks.left_at(self.at(self.now + 100_000))
        assert all(later[seat] == (0 if seat in self.running else self.left(seat)) for seat in range(self.match.players))

    @invariant()
    def the_deadline_is_when_the_first_running_clock_has_nothing_left(self) -> None:
        due = max(self.now, self.begins) + min(map(self.left, self.running), default=inf)
        assert self.clocks.deadline == (None if due == inf else self.at(due))


TestClockLaws = ClockLaws.TestCase
TestClockLaws.settings = settings(max_examples=30, stateful_step_count=30, suppress_health_check=[HealthCheck.too_slow])
