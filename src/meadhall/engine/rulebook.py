"""A game's rulebook: ``rulebook.md`` (``rulebook.<language>.md``) in its folder, with an anchor for every rule id.

A rule is a list item that begins with its id in bold, e.g. ``- **AA-3.2** Name a living player …``.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from meadhall.engine.language import current_language

if TYPE_CHECKING:
    from meadhall.engine.game import Game

_RULE = re.compile(r"\*\*([A-Z]{2}-\d+(?:\.\d+)?)\*\*")


def rulebook_text(game: Game) -> str:
    """Return the rulebook as Markdown, in the current language if there is a translation, otherwise in English."""
    path = game.folder / f"rulebook.{current_language()}.md"
    return (path if path.exists() else game.folder / "rulebook.md").read_text(encoding="utf-8")


@cache
def rule_ids(game: Game) -> tuple[str, ...]:
    """Return every rule id that the rulebook explains, in the rulebook's order."""
    return tuple(dict.fromkeys(_RULE.findall((game.folder / "rulebook.md").read_text(encoding="utf-8"))))


def rule_sentence(game: Game, rule: str) -> str:
    """Return the rulebook's text of one rule, "" if the rulebook lacks it."""
    for item in re.split(r"\n(?=\S|\s*\n)", rulebook_text(game)):
        found = _RULE.search(item)
        if found and found[1] == rule:
            return " ".join(item[found.end() :].split())
    return ""


def mark_rules(html: str) -> str:
    """Return the rulebook's HTML with an anchor at each rule's explanation and a link at every other mention."""
    explained: set[str] = set()

    def mark(found: re.Match[str]) -> str:
        rule = found[1]
        if rule in explained:
            return f'<a class="rule" href="#{rule}">{rule}</a>'
        explained.add(rule)
        return f'<strong class="rule" id="{rule}">{rule}</strong>'

    return re.sub(r"<strong>([A-Z]{2}-\d+(?:\.\d+)?)</strong>", mark, html)
