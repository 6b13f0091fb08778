"""Information-set Monte Carlo tree search with several trees in parallel, and the bot that uses it.

Each thread grows a separate tree, and the statistics at the roots are added up (root parallelization; Chaslot, Winands, van den
Herik, 2008). Trees are reused from decision to decision: the subtree below the actions played since then becomes the new tree.
The threads have a lower priority than those that serve requests.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, partial
from math import hypot, sqrt
from pathlib import Path
from typing import Any, Self

import numpy as np

from meadhall.bots.policy import PolicyBot
from meadhall.bots.tree import (
    ACTION,
    ACTOR,
    CHILD,
    COLUMNS,
    CONTROLS,
    DEFAULT_ACTION,
    MAX_DEPTH,
    NOTHING,
    ONLY,
    SIBLING,
    SIZE,
    VISITS,
)
from meadhall.engine.checks import Seed, check_seed
from meadhall.engine.compiled import module_of
from meadhall.engine.compute.bulk import seed_number
from meadhall.engine.compute.executors import cores
from meadhall.engine.game import Game
from meadhall.engine.kind import Parties, PayoffRange
from meadhall.engine.match.view import View
from meadhall.engine.state.events import NO_LOG_SHAPE
from meadhall.engine.state.schema import States


@cache
def background(name: str, niceness: int) -> ThreadPoolExecutor:
    """Return the process's thread pool of that name, with one thread per core.

    Args:
        name: the name of the pool and of its threads.
        niceness: the nice value of the threads, where the system has one per thread (Linux). It is never below the process's.
    """
    return ThreadPoolExecutor(cores(), name, partial(_lower_priority, niceness))


def _lower_priority(niceness: int) -> None:
    if sys.platform == "linux":  # only Linux has a nice value per thread
        current = os.getpriority(os.PRIO_PROCESS, 0)
        with suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), max(niceness, current))


_SOURCE = Path(__file__).with_name("tree.py")
NODES = 1 << 17
"""The capacity of a tree in nodes, of 40 bytes each."""
ROUNDS = 5
"""The number of times a search with a time limit checks whether it can stop early."""
FIRST = 16
"""The iterations of the first time slice, before the speed of the search is known."""
SLICE = 0.03
"""Time slice of a search once its speed is known, in seconds. Concurrent searches take turns, and every turn costs a handover of
the GIL."""
TURN = 0.3
"""The time in seconds within which every concurrent search gets a slice: the more searches, the shorter the slices."""
NICENESS = 10
"""The nice value of search threads."""


@dataclass(frozen=True)
class Budget:
    """The budget of a search: a time, or a number of iterations, which makes the search deterministic.

    Attributes:
        seconds: the time limit in seconds, used if ``iterations`` is 0.
        iterations: the number of iterations of each tree.
        trees: the number of trees; 0: one per core.
        alone: grow one tree in the caller's thread and measure that thread's CPU time, so that the amount of search doesn't
            depend on the load of the machine.
    """

    seconds: float = 0.0
    iterations: int = 0
    trees: int = 0
    alone: bool = False

    @property
    def clock(self) -> Callable[[], float]:
        """Return the clock that measures the seconds."""
        return time.thread_time if self.alone else time.monotonic


@dataclass(frozen=True)
class Considered:
    """The statistics of an action at the root.

    Attributes:
        action: the action.
        visits: its number of visits.
        payoff: the mean payoff of the seat to move.
        error: the standard error of ``payoff``.
    """

    action: int
    visits: int
    payoff: float
    error: float


@dataclass(frozen=True)
class Findings:
    """The result of a search.

    Attributes:
        considered: every legal action, the most visited first.
        payoffs: each seat's expected payoff.
        iterations: the number of iterations of all trees.

    Examples:
        >>> import meadhall
        >>> from meadhall.bots import Budget, Search
        >>> match = meadhall.game("axes-and-allies").match(players=3, seed="mead")
        >>> view = match.view(match.actor)
        >>> findings = Search(match.game, Budget(iterations=200, trees=1), seed="mead").consider(view)
        >>> findings.of(findings.considered[0].action) is findings.considered[0]
        True
    """

    considered: tuple[Considered, ...]
    payoffs: tuple[float, ...]
    iterations: int

    def of(self, action: int) -> Considered:
        """Return the statistics of an action."""
        return next(each for each in self.considered if each.action == action)


class Tree:
    """One tree of a search, for one viewer of one match, with a fixed capacity."""

    def __init__(self, game: Game, nodes: int = NODES) -> None:
        advice = game.advice
        self._game = game
        self._module = module_of(game, _SOURCE)
        self._settings = np.array([advice.exploration, *advice.widening, advice.cutoff, 0, 0, 1], np.float64)
        self._party = np.arange(game.max_players, dtype=np.int64)
        self._buffer = np.zeros((3, max(game.actions, MAX_DEPTH)), np.int64)
        self._silent = np.zeros(NO_LOG_SHAPE, np.int32)
        self._payoffs = np.zeros(game.max_players, np.float64)
        self._states = game.state.new(2)
        self.nodes, self._spare_nodes = np.zeros((nodes, COLUMNS), np.int32), np.zeros((nodes, COLUMNS), np.int32)
        self.rewards, self._spare_rewards = np.zeros((nodes, 2), np.float64), np.zeros((nodes, 2), np.float64)
        self.control = np.zeros(CONTROLS, np.int64)
        self.totals = np.zeros(game.max_players, np.float64)
        self.iterations = 0
        self.pace = 0.0
        """Iterations per second in the last time slice."""
        self.clear()

    def __getstate__(self) -> tuple[Game, int, dict[str, Any]]:
        """Return what a copy or pickle contains: the nodes in use, the totals and the pace."""
        size = int(self.control[SIZE])
        kept = {name: getattr(self, name) for name in ("control", "totals", "iterations", "pace", "_settings", "_party")}
        return self._game, len(self.nodes), {**kept, "nodes": self.nodes[:size], "rewards": self.rewards[:size]}

    def __setstate__(self, state: tuple[Game, int, dict[str, Any]]) -> None:
        game, capacity, kept = state
        self.__init__(game, capacity)  # type: ignore[misc]  # the buffers are made again
        nodes, rewards = kept.pop("nodes"), kept.pop("rewards")
        self.nodes[: len(nodes)], self.rewards[: len(rewards)] = nodes, rewards
        self.__dict__.update(kept)

    def __copy__(self) -> Self:
        return deepcopy(self)

    def clear(self) -> None:
        """Reset the tree to its root."""
        self.nodes[0] = (NOTHING, NOTHING, NOTHING, NOTHING, 0, 0)
        self.control[SIZE] = 1
        self.control[DEFAULT_ACTION] = self.control[ONLY] = NOTHING
        self._reset_totals()

    def _reset_totals(self) -> None:
        self.totals[:] = 0.0
        self.iterations = 0

    def grow(self, view: States, seat: int, iterations: int, seed: int) -> None:
        """Run iterations for ``seat``, for which ``view`` is concealed."""
        self._states[1] = view[0]
        self.iterations += iterations
        self._module.grow(
            self._states,
            seat,
            self.nodes,
            self.rewards,
            self.control,
            iterations,
            seed,
            self._settings,
            self._buffer,
            self._silent,
            self._payoffs,
            self._party,
            self.totals,
        )

    def explore(self, span: float) -> None:
        """Scale the exploration to payoffs whose largest and smallest value differ by ``span``."""
        self._settings[0] = self._game.advice.exploration * span

    def count_shares(self, parties: Parties, payoffs: PayoffRange) -> None:
        """Turn all payoffs into shares of a win, see ``Game.shares``."""
        for party in parties:
            self._party[list(party)] = party[0]
        self._settings[4:] = 1, payoffs.smallest, payoffs.span

    def advance(self, decisions: Iterable[tuple[int, int]]) -> None:
        """Make the node after these decisions (pairs of seat and action) the root. Clear the tree if there is no such node."""
        node = 0
        for decision in decisions:
            below = {tuple(self.nodes[child, [ACTOR, ACTION]].tolist()): child for child in self.children(node)}
            if decision not in below:
                self.clear()
                return
            node = below[decision]
        self.control[SIZE] = self._module.transplant(self.nodes, self.rewards, node, self._spare_nodes, self._spare_rewards)
        self.nodes, self._spare_nodes = self._spare_nodes, self.nodes
        self.rewards, self._spare_rewards = self._spare_rewards, self.rewards
        self._reset_totals()

    def children(self, node: int) -> list[int]:
        """Return the indexes of a node's children."""
        found = []
        child = int(self.nodes[node, CHILD])
        while child != NOTHING:
            found.append(child)
            child = int(self.nodes[child, SIBLING])
        return found


class Search:
    """The search for one viewer of one match. It keeps its trees from decision to decision.

    Args:
        game: the edition of the match.
        budget: the budget of each decision.
        seed: keys all random numbers of the search, see ``check_seed``.

    A copy is independent of the original; a pickle contains the trees.

    Examples:
        >>> import meadhall
        >>> from meadhall.bots import Budget, Search
        >>> match = meadhall.game("axes-and-allies").match(players=3, seed="mead")
        >>> view = match.view(match.actor)
        >>> search = Search(match.game, Budget(iterations=200, trees=1), seed="mead")
        >>> findings = search.consider(view)
        >>> findings.iterations
        200
        >>> best = findings.considered[0].action
        >>> search.choose(findings, default_action=view.legal[0]) in view.legal
        True
        >>> search.examine(view, [best], visits=300).of(best).visits >= 300
        True
    """

    def __init__(self, game: Game, budget: Budget, seed: Seed | None = None) -> None:
        self.game = game
        self._budget = budget
        self._seed = seed_number(seed)
        self._trees = [Tree(game) for _ in range(1 if budget.alone else budget.trees or cores())]
        self._known: tuple[tuple[int, int, int], ...] = ()
        self._reveals = -1
        self._span = 1.0

    def __copy__(self) -> Self:
        return deepcopy(self)

    def consider(self, view: View, default_action: int | None = None, whole_budget: bool = False) -> Findings:
        """Search the pending decision from the information of ``view``.

        Args:
            view: the view of the seat to move.
            default_action: the action of the game's heuristics. If given, it is expanded first, and a search with a time limit
                stops as soon as the choice is clear.
            whole_budget: don't stop then.
        """
        self._catch_up(view)
        self._span = view.game.payoffs_of(len(view.seats), view.options).span
        for tree in self._trees:
            tree.explore(self._span)
            tree.control[DEFAULT_ACTION] = NOTHING if default_action is None else default_action
        may_stop_for = None if whole_budget else default_action
        if self._budget.alone:
            return self._run(view, may_stop_for)
        _running.add(self)
        try:
            return self._run(view, may_stop_for)
        finally:
            _running.remove(self)

    def _run(self, view: View, default_action: int | None) -> Findings:
        if self._budget.iterations:
            self._grow_all(lambda tree, seed: tree.grow(view.states, view.viewer, self._budget.iterations, seed))
            return self._findings(view)
        self._grow_all(lambda tree, seed: tree.grow(view.states, view.viewer, 1, seed))  # compile before the clock starts
        clock = self._budget.clock
        began = clock()
        for round_ in range(1, ROUNDS + 1):
            until = began + self._budget.seconds * round_ / ROUNDS
            while (left := until - clock()) > 0:
                self._grow_all(partial(_grow_slice, view, clock, left))
            findings = self._findings(view)
            remaining = findings.iterations * (ROUNDS - round_) / round_
            if clock() - began > self._budget.seconds or (
                default_action is not None and self._is_clear(findings, default_action, remaining)
            ):
                break
        return findings

    def examine(self, view: View, actions: Iterable[int], visits: int) -> Findings:
        """Continue the search of the current decision until each of these actions has at least ``visits`` visits.

        A search spends its time on the best actions; this improves the estimates of the others. Afterwards ``Findings.payoffs``
        no longer estimates the value of the position. A full tree can't examine an action that it never expanded.
        """
        findings = self._findings(view)
        for action in actions:
            missing = -(-(visits - findings.of(action).visits) // len(self._trees))
            if missing > 0:
                self._grow_all(partial(_grow_below, view, action, missing))
        return self._findings(view)

    def choose(self, findings: Findings, default_action: int) -> int:
        """Return the most visited action if it is clearly better than the default action, otherwise the default action."""
        best = findings.considered[0].action
        return best if self._advantage(findings, default_action) > self.game.advice.minimum_advantage else default_action

    def _is_clear(self, findings: Findings, default_action: int, remaining: float) -> bool:
        """Return whether ``remaining`` more iterations are unlikely to change the choice."""
        first, second = findings.considered[:2]
        if first.visits - second.visits <= remaining:
            return False
        return (
            first.action == default_action or self._advantage(findings, default_action) > 2 * self.game.advice.minimum_advantage
        )

    def _advantage(self, findings: Findings, default_action: int) -> float:
        """Return by how many standard errors the most visited action is better than the default action."""
        best, default = findings.considered[0], findings.of(default_action)
        return (best.payoff - default.payoff) / hypot(best.error, default.error)

    def _findings(self, view: View) -> Findings:
        found = {action: np.zeros(3) for action in view.legal}
        for tree in self._trees:
            for child in tree.children(0):
                action = int(tree.nodes[child, ACTION])
                found.setdefault(action, np.zeros(3))
                found[action] += (tree.nodes[child, VISITS], *tree.rewards[child])
        considered = [_considered(action, sums.tolist(), self._span) for action, sums in found.items()]
        iterations = sum(tree.iterations for tree in self._trees)
        payoffs = np.sum([tree.totals for tree in self._trees], axis=0)[: view.state.players] / max(iterations, 1)
        considered.sort(key=lambda each: (-each.visits, -each.payoff, each.action))
        return Findings(tuple(considered), tuple(payoffs.tolist()), iterations)

    def _catch_up(self, view: View) -> None:
        """Advance the trees to the current position.

        A tree's statistics are averages over future chance events. Once such an event has happened they would mislead, so the
        tree is cleared.
        """
        steps = tuple((step.n, step.seat, step.action) for step in view.steps)
        known = len(self._known)
        same = self._reveals == view.state.reveals and steps[:known] == self._known
        for tree in self._trees:
            if same:
                tree.advance((seat, action) for _, seat, action in steps[known:])
            else:
                tree.clear()
        self._known, self._reveals = steps, view.state.reveals

    def _grow_all(self, grow: Callable[[Tree, int], None]) -> None:
        run = map if self._budget.alone else background("search", NICENESS).map
        list(run(grow, self._trees, range(self._seed, self._seed + len(self._trees))))


def _considered(action: int, sums: list[float], span: float) -> Considered:
    """Compute an action's statistics from its sums. A prior of half a win and half a loss keeps the variance above 0."""
    visits, total, squares = sums
    payoff = total / max(visits, 1)
    variance = (squares - visits * payoff * payoff + 0.25 * span * span) / (visits + 1)
    return Considered(action, int(visits), payoff, sqrt(variance / max(visits, 1)))


def _grow_slice(view: View, clock: Callable[[], float], seconds: float, tree: Tree, seed: int) -> None:
    """Grow a tree for one time slice of at most ``seconds``."""
    slice_ = min(SLICE, TURN / max(1, len(_running)))
    began, iterations = clock(), max(FIRST, int(tree.pace * min(slice_, seconds)))
    tree.grow(view.states, view.viewer, iterations, seed)
    tree.pace = iterations / max(clock() - began, 1e-6)


def _grow_below(view: View, action: int, iterations: int, tree: Tree, seed: int) -> None:
    """Run iterations that all begin with this action."""
    tree.control[ONLY] = action
    tree.grow(view.states, view.viewer, iterations, seed)
    tree.control[ONLY] = NOTHING


_running: set[Search] = set()
"""The searches that are running in background threads."""


class SearchBot:
    """Plays the most visited action of its search if that is clearly better than the choice of the game's heuristics.

    Args:
        game: the edition of the match.
        name: the name of the bot.
        budget: the budget of each decision.
        seed: determines the bot's random choices, see ``check_seed``.
        exact: whether it plays optimally where the game's solver knows the position.

    A copy continues like the original, independently of it. A pickle contains the search tree.

    Examples:
        >>> import meadhall
        >>> from meadhall.bots import Budget, SearchBot
        >>> match = meadhall.game("axes-and-allies").match(players=3, seed="mead")
        >>> view = match.view(match.actor)
        >>> SearchBot(match.game, "mine", Budget(iterations=50, trees=1), seed="mead").choose(view) in view.legal
        True
    """

    def __init__(self, game: Game, name: str, budget: Budget, seed: Seed | None = None, exact: bool = False) -> None:
        seed = check_seed(seed)
        self.name = name
        self._exact = exact
        self._search = Search(game, budget, seed)
        self._default_action = PolicyBot(game, "karl", seed)
        self._draw = np.random.default_rng(seed_number(seed))

    def __copy__(self) -> Self:
        return deepcopy(self)

    def __repr__(self) -> str:
        return f"<Bot {self.name} of {self._search.game.name}>"

    def choose(self, view: View, whole_budget: bool = False) -> int:
        """Choose one of ``view.legal``.

        Args:
            whole_budget: use up the budget also where no search is needed, or a shorter one. Else the work would tell whether
                a hand leaves a choice, and whether the bot knows the position.
        """
        action = self._chosen_without_search(view)
        if action is not None and not whole_budget:
            return action
        default_action = self._default_action.choose(view)
        found = self._search.consider(view, default_action, whole_budget)
        return self._search.choose(found, default_action) if action is None else action

    def _chosen_without_search(self, view: View) -> int | None:
        """Return the only legal action, that of the game's solver, or the default one where the game wants it; else None."""
        if len(view.legal) == 1:
            return view.legal[0]
        solver, plays_default = self._search.game.solver, self._search.game.advice.plays_default
        solution = solver(view) if self._exact and solver else None
        if solution is not None:
            return int(self._draw.choice(list(solution.policy), p=list(solution.policy.values())))
        if plays_default and plays_default(view.state, self._draw):
            return self._default_action.choose(view)
        return None
