"""The debug panel: the state of a match, the legal actions and the events, with everything that is hidden in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from meadhall.engine.match.match import Match
from meadhall.engine.match.view import SPECTATOR, concealed
from meadhall.engine.state.events import PUBLIC, Event
from meadhall.engine.state.schema import field_names
from meadhall.engine.text.language import gettext as _
from meadhall.server.hall.room import Room

_MOST_STEPS = 100
"""The number of steps, from the newest on, whose events are shown."""


@dataclass(frozen=True)
class Field:
    """A field of the state. ``seen``: what each seat and a spectator sees in its place, "" for the true value."""

    name: str
    kind: str
    text: str
    seen: tuple[str, ...]


@dataclass(frozen=True)
class Decider:
    """A seat that has to choose, and its legal actions: their numbers and texts."""

    name: str
    prompt: str
    actions: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class ToldEvent:
    """An event. ``audience``: "" if everyone knows it, else who does."""

    name: str
    arguments: str
    text: str
    audience: str


@dataclass(frozen=True)
class Step:
    """An action that was played, and its events."""

    title: str
    events: tuple[ToldEvent, ...]


@dataclass(frozen=True)
class Panel:
    """The debug panel of a table. Before the match it has no parts."""

    id: str
    title: str
    viewers: tuple[str, ...] = ()
    fields: tuple[Field, ...] = ()
    deciders: tuple[Decider, ...] = ()
    steps: tuple[Step, ...] = ()


def panel_of(room: Room) -> Panel:
    """Return the panel of a table."""
    match = room.match
    if match is None:
        return Panel(room.table.id, room.game.title)
    steps = tuple(_step(match, index) for index in reversed(range(len(match.steps))[-_MOST_STEPS:]))
    setup = Step(_("Setup"), _told(match, match.setup))
    return Panel(
        room.table.id, room.game.title, (*match.names, _("Spectator")), _fields(match), _deciders(match), (*steps, setup)
    )


def _fields(match: Match) -> tuple[Field, ...]:
    views = [concealed(match.game, match.states, viewer)[0] for viewer in (*range(match.players), SPECTATOR)]
    true = match.states[0]

    def seen(view: np.void, name: str) -> str:
        return "" if np.array_equal(view[name], true[name]) else _text(view[name])

    return tuple(
        Field(name, _kind(true[name]), _text(true[name]), tuple(seen(view, name) for view in views))
        for name in field_names(match.states.dtype)
    )


def _kind(value: np.generic | np.ndarray) -> str:
    return " × ".join([value.dtype.name, *map(str, value.shape)])


def _text(value: np.generic | np.ndarray) -> str:
    """Return the integers of a field, a line for each row of an array."""
    rows = np.asarray(value).reshape(-1, np.shape(value)[-1] if np.ndim(value) else 1)
    return "\n".join(" ".join(map(str, row)) for row in rows.tolist())


def _deciders(match: Match) -> tuple[Decider, ...]:
    views = [match.view(seat) for seat in match.deciders]
    return tuple(
        Decider(match.names[view.viewer], view.prompt(), tuple((each.action, each.text) for each in view.actions()))
        for view in views
    )


def _step(match: Match, index: int) -> Step:
    step = match.steps[index]
    known = match.game.state.at(concealed(match.game, step.before, step.seat))
    text = match.game.words.action(known, step.action, match.names)
    return Step(f"{step.n}. {match.names[step.seat]}: {text} ({step.action})", _told(match, step.events))


def _told(match: Match, events: Sequence[Event]) -> tuple[ToldEvent, ...]:
    words = match.game.words
    return tuple(
        ToldEvent(each.name, ", ".join(map(str, each.arguments)), words.event(each, match.names, PUBLIC), _audience(match, each))
        for each in events
    )


def _audience(match: Match, event: Event) -> str:
    if event.audience == PUBLIC:
        return ""
    if event.audience >= 0:
        return _("only {name}").format(name=match.names[event.audience])
    return _("hidden until the end")
