"""Axes and Allies: exact play with two to five players left (see ``docs/internals/exact.md``).

Nothing is hidden, and the alliances are the only part of the past that matters. So with n players left a match is a Markov game
whose states are the alliances as seen from the player to move. All players maximize their own chance to win. ``exact.npz`` holds
an equilibrium in stationary strategies (Fink, 1964): no player gains by another choice in a single decision, and therefore not in
several. Among equally good choices the first is taken: attack before ally, and clockwise.

A duel needs a convention. After rolling a one it is best to ally, because an attack could only miss, and the opponent would
attack next. If both players know this, they ally forever, and neither wins. So patience is limited: after a one in a duel, a
player attacks anyway with probability 1/6. This is the only decision that is fixed by convention.

Positions count the living players clockwise from the one to move, at position 0. Alliances are a number with a bit for each pair.
``python -m meadhall.games.axes_and_allies.exact`` computes the file again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall.games.axes_and_allies.rules import ALLY, ATTACK, SIDES, State
from meadhall.sdk import Solution, View, rule

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

FILE = Path(__file__).with_name("exact.npz")
MAX_SOLVED = 5
"""The largest number of players left for which exact play is known."""
IMPATIENCE = 1 / SIDES
"""The probability of an attack after a one in a duel."""
TOLERANCE = 1e-10
"""The largest gain from another choice that is accepted in an equilibrium."""

ROUNDS, LAST_ROUNDS = 3000, 1000
"""Rounds of best replies. Choices that still change in the last rounds are mixed."""
STEP_HALF_LIFE = 100
"""Slows the decay of the step size: after this many rounds the step has fallen from 1/2 to 1/3, then to 1/4 and so on."""
EQUAL, CONVERGED = 1e-12, 1e-13
"""Chances that differ by less are equal; an iteration that changes them by less has converged."""
PROBE, MIN_SLOPE = 1e-6, 1e-5
"""The change of a mixture by which Newton's method measures slopes; smaller slopes count as zero."""


def graph_numbers(allied: Bools) -> Ints:
    """Return the numbers of alliances that are given as symmetric matrices (…, n, n)."""
    total = np.zeros(allied.shape[:-2], np.int64)
    for bit, (a, b) in enumerate(combinations(range(allied.shape[-1]), 2)):
        total += allied[..., a, b].astype(np.int64) << bit
    return total


def reordered(array: npt.NDArray[Any], order: list[int]) -> npt.NDArray[Any]:
    """Return matrices (…, n, n) with position ``order[k]`` renumbered as k."""
    return array[..., order, :][..., order]


@dataclass(frozen=True)
class MarkovGame:
    """The Markov game of n players left, given the values of the game with n - 1.

    Actions: ``2 k`` attacks position k, ``2 k + 1`` allies with it. 0 stands for the turn of a player without a choice (AA-4.1).

    Attributes:
        n: players left.
        fewer: (graphs, n - 1): each position's chance to win with one player fewer, before the power roll.
    """

    n: int
    fewer: Floats

    @cached_property
    def allied(self) -> Bools:
        """(graphs, n, n): AA-3.4: the pairs that are allied."""
        allied = np.zeros((1 << self.n * (self.n - 1) // 2, self.n, self.n), np.bool_)
        for bit, (a, b) in enumerate(combinations(range(self.n), 2)):
            allied[:, a, b] = allied[:, b, a] = np.arange(len(allied)) >> bit & 1
        return allied

    @cached_property
    def legal(self) -> Bools:
        """(graphs, powers, actions): AA-3.1, AA-3.5, AA-4.1: the legal actions."""
        legal = np.repeat(~self.allied[:, 0], 2, axis=1)
        legal[:, 0] = self.allied[:, 0, 1:].all(axis=1)
        legal[:, 1] = False
        return self._by_power(legal)

    @cached_property
    def next_graphs(self) -> Ints:
        """(graphs, powers, actions): the alliances that the next player sees if no player dies."""
        next_graphs = np.zeros((len(self.allied), 2 * self.n), np.int64)
        for action in range(2 * self.n):
            allied = self.allied.copy()
            if action % 2:
                allied[:, 0, action // 2] = allied[:, action // 2, 0] = True
            next_graphs[:, action] = graph_numbers(reordered(allied, [*range(1, self.n), 0]))
        return self._by_power(next_graphs)

    @cached_property
    def kills(self) -> Floats:
        """(graphs, powers, actions, n): every position's chance to win after a kill, times the chance to kill."""
        kills = np.zeros((len(self.allied), 2 * self.n, self.n))
        for victim in range(1, self.n):
            order = [position for position in [*range(1, self.n), 0] if position != victim]  # from the next player on
            kills[:, 2 * victim, order] = self.fewer[graph_numbers(reordered(self.allied, order))]
        return self._by_power(kills) * self.kill_chances[:, :, None]

    @cached_property
    def kill_chances(self) -> Floats:
        """(powers, actions): AA-3.2: the chance to kill."""
        chances = np.zeros((SIDES, 2 * self.n))
        chances[:, 2::2] = np.arange(SIDES)[:, None] / SIDES
        return chances

    def _by_power(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Repeat (graphs, actions, …) for each power. AA-2.2: With a power of one there are no alliances."""
        spread = np.repeat(array[:, None], SIDES, axis=1)
        spread[:, 0] = array[0]
        return spread

    def action_values(self, values: Floats) -> Floats:
        """(graphs, powers, actions, n): every position's chance to win after an action, given (graphs, n) before power rolls."""
        missed = np.roll(values, 1, axis=1)[self.next_graphs]  # the next player is at position 0 then
        return self.kills + (1 - self.kill_chances[:, :, None]) * missed

    def best_replies(self, action_values: Floats) -> tuple[Floats, Ints]:
        """(graphs, powers): Return the best chance of the player to move, and the first action that gives it."""
        own = np.where(self.legal, action_values[..., 0], -1.0)
        best = own.max(axis=2)
        return best, (own > best[:, :, None] - EQUAL).argmax(axis=2)

    def pure(self, actions: Ints) -> Floats:
        """(graphs, powers, actions): Return the strategy that takes these actions, except for limited patience in a duel."""
        strategy = np.eye(2 * self.n)[actions]
        if self.n == 2:
            strategy[:, 0] = [0, 0, IMPATIENCE, 1 - IMPATIENCE]
        return strategy

    def evaluate(self, strategy: Floats, values: Floats | None = None) -> Floats:
        """(graphs, n): Return the chances before power rolls if all players follow the strategy.

        The chances are iterated from ``values``, by default equal ones, until they converge. So play that never ends would count
        as an equal chance for all.
        """
        graphs, powers, actions = np.nonzero(strategy)
        weights = strategy[graphs, powers, actions] / SIDES
        first = np.searchsorted(graphs, np.arange(len(strategy)))
        kills = np.add.reduceat(weights[:, None] * self.kills[graphs, powers, actions], first)
        onward = self.next_graphs[graphs, powers, actions]
        weights *= 1 - self.kill_chances[powers, actions]
        values = np.full(kills.shape, 1 / self.n) if values is None else values
        change = 1.0
        while change > CONVERGED:
            before, values = values, kills + np.add.reduceat(weights[:, None] * np.roll(values, 1, axis=1)[onward], first)
            change = abs(values - before).max()
        return values

    def gains(self, strategy: Floats, values: Floats) -> Floats:
        """(graphs, powers): Return the gain of the player to move from the best other choice, where there is a choice."""
        action_values = self.action_values(values)
        gains: Floats = self.best_replies(action_values)[0] - (strategy * action_values[..., 0]).sum(axis=2)
        if self.n == 2:
            gains[:, 0] = 0
        return gains

    def solve(self) -> tuple[Floats, Floats]:
        """Compute an equilibrium. Return the strategy and the chances before power rolls.

        All players begin with equal chances. In each round they choose best replies and move the chances towards the result:
        halfway at first, less later. Where the replies keep alternating between two actions, the two are mixed.

        Raises:
            ArithmeticError: The result is not an equilibrium.
        """
        values = np.full((len(self.allied), self.n), 1 / self.n)
        last: list[Ints] = []
        for round_ in range(ROUNDS):
            action_values = self.action_values(values)
            actions = self.best_replies(action_values)[1]
            target = (self.pure(actions)[..., None] * action_values).sum(axis=2).mean(axis=1)
            values += (target - values) / (2 + round_ / STEP_HALF_LIFE)
            if round_ >= ROUNDS - LAST_ROUNDS:
                last.append(actions)
        strategy = self.pure(actions)
        mixtures = [(*where, *np.unique([reply[*where] for reply in last])) for where in np.argwhere(np.ptp(last, axis=0) > 0)]
        values = self.balance(strategy, np.array(mixtures, np.int64).reshape(-1, 4))
        gain = self.gains(strategy, values).max()
        if gain > TOLERANCE or strategy.min() < 0:
            raise ArithmeticError(f"no equilibrium with {self.n} players left: a player can gain {gain}")
        return strategy, values

    def balance(self, strategy: Floats, mixtures: Ints) -> Floats:
        """Mix the two actions of each mixture so that they are equally good, by Newton's method, and return the values then.

        A mixture whose difference doesn't depend on any weight is finally replaced by its better action.

        Args:
            strategy: it is changed in place.
            mixtures: (mixtures, 4): graph, power, and the two actions.
        """
        graph, power, one, other = mixtures.T

        def mixed(weights: Floats, values: Floats | None = None) -> tuple[Floats, Floats]:
            """Return the values, and the advantage of each mixture's first action, if that action has these weights."""
            strategy[graph, power] = 0
            strategy[graph, power, one] = weights
            strategy[graph, power, other] = 1 - weights
            values = self.evaluate(strategy, values)
            own = self.action_values(values)[..., 0]
            return values, own[graph, power, one] - own[graph, power, other]

        weights = np.full(len(mixtures), 0.5)
        sensitive = np.full(len(mixtures), True)
        values, advantage = mixed(weights)
        while abs(advantage[sensitive]).max(initial=0) > EQUAL:
            slopes = np.array([mixed(weights + PROBE * step, values)[1] - advantage for step in np.eye(len(mixtures))]).T / PROBE
            sensitive = abs(slopes).max(axis=0) > MIN_SLOPE
            weights[sensitive] -= np.linalg.solve(slopes[np.ix_(sensitive, sensitive)], advantage[sensitive])
            values, advantage = mixed(weights, values)
        return mixed(np.where(sensitive, weights, advantage > 0), values)[0]


def solve_all(most: int = MAX_SOLVED) -> dict[str, Floats]:
    """Return the arrays of ``exact.npz``: ``strategy{n}`` (graphs, powers, actions) and ``values{n}`` (graphs, n) for each n."""
    arrays: dict[str, Floats] = {}
    values = np.ones((1, 1))
    for n in range(2, most + 1):
        arrays[f"strategy{n}"], values = MarkovGame(n, values).solve()
        arrays[f"values{n}"] = values
    return arrays


@dataclass(frozen=True)
class Solved:
    """The game of n players left, under the equilibrium.

    Attributes:
        legal, strategy: (graphs, powers, actions): the legal actions, and the probability of each.
        action_values: (graphs, powers, actions, n): every position's chance to win after an action.
    """

    legal: Bools
    strategy: Floats
    action_values: Floats

    @cached_property
    def state_values(self) -> Floats:
        """(graphs, powers, n): every position's chance to win before the decision."""
        values: Floats = (self.strategy[..., None] * self.action_values).sum(axis=2)
        return values


@cache
def solved() -> dict[int, Solved]:
    """Return the solved games of ``exact.npz`` by number of players left."""
    games: dict[int, Solved] = {}
    fewer = np.ones((1, 1))
    with np.load(FILE) as file:
        for n in range(2, MAX_SOLVED + 1):
            game, values = MarkovGame(n, fewer), file[f"values{n}"]
            games[n] = Solved(game.legal, file[f"strategy{n}"], game.action_values(values))
            fewer = values
    return games


@rule
def is_printed(state: State) -> bool:
    """Return whether no house rule of AA-7 holds: exact play is known for the printed rules alone."""
    return not state.last_two_fight and state.sides == SIDES and not state.kills_on


def solver(view: View) -> Solution | None:
    """Return the payoffs of each choice of AA-3 under exact play.

    Return None with more than five players left, or only one, and with a house rule of AA-7.
    """
    state: Any = view.state
    if not 2 <= state.living <= MAX_SOLVED or state.actor < 0 or not is_printed(state):
        return None
    clockwise = [(state.actor + step) % state.players for step in range(state.players)]
    seats = [seat for seat in clockwise if state.alive[seat]]
    graph = graph_numbers(reordered(np.array(state.allied, np.bool_), seats))
    here = solved()[len(seats)]
    payoffs, policy = {}, {}
    for move in np.flatnonzero(here.legal[graph, state.power - 1]):
        action = (ALLY if move % 2 else ATTACK) + seats[move // 2]
        chances = dict(zip(seats, here.action_values[graph, state.power - 1, move].tolist(), strict=True))
        payoffs[action] = tuple(chances.get(seat, 0.0) for seat in range(state.players))
        probability = float(here.strategy[graph, state.power - 1, move])
        if probability > 0:
            policy[action] = probability
    return Solution(payoffs, policy)


if __name__ == "__main__":
    np.savez_compressed(FILE, allow_pickle=False, **solve_all())
