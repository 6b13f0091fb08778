"""Traces: the decisions and events of many matches as arrays, from which every figure is computed."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall.bots import Bot
from meadhall.bots.policy import POLICIES
from meadhall.engine.compiled import module_of
from meadhall.engine.compute.bulk import Floats
from meadhall.engine.match.places import first_order
from meadhall.engine.report_terms import Mention, PieceKind
from meadhall.engine.state.chance import seed_from_text, step_key
from meadhall.engine.state.events import WIDTH
from meadhall.engine.state.schema import States
from meadhall.lab.balance.own import Own
from meadhall.lab.balance.trace_loop import TOO_FEW_EVENTS
from meadhall.lab.entrants import LOOP, AvoidingBot, kinds_by_action, play_out
from meadhall.lab.matches import Plan, shares_of

Ints = npt.NDArray[np.int64]

_STEPS, _EVENTS, _LOG = 64, 1024, 64
"""The unit of room for the steps of a match, so that variants with the same deal ask for as many keys; the first room for its
events, and for the events of a step. Room doubles when it is too small."""


@dataclass(frozen=True)
class CellPlan(Plan):
    """The matches of one cell of a report: the same variant, players and bot.

    Plans with the same seed and number of players play the same deals.

    Attributes:
        variant: the name of the variant.
        avoided: for each seat the kinds of actions that it avoids, as a mask of bits. They rotate as bots do. Empty: none.
        own: the own figures.
    """

    variant: str = ""
    avoided: tuple[int, ...] = ()
    own: Own = field(default_factory=Own)

    @property
    def key(self) -> tuple[str, int, str]:
        """Return the variant, the number of players and the bot."""
        return self.variant, self.players, self.bots[0]

    def deal_seed(self, number: int) -> str:
        """Return the seed of match ``number``, the same for every variant and bot."""
        return f"{self.label}/{self.players}/{number}"

    def bot_seed(self, number: int, seat: int) -> str:
        """Return the seed of the choices of a bot."""
        return f"{self.label}/{self.players}/{number}/bot {seat}"

    def avoided_in(self, number: int) -> tuple[int, ...]:
        """Return the kinds of actions that each seat avoids in match ``number``."""
        return tuple(self.avoided[(seat + number) % self.players] if self.avoided else 0 for seat in range(self.players))

    def bots_of(self, number: int) -> list[Bot]:
        """Make the bots of match ``number`` by seat."""
        bots = enumerate(zip(super().bots_of(number), self.avoided_in(number), strict=True))
        return [
            AvoidingBot(self.subject, made.name, made, avoided, self.bot_seed(number, seat)) if avoided else made
            for seat, (made, avoided) in bots
        ]

    @property
    def is_compiled(self) -> bool:
        """Return whether all bots are compiled policies."""
        return all(name in POLICIES for name in self.bots)


@dataclass(frozen=True)
class Trace:
    """The decisions and events of some matches of a plan.

    Attributes:
        plan: the plan.
        numbers: int64 (matches,): the numbers of the matches.
        payoffs: float64 (matches, players): the payoffs by seat, NaN where a match was stopped.
        lengths: int64 (matches,): the number of decisions.
        match: int64 (decisions,): the index of the match of each decision.
        seat: int64 (decisions,): its seat.
        action: int64 (decisions,): its action.
        legal: int64 (decisions,): the number of legal actions.
        offered: int64 (decisions,): the kinds of the legal actions, as a mask of bits.
        told: int64 (events, ...): match, number of decisions before it, and the row of the log of each event.
        points: float64 (matches, players): the points by seat; NaN without points.
    """

    plan: CellPlan
    numbers: Ints
    payoffs: Floats
    lengths: Ints
    match: Ints
    seat: Ints
    action: Ints
    legal: Ints
    offered: Ints
    told: Ints
    points: Floats

    @property
    def matches(self) -> int:
        """Return the number of matches."""
        return len(self.numbers)

    @property
    def stopped(self) -> npt.NDArray[np.bool_]:
        """Return which matches were stopped, bool (matches,)."""
        return np.isnan(self.payoffs[:, 0])

    @cached_property
    def shares(self) -> Floats:
        """Return each seat's share of a win, float64 (matches, players)."""
        return shares_of(self.plan.subject, self.payoffs, self.plan.options)

    @cached_property
    def parties(self) -> tuple[tuple[int, ...], ...]:
        """Return the seats that win or lose together."""
        return self.plan.subject.parties(self.plan.players, self.plan.options)

    @cached_property
    def fair_shares(self) -> Floats:
        """Return each seat's wins in fair shares: 1 is what equal chances give, float64 (matches, players)."""
        return self.shares * len(self.parties)

    @cached_property
    def step(self) -> Ints:
        """Return the number of each decision in its match, from 0."""
        first = np.concatenate(([0], np.cumsum(self.lengths)))[:-1]
        return np.arange(len(self.match)) - first[self.match]

    def count(self, match: Ints, weights: Any = None) -> Floats:
        """Return how often each match occurs among ``match``, or the sums of the weights there."""
        return np.bincount(match, weights, minlength=self.matches).astype(np.float64)

    def mentions(self, mention: Mention) -> tuple[Ints, Ints, Ints, Ints]:
        """Return the match, the step, the seat and the argument of every such event. The seat is -1 if the event has none."""
        rows = self.told[self.told[:, 2] == mention.event]
        seats = np.full(len(rows), -1) if mention.seat < 0 else rows[:, 5 + mention.seat]
        return rows[:, 0], rows[:, 1], seats, rows[:, 5 + mention.argument]

    @cached_property
    def orders(self) -> Ints:
        """Return the seats in the order of their first turns, int64 (matches, players)."""
        elements, players = self.plan.subject.elements, self.plan.players
        begins = self.step == 0
        named: dict[int, list[int]] = {}
        for row in self.told[self.told[:, 2] == elements.first_order]:
            named.setdefault(int(row[0]), row[5 : 5 + row[4]].tolist())
        for match, seat in zip(self.match[begins].tolist(), self.seat[begins].tolist(), strict=True):
            named.setdefault(match, [seat])
        return np.array([first_order(elements, players, named.get(k, [0])) for k in range(self.matches)], np.int64)

    def acquired(self, kind: PieceKind) -> tuple[Ints, Ints, Ints, Ints]:
        """Return the match, the step, the seat and the number of each acquired piece of a kind."""
        match, step, seat, piece = self.mentions(kind.acquired)
        if kind.placed is not None:
            where, _step, place, number = self.mentions(kind.placed)
            at = np.full((self.matches, 1 + max(place.max(initial=0), piece.max(initial=0))), -1)
            at[where, place] = number
            piece = at[match, piece]
        return match, step, seat, piece


class Tracer:
    """Plays matches of a plan and traces them. It keeps its buffers, so a thread needs its own."""

    def __init__(self, plan: CellPlan) -> None:
        self.plan = plan
        subject = plan.subject
        self._loop = module_of(subject, LOOP)
        self._states = subject.state.new(3)
        self._codes = subject.encode_options(plan.options)
        self._kinds = kinds_by_action(subject)
        self._none = subject.state.new(0)
        self._longest = 0
        self._size(4 * _STEPS, _EVENTS)

    def _size(self, steps: int, events: int) -> None:
        self._decisions = np.zeros((steps, 3), np.int32)
        self._offered = np.zeros(steps, np.int64)
        self._events = np.zeros((events, 1 + WIDTH), np.int32)
        self._log = np.zeros((max(_LOG, events // 8), WIDTH), np.int32)

    def play(self, number: int, snapshots: States | None = None, script: Sequence[int] | None = None) -> tuple[int, Floats]:
        """Play match ``number`` and return the number of decisions and the payoffs. The rest is in the buffers."""
        plan = self.plan
        if script is None and not plan.is_compiled:
            match = plan.match(number)
            play_out(match, plan.bots_of(number), plan.limit)
            script = [step.action for step in match.steps]
        played = np.array([] if script is None else script, np.int64)
        policies = np.array([POLICIES.get(name, 0) for name in plan.seating(number)], np.int64)
        avoided = np.array(plan.avoided_in(number), np.int64)
        seed = seed_from_text(plan.deal_seed(number))
        bots = [step_key(seed_from_text(plan.bot_seed(number, seat)), 0) for seat in range(plan.players)]
        payoffs = np.zeros(plan.players, np.float64)
        wanted = -(-(self._longest + 16) // _STEPS) * _STEPS
        steps = min(len(self._decisions), wanted) if self._longest else len(self._decisions)
        while True:
            keys = _keys(seed, steps)
            length = int(
                self._loop.trace(
                    self._states, plan.players, self._codes, policies, avoided, self._kinds, played, plan.limit, keys,
                    np.array(bots, np.uint64), self._log, self._decisions, self._offered, self._events,
                    self._none if snapshots is None else snapshots, payoffs,
                )
            )  # fmt: skip
            if length >= 0:
                if not np.isnan(payoffs[0]):
                    self._longest = max(self._longest, length)
                return length, payoffs
            steps *= 2
            self._size(max(steps, len(self._decisions)), len(self._events) * (2 if length == TOO_FEW_EVENTS else 1))

    def trace(self, numbers: Sequence[int]) -> Trace:
        """Play matches and return their trace."""
        plan, decided, offered, told = self.plan, [], [], []
        payoffs = np.zeros((len(numbers), plan.players), np.float64)
        points = np.full((len(numbers), plan.players), np.nan)
        lengths = np.zeros(len(numbers), np.int64)
        scored = self.plan.subject.points
        for k, number in enumerate(numbers):
            lengths[k], payoffs[k] = self.play(number)
            length, count = int(lengths[k]), int(self._events[0, 0])
            decided.append(np.column_stack((np.full(length, k), self._decisions[:length].astype(np.int64))))
            offered.append(self._offered[:length].copy())
            told.append(np.column_stack((np.full(count, k), self._events[1 : 1 + count].astype(np.int64))))
            if scored is not None and (found := scored(self.plan.subject.state.at(self._states), plan.options)) is not None:
                points[k] = found
        if not self.plan.subject.scoring_of(plan.options).is_shared:
            points = payoffs.copy()
        match, seat, action, legal = np.ascontiguousarray(np.concatenate(decided).T)
        return Trace(
            plan,
            np.array(numbers, np.int64),
            payoffs,
            lengths,
            match,
            seat,
            action,
            legal,
            np.concatenate(offered),
            np.concatenate(told),
            points,
        )


@lru_cache(maxsize=2048)
def _keys(seed: bytes, count: int) -> npt.NDArray[np.uint64]:
    """Return the words of ``step_key`` for all steps, a fifth of the time of a match. Variants with the same deal share them."""
    words = b"".join([hmac.digest(seed, b"%d" % step, "sha256")[:16] for step in range(count)])
    return np.frombuffer(words, "<u8").reshape(count, 2).astype(np.uint64)
