"""The model of the debug panel: a match at one position, with everything that is hidden in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast, get_args

from meadhall.bots import bot_names
from meadhall.engine.errors import MeadhallError
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import EVERYTHING, concealed, legal_actions
from meadhall.engine.state.events import PUBLIC, Event
from meadhall.engine.state.schema import States
from meadhall.engine.text.language import gettext as _
from meadhall.server.dev.fields import Field, fields_of
from meadhall.server.errors import reason_of, rule_of
from meadhall.server.hall.room import Room
from meadhall.server.hall.state import Stop
from meadhall.server.pages.models import Refusal
from meadhall.server.web.links import link

Tab = Literal["state", "actions", "events", "time", "table"]
TABS = get_args(Tab)

STEPS_SHOWN = 200
"""Number of steps around the shown position that the list of steps has."""

_ACTIONS_NAMED = 40
"""Number of actions that are named for each reason against them."""


@dataclass(frozen=True)
class LegalAction:
    """An action that a seat can play now."""

    action: int
    text: str


@dataclass(frozen=True)
class Decider:
    """A seat that has to choose, and its legal actions."""

    seat: int
    name: str
    prompt: str
    actions: tuple[LegalAction, ...]


@dataclass(frozen=True)
class Refused:
    """Actions that one rule forbids for one reason. ``more``: the number of those that aren't named."""

    rule: str
    reason: str
    actions: tuple[int, ...]
    more: int


@dataclass(frozen=True)
class ToldEvent:
    """An event with its audience: "" for everyone, the name of the one player who knows it, or that it is hidden."""

    name: str
    arguments: str
    text: str
    audience: str


@dataclass(frozen=True)
class ShownStep:
    """A step in the list of steps. ``at``: the position after it."""

    at: int
    n: int
    name: str
    text: str
    events: tuple[ToldEvent, ...]


@dataclass(frozen=True)
class ShownSeat:
    """A seat, who plays for it, and what the developer can choose instead."""

    seat: int
    name: str
    player: str
    information: str


@dataclass(frozen=True)
class ShownStop:
    """Why the match can't go on with the changed rules. ``at``: the last legal position; None if there is none to go on from."""

    what: str
    reason: str
    rule: str
    at: int | None


@dataclass(frozen=True)
class Panel:
    """The debug panel of a table, at one position of its match.

    Attributes:
        at: the shown position: the number of actions before it.
        last: the newest position.
        n: the number of the next action, against forms of an older position.
    """

    id: str
    url: str
    game: str
    title: str
    tab: Tab
    has_match: bool
    edited: bool = False
    at: int = 0
    last: int = 0
    n: int = 0
    standing: str = ""
    stop: ShownStop | None = None
    notice: Refusal | None = None
    fields: tuple[Field, ...] = ()
    viewers: tuple[str, ...] = ()
    deciders: tuple[Decider, ...] = ()
    refused: tuple[Refused, ...] = ()
    actions: int = 0
    steps: tuple[ShownStep, ...] = ()
    setup: tuple[ToldEvent, ...] = ()
    seats: tuple[ShownSeat, ...] = ()
    bots: tuple[str, ...] = ()
    seed: str = ""
    sketch: str = ""

    @property
    def is_live(self) -> bool:
        """Whether the newest position is shown."""
        return self.at == self.last


def tab_of(text: str) -> Tab:
    """Return the tab of an address."""
    return cast("Tab", text) if text in TABS else "state"


def panel_of(room: Room, guest: str, tab: Tab, at: int | None, notice: Refusal | None = None) -> Panel:
    """Return the panel of a table.

    Args:
        room: its room.
        guest: the id of the guest who looks.
        tab: the shown part.
        at: the shown position; None: the newest.
        notice: why the last request was refused.
    """
    game, url = room.game, link(f"/dev/tables/{room.table.id}")
    match = room.match
    if match is None:
        return Panel(room.table.id, url, game.name, game.title, tab, has_match=False, notice=notice)
    last = len(match.steps)
    position = last if at is None else max(0, min(last, at))
    states = states_at(match, position)
    panel = Panel(
        id=room.table.id,
        url=url,
        game=game.name,
        title=game.title,
        tab=tab,
        has_match=True,
        edited=match.edited,
        at=position,
        last=last,
        n=match.next_number,
        standing=_standing(match, states),
        stop=shown_stop(match, room.stop),
        notice=notice,
        actions=match.game.actions,
    )
    match tab:
        case "state":
            fields = fields_of(match.game, states, match.names)
            return replace(panel, fields=fields, viewers=(*match.names, _("Spectator")))
        case "actions":
            return replace(panel, deciders=deciders(match, position), refused=refused(match, states))
        case "events":
            steps = _steps(match, position, with_events=True)
            return replace(panel, steps=steps, setup=_told(match, match.setup))
        case "time":
            steps = _steps(match, position, with_events=False)
            return replace(panel, steps=steps, sketch=_sketch(match, states))
        case "table":
            seats = _seats(room, match, guest)
            return replace(panel, seats=seats, bots=tuple(bot_names(game)), seed=match.seed.hex())


def states_at(match: Match, position: int) -> States:
    """Return the complete state at a position of a match."""
    return match.steps[position].before if position < len(match.steps) else match.states


def actor_of(states: States) -> int | None:
    """Return the seat to move, None at the end."""
    actor = int(states["actor"][0])
    return actor if actor >= 0 else None


def deciders(match: Match, position: int) -> tuple[Decider, ...]:
    """Return the seats that have to choose at a position, with their legal actions."""
    views = [match.view_at(position, seat) for seat in range(match.players)]
    return tuple(
        Decider(
            view.viewer,
            match.names[view.viewer],
            view.prompt(),
            tuple(LegalAction(each.action, each.text) for each in view.actions()),
        )
        for view in views
        if view.legal
    )


def refused(match: Match, states: States) -> tuple[Refused, ...]:
    """Return why the seat to move can't play the other actions, those with one reason together."""
    actor = actor_of(states)
    if actor is None:
        return ()
    known = concealed(match.game, states, actor)
    legal, view = set(legal_actions(match.game, known)), match.game.state.at(known)
    found: dict[tuple[str, str], list[int]] = {}
    for action in range(match.game.actions):
        if action not in legal:
            rule, reason = match.game.words.refusal(view, action, match.names)
            found.setdefault((rule, reason), []).append(action)
    return tuple(
        Refused(rule, reason, tuple(actions[:_ACTIONS_NAMED]), max(0, len(actions) - _ACTIONS_NAMED))
        for (rule, reason), actions in found.items()
    )


def _told(match: Match, events: Sequence[Event]) -> tuple[ToldEvent, ...]:
    return tuple(
        ToldEvent(
            event.name,
            ", ".join(map(str, event.arguments)),
            match.game.words.event(event, match.names, PUBLIC),
            _audience(match, event),
        )
        for event in events
    )


def _audience(match: Match, event: Event) -> str:
    if event.audience == PUBLIC:
        return ""
    if event.audience >= 0:
        return _("only {name}").format(name=match.names[event.audience])
    return _("hidden until the end")


def _steps(match: Match, position: int, *, with_events: bool) -> tuple[ShownStep, ...]:
    """Return the steps around a position, newest first."""
    first = max(0, min(position - STEPS_SHOWN // 2, len(match.steps) - STEPS_SHOWN))
    until = position if with_events else len(match.steps)
    return tuple(
        ShownStep(
            index + 1,
            step.n,
            match.names[step.seat],
            action_text(match, index),
            _told(match, step.events) if with_events else (),
        )
        for index, step in reversed(list(enumerate(match.steps[first : first + STEPS_SHOWN], first)))
        if index < until
    )


def action_text(match: Match, index: int) -> str:
    """Return the text of an action that was played."""
    step = match.steps[index]
    view = match.game.state.at(concealed(match.game, step.before, step.seat))
    return match.game.words.action(view, step.action, match.names)


def _sketch(match: Match, states: States) -> str:
    """Return the position as text with everything revealed, "" if the game has no such sketch."""
    sketch = getattr(match.game.words, "sketch", None)
    if sketch is None:
        return ""
    return str(sketch(match.game.state.at(concealed(match.game, states, EVERYTHING)), match.names))


def _standing(match: Match, states: States) -> str:
    actor = actor_of(states)
    return _("over") if actor is None else _("{name} to move").format(name=match.names[actor])


def _seats(room: Room, match: Match, guest: str) -> tuple[ShownSeat, ...]:
    def player(seat: int) -> str:
        row = room.table.seats[seat]
        return (row.bot or "") if row.kind == "bot" else "me" if guest in row.guests else "person"

    return tuple(
        ShownSeat(seat, name, player(seat), match.information_set(seat).hex()[:16]) for seat, name in enumerate(match.names)
    )


def shown_stop(match: Match, stop: Stop | None) -> ShownStop | None:
    """Say at which action a match stopped to be legal, and why."""
    if stop is None:
        return None
    error = stop.error
    if isinstance(error, MeadhallError):
        reason, rule = reason_of(error), rule_of(error)
    else:
        reason, rule = f"{type(error).__name__}: {error}", ""
    last = len(match.steps)
    if stop.entry is None:
        at = last - 1 if last else None
        return ShownStop(_("By the changed rules the match is over after action {n}.").format(n=match.decision), reason, rule, at)
    if stop.entry.kind in ("action", "hinted"):
        name, number = match.names[stop.entry.seat], match.next_number
        text = _("By the changed rules action {n} is no longer legal: {action}, played by {name}.")
        what = text.format(n=number, action=_words_of(match, stop.entry.value), name=name)
    else:
        what = _("The changed rules don't allow what followed action {n}.").format(n=match.decision)
    return ShownStop(what, reason, rule, last if not match.over else last - 1 if last else None)


def _words_of(match: Match, action: int) -> str:
    """Return an action that isn't legal in words, or as a number where the words of the game don't have it."""
    actor = match.actor
    if actor is None:
        return str(action)
    try:
        return match.game.words.action(match.view(actor).state, action, match.names)
    except Exception:  # the words of an action may need a position in which it is legal
        return str(action)
