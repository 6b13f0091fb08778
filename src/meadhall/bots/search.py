"""Search: information-set Monte Carlo tree search by several trees at once, and the bot that plays what it finds.

Every thread grows a tree of its own; their roots are added up (root parallelization, Chaslot, Winands, van den Herik, 2008). The
trees are kept from decision to decision and cut down to what has happened since.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from math import hypot, sqrt
from pathlib import Path

import numpy as np

from meadhall.bots.policy import PolicyBot
from meadhall.bots.threads import background
from meadhall.bots.tree import (
    ACTION,
    ACTOR,
    CHILD,
    COLUMNS,
    DEFAULT_ACTION,
    LONGEST,
    NOTHING,
    ONLY,
    SIBLING,
    SIZE,
    STANDING,
    VISITS,
)
from meadhall.engine.bulk import seed_number
from meadhall.engine.compiled import module_of
from meadhall.engine.cores import cores
from meadhall.engine.events import NO_LOG_SHAPE
from meadhall.engine.game import Game
from meadhall.engine.schema import States
from meadhall.engine.view import View

_SOURCE = Path(__file__).with_name("tree.py")
NODES = 1 << 17
"""Nodes of a tree at most: 40 bytes each."""
ROUNDS = 5
"""How often a search by the clock looks whether it may stop."""
FIRST = 16
"""Iterations after which a thread looks at the clock while it doesn't know how long they take."""
SLICE = 0.03
"""Seconds after which it does later, and makes room for other searches: they take turns, whoever thinks longest. For each turn
the threads of all searches take the interpreter from each other."""
TURN = 0.3
"""Seconds after which each search has had a slice, however many there are: the more, the shorter are the slices."""
BEHIND = 10
"""How much less urgent searching is than what people wait for (as ``nice`` counts)."""


@dataclass(frozen=True)
class Budget:
    """How long to think: for so many seconds, or for so many iterations in each tree, which makes it deterministic.

    Attributes:
        seconds: how long at most; used where ``iterations`` is 0.
        iterations: of each tree.
        trees: how many; 0: one for each core.
        alone: grow one tree, in the thread of whoever asks, for so many seconds of its own time: as much whatever else
            the machine does.
    """

    seconds: float = 0.0
    iterations: int = 0
    trees: int = 0
    alone: bool = False

    @property
    def clock(self) -> Callable[[], float]:
        """What the seconds are told by."""
        return time.thread_time if self.alone else time.monotonic


@dataclass(frozen=True)
class Considered:
    """An action that was considered: how often, and what share of the win it brought the one who decides on average.

    Attributes:
        error: the standard error of ``share``.
    """

    action: int
    visits: int
    payoff: float
    error: float


@dataclass(frozen=True)
class Findings:
    """What a search has found.

    Attributes:
        considered: every legal action, the most considered first.
        shares: each seat's expected share.
        iterations: how many it took, of all trees.
    """

    considered: tuple[Considered, ...]
    payoffs: tuple[float, ...]
    iterations: int

    def of(self, action: int) -> Considered:
        """What was found of an action."""
        return next(each for each in self.considered if each.action == action)


class Tree:
    """One tree of a search, for one viewer of one match, with room for so many nodes."""

    def __init__(self, game: Game, nodes: int = NODES) -> None:
        advice = game.advice
        self._module = module_of(game, _SOURCE)
        self._settings = np.array([advice.exploration, *advice.widening, advice.cutoff], np.float64)
        self._room = np.zeros((3, max(game.actions, LONGEST)), np.int64)
        self._silent = np.zeros(NO_LOG_SHAPE, np.int32)
        self._shares = np.zeros(game.max_players, np.float64)
        self._states = game.state.new(2)
        self.nodes, self._spare_nodes = np.zeros((nodes, COLUMNS), np.int32), np.zeros((nodes, COLUMNS), np.int32)
        self.rewards, self._spare_rewards = np.zeros((nodes, 2), np.float64), np.zeros((nodes, 2), np.float64)
        self.control = np.zeros(STANDING, np.int64)
        self.totals = np.zeros(game.max_players, np.float64)
        self.iterations = 0
        self.pace = 0.0
        """Iterations a second, as lately seen."""
        self.clear()

    def clear(self) -> None:
        """Nothing but a root."""
        self.nodes[0] = (NOTHING, NOTHING, NOTHING, NOTHING, 0, 0)
        self.control[SIZE] = 1
        self.control[DEFAULT_ACTION] = self.control[ONLY] = NOTHING
        self._forget()

    def _forget(self) -> None:
        self.totals[:] = 0.0
        self.iterations = 0

    def grow(self, view: States, seat: int, iterations: int, seed: int) -> None:
        """So many iterations for ``seat``, for which ``view`` is concealed."""
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
            self._room,
            self._silent,
            self._shares,
            self.totals,
        )

    def advance(self, decisions: Iterable[tuple[int, int]]) -> None:
        """Make the node after these decisions, pairs of a seat and its action, the root; clear the tree if there is none."""
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
        self._forget()

    def children(self, node: int) -> list[int]:
        """The numbers of the nodes below a node."""
        found = []
        child = int(self.nodes[node, CHILD])
        while child != NOTHING:
            found.append(child)
            child = int(self.nodes[child, SIBLING])
        return found


class Search:
    """The search for one viewer of one match: its trees, kept from decision to decision.

    Args:
        game: of the edition that the match is played in.
        budget: how long to think.
        seed: keys all chance of the search.
    """

    def __init__(self, game: Game, budget: Budget, seed: bytes) -> None:
        self.game = game
        self._budget = budget
        self._seed = seed_number(seed)
        self._trees = [Tree(game) for _ in range(1 if budget.alone else budget.trees or cores())]
        self._known: tuple[tuple[int, int, int], ...] = ()
        self._reveals = -1

    def consider(self, view: View, default_action: int | None = None) -> Findings:
        """Think about the decision that is to be made, as the viewer of ``view`` can.

        Args:
            habit: what would be done without thinking. If given, it is tried first, and a search by the clock stops as soon as it
                is clear what to do.
        """
        self._catch_up(view)
        for tree in self._trees:
            tree.control[DEFAULT_ACTION] = NOTHING if default_action is None else default_action
        if self._budget.alone:
            return self._think(view, default_action)
        _taking_turns.add(self)
        try:
            return self._think(view, default_action)
        finally:
            _taking_turns.remove(self)

    def _think(self, view: View, default_action: int | None) -> Findings:
        if self._budget.iterations:
            self._grow_all(lambda tree, seed: tree.grow(view.states, view.viewer, self._budget.iterations, seed))
            return self._findings(view)
        self._grow_all(lambda tree, seed: tree.grow(view.states, view.viewer, 1, seed))  # to be compiled is not to think
        clock = self._budget.clock
        began = clock()
        for round_ in range(1, ROUNDS + 1):
            until = began + self._budget.seconds * round_ / ROUNDS
            while (left := until - clock()) > 0:
                self._grow_all(partial(_grow_a_slice, view, clock, left))
            findings = self._findings(view)
            to_come = findings.iterations * (ROUNDS - round_) / round_
            if clock() - began > self._budget.seconds or (
                default_action is not None and self._is_clear(findings, default_action, to_come)
            ):
                break
        return findings

    def examine(self, view: View, actions: Iterable[int], visits: int) -> Findings:
        """Consider each of these actions so often at least, having thought about the decision.

        A search spends its time on what looks best: this tells more of what does not. What is found of shares is no longer
        what the seats can expect. Where a tree is full, what it never tried can't be examined.
        """
        findings = self._findings(view)
        for action in actions:
            missing = -(-(visits - findings.of(action).visits) // len(self._trees))
            if missing > 0:
                self._grow_all(partial(_grow_below, view, action, missing))
        return self._findings(view)

    def choose(self, findings: Findings, default_action: int) -> int:
        """What was considered most, if that is clearly better than the habit; else the habit."""
        best = findings.considered[0].action
        return best if self._advantage(findings, default_action) > self.game.advice.minimum_advantage else default_action

    def _is_clear(self, findings: Findings, default_action: int, to_come: float) -> bool:
        """Whether so many more iterations can't change the choice any more, or hardly."""
        first, second = findings.considered[:2]
        if first.visits - second.visits <= to_come:
            return False
        return (
            first.action == default_action or self._advantage(findings, default_action) > 2 * self.game.advice.minimum_advantage
        )

    def _advantage(self, findings: Findings, default_action: int) -> float:
        """By how many standard errors what was considered most is better than the habit."""
        best, usual = findings.considered[0], findings.of(default_action)
        return (best.payoff - usual.payoff) / hypot(best.error, usual.error)

    def _findings(self, view: View) -> Findings:
        found = {action: np.zeros(3) for action in view.legal}
        for tree in self._trees:
            for child in tree.children(0):
                action = int(tree.nodes[child, ACTION])
                found.setdefault(action, np.zeros(3))
                found[action] += (tree.nodes[child, VISITS], *tree.rewards[child])
        considered = [_considered(action, *sums.tolist()) for action, sums in found.items()]
        iterations = sum(tree.iterations for tree in self._trees)
        payoffs = np.sum([tree.totals for tree in self._trees], axis=0)[: view.state.players] / max(iterations, 1)
        considered.sort(key=lambda each: (-each.visits, -each.payoff, each.action))
        return Findings(tuple(considered), tuple(payoffs.tolist()), iterations)

    def _catch_up(self, view: View) -> None:
        """Cut the trees down to what is still possible.

        A tree's figures are averages over the chance that was ahead. Once some of it has fallen they mislead, and the tree begins
        anew.
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
        everywhere = map if self._budget.alone else background("search", BEHIND).map
        list(everywhere(grow, self._trees, range(self._seed, self._seed + len(self._trees))))


def _considered(action: int, visits: float, total: float, squares: float) -> Considered:
    """From the sums over its visits. The variance is estimated with one more visit, to win or to lose all: never nothing."""
    payoff = total / max(visits, 1)
    variance = (squares - visits * payoff * payoff + 0.25) / (visits + 1)
    return Considered(action, int(visits), payoff, sqrt(variance / max(visits, 1)))


def _grow_a_slice(view: View, clock: Callable[[], float], seconds: float, tree: Tree, seed: int) -> None:
    """Grow for a slice of time, of at most so many seconds."""
    slice_ = min(SLICE, TURN / max(1, len(_taking_turns)))
    began, iterations = clock(), max(FIRST, int(tree.pace * min(slice_, seconds)))
    tree.grow(view.states, view.viewer, iterations, seed)
    tree.pace = iterations / max(clock() - began, 1e-6)


def _grow_below(view: View, action: int, iterations: int, tree: Tree, seed: int) -> None:
    """Iterations that all begin with this action."""
    tree.control[ONLY] = action
    tree.grow(view.states, view.viewer, iterations, seed)
    tree.control[ONLY] = NOTHING


_taking_turns: set[Search] = set()
"""The searches that think in the threads in the background now."""


class SearchBot:
    """Plays what its search has considered most, if that is clearly better than what the game's heuristics would do.

    Args:
        exact: whether it plays exactly where the game can be solved.
    """

    def __init__(self, game: Game, name: str, budget: Budget, seed: bytes, exact: bool = False) -> None:
        self.name = name
        self._solver = game.solver if exact else None
        self._search = Search(game, budget, seed)
        self._default_action = PolicyBot(game, "greedy", seed)
        self._plays_default = game.advice.plays_default
        self._draw = np.random.default_rng(seed_number(seed))

    def choose(self, view: View) -> int:
        """One of ``view.legal``."""
        if len(view.legal) == 1:
            return view.legal[0]
        solution = self._solver(view) if self._solver else None
        if solution is not None:
            return int(self._draw.choice(list(solution.policy), p=list(solution.policy.values())))
        default_action = self._default_action.choose(view)
        if self._plays_default and self._plays_default(view.state, self._draw):
            return default_action
        return self._search.choose(self._search.consider(view, default_action), default_action)
