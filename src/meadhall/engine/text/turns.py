"""Turns: the events of a match in groups, each with a summary. A log shows the summaries first.

A game says which kinds of events begin a turn, and which the summary tells (``turn``, ``joins`` and ``brief`` of ``EventKind``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from meadhall.engine.state.events import PUBLIC, Event, EventKind, Part, seat

if TYPE_CHECKING:
    from meadhall.engine.interface import GameWords


def begins_turn(kinds: Mapping[int, EventKind], event: Event, before: Event | None) -> bool:
    """Return whether an event begins a turn. ``before``: the event that was told last."""
    kind = kinds[event.kind]
    if kind.turn is None:
        return False
    joined = before is not None and before.name in kind.joins
    if joined and before is not None and kind.argument(0) is seat:
        return event.arguments[:1] != before.arguments[:1]
    return not joined


def turn_starts(kinds: Mapping[int, EventKind], events: Iterable[Event]) -> list[int]:
    """Return the indices of the events that begin a turn: every event, if no kind of the game says that it begins one."""
    if all(kind.turn is None for kind in kinds.values()):
        return [index for index, _ in enumerate(events)]
    starts, before = [], None
    for index, event in enumerate(events):
        if begins_turn(kinds, event, before):
            starts.append(index)
        kind = kinds[event.kind]
        if kind.brief or kind.turn is not None:
            before = event
    return starts


def title(words: GameWords, events: Sequence[Event], names: Sequence[str], viewer: int = PUBLIC) -> str:
    """Return the title of a turn: what its first event says."""
    return words.event(events[0], names, viewer, Part.TURN) or words.event(events[0], names, viewer)


def briefs(words: GameWords, events: Sequence[Event], names: Sequence[str], viewer: int = PUBLIC) -> list[str]:
    """Return the words of each event in the summary of a turn, "" for an event that it leaves out."""
    told = [words.event(event, names, viewer, Part.BRIEF) for event in events]
    return told if words.event(events[0], names, viewer, Part.TURN) else ["", *told[1:]]
