"""The Jinja environment of templates that draw games, for the server's pages and for pictures without a page.

Every game may have in its folder ``page.html`` (board and controls), ``tile.html`` (its picture in the hall), ``sprite.html``
(symbols for all its pages), ``keys.html`` (more entries for the list of keys), ``figures.html`` (macros for the figures of its
rulebook), ``picture.html`` (its board as SVG), and styles and scripts in ``static/``. The templates here are shared by all.

A call in a template calls the function at once. Jinja would first ask whether the function takes the context or the way of
escaping: no function of ours does, and macros are always escaped. An attribute is read at once, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from functools import cache, lru_cache, partial
from keyword import iskeyword
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, FunctionLoader, StrictUndefined, Template, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.environment import TemplateModule
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.runtime import Macro
from jinja2.utils import missing
from markupsafe import Markup, escape

from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import current_language, gettext, grouped, ngettext
from meadhall.pictures.regions import Drawing, Regions


class DirectCalls(CodeGenerator):
    """Writes the code of templates, with direct calls and attributes."""

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802 - of Jinja
        """Write a call."""
        self.visit(node.node, frame)
        self.write("(")
        for value in node.args:
            self.visit(value, frame)
            self.write(", ")
        for stars, values in (("*", node.dyn_args), ("**", node.dyn_kwargs)):
            if values is not None:
                self.write(stars)
                self.visit(values, frame)
                self.write(", ")
        for keyword in node.kwargs:
            begin, end = ("**{%r: ", "}, ") if iskeyword(keyword.key) else ("%s=", ", ")
            self.write(begin % keyword.key)
            self.visit(keyword.value, frame)
            self.write(end)
        self.write("caller=caller)" if forward_caller else ")")

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802 - of Jinja
        """Write the reading of an attribute. Jinja looks only for what an object doesn't have, such as a key of a dictionary."""
        owner, value, name = self.temporary_identifier(), self.temporary_identifier(), repr(node.attr)
        self.write(f"({value} if ({value} := getattr(({owner} := ")
        self.visit(node.node, frame)
        self.write(f"), {name}, missing)) is not missing else environment.getattr({owner}, {name}))")


class DirectMacro(Macro):
    """A macro that is called at once with its arguments."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._most = -1 if self.explicit_caller or self.catch_kwargs or self.catch_varargs else self._argument_count

    def __call__(self, *values: Any, **named: Any) -> str:
        """Render the macro."""
        if len(values) > self._most or ("caller" in named) != self.caller:
            return super().__call__(*values, **named)
        if not named and len(values) == self._most:
            return as_markup(self._func(*values))
        rest = [named.pop(name, missing) for name in self.arguments[len(values) :]]
        if self.caller:
            rest.append(named.pop("caller"))
        if named:
            raise TypeError(f"macro {self.name!r} takes no keyword argument {next(iter(named))!r}")
        return as_markup(self._func(*values, *rest))


def as_markup(html: str) -> Markup:
    """Return what a template has rendered as Markup, in half of the time that Markup itself takes to look at a value."""
    return str.__new__(Markup, html)


def escaped(value: Any) -> str:
    """Return a value as a part of a page. Most are Markup, numbers or plain words, which need no look by Jinja."""
    kind = type(value)
    if kind is Markup or (kind is str and _SPECIAL.search(value) is None):
        return value  # type: ignore[no-any-return]
    return str(value) if kind is int or kind is float else escape(value)


_SPECIAL = re.compile("[&<>'\"]")


HERE = Path(__file__).parent
STATIC = HERE / "static"
"""The styles that pages and pictures share: the design tokens, and the colours of illustrations."""


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

    @classmethod
    def _from_namespace(cls, environment: Environment, namespace: Any, names: Any) -> Template:
        """Return the template of compiled code. The code gets the macros and the escaping of ``template_code``."""
        namespace.update(Macro=DirectMacro, escape=escaped)
        return super()._from_namespace(environment, namespace, names)

    def make_module(self, *given: Any, **named: Any) -> TemplateModule:
        """Return the module of the template, from which other templates import macros."""
        module = super().make_module(*given, **named)
        if str(self.name).endswith(_PIECES):
            for name, value in vars(module).items():
                if isinstance(value, Macro) and not value.caller and not {"page", "region"}.intersection(value.arguments):
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


_PIECES = ("_parts.html", "pieces.html", "page.html", "_private.html", "_tools.html")
"""Names of the templates with such macros."""

_INDENTATION = re.compile(r"\n\s*")


Loader = Callable[[str], tuple[str, str, None] | None]
"""Loads a template by its name; None if there is none."""


def new_environment(*folders: Path, otherwise: Loader | None = None) -> Environment:
    """Return an environment that finds templates in some folders, the shared ones, and those of games as ``GAME/FILE``.

    ``otherwise`` loads what is in none of these places.
    """
    loaders = [FunctionLoader(load) for load in (game_template, otherwise) if load is not None]
    environment = Environment(
        loader=ChoiceLoader([FileSystemLoader([*folders, HERE / "templates"]), *loaders]),
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n", "jinja2.ext.do", OneLine],
    )
    environment.template_class = PiecesTemplate
    environment.code_generator_class = DirectCalls
    environment.newstyle_gettext = True  # type: ignore[attr-defined]
    environment.filters["grouped"] = grouped
    environment.globals.update(
        _=translated, gettext=translated, ngettext=translated_number, regions_of=partial(_regions_of, environment)
    )
    return environment


def _regions_of(environment: Environment, page: Any) -> dict[str, Markup]:
    """Return the regions of a game's board as HTML, for a picture of it."""
    macros = environment.get_template(f"{page.game}/page.html").module
    declared: Any = game(page.game).page
    return Regions(Drawing().regions(declared.regions(page), macros)).html


@cache
def environment() -> Environment:
    """Return the environment of pictures without a page."""
    return new_environment()


def has_template(name: str) -> bool:
    """Return whether there is a template ``GAME/FILE``."""
    return game_template(name) is not None


def game_template(name: str) -> tuple[str, str, None] | None:
    """Load ``GAME/page.html`` and the like. Finds games, too, that were registered after the start."""
    owner, slash, rest = name.partition("/")
    path = game(owner).file(rest) if slash and owner in game_names() else None
    return (path.read_text("utf-8"), str(path), None) if path is not None and path.is_file() else None


def game_static_files(name: str, suffix: str) -> list[Path]:
    """Return the files of a game with a suffix that browsers load."""
    folder = game(name).file("static")
    return sorted(folder.glob(f"*{suffix}")) if folder is not None else []


def translated(message: str, **values: Any) -> Markup:
    """Translate ``_("…")`` in a template."""
    text = as_markup(gettext(message))
    return text % values if values else text


def translated_number(singular: str, plural: str, num: int, **values: Any) -> Markup:
    """Translate ``ngettext("%(num)s …", "%(num)s …", number)`` in a template."""
    return Markup(ngettext(singular, plural, num)) % {"num": grouped(num), **values}
