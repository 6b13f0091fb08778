"""The workshop: watches the files of the games, reloads a game when they change, and tells the open pages."""

from __future__ import annotations

import asyncio
import logging
import secrets
import traceback
from collections.abc import Iterable
from pathlib import Path

from jinja2 import TemplateSyntaxError
from watchfiles import awatch

from meadhall.engine.file_cache import forget_files
from meadhall.engine.game import Game
from meadhall.engine.registry import game, installed_games
from meadhall.engine.reloading import Sources, is_code, reload, sources_of
from meadhall.engine.text.language import gettext as _
from meadhall.server.dev.problems import Problem, problem_of
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.notices.pubsub import Channel
from meadhall.server.hall.room import Room
from meadhall.server.pages.frames import Frames
from meadhall.server.store.models import Guest
from meadhall.server.web.links import Outside

log = logging.getLogger(__name__)

_DEBOUNCE = 300
"""Milliseconds in which changes are collected: an editor writes several files one after the other."""

_STEP = 50
"""Milliseconds without a change after which they count as complete."""


class Workshop:
    """Keeps the games of a hall as they are on disk.

    Attributes:
        hall: the hall.
        channel: the open pages that wait for a change.
        problems: what doesn't work, by game and by what it concerns: ``import``, ``page``, or ``match`` and the id of a table.
    """

    def __init__(self, hall: Hall, frames: Frames) -> None:
        self.hall = hall
        self._frames = frames
        self.channel = Channel(hall.time)
        self.problems: dict[tuple[str, str], Problem] = {}
        self._start = secrets.token_hex(4)
        self._builds = 0
        self._reloading = asyncio.Lock()

    @property
    def build(self) -> str:
        """A name of the files as they are loaded now. A page that was made of other files must be loaded again."""
        return f"{self._start}-{self._builds}"

    def sources(self) -> dict[str, Sources]:
        """Return the files of all installed games, by name."""
        found = {name: sources_of(name) for name in sorted(installed_games())}
        return {name: sources for name, sources in found.items() if sources is not None}

    def folder_of(self, error: BaseException) -> Path | None:
        """Return the folder of the game in which an error happened, None if it happened in none."""
        files = [Path(frame.filename) for frame in traceback.extract_tb(error.__traceback__)]
        if isinstance(error, TemplateSyntaxError) and error.filename:
            files.append(Path(error.filename))
        found = (each.folder for file in reversed(files) for each in self.sources().values() if each.contain(file))
        return next(found, None)

    async def watch(self) -> None:
        """Reload games when their files change, until this is cancelled."""
        async with asyncio.TaskGroup() as group:
            for name, sources in self.sources().items():
                self._load(name, sources)
                group.create_task(self._watch(name, sources))

    def _load(self, name: str, sources: Sources) -> None:
        """Load a game for the first time. If its package is broken, note the problem."""
        try:
            game(name)
        except Exception as error:
            self._note(name, "import", error, sources)

    async def _watch(self, name: str, sources: Sources) -> None:
        is_package = sources.path.is_dir()
        async for changes in awatch(sources.folder, debounce=_DEBOUNCE, step=_STEP, recursive=is_package):
            changed = [path for path in (Path(text) for _kind, text in changes) if sources.contain(path)]
            if changed:
                try:
                    await self.change(name, sources, changed)
                except Exception:
                    log.exception("the change of %s could not be applied", name)

    async def change(self, name: str, sources: Sources, changed: Iterable[Path]) -> None:
        """Apply changes of a game's files, and tell the open pages."""
        async with self._reloading:
            if any(map(is_code, changed)) or (name, "import") in self.problems:
                await self._reload(name, sources)
            else:
                forget_files()
            if (name, "import") not in self.problems:
                self._check_pages(name, sources)
            if not self._has_problem(name):
                self._builds += 1
            self.channel.publish()

    async def _reload(self, name: str, sources: Sources) -> None:
        """Import a game again, and replay its matches. After an error the earlier game stays."""
        try:
            subject = reload(name)
        except Exception as error:
            self._note(name, "import", error, sources)
            log.warning("%s is not reloaded: %s", name, error)
            return
        self._settle(name)
        await self.hall.worker.restart()
        await self.hall.ready.prepare(lambda _name: None)
        self.hall.release_rooms_of(name)
        for room in self._rooms(name):
            await self._replay(room, subject, sources)
        await self.hall.resume(name)
        log.info("%s is reloaded", name)

    async def _replay(self, room: Room, subject: Game, sources: Sources) -> None:
        try:
            await room.reload(subject)
        except Exception as error:
            self._note(subject.name, f"match {room.table.id}", error, sources)

    def _check_pages(self, name: str, sources: Sources) -> None:
        """Render the tables of a game for all who may look at them, to find errors of its page and its words."""
        self._frames.forget()
        self.problems.pop((name, "page"), None)
        for room in self._rooms(name):
            try:
                for guest in ("", *(guest for row in room.table.seats for guest in row.guests)):
                    self._frames.frame(room, Guest(guest, "", "en"), Outside(""))
                room.publish()
            except Exception as error:
                self._note(name, "page", error, sources)

    def _rooms(self, name: str) -> list[Room]:
        return [room for room in self.hall.rooms() if room.table.game == name]

    def _has_problem(self, name: str) -> bool:
        return any(other == name for other, _place in self.problems)

    def _settle(self, name: str) -> None:
        self.problems = {key: problem for key, problem in self.problems.items() if key[0] != name}

    def _note(self, name: str, place: str, error: BaseException, sources: Sources) -> None:
        kind, _space, table = place.partition(" ")
        what = {
            "import": _("{game} can't be loaded. The last version that could is still in use."),
            "match": _("The match at table {table} can't be set up with the changed rules. It goes on with the earlier ones."),
            "page": _("The tables of {game} can't be shown."),
        }[kind].format(game=name, table=table)
        self.problems[name, place] = problem_of(name, what, error, sources.folder)
