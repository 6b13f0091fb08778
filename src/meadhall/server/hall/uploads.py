"""Uploaded records, replayed so that they can be shown."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from meadhall.engine.errors import RecordError
from meadhall.engine.language import gettext as _
from meadhall.engine.match import Match
from meadhall.engine.record.format import loads
from meadhall.engine.record.replay import every_action, replay

MAX_ACTIONS = 5000
"""Limit of the actions in a record, undone ones included. The longest matches have about a twentieth of it."""

MAX_MATCHES = 32
"""Matches in memory; beyond that the least recently shown are evicted. The longest take some 4 MB."""


class Uploads:
    """Replays uploaded records, one at a time.

    The rules run as plain Python in this process, so a replay holds the GIL and delays requests.
    """

    def __init__(self) -> None:
        self._matches: OrderedDict[str, Match] = OrderedDict()
        self._lock = asyncio.Lock()

    async def verify(self, text: str | bytes) -> Match:
        """Return the match of a new record, fully verified. Raises RecordError."""
        async with self._lock:
            return await asyncio.to_thread(_replay, text)

    async def match(self, text: str) -> Match:
        """Return the match of a record that was verified when it was uploaded. Recent ones come from memory."""
        if text not in self._matches:
            async with self._lock:
                if text not in self._matches:  # another request may have replayed it meanwhile
                    self._matches[text] = await asyncio.to_thread(_replay, text)
        match = self._matches[text]
        self._matches.move_to_end(text)
        if len(self._matches) > MAX_MATCHES:
            self._matches.popitem(last=False)
        return match


def _replay(text: str | bytes) -> Match:
    record = loads(text)
    count = len(every_action(record))
    if count > MAX_ACTIONS:
        problem = _("this server shows matches of at most {most} actions, and this one has {count}")
        raise RecordError("actions", problem.format(most=MAX_ACTIONS, count=count))
    return replay(record)
