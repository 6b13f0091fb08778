"""The games in OpenSpiel: importing this module registers every installed game.

    import meadhall.envs.openspiel
    import pyspiel

    game = pyspiel.load_game("python_meadhall_viking_axes(players=3,variant=strategic)")

It needs the package ``open_spiel`` (the extra ``openspiel``).
"""

from __future__ import annotations

from importlib.util import find_spec

from meadhall.engine.errors import how_to_install
from meadhall.envs import NoEnvs

if find_spec("pyspiel") is None:
    raise NoEnvs(f"OpenSpiel is not installed: {how_to_install('openspiel')}")

from meadhall.engine.registry import game_names
from meadhall.envs.openspiel.game import register

for _name in game_names():
    register(_name)

__all__ = ["register"]
