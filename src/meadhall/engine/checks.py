"""What people give the library: integers of Python or NumPy, counts, texts, seeds. Each is checked here, and refused in words."""

from __future__ import annotations

import operator
import secrets
from typing import Any

import numpy as np

from meadhall.engine import chance
from meadhall.engine.errors import BadSetup

MOST = 1_000_000_000
"""The most games, matches or processes that can be asked for at once."""
QUOTED = 60
"""Letters of somebody's input that a refusal repeats."""


def as_integer(value: Any) -> int | None:
    """The integer that ``value`` is, Python's or NumPy's; None for anything else, truth values and floats too."""
    if isinstance(value, bool | np.bool_):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def quoted(value: Any) -> str:
    """``value`` as a refusal names it: not at length, and whatever it is."""
    try:
        text = repr(value)
    except ValueError:  # a number of thousands of digits
        return f"{type(value).__name__} of great length"
    return text if len(text) <= QUOTED else text[: QUOTED - 1] + "…"


def check_count(value: Any, what: str, most: int = MOST) -> int:
    """A number of things, if it is an integer from 1 to ``most``; BadSetup if not."""
    count = as_integer(value)
    if count is None or count < 1:
        raise BadSetup(f"the number of {what} is an integer of at least 1, not {quoted(value)}")
    if count > most:
        raise BadSetup(f"the number of {what} is at most {most:,}, not {quoted(value)}")
    return count


def check_text(text: Any, what: str) -> str:
    """A text, if it is one that can be written to a file: of whole characters. BadSetup if not."""
    if not isinstance(text, str):
        raise BadSetup(f"{what} is text, not {quoted(text)}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadSetup(f"{what} is text that has UTF-8, not {quoted(text)}") from None
    return text


def check_seed(seed: Any) -> bytes:
    """The 32 bytes that a seed stands for: they themselves, a text's SHA-256, new ones for None; BadSetup for anything else."""
    if seed is None:
        return chance.new_seed()
    if isinstance(seed, str):
        return chance.seed_from_text(check_text(seed, "a seed"))
    if not isinstance(seed, bytes) or len(seed) != chance.SEED_BYTES:
        raise BadSetup(f"a seed is text or {chance.SEED_BYTES} bytes")
    return seed


def check_seed_text(seed: Any) -> str:
    """The seed of a run that is told in its report: a text, a new one for None; BadSetup for anything else."""
    return secrets.token_hex(8) if seed is None else check_text(seed, "the seed of such a run")
