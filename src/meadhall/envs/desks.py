"""What the environments of Gymnasium share: desks, opponents, and a word while rules are compiled.

Desks are the memory of the matches, see ``stepping.desk_type``, with the keys of their chance. Opponents are the bots on the
seats that the learner doesn't play. Compiling takes a minute or two for a large game, which people are told at the first step.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from meadhall.bots.policy import POLICIES
from meadhall.engine.checks import Seed, as_integer, check_seed, quoted
from meadhall.engine.compile.rule import INTERPRETED, rules_folder
from meadhall.engine.compiled import module_of
from meadhall.engine.compute.bulk import seed_number
from meadhall.engine.errors import BadSetup, IllegalAction
from meadhall.engine.game import Game
from meadhall.engine.search_settings import uniform_random
from meadhall.envs import stepping
from meadhall.envs.observation import layout
from meadhall.envs.stepping import EVERY_SEAT, GREEDY, POLICY, ROTATING, desk_type, table_type, terms_type

PATIENCE = 2.0
"""Seconds without a word. To load machine code from the cache takes less."""


@contextmanager
def announced(game: Game, loop: Any) -> Iterator[None]:
    """Say on standard error that rules are compiled, and how long it took, if the first call of a loop takes long."""
    if INTERPRETED or loop.signatures:
        yield
        return
    began = time.monotonic()
    timer = Timer(
        PATIENCE, _say, [f"compiling the rules of {game.title}, once; kept in {rules_folder(game.rules.play.__module__)}"]
    )
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        taken = time.monotonic() - began
        if taken > PATIENCE:
            _say(f"the rules of {game.title} are compiled ({taken:.0f} s)")


def _say(words: str) -> None:
    sys.stderr.write(f"meadhall: {words}\n")
    sys.stderr.flush()


def refusal(game: Game, players: int, state: Any, action: int, place: str = "") -> IllegalAction:
    """Return why an action is refused. ``place``: what stands before it, for example a match."""
    names = [str(seat) for seat in range(players)]
    rule, reason = game.words.refusal(state, action, names) if 0 <= action < game.actions else ("", "")
    return IllegalAction(f"{place}action {action} is illegal" + (f": {reason}" if reason else ""), rule)


NO_KEY = -1
"""The key of a match that was never reset."""

_MODES = {
    AutoresetMode.DISABLED: stepping.DISABLED,
    AutoresetMode.NEXT_STEP: stepping.NEXT_STEP,
    AutoresetMode.SAME_STEP: stepping.SAME_STEP,
}

Records = npt.NDArray[np.void]


def make_desks(game: Game, count: int) -> Records:
    """Return desks without matches."""
    desks = np.zeros(count, stepping.desk_type(game.state.dtype, game.actions, game.max_players))
    desks["key"], desks["ended"], desks["terminated"] = NO_KEY, True, True
    return desks


def make_terms(
    game: Game,
    players: int,
    options: Mapping[str, Any],
    seat: int,
    policies: npt.NDArray[np.int64],
    stride: int,
    limit: int,
    autoreset: AutoresetMode,
) -> Records:
    """Return the terms, an array of one record, see ``stepping.terms_type``."""
    codes = game.encode_options(options)
    terms = np.zeros(1, stepping.terms_type(game.state.dtype, game.max_players, len(codes)))
    terms["options"][0, : len(codes)] = codes
    terms["policies"][0, : len(policies)] = policies
    terms["players"], terms["learner"], terms["stride"], terms["limit"] = players, seat, stride, limit
    terms["autoreset"], terms["lowest"] = _MODES[autoreset], game.kind_of(players, options).smallest
    return terms


def keys(seed: Seed | None) -> tuple[int, int]:
    """Return the keys of the chance of matches and of bots for a seed. Raises BadSetup."""
    seed = check_seed(seed)
    return seed_number(seed), int.from_bytes(seed[8:16], "little") >> 1


_SOURCE = Path(__file__).with_name("stepping.py")

Policy = Callable[[Any, Any, int, Any], int]
"""A rule ``policy(state, legal, count, rng) -> action``, see ``Game.greedy``."""

ROTATE = "rotate"

RULE_ARGUMENTS = 4
"""The number of arguments of a policy; a function of one argument, a view, is a bot that is not compiled."""


def check_learner(seat: Any, players: int) -> int:
    """Return the learner's seat as compiled loops know it. Raises BadSetup."""
    if seat is None:
        return EVERY_SEAT
    if seat == ROTATE:
        return ROTATING
    number = as_integer(seat)
    if number is None or not 0 <= number < players:
        raise BadSetup(f"the learner's seat is 0 to {players - 1}, {ROTATE!r}, or None for every seat; not {quoted(seat)}")
    return number


def opponents(bots: Any, players: int) -> list[Any]:
    """Return the bots clockwise from the learner: one for every other seat. Raises BadSetup."""
    if isinstance(bots, str) or not isinstance(bots, Sequence):
        return [bots] * (players - 1)
    if len(bots) != players - 1:
        raise BadSetup(f"{players - 1} bots are needed, clockwise from the learner, or one for all other seats; got {len(bots)}")
    return list(bots)


def is_compiled(bot: Any) -> bool:
    """Return whether a bot is a compiled policy: a name of one, or a rule."""
    if isinstance(bot, str):
        return bot in POLICIES
    return (
        not hasattr(bot, "choose") and callable(bot) and len(signature(getattr(bot, "py_func", bot)).parameters) == RULE_ARGUMENTS
    )


def compiled_policies(game: Game, bots: Sequence[Any]) -> tuple[npt.NDArray[np.int64], Policy]:
    """Return the policy of each seat, clockwise from the learner, and the rule that ``stepping.POLICY`` stands for.

    Raises BadSetup if a bot is no compiled policy, or if two bots are different rules.
    """
    policies, rules = [0], []
    for bot in bots:
        if not is_compiled(bot):
            raise BadSetup(f"bots of a vector environment are {', '.join(POLICIES)}, or a rule; not {quoted(bot)}")
        if isinstance(bot, str) and POLICIES[bot] and game.greedy is None:
            raise BadSetup(f"{game.title} has no heuristic player, so it has no bot {quoted(bot)}")
        if not isinstance(bot, str) and bot not in rules:
            rules.append(bot)
        policies.append(POLICIES[bot] if isinstance(bot, str) else POLICY)
    if len(rules) > 1:
        raise BadSetup("bots may follow one rule of your own, not several")
    return np.array(policies, np.int64), rules[0] if rules else uniform_random


def stepping_of(game: Game, policies: npt.NDArray[np.int64], rule: Policy) -> Any:
    """Return the game's module of ``stepping.py`` for these policies, with ``rule`` for ``stepping.POLICY``.

    It calls only the rules that they need: to compile a heuristic player that isn't asked can take a minute.
    """
    desk = desk_type(game.state.dtype, game.actions, game.max_players).fields
    assert desk is not None
    bots = policies[1:]
    return module_of(
        game,
        _SOURCE,
        policy=rule,
        TABLE=table_of(game),
        RUNS=layout(game).runs_table,
        VIEW_AT=desk["view"][1],
        FINAL_AT=desk["final"][1],
        MASK_AT=desk["mask"][1],
        TOLD_AT=desk["reward"][1],
        BOTS=bool(len(bots)),
        GREEDY_BOTS=GREEDY in bots,
        OWN_BOTS=POLICY in bots,
    )


def table_of(game: Game) -> np.dtype[np.void]:
    """Return the type of a desk with its terms and observation, always the same object."""
    state, players, known = game.state.dtype, game.max_players, layout(game)
    codes = len(game.encode_options(game.check_options({})))
    return table_type(desk_type(state, game.actions, players), terms_type(state, players, codes), known.flat_dtype, known.size)
