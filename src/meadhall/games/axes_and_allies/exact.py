"""Axes and Allies played exactly, by two to five who are left (``docs/internals/exact.md`` tells it at length).

Nothing is hidden and nothing of the past matters but who is allied with whom, so with n players left a match is a Markov game on
the alliances, seen from the player to move. Everybody plays for their own chance to win. What ``exact.npz`` holds is an
equilibrium in stationary strategies (Fink, 1964): nobody gains by another choice in any decision, hence by none in any number of
them. Among equally good choices the first is taken: to attack before to ally, and clockwise.

A duel needs a convention. Who rolls a one there does best to ally, for to strike in vain hands the next blow to the other; two
who both know it make peace for ever, and nobody wins. So patience is limited: whoever has rolled a one in a duel strikes in vain
as often as a die shows a one. That is the only decision that isn't free.

Players are counted clockwise from the one to move, who is at position 0. The alliances are a number with a bit for each pair.
``python -m meadhall.games.axes_and_allies.exact`` computes the file anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall.engine.solution import Solution
from meadhall.engine.view import View
from meadhall.games.axes_and_allies.rules import ALLY, ATTACK, SIDES

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

FILE = Path(__file__).with_name("exact.npz")
MOST = 5
"""How many players can be left for it to be known what is best."""
IMPATIENCE = 1 / SIDES
"""How often whoever has rolled a one in a duel strikes in vain instead of allying once more."""
TOLERANCE = 1e-10
"""What another choice may gain."""

ROUNDS, WATCHED = 3000, 1000
"""For how many rounds all change their minds; choices that still change in the last of them are mixed."""
HALVED = 100
"""After so many rounds half of a first round's step has become a third, then a fourth and so on."""
EQUAL, STILL = 1e-12, 1e-13
"""Chances that differ by less are equal; those that change by less stand."""
STEP, FELT = 1e-6, 1e-5
"""By how much Newton's method changes a mixture to see what comes of it; slopes below the other are none."""


def numbers(allied: Bools) -> Ints:
    """The numbers of alliances given as (…, n, n): who is allied with whom."""
    total = np.zeros(allied.shape[:-2], np.int64)
    for bit, (a, b) in enumerate(combinations(range(allied.shape[-1]), 2)):
        total += allied[..., a, b].astype(np.int64) << bit
    return total


def regarded(array: npt.NDArray[Any], order: list[int]) -> npt.NDArray[Any]:
    """(…, n, n) as it looks when position ``order[k]`` is counted as k."""
    return array[..., order, :][..., order]


@dataclass(frozen=True)
class Melee:
    """The Markov game of n players who are left, given what it is worth to be one of n - 1.

    Actions: ``2 k`` attacks position k, ``2 k + 1`` allies with it; 0 is the turn of one who can name nobody (AA-4.1).

    Attributes:
        n: players left.
        fewer: (graphs, n - 1): each position's chance to win with a player less, before the power roll.
    """

    n: int
    fewer: Floats

    @cached_property
    def allied(self) -> Bools:
        """(graphs, n, n): AA-3.4."""
        allied = np.zeros((1 << self.n * (self.n - 1) // 2, self.n, self.n), np.bool_)
        for bit, (a, b) in enumerate(combinations(range(self.n), 2)):
            allied[:, a, b] = allied[:, b, a] = np.arange(len(allied)) >> bit & 1
        return allied

    @cached_property
    def legal(self) -> Bools:
        """(graphs, powers, actions): AA-3.1, AA-3.5, AA-4.1."""
        legal = np.repeat(~self.allied[:, 0], 2, axis=1)
        legal[:, 0] = self.allied[:, 0, 1:].all(axis=1)
        legal[:, 1] = False
        return self._by_power(legal)

    @cached_property
    def following(self) -> Ints:
        """(graphs, powers, actions): the alliances that the next player sees if nobody dies."""
        following = np.zeros((len(self.allied), 2 * self.n), np.int64)
        for action in range(2 * self.n):
            allied = self.allied.copy()
            if action % 2:
                allied[:, 0, action // 2] = allied[:, action // 2, 0] = True
            following[:, action] = numbers(regarded(allied, [*range(1, self.n), 0]))
        return self._by_power(following)

    @cached_property
    def kills(self) -> Floats:
        """(graphs, powers, actions, n): every position's chance to win after a kill, times the chance to kill."""
        kills = np.zeros((len(self.allied), 2 * self.n, self.n))
        for victim in range(1, self.n):
            order = [position for position in [*range(1, self.n), 0] if position != victim]  # from the next player on
            kills[:, 2 * victim, order] = self.fewer[numbers(regarded(self.allied, order))]
        return self._by_power(kills) * self.deadly[:, :, None]

    @cached_property
    def deadly(self) -> Floats:
        """(powers, actions): AA-3.2: how often it kills."""
        deadly = np.zeros((SIDES, 2 * self.n))
        deadly[:, 2::2] = np.arange(SIDES)[:, None] / SIDES
        return deadly

    def _by_power(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """(graphs, powers, actions, …) of (graphs, actions, …). AA-2.2: with a power of one nobody is allied."""
        spread = np.repeat(array[:, None], SIDES, axis=1)
        spread[:, 0] = array[0]
        return spread

    def prospects(self, values: Floats) -> Floats:
        """(graphs, powers, actions, n): every position's chance to win after a choice, given (graphs, n) before power rolls."""
        missed = np.roll(values, 1, axis=1)[self.following]  # who is next counts from himself
        return self.kills + (1 - self.deadly[:, :, None]) * missed

    def replies(self, prospects: Floats) -> tuple[Floats, Ints]:
        """(graphs, powers): the mover's best chance, and the first action that brings it."""
        own = np.where(self.legal, prospects[..., 0], -1.0)
        best = own.max(axis=2)
        return best, (own > best[:, :, None] - EQUAL).argmax(axis=2)

    def always(self, actions: Ints) -> Floats:
        """(graphs, powers, actions): the strategy that takes these actions, patience allowing."""
        strategy = np.eye(2 * self.n)[actions]
        if self.n == 2:
            strategy[:, 0] = [0, 0, IMPATIENCE, 1 - IMPATIENCE]
        return strategy

    def evaluate(self, strategy: Floats, values: Floats | None = None) -> Floats:
        """(graphs, n): the chances before power rolls when all follow the strategy, ``values`` being a guess.

        They are iterated from equal shares until they stand, so that play that never ended would count as shared equally.
        """
        graphs, powers, actions = np.nonzero(strategy)
        often = strategy[graphs, powers, actions] / SIDES
        first = np.searchsorted(graphs, np.arange(len(strategy)))
        kills = np.add.reduceat(often[:, None] * self.kills[graphs, powers, actions], first)
        onward = self.following[graphs, powers, actions]
        often *= 1 - self.deadly[powers, actions]
        values = np.full(kills.shape, 1 / self.n) if values is None else values
        change = 1.0
        while change > STILL:
            before, values = values, kills + np.add.reduceat(often[:, None] * np.roll(values, 1, axis=1)[onward], first)
            change = abs(values - before).max()
        return values

    def gains(self, strategy: Floats, values: Floats) -> Floats:
        """(graphs, powers): what the mover would gain by another choice, where there is one."""
        prospects = self.prospects(values)
        gains: Floats = self.replies(prospects)[0] - (strategy * prospects[..., 0]).sum(axis=2)
        if self.n == 2:
            gains[:, 0] = 0
        return gains

    def solve(self) -> tuple[Floats, Floats]:
        """An equilibrium: the strategy, and the chances before power rolls.

        All begin by holding everybody's chances for equal, reply as well as they can, and change their minds by half of what they
        see, later by less. Where that goes back and forth for ever between two actions, they are mixed.

        Raises:
            ArithmeticError: it did not lead to an equilibrium.
        """
        values = np.full((len(self.allied), self.n), 1 / self.n)
        last: list[Ints] = []
        for round_ in range(ROUNDS):
            prospects = self.prospects(values)
            actions = self.replies(prospects)[1]
            values += ((self.always(actions)[..., None] * prospects).sum(axis=2).mean(axis=1) - values) / (2 + round_ / HALVED)
            if round_ >= ROUNDS - WATCHED:
                last.append(actions)
        strategy = self.always(actions)
        doubts = [(*where, *np.unique([reply[*where] for reply in last])) for where in np.argwhere(np.ptp(last, axis=0) > 0)]
        values = self.balance(strategy, np.array(doubts, np.int64).reshape(-1, 4))
        gain = self.gains(strategy, values).max()
        if gain > TOLERANCE or strategy.min() < 0:
            raise ArithmeticError(f"no equilibrium of {self.n}: {gain} to gain")
        return strategy, values

    def balance(self, strategy: Floats, doubts: Ints) -> Floats:
        """Mix the two actions of each doubt, so that they are equally good, by Newton's method; the values then.

        A doubt whose outcome none of them feels is decided at last, without mixing.

        Args:
            strategy: is changed.
            doubts: (doubts, 4): graph, power, the one action and the other.
        """
        graph, power, one, other = doubts.T

        def mixed(payoffs: Floats, values: Floats | None = None) -> tuple[Floats, Floats]:
            strategy[graph, power] = 0
            strategy[graph, power, one] = payoffs
            strategy[graph, power, other] = 1 - payoffs
            values = self.evaluate(strategy, values)
            own = self.prospects(values)[..., 0]
            return values, own[graph, power, one] - own[graph, power, other]

        payoffs = np.full(len(doubts), 0.5)
        felt = np.full(len(doubts), True)
        values, better = mixed(payoffs)
        while abs(better[felt]).max(initial=0) > EQUAL:
            slopes = np.array([mixed(payoffs + STEP * step, values)[1] - better for step in np.eye(len(doubts))]).T / STEP
            felt = abs(slopes).max(axis=0) > FELT
            payoffs[felt] -= np.linalg.solve(slopes[np.ix_(felt, felt)], better[felt])
            values, better = mixed(payoffs, values)
        return mixed(np.where(felt, payoffs, better > 0), values)[0]


def solve_all(most: int = MOST) -> dict[str, Floats]:
    """What ``exact.npz`` holds: for n from 2 on ``strategy{n}``, (graphs, powers, actions), and ``values{n}``, (graphs, n)."""
    solved: dict[str, Floats] = {}
    values = np.ones((1, 1))
    for n in range(2, most + 1):
        solved[f"strategy{n}"], values = Melee(n, values).solve()
        solved[f"values{n}"] = values
    return solved


@dataclass(frozen=True)
class Solved:
    """The game of n who are left, played out by the equilibrium.

    Attributes:
        legal, strategy: (graphs, powers, actions): which there are, and how often to take which.
        prospects: (graphs, powers, actions, n): every position's chance to win after each.
    """

    legal: Bools
    strategy: Floats
    prospects: Floats

    @cached_property
    def standing(self) -> Floats:
        """(graphs, powers, n): every position's chance to win before the decision."""
        standing: Floats = (self.strategy[..., None] * self.prospects).sum(axis=2)
        return standing


@cache
def solved() -> dict[int, Solved]:
    """By the number of players left, from ``exact.npz``."""
    found: dict[int, Solved] = {}
    fewer = np.ones((1, 1))
    with np.load(FILE) as file:
        for n in range(2, MOST + 1):
            melee, values = Melee(n, fewer), file[f"values{n}"]
            found[n] = Solved(melee.legal, file[f"strategy{n}"], melee.prospects(values))
            fewer = values
    return found


def solver(view: View) -> Solution | None:
    """What each choice of AA-3 comes to if everybody plays on exactly; None where too many are left, or only one."""
    state: Any = view.state
    if not 2 <= state.living <= MOST or state.actor < 0:
        return None
    clockwise = [(state.actor + step) % state.players for step in range(state.players)]
    seats = [seat for seat in clockwise if state.alive[seat]]
    graph = numbers(regarded(np.array(state.allied, np.bool_), seats))
    here = solved()[len(seats)]
    chances, play = {}, {}
    for action in np.flatnonzero(here.legal[graph, state.power - 1]):
        named = (ALLY if action % 2 else ATTACK) + seats[action // 2]
        payoffs = dict(zip(seats, here.prospects[graph, state.power - 1, action].tolist(), strict=True))
        chances[named] = tuple(payoffs.get(seat, 0.0) for seat in range(state.players))
        often = float(here.strategy[graph, state.power - 1, action])
        if often > 0:
            play[named] = often
    return Solution(chances, play)


if __name__ == "__main__":
    np.savez_compressed(FILE, allow_pickle=False, **solve_all())
