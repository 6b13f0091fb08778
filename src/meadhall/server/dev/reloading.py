"""Start the hall again when a file of a game changes, unless the game can't be imported any more."""

from __future__ import annotations

import asyncio
import logging
import secrets
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from watchfiles import awatch

from meadhall.engine.compile.rule import rules_package
from meadhall.engine.registry import game_names, installed_games
from meadhall.server.hall.notices.pubsub import Channel
from meadhall.server.ops.time import Time

log = logging.getLogger(__name__)

_STARTED: Final = time.time()
"""When this process began, before it imported a game: the application imports this module first."""

_DEBOUNCE: Final = 300
"""Milliseconds in which changes are collected: an editor writes several files one after the other."""

_STEP: Final = 50
"""Milliseconds without a change after which they count as complete."""

_REHEARSAL: Final = "meadhall.server.dev.rehearsal"


class Reloading:
    """Watches the files of games.

    Attributes:
        build: a name of this start of the hall. A page that an earlier start has made must be loaded again.
        problems: why games can't be imported, "" if they can. Until then the hall goes on with what it has imported.
        channel: the open pages, which wait for another build or another problem.
    """

    def __init__(self, time: Time) -> None:
        self.build = secrets.token_hex(4)
        self.problems = ""
        self.channel = Channel(time)

    async def watch(self, restart: Callable[[], object]) -> None:
        """Call ``restart`` when a game has changed and all games can be imported, until this is cancelled."""
        logging.getLogger("watchfiles").setLevel(logging.WARNING)
        async with asyncio.TaskGroup() as group:
            for name, path in paths_of_games().items():
                group.create_task(self._watch(name, path, restart))

    async def _watch(self, name: str, path: Path, restart: Callable[[], object]) -> None:
        if name not in game_names() or _last_change(path) > _STARTED:
            await self._change(name, restart)
        folder = _folder(path)
        async for changes in awatch(folder, debounce=_DEBOUNCE, step=_STEP, recursive=folder == path):
            if any(_belongs(Path(changed), path) for _kind, changed in changes):
                await self._change(name, restart)

    async def _change(self, name: str, restart: Callable[[], object]) -> None:
        """Import the games in another process. If that works, restart the hall; else say what is wrong."""
        command = (sys.executable, "-m", _REHEARSAL, *{*game_names(), name})
        trying = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        said, _ = await trying.communicate()
        self.problems = said.decode(errors="replace").strip() if trying.returncode else ""
        self.channel.publish()
        if self.problems:
            log.error("the hall goes on with the games as they were: %s", self.problems)
        else:
            log.info("%s has changed: the hall starts again", name)
            restart()


def paths_of_games() -> dict[str, Path]:
    """Return the folders of the installed games, or the file of a game that is a module, without importing the games."""
    found = {}
    for name, module in sorted(installed_games().items()):
        try:
            spec = find_spec(rules_package(module))
        except (ImportError, ValueError):
            continue
        if spec is not None and spec.origin is not None and Path(spec.origin).is_file():
            origin = Path(spec.origin).resolve()
            found[name] = origin.parent if spec.submodule_search_locations is not None else origin
    return found


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent


def _last_change(path: Path) -> float:
    return max((file.stat().st_mtime for file in (path, *path.rglob("*")) if _belongs(file, path)), default=0.0)


def _belongs(file: Path, path: Path) -> bool:
    """Return whether a file is of the game in this folder or file. Bytecode is not: Python writes it."""
    return (file == path or path in file.parents) and "__pycache__" not in file.parts
