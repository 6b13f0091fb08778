"""Recovery codes: each lets its owner sign in once, without a passkey or password."""

from __future__ import annotations

import hashlib
import secrets
from typing import Final

COUNT: Final = 10
"""Codes of an account."""

_LETTERS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: without i, l, o and u, which are easily misread."""

_LENGTH: Final = 16
"""Letters of a code: 80 random bits. So a fast hash is enough, and guessing is hopeless."""

_MISREAD: Final = str.maketrans({"i": "1", "l": "1", "o": "0"})


def new_codes() -> list[str]:
    """Return new codes in groups of four letters."""
    letters = ("".join(secrets.choice(_LETTERS) for _ in range(_LENGTH)) for _ in range(COUNT))
    return ["-".join(code[k : k + 4] for k in range(0, _LENGTH, 4)) for code in letters]


def hash_of_code(code: str) -> str:
    """Return the hash of a code, however it is written: in capitals, with blanks or without hyphens."""
    letters = "".join(letter for letter in code.casefold() if letter.isalnum()).translate(_MISREAD)
    return hashlib.sha256(letters.encode()).hexdigest()
