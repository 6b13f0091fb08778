"""The log of a table as HTML, in the words of each reader. It grows with the match: each event is told once for each wording."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from meadhall.engine.text.language import current_language
from meadhall.pictures.regions import Region, encoded
from meadhall.pictures.templates import as_markup
from meadhall.server.pages.log import TurnLog, event_text, summed_up
from meadhall.server.pages.models import LogEntry, LoggedTurn
from meadhall.server.pages.templates import template

Reader: TypeAlias = tuple[int | None, str]
"""The seat that the words call "you", if they call one so, and the language."""


@dataclass(frozen=True)
class _EventText:
    """An event in one wording: its line, and its part of the summary of its turn."""

    entry: LogEntry
    line: str
    brief: str


@dataclass
class _Turns:
    """The turns of a log for one reader, oldest first.

    Attributes:
        dropped: the number of turns that are no longer shown.
        latest: the turns that the next steps may change, by their first and last event.
        shown: all of them by their first event, newest first.
    """

    dropped: int
    earlier: list[Region] = field(default_factory=list)
    latest: dict[tuple[int, int], Region] = field(default_factory=dict)
    shown: dict[int, Region] = field(default_factory=dict)


class LogText:
    """The turns of a log as HTML."""

    def __init__(self, log: TurnLog) -> None:
        self.log = log
        self._events: dict[tuple[int, Reader], _EventText] = {}  # of turns that the next steps may change
        self._latest: dict[tuple[tuple[int, int], Reader], Region] = {}  # turns with events of the last step
        self._turns: dict[Reader, _Turns] = {}

    def follow(self) -> None:
        """Forget what the last step has changed."""
        spans = {turn.span for turn in self.log.latest}
        first = min(spans)[0] if spans else 0
        self._events = {key: text for key, text in self._events.items() if key[0] >= first}
        self._latest = {key: text for key, text in self._latest.items() if key[0] in spans}

    def turns(self, seat: int | None) -> dict[int, Region]:
        """Return the turns by their first event for a seat or a spectator, newest first, in the current language.

        Only new ones are rendered. Without a new one this is the same dictionary.
        """
        log, reader = self.log, (seat, current_language())
        known = self._turns.setdefault(reader, _Turns(log.dropped))
        if known.latest.keys() == {turn.span for turn in log.latest} and known.dropped == log.dropped:
            return known.shown
        del known.earlier[: log.dropped - known.dropped]
        known.dropped = log.dropped
        for turn in log.earlier[len(known.earlier) :]:
            text = known.latest.get(turn.span)
            known.earlier.append(self._turn(turn, reader) if text is None else text)
        known.latest = {turn.span: self._turn(turn, reader) for turn in log.latest}
        spans = [turn.span[0] for turn in (*log.earlier, *log.latest)]
        drawn = [*known.earlier, *known.latest.values()]
        known.shown = dict(zip(reversed(spans), reversed(drawn), strict=True))
        return known.shown

    def _turn(self, turn: LoggedTurn, reader: Reader) -> Region:
        seat, language = reader
        place = turn.span, (seat if seat in turn.readers else None, language)
        if place not in self._latest:
            macros: Any = template("_log.html").module
            events = [self._event(turn, k, seat) for k in range(len(turn.events))]
            summed = summed_up(turn, tuple([each.entry for each in events]))
            briefs, lines = ("".join([getattr(each, part) for each in events]) for part in ("brief", "line"))
            html = str.strip(macros.whole_turn(turn.seat, summed, as_markup(briefs), as_markup(lines)))
            self._latest[place] = Region(as_markup(html), encoded(html))
        return self._latest[place]

    def _event(self, turn: LoggedTurn, k: int, seat: int | None) -> _EventText:
        event = turn.events[k]
        reader = seat if seat in event.readers else None
        place = event.index, (reader, current_language())
        text = self._events.get(place)
        if text is None:
            text = self._events[place] = self._text_of(turn, k, reader)
        return text

    def _text_of(self, turn: LoggedTurn, k: int, reader: int | None) -> _EventText:
        macros: Any = template("_log.html").module
        entry = event_text(turn, k, reader)
        first = not any(self._event(turn, earlier, reader).brief for earlier in range(k))
        return _EventText(entry, str(macros.line(entry)), str(macros.brief(entry, first)) if entry.brief else "")
