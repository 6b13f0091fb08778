"""Search: its findings in positions with known values, the reuse of its tree, and its use of time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np
import pytest

from games_for_tests.hoard import game as hoard
from games_for_tests.nim import HEAP, game as nim
from meadhall import game
from meadhall.bots import Budget, Findings, Search, SearchBot, bot, search
from meadhall.bots.search import SLICE, TURN, Considered, Tree
from meadhall.bots.tree import SIZE, VISITS
from meadhall.engine.compile.rule import rule
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import EVERYTHING, View
from meadhall.engine.search_settings import Advice, Solution, equal_payoffs, never_solved, uniform_random
from meadhall.engine.state.schema import States
from sizes import sized

SEED = b"a seed of a search"
VA = game("viking-axes")


def considered(match: Match, iterations: int, **changed: Any) -> Findings:
    subject = replace(match.game, advice=replace(match.game.advice, **changed))
    return Search(subject, Budget(iterations=iterations, trees=1), SEED).consider(match.view(match.actor))


@pytest.mark.parametrize("taken", [0, 1, 3])
def test_a_search_finds_the_winning_move_of_nim(taken: int) -> None:
    """A player who leaves a multiple of four wins (Bouton, 1901)."""
    match = nim.match()
    if taken:
        match.play(taken - 1)
    best = considered(match, sized(1_000, 20_000)).considered[0]
    assert (HEAP - taken - best.action - 1) % 4 == 0
    assert best.payoff > 0.8


def test_payoffs_of_rivals_sum_to_one_and_are_nearly_right() -> None:
    found = considered(nim.match(heap="small"), 1_000)  # with 5 left the seat to move takes one and wins
    assert sum(found.payoffs) == pytest.approx(1)
    assert found.considered[0].action == 0
    assert found.payoffs[0] > 0.9
    assert found.iterations == 1_000


def test_a_search_does_not_know_hidden_parts() -> None:
    """Every iteration redeals the hidden part. Only a search that may see everything knows the right guess."""
    match = nim.match(heap="hand", seed="x")
    found = considered(match, 1_000)
    assert found.payoffs[0] == pytest.approx(0.5, abs=0.06)
    right = int(match.states["hand"][0]) - 1
    match.play(right)
    search = Search(nim, Budget(iterations=400, trees=1), SEED)
    seeing = search.consider(match.view_at(0, EVERYTHING))
    assert seeing.considered[0].action == right
    assert seeing.considered[0].payoff == 1


def test_equal_seeds_and_iterations_give_equal_findings() -> None:
    view = hoard.match(players=3, seed="x").view(0)
    iterations = sized(40, 300)
    first, again, other = (
        Search(hoard, Budget(iterations=iterations, trees=2), seed).consider(view) for seed in (SEED, SEED, b"another seed")
    )
    assert first == again
    assert first != other
    assert first.iterations == 2 * iterations


def test_a_tree_is_reused_until_something_is_revealed() -> None:
    match = nim.match()
    search = Search(nim, Budget(iterations=1_000, trees=1), SEED)
    search.consider(match.view(0))
    match.play(0)
    answer = search.consider(match.view(1))
    assert sum(each.visits for each in answer.considered) > 1_000
    assert answer.iterations == 1_000

    drawing = hoard.match(players=2, seed="x")
    search = Search(hoard, Budget(iterations=200, trees=1), SEED)
    search.consider(drawing.view(0))
    drawing.play(12)  # draws a card
    drawing.play(12)
    fresh = search.consider(drawing.view(0))
    assert sum(each.visits for each in fresh.considered) == 200


def test_advancing_a_tree_keeps_the_subtree_of_the_action() -> None:
    view = nim.match().view(0)
    tree = Tree(nim)
    tree.grow(view.states, 0, 1_000, 1)
    child = max(tree.children(0), key=lambda node: int(tree.nodes[node, VISITS]))
    below = {tuple(tree.nodes[node, 2:].tolist()): tree.rewards[node].tolist() for node in tree.children(child)}
    size = int(tree.control[SIZE])
    tree.advance([(0, int(tree.nodes[child, 2]))])
    assert {tuple(tree.nodes[node, 2:].tolist()): tree.rewards[node].tolist() for node in tree.children(0)} == below
    assert 1 < tree.control[SIZE] < size
    tree.advance([(1, 0), (1, 0)])  # seat 1 never moves twice
    assert tree.control[SIZE] == 1


def test_widening_limits_the_actions_of_a_node() -> None:
    match = VA.match(players=7, seed="wide")
    view = match.view(match.actor)
    assert len(view.legal) > 4
    narrow = considered(match, 100, widening=(1.0, 0.25))
    assert sum(each.visits > 0 for each in narrow.considered) == 4  # 101 ** 0.25 = 3.17, rounded up
    wide = considered(match, 100, widening=(1e9, 0.0))
    assert all(each.visits > 0 for each in wide.considered)


def test_rarely_visited_actions_can_be_examined() -> None:
    """Each action gets as many visits as requested, and the visits of the others hardly change."""
    match = VA.match(players=7, seed="wide")
    view = match.view(match.actor)
    subject = replace(VA, advice=replace(VA.advice, widening=(1.0, 0.25)))
    search = Search(subject, Budget(iterations=100, trees=2), SEED)
    before = search.consider(view)
    rare = [each.action for each in before.considered if each.visits < 30]
    assert len(rare) > 1
    after = search.examine(view, rare[:-1], 30)
    for action in view.legal:
        expected = max(30, before.of(action).visits) if action in rare[:-1] else before.of(action).visits
        assert expected <= after.of(action).visits <= expected + (action in rare[:-1])
        assert 0 <= after.of(action).payoff <= 1
    assert search.examine(view, [before.considered[0].action], 30) == after


def test_examined_actions_have_the_payoffs_that_the_search_would_find() -> None:
    """With five left in Nim, taking one wins and every other action loses."""
    match = nim.match(heap="small")
    search = Search(nim, Budget(iterations=1_000, trees=1), SEED)
    view = match.view(match.actor)
    best = search.consider(view).considered[0].action
    found = search.examine(view, view.legal, 300)
    assert best == 0
    assert found.of(best).payoff > 0.9
    assert all(found.of(action).visits >= 300 for action in view.legal)
    assert all(found.of(action).payoff < 0.1 for action in view.legal if action != best)


@rule
def first(_state: Any, legal: Any, _count: int, _rng: Any) -> int:
    """Choose the first legal action."""
    return legal[0]  # type: ignore[no-any-return]


@rule
def seat_one_wins(state: Any, out: Any) -> None:
    for seat in range(state.players):
        out[seat] = 1.0 if seat == 1 else 0.0


@rule
def one_wins(state: Any, out: Any) -> bool:
    seat_one_wins(state, out)
    return True


@pytest.mark.parametrize(
    ("advice", "payoffs"),
    [
        ({"cutoff": 0, "evaluate": seat_one_wins}, (0, 1)),
        ({"cutoff": 0, "evaluate": equal_payoffs}, (0.5, 0.5)),
        ({"solved_value": one_wins}, (0, 1)),
    ],
)
def test_the_end_of_a_rollout_is_evaluated(advice: dict[str, Any], payoffs: tuple[float, ...]) -> None:
    settings = {"rollout": uniform_random, "solved_value": never_solved, **advice}
    assert considered(nim.match(), 20, **settings).payoffs == pytest.approx(payoffs)


@rule
def part_left(state: Any, out: Any) -> None:
    out[0] = state.left / HEAP
    out[1] = 1 - out[0]


@rule
def four_left(state: Any) -> bool:
    return state.left == 4  # type: ignore[no-any-return]


def test_a_rollout_continues_to_a_quiescent_state() -> None:
    found = considered(nim.match(), 1, guide=first, rollout=first, cutoff=2, evaluate=part_left, solved_value=never_solved)
    assert found.payoffs == pytest.approx((0.7, 0.3))
    found = considered(
        nim.match(), 1, guide=first, rollout=first, cutoff=2, evaluate=part_left, solved_value=never_solved, quiescent=four_left
    )
    assert found.payoffs == pytest.approx((0.4, 0.6))


def test_the_action_of_the_guide_is_tried_first() -> None:
    tried = {(guide, seed): _first_tried(guide, seed) for guide in (first, uniform_random) for seed in range(8)}
    assert {tried[first, seed] for seed in range(8)} == {0}
    assert len({tried[uniform_random, seed] for seed in range(8)}) > 1


def _first_tried(guide: Any, seed: int) -> int:
    subject = replace(nim, advice=Advice(guide=guide))
    found = Search(subject, Budget(iterations=1, trees=1), bytes([seed] * 8)).consider(nim.match().view(0))
    return found.considered[0].action


def findings(*payoffs: float, visits: int = 1_000, error: float = 0.0155) -> Findings:
    each = [Considered(action, visits - action, payoff, error) for action, payoff in enumerate(payoffs)]
    return Findings(tuple(each), (0.5, 0.5), visits * len(payoffs))


def test_the_default_action_is_chosen_unless_another_is_clearly_better() -> None:
    search = Search(replace(nim, advice=Advice(minimum_advantage=2.0)), Budget(iterations=1, trees=1), SEED)
    assert search.choose(findings(0.52, 0.50), default_action=1) == 1  # the standard error of the difference is 0.022
    assert search.choose(findings(0.56, 0.50), default_action=1) == 0
    assert search.choose(findings(0.52, 0.50), default_action=0) == 0
    assert search.choose(findings(0.52, 0.50, error=0.005), default_action=1) == 0


def test_the_default_action_is_tried_before_the_action_of_the_guide() -> None:
    for default_action in range(3):
        search = Search(replace(nim, advice=Advice(guide=first)), Budget(iterations=1, trees=1), SEED)
        assert search.consider(nim.match().view(0), default_action).considered[0].action == default_action


def test_the_standard_error_of_a_payoff_is_that_of_its_rollouts() -> None:
    """If half of the rollouts win by chance, the standard deviation is 0.5; if all have the same payoff, it is near 0."""
    found = considered(nim.match(heap="hand"), 1_000, exploration=100.0).considered[0]
    assert found.error == pytest.approx(sqrt(found.payoff * (1 - found.payoff) / found.visits), rel=0.01)
    same = considered(nim.match(), 30, cutoff=0, evaluate=equal_payoffs, exploration=100.0).considered[0]
    assert same.payoff == 0.5
    assert same.error < 0.4 * sqrt(0.25 / same.visits)


def test_a_search_with_a_time_budget_uses_all_of_it() -> None:
    for budget in (Budget(seconds=0.05, trees=2), Budget(seconds=0.05, alone=True)):
        began = time.monotonic()
        Search(nim, budget, SEED).consider(nim.match(heap="small").view(0))
        assert time.monotonic() - began >= 0.05


@pytest.fixture
def grown(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Simulate the clock: 10,000 iterations take a second, independent of the load. Return the iterations of each slice."""
    slices: list[int] = []
    grow = Tree.grow

    def work(tree: Tree, view: States, seat: int, iterations: int, seed: int) -> None:
        slices.append(iterations)
        grow(tree, view, seat, iterations, seed)

    monkeypatch.setattr(Tree, "grow", work)
    monkeypatch.setattr(Budget, "clock", property(lambda _budget: lambda: sum(slices) / 10_000))
    return slices


@pytest.mark.usefixtures("grown")
def test_a_search_keeps_to_its_time_budget_and_stops_early_when_the_choice_is_clear() -> None:
    view = nim.match(heap="small").view(0)
    whole = Search(nim, Budget(seconds=0.2, trees=1), SEED).consider(view)
    assert 2_000 <= whole.iterations < 2_100
    stopped = Search(nim, Budget(seconds=0.2, trees=1), SEED).consider(view, default_action=0)
    assert stopped.considered[0].action == whole.considered[0].action == 0
    assert stopped.iterations < whole.iterations


def test_time_slices_are_shorter_when_more_searches_run(monkeypatch: pytest.MonkeyPatch, grown: list[int]) -> None:
    """No search waits longer than ``TURN`` for its next slice."""
    for others, seconds in ((0, SLICE), (29, TURN / 30)):
        monkeypatch.setattr(search, "_running", {Search(nim, Budget(trees=1), SEED) for _ in range(others)})
        before = len(grown)
        Search(nim, Budget(seconds=0.2, trees=1), SEED).consider(nim.match(heap="small").view(0))
        assert max(grown[before:]) == pytest.approx(10_000 * seconds, abs=1)
        assert len(search._running) == others, "a finished search takes no more slices"


def test_a_search_alone_measures_the_cpu_time_of_its_thread() -> None:
    alone = Search(nim, Budget(seconds=0.05, alone=True), SEED)
    alone.consider(nim.match(heap="small").view(0))  # compiles
    stop = threading.Event()
    busy = threading.Thread(target=lambda: all(not waiting for waiting in iter(stop.is_set, True)))
    busy.start()
    waited, worked = time.monotonic(), time.thread_time()
    alone.consider(nim.match(heap="small").view(0))
    worked, waited = time.thread_time() - worked, time.monotonic() - waited
    stop.set()
    busy.join()
    assert 0.05 <= worked <= waited


def test_a_single_legal_action_is_chosen_without_a_search() -> None:
    match = nim.match(heap="small")
    match.play(2)
    match.play(0)  # one is left
    calls: list[int] = []

    class Counting(Search):
        def consider(self, *args: Any, **kwargs: Any) -> Findings:
            calls.append(1)
            return super().consider(*args, **kwargs)

    player = SearchBot(nim, "search", Budget(iterations=10, trees=1), SEED)
    player._search = Counting(nim, Budget(iterations=10, trees=1), SEED)
    assert player.choose(match.view(0)) == 0
    assert not calls


@pytest.mark.parametrize("solved", [False, True])
def test_with_the_whole_budget_the_work_does_not_depend_on_the_number_of_legal_actions(grown: list[int], solved: bool) -> None:
    """Neither on what a solver knows, nor on a choice that is clear early."""
    subject = replace(nim, solver=lambda view: Solution({view.legal[0]: (1.0, 0.0)}, {view.legal[0]: 1.0})) if solved else nim
    by_legal: dict[int, list[int]] = {}
    for taken in ([], [2, 0], [2], [1]):
        match = subject.match(heap="small")
        for action in taken:
            match.play(action)
        view, before = match.view(match.actor), sum(grown)
        player = SearchBot(subject, "king", Budget(seconds=0.06, trees=1), SEED, exact=True)
        assert player.choose(view, whole_budget=True) in view.legal
        by_legal.setdefault(len(view.legal), []).append(sum(grown) - before)
    assert {1, 2, 3} <= set(by_legal)
    assert all(spent == pytest.approx(600, abs=40) for each in by_legal.values() for spent in each), by_legal
    quick = SearchBot(subject, "king", Budget(seconds=0.06, trees=1), SEED, exact=True)
    before = sum(grown)
    quick.choose(subject.match(heap="small").view(0))
    assert sum(grown) - before < 500, "else this test shows nothing"


def test_the_king_plays_a_solved_policy_with_its_probabilities() -> None:
    def solver(view: View) -> Solution:
        assert view.legal
        return Solution({0: (0.4, 0.6), 2: (0.4, 0.6)}, {0: 0.25, 2: 0.75})

    solved = replace(nim, solver=solver)
    king = bot(solved, "king", SEED, alone=True)
    played = np.bincount([king.choose(nim.match().view(0)) for _ in range(400)], minlength=3)
    assert played[1] == 0
    assert 60 < played[0] < 140
    jarl = SearchBot(solved, "jarl", Budget(iterations=500, trees=1), SEED)
    assert jarl.choose(nim.match(heap="small").view(0)) == 0  # it searches although the position is solved
    assert Solution({0: (0.4, 0.6), 2: (0.4, 0.6)}, {0: 0.25, 2: 0.75}).value == pytest.approx((0.4, 0.6))


def test_a_long_search_is_split_into_slices_so_that_other_searches_can_run(monkeypatch: pytest.MonkeyPatch) -> None:
    grown, slices = [0.0], []
    grow_all = Search._grow_all

    def grow(_tree: Tree, _view: States, _seat: int, iterations: int, _seed: int) -> None:
        grown.append(iterations / 1000)  # a thousand iterations per second

    def measured(search: Search, grow: Callable[[Tree, int], None]) -> None:
        before = sum(grown)
        grow_all(search, grow)
        slices.append(sum(grown) - before)

    monkeypatch.setattr(Tree, "grow", grow)
    monkeypatch.setattr(Search, "_grow_all", measured)
    monkeypatch.setattr(Budget, "clock", property(lambda _: lambda: sum(grown)))
    Search(nim, Budget(seconds=3, trees=1), SEED).consider(nim.match().view(0))
    assert sum(slices) == pytest.approx(3, abs=SLICE)
    assert max(slices) < 1.1 * SLICE
