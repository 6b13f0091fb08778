"""Readings: uploaded records, played again to be watched."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from meadhall.engine.errors import RecordError
from meadhall.engine.language import gettext as _
from meadhall.engine.match import Match
from meadhall.engine.record import every_action, loads, replay

LONGEST = 5000
"""Actions of a record at most, those that were taken back among them: some twenty times as many as the longest matches have."""

KEPT = 32
"""How many matches are kept, those that were watched last; the longest hold some 4 MB."""


class Readings:
    """Plays records again, one at a time: the rules run as plain Python here, and take the interpreter from who serves pages."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Match] = OrderedDict()
        self._turn = asyncio.Lock()

    async def read(self, text: str | bytes) -> Match:
        """The match of a record that somebody brings, verified. Raises RecordError."""
        async with self._turn:
            return await asyncio.to_thread(_read, text)

    async def again(self, text: str) -> Match:
        """The match of a record that was verified; at once if it was read lately."""
        if text not in self._kept:
            async with self._turn:
                if text not in self._kept:  # another may have waited for the same
                    self._kept[text] = await asyncio.to_thread(_read, text)
        match = self._kept[text]
        self._kept.move_to_end(text)
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return match


def _read(text: str | bytes) -> Match:
    record = loads(text)
    count = len(every_action(record))
    if count > LONGEST:
        problem = _("the hall shows matches of {most} actions at most, and this one has {count}")
        raise RecordError("actions", problem.format(most=LONGEST, count=count))
    return replay(record)
