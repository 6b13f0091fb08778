"""One rule for seeds: a text, bytes or an integer mean the same to matches, bots, simulations, tournaments and batches."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import meadhall
from meadhall import BadSetup, Batch, random_playouts, simulate
from meadhall.bots import bot, hints
from meadhall.engine.checks import check_seed
from meadhall.engine.compute.bulk import seed_number
from meadhall.engine.laws.check_game import check_game
from meadhall.lab import tournament

GAME = "axes-and-allies"
SEED = bytes(range(32))


def of_match(seed: Any) -> Any:
    return meadhall.game(GAME).match(players=3, seed=seed).seed


def of_bot(seed: Any) -> Any:
    match = meadhall.game(GAME).match(players=4, seed="one")
    player = bot(match.game, "thrall", seed)
    return [player.choose(match.view(match.actor)) for _ in range(12)]


def of_search(seed: Any) -> Any:
    match = meadhall.game("viking-axes").match(players=2, seed="one")
    player = bot(match.game, "search@20", seed)
    return player.choose(match.view(match.actor)), player._search._seed  # type: ignore[attr-defined]


def of_batch(seed: Any) -> Any:
    return Batch(GAME, players=3, count=4, seed=seed).states.tobytes()


def of_simulation(seed: Any) -> Any:
    return simulate(GAME, ["thrall"], games=20, players=3, seed=seed).by_seat


def of_whole_matches(seed: Any) -> Any:
    return simulate(GAME, ["search@1", "thrall"], games=1, players=2, seed=seed).decisions


def of_playouts(seed: Any) -> Any:
    return random_playouts(GAME, 3, games=20, seed=seed).decisions


def of_tournament(seed: Any) -> Any:
    return tournament(GAME, ["thrall", "karl"], games=2, seed=seed).length


USES = [of_match, of_bot, of_search, of_batch, of_simulation, of_whole_matches, of_playouts, of_tournament]
EVERY_USE = pytest.mark.parametrize("use", USES)


@EVERY_USE
@pytest.mark.parametrize(
    ("seed", "same"),
    [
        (7, "7"),
        (np.int64(7), "7"),
        (-3, "-3"),
        (0, "0"),
        (b"ab", b"ab" + bytes(30)),
        (bytearray(SEED), SEED),
    ],
)
def test_two_ways_to_write_a_seed_mean_the_same(use: Callable[[Any], Any], seed: Any, same: Any) -> None:
    assert use(seed) == use(same)


@EVERY_USE
@pytest.mark.parametrize("seed", [b"", bytes(33), 1.0, True, "\ud800", ["a"], pytest.param(10**5000, id="huge")])
def test_a_bad_seed_is_refused(use: Callable[[Any], Any], seed: Any) -> None:
    with pytest.raises(BadSetup, match="seed"):
        use(seed)


@pytest.mark.parametrize("use", [of_match, of_bot, of_search, of_batch, of_simulation, of_playouts])
def test_a_text_means_its_hash(use: Callable[[Any], Any]) -> None:
    assert use("Björn") == use(hashlib.sha256("Björn".encode()).digest())


def test_32_bytes_are_the_seed_itself() -> None:
    assert of_match(SEED) == SEED == check_seed(SEED)


def test_the_keys_of_bulk_runs_are_those_of_earlier_versions() -> None:
    assert seed_number(b"exactness") == int.from_bytes(b"exactnes", "little") >> 1
    assert seed_number("any") == int.from_bytes(hashlib.sha256(b"any").digest()[:8], "little") >> 1


def test_a_report_states_a_seed_that_reproduces_it() -> None:
    for seed in (5, "five", b"five"):
        first = simulate(GAME, ["thrall"], games=30, players=3, seed=seed)
        assert simulate(GAME, ["thrall"], games=30, players=3, seed=first.seed).by_seat == first.by_seat
    assert json.loads(json.dumps(first.to_dict()))["seed"] == {"hex": (b"five" + bytes(28)).hex()}


def test_hints_and_conformance_take_the_same_seeds() -> None:
    view = meadhall.game(GAME).match(players=2, seed="a duel").view(0)
    for seed in (1.5, b"", True):
        with pytest.raises(BadSetup, match="seed"):
            hints(view, seed=seed)  # type: ignore[arg-type]
        with pytest.raises(BadSetup, match="seed"):
            check_game(meadhall.game(GAME), seed=seed)  # type: ignore[arg-type]
