"""The model of a rulebook's page: the game's Markdown as HTML, with anchors for its rules, its rulings and its figures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

from meadhall.engine.game import ComponentsPage, Game
from meadhall.engine.registry import game
from meadhall.engine.rulebook import mark_rules, rulebook_text, rulings
from meadhall.engine.text.language import speaking
from meadhall.pictures.templates import has_template
from meadhall.server.pages.templates import template

_FIGURE = re.compile(r"^!\[.*\]\(figure:(\w+).*\)$", re.MULTILINE)
"""A figure of a rulebook, which stands alone in its line."""


@cache
def rulebook_page(name: str, language: str, *, at_table: bool = False) -> dict[str, Any]:
    """Return the rulebook of a game in a language, with the components of its default options.

    ``at_table``: whether it says what holds at a table with these options.
    """
    subject = game(name)
    return _page(subject, {option.name: option.default for option in subject.options}, language, at_table=at_table)


def rulebook_of_match(subject: Game, options: Mapping[str, Any], language: str) -> dict[str, Any]:
    """Return the rulebook for a match with these options: what holds there, with figures that show the match's components."""
    if all(options[option.name] == option.default for option in subject.options):
        return rulebook_page(subject.name, language, at_table=True)
    return _page(subject, options, language, at_table=True)


def _page(subject: Game, options: Mapping[str, Any], language: str, *, at_table: bool) -> dict[str, Any]:
    markdown = _markdown()
    with speaking(language):
        tokens = markdown.parse(rulebook_text(subject, options if at_table else None))
        contents: list[tuple[str, str]] = []
        for index, token in enumerate(tokens):
            if token.type == "heading_open" and token.tag == "h2":
                anchor = f"part-{len(contents) + 1}"
                token.attrSet("id", anchor)
                contents.append((anchor, tokens[index + 1].content))
        reasons = rulings(subject, options if at_table else None)
        environment = {"game": subject, "components": _components(subject, options)}
        html = mark_rules(
            markdown.renderer.render(tokens, markdown.options, environment),
            lambda rule: _ruling(rule, markdown.renderInline(reasons[rule])) if rule in reasons else "",
        )
    return {
        "game": subject.name,
        "title": subject.title,
        "html": Markup(html),  # from rulebook.md; every rule's heading or item has id="AA-3.2"
        "contents": tuple(contents),  # (anchor, heading)
        # how long the guided first game takes; 0 if the game has none
        "lesson_minutes": subject.lessons.minutes if subject.lessons else 0,
        "rulings": len(reasons),  # number of rules that the printed rules leave open
    }


def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.add_render_rule("image", _figure)
    return markdown


def figures_of_components(subject: Game, options: Mapping[str, Any]) -> Markup:
    """Return the figures of the rulebook that show the components of a match with these options, in the current language."""
    components = _components(subject, options)
    markdown = _markdown()
    shown = [
        markdown.renderInline(figure[0], {"game": subject, "components": components})
        for figure in _FIGURE.finditer(rulebook_text(subject))
        if getattr(_macro(subject, figure[1]), "arguments", ())
    ]
    return Markup("").join(map(Markup, shown))


def _components(subject: Game, options: Mapping[str, Any]) -> Any:
    return subject.page.components(options) if isinstance(subject.page, ComponentsPage) else None


def _ruling(rule: str, reason: str) -> str:
    """Render the sign of a ruling, with its reason as a tooltip."""
    macros: Any = template("_ruling.html").module
    return str(macros.ruling(rule, Markup(reason)))


def _figure(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    """Render ``![alternative text](figure:NAME "caption")`` with the macro ``NAME`` of the game's ``figures.html``.

    A macro with a parameter gets the components in use. It draws a list whose parts have their own words. Without a macro
    the alternative text stands there.
    """
    token = tokens[index]
    address, caption = str(token.attrGet("src")), str(token.attrGet("title") or "")
    macro = _macro(env["game"], address.removeprefix("figure:"))
    words = Markup('<span class="caption">{}</span>').format(caption) if caption else ""
    if macro is None:
        return Markup('<span class="figure">{}{}</span>').format(renderer.renderInlineAsText(token.children, options, env), words)
    role, figure = ("group", macro(env["components"])) if macro.arguments else ("img", macro())
    alternative = renderer.renderInlineAsText(token.children, options, env)
    return Markup('<span class="figure"><span role="{}" aria-label="{}">{}</span>{}</span>').format(
        role, alternative, figure, words
    )


def _macro(subject: Game, name: str) -> Any:
    """Return the macro of a figure, None if the game lacks it."""
    file = f"{subject.name}/figures.html"
    return getattr(template(file).module, name, None) if has_template(file) else None
