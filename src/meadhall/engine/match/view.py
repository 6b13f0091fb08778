"""View: a match as one seat, or a spectator, may know it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Literal, NamedTuple

import numpy as np

from meadhall.engine.checks import MAX_NAME, as_integer, check_line, quoted
from meadhall.engine.compiled import loops
from meadhall.engine.errors import BadSetup, MalformedAction
from meadhall.engine.game import Game
from meadhall.engine.match.deciders import deciders
from meadhall.engine.state.events import PUBLIC, Event
from meadhall.engine.state.schema import PlainState, S, States, copied, field_names, fields_in_words
from meadhall.engine.text.display import Displayed, Table
from meadhall.engine.text.language import gettext as _

SPECTATOR = -1
EVERYTHING = -2
"""The viewer who sees everything: for replays of finished matches."""


@dataclass(frozen=True)
class Seat:
    """The player on a seat: a person, or a bot with the name of its level."""

    name: str
    kind: Literal["human", "bot"] = "human"
    bot: str | None = None


def bot_in_words(bot: str | None) -> str:
    """Return the name of a bot for people, in the current language: "King" for the level ``king``, "" without a bot."""
    return _(bot.capitalize()) if bot else ""


def check_seat(seat: Any) -> Seat:
    """Return ``seat`` if a record can hold it. Raises BadSetup for anything else."""
    if not isinstance(seat, Seat):
        raise BadSetup(f"a seat must be a name or a Seat, not {quoted(seat)}")
    check_line(seat.name, "a name", MAX_NAME)
    if seat.kind not in ("human", "bot"):
        raise BadSetup(f'the kind of a seat must be "human" or "bot", not {quoted(seat.kind)}')
    if (seat.kind == "bot") != (seat.bot is not None):
        raise BadSetup(f"a bot's seat must name its bot, and a person's seat must not: {quoted(seat)}")
    if seat.bot is not None and not check_line(seat.bot, "the name of a bot", MAX_NAME):
        raise BadSetup("the name of a bot is empty")
    return seat


@dataclass(frozen=True)
class Action:
    """A legal action: the engine's integer and its text. It can be used wherever an integer can."""

    action: int
    text: str

    def __index__(self) -> int:
        return self.action

    __int__ = __index__


class VisibleStep(NamedTuple):
    """A step as one viewer may know it."""

    n: int
    seat: int
    action: int  # deciders.SEALED if the viewer may know only its events
    events: tuple[Event, ...]
    hinted: bool
    private_events: tuple[Event, ...]  # the events that only this viewer was told


class View(Displayed, Generic[S]):
    """A match as one viewer may know it. It holds a concealed copy of the state and nothing else that is hidden.

    A view can be copied and pickled; a copy has a state array of its own.

    Attributes:
        game: the game.
        seats: its players.
        viewer: the viewing seat (-1: a spectator).
        states: the concealed state, an array of one; ``state`` is the same with its fields as attributes.
        setup: the events before the first decision that the viewer may know.
        steps: the steps as the viewer may know them.
        legal: the legal actions if the viewer has to choose, otherwise empty.
        next_number: the number of the next action.

    Examples:
        >>> import meadhall
        >>> match = meadhall.game("axes-and-allies").match(seed="mead", seats=["Gorm", "Björn", "Astrid"])
        >>> view = match.view(match.actor)
        >>> view.prompt()
        'Your axe has power 6: it kills on a roll below 6. Attack a player, or ally with one.'
        >>> [action.text for action in view.actions()]
        ['attack Gorm', 'attack Astrid', 'ally with Gorm', 'ally with Astrid']
        >>> view.refusal(match.actor)
        ('AA-3.1', "You can't choose yourself.")
        >>> view.to_dict()["legal"][0]
        {'action': 0, 'text': 'attack Gorm'}
        >>> next(view.displayed())
        'Axes and Allies'
    """

    def __init__(
        self,
        game: Game[S],
        options: Mapping[str, Any],
        seats: tuple[Seat, ...],
        viewer: int,
        states: States,
        setup: tuple[Event, ...],
        steps: tuple[VisibleStep, ...],
        next_number: int,
        legal: tuple[int, ...],
    ) -> None:
        self.game = game
        self._options = options
        self.seats = seats
        self.names = tuple([seat.name for seat in seats])
        self.viewer = viewer
        self.states = states
        self.state: S = game.state.at(states)
        self.setup = setup
        self.steps = steps
        self.next_number = next_number
        self.legal = legal

    def __reduce__(self) -> tuple[Any, ...]:
        return View, (self.game, self._options, self.seats, self.viewer, self.states, *self._known())

    def __copy__(self) -> View[S]:
        return View(self.game, deepcopy(self._options), self.seats, self.viewer, copied(self.states), *self._known())

    def __deepcopy__(self, _memo: dict[int, Any]) -> View[S]:
        return self.__copy__()

    def _known(self) -> tuple[tuple[Event, ...], tuple[VisibleStep, ...], int, tuple[int, ...]]:
        return self.setup, self.steps, self.next_number, self.legal

    def __repr__(self) -> str:
        viewer = {SPECTATOR: "a spectator", EVERYTHING: "a viewer of everything"}.get(self.viewer) or self.names[self.viewer]
        turn = to_move(self.names, self.deciders)
        return f"<View of {self.game.name} for {viewer}: {len(self.seats)} players, {counted(len(self.steps))}, {turn}>"

    def displayed(self) -> Iterator[str | Table]:
        """Yield the parts of the readable form: the game, the players, the board if the game sketches it, the decision."""
        yield self.game.title
        yield ", ".join(f"{seat.name} ({seat.bot})" if seat.bot else seat.name for seat in self.seats)
        yield self.sketch()
        if self.actor is None:
            yield _("The match is over: {how}.").format(how=self.game.words.ending(self.state)[1])
            return
        yield self.prompt()
        if self.legal:
            yield Table((), tuple((str(action.action), action.text) for action in self.actions()))

    def sketch(self) -> str:
        """Return the board in a few lines of text, as the game's words draw it; if they don't, the fields of the concealed state.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axxa").match(seed="example")
            >>> len(match.view().sketch().splitlines()) > 5
            True
        """
        sketch = getattr(self.game.words, "sketch", None)
        if sketch is None:
            return fields_in_words(self.states, self.names, self.game.max_players)
        return str(sketch(self.state, self.names))

    @cached_property
    def plain(self) -> PlainState:
        """Return the concealed state as Python's integers and lists."""
        return PlainState(self.states)

    @cached_property
    def options(self) -> dict[str, Any]:
        """Return a copy of the options of the match, by name."""
        return deepcopy(dict(self._options))

    @property
    def actor(self) -> int | None:
        """Return the seat to move, None when the match is over. A viewer that has still to choose is the seat to move."""
        actor: int = self.state.actor
        return actor if actor >= 0 else None

    @cached_property
    def deciders(self) -> tuple[int, ...]:
        """Return the seats that have still to choose: the seat to move, or several if they choose at the same time."""
        return deciders(self.game, self.states)

    def actions(self) -> list[Action]:
        """Return the legal actions with their texts; empty unless the viewer has to choose."""
        return [Action(action, self.game.words.action(self.state, action, self.names)) for action in self.legal]

    def refusal(self, action: int) -> tuple[str, str]:
        """Return the rule id and text of why the seat to move can't play this action. Raises MalformedAction."""
        return self.game.words.refusal(self.state, action_number(self.game, action), self.names)

    def prompt(self) -> str:
        """Return the text of the pending decision for this viewer."""
        return self.game.words.prompt(self.state, self.names, self.viewer)

    def to_dict(self, state: Any = None) -> dict[str, Any]:
        """Return the view as JSON-able data: the visible state by field, the legal actions, the next action's number.

        ``state``: takes the place of the visible state, for a caller that has it in another form.
        """
        row = self.states[0]
        if state is None:
            state = {name: row[name].tolist() for name in field_names(self.states.dtype) if name != "actor"}
        return {
            "viewer": None if self.viewer == SPECTATOR else self.viewer,
            "actor": self.actor,
            "deciders": list(self.deciders),
            "next": self.next_number,
            "state": state,
            "legal": [{"action": action.action, "text": action.text} for action in self.actions()],
        }


def counted(actions: int) -> str:
    """Return a number of actions for a ``repr``."""
    return f"{actions} action" if actions == 1 else f"{actions} actions"


def to_move(names: Sequence[str], deciders: Sequence[int]) -> str:
    """Return whose turn it is, for a ``repr``."""
    return f"{' and '.join(names[seat] for seat in deciders)} to move" if deciders else "over"


def action_number(game: Game, action: Any) -> int:
    """Return ``action`` as an integer of the game's action space, legal or not. Raises MalformedAction."""
    number = as_integer(action)
    if number is None:
        raise MalformedAction(_("An action must be an integer, not {what}.").format(what=quoted(action)))
    if not 0 <= number < game.actions:
        raise MalformedAction(_("Action {action} is outside 0 to {last}.").format(action=quoted(number), last=game.actions - 1))
    return number


def concealed(game: Game, states: States, viewer: int) -> States:
    """Return a copy of a state without the generator and without anything ``viewer`` may not know.

    A viewer that has still to choose is its actor.
    """
    copy = copied(states)
    if viewer == EVERYTHING:
        copy["rng"] = 0
        return copy
    loops(game).conceal_one(copy, viewer)
    return copy


def visible(events: tuple[Event, ...], viewer: int) -> tuple[Event, ...]:
    """Return the events that ``viewer`` may know."""
    if viewer == EVERYTHING:
        return events
    seen = [event for event in events if event.audience == PUBLIC or event.audience == viewer >= 0]
    return events if len(seen) == len(events) else tuple(seen)  # most steps hide nothing: all viewers share one tuple


def legal_actions(game: Game, states: States) -> tuple[int, ...]:
    """Return the actor's legal actions in a state (complete, or concealed for it) in ascending order; none when it is over.

    Examples:
        >>> import meadhall
        >>> from meadhall.sdk import legal_actions
        >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
        >>> legal_actions(match.game, match.states)
        (0, 6)
    """
    if states["actor"][0] < 0:
        return ()
    out = np.zeros(game.actions, np.int32)
    return tuple(out[: loops(game).legal_one(states, out)].tolist())
