"""Opponents: the bots on the seats that the learner doesn't play."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall.bots.policy import POLICIES
from meadhall.engine.advice import uniform_random
from meadhall.engine.checks import as_integer, quoted
from meadhall.engine.compile.compiled import module_of
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.envs.observation import layout
from meadhall.envs.stepping import EVERY_SEAT, GREEDY, POLICY, ROTATING, desk_type, table_type, terms_type

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
