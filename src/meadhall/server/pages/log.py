"""The log of a match: the newest turns for every reader, and the private events of one seat."""

from __future__ import annotations

from collections.abc import Sequence

from meadhall.engine.interface import GameWords
from meadhall.engine.match.telling import turn_starts
from meadhall.engine.match.view import View
from meadhall.engine.state.events import PUBLIC, Event, EventKind, Part, seat
from meadhall.engine.text.language import gettext as _
from meadhall.server.pages.models import LogEntry, LoggedEvent, LoggedTurn, TurnInWords
from meadhall.server.web.links import link

LOG_SHOWN = 60
"""Number of events in the newest turns that a page shows; more if the last turn has more. The replay has all events."""

PRIVATE_EVENTS_SHOWN = 5
"""Number of private events that the page of a seat shows."""


def log(view: View) -> tuple[LoggedTurn, ...]:
    """Return the newest turns as the viewer may know them, newest first."""
    return TurnLog(view).turns


class TurnLog:
    """The newest turns of a match, as the viewer of a view may know them. It grows with the match, and reads only the new steps.

    Attributes:
        earlier: turns that the next steps don't change, oldest first.
        latest: the other turns, oldest first: those with events of the last step, and the one that may go on.
        dropped: the number of turns that were removed from the beginning of ``earlier``.
    """

    def __init__(self, view: View) -> None:
        """Read the newest steps of a view."""
        self.earlier: list[LoggedTurn] = []
        self.latest: list[LoggedTurn] = []
        self.dropped = 0
        self._names, self._steps = view.names, view.steps
        self._events = len(view.setup) + sum(len(step.events) for step in view.steps)  # also those that are not shown
        newest = _newest(view, self._events)
        self._add(view, newest, len(newest) - len(view.steps[-1].events if view.steps else view.setup))

    @property
    def turns(self) -> tuple[LoggedTurn, ...]:
        """All these turns, newest first."""
        return tuple(reversed([*self.earlier, *self.latest]))

    def follow(self, view: View) -> bool:
        """Read the steps of a later view. Return False, and change nothing, if the view doesn't continue the last one."""
        known = len(self._steps)
        if view.names != self._names or len(view.steps) < known:
            return False
        if known and view.steps[known - 1].n != self._steps[-1].n:  # after an undo; numbers are never used again
            return False
        if len(view.steps) > known:
            events = [each for turn in self.latest for each in turn.events]
            for step in view.steps[known:]:
                told = len(events)
                events += _logged(view, step.n, self._events, step.events, step.hinted)
                self._events += len(step.events)
            self._steps = view.steps
            self._add(view, events, told)
        return True

    def _add(self, view: View, events: list[LoggedEvent], told: int) -> None:
        """Put the events that follow ``earlier`` into turns. The first ``told`` of them happened before the last step."""
        if not events:
            return
        begins = turn_starts(view.game.events, [each.event for each in events])
        starts = sorted({0, *begins})
        ends = [*starts[1:], len(events)]
        turns = [_turn(view, tuple(events[start:end]), start in begins) for start, end in zip(starts, ends, strict=True)]
        final = sum(end <= told for end in ends[:-1])
        self.earlier += turns[:final]
        self.latest = turns[final:]
        self._drop_oldest()

    def _drop_oldest(self) -> None:
        count, more = sum(len(turn.events) for turn in [*self.earlier, *self.latest]), 0
        while count > LOG_SHOWN and more < len(self.earlier):
            count -= len(self.earlier[more].events)
            more += 1
        del self.earlier[:more]
        self.dropped += more


def _newest(view: View, count: int) -> list[LoggedEvent]:
    """Return the newest of all ``count`` events, oldest first: more than are shown, from the beginning of a turn."""
    index, newest = count, list[LoggedEvent]()
    for step in reversed(view.steps):
        if index <= count - 2 * LOG_SHOWN:
            break
        index -= len(step.events)
        newest += reversed(_logged(view, step.n, index, step.events, step.hinted))
    else:
        newest += reversed(_logged(view, 0, 0, view.setup))
        index = 0
    newest.reverse()
    if index == 0:
        return newest
    begins = turn_starts(view.game.events, [each.event for each in newest])
    return newest[next((start for start in begins if start), 0) :]  # a turn at 0 may have begun earlier


def _logged(view: View, n: int, first: int, events: Sequence[Event], hinted: bool = False) -> list[LoggedEvent]:
    kinds, players = view.game.events, len(view.names)
    return [
        LoggedEvent(n, index, event, kind.rule_of(event.arguments), _readers(kind, event, players), hinted and index == first)
        for index, event in enumerate(events, first)
        for kind in [kinds[event.kind]]
    ]


def _readers(kind: EventKind, event: Event, players: int) -> frozenset[int]:
    """Return the seats whose words for an event can differ from a spectator's."""
    named = [value for k, value in enumerate(event.arguments) if kind.argument(k) is seat]
    return frozenset(named or (range(players) if kind.you else ()))


def _turn(view: View, logged: tuple[LoggedEvent, ...], begun: bool) -> LoggedTurn:
    kinds, first = view.game.events, logged[0].event
    owner = first.arguments[0] if begun and first.arguments and kinds[first.kind].argument(0) is seat else None
    readers = frozenset[int]().union(*(each.readers for each in logged))
    return LoggedTurn(view.game.name, view.game.words, view.names, logged, begun, owner, readers)


def event_text(turn: LoggedTurn, k: int, reader: int | None) -> LogEntry:
    """Return an event of a turn in words. The player on seat ``reader`` is "you"."""
    logged, viewer = turn.events[k], PUBLIC if reader is None else reader
    title = "" if k else turn.words.event(logged.event, turn.names, viewer, Part.TURN)
    brief = turn.words.event(logged.event, turn.names, viewer, Part.BRIEF) if k or title else ""
    return _entry(turn.game, turn.words, turn.names, logged, viewer, title, brief)


def turn_in_words(turn: LoggedTurn, reader: int | None) -> TurnInWords:
    """Return a turn of the log in words, with the summary. The player on seat ``reader`` is "you"."""
    return summed_up(turn, tuple(event_text(turn, k, reader) for k in range(len(turn.events))))


def summed_up(turn: LoggedTurn, entries: tuple[LogEntry, ...]) -> TurnInWords:
    """Return a turn of the log from the words of its events."""
    first = entries[0]
    heading = first.title or first.text if turn.begun else _("Set-up")
    single = len(entries) == 1 and first.text == heading
    return TurnInWords(heading, entries, single, any(entry.hinted for entry in entries))


def private_events(view: View, reader: int | None = None) -> tuple[LogEntry, ...]:
    """Return the latest events that only the viewer knows, newest first. The public log doesn't have them.

    ``reader``: the seat that the texts call "you", if any.
    """
    known = [(0, event) for event in view.setup if event.audience == view.viewer]
    known += [(step.n, event) for step in view.steps for event in step.private_events]
    first, viewer = max(0, len(known) - PRIVATE_EVENTS_SHOWN), PUBLIC if reader is None else reader
    logged = [each for k, (n, event) in enumerate(known[first:]) for each in _logged(view, n, first + k, [event])]
    return tuple(_entry(view.game.name, view.game.words, view.names, each, viewer) for each in reversed(logged))


def _entry(
    game: str, words: GameWords, names: Sequence[str], logged: LoggedEvent, viewer: int, title: str = "", brief: str = ""
) -> LogEntry:
    event, rule, text = logged.event, logged.rule, words.event(logged.event, names, viewer)
    url = rule_url(game, rule)
    happened = " ".join([event.name, *map(str, event.arguments)])
    return LogEntry(logged.n, logged.index, event.name, happened, text, rule, url, logged.hinted, title, brief)


def rule_url(name: str, rule: str) -> str:
    """Return the address of a rule in the rulebook of the game ``name``; without a rule, of the whole rulebook."""
    return link(f"/rules/{name}#{rule}") if rule else link(f"/rules/{name}")
