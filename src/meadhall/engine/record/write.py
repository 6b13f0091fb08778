"""Write the parts of a match as a match record holds them."""

from __future__ import annotations

from typing import Any

from meadhall.engine.match.deciders import SEALED
from meadhall.engine.match.step import Step
from meadhall.engine.match.view import EVERYTHING, Seat, visible
from meadhall.engine.state.events import Event


def written_action(step: Step, viewer: int, text: str | None, legal: bool) -> dict[str, Any]:
    """Write an action. ``text``: its words; None if ``viewer`` may know only its events."""
    written: dict[str, Any] = {
        "n": step.n,
        "seat": step.seat,
        "action": SEALED if text is None else step.action,
        "text": text or "",
        "events": written_events(step.events, viewer),
    }
    if text is None:
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


def written_events(events: tuple[Event, ...], viewer: int) -> list[list[Any]]:
    """Write the events that ``viewer`` may know."""
    return [event.to_list() for event in visible(events, viewer)]


def written_seat(seat: Seat) -> dict[str, str]:
    """Write the player on a seat."""
    written = {"name": seat.name, "kind": seat.kind}
    if seat.bot is not None:
        written["bot"] = seat.bot
    return written


def plain_number(payoff: float) -> float | int:
    """Return a payoff as an integer if it is one."""
    return int(payoff) if payoff == int(payoff) else payoff
