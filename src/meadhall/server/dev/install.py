"""Build development mode into the application."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Final

from litestar import Litestar, Router
from litestar.static_files import create_static_files_router

from meadhall.engine.registry import game_names, installed_games
from meadhall.engine.reloading import sources_of
from meadhall.server.dev import routes
from meadhall.server.dev.guard import refuse_other_names
from meadhall.server.dev.workshop import Workshop
from meadhall.server.hall.hall import Hall
from meadhall.server.pages.templates import environment
from meadhall.server.web.links import link

_HERE: Final = Path(__file__).parent
_STATIC: Final = _HERE / "static"

PAGES: Final[ModuleType] = routes
"""The module with the pages of development mode."""

explained = routes.explained
"""The handler of internal errors."""


def static_files() -> list[Router]:
    """Return the routes of styles and scripts: those of development mode, and of games that can't be loaded yet."""
    folders = {"/dev/static": _STATIC}
    for name in installed_games().keys() - set(game_names()):
        sources = sources_of(name)
        if sources is not None and (sources.folder / "static").is_dir():
            folders[f"/static/games/{name}"] = sources.folder / "static"
    return [
        create_static_files_router(
            path,
            [folder],
            cache_control=None,
            include_in_schema=False,
            name=path,
            guards=[refuse_other_names],
            opt={"unlimited": True},
        )
        for path, folder in folders.items()
    ]


class Drawer:
    """What the templates of all pages know of development mode, as ``dev``."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop

    @property
    def build(self) -> str:
        """A name of the files from which a page is made."""
        return self._workshop.build

    def is_stopped(self, table: str) -> bool:
        """Return whether changed rules don't allow the match of a table any more."""
        return any(room.stop is not None for room in self._workshop.hall.rooms() if room.table.id == table)

    def static(self, name: str) -> str:
        """Return the address of a style or script. It changes with the file."""
        return link(f"/dev/static/{name}?v={(_STATIC / name).stat().st_mtime_ns}")


def open_workshop(app: Litestar, hall: Hall) -> None:
    """Open the workshop of a new hall, and let its pages have the drawer."""
    app.state.workshop = workshop = Workshop(hall, app.state.frames)
    environment().globals["dev"] = Drawer(workshop)


async def watch(app: Litestar) -> None:
    """Reload games while the application runs."""
    try:
        await app.state.workshop.watch()
    finally:
        environment().globals["dev"] = None
