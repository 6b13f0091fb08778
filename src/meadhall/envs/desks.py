"""Desks: the memory of the matches of an environment, see ``stepping.desk_type``, and the keys of their chance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from meadhall.engine.checks import Seed, check_seed
from meadhall.engine.compute.bulk import seed_number
from meadhall.engine.game import Game
from meadhall.envs import stepping

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
