"""Version stamps: numbers that rise with time, by which a page knows which of two versions of a table is newer.

Browsers calculate with 53 bits.
"""

from __future__ import annotations

from typing import Final, Self

from meadhall.server.ops.time import Time

_TIME_BITS: Final = 36
"""Bits of a stamp that count the milliseconds since a start: two years. The bits above count 100,000 starts."""


class VersionStamps:
    """A clock of version stamps.

    Of one process it counts milliseconds since the start, above the number of starts, whatever the system's clock says.

    Of processes that share a database it counts microseconds by the database's clock. Each notice carries the stamp of its
    sender, and who hears it moves its own clock past it (a hybrid logical clock: Lamport 1978; Kulkarni and others 2014). So what
    follows from another process's change gets a later stamp than the change, also if the clocks differ.
    """

    def __init__(self, time: Time, first: int, per_second: int) -> None:
        self._first = first
        self._per_second = per_second
        self._time = time
        self._began = time.seconds()

    @classmethod
    def of_start(cls, time: Time, starts: int) -> Self:
        """Return the clock of the process that has started as the ``starts``-th."""
        return cls(time, starts << _TIME_BITS, 1000)

    @classmethod
    def shared(cls, time: Time, seconds: float) -> Self:
        """Return the clock of a process that shares a database, whose clock says so many seconds since 1970."""
        return cls(time, int(1e6 * seconds), 1_000_000)

    def now(self) -> int:
        """Return the stamp."""
        return self._first + int(self._per_second * (self._time.seconds() - self._began))

    def witness(self, stamp: int) -> None:
        """Move the clock past a stamp that another process has told."""
        self._first += max(0, stamp + 1 - self.now())
