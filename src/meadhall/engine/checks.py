"""Validate arguments of the public functions: Python and NumPy integers, counts, texts and seeds."""

from __future__ import annotations

import operator
import secrets
from typing import Any

import numpy as np

from meadhall.engine import chance
from meadhall.engine.errors import BadSetup

MAX_COUNT = 1_000_000_000
"""The largest number of games, matches or processes that one call accepts."""
MAX_QUOTED = 60
"""The number of characters of an invalid value that an error message repeats."""


def as_integer(value: Any) -> int | None:
    """Return ``value`` as an integer if it is one (Python's or NumPy's); None for anything else, including bools and floats."""
    if isinstance(value, bool | np.bool_):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def quoted(value: Any) -> str:
    """Return a shortened ``repr`` of any value for an error message."""
    try:
        text = repr(value)
    except ValueError:  # an integer with thousands of digits
        return f"a very long {type(value).__name__}"
    return text if len(text) <= MAX_QUOTED else text[: MAX_QUOTED - 1] + "…"


def check_count(value: Any, what: str, most: int = MAX_COUNT) -> int:
    """Return ``value`` as a count from 1 to ``most``. Raises BadSetup for anything else."""
    count = as_integer(value)
    if count is None or count < 1:
        raise BadSetup(f"the number of {what} must be an integer of at least 1, not {quoted(value)}")
    if count > most:
        raise BadSetup(f"the number of {what} must be at most {most:,}, not {quoted(value)}")
    return count


def check_text(text: Any, what: str) -> str:
    """Return ``text`` if it can be encoded as UTF-8. Raises BadSetup for anything else, such as lone surrogates."""
    if not isinstance(text, str):
        raise BadSetup(f"{what} must be text, not {quoted(text)}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadSetup(f"{what} must be text that can be encoded as UTF-8, not {quoted(text)}") from None
    return text


def check_seed(seed: Any) -> bytes:
    """Return a seed of 32 bytes: the given 32 bytes unchanged, the SHA-256 of a text, or new random bytes for None.

    Raises BadSetup for anything else.
    """
    if seed is None:
        return chance.new_seed()
    if isinstance(seed, str):
        return chance.seed_from_text(check_text(seed, "a seed"))
    if not isinstance(seed, bytes) or len(seed) != chance.SEED_BYTES:
        raise BadSetup(f"a seed must be text or {chance.SEED_BYTES} bytes")
    return seed


def check_seed_text(seed: Any) -> str:
    """Return the seed of a simulation or tournament, a text; a new one for None. Raises BadSetup for anything else."""
    return secrets.token_hex(8) if seed is None else check_text(seed, "the seed")
