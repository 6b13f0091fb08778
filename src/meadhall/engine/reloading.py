"""Import an installed game again from its files, in the same process. Only development mode does that."""

from __future__ import annotations

import importlib
import linecache
import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import cache_from_source, find_spec
from pathlib import Path
from types import ModuleType

from meadhall.engine.compile.rule import SOURCES, rules_package
from meadhall.engine.file_cache import forget_files
from meadhall.engine.game import Game
from meadhall.engine.registry import installed_games, load_again

_CODE = (*SOURCES, ".toml")
"""Suffixes of the files of which a game is made when it is imported."""


@dataclass(frozen=True)
class Sources:
    """The files of an installed game.

    Attributes:
        package: what is imported again: the game's folder in Meadhall, or else the top package or module of its entry point.
        path: the folder of the package, or the file of a module.
    """

    package: str
    path: Path

    @property
    def folder(self) -> Path:
        """The folder in which files change."""
        return self.path if self.path.is_dir() else self.path.parent

    def contain(self, changed: Path) -> bool:
        """Return whether a file belongs to the game."""
        return changed == self.path or self.path in changed.parents


def is_code(changed: Path) -> bool:
    """Return whether a game must be imported again after a change of this file; otherwise its pages read the file again."""
    return changed.suffix in _CODE


def sources_of(name: str) -> Sources | None:
    """Return the files of an installed game, without importing it. None if they are in no folder."""
    package = rules_package(installed_games()[name])
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None or not Path(spec.origin).is_file():
        return None
    origin = Path(spec.origin).resolve()
    return Sources(package, origin.parent if spec.submodule_search_locations is not None else origin)


def reload(name: str) -> Game:
    """Import an installed game again from its files, register it in place of the earlier one, and return it.

    If that fails, the earlier game and its modules stay.

    Raises:
        BrokenGame: the package can't be imported; the cause is its error.
    """
    package = rules_package(installed_games()[name])
    before = _taken_out(package)
    importlib.invalidate_caches()
    linecache.checkcache()
    forget_files()
    for module in before.values():
        _forget_bytecode(module)
    try:
        return load_again(name)
    except Exception:
        _taken_out(package)
        sys.modules.update(before)
        _restore_attribute(package, before)
        raise


def _taken_out(package: str) -> dict[str, ModuleType]:
    """Remove the modules of a package from the imported ones, and return them."""
    names = [name for name in sys.modules if name == package or name.startswith(f"{package}.")]
    return {name: sys.modules.pop(name) for name in names}


def _restore_attribute(package: str, before: dict[str, ModuleType]) -> None:
    """Let the parent package have the earlier module again as its attribute."""
    parent, _, child = package.rpartition(".")
    if parent and package in before:
        setattr(sys.modules[parent], child, before[package])


def _forget_bytecode(module: ModuleType) -> None:
    """Delete the bytecode of a module. Python compares times and sizes, so it may be that of an older text of the same second."""
    source = getattr(module, "__file__", None)
    if source is not None and source.endswith(".py"):
        with suppress(OSError, NotImplementedError):
            Path(cache_from_source(source)).unlink()
