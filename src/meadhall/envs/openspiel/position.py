"""Position: where a game of OpenSpiel stands. It never changes, so that copies of a state share it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from meadhall.engine.compiled import loops
from meadhall.engine.game import Game
from meadhall.engine.kind import Kind
from meadhall.engine.match.deciders import SEALED, acting, deciders, is_simultaneous
from meadhall.engine.match.step import drawn_by_agreement
from meadhall.engine.match.view import SPECTATOR, Seat, View, VisibleStep, concealed, legal_actions, visible
from meadhall.engine.registry import game
from meadhall.engine.state.events import Event
from meadhall.engine.state.schema import States
from meadhall.envs.observation import fields_in_text
from meadhall.envs.openspiel.scripted import Needed, ScriptedRules

MAX_OUTCOMES = 128
"""The largest number of outcomes of a chance node. A draw with more outcomes takes several nodes."""

HORIZON = 10_000
"""The number of decisions after which a match of a game without a bound ends as a draw."""


class Setting:
    """A game with a number of players and options.

    Attributes:
        game: the edition of the game.
        players: the number of players.
        options: the checked options.
        kind: the kind of the game.
        seats: the players' names.
    """

    def __init__(self, name: str | Game, players: int, options: Mapping[str, Any]) -> None:
        self.game: Game = game(name).edition_for(options)
        self.players, self.options = players, options
        self.kind: Kind = self.game.kind_of(players, options)
        self.seats = tuple(Seat(f"Player {seat + 1}") for seat in range(players))
        self.names = tuple(seat.name for seat in self.seats)
        self.scripted = ScriptedRules(self.game)
        self.codes = self.game.encode_options(options)
        self.horizon = HORIZON if self.kind.max_length is None else self.kind.max_length

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _setting, (self.game.name, self.players, tuple(self.options.items()))

    @cached_property
    def start(self) -> Position:
        """Return the position before the setup, or after it if chance has no part in it."""
        return Position(self, self.game.state.new()).advanced()


_settings: dict[str, Setting] = {}


def _setting(name: str, players: int, options: Sequence[tuple[str, Any]]) -> Setting:
    """Return the setting of a pickle."""
    key = repr((name, players, options))
    known = _settings.get(key)
    if known is None or known.game is not game(name).edition_for(dict(options)):
        known = _settings[key] = Setting(name, players, dict(options))
    return known


class Told(NamedTuple):
    """A step of a game: the seat, its action, whether the other seats don't see it, and the events with their audiences."""

    seat: int
    action: int
    sealed: bool
    events: tuple[Event, ...]


class Draw(NamedTuple):
    """The possible values of a random draw: ``size`` values from ``first`` on, equally likely."""

    first: int
    size: int

    @property
    def block(self) -> int:
        """Return how many values an outcome of the chance node stands for: 1 if the node decides the draw."""
        block = 1
        while self.size > block * MAX_OUTCOMES:
            block *= MAX_OUTCOMES
        return block

    def outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of the chance node with their probabilities."""
        starts = range(0, self.size, self.block)
        return [(number, min(self.block, self.size - start) / self.size) for number, start in enumerate(starts)]

    def narrowed(self, outcome: int) -> Draw:
        """Return the values that are left after an outcome."""
        start = outcome * self.block
        return Draw(self.first + start, min(self.block, self.size - start))


@dataclass(frozen=True, eq=False)
class Position:
    """A position between two decisions or random draws.

    Attributes:
        setting: the game.
        states: the state before the step that is being played: an array of one, without its generator.
        setup: the events of the setup; None before its end.
        steps: the steps that have been played.
        pending: the seats and actions to be played: one, or all of a simultaneous decision.
        outcomes: the outcomes of the draws of the step that is being played.
        draw: the next draw; None if a decision is next.
    """

    setting: Setting
    states: States
    setup: tuple[Event, ...] | None = None
    steps: tuple[Told, ...] = ()
    pending: tuple[tuple[int, int], ...] = ()
    outcomes: tuple[int, ...] = ()
    draw: Draw | None = None

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Position, tuple(getattr(self, part.name) for part in fields(self))

    # ------------------------------------------------------------------------------------------------------------ reading

    @cached_property
    def deciders(self) -> tuple[int, ...]:
        """Return the seats that have to choose; none at a random draw and at the end."""
        return () if self.draw is not None or self.over else deciders(self.setting.game, self.states)

    @property
    def over(self) -> bool:
        """Return whether the match is over, by the rules or because the horizon is reached."""
        return self.setup is not None and not self.pending and (self.ended or len(self.steps) >= self.setting.horizon)

    @property
    def ended(self) -> bool:
        """Return whether the match is over by the rules."""
        return int(self.states["actor"][0]) < 0

    def concealed(self, viewer: int) -> States:
        """Return the state as a viewer may know it."""
        return concealed(self.setting.game, self.states, viewer)

    def legal(self, seat: int) -> list[int]:
        """Return the legal actions of a seat; none if it has nothing to choose."""
        return self._choices.get(seat, [])

    @cached_property
    def _choices(self) -> dict[int, list[int]]:
        return {seat: list(legal_actions(self.setting.game, self.concealed(seat))) for seat in self.deciders}

    def view(self, viewer: int) -> View:
        """Return the match as a viewer may know it."""
        setting, steps = self.setting, tuple(self._steps_seen_by(viewer))
        legal = tuple(self.legal(viewer)) if viewer >= 0 else ()
        states, setup = self.concealed(viewer), visible(self.setup or (), viewer)
        return View(setting.game, setting.options, setting.seats, viewer, states, setup, steps, len(steps) + 1, legal)

    def _steps_seen_by(self, viewer: int) -> list[VisibleStep]:
        steps = []
        for number, (seat, action, sealed, events) in enumerate(self.steps, 1):
            seen = visible(events, viewer)
            private = tuple(event for event in seen if event.audience == viewer != SPECTATOR)
            steps.append(VisibleStep(number, seat, SEALED if sealed and seat != viewer else action, seen, False, private))
        return steps

    def payoffs(self) -> list[float]:
        """Return every seat's payoff at the end, zeros before it. At the horizon the match is a draw."""
        setting = self.setting
        payoffs = np.zeros(setting.players, np.float64)
        if not self.over:
            return payoffs.tolist()
        if self.ended:
            loops(setting.game).score_one(self.states, payoffs)
            return payoffs.tolist()
        return self._draw_payoffs()

    def _draw_payoffs(self) -> list[float]:
        """Return the payoffs of a draw: the living share a win, points are divided equally."""
        setting, game = self.setting, self.setting.game
        state, total = game.state.at(self.states), game.payoffs_of(setting.players, setting.options).total
        living = [seat for seat in range(setting.players) if game.is_out is None or not game.is_out(state, seat)]
        shared = game.scoring_of(setting.options).is_shared
        award = drawn_by_agreement(setting.kind.sides or (), living) if shared else None
        each = setting.kind.smallest if total is None else total / setting.players
        return [each] * setting.players if award is None else list(award.scores)

    def action_text(self, seat: int, action: int) -> str:
        """Return the text of an action of a seat, with its number where other legal actions have the same text."""
        return self._action_texts.get((seat, action), f"action {action}")

    @cached_property
    def _action_texts(self) -> dict[tuple[int, int], str]:
        """Return the texts of all legal actions, by seat and action."""
        game, names = self.setting.game, self.setting.names
        found: dict[tuple[int, int], str] = {}
        for seat, actions in self._choices.items():
            state = game.state.at(self.concealed(seat))
            texts = {action: game.words.action(state, action, names) for action in actions}
            times = Counter(texts.values())
            found |= {(seat, action): text if times[text] == 1 else f"{text} ({action})" for action, text in texts.items()}
        return found

    def in_text(self) -> str:
        """Return everything about the position as text, hidden parts included."""
        lines = [fields_in_text(self.states)] if self.setup is not None else []
        lines += (f"seat {seat} plays {action}" for seat, action in self.pending)
        if self.draw is not None:
            lines.append(" ".join(("chance:", *map(str, self.outcomes), f"one of {self.draw.size} from {self.draw.first}")))
        return "\n".join(lines)

    # ------------------------------------------------------------------------------------------------------------ playing

    def played(self, choices: Sequence[tuple[int, int]]) -> Position:
        """Return the position after these seats have chosen these actions, up to a decision or a random draw."""
        return replace(self, pending=tuple(choices)).advanced()

    def drawn(self, outcome: int) -> Position:
        """Return the position after an outcome of the random draw."""
        assert self.draw is not None
        draw = self.draw.narrowed(outcome)
        if draw.size > 1:
            return replace(self, draw=draw)
        return replace(self, outcomes=(*self.outcomes, draw.first), draw=None).advanced()

    def advanced(self) -> Position:
        """Return the position after everything that follows without a decision or an unknown outcome."""
        position = self
        while position.setup is None or position.pending:
            try:
                position = position._after_step()
            except Needed as needed:
                return replace(position, draw=Draw(0, needed.size))
        return position

    def _after_step(self) -> Position:
        """Return the position after the setup, or after the first pending action. Raises Needed."""
        setting = self.setting
        if self.setup is None:
            states, events = setting.scripted.set_up(setting.players, setting.codes, self.outcomes)
            return replace(self, states=states, setup=events, outcomes=())
        (seat, action), *rest = self.pending
        states, events = setting.scripted.play(acting(setting.game, self.states, seat), action, self.outcomes)
        step = Told(seat, action, is_simultaneous(setting.game), events)
        return replace(self, states=states, steps=(*self.steps, step), pending=tuple(rest), outcomes=())

    def resampled(self, viewer: int, key: tuple[int, int]) -> Position:
        """Return a determinization: a position that the viewer can't tell from this one.

        The other seats keep only what the viewer knows of their past: what they were told in secret is gone.

        Args:
            viewer: the seat.
            key: the words of the generator that fills the blanks.
        """
        game, states = self.setting.game, self.concealed(viewer)
        states["rng"][0] = key
        loops(game).redeal_one(states, viewer)
        states["rng"] = 0
        states["actor"] = self.states["actor"]
        seen = zip(self._steps_seen_by(viewer), self.steps, strict=True)
        steps = tuple(Told(step.seat, step.action, told.sealed, step.events) for step, told in seen)
        return replace(self, states=states, setup=visible(self.setup or (), viewer), steps=steps)
