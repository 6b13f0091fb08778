"""View: a match as one seat, or a spectator, may know it."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from meadhall.engine.checks import as_integer, check_text, quoted
from meadhall.engine.compiled import loops
from meadhall.engine.errors import BadSetup, MalformedAction
from meadhall.engine.events import Event
from meadhall.engine.game import Game
from meadhall.engine.game import game as find_game
from meadhall.engine.language import gettext as _
from meadhall.engine.schema import States, copied, field_names

SPECTATOR = -1
EVERYTHING = -2
"""The viewer to whom nothing is hidden: for the replay of a match that is over."""


@dataclass(frozen=True)
class Seat:
    """Who sits there: a name, and a person or a bot of some rank."""

    name: str
    kind: Literal["human", "bot"] = "human"
    bot: str | None = None


def check_seat(seat: Any) -> Seat:
    """A seat as a record can hold it; BadSetup for anything else."""
    if not isinstance(seat, Seat):
        raise BadSetup(f"a seat is a name or a Seat, not {quoted(seat)}")
    if any(unicodedata.category(letter) == "Cc" for letter in check_text(seat.name, "a name")):
        raise BadSetup(f"a name has no control characters, unlike {quoted(seat.name)}")
    if seat.kind not in ("human", "bot"):
        raise BadSetup(f'the kind of a seat is "human" or "bot", not {quoted(seat.kind)}')
    if (seat.kind == "bot") != (seat.bot is not None):
        raise BadSetup(f"a bot's seat, and no other, has the name of a bot, unlike {quoted(seat)}")
    if seat.bot is not None and not check_text(seat.bot, "the name of a bot"):
        raise BadSetup("the name of a bot is empty")
    return seat


@dataclass(frozen=True)
class Action:
    """Something the actor can do: the engine's integer and the words for people. Usable wherever an integer is."""

    action: int
    text: str

    def __index__(self) -> int:
        return self.action

    __int__ = __index__


class Shown(NamedTuple):
    """A step as somebody may know it."""

    n: int
    seat: int
    action: int
    events: tuple[Event, ...]
    hinted: bool
    whispers: tuple[Event, ...]  # those of the events that nobody else was told


class View:
    """A match as one seat may know it: made from a concealed copy, holding nothing else. It can be pickled.

    Attributes:
        game, seats, viewer: the game, who plays, and the seat that looks (-1: a spectator).
        tables: the concealed state (one-element array); ``table`` is the same with its fields as attributes.
        setup, steps: the events the viewer may know, before the first decision and step by step.
        legal: the legal actions if the viewer is to decide, else empty.
        next_number: the number that the next action will have.
    """

    def __init__(
        self,
        game: Game,
        options: Mapping[str, Any],
        seats: tuple[Seat, ...],
        viewer: int,
        states: States,
        setup: tuple[Event, ...],
        steps: tuple[Shown, ...],
        next_number: int,
        legal: tuple[int, ...],
    ) -> None:
        self.game = game
        self._options = options
        self.seats = seats
        self.names = tuple(seat.name for seat in seats)
        self.viewer = viewer
        self.states = states
        self.state: Any = game.state.at(states)
        self.setup = setup
        self.steps = steps
        self.next_number = next_number
        self.legal = legal

    def __reduce__(self) -> tuple[Any, ...]:
        told = (self._options, self.seats, self.viewer, self.states, self.setup, self.steps, self.next_number, self.legal)
        return _seen_again, (self.game.name, *told)

    @cached_property
    def options(self) -> dict[str, Any]:
        """The options of the match by name. They are a copy: nobody can change the match by its view."""
        return deepcopy(dict(self._options))

    @property
    def actor(self) -> int | None:
        """The seat to decide, None when the match is over."""
        return self.state.actor if self.state.actor >= 0 else None

    def actions(self) -> list[Action]:
        """The legal actions in words; empty unless the viewer is to decide."""
        return [Action(action, self.game.words.action(self.state, action, self.names)) for action in self.legal]

    def refusal(self, action: int) -> tuple[str, str]:
        """Rule id and words: why the viewer, who is to decide, can't play this action. Raises MalformedAction."""
        return self.game.words.refusal(self.state, action_number(self.game, action), self.names)

    def prompt(self) -> str:
        """What is to be decided and by whom."""
        return self.game.words.prompt(self.state, self.names, self.viewer)

    def to_dict(self) -> dict[str, Any]:
        """The view as JSON-able data: the visible state field by field, the legal actions, the next action's number."""
        row = self.states[0]
        return {
            "viewer": None if self.viewer == SPECTATOR else self.viewer,
            "actor": self.actor,
            "next": self.next_number,
            "state": {name: row[name].tolist() for name in field_names(self.states.dtype) if name != "actor"},
            "legal": [{"action": action.action, "text": action.text} for action in self.actions()],
        }


def _seen_again(name: str, options: Mapping[str, Any], *told: Any) -> View:
    """A view that was pickled."""
    return View(find_game(name).under(options), options, *told)


def action_number(game: Game, action: Any) -> int:
    """The integer of what may be an action of the game, legal or not. Raises MalformedAction."""
    number = as_integer(action)
    if number is None:
        raise MalformedAction(_("An action is an integer, not {what}.").format(what=quoted(action)))
    if not 0 <= number < game.actions:
        raise MalformedAction(_("Action {action} is outside 0 to {last}.").format(action=quoted(number), last=game.actions - 1))
    return number


def concealed(game: Game, states: States, viewer: int) -> States:
    """A copy of a state without what ``viewer`` may not know, and without the generator."""
    copy = copied(states)
    if viewer == EVERYTHING:
        copy["rng"] = 0
        return copy
    loops(game).conceal_one(copy, viewer)
    return copy


def visible(events: tuple[Event, ...], viewer: int) -> tuple[Event, ...]:
    """The events that ``viewer`` may know."""
    seen = tuple(event for event in events if viewer == EVERYTHING or event.visible_to(viewer))
    return events if len(seen) == len(events) else seen  # most hide nothing, and are kept once for all viewers


def legal_actions(game: Game, states: States) -> tuple[int, ...]:
    """The legal actions of a state (complete, or concealed for its actor), ascending; none when it is over."""
    if states["actor"][0] < 0:
        return ()
    out = np.zeros(game.actions, np.int32)
    return tuple(out[: loops(game).legal_one(states, out)].tolist())
