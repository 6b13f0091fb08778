"""The clock of a table as a plain value: how much time its seats have, and what happens when the time of one is up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

ClockKind = Literal["seat", "decision", "slow", "reserve"]
"""Live with a time for each seat or for each decision; or slow, with days for each decision or for each seat."""

TimeUp = Literal["bot_decision", "bot_seat", "resign"]
"""When time is up, a bot plays this one decision, a bot takes over the seat, or the seat resigns."""


@dataclass(frozen=True)
class Clock:
    """The clock of a table. A table without one has None.

    Attributes:
        kind: how time is given.
        seconds: for ``seat`` and ``reserve`` the time that each seat has at the start, else the time for each decision.
        increment: for these two the seconds that a seat gains with each of its actions.
        time_up: what happens when the time of a seat is up.
    """

    kind: ClockKind
    seconds: int
    increment: int = 0
    time_up: TimeUp = "bot_decision"

    @property
    def is_live(self) -> bool:
        """Whether the players are expected to stay at the table."""
        return self.kind not in ("slow", "reserve")

    @property
    def is_of_seats(self) -> bool:
        """Whether a seat has a time for the whole match, not for each decision."""
        return self.kind in ("seat", "reserve")

    @property
    def one_more(self) -> float:
        """The seconds that a seat has at least after a bot has played for it: a minute of a live clock, a day of a slow one."""
        return 60.0 if self.is_live else 86400.0

    def with_increment(self, left: float) -> float:
        """Return the seconds that a seat has after an action. A reserve of days never grows beyond the time at the start."""
        gained = left + self.increment
        return gained if self.is_live else max(left, min(gained, self.seconds))

    def to_json(self) -> dict[str, Any]:
        """Return the clock as the database and records contain it."""
        values: dict[str, Any] = {"kind": self.kind, "seconds": self.seconds}
        if self.is_of_seats:
            values["increment"] = self.increment
        return {**values, "time_up": self.time_up}

    @classmethod
    def of_json(cls, values: Mapping[str, Any] | None) -> Self | None:
        """Return the clock that ``to_json`` has written; None for None."""
        return None if values is None else cls(**values)
