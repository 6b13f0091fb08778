"""Weighted lists in headers such as Accept-Language and Accept-Encoding (RFC 9110, 12.4.2)."""

from __future__ import annotations

from collections.abc import Iterator

_LONGEST = 50
"""Entries that are read."""


def weighted(header: str) -> Iterator[tuple[str, float]]:
    """Yield the entries of a header in lower case, with their weights from 0 to 1. An invalid weight counts as 0."""
    for entry in header.lower().split(",")[:_LONGEST]:
        name, *parameters = [part.strip() for part in entry.split(";")]
        if name:
            yield name, _weight(parameters)


def _weight(parameters: list[str]) -> float:
    for parameter in parameters:
        if parameter.startswith("q="):
            try:
                weight = float(parameter[2:])
            except ValueError:
                return 0.0
            return weight if 0 <= weight <= 1 else 0.0
    return 1.0
