"""What people give the library: integers of Python or NumPy, counts, seeds. Each is checked here alone, and refused in words."""

from __future__ import annotations

import operator
import secrets
from typing import Any

import numpy as np

from meadhall.engine import chance
from meadhall.engine.errors import BadSetup


def as_integer(value: Any) -> int | None:
    """The integer that ``value`` is, Python's or NumPy's; None for anything else, truth values and floats too."""
    if isinstance(value, bool | np.bool_):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def check_count(value: Any, what: str) -> int:
    """A number of things, if it is an integer of at least 1; BadSetup if not."""
    count = as_integer(value)
    if count is None or count < 1:
        raise BadSetup(f"the number of {what} is an integer of at least 1, not {value!r}")
    return count


def check_seed(seed: Any) -> bytes:
    """The 32 bytes that a seed stands for: they themselves, a text's SHA-256, new ones for None; BadSetup for anything else."""
    if seed is None:
        return chance.new_seed()
    if isinstance(seed, str):
        return chance.seed_from_text(_encodable(seed))
    if not isinstance(seed, bytes) or len(seed) != chance.SEED_BYTES:
        raise BadSetup(f"a seed is text or {chance.SEED_BYTES} bytes")
    return seed


def check_seed_text(seed: Any) -> str:
    """The seed of a run that is told in its report: a text, a new one for None; BadSetup for anything else."""
    if seed is None:
        return secrets.token_hex(8)
    if not isinstance(seed, str):
        raise BadSetup(f"the seed of such a run is text, not {seed!r}")
    return _encodable(seed)


def _encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadSetup(f"a seed is text that has UTF-8, not {text!r}") from None
    return text
