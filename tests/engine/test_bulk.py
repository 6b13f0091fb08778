"""Bulk runs follow the same rules as a match and don't depend on the number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bulk_games import tournament
from games_for_tests.every import EVERY_GAME
from games_for_tests.hoard import game as hoard
from meadhall import Action, BadSetup, Batch, Game, MalformedAction, game, random_playouts
from meadhall.engine.compiled import loops
from meadhall.engine.compute import bulk, executors
from meadhall.engine.compute.executors import Pieces, Threads, run_chunks
from meadhall.engine.loops import GREEDY, ILLEGAL, OVER, PLAYED, RANDOM
from meadhall.engine.match.view import legal_actions
from sizes import sized

AA = game("axes-and-allies")
GAMES = sized(60, 3000)
COUNT = sized(4, 60)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "CHUNK", GAMES // 6)


def test_playouts_do_not_depend_on_the_number_of_threads() -> None:
    one, three, many = (random_playouts(AA, 4, GAMES, "threads", threads=threads) for threads in (1, 3, None))
    assert one.decisions == three.decisions == many.decisions
    assert one.payoffs.tolist() == three.payoffs.tolist() == many.payoffs.tolist()
    assert one.payoffs.sum() == pytest.approx(GAMES)


def test_the_seed_determines_the_playouts() -> None:
    assert random_playouts(AA, 3, 50, "a").decisions == random_playouts(AA, 3, 50, "a").decisions
    assert random_playouts(AA, 3, 50, "a").decisions != random_playouts(AA, 3, 50, "b").decisions
    assert random_playouts(AA, 3, 50).games == 50


def test_progress_is_reported_in_games() -> None:
    counts: list[int] = []
    random_playouts("axes-and-allies", 2, GAMES, "progress", progress=counts.append)
    assert sum(counts) == GAMES
    assert len(counts) == 6


def test_a_bulk_run_refuses_the_same_setups_as_a_match() -> None:
    for wrong in ({"players": 7}, {"players": 2, "colour": "red"}):
        with pytest.raises(BadSetup):
            random_playouts(AA, games=1, **wrong)
    with pytest.raises(BadSetup, match="sides"):
        Batch(hoard, 3, 1, mode="sides")
    with pytest.raises(BadSetup, match="players"):
        tournament(AA, [RANDOM], 1)


@pytest.mark.parametrize("subject", EVERY_GAME, ids=lambda subject: subject.name)
def test_a_batch_steps_like_single_matches(subject: Game) -> None:
    batch = Batch(subject, 3, COUNT, seed="batch")
    draw = np.random.default_rng(5)
    twins = [subject.match(players=3, seed="any").supposing(batch.states[k : k + 1]) for k in range(COUNT)]
    while (batch.actors() >= 0).any():
        masks = batch.legal_masks()
        for k, twin in enumerate(twins):
            assert np.flatnonzero(masks[k]).tolist() == list(legal_actions(subject, twin.states))
        before = batch.states.copy()
        chosen = np.where(masks, draw.random(masks.shape), -1).argmax(axis=1)
        outcome = batch.step(chosen)
        for k, twin in enumerate(twins):
            if before["actor"][k] < 0:
                assert outcome[k] == OVER
                assert batch.states[k].tobytes() == before[k].tobytes()
                continue
            assert outcome[k] == PLAYED
            step = twin.supposing(before[k : k + 1])
            step._states, _ = step._run(before[k : k + 1], 0, KeepingChance(subject, before[k]["rng"].copy(), int(chosen[k])))
            assert step._states.tobytes() == batch.states[k : k + 1].tobytes()
            twins[k] = step
    for payoff, twin in zip(batch.scores(), twins, strict=True):
        result = twin.result()
        assert result is not None
        assert payoff.tolist() == list(result.scores)


class KeepingChance:
    """Play an action with the generator of the batch instead of one keyed for the step."""

    def __init__(self, subject: Game, rng: Any, action: int) -> None:
        self.subject, self.rng, self.action = subject, rng, action

    def __call__(self, states: Any, log: Any) -> None:
        states["rng"][0] = self.rng
        loops(self.subject).play_one(states, self.action, log)


def test_an_illegal_action_in_a_batch_changes_nothing() -> None:
    batch = Batch(AA, 2, 3, seed="illegal")
    before = batch.states.copy()
    assert batch.step(batch.actors()).tolist() == [ILLEGAL] * 3
    assert batch.step([11, -1, 99]).tolist() == [ILLEGAL] * 3
    assert batch.states.tobytes() == before.tobytes()
    assert not batch.scores().any()


@pytest.mark.parametrize("actions", [[2**70] * 3, [0.0, 1.0, 2.0], ["0"] * 3, [True] * 3, [None] * 3, [[0], [0, 1], 0]])
def test_values_that_are_no_actions_are_malformed_in_a_batch(actions: Any) -> None:
    batch = Batch(AA, 2, 3, seed="malformed")
    before = batch.states.copy()
    with pytest.raises(MalformedAction, match="an action must be a"):
        batch.step(actions)
    assert batch.states.tobytes() == before.tobytes()


@pytest.mark.parametrize("kind", [list, np.uint8, np.uint64, lambda legal: [Action(int(action), "") for action in legal]])
def test_actions_of_a_batch_can_be_any_integers(kind: Any) -> None:
    batch = Batch(AA, 2, 3, seed="kinds")
    assert batch.step(kind(batch.legal_masks().argmax(axis=1))).tolist() == [PLAYED] * 3


@pytest.mark.parametrize(
    "arguments",
    [
        {"seed": 3.0},
        {"seed": "\ud800"},
        {"threads": -1},
        {"threads": 0},
        {"threads": 1.0},
        {"games": 2.0},
        {"games": True},
        {"games": 0},
        {"games": "10"},
    ],
)
def test_bulk_runs_refuse_invalid_numbers_and_seeds(arguments: dict[str, Any]) -> None:
    with pytest.raises(BadSetup):
        random_playouts(AA, 2, **{"games": 1, **arguments})


def test_bulk_runs_accept_numpy_integers() -> None:
    players, games, threads = np.array([3, GAMES, 2])
    numbered = random_playouts(AA, players, games, "numpy", threads)
    assert numbered.games == GAMES
    assert numbered.payoffs.tolist() == random_playouts(AA, 3, GAMES, "numpy").payoffs.tolist()


def test_threads_check_for_interrupts_often_regardless_of_the_length_of_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(executors, "perf_counter", lambda: now)
    for seconds in (executors.PIECE_SECONDS * 10, executors.PIECE_SECONDS / 10, executors.PIECE_SECONDS / 1e6):
        pieces = Pieces()
        lengths = []
        for chunk in (range(10_000), range(10_000, 20_000)):
            for piece in pieces.of(chunk):
                lengths.append(len(piece))
                now += seconds * len(piece)
        assert sum(lengths) == 20_000
        assert max(lengths) * seconds <= max(executors.PIECE_SECONDS, seconds)
    assert max(lengths) >= executors.MAX_PIECE, "quick games are checked for interrupts only once per progress report"


class Endless:
    """Work that is interrupted after its first chunk, while the second goes on and on."""

    subject = AA

    def __init__(self) -> None:
        self.last = range(0)

    def __call__(self, chunk: range, pieces: Pieces) -> None:
        for piece in pieces.of(range(10**9) if chunk.start else chunk):
            self.last = piece

    def compile(self) -> None: ...


def test_an_exception_ends_a_run_after_the_current_pieces() -> None:
    def interrupt(done: int) -> None:
        raise KeyboardInterrupt

    endless = Endless()
    with pytest.raises(KeyboardInterrupt):
        list(run_chunks(Threads(1), endless, range(20), 10, interrupt))
    assert endless.last.stop < 10**9


def test_a_batch_needs_an_action_for_each_match() -> None:
    with pytest.raises(BadSetup, match="3 actions"):
        Batch("axes-and-allies", 2, 3).step([0, 1])


def test_a_batch_can_start_at_a_later_match() -> None:
    whole, part = Batch(AA, 3, 10, seed="parts"), Batch(AA, 3, 4, seed="parts", first=6)
    assert whole.states[6:].tobytes() == part.states.tobytes()


def test_a_tournament_rotates_its_policies_over_the_seats() -> None:
    payoffs, lengths = tournament(AA, [GREEDY, RANDOM], GAMES, "turns", threads=2)
    assert payoffs.shape == (GAMES, 2)
    assert (payoffs.sum(axis=1) == 1).all()
    assert (lengths >= 1).all()
    greedy = payoffs[np.arange(GAMES), np.arange(GAMES) % 2 * -1 % 2]
    assert greedy.mean() > 0.5
