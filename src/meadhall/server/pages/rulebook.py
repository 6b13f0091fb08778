"""The model of a rulebook's page: the game's Markdown as HTML, with anchors for its rules and with its figures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

from meadhall.engine.game import game
from meadhall.engine.language import speaking
from meadhall.engine.rulebook import mark_rules, rulebook_text
from meadhall.server.pages.models import RulebookPage
from meadhall.server.pages.templates import template


@cache
def rulebook_page(name: str, language: str) -> RulebookPage:
    """Return the rulebook of a game in a language."""
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
    return RulebookPage(name, subject.title, Markup(html), tuple(contents), guided=subject.lessons is not None)


def _figure(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    """Render ``![alternative text](figure:NAME "caption")`` with the macro ``NAME`` of the game's ``figures.html``."""
    token = tokens[index]
    address, caption = str(token.attrGet("src")), str(token.attrGet("title") or "")
    figures: Any = template(f"{env['game']}/figures.html").module
    figure = getattr(figures, address.removeprefix("figure:"))()
    alternative = renderer.renderInlineAsText(token.children, options, env)
    words = Markup('<span class="caption">{}</span>').format(caption) if caption else ""
    return Markup('<span class="figure"><span role="img" aria-label="{}">{}</span>{}</span>').format(alternative, figure, words)
