"""Dice, shuffles, and the keys that make chance unpredictable, reproducible and verifiable.

The generator is xoroshiro128++ 1.0 (David Blackman and Sebastiano Vigna, 2019), two 64-bit words in a state's ``rng`` field.
Before step n of a match (0: the setup) it is keyed with HMAC-SHA256(match seed, n), RFC 2104. In bulk runs it is keyed from a
counter through SplitMix64 (Steele, Lea and Flood, 2014), as the generator's authors recommend.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

from meadhall.engine.compile.rule import rule, u64
from meadhall.engine.state.schema import Row

SEED_BYTES = 32

_MASK = u64(0xFFFF_FFFF_FFFF_FFFF)
_LOW = u64(0xFFFF_FFFF)
_W = u64(64)
_R17, _R21, _R28, _R32, _R49 = u64(17), u64(21), u64(28), u64(32), u64(49)
_TWO_32 = u64(1 << 32)
_GOLDEN = u64(0x9E37_79B9_7F4A_7C15)
_TWO_GOLDEN = u64(0x3C6E_F372_FE94_F82A)
_MIX_1, _MIX_2 = u64(0xBF58_476D_1CE4_E5B9), u64(0x94D0_49BB_1331_11EB)
_S30, _S27, _S31 = u64(30), u64(27), u64(31)


def new_seed() -> bytes:
    """Return a new match seed of 32 bytes from the operating system."""
    return secrets.token_bytes(SEED_BYTES)


def seed_from_text(text: str) -> bytes:
    """Return the match seed for ``text``: the SHA-256 of its UTF-8 bytes."""
    return hashlib.sha256(text.encode()).digest()


def commitment(seed: bytes) -> str:
    """Return the SHA-256 of a seed in lower-case hex, which is published when a match starts."""
    return hashlib.sha256(seed).hexdigest()


def step_key(seed: bytes, step: int) -> tuple[int, int]:
    """Return the generator's two words before step ``step`` of the match with that seed (0: the setup)."""
    digest = hmac.digest(seed, str(step).encode(), "sha256")
    return int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:16], "little")


@rule
def draw(rng: Row) -> int:
    """Return the generator's next 64 bits.

    Examples:
        >>> import numpy as np
        >>> from meadhall.sdk import draw
        >>> rng = np.array([2024, 7 << 40], np.uint64)
        >>> int(draw(rng)) < 2**64
        True
    """
    s0 = u64(rng[0])
    s1 = u64(rng[1])
    total = (s0 + s1) & _MASK
    drawn = ((((total << _R17) & _MASK) | (total >> (_W - _R17))) + s0) & _MASK
    s1 = s1 ^ s0
    rng[0] = ((s0 << _R49) & _MASK | (s0 >> (_W - _R49))) ^ s1 ^ ((s1 << _R21) & _MASK)
    rng[1] = (s1 << _R28) & _MASK | (s1 >> (_W - _R28))
    return drawn


@rule
def below(rng: Row, n: int) -> int:
    """Return a uniform integer from 0 to n - 1, without bias (Lemire's method on the upper 32 bits of a draw).

    Examples:
        >>> import numpy as np
        >>> from meadhall.engine.state.chance import below
        >>> rng = np.array([2024, 7 << 40], np.uint64)
        >>> below(rng, 52)
        2
    """
    span = u64(n)
    product = (draw(rng) >> _R32) * span
    if (product & _LOW) < span:
        threshold = (_TWO_32 - span) % span
        while (product & _LOW) < threshold:
            product = (draw(rng) >> _R32) * span
    return int(product >> _R32)


@rule
def die(rng: Row, sides: int) -> int:
    """Roll a die: return 1 to ``sides``.

    Examples:
        >>> import numpy as np
        >>> from meadhall.engine.state.chance import die
        >>> rng = np.array([2024, 7 << 40], np.uint64)
        >>> die(rng, 6), die(rng, 6)
        (1, 6)
    """
    return 1 + below(rng, sides)


@rule
def shuffle(rng: Row, items: Row, count: int) -> None:
    """Shuffle the first ``count`` items in place (Fisher and Yates, from the last down to the second).

    Examples:
        >>> import numpy as np
        >>> from meadhall.engine.state.chance import shuffle
        >>> rng = np.array([2024, 7 << 40], np.uint64)
        >>> cards = np.arange(5, dtype=np.int8)
        >>> shuffle(rng, cards, 5)
        >>> cards.tolist()
        [1, 2, 4, 3, 0]
    """
    for i in range(count - 1, 0, -1):
        j = below(rng, i + 1)
        kept = items[i]
        items[i] = items[j]
        items[j] = kept


@rule
def _mixed(x: int) -> int:
    z = u64(x)
    z = ((z ^ (z >> _S30)) * _MIX_1) & _MASK
    z = ((z ^ (z >> _S27)) * _MIX_2) & _MASK
    return z ^ (z >> _S31)


@rule
def key_from_counter(rng: Row, seed: int, counter: int) -> None:
    """Key the generator for game ``counter`` of a bulk run. The key depends on the seed and the counter alone."""
    start = (_mixed(u64(seed)) + u64(counter) * _TWO_GOLDEN) & _MASK
    rng[0] = _mixed((start + _GOLDEN) & _MASK)
    rng[1] = _mixed((start + _TWO_GOLDEN) & _MASK)
