"""Uploaded records, replayed so that they can be shown."""

from __future__ import annotations

import asyncio
from hashlib import sha256

from meadhall.engine.errors import RecordError
from meadhall.engine.match.match import Match
from meadhall.engine.match.record import loads
from meadhall.engine.replay import every_action, replay
from meadhall.engine.text.language import gettext as _
from meadhall.server.ops.byte_cache import ByteCache

MAX_ACTIONS = 5000
"""Limit of the actions in a record, undone ones included. The longest matches have about a twentieth of it."""

MAX_BYTES = 32 * 1024 * 1024
"""Memory for replayed matches. Most take less than 1 MB."""

_EVENT_SIZE, _STEP_SIZE = 800, 2000
"""Bytes of an event and of a step without its state, as several viewers see them."""


class Uploads:
    """Replays uploaded records, one at a time.

    The rules run as plain Python in this process, so a replay holds the GIL and delays requests.
    """

    def __init__(self) -> None:
        self._matches: ByteCache[bytes, Match] = ByteCache(MAX_BYTES)
        self._lock = asyncio.Lock()

    async def verify(self, text: str | bytes) -> Match:
        """Return the match of a new record, fully verified. Raises RecordError."""
        async with self._lock:
            return await asyncio.to_thread(_replay, text)

    async def match(self, text: str) -> Match:
        """Return the match of a record that was verified when it was uploaded. Recent ones come from memory."""
        key = sha256(text.encode()).digest()
        match = self._matches.get(key)
        if match is None:
            async with self._lock:
                match = self._matches.get(key)  # another request may have replayed it meanwhile
                if match is None:
                    match = await asyncio.to_thread(_replay, text)
                    self._matches.put(key, match, size_of(match))
        return match


def size_of(match: Match) -> int:
    """Return roughly how many bytes a match takes in memory."""
    steps = [*match.steps, *(step for undone in match.undone for step in undone.steps)]
    return sum(step.before.nbytes + _STEP_SIZE + _EVENT_SIZE * len(step.events) for step in steps) + _STEP_SIZE


def _replay(text: str | bytes) -> Match:
    record = loads(text)
    count = len(every_action(record))
    if count > MAX_ACTIONS:
        problem = _("this server shows matches of at most {most} actions, and this one has {count}")
        raise RecordError("actions", problem.format(most=MAX_ACTIONS, count=count))
    return replay(record)
