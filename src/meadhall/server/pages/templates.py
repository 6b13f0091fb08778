"""Templates: the hall's own in ``templates/``, every game's under the game's name.

A game brings ``page.html`` (its board and controls) and, where it has them, ``tile.html`` (its picture in the hall),
``sprite.html`` (symbols that its pages share), ``keys.html`` (what it adds to the list of keys), ``figures.html`` (macros that
draw the figures of its rulebook) and in ``static/`` styles and scripts.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Hashable, MutableMapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, FunctionLoader, StrictUndefined, Template
from jinja2.runtime import Context, Macro
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

from meadhall.engine.game import game, game_names
from meadhall.engine.language import LANGUAGES, add_catalogues, current_language, gettext, ngettext, speaking
from meadhall.engine.rulebook import mark_rules, rulebook_text
from meadhall.server.pages.models import LoggedStep, MatchPage, RulebookPage, Viewer

HERE = Path(__file__).parent
SERVER = HERE.parent
STATIC = SERVER / "static"

_INDENTED = re.compile(r"\n\s*")

add_catalogues(SERVER / "locale")


@cache
def static(name: str) -> str:
    """The address of a static file; it changes with the file, so that browsers may keep it for ever."""
    digest = hashlib.sha256(_static_file(name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={digest}"


def game_static(name: str, suffix: str) -> list[str]:
    """The addresses of a game's own styles (``.css``) or scripts (``.js``)."""
    folder = game(name).folder / "static"
    return [static(f"games/{name}/{path.name}") for path in sorted(folder.glob(f"*{suffix}"))]


def static_folders() -> dict[str, Path]:
    """The folders of static files by their addresses: the hall's own, and every game's."""
    games = {f"/static/games/{name}": game(name).folder / "static" for name in game_names()}
    return {"/static": STATIC} | {path: folder for path, folder in games.items() if folder.is_dir()}


def _static_file(name: str) -> Path:
    """A file of the hall's own, or ``games/NAME/…`` for one of a game's."""
    if name.startswith("games/"):
        _, owner, rest = name.split("/", 2)
        return game(owner).folder / "static" / rest
    return STATIC / name


def _game_template(name: str) -> tuple[str, str, None] | None:
    """``NAME/page.html`` and the like: a template of a game, also of one that was registered after the start."""
    owner, slash, rest = name.partition("/")
    path = game(owner).folder / rest if slash and owner in game_names() else None
    return (path.read_text("utf-8"), str(path), None) if path is not None and path.is_file() else None


class _Context(Context):
    """Calls functions as they are: Jinja looks with every call whether one wants the context, and none of ours does."""

    def call(
        self, function: Callable[..., Any], /, *args: Any, _loop_vars: Any = None, _block_vars: Any = None, **named: Any
    ) -> Any:
        return function(*args, **named)


class _Environment(Environment):
    """Gives each template its globals in one dictionary: every rendering and every import looks through Jinja's slow chain."""

    context_class = _Context

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        return {**self.globals, **(d or {})}


@cache
def _environment() -> Environment:
    environment = _Environment(
        loader=ChoiceLoader([FileSystemLoader(HERE / "templates"), FunctionLoader(_game_template)]),
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n", "jinja2.ext.do"],
    )
    environment.newstyle_gettext = True  # type: ignore[attr-defined]
    environment.globals.update(_=translated, gettext=translated, ngettext=translated_number)
    environment.globals.update(
        static=static, game_static=game_static, keep=keep, languages=LANGUAGES, language=current_language, log_html=log_html
    )
    return environment


@cache
def _template(name: str) -> Template:
    return _environment().get_template(name)


def translated(message: str, **values: Any) -> Markup:
    """``_("…")`` in a template. A page asks for dozens of texts, the same in every frame."""
    text = _translated(message, current_language())
    return text % values if values else text


def translated_number(singular: str, plural: str, num: int, **values: Any) -> Markup:
    """``ngettext("%(num)s …", "%(num)s …", number)`` in a template."""
    return Markup(ngettext(singular, plural, num)) % {"num": num, **values}


@cache
def _translated(message: str, language: str) -> Markup:
    with speaking(language):
        return Markup(gettext(message))


def keep(macro: Macro, *values: Hashable) -> Markup:
    """What a macro draws for these values, remembered: most of a frame is as it was a move before.

    For macros of imported templates: one that stands in a page's own template is a new one in every rendering.
    """
    return _drawn(macro, values, current_language())


@lru_cache(maxsize=4096)
def _drawn(macro: Macro, values: tuple[Hashable, ...], language: str) -> Markup:
    with speaking(language):
        return Markup(_INDENTED.sub(" ", macro(*values)))


def log_html(log: Sequence[LoggedStep]) -> Markup:
    """The lines of the log, newest first."""
    return Markup("".join(map(_step_html, log)))


@lru_cache(maxsize=8192)
def _step_html(step: LoggedStep) -> str:
    """The lines of one action. Every frame of a match repeats most of them, so they are kept."""
    return _template("_step.html").render(step=step)


def render(template: str, viewer: Viewer, page: Any, path: str, **more: Any) -> str:
    """A whole page, or a fragment, in the current language."""
    return _template(template).render(viewer=viewer, page=page, path=path, **more)


def fragment(template: str, viewer: Viewer, page: Any, path: str) -> bytes:
    """A part of a page that is kept and sent many times: on one line, without the template's indentation."""
    return _INDENTED.sub(" ", render(template, viewer, page, path)).encode()


def game_frame(page: MatchPage, version: int, private: bytes, public: bytes) -> bytes:
    """Join a game's #frame, on one line, from the viewer's private part and the public one."""
    parts: Any = _template("_parts.html").module
    attributes = keep(parts.frame_attributes, page.title, len(page.seats), page.viewer, page.your_turn, page.status != "running")
    return b'<div id="frame" %b data-version="%d">%b%b</div>' % (attributes.encode(), version, private, public)


@cache
def rulebook_page(name: str, language: str) -> RulebookPage:
    """A game's rulebook in a language."""
    subject = game(name)
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    with speaking(language):
        tokens = markdown.parse(rulebook_text(subject))
    contents: list[tuple[str, str]] = []
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            anchor = f"part-{len(contents) + 1}"
            token.attrSet("id", anchor)
            contents.append((anchor, tokens[index + 1].content))
    markdown.add_render_rule("image", _figure)
    with speaking(language):
        html = mark_rules(markdown.renderer.render(tokens, markdown.options, {"game": name}))
    return RulebookPage(name, subject.title, Markup(html), tuple(contents))


def _figure(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    """``![what it shows](figure:name "caption")``: what the macro ``name`` of the game's ``figures.html`` draws."""
    token = tokens[index]
    address, caption = str(token.attrGet("src")), str(token.attrGet("title") or "")
    figures: Any = _template(f"{env['game']}/figures.html").module
    drawn = getattr(figures, address.removeprefix("figure:"))()
    shows = renderer.renderInlineAsText(token.children, options, env)
    words = Markup('<span class="caption">{}</span>').format(caption) if caption else ""
    return Markup('<span class="figure"><span role="img" aria-label="{}">{}</span>{}</span>').format(shows, drawn, words)
