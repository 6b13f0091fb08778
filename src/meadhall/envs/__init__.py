"""Learning environments: matches as Gymnasium, PettingZoo and vector environments, and what they show of a match.

They need the extra ``envs``; ``meadhall.envs.openspiel`` needs the extra ``openspiel``. Functions that need an optional package
are imported at their first use.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from meadhall.engine.errors import MeadhallError, how_to_install
from meadhall.envs.ids import keep_ids
from meadhall.envs.render import render

if TYPE_CHECKING:
    from meadhall.envs.gym import gym_env
    from meadhall.envs.observation import information_state, layout, observe, policy_bot
    from meadhall.envs.pettingzoo import aec_env, parallel_env
    from meadhall.envs.vector import vector_env

__all__ = [
    "NoEnvs",
    "aec_env",
    "gym_env",
    "information_state",
    "layout",
    "observe",
    "parallel_env",
    "policy_bot",
    "render",
    "vector_env",
]

_MODULES = {
    "aec_env": ("pettingzoo", "pettingzoo"),
    "gym_env": ("gym", "gymnasium"),
    "information_state": ("observation", None),
    "layout": ("observation", None),
    "observe": ("observation", None),
    "parallel_env": ("pettingzoo", "pettingzoo"),
    "policy_bot": ("observation", None),
    "vector_env": ("vector", "gymnasium"),
}
"""The module of each name, and the optional package that it needs."""


class NoEnvs(MeadhallError):
    """Environments need a package that is not installed."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, needed = _MODULES[name]
    if needed is not None and find_spec(needed) is None:
        raise NoEnvs(f"{name} needs {needed}, which is not installed: {how_to_install('envs')}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
    return found


keep_ids()


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
