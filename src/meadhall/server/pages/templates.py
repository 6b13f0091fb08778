"""The Jinja environment, and the addresses of static files.

The hall's own templates are in ``templates/``. Every game has ``page.html`` (board and controls) in its folder, and where it
needs them ``tile.html`` (its picture in the hall), ``sprite.html`` (symbols for all its pages), ``keys.html`` (more entries for
the list of keys), ``figures.html`` (macros for the figures of its rulebook), ``picture.html`` (the end of a match in the picture
to share; without it, that shows ``tile.html``), and styles and scripts in ``static/``.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Hashable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, FunctionLoader, StrictUndefined, Template
from jinja2.environment import TemplateModule
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.runtime import Macro
from markupsafe import Markup

from meadhall.engine.game import game, game_names
from meadhall.engine.language import LANGUAGES, current_language, gettext, grouped, ngettext
from meadhall.server.pages.clock import clock_words, now_ms, time_left
from meadhall.server.pages.log import turn_in_words
from meadhall.server.pages.models import Viewer
from meadhall.server.pages.notifications import sounds
from meadhall.server.pages.patches import without_cuts
from meadhall.server.web.links import link

HERE = Path(__file__).parent
SERVER = HERE.parent
STATIC = SERVER / "static"


class OneLine(Extension):
    """Removes the indentation of templates when they are loaded: texts are kept, and sent many times."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """Replace each line break and the indentation after it by a space."""
        for token in stream:
            yield Token(token.lineno, token.type, _INDENTATION.sub(" ", token.value)) if token.type == "data" else token


class PiecesTemplate(Template):
    """A template. If it has macros for small pieces, such as icons and dice, it remembers what they have rendered.

    To render such a macro takes longer than to look up what it has rendered for the same values.
    """

    def make_module(self, *given: Any, **named: Any) -> TemplateModule:
        """Return the module of the template, from which other templates import macros."""
        module = super().make_module(*given, **named)
        if str(self.name).endswith(_PIECES):
            for name, value in vars(module).items():
                if isinstance(value, Macro) and not value.caller:
                    setattr(module, name, remembered(value))
        return module


def remembered(macro: Macro) -> Callable[..., str]:
    """Return a function that renders a macro, or returns what it has rendered for these values in this language."""

    @lru_cache(maxsize=512, typed=True)  # Markup is not escaped again, an equal string is
    def rendered(_language: str, *values: Hashable, **named: Hashable) -> str:
        return macro(*values, **named)

    def render(*values: Any, **named: Any) -> str:
        try:
            return rendered(current_language(), *values, **named)
        except TypeError:  # a value that can't be hashed
            return macro(*values, **named)

    return render


_PIECES = ("_parts.html", "pieces.html")
"""Names of the templates with such macros."""

_INDENTATION = re.compile(r"\n\s*")


@cache
def environment() -> Environment:
    """Return the environment of all templates."""
    environment = Environment(
        loader=ChoiceLoader([FileSystemLoader(HERE / "templates"), FunctionLoader(_game_template)]),
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n", "jinja2.ext.do", OneLine],
    )
    environment.template_class = PiecesTemplate
    environment.newstyle_gettext = True  # type: ignore[attr-defined]
    environment.filters["grouped"] = grouped
    environment.globals.update(_=translated, gettext=translated, ngettext=translated_number)
    environment.globals.update(
        link=link,
        static=static,
        game_static=game_static,
        languages=LANGUAGES,
        language=current_language,
        turn_in_words=turn_in_words,
        sounds=sounds,
        now_ms=now_ms,
        time_left=time_left,
        clock_words=clock_words,
    )
    return environment


@cache
def template(name: str) -> Template:
    """Return a template: one of the hall's own, or ``GAME/FILE`` for one of a game's."""
    return environment().get_template(name)


def has_template(name: str) -> bool:
    """Return whether there is a template ``GAME/FILE``."""
    return _game_template(name) is not None


def render(name: str, viewer: Viewer, page: Any, path: str, origin: str, **more: Any) -> str:
    """Render a whole page in the current language. ``origin`` begins the absolute address of a picture for messengers."""
    return without_cuts(template(name).render(viewer=viewer, page=page, path=path, origin=origin, **more))


def render_part(name: str, page: Any) -> str:
    """Render a part of a page in the current language."""
    return without_cuts(template(name).render(page=page))


def _game_template(name: str) -> tuple[str, str, None] | None:
    """Load ``GAME/page.html`` and the like. Finds games, too, that were registered after the start."""
    owner, slash, rest = name.partition("/")
    path = game(owner).folder / rest if slash and owner in game_names() else None
    return (path.read_text("utf-8"), str(path), None) if path is not None and path.is_file() else None


# -------------------------------------------------------------------------------------------------------------- translations


def translated(message: str, **values: Any) -> Markup:
    """Translate ``_("…")`` in a template."""
    text = Markup(gettext(message))
    return text % values if values else text


def translated_number(singular: str, plural: str, num: int, **values: Any) -> Markup:
    """Translate ``ngettext("%(num)s …", "%(num)s …", number)`` in a template."""
    return Markup(ngettext(singular, plural, num)) % {"num": grouped(num), **values}


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
    folder = game(name).folder / "static"
    return [static(f"games/{name}/{path.name}") for path in sorted(folder.glob(f"*{suffix}"))]


def game_style_files(name: str) -> list[Path]:
    """Return the files of a game's own styles."""
    return sorted((game(name).folder / "static").glob("*.css"))


def static_folders() -> dict[str, Path]:
    """Return the folders of static files by their addresses: the hall's own, and every game's."""
    games = {f"/static/games/{name}": game(name).folder / "static" for name in game_names()}
    return {"/static": STATIC} | {path: folder for path, folder in games.items() if folder.is_dir()}


def _static_file(name: str) -> Path:
    """Return the path of one of the hall's own files, or of a game's file ``games/GAME/…``."""
    if name.startswith("games/"):
        _, owner, rest = name.split("/", 2)
        return game(owner).folder / "static" / rest
    return STATIC / name
