"""The Jinja environment of pages, and the addresses of static files.

The hall's own templates are in ``templates/``. Those that draw games, and the files of a game, are found by
``meadhall.pictures.templates``.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, Template

from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import LANGUAGES, current_language
from meadhall.lab.balance import STYLES
from meadhall.pictures.templates import STATIC as SHARED_STATIC, game_static_files, new_environment
from meadhall.server.pages.any_game import any_game_template, uses_any_game_page
from meadhall.server.pages.clock import clock_words, moment, time_left
from meadhall.server.pages.log import turn_in_words
from meadhall.server.pages.models import Viewer
from meadhall.server.pages.people import sounds
from meadhall.server.pages.stage_sounds import stage_beats, stage_sounds
from meadhall.server.web.links import link

HERE = Path(__file__).parent
SERVER = HERE.parent
STATIC = SERVER / "static"
SHARED = (STATIC, SHARED_STATIC, STYLES.parent)
"""The folders of static files that belong to no game: of the hall, of pictures and of reports."""


@cache
def environment() -> Environment:
    """Return the environment of all pages."""
    environment = new_environment(HERE / "templates", SERVER / "dev" / "templates", otherwise=any_game_template)
    environment.globals.update(
        link=link,
        static=static,
        game_static=game_static,
        languages=LANGUAGES,
        language=current_language,
        turn_in_words=turn_in_words,
        sounds=sounds,
        stage_sounds=stage_sounds,
        stage_beats=stage_beats,
        time_left=time_left,
        moment=moment,
        game_named=game,
        clock_words=clock_words,
        dev=None,  # the pages of a hall in development mode get it
        personal=(),  # what a page tells a guest once
    )
    return environment


@cache
def template(name: str) -> Template:
    """Return a template: one of the hall's own, or ``GAME/FILE`` for one of a game's."""
    return environment().get_template(name)


def render(name: str, viewer: Viewer, page: Any, path: str, origin: str, **more: Any) -> str:
    """Render a whole page in the current language. ``origin`` begins the absolute address of a picture for messengers."""
    return template(name).render(viewer=viewer, page=page, path=path, origin=origin, **more)


def render_part(name: str, page: Any) -> str:
    """Render a part of a page in the current language."""
    return template(name).render(page=page)


# -------------------------------------------------------------------------------------------------------------- static files


def static(name: str) -> str:
    """Return the address of a static file. It contains a digest, so browsers may cache the file forever."""
    return link(_versioned(name))


@cache
def _versioned(name: str) -> str:
    digest = hashlib.sha256(_static_file(name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={digest}"


def service_worker() -> str:
    """Return the text of the service worker. It changes with the files that it keeps."""
    files = [f"{static(name)}&offline" for name in _OFFLINE_FILES]
    files += [link(f"/static/fonts/{name}.woff2?offline") for name in _OFFLINE_FONTS]
    values = {
        "ROOT": link("/"),
        "OFFLINE": link("/offline"),
        "KEPT": files,
        "ICON": static("icons/icon-192.png"),
        "BADGE": static("icons/badge-96.png"),
    }
    constants = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in values.items())
    return constants + _static_file("js/service-worker.js").read_text("utf-8")


_OFFLINE_FILES = (
    "favicon.svg",
    "css/tokens.css",
    "css/offline-fonts.css",
    "css/base.css",
    "css/pages.css",
    "js/offline.js",
)
_OFFLINE_FONTS = ("grenze-latin-600-normal", "alegreya-sans-latin-400-normal", "alegreya-sans-latin-700-normal")
"""The parts of the page without a connection."""


def game_static(name: str, suffix: str) -> list[str]:
    """Return the addresses of a game's own styles (``.css``) or scripts (``.js``)."""
    own = [static(f"games/{name}/{path.name}") for path in game_static_files(name, suffix)]
    return [static("css/any_game.css"), *own] if suffix == ".css" and uses_any_game_page(name) else own


def static_folders() -> dict[str, tuple[Path, ...]]:
    """Return the folders of static files by their addresses: ``SHARED``, and every game's."""
    games = {f"/static/games/{name}": game(name).file("static") for name in game_names()}
    found = {path: (folder,) for path, folder in games.items() if folder is not None and folder.is_dir()}
    return {"/static": SHARED, **found}


def _static_file(name: str) -> Path:
    """Return the path of one of the hall's own or shared files, or of a game's file ``games/GAME/…``."""
    if name.startswith("games/"):
        _, owner, rest = name.split("/", 2)
        folder = game(owner).file("static")
        if folder is not None:
            return folder / rest
    return next((folder / name for folder in SHARED if (folder / name).is_file()), STATIC / name)
