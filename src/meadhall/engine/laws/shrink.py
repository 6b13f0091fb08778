"""shrink: look for the shortest example of a violation that ``check_game`` has found.

Two searches take turns with the time. Random matches with few players and default options may meet the violation earlier. And
actions that have nothing to do with it can be left out, if the rest is still legal.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import replace

from meadhall.engine.errors import MeadhallError
from meadhall.engine.laws.check_game import check_position, setups, try_match
from meadhall.engine.laws.counterexample import ConformanceError, Example
from meadhall.engine.registry import registered

_WALKS = 60
"""The number of random matches in a row without a shorter example after which the search ends."""


def shrink(error: ConformanceError, seconds: float = 6.0) -> ConformanceError:
    """Return the violation of the same law with the smallest example found.

    An example is smaller with fewer actions, then with fewer players, then with fewer options that are not the default.

    Args:
        error: a violation; it is returned as it is if it has no example.
        seconds: the time limit.
    """
    if error.example is None:
        return error
    begin = time.monotonic()
    with registered(error.example.game):
        best = _walk(error, begin + seconds / 2)
        return _leave_out(best, begin + seconds)


def _walk(best: ConformanceError, deadline: float) -> ConformanceError:
    """Look for the violation in random matches that are no longer than the best example."""
    assert best.example is not None
    game, seed = best.example.game, best.example.seed
    smallest_first = sorted(setups(game), key=lambda setup: Example(game, setup[0], setup[1], seed).size)
    rest = _WALKS
    for number, (players, options) in enumerate(itertools.cycle(smallest_first)):
        if rest == 0 or time.monotonic() > deadline:
            return best
        rest -= 1
        try:
            try_match(game, players, options, f"{seed}/{number}", limit=len(best.example.moves))
        except ConformanceError as found:
            if found.law == best.law and found.example is not None and found.example.size < best.example.size:
                best, rest = found, _WALKS
                assert best.example is not None
    return best


def _leave_out(best: ConformanceError, deadline: float) -> ConformanceError:
    """Leave out runs of actions, long ones first, while the rest still leads to the violation."""
    assert best.example is not None
    length = max(1, len(best.example.moves) // 2)
    while length:
        moves = best.example.moves
        for start in range(0, len(moves), length):
            if time.monotonic() > deadline:
                return best
            shorter = replace(best.example, moves=moves[:start] + moves[start + length :], move=None)
            found = violation(shorter)
            if found is not None and found.law == best.law and found.example is not None:
                best = found
                break
        else:
            length //= 2
        assert best.example is not None
    return best


def violation(example: Example) -> ConformanceError | None:
    """Return the violation at a position, None if there is none or the actions of the example are not all legal."""
    try:
        check_position(example)
    except ConformanceError as found:
        return found
    except MeadhallError:
        return None
    return None
