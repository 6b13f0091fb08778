"""The ids of games in Gymnasium: ``viking-axes`` is ``Meadhall/VikingAxes-v1``. The version is that of these environments.

Gymnasium finds no ids of other packages by itself, and to import it takes half a second, also where no id is needed. So the
ids are added when a program imports Gymnasium, or at once if it has done so already.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from meadhall.engine.registry import known_names, listeners

_GYMNASIUM = "gymnasium"


def add_id(name: str) -> None:
    """Add the id of a game, if Gymnasium was imported. The game itself is not."""
    gymnasium = sys.modules.get(_GYMNASIUM)
    identifier = f"Meadhall/{name.title().replace('-', '')}-v1"
    if gymnasium is None or identifier in gymnasium.registry:
        return
    gymnasium.register(
        identifier,
        entry_point="meadhall.envs.gym:gym_env",
        vector_entry_point="meadhall.envs.vector:vector_env",
        kwargs={"name": name},
    )


class _AfterGymnasium(MetaPathFinder):
    """Adds the ids when Gymnasium has been imported."""

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname != _GYMNASIUM:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, (finder.find_spec(fullname, path, target) for finder in others)), None)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_add(module: ModuleType) -> None:
            execute(module)
            _add_ids()

        spec.loader.exec_module = execute_and_add  # type: ignore[method-assign]
        return spec


def _add_ids() -> None:
    for name in known_names():
        add_id(name)


def keep_ids() -> None:
    """Add the ids of all games that are installed or registered, now or later."""
    listeners.append(add_id)
    if _GYMNASIUM in sys.modules:
        _add_ids()
    else:
        sys.meta_path.insert(0, _AfterGymnasium())
