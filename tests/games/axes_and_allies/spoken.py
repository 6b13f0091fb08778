"""Positions in which the game says what seldom occurs."""

from __future__ import annotations

from collections.abc import Iterator

from meadhall import Match


def scenes() -> Iterator[Match]:
    """Yield the positions."""
    yield from ()
