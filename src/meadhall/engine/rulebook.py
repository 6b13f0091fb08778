"""A game's rulebook: ``rulebook.md`` in its folder, with an anchor for every rule id, and ``rulings.md``.

A rule is a list item that begins with its id in bold, e.g. ``- **AA-3.2** Name a living player …``. The prefix of the ids is the
game's choice. ``rulings.md`` has such an
item for every rule that the printed rules leave open; it gives the reason for this project's reading. A translation is named
by its language: ``rulebook.de.md``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from meadhall.engine.file_cache import file_cache
from meadhall.engine.language import current_language
from meadhall.engine.language import gettext as _
from meadhall.engine.options import Choice, Document

if TYPE_CHECKING:
    from meadhall.engine.game import Game

RULE_ID = r"[^\W\d_]\w*(?:-\w+)*-\d+(?:\.\d+)*"
"""The form of a rule id: a prefix that begins with a letter, a hyphen, and a number: ``AA-3.2``, ``pig-1``, ``Règle-4.1.2``."""

_RULE = re.compile(rf"\*\*({RULE_ID})\*\*")
_ITEM = re.compile(r"\n(?=\S|\s*\n)")


def rulebook_text(game: Game) -> str:
    """Return the rulebook as Markdown, in the current language if there is a translation, otherwise in English.

    It ends with the game's options, by the names that the lobby, the command line and records use. A game without a rulebook gets
    a page that says so.
    """
    return (_text(game, "rulebook", current_language()) or _no_rulebook(game)) + "".join(_options(game))


def _no_rulebook(game: Game) -> str:
    told = (_(game.tagline) if game.tagline else "", _("This game has no rulebook. Its page shows what you can do."))
    return f"# {game.title}\n\n" + "".join(f"{line}\n\n" for line in told if line)


def _options(game: Game) -> Iterator[str]:
    """Yield the list of the options of a game as Markdown."""
    if game.options:
        yield "\n## " + _("Options") + "\n\n"
    for option in game.options:
        if isinstance(option, Document):
            yield f"- *{option.name}*: {_(option.text)}\n"
        elif isinstance(option, Choice):
            for value, text in option.values.items():
                usual = " (" + _("the default") + ")" if value == option.default else ""
                yield f"- *{option.name}: {value}*{usual}: {_(text)}\n"


@file_cache
def rule_ids(game: Game) -> tuple[str, ...]:
    """Return every rule id that the rulebook explains, in the rulebook's order."""
    return tuple(dict.fromkeys(_RULE.findall(_text(game, "rulebook", "en"))))


def rule_sentence(game: Game, rule: str) -> str:
    """Return the rulebook's text of one rule without emphasis, "" if the rulebook lacks it."""
    return _items(rulebook_text(game)).get(rule, "").replace("*", "")


def rulings(game: Game) -> dict[str, str]:
    """Return the reason for this project's reading of each rule that the printed rules leave open, by rule id.

    The reasons are in the current language, or in English if there is no translation. A game without ``rulings.md`` has none.
    """
    return _items(_text(game, "rulings", current_language()))


def mark_rules(html: str, after_id: Callable[[str], str] = lambda _rule: "") -> str:
    """Return the rulebook's HTML with an anchor at each rule's explanation and a link at every other mention.

    ``after_id(rule)`` returns the HTML to add behind the id of an explanation.
    """
    explained: set[str] = set()

    def mark(found: re.Match[str]) -> str:
        rule = found[1]
        if rule in explained:
            return f'<a class="rule" href="#{rule}">{rule}</a>'
        explained.add(rule)
        return f'<strong class="rule" id="{rule}">{rule}</strong>{after_id(rule)}'

    return re.sub(rf"<strong>({RULE_ID})</strong>", mark, html)


def _text(game: Game, name: str, language: str) -> str:
    """Return a Markdown file of the game in a language, otherwise in English; "" if the game lacks the file."""
    for path in (game.file(f"{name}.{language}.md"), game.file(f"{name}.md")):
        if path is not None and path.exists():
            return path.read_text(encoding="utf-8")
    return ""


def _items(markdown: str) -> dict[str, str]:
    """Return the text of each list item that begins with a rule id, by that id."""
    found = ((_RULE.search(item), item) for item in reversed(_ITEM.split(markdown)))
    return {rule[1]: " ".join(item[rule.end() :].split()) for rule, item in found if rule}
