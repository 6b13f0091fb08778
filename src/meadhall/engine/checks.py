"""Validate arguments of the public functions: Python and NumPy integers, counts, texts and seeds."""

from __future__ import annotations

import operator
import secrets
import unicodedata
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

import numpy as np

from meadhall.engine.errors import BadSetup
from meadhall.engine.state import chance

MAX_COUNT = 1_000_000_000
"""The largest number of games, matches or processes that one call accepts."""
MAX_NAME = 60
"""The number of characters of a player's or bot's name."""
MAX_CLOCK = 10
"""The number of values of a clock in a record."""
MAX_REASON = 200
"""The number of characters of the reason why a match was given up."""
_UNSEEN_CATEGORIES = ("Cc", "Cf", "Zl", "Zp")
"""Unicode's categories of control characters, invisible and bidirectional format characters, and separators of lines."""
_UNSEEN = frozenset(
    map(chr, [0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10)])
)
"""Invisible characters of other categories: joiners, fillers, blanks and variation selectors."""
_NON_JOINER, _JOINER = "\u200c\u200d"
_VARIATIONS = "\ufe0e\ufe0f"
_VIRAMA = 9
"""The combining class of the sign that takes an Indic letter its vowel (Unicode, 4.3)."""
MAX_QUOTED = 60
"""The number of characters of an invalid value that an error message repeats."""


T = TypeVar("T")


class Named(dict[str, T]):
    """A dictionary by names, whose KeyError says which names there are and which was meant.

    Examples:
        >>> Named(karl=1, thrall=2)["carl"]
        Traceback (most recent call last):
        KeyError: "there is no 'carl'; did you mean karl? the names are: karl, thrall"
    """

    def __missing__(self, name: Any) -> T:
        raise KeyError(f"there is no {quoted(name)}{meant(str(name), self) or ';'} the names are: {', '.join(self) or 'none'}")


def meant(name: str, known: Iterable[str]) -> str:
    """Return a question for the known name that is nearest to another one, "" if none is near.

    Examples:
        >>> from meadhall.engine.checks import meant
        >>> meant("carl", ["karl", "thrall"]), meant("karl", [])
        ('; did you mean karl?', '')
    """
    return "".join(f"; did you mean {each}?" for each in get_close_matches(name, list(known), 1))


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


def check_clock(value: Any) -> dict[str, Any]:
    """Return the clock of a match as a record contains it: its ``kind``, and texts and numbers that are not negative.

    Raises BadSetup for anything else.
    """
    if not isinstance(value, Mapping) or not isinstance(value.get("kind"), str):
        raise BadSetup(f"a clock is an object with a kind, not {quoted(value)}")
    if len(value) > MAX_CLOCK:
        raise BadSetup(f"a clock has at most {MAX_CLOCK} values")
    for name, each in value.items():
        if isinstance(each, str):
            check_line(each, "a text of a clock", MAX_NAME)
        elif isinstance(each, bool) or not isinstance(each, int | float) or not 0 <= each <= MAX_COUNT:
            raise BadSetup(f"in a clock, {quoted(name)} is a text or a number of seconds, not {quoted(each)}")
        check_line(name, "a name in a clock", MAX_NAME)
    return dict(value)


def check_count(value: Any, what: str, most: int = MAX_COUNT) -> int:
    """Return ``value`` as a count from 1 to ``most``. Raises BadSetup for anything else."""
    count = as_integer(value)
    if count is None or count < 1:
        raise BadSetup(f"the number of {what} must be an integer of at least 1, not {quoted(value)}")
    if count > most:
        raise BadSetup(f"the number of {what} must be at most {most:,}, not {quoted(value)}")
    return count


def check_seconds(value: Any) -> float | None:
    """Return a time limit in seconds; None for none, which 0 means, too. Raises BadSetup.

    Examples:
        >>> from meadhall.engine.checks import check_seconds
        >>> check_seconds(2.5), check_seconds(0), check_seconds(None)
        (2.5, None, None)
    """
    if value is not None and (not isinstance(value, int | float) or not value >= 0):
        raise BadSetup(f"seconds must be a number from 0 on (0: no limit), not {quoted(value)}")
    return value or None


def check_text(text: Any, what: str) -> str:
    """Return ``text`` if it can be encoded as UTF-8. Raises BadSetup for anything else, such as lone surrogates."""
    if not isinstance(text, str):
        raise BadSetup(f"{what} must be text, not {quoted(text)}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadSetup(f"{what} must be text that can be encoded as UTF-8, not {quoted(text)}") from None
    return text


Seed = str | bytes | int
"""A seed, as every function that takes one accepts it; ``check_seed`` gives its meaning."""


def is_unseen(letter: str) -> bool:
    """Return whether a character is a control character, invisible, or changes the direction of the text around it."""
    return letter in _UNSEEN or unicodedata.category(letter) in _UNSEEN_CATEGORIES or "\U000e0100" <= letter <= "\U000e01ef"


def is_shaping(text: str, place: int) -> bool:
    """Return whether an unseen character shapes what is seen around it.

    A joiner makes one emoji of two. A joiner or non-joiner shapes Indic letters at a virama, and a non-joiner Arabic ones (as in
    RFC 5892, appendix A). A variation selector chooses between a sign and an emoji. Elsewhere they only make equal texts differ.

    Examples:
        >>> from meadhall.engine.checks import is_shaping
        >>> is_shaping(chr(0x1F9D9) + chr(0x200D) + chr(0x2640), 1), is_shaping("A" + chr(0x200D) + "da", 1)
        (True, False)
    """
    letter, before, after = text[place], text[max(0, place - 1) : place], text[place + 1 : place + 2]
    if not before or (not after and letter not in _VARIATIONS):
        return False
    if letter in _VARIATIONS:
        return unicodedata.category(before)[0] in "SPN"
    if letter == _JOINER and unicodedata.category(after) in ("So", "Sm"):
        return unicodedata.category(before) in ("So", "Sk") or (before in _VARIATIONS and is_shaping(text, place - 1))
    if letter not in (_JOINER, _NON_JOINER):
        return False
    if _VIRAMA in (unicodedata.combining(before), unicodedata.combining(after)):
        return unicodedata.category(after)[0] in "LM"
    return (
        letter == _NON_JOINER and unicodedata.bidirectional(after) == "AL" and unicodedata.bidirectional(before) in ("AL", "NSM")
    )


def seen(text: str) -> str:
    """Return a text without its unseen characters, except for those that shape what is seen."""
    return "".join(letter for place, letter in enumerate(text) if not is_unseen(letter) or is_shaping(text, place))


def check_line(text: Any, what: str, most: int) -> str:
    """Return ``text`` if it can stand in a line: at most ``most`` characters, all of them visible. Raises BadSetup."""
    check_text(text, what)
    if len(text) > most:
        raise BadSetup(f"{what} must have at most {most} characters, not {len(text)}")
    if seen(text) != text:
        raise BadSetup(f"{what} must not contain control characters, or invisible or bidirectional ones: {text[:MAX_QUOTED]!a}")
    return str(text)


def check_seed(seed: Any) -> bytes:
    """Return the 32 bytes that a seed stands for. The rule is the same for matches, bots, simulations and batches.

    A text stands for the SHA-256 of its UTF-8 bytes, an integer for its decimal text. Bytes are the seed itself; fewer than 32
    are filled up with zero bytes at the end. None stands for new random bytes from the operating system.

    Raises BadSetup for anything else.

    Examples:
        >>> from meadhall.engine.checks import check_seed
        >>> check_seed("mead").hex()[:16]
        'bf35bf9a9fd2c9c0'
        >>> check_seed(b"mead") == b"mead" + bytes(28)
        True
        >>> check_seed(1.5)
        Traceback (most recent call last):
            ...
        meadhall.engine.errors.BadSetup: a seed must be text, bytes or an integer, not 1.5
    """
    known = check_run_seed(seed) if seed is not None else chance.new_seed()
    return known if isinstance(known, bytes) else chance.seed_from_text(known)


def check_run_seed(seed: Any) -> str | bytes:
    """Return the seed of many matches as a report states it: a text, or 32 bytes; a new text for None. Raises BadSetup."""
    if seed is None:
        return secrets.token_hex(8)
    if isinstance(seed, str):
        return check_text(seed, "a seed")
    if isinstance(seed, bytes | bytearray):
        if not 1 <= len(seed) <= chance.SEED_BYTES:
            raise BadSetup(f"a seed of bytes must have 1 to {chance.SEED_BYTES} bytes, not {len(seed)}")
        return bytes(seed).ljust(chance.SEED_BYTES, b"\0")
    number = as_integer(seed)
    if number is None:
        raise BadSetup(f"a seed must be text, bytes or an integer, not {quoted(seed)}")
    try:
        return str(number)
    except ValueError:
        raise BadSetup(f"a seed must be text, bytes or an integer, not {quoted(seed)}") from None


def seed_label(seed: str | bytes) -> str:
    """Return a seed as text, bytes in hex. The seeds of the single matches are derived from it, and reports tell it."""
    return seed if isinstance(seed, str) else seed.hex()
