"""How far searching bots are from optimal play of Axes and Allies (docs/internals/exact.md).

    .venv/bin/python benchmarks/exactness.py --players 4 --iterations 60000 500000

asks a search of each budget for its choice in every position of two to four players, and computes from these choices, as an
absorbing Markov chain, how often one player of a kind wins among others of another kind. No match is played.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from meadhall import Match, game
from meadhall.bots import bot
from meadhall.games.axes_and_allies.exact import IMPATIENCE, Floats, MarkovGame, graph_numbers, reordered, solved
from meadhall.games.axes_and_allies.rules import ALLY, SEATS, SIDES

AA = game("axes-and-allies")
STILL = 1e-10
DRAWS = 60

Kind = dict[int, Floats]
"""Policies by number of living players: probabilities of shape (graphs, powers, actions), numbered as in ``MarkovGame``."""


def markov_game(n: int) -> MarkovGame:
    return MarkovGame(n, solved()[n - 1].state_values.mean(axis=1) if n > 2 else np.ones((1, 1)))


def positions(n: int) -> Iterator[tuple[int, int, Match]]:
    """Yield every decision of n players: alliances, power, and a match in which seat 0 is to move."""
    blank, game_of_n = AA.match(players=n), markov_game(n)
    for graph, allied in enumerate(game_of_n.allied):
        for power in range(1 if graph else 0, SIDES):
            if not game_of_n.legal[graph, power, 0]:
                states = blank.states
                states["actor"], states["power"], states["living"] = 0, power + 1, n
                states["alive"][0] = np.arange(SEATS) < n
                states["allied"][0, :n, :n] = allied
                yield graph, power, blank.supposing(states)


def tabulated(choose: Callable[[Match], Sequence[int]], most: int) -> Kind:
    """Return the policy that plays the actions that ``choose`` returns, with equal probability."""
    kind = {}
    for n in range(2, most + 1):
        kind[n] = np.zeros(solved()[n].strategy.shape)
        kind[n][..., 0] = markov_game(n).legal[..., 0]
        for graph, power, match in positions(n):
            chosen = choose(match)
            for action in chosen:
                kind[n][graph, power, 2 * (action % ALLY) + action // ALLY] += 1 / len(chosen)
        kind[n][:, 0] = kind[n][0, 0]
    return kind


def searching(iterations: int, most: int) -> Kind:
    """Return the policy of a search. In duels it attacks with a minimum probability."""
    patient = replace(AA, advice=replace(AA.advice, plays_default=None))
    kind = tabulated(lambda match: [bot(patient, f"search@{iterations}", b"exactness").choose(match.view(0))], most)
    kind[2][:, 0] = IMPATIENCE * np.eye(4)[2] + (1 - IMPATIENCE) * kind[2][0, 0]
    return kind


def drawn_by_karl(match: Match) -> list[int]:
    """Return the actions that karl draws from with equal probability."""
    karl = bot(AA, "karl", b"exactness")
    return sorted({karl.choose(match.view(0)) for _ in range(DRAWS)})


def wins(one: Kind, others: Kind, most: int) -> float:
    """Return how often ``one`` wins among ``others``, averaged over the starting player."""
    fewer = np.zeros((1, 1))
    for n in range(2, most + 1):
        there = markov_game(n)
        kills = np.zeros((len(there.allied), SIDES, 2 * n, n))
        for victim in range(1, n):
            order = [position for position in [*range(1, n), 0] if position != victim]
            after = np.ones((len(there.allied), 1)) if n == 2 else fewer[graph_numbers(reordered(there.allied, order))]
            kills[:, :, 2 * victim, order] = after[:, None]
        play = np.stack([(others if position else one)[n] for position in range(n)], axis=-1) / SIDES
        deadly = there.kill_chances[None, :, :, None]
        gained, onward = (play * deadly * kills).sum(axis=(1, 2)), play * (1 - deadly)
        values, change = np.full((len(there.allied), n), 1 / n), 1.0
        while change > STILL:
            before, values = values, gained + (onward * np.roll(values, 1, axis=1)[there.next_graphs]).sum(axis=(1, 2))
            change = abs(values - before).max()
        fewer = values
    return float(fewer[0].mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=3)
    parser.add_argument("--iterations", type=int, nargs="*", default=[60_000])
    given = parser.parse_args()
    kinds = {
        "king": {n: solved()[n].strategy for n in range(2, given.players + 1)},
        "karl": tabulated(drawn_by_karl, given.players),
        "thrall": tabulated(lambda match: match.view(0).legal, given.players),
    }
    for iterations in given.iterations:
        kinds[f"search@{iterations}"] = searching(iterations, given.players)
    for players in range(2, given.players + 1):
        for name, one in kinds.items():
            line = "  ".join(
                f"{wins(one, others, players):.4f} among {other}" for other, others in kinds.items() if other != name
            )
            print(f"{players} players, one {name}:  {line}")


if __name__ == "__main__":
    main()
