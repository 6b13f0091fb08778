"""Chance: published test vectors, the check values of the record format, and an independent implementation to compare with."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, strategies as st

from meadhall.engine.state import chance

MASK = (1 << 64) - 1
SEED = chance.seed_from_text("meadhall")


def xoroshiro128plusplus(s0: int, s1: int) -> Iterator[int]:
    """Yield the draws of xoroshiro128++ 1.0, ported from the C code by Blackman and Vigna."""

    def rotl(x: int, k: int) -> int:
        return ((x << k) | (x >> (64 - k))) & MASK

    while True:
        yield (rotl((s0 + s1) & MASK, 17) + s0) & MASK
        s1 ^= s0
        s0, s1 = rotl(s0, 49) ^ s1 ^ ((s1 << 21) & MASK), rotl(s1, 28)


def below(draws: Iterator[int], n: int) -> int:
    """Return a uniform integer below n as the record format describes it."""
    while True:
        m = (next(draws) >> 32) * n
        if m & 0xFFFF_FFFF >= (2**32 - n) % n:
            return m >> 32


def keyed(seed: bytes, step: int) -> tuple[int, int]:
    digest = hmac.new(seed, str(step).encode("ascii"), hashlib.sha256).digest()
    return int.from_bytes(digest[0:8], "little"), int.from_bytes(digest[8:16], "little")


def generator(words: tuple[int, int]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array(words, np.uint64)


def dice_of_step(step: int) -> list[int]:
    rng = generator(chance.step_key(SEED, step))
    return [chance.die(rng, 6) for _ in range(12)]


def test_the_generator_reproduces_its_published_test_vectors() -> None:
    rng = generator((1, 2))
    assert [int(chance.draw(rng)) for _ in range(4)] == [
        393217,
        669327710093319,
        1732421326133921491,
        11394790081659126983,
    ]


def test_a_text_seed_is_hashed_and_its_commitment_is_the_hash_of_the_seed() -> None:
    assert SEED.hex().startswith("459b84ac")
    assert SEED.hex().endswith("2f46")
    assert chance.commitment(SEED).startswith("26f264b9")
    assert chance.commitment(SEED).endswith("a538")


@pytest.mark.parametrize(
    ("step", "dice"),
    [(0, "4 4 6 6 4 4 6 5 1 1 5 1"), (1, "6 1 6 3 2 1 2 3 2 4 5 5"), (17, "3 5 5 6 1 1 1 4 1 2 1 4")],
)
def test_dice_match_the_check_values_of_the_record_format(step: int, dice: str) -> None:
    assert " ".join(map(str, dice_of_step(step))) == dice


def test_a_shuffle_matches_the_check_value_of_the_record_format() -> None:
    items = np.arange(10, dtype=np.int8)
    chance.shuffle(generator(chance.step_key(SEED, 0)), items, 10)
    assert items.tolist() == [1, 0, 8, 7, 2, 3, 5, 9, 4, 6]


@given(st.binary(min_size=32, max_size=32), st.integers(0, 10**6))
def test_step_keys_are_hmac_sha256_of_the_step_number(seed: bytes, step: int) -> None:
    assert chance.step_key(seed, step) == keyed(seed, step)


@given(st.tuples(st.integers(0, MASK), st.integers(1, MASK)), st.lists(st.integers(1, 2**31 - 1), max_size=20))
def test_below_equals_an_independent_implementation(words: tuple[int, int], spans: list[int]) -> None:
    rng, draws = generator(words), xoroshiro128plusplus(*words)
    assert [chance.below(rng, n) for n in spans] == [below(draws, n) for n in spans]
    assert int(chance.draw(rng)) == next(draws)


@pytest.mark.parametrize("n", [1, 2, 5, 6, 7, 12, 100])
def test_below_is_uniform(n: int) -> None:
    rng = generator((7, 11))
    rounds = 400
    counts = Counter(chance.below(rng, n) for _ in range(rounds * n))
    assert set(counts) == set(range(n))
    chi_square = sum((count - rounds) ** 2 / rounds for count in counts.values())
    assert chi_square < n - 1 + 6 * (2 * n) ** 0.5


def test_below_rejects_values_that_would_favour_small_numbers() -> None:
    """With n = 3 * 2^30 some results would be twice as likely as others if some of the 2^32 draws weren't rejected."""
    n = 3 << 30
    rng = generator((5, 9))
    drawn = [chance.below(rng, n) for _ in range(4000)]
    by_remainder = Counter(value % 3 for value in drawn)
    assert all(abs(count - 4000 / 3) < 6 * (4000 * 2 / 9) ** 0.5 for count in by_remainder.values())


def test_every_order_of_a_shuffle_is_equally_likely() -> None:
    rng = generator((3, 4))
    orders: Counter[tuple[int, ...]] = Counter()
    for _ in range(2400):
        items = np.arange(4, dtype=np.int8)
        chance.shuffle(rng, items, 4)
        orders[tuple(items.tolist())] += 1
    assert len(orders) == 24
    assert sum((count - 100) ** 2 / 100 for count in orders.values()) < 23 + 6 * 46**0.5


def test_keys_of_bulk_runs_are_splitmix64_of_seed_and_counter() -> None:
    """The keys of all games of a run come from one SplitMix64 stream, two words for each game."""

    def mixed(z: int) -> int:
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    rng = generator((0, 0))
    for seed, counter in [(0, 0), (1, 0), (0, 1), (123456789, 987654321)]:
        chance.key_from_counter(rng, seed, counter)
        state = mixed(seed) + 2 * counter * 0x9E3779B97F4A7C15
        expected = [mixed((state + k * 0x9E3779B97F4A7C15) & MASK) for k in (1, 2)]
        assert rng.tolist() == expected


def test_new_seeds_are_32_bytes_and_differ() -> None:
    seeds = {chance.new_seed() for _ in range(5)}
    assert {len(seed) for seed in seeds} == {32}
    assert len(seeds) == 5
