"""Messages of a stream: they bring the regions of a page that have changed.

A region is drawn again only when its values differ (decision 32). A stream knows the frame of its page, so it sends
the regions that are new since then. A page that lacks a message gets the whole frame.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

from markupsafe import Markup
from msgspec import Raw

from meadhall.engine.text.language import current_language
from meadhall.pictures.regions import Regions, encoded
from meadhall.pictures.templates import as_markup
from meadhall.server.pages.log import TurnLog, event_text, summed_up
from meadhall.server.pages.models import LoggedTurn


@dataclass(frozen=True, eq=False)
class Frame:
    """What one page of a table shows.

    Attributes:
        version: of the table, for this viewer.
        shape: a page can become another one by regions if their shapes are equal. None: the frame has no regions.
        public: the regions that all viewers share.
        own: the regions of the viewer.
        log: its log; None in a lobby.
        seat: the viewer's; None for a spectator.
        events: the numbers of the first and the last event that the log shows.
        page: the model that it was drawn from.
        draw: draws the whole frame.
    """

    version: int
    shape: Hashable
    public: Regions
    own: Regions
    log: LogText | None
    seat: int | None
    events: tuple[int, int]
    page: Any
    draw: Callable[[Frame], str]

    @cached_property
    def html(self) -> Markup:
        """The whole frame as HTML."""
        return as_markup(str.strip(self.draw(self)))


def message(before: Frame | None, after: Frame) -> bytes:
    """Return the message that turns a page's frame into another one, as JSON.

    It has the versions of both, the new regions by id (HTML, attributes, or null for one that has gone), the new events (see
    ``LogText.news``), and the number of the first one that the log still shows. Without a frame before, or after an undo, it has
    the ``whole`` frame.
    """
    if before is None or after.shape is None or before.shape != after.shape:
        return b'{"version":%d,"whole":%b}' % (after.version, encoded(after.html))
    news = _changes(before.own, after.own) | _public_changes(before.public, after.public)
    message: dict[str, Any] = {"was": before.version, "version": after.version, "regions": news}
    if after.log is not None and after.events != before.events:
        message |= {"first": after.events[0], "events": after.log.news(after.seat, before.events[1])}
    return encoded(message)


def _changes(before: Regions, after: Regions) -> dict[str, Any]:
    """Return the regions that are new for a page, and None for the ones that have gone."""
    news: dict[str, Any] = {}
    for id, region in after.items():
        known = before.get(id)
        if known is not region:
            news[id] = region.since(known)
    return news | {id: None for id in before if id not in after}


_public_changes = lru_cache(maxsize=64)(_changes)
"""The same for the pages of a table, which get it one after the other."""


# -------------------------------------------------------------------------------------------------------- the events that are new


Wording: TypeAlias = tuple[int, int | None, str]
"""The number of an event, the seat that its words call "you", if they call one so, and the language."""


class LogText:
    """Tells what is new in a log.

    Attributes:
        log: the newest turns of a match.
    """

    def __init__(self, log: TurnLog) -> None:
        self.log = log
        self._told: dict[Wording, Raw] = {}

    def follow(self) -> None:
        """Forget the events that no stream waits for."""
        first = self.log.latest[0].span[0] if self.log.latest else 0
        self._told = {wording: news for wording, news in self._told.items() if wording[0] >= first}

    @property
    def span(self) -> tuple[int, int]:
        """The numbers of the first and the last event that a page shows; (0, -1) without one."""
        turns = [*self.log.earlier[:1], *self.log.latest]
        return (turns[0].span[0], turns[-1].span[1]) if turns else (0, -1)

    def news(self, seat: int | None, after: int) -> list[Raw]:
        """Return the events after one, oldest first, as JSON for a seat or a spectator.

        An event is a list: its number, the number of its step, its name with its arguments, its words, its rule, whether it was
        played with a hint, its words in the summary of its turn, and of the first event of a turn the title and the seat.
        """
        found = list[Raw]()
        for turn in reversed([*self.log.earlier, *self.log.latest]):
            if turn.span[1] <= after:
                break
            found[:0] = [self._event(turn, k, seat) for k, event in enumerate(turn.events) if event.index > after]
        return found

    def _event(self, turn: LoggedTurn, k: int, seat: int | None) -> Raw:
        event = turn.events[k]
        reader = seat if seat in event.readers else None
        wording = event.index, reader, current_language()
        news = self._told.get(wording)
        if news is None:
            entry = event_text(turn, k, reader)
            first = [] if k else [summed_up(turn, (entry,)).title, turn.seat]
            told = [entry.index, entry.n, entry.event, entry.text, entry.rule, int(entry.hinted), entry.brief, *first]
            news = self._told[wording] = Raw(encoded(told))
        return news
