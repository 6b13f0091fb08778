"""Write a match as a match record."""

from __future__ import annotations

from copy import deepcopy
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from meadhall.engine.match.deciders import SEALED
from meadhall.engine.match.view import EVERYTHING, Seat, visible
from meadhall.engine.record.format import FORMAT, MatchRecord, written_time
from meadhall.engine.state.events import Event

if TYPE_CHECKING:
    from meadhall.engine.match.match import Match
    from meadhall.engine.match.step import Step


def to_record(match: Match, viewer: int, *, legal: bool, sealed: bool) -> MatchRecord:
    """Write the record of a match: without the seed and filtered for ``viewer`` while it runs or is sealed.

    See ``Match.record``.
    """
    complete = match.ended and not sealed
    viewer = EVERYTHING if complete else viewer
    result = match.result()
    written: MatchRecord = {
        "format": FORMAT,
        "game": match.game.name,
        "rules": match.game.version,
        "options": deepcopy(match.game.recorded_options(match.options)),
        "seats": [_seat(seat) for seat in match.seats],
        "started": written_time(match.started),
        **({"clock": dict(match.clock)} if match.clock is not None else {}),
        "commitment": match.commitment,
        **({"seed": match.seed.hex()} if complete else {}),
        "complete": complete,
        "setup": _events(match.setup, viewer),
        "actions": [_action(match, step, viewer, legal) for step in match.steps],
        "undone": [
            {"after": undone.after, "actions": [_action(match, step, viewer, legal) for step in undone.steps]}
            for undone in match.undone
        ],
        "result": None,
    }
    if result is not None:
        written["result"] = {"winners": list(result.winners), "scores": [_plain(payoff) for payoff in result.scores]}
        if result.points is not None:
            written["result"]["points"] = list(result.points)
        written["result"]["reason"] = result.reason
    elif match.abandoned is not None:
        written["abandoned"] = match.abandoned
        if match.awarded is not None:
            scores = [_plain(payoff) for payoff in match.awarded.scores]
            written["awarded"] = {"winners": list(match.awarded.winners), "scores": scores, "why": match.awarded.why}
    return written


def to_actions(match: Match, viewer: int, *, after: int, sealed: bool) -> list[dict[str, Any]]:
    """Write the actions of a record that are numbered above ``after``. See ``Match.recorded``."""
    viewer = EVERYTHING if match.ended and not sealed else viewer
    new = list(takewhile(lambda step: step.n > after, reversed(match.steps)))
    return [_action(match, step, viewer) for step in reversed(new)]


def _action(match: Match, step: Step, viewer: int, legal: bool = False) -> dict[str, Any]:
    open_ = step.shows_action(viewer)
    written: dict[str, Any] = {
        "n": step.n,
        "seat": step.seat,
        "action": step.action if open_ else SEALED,
        "text": match.action_in_words(step, viewer) if open_ else "",
        "events": _events(step.events, viewer),
    }
    if not open_:
        written["sealed"] = True
    if step.hinted:
        written["hinted"] = True
    if step.seconds is not None:
        written["seconds"] = step.seconds
    if step.bot is not None:
        written["bot"] = step.bot
    if legal and viewer in (EVERYTHING, step.seat):
        written["legal"] = step.legal
    return written


def _events(events: tuple[Event, ...], viewer: int) -> list[list[Any]]:
    return [event.to_list() for event in visible(events, viewer)]


def _seat(seat: Seat) -> dict[str, str]:
    written = {"name": seat.name, "kind": seat.kind}
    if seat.bot is not None:
        written["bot"] = seat.bot
    return written


def _plain(payoff: float) -> float | int:
    return int(payoff) if payoff == int(payoff) else payoff
