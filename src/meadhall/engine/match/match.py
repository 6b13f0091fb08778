"""Match: one game in progress or finished. It consists of a seed and a list of actions; everything else follows from them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import takewhile
from typing import Any, Generic, NamedTuple, Self

import numpy as np

from meadhall.engine.checks import MAX_REASON, Seed, as_integer, check_clock, check_line, check_seed, quoted
from meadhall.engine.compiled import loops
from meadhall.engine.errors import BadSetup, CannotUndo, IllegalAction, MatchOver, NotYourTurn
from meadhall.engine.game import Game, Scoring
from meadhall.engine.interface import NoEvents, conceals, played
from meadhall.engine.kind import Parties
from meadhall.engine.match.deciders import acting, deciders, is_simultaneous
from meadhall.engine.match.record import (
    FORMAT,
    MatchRecord,
    plain_number,
    written_action,
    written_events,
    written_seat,
    written_time,
)
from meadhall.engine.match.step import (
    RESIGNATION,
    TIME,
    Award,
    Result,
    StandIn,
    Step,
    Undone,
    check_award,
    drawn_by_agreement,
    won_by_resignation,
)
from meadhall.engine.match.view import (
    EVERYTHING,
    SPECTATOR,
    Action,
    Seat,
    View,
    VisibleStep,
    action_number,
    check_seat,
    concealed,
    counted,
    legal_actions,
    to_move,
    visible,
)
from meadhall.engine.state import chance
from meadhall.engine.state.events import Event, Log, new_log, read_log
from meadhall.engine.state.schema import S, States, copied
from meadhall.engine.statistics import Counts
from meadhall.engine.text.display import Displayed, Table
from meadhall.engine.text.language import decimal, gettext as _, listed

_LOG_CAPACITY = 32


class _Knowledge(NamedTuple):
    """A cache of the concealed states and legal actions of one state. It stays valid, because states are never written to."""

    of: States
    concealed: dict[int, States]  # by viewer
    legal: dict[int, tuple[int, ...]]  # by seat


_RESIGNED = {RESIGNATION: "resigned", TIME: "ran out of time"}
"""The words of a record for a seat that gave up."""


class Match(Displayed, Generic[S]):
    """One game in progress or finished.

    ``copy.copy`` and ``copy.deepcopy`` return an independent match, like ``copy``. A pickle contains everything, the seed and
    hidden cards included.

    Attributes:
        game: the game.
        players: the number of players.
        options: the options of the match.
        seats: the players.
        seed: the 32 bytes that determine every die and shuffle of the match. Secret while it runs.
        started: the time it started, in UTC.
        clock: the clock as a record contains it; None without one. Nothing here keeps the time.
        setup: the events before the first decision.
        steps: the actions that were played and not undone, in order.
        undone: the actions that were undone, in the order they were undone.
        abandoned: why the match was given up; None if it was not, or was resumed.
        awarded: the win that was awarded when the match was given up; None if there was none.
        next_number: the number of the next action. Numbers are never reused.
        stand_ins: the bots that play for the owners of seats now, by seat.

    Examples:
        >>> import meadhall
        >>> match = meadhall.game("axes-and-allies").match(seed="mead", seats=["Gorm", "Björn", "Astrid"])
        >>> [action.text for action in match.legal()]
        ['attack Gorm', 'attack Astrid', 'ally with Gorm', 'ally with Astrid']
        >>> events = match.play(2)
        >>> [match.in_words(event) for event in events]
        ['Björn attacks Astrid', 'Björn rolls 4', 'Björn hacks Astrid to pieces', "Gorm's axe has power 6"]
        >>> match.legal_count(), match.over, match.result()
        (2, False, None)
        >>> match.undo(revealed=True)[0].action
        2
        >>> match
        <Match of axes-and-allies: 3 players, 0 actions, Björn to move>
    """

    def __init__(
        self,
        game: Game[S],
        *,
        players: int | None = None,
        seed: Seed | None = None,
        seats: Sequence[Seat | str] | None = None,
        options: Mapping[str, Any] | None = None,
        started: datetime | None = None,
        clock: Mapping[str, Any] | None = None,
    ) -> None:
        named = _named(seats)
        wanted = players if players is not None else len(named) if named else game.min_players
        self.players, self.options = game.check_setup(wanted, {} if options is None else options)
        self.game = game.edition_for(self.options)
        self.seed = check_seed(seed)
        self.seats = _seated(named, self.players)
        self.started = _in_utc(started)
        self.clock = None if clock is None else check_clock(clock)
        self.steps: list[Step] = []
        self.undone: list[Undone] = []
        self.abandoned: str | None = None
        self.awarded: Award | None = None
        self.next_number = 1
        self.stand_ins: Mapping[int, StandIn] = {}  # replaced, never written to: copies share it
        self._visible_steps: dict[int, tuple[VisibleStep, ...]] = {}  # cache by viewer
        self._states, self.setup = self._run(game.state.new(), 0, self._set_up)
        self._knowledge = _Knowledge(self._states, {}, {})

    def _set_up(self, states: States, log: Any) -> None:
        loops(self.game).set_up_one(states, self.players, self.game.encode_options(self.options), log)

    def _run(self, before: States, number: int, rule: Any) -> tuple[States, tuple[Event, ...]]:
        """Run ``rule(states, log)`` as step ``number`` on a copy of ``before``. Return the new state and the events."""
        states, log = self._logged(before, number, rule)
        return states, read_log(log, self.game.events)

    def _logged(self, before: States, number: int, rule: Any) -> tuple[States, Log]:
        """Run ``rule(states, log)`` on a copy keyed for step ``number``; repeat with a longer log if the first is too short."""
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
        """Return the players' names in seat order."""
        return tuple(seat.name for seat in self.seats)

    @property
    def states(self) -> States:
        """Return a copy of the complete state, hidden parts included, as an array of one."""
        return copied(self._states)

    @property
    def state(self) -> S:
        """Return a copy of the complete state with its fields as attributes."""
        return self.game.state.at(self.states)

    @property
    def actor(self) -> int | None:
        """Return the seat to move, None when the match is over."""
        actor = int(self._states["actor"][0])
        return actor if actor >= 0 else None

    @property
    def deciders(self) -> tuple[int, ...]:
        """Return the seats that have still to choose: the seat to move, or several if they choose at the same time.

        It is empty when the match is over. ``actor`` is the lowest of them.
        """
        return deciders(self.game, self._states)

    @property
    def over(self) -> bool:
        """Return whether the match was played to its end."""
        return self.actor is None

    @property
    def ended(self) -> bool:
        """Return whether the match is over or was given up, so that nothing is secret any more."""
        return self.over or self.abandoned is not None

    @property
    def decision(self) -> int:
        """Return a key of the pending decision: the number of the last action that was not undone, 0 before the first.

        An undo restores the key of the earlier decision.
        """
        return self.steps[-1].n if self.steps else 0

    def decision_of(self, seat: int) -> int:
        """Return a key of the decision that a seat has to make: the number of the last action before it began.

        It is ``decision``, unless others have chosen at the same time since then.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(seed="mead", seats=["Gorm", "Björn", "Astrid"])
            >>> match.decision_of(match.actor)
            0
        """
        began = self.began(seat)
        return self.steps[began - 1].n if began else 0

    def began(self, seat: int, position: int | None = None) -> int:
        """Return after how many actions the decision of a seat began that is pending after ``position`` actions, by default now.

        Until then only others have made their sealed choices.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(seed="mead", seats=["Gorm", "Björn", "Astrid"])
            >>> match.began(match.actor)
            0
        """
        began = len(self.steps) if position is None else position
        states = self._states if began == len(self.steps) else self.steps[began].before
        now = int(states["reveals"][0])
        while is_simultaneous(self.game) and began > 0:
            step = self.steps[began - 1]
            if step.seat == seat or int(step.before["reveals"][0]) != now or seat not in deciders(self.game, step.before):
                break
            began -= 1
        return began

    def information_set(self, seat: int) -> bytes:
        """Return a key of the seat's information set, independent of move order. Raises BadSetup.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("viking-axes").match(players=2, seed="mead")
            >>> twin = match.copy()
            >>> events = twin.play(twin.legal()[0])
            >>> match.information_set(0) == twin.information_set(0)
            False
        """
        return hashlib.sha256(self._concealed(self._viewer(seat)).tobytes()).digest()

    @cached_property
    def commitment(self) -> str:
        """Return the SHA-256 of the seed in hex. It is public from the start."""
        return chance.commitment(self.seed)

    def legal(self, seat: int | None = None) -> list[Action]:
        """Return the legal actions in ascending order; empty when the match is over, or if ``seat`` has nothing to choose.

        Args:
            seat: the seat that chooses; by default the seat to move.

        Raises:
            BadSetup: there is no such seat.
        """
        if seat is None:
            seat = self.actor
        return self.view(seat).actions() if seat is not None else []

    def legal_count(self, seat: int | None = None) -> int:
        """Return the number of legal actions of ``seat``, by default of the seat to move."""
        player = self.actor if seat is None else self._viewer(seat)
        return 0 if player is None else len(self._legal(player))

    def _known(self) -> _Knowledge:
        """Return what viewers may know of the current state."""
        if self._knowledge.of is not self._states:
            self._knowledge = _Knowledge(self._states, {}, {})
        return self._knowledge

    def _concealed(self, viewer: int) -> States:
        """Return the state as a viewer may know it. All viewers share that of a game that conceals nothing."""
        if viewer == EVERYTHING:
            return concealed(self.game, self._states, viewer)
        known, place = self._known().concealed, viewer if conceals(self.game.rules) else SPECTATOR
        if place not in known:
            known[place] = concealed(self.game, self._states, place)
        return known[place]

    def _legal(self, seat: int) -> tuple[int, ...]:
        """Return the legal actions of a seat, computed from its concealed state."""
        if seat not in self.deciders:
            return ()
        known = self._known().legal
        if seat not in known:
            known[seat] = legal_actions(self.game, self._concealed(seat))
        return known[seat]

    def view(self, seat: int | None = None) -> View[S]:
        """Return the match as ``seat`` may know it now; for None or -1, as a spectator may know it.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("viking-axes").match(players=2, seed="mead")
            >>> match.view(0)
            <View of viking-axes for Player 1: 2 players, 0 actions, Player 2 to move>
            >>> match.view()
            <View of viking-axes for a spectator: 2 players, 0 actions, Player 2 to move>
        """
        viewer = self._viewer(seat)
        return self._view(viewer, copied(self._concealed(viewer)), len(self.steps), self.next_number, self._legal(viewer))

    def view_at(self, position: int, seat: int | None = None) -> View[S]:
        """Return the match as it was after its first ``position`` actions, not counting undone ones (0: the setup).

        ``seat`` may be ``EVERYTHING`` when the match has ended. Raises BadSetup for an unknown position or seat.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
            >>> events = match.play(match.legal()[0])
            >>> match.view_at(0)
            <View of axes-and-allies for a spectator: 2 players, 0 actions, Player 2 to move>
        """
        steps = as_integer(position)
        if steps is None or not 0 <= steps <= len(self.steps):
            raise BadSetup(f"the match has positions 0 to {len(self.steps)}, not {quoted(position)}")
        if steps == len(self.steps):
            return self.view(seat)
        following, viewer = self.steps[steps], self._viewer(seat)
        states = concealed(self.game, following.before, viewer)
        legal = legal_actions(self.game, states) if viewer in deciders(self.game, following.before) else ()
        return self._view(viewer, states, steps, following.n, legal)

    def _view(self, viewer: int, states: States, position: int, next_number: int, legal: tuple[int, ...]) -> View[S]:
        setup, steps = visible(self.setup, viewer), self._steps_seen_by(viewer)[:position]
        return View(self.game, self.options, self.seats, viewer, states, setup, steps, next_number, legal)

    def _steps_seen_by(self, viewer: int) -> tuple[VisibleStep, ...]:
        """Return all steps as ``viewer`` may know them. The cache grows by the new steps only."""
        known = self._visible_steps.get(viewer, ())
        if len(known) < len(self.steps):
            known = self._visible_steps[viewer] = (*known, *[self._told(step, viewer) for step in self.steps[len(known) :]])
        return known

    def _told(self, step: Step, viewer: int) -> VisibleStep:
        """Return the step as ``viewer`` may know it. In a game without events, one tells of an action that all may know."""
        seen = step.visible_to(viewer)
        if not isinstance(self.game.events, NoEvents) or step.events or not step.shows_action(viewer):
            return seen
        before = acting(self.game, step.before, step.seat)
        state = self.game.state.at(concealed(self.game, before, SPECTATOR))
        return seen._replace(events=(played(self.game.words, state, step.seat, step.action, self.names),))

    def _viewer(self, seat: int | None) -> int:
        viewer = SPECTATOR if seat is None else as_integer(seat)
        if viewer == SPECTATOR or (viewer == EVERYTHING and self.ended):
            return viewer
        if viewer is None or not 0 <= viewer < self.players:
            raise BadSetup(f"there is no seat {quoted(seat)}; there are 0 to {self.players - 1}")
        return viewer

    def outcome(self) -> Result | Award | None:
        """Return the result by the rules, or the win that was awarded; None while the match runs and if it has no winner.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
            >>> award = match.resign(0)
            >>> match.outcome() == award, match.result()
            (True, None)
        """
        return self.result() or self.awarded

    def result(self) -> Result | None:
        """Return the result by the rules; None while the match runs, and if it was given up."""
        if not self.over:
            return None
        payoffs = np.zeros(self.players, np.float64)
        loops(self.game).score_one(self._states, payoffs)
        scores = tuple(float(payoff) for payoff in payoffs)
        shares = tuple(self.game.shares(payoffs[None], self.options)[0].tolist())
        decided = max(shares) > 0 and (min(shares) < max(shares) or self.game.scoring_of(self.options) is not Scoring.SIDES)
        winners = tuple(seat for seat, share in enumerate(shares) if share == max(shares)) if decided else ()
        state = self.game.state.at(self._states)
        points = None if self.game.points is None else self.game.points(state, self.options)
        if points is None and not self.game.scoring_of(self.options).is_shared and all(map(float.is_integer, scores)):
            points = tuple(map(int, scores))
        return Result(winners, scores, self.game.words.ending(state)[0], points, shares)

    @property
    def parties(self) -> Parties:
        """Return the seats that win or lose together. Sides that are decided in play are those that spectators know."""
        if self.game.sides is None:
            return self.game.parties(self.players, self.options)
        states = self._states if self.ended else self._concealed(SPECTATOR)
        return self.game.parties(self.players, self.options, self.game.state.at(states))

    @property
    def is_cooperative(self) -> bool:
        """Return whether all players win or lose together."""
        return self.game.scoring_of(self.options) is Scoring.TOGETHER or len(self.parties) == 1 < self.players

    def places(self) -> tuple[int, ...] | None:
        """Return every seat's place after the end, 1 for the winners; None before, and if the game doesn't rank the losers.

        The game's ``places`` decides, or else the points. Losers with equal points share a place.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(players=3, seed="mead")
            >>> while not match.over:
            ...     events = match.play(match.legal()[0])
            >>> match.places()
            (3, 2, 1)
        """
        result, scoring = self.result(), self.game.scoring_of(self.options)
        if result is None or scoring not in (Scoring.RIVALS, Scoring.POINTS) or len(self.parties) < self.players:
            return None
        if self.game.places is not None:
            return self.game.places(self)
        points = result.scores if scoring is Scoring.POINTS else result.points
        if points is None:
            return None
        ahead = [
            [k for k in range(self.players) if k in result.winners or points[k] > points[seat]] for seat in range(self.players)
        ]
        return tuple(1 if seat in result.winners else 1 + len(ahead[seat]) for seat in range(self.players))

    # ------------------------------------------------------------------------------------------------------------ playing

    def check(self, action: Any, seat: int | None = None) -> int:
        """Return the action as an integer if ``seat``, by default the seat to move, can play it now.

        Raises the errors of ``play``.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(players=3, seed="mead")
            >>> match.check(match.legal()[0])
            0
            >>> match.check(match.actor)
            Traceback (most recent call last):
                ...
            meadhall.engine.errors.IllegalAction: You can't choose yourself. (AA-3.1)
        """
        number = action_number(self.game, action)
        if self.actor is None:
            rule, how = self.game.words.ending(self.game.state.at(self._states))
            raise MatchOver(_("The match is over: {how}.").format(how=how), rule)
        player = self.actor if seat is None else as_integer(seat)
        if player is None or player not in self.deciders:
            raise NotYourTurn(self.waiting_in_words(player))
        if number not in self._legal(player):
            rule, reason = self.game.words.refusal(self.game.state.at(self._concealed(player)), number, self.names)
            raise IllegalAction(reason, rule)
        return number

    def waiting_in_words(self, seat: int | None) -> str:
        """Return in words for whom a seat waits that has nothing to choose.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(seed="mead", seats=["Gorm", "Björn", "Astrid"])
            >>> match.waiting_in_words(seat=0)
            "It is Björn's turn."
        """
        if self.has_chosen(seat):
            return _("You have chosen. Waiting for {names}.").format(names=listed([self.names[each] for each in self.deciders]))
        return _("It is {name}'s turn.").format(name=listed([self.names[each] for each in self.deciders]))

    def has_chosen(self, seat: int | None) -> bool:
        """Return whether a seat has made its sealed choice and waits for others, who choose at the same time.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(seed="mead", seats=["Gorm", "Björn", "Astrid"])
            >>> match.has_chosen(seat=0)
            False
        """
        if not is_simultaneous(self.game) or self.over or seat in self.deciders:
            return False
        now = int(self._states["reveals"][0])
        since = takewhile(lambda step: int(step.before["reveals"][0]) == now, reversed(self.steps))
        return any(step.seat == seat for step in since)

    def play(
        self,
        action: Any,
        seat: int | None = None,
        *,
        hinted: bool = False,
        seconds: float | None = None,
        bot: str | None = None,
    ) -> tuple[Event, ...]:
        """Play an action.

        Args:
            action: a legal action, as an ``Action`` or an integer.
            seat: the seat that plays, one of ``deciders``; by default the seat to move.
            hinted: whether the seat had asked for a hint at this decision. It changes only the record.
            seconds: how long the player has thought; None: unknown. It changes only the record.
            bot: the level of the bot that plays it for the owner of the seat; by default that of the stand-in, if there is one.
                It changes only the record.

        Returns:
            The events up to the next decision; ``in_words`` returns their texts.

        Raises:
            MalformedAction, MatchOver, NotYourTurn, IllegalAction: the match is unchanged.
        """
        number = self.check(action, seat)
        actor = self.actor if seat is None else as_integer(seat)
        assert actor is not None
        before, legal = self._states, self.legal_count(actor)
        self._states, events = self._run(acting(self.game, before, actor), self.next_number, self._playing(number))
        self.abandoned = self.awarded = None
        stand_in = self.stand_ins.get(actor)
        played_by = bot or (stand_in.bot if stand_in is not None else None)
        sealed = is_simultaneous(self.game)
        self.steps.append(Step(self.next_number, actor, number, events, legal, before, hinted, seconds, played_by, sealed))
        self.next_number += 1
        if stand_in is not None and stand_in.lasts == "decision":
            self.end_stand_in(actor)
        return events

    def _playing(self, action: int) -> Callable[[States, Any], None]:
        return lambda states, log: loops(self.game).play_one(states, action, log)

    def note_seconds(self, seconds: float) -> None:
        """Note how long the player of the last action has thought. It changes only the record. Raises BadSetup.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
            >>> events = match.play(match.legal()[0])
            >>> match.note_seconds(3.21)
            >>> match.steps[-1].seconds
            3.2
        """
        if not self.steps:
            raise BadSetup("no action has been played")
        self.steps[-1] = replace(self.steps[-1], seconds=round(seconds, 1))

    def in_words(self, event: Event, seat: int | None = None) -> str:
        """Return the text of an event of this match. It calls the player on ``seat`` "you"; by default it names all players."""
        return self.game.words.event(event, self.names, self._viewer(seat))

    def action_in_words(self, step: Step, seat: int | None = None) -> str:
        """Return the text of the action of a step as ``seat`` may know it; for None or -1, as a spectator may know it.

        ``seat`` may be ``EVERYTHING`` when the match has ended.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(seed="mead", seats=["Gorm", "Björn", "Astrid"])
            >>> events = match.play(match.legal()[0])
            >>> match.action_in_words(match.steps[0])
            'attack Gorm'
        """
        if not step.shows_action(self._viewer(seat)):
            return _("a sealed choice")
        return self.game.words.action(self.game.state.at(acting(self.game, step.before, step.seat)), step.action, self.names)

    def tally(self) -> Counts:
        """Return the counters of the game's statistics for the match so far, without undone actions.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("dungeon-allies").match(players=2, seed="mead")
            >>> match.tally().shape
            (144,)
        """
        statistics = self.game.statistics
        counts = np.zeros(statistics.counters, np.int64)
        if statistics.counters:
            statistics.tally(self._logged(self.game.state.new(), 0, self._set_up)[1], counts)
            for step in self.steps:
                before = acting(self.game, step.before, step.seat)
                statistics.tally(self._logged(before, step.n, self._playing(step.action))[1], counts)
        return counts

    def can_undo(self) -> bool:
        """Return whether the last action can be undone freely: it revealed nothing and didn't end the match.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
            >>> match.can_undo()
            False
        """
        return bool(self.steps) and not self.over and not self.reveals(len(self.steps) - 1)

    def reveals(self, position: int) -> bool:
        """Return whether the action at ``position`` in ``steps`` drew a random number or revealed something to any seat.

        The rules count both in the state (``GameState.reveals``). ``check_game`` compares the count with the generator and with
        what each seat sees.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
            >>> events = match.play(match.legal()[0])
            >>> match.reveals(0)  # dice have fallen
            True
        """
        after = self.steps[position + 1].before if position + 1 < len(self.steps) else self._states
        return int(self.steps[position].before["reveals"][0]) != int(after["reveals"][0])

    def undo(self, steps: int = 1, *, revealed: bool = False) -> tuple[Step, ...]:
        """Undo the last ``steps`` actions. Their numbers are never reused, so no roll is repeated.

        The state before them is restored. A game with ``Game.recall`` marks in it what all players saw in the undone actions,
        as AxxA does. Another game forgets it: in Dungeon Allies an undone Illuminate gives its crystal back, and its player may
        look at the same tiles again.

        Args:
            steps: the number of actions to undo.
            revealed: undo even if dice were rolled or something else was revealed since then, or the match is over.

        Returns:
            The undone actions, oldest first.

        Raises:
            CannotUndo: there is nothing to undo, something was revealed, or the match is over.
        """
        count = as_integer(steps)
        if count is None:
            raise CannotUndo(f"the number of actions to undo must be an integer, not {quoted(steps)}")
        if not 1 <= count <= len(self.steps):
            raise CannotUndo(_("There is nothing to undo."))
        if self.over and not revealed:
            raise CannotUndo(_("The match is over, and its seed is known."))
        taken = tuple(self.steps[-count:])
        if not revealed and int(taken[0].before["reveals"][0]) != int(self._states["reveals"][0]):
            raise CannotUndo(_("You can't undo this: something has been revealed since."))
        self.abandoned = self.awarded = None
        del self.steps[-count:]
        for seat in [seat for seat, stand_in in self.stand_ins.items() if stand_in.lasts == "decision"]:
            self.end_stand_in(seat)
        self._visible_steps = {viewer: known[: len(self.steps)] for viewer, known in self._visible_steps.items()}
        self._states = self._recalled(taken)
        self.undone.append(Undone(self.decision, taken))
        return taken

    def _recalled(self, taken: Sequence[Step]) -> States:
        """Return the state before these last steps, with everything the players remember from them."""
        if self.game.recall is None:
            return taken[0].before
        states, state_at = self._states, self.game.state.at
        for step in reversed(taken):
            after, states = states, copied(step.before)
            self.game.recall(state_at(states), step.action, state_at(after))
        return states

    def abandon(self, why: str, awarded: Award | None = None) -> None:
        """Give up the match: nothing is secret any more. Playing or undoing an action resumes it.

        Args:
            why: the reason in words.
            awarded: the win that is awarded; None: there is no winner.

        Raises:
            BadSetup: a record can't hold the text, the award doesn't fit the match, or the match is over.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
            >>> match.abandon("the guests have left")
            >>> match
            <Match of axes-and-allies: 2 players, 0 actions, given up>
        """
        check_line(why, "the reason for giving up a match", MAX_REASON)
        if self.over:
            raise BadSetup("the match was played to its end")
        if awarded is not None:
            check_award(awarded, self.parties)
        self.abandoned, self.awarded = why, awarded

    def resign(self, seat: int, why: str = RESIGNATION) -> Award:
        """Give up the match for a seat. The other side wins.

        Args:
            seat: the seat that gives up.
            why: ``resignation``, or ``time`` if its time is up.

        Raises:
            BadSetup: there are not two players or sides, there is no such reason, or the match is over.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
            >>> match.resign(0).winners
            (1,)
        """
        loser = self._viewer(seat)
        if why not in _RESIGNED:
            raise BadSetup(f"a seat gives up for {' or '.join(_RESIGNED)}, not for {quoted(why)}")
        award = won_by_resignation(self.parties, loser, why) if loser >= 0 else None
        if award is None:
            raise BadSetup("only a seat of a match between two players or sides can resign")
        self.abandon(f"{self.names[loser]} {_RESIGNED[why]}", award)
        return award

    @property
    def living(self) -> tuple[int, ...]:
        """Return the seats that can still win, see ``Game.is_out``."""
        return tuple(seat for seat in range(self.players) if not self.is_out(seat))

    def is_out(self, seat: int) -> bool:
        """Return whether the player on ``seat`` has dropped out, see ``Game.is_out``.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(players=3, seed="mead")
            >>> [match.is_out(seat) for seat in range(3)]
            [False, False, False]
        """
        return self.game.is_out is not None and self.game.is_out(self.game.state.at(self._states), seat)

    def agree_to_draw(self) -> Award:
        """Give up the match as a draw of all living parties. Raises BadSetup if all win or lose together, or if it is over.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
            >>> match.agree_to_draw().scores
            (0.5, 0.5)
        """
        award = drawn_by_agreement(self.parties, self.living)
        if award is None:
            raise BadSetup("players who win or lose together can't draw")
        self.abandon("the players agreed to a draw", award)
        return award

    def rename(self, seat: int, who: Seat) -> None:
        """Give ``seat`` another player from now on. Raises BadSetup.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
            >>> match.rename(0, meadhall.Seat("Gorm"))
            >>> match.names
            ('Gorm', 'Player 2')
        """
        changed = self._viewer(seat)
        if changed < 0:
            raise BadSetup(f"there is no seat {changed}; there are 0 to {self.players - 1}")
        self.seats = tuple(check_seat(who) if k == changed else other for k, other in enumerate(self.seats))

    def begin_stand_in(self, seat: int, stand_in: StandIn) -> None:
        """Let a bot play for the owner of ``seat`` from now on. Raises BadSetup.

        Examples:
            >>> import meadhall
            >>> from meadhall.engine.match.step import StandIn
            >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
            >>> match.begin_stand_in(0, StandIn("karl"))
            >>> sorted(match.stand_ins)
            [0]
            >>> match.end_stand_in(0)
            >>> match.stand_ins
            {}
        """
        if self._viewer(seat) < 0:
            raise BadSetup(f"there is no seat {quoted(seat)}; there are 0 to {self.players - 1}")
        check_seat(Seat(self.seats[seat].name, "bot", stand_in.bot))
        self.stand_ins = {**self.stand_ins, seat: stand_in}

    def end_stand_in(self, seat: int) -> None:
        """Let the owner of ``seat`` play from now on.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
            >>> match.end_stand_in(0)
            >>> match.stand_ins
            {}
        """
        self.stand_ins = {other: stand_in for other, stand_in in self.stand_ins.items() if other != seat}

    def copy(self) -> Self:
        """Return an independent copy of the match.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
            >>> twin = match.copy()
            >>> events = twin.play(twin.legal()[0])
            >>> len(match.steps), len(twin.steps)
            (0, 1)
        """
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.options = dict(self.options)  # a document in it is large, and nothing writes to it
        twin._states = copied(self._states)
        twin.steps = list(self.steps)
        twin.undone = list(self.undone)
        twin._visible_steps = dict(self._visible_steps)
        twin._knowledge = self._known()._replace(of=twin._states)
        return twin

    def __copy__(self) -> Self:
        twin = self.copy()
        twin.options = deepcopy(self.options)
        return twin

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        return self.__copy__()

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle contains: everything but the caches."""
        return {**self.__dict__, "_visible_steps": {}, "_knowledge": _Knowledge(self._states, {}, {})}

    def __repr__(self) -> str:
        standing = "given up" if self.abandoned is not None else to_move(self.names, self.deciders)
        return f"<Match of {self.game.name}: {self.players} players, {counted(len(self.steps))}, {standing}>"

    def displayed(self) -> Iterator[str | Table]:
        """Yield the parts of the readable form: what a spectator may know.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
            >>> next(match.displayed())
            'Axes and Allies'
        """
        yield from self.view().displayed()
        outcome, result = self.outcome(), self.result()
        if outcome is not None:
            points = [""] * self.players if result is None or result.points is None else map(str, result.points)
            rows = zip(self.names, (decimal(share, 3, exactly=False) for share in outcome.scores), points, strict=True)
            yield Table((_("player"), _("score"), _("points")), tuple(rows))

    def supposing(self, states: States) -> Self:
        """Return an independent copy whose state is ``states``, an array of one, e.g. a determinization.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
            >>> twin = match.supposing(match.states)
            >>> twin.actor == match.actor
            True
        """
        twin = self.copy()
        twin._states = copied(states)
        return twin

    def record(
        self, seat: int | None = None, *, legal: bool = False, abandoned: str | None = None, sealed: bool = False
    ) -> MatchRecord:
        """Return the match record (``meadhall-match/1``) as JSON-able data.

        While the match runs, the record holds only what the viewer may know, and no seed. Once it has ended it holds everything.

        Args:
            seat: the viewer of a running match; None: a spectator.
            legal: add the number of legal actions to every action. While the match runs only the viewer's actions get it, because
                the number can reveal a hand.
            abandoned: write the record as if the match were given up now for this reason.
            sealed: write the record as if the match were still running, because other matches still use the same seed.

        Raises:
            BadSetup: there is no such seat, or the reason can't be written.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
            >>> record = match.record()
            >>> record["format"], record["game"], "seed" in record
            ('meadhall-match/1', 'axes-and-allies', False)
        """
        if abandoned is not None and not self.over:
            given_up = self.copy()
            given_up.abandon(abandoned)
            return given_up.record(seat, legal=legal, sealed=sealed)
        complete = self.ended and not sealed
        viewer = EVERYTHING if complete else self._viewer(seat)
        record: MatchRecord = {
            "format": FORMAT,
            "game": self.game.name,
            "rules": self.game.version,
            "options": deepcopy(self.game.recorded_options(self.options)),
            "seats": [written_seat(player) for player in self.seats],
            "started": written_time(self.started),
            **({"clock": dict(self.clock)} if self.clock is not None else {}),
            "commitment": self.commitment,
            **({"seed": self.seed.hex()} if complete else {}),
            "complete": complete,
            "setup": written_events(self.setup, viewer),
            "actions": [self._written(step, viewer, legal) for step in self.steps],
            "undone": [
                {"after": undone.after, "actions": [self._written(step, viewer, legal) for step in undone.steps]}
                for undone in self.undone
            ],
            "result": None,
        }
        return record | self._written_end()

    def _written_end(self) -> dict[str, Any]:
        """Return the fields of a record about the end of the match."""
        result, award = self.result(), self.awarded
        if result is not None:
            written = {"winners": list(result.winners), "scores": [plain_number(payoff) for payoff in result.scores]}
            points = {"points": list(result.points)} if result.points is not None else {}
            return {"result": written | points | {"reason": result.reason}}
        if self.abandoned is None:
            return {}
        if award is None:
            return {"abandoned": self.abandoned}
        scores = [plain_number(payoff) for payoff in award.scores]
        return {"abandoned": self.abandoned, "awarded": {"winners": list(award.winners), "scores": scores, "why": award.why}}

    def _written(self, step: Step, viewer: int, legal: bool = False) -> dict[str, Any]:
        return written_action(step, viewer, self.action_in_words(step, viewer) if step.shows_action(viewer) else None, legal)

    def recorded(self, seat: int | None = None, *, after: int = 0, sealed: bool = False) -> list[dict[str, Any]]:
        """Return the actions numbered above ``after``, as the match record for ``seat`` holds them. Raises BadSetup.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
            >>> events = match.play(match.legal()[0])
            >>> [action["text"] for action in match.recorded(after=0)]
            ['attack Player 1']
        """
        number = as_integer(after)
        if number is None:
            raise BadSetup(f"the number of an action must be an integer, not {quoted(after)}")
        viewer = EVERYTHING if self.ended and not sealed else self._viewer(seat)
        new = list(takewhile(lambda step: step.n > number, reversed(self.steps)))
        return [self._written(step, viewer) for step in reversed(new)]


def _named(seats: Any) -> tuple[Seat, ...] | None:
    """Convert names to seats; return None if no seats are given."""
    if seats is None:
        return None
    if isinstance(seats, str) or not isinstance(seats, Sequence):
        raise BadSetup(f"seats must be a list of names, not {quoted(seats)}")
    return tuple(check_seat(Seat(seat) if isinstance(seat, str) else seat) for seat in seats)


def _in_utc(started: Any) -> datetime:
    """Return a start time in UTC: now by default; a time without a zone counts as UTC. Raises BadSetup for anything else."""
    if started is None:
        return datetime.now(UTC).replace(microsecond=0)
    if not isinstance(started, datetime):
        raise BadSetup(f"the start of a match must be a datetime, not {quoted(started)}")
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
