"""Match: one game being played. It is its seed and its list of actions; everything else is derived from them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import numpy as np

from meadhall.engine import chance
from meadhall.engine.checks import as_integer, check_seed, check_text, quoted
from meadhall.engine.compiled import loops
from meadhall.engine.errors import BadSetup, CannotUndo, IllegalAction, MatchOver, NotYourTurn
from meadhall.engine.events import Event, Log, new_log, read_log
from meadhall.engine.game import Game, Scoring
from meadhall.engine.game import game as find_game
from meadhall.engine.language import gettext as _
from meadhall.engine.record.format import MatchRecord
from meadhall.engine.record.write import to_actions, to_record
from meadhall.engine.schema import GameState, States, copied
from meadhall.engine.statistics import Counts
from meadhall.engine.view import (
    EVERYTHING,
    SPECTATOR,
    Action,
    Seat,
    Shown,
    View,
    action_number,
    check_seat,
    concealed,
    legal_actions,
    visible,
)

_LOG_CAPACITY = 32


@dataclass(frozen=True)
class Step:
    """One action that was played, and what followed from it."""

    n: int  # its number, never used again
    seat: int
    action: int
    events: tuple[Event, ...]
    legal: int  # how many actions were legal
    before: States  # the state it was played in
    hinted: bool = False  # whether a hint was taken before

    def shown_to(self, viewer: int) -> Shown:
        """The step as ``viewer`` may know it."""
        events = visible(self.events, viewer)
        whispers = tuple(event for event in events if event.audience == viewer != SPECTATOR)  # what all are told bears its number
        return Shown(self.n, self.seat, self.action, events, self.hinted, whispers)


@dataclass(frozen=True)
class Undone:
    """Actions that were taken back, oldest first, to the state after action ``after`` (0: the setup)."""

    after: int
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Result:
    """How a match ended.

    Attributes:
        winners: the seats with the highest share; none when a cooperative game is lost or two sides draw.
        scores: each seat's share, 0 to 1.
        reason: id of the rule by which it ended.
        points: points by seat, where the game counts points.
    """

    winners: tuple[int, ...]
    scores: tuple[float, ...]
    reason: str
    points: tuple[int, ...] | None = None


class Match:
    """One game being played.

    Attributes:
        game, players, options, seats: what is played, by how many, how, and by whom.
        seed: the 32 bytes that all chance of this match follows from. Secret while it runs.
        started: when, in UTC.
        setup: what happened before the first decision.
        steps: the actions played and not taken back, in order.
        undone: those taken back, in the order of taking back.
        abandoned: why it was given up; None if it wasn't, or was taken up again.
    """

    def __init__(
        self,
        game: Game,
        *,
        players: int | None = None,
        seed: str | bytes | None = None,
        seats: Sequence[Seat | str] | None = None,
        options: Mapping[str, Any] | None = None,
        started: datetime | None = None,
    ) -> None:
        named = _named(seats)
        game = find_game(game)
        wanted = players if players is not None else len(named) if named else game.min_players
        self.players, self.options = game.check_setup(wanted, {} if options is None else options)
        self.game = game.under(self.options)
        self.seed = check_seed(seed)
        self.seats = _seated(named, self.players)
        self.started = _in_utc(started)
        self.steps: list[Step] = []
        self.undone: list[Undone] = []
        self.abandoned: str | None = None
        self.next_number = 1
        self._told: dict[int, tuple[Shown, ...]] = {}  # what each viewer was shown of the steps when they last looked
        self._legal_in: tuple[States, tuple[int, ...]] | None = None  # the state for which they were last asked, and the answer
        self._states, self.setup = self._run(game.state.new(), 0, self._set_up)

    def _set_up(self, states: States, log: Any) -> None:
        loops(self.game).set_up_one(states, self.players, self.game.encode_options(self.options), log)

    def _run(self, before: States, number: int, rule: Any) -> tuple[States, tuple[Event, ...]]:
        """What comes of ``rule(tables, log)`` in step ``number``, and what happens on the way."""
        states, log = self._logged(before, number, rule)
        return states, read_log(log, self.game.events)

    def _logged(self, before: States, number: int, rule: Any) -> tuple[States, Log]:
        """``rule(tables, log)`` on a copy keyed for step ``number``, with a log as long as it turns out to need."""
        capacity = _LOG_CAPACITY
        while True:
            states = copied(before)
            states["rng"][0] = chance.step_key(self.seed, number)
            log = new_log(capacity)
            rule(states, log)
            wanted = int(log[0, 0])
            if wanted <= capacity:
                return states, log
            capacity = wanted

    # ------------------------------------------------------------------------------------------------------------ reading

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names in seat order."""
        return tuple(seat.name for seat in self.seats)

    @property
    def states(self) -> States:
        """The state: a copy, complete with all that is hidden."""
        return copied(self._states)

    @property
    def state(self) -> GameState:
        """The state with its fields as attributes; a copy."""
        return self.game.state.at(self.states)

    @property
    def actor(self) -> int | None:
        """The seat to decide, None when the match is over."""
        actor = int(self._states["actor"][0])
        return actor if actor >= 0 else None

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.actor is None

    @property
    def ended(self) -> bool:
        """Whether nothing is secret any more: it is over, or was given up."""
        return self.over or self.abandoned is not None

    @property
    def decision(self) -> int:
        """What names the decision that is to be made: the number of the last action that stands, 0 if there is none.

        It is the same again when the action that followed was taken back.
        """
        return self.steps[-1].n if self.steps else 0

    def information_set(self, seat: int) -> bytes:
        """What names all that ``seat`` knows of the position: the same by whatever way the match came there. Raises BadSetup."""
        return hashlib.sha256(concealed(self.game, self._states, self._viewer(seat)).tobytes()).digest()

    @cached_property
    def commitment(self) -> str:
        """SHA-256 of the seed, public from the start."""
        return chance.commitment(self.seed)

    def legal(self) -> list[Action]:
        """What the actor can do, in ascending order; empty when the match is over."""
        return self.view(self.actor).actions() if self.actor is not None else []

    def legal_count(self) -> int:
        """How many actions are legal."""
        return len(self._legal())

    def _legal(self) -> tuple[int, ...]:
        """The legal actions, from what the actor may know. A state is never written to, so they are worked out once for each."""
        if self.actor is None:
            return ()
        if self._legal_in is None or self._legal_in[0] is not self._states:
            self._legal_in = self._states, legal_actions(self.game, concealed(self.game, self._states, self.actor))
        return self._legal_in[1]

    def view(self, seat: int | None = None) -> View:
        """The match as seat ``seat`` may know it now; None or -1: as a spectator may."""
        viewer = self._viewer(seat)
        legal = self._legal() if viewer == self.actor else ()
        return self._seen(viewer, self._states, len(self.steps), self.next_number, legal)

    def view_at(self, position: int, seat: int | None = None) -> View:
        """The match as it was after its first ``position`` actions that stand (0: the setup).

        ``seat`` may be ``EVERYTHING`` when the match has ended. Raises BadSetup for a position or seat that there is not.
        """
        steps = as_integer(position)
        if steps is None or not 0 <= steps <= len(self.steps):
            raise BadSetup(f"the match has positions 0 to {len(self.steps)}, not {quoted(position)}")
        if steps == len(self.steps):
            return self.view(seat)
        following, viewer = self.steps[steps], self._viewer(seat)
        legal = legal_actions(self.game, concealed(self.game, following.before, viewer)) if viewer == following.seat else ()
        return self._seen(viewer, following.before, steps, following.n, legal)

    def _seen(self, viewer: int, states: States, position: int, next_number: int, legal: tuple[int, ...]) -> View:
        setup, steps = visible(self.setup, viewer), self._shown(viewer)[:position]
        states = concealed(self.game, states, viewer)
        return View(self.game, self.options, self.seats, viewer, states, setup, steps, next_number, legal)

    def _shown(self, viewer: int) -> tuple[Shown, ...]:
        """All steps as ``viewer`` may know them. With every look only what is new since the last is added."""
        told = self._told.get(viewer, ())
        if len(told) < len(self.steps):
            told = self._told[viewer] = (*told, *(step.shown_to(viewer) for step in self.steps[len(told) :]))
        return told

    def _viewer(self, seat: int | None) -> int:
        viewer = SPECTATOR if seat is None else as_integer(seat)
        if viewer == SPECTATOR or (viewer == EVERYTHING and self.ended):
            return viewer
        if viewer is None or not 0 <= viewer < self.players:
            raise BadSetup(f"there is no seat {quoted(seat)}; there are 0 to {self.players - 1}")
        return viewer

    def result(self) -> Result | None:
        """How it ended; None while it runs."""
        if not self.over:
            return None
        payoffs = np.zeros(self.players, np.float64)
        loops(self.game).score_one(self._states, payoffs)
        scores = tuple(float(payoff) for payoff in payoffs)
        decided = max(scores) > 0 and (min(scores) < max(scores) or self.game.scoring_of(self.options) is not Scoring.SIDES)
        winners = tuple(seat for seat, payoff in enumerate(scores) if payoff == max(scores)) if decided else ()
        state = self.game.state.at(self._states)
        points = None if self.game.points is None else self.game.points(state, self.options)
        return Result(winners, scores, self.game.words.ending(state)[0], points)

    # ------------------------------------------------------------------------------------------------------------ playing

    def check(self, action: Any, seat: int | None = None) -> int:
        """The action's integer, if it can be played now (by ``seat``, when given). Raises what ``play`` raises."""
        number = action_number(self.game, action)
        if self.actor is None:
            rule, how = self.game.words.ending(self.game.state.at(self._states))
            raise MatchOver(_("The match is over: {how}.").format(how=how), rule)
        if seat is not None and as_integer(seat) != self.actor:
            raise NotYourTurn(_("It is {name}'s turn.").format(name=self.names[self.actor]))
        if number not in self._legal():
            view = concealed(self.game, self._states, self.actor)
            rule, reason = self.game.words.refusal(self.game.state.at(view), number, self.names)
            raise IllegalAction(reason, rule)
        return number

    def play(self, action: Any, seat: int | None = None, *, hinted: bool = False) -> tuple[Event, ...]:
        """Play an action for the actor (who must be ``seat``, when given).

        ``hinted``: the actor had asked for a hint at this decision. It changes nothing, but the record says so.

        Returns:
            What happened, up to the next decision; ``in_words`` says it in words.

        Raises:
            MalformedAction, MatchOver, NotYourTurn, IllegalAction: and the match is as it was.
        """
        number = self.check(action, seat)
        before, actor, legal = self._states, self.actor, self.legal_count()
        assert actor is not None
        self._states, events = self._run(before, self.next_number, self._playing(number))
        self.abandoned = None
        self.steps.append(Step(self.next_number, actor, number, events, legal, before, hinted))
        self.next_number += 1
        return events

    def _playing(self, action: int) -> Callable[[States, Any], None]:
        return lambda states, log: loops(self.game).play_one(states, action, log)

    def in_words(self, event: Event) -> str:
        """An event of this match as people read it."""
        return self.game.words.event(event, self.names)

    def tally(self) -> Counts:
        """What the game's statistics count of the match so far; what was taken back doesn't count."""
        statistics = self.game.statistics
        counts = np.zeros(statistics.counters, np.int64)
        if statistics.counters:
            statistics.tally(self._logged(self.game.state.new(), 0, self._set_up)[1], counts)
            for step in self.steps:
                statistics.tally(self._logged(step.before, step.n, self._playing(step.action))[1], counts)
        return counts

    def can_undo(self) -> bool:
        """Whether the last action can be taken back freely: it revealed nothing, and didn't end the match."""
        return bool(self.steps) and not self.over and int(self.steps[-1].before["reveals"][0]) == int(self._states["reveals"][0])

    def undo(self, steps: int = 1, *, revealed: bool = False) -> tuple[Step, ...]:
        """Take back the last ``steps`` actions. Their numbers are never used again, so no roll is repeated.

        What players saw in them and don't forget stays known, see ``Game.recall``.

        Args:
            revealed: also when dice were rolled or something else was revealed since, or the match is over.

        Returns:
            What was taken back, oldest first.

        Raises:
            CannotUndo: there is nothing to take back, something was revealed, or the match is over.
        """
        count = as_integer(steps)
        if count is None:
            raise CannotUndo(f"the number of actions to take back is an integer, not {quoted(steps)}")
        if not 1 <= count <= len(self.steps):
            raise CannotUndo(_("There is nothing to take back."))
        if self.over and not revealed:
            raise CannotUndo(_("The match is over, and its seed is known."))
        taken = tuple(self.steps[-count:])
        if not revealed and int(taken[0].before["reveals"][0]) != int(self._states["reveals"][0]):
            raise CannotUndo(_("Something has been revealed since."))
        self.abandoned = None
        del self.steps[-count:]
        self._told = {viewer: told[: len(self.steps)] for viewer, told in self._told.items()}
        self._states = self._recalled(taken)
        self.undone.append(Undone(self.decision, taken))
        return taken

    def _recalled(self, taken: Sequence[Step]) -> States:
        """The state before these steps, the last ones, with what is remembered of them."""
        if self.game.recall is None:
            return taken[0].before
        states, table_at = self._states, self.game.state.at
        for step in reversed(taken):
            after, states = states, copied(step.before)
            self.game.recall(table_at(states), step.action, table_at(after))
        return states

    def abandon(self, why: str) -> None:
        """Give the match up: nobody wins, and all that was secret may be seen. Who plays on, or takes back, takes it up again.

        Raises BadSetup for what no record can hold, and for a match that is over.
        """
        check_text(why, "why a match was given up")
        if self.over:
            raise BadSetup("the match was played to its end")
        self.abandoned = why

    def rename(self, seat: int, who: Seat) -> None:
        """Let somebody else sit on ``seat`` from now on. Raises BadSetup."""
        changed = self._viewer(seat)
        if changed < 0:
            raise BadSetup(f"there is no seat {changed}; there are 0 to {self.players - 1}")
        self.seats = tuple(check_seat(who) if k == changed else other for k, other in enumerate(self.seats))

    def copy(self) -> Match:
        """An independent copy: playing on either leaves the other as it is."""
        twin = object.__new__(Match)
        twin.__dict__.update(self.__dict__)
        twin._states = copied(self._states)
        twin.steps = list(self.steps)
        twin.undone = list(self.undone)
        twin._told = dict(self._told)
        if self._legal_in is not None and self._legal_in[0] is self._states:
            twin._legal_in = twin._states, self._legal_in[1]
        return twin

    def supposing(self, states: States) -> Match:
        """An independent copy in which the state is ``tables`` (one state, e.g. a redealt one): what if?"""
        twin = self.copy()
        twin._states = copied(states)
        return twin

    def record(
        self, seat: int | None = None, *, legal: bool = False, abandoned: str | None = None, sealed: bool = False
    ) -> MatchRecord:
        """The match record (``meadhall-match/1``) as JSON-able data.

        While the match runs it holds what seat ``seat`` (None: a spectator) may know, without the seed; when it has ended, or as
        if it were given up now for the reason ``abandoned``, everything, unless it is ``sealed`` because others still play from
        the same seed.
        ``legal`` adds the count of legal actions to every action; while the match runs to those of ``seat`` alone, as such a
        count can tell what somebody holds. Raises BadSetup.
        """
        if abandoned is not None and not self.over:
            given_up = self.copy()
            given_up.abandon(abandoned)
            return given_up.record(seat, legal=legal, sealed=sealed)
        return to_record(self, self._viewer(seat), legal=legal, sealed=sealed)

    def recorded(self, seat: int | None = None, *, after: int = 0, sealed: bool = False) -> list[dict[str, Any]]:
        """The actions numbered above ``after``, as the match record for ``seat`` holds them. Raises BadSetup."""
        number = as_integer(after)
        if number is None:
            raise BadSetup(f"an action has a number, an integer, not {quoted(after)}")
        return to_actions(self, self._viewer(seat), after=number, sealed=sealed)


def _named(seats: Any) -> tuple[Seat, ...] | None:
    """The seats that are given, by name or as they are; None if none are."""
    if seats is None:
        return None
    if isinstance(seats, str) or not isinstance(seats, Sequence):
        raise BadSetup(f"seats are a list of names, not {quoted(seats)}")
    return tuple(check_seat(Seat(seat) if isinstance(seat, str) else seat) for seat in seats)


def _in_utc(started: Any) -> datetime:
    """When a match started: now if nothing is given; what has no time zone is taken for UTC. BadSetup for what is no time."""
    if started is None:
        return datetime.now(UTC).replace(microsecond=0)
    if not isinstance(started, datetime):
        raise BadSetup(f"when a match started is a datetime, not {quoted(started)}")
    try:
        return started.replace(tzinfo=UTC) if started.tzinfo is None else started.astimezone(UTC)
    except OverflowError:
        raise BadSetup(f"a match can't have started at {started}") from None


def _seated(seats: tuple[Seat, ...] | None, players: int) -> tuple[Seat, ...]:
    if seats is None:
        return tuple(Seat(_("Player {number}").format(number=seat + 1)) for seat in range(players))
    if len(seats) != players:
        raise BadSetup(f"{len(seats)} seats for {players} players")
    return seats
