"""The new events of a log for the streams of a table, in the words of each reader. Each event is told once for each wording."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Raw

from meadhall.engine.text.language import current_language
from meadhall.pictures.regions import encoded
from meadhall.server.pages.log import TurnLog, event_text, summed_up
from meadhall.server.pages.models import LoggedTurn

Wording: TypeAlias = tuple[int, int | None, str]
"""The number of an event, the seat that its words call "you" (None: no seat), and the language."""


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
