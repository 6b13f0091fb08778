"""A game's rulebook: ``rulebook.md`` in its folder, with an anchor for every rule id, and ``rulings.md``.

A rule is a list item that begins with its id in bold, e.g. ``- **AA-3.2** Name a living player …``. The prefix of the ids is the
game's choice. ``rulings.md`` has such an
item for every rule that the printed rules leave open; it gives the reason for this project's reading. A translation is named
by its language: ``rulebook.de.md``.

In the rulebook of a game with ``at_table``, braces stand around what usually holds. The rulebook of a table says what holds there
instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from meadhall.engine.file_cache import file_cache
from meadhall.engine.options import Choice, Document, HouseRule
from meadhall.engine.text.language import current_language, listed
from meadhall.engine.text.language import gettext as _

if TYPE_CHECKING:
    from meadhall.engine.game import Game

RULE_ID = r"[^\W\d_]\w*(?:-\w+)*-\d+(?:\.\d+)*"
"""The form of a rule id: a prefix that begins with a letter, a hyphen, and a number: ``AA-3.2``, ``pig-1``, ``Règle-4.1.2``."""

_RULE = re.compile(rf"\*\*({RULE_ID})\*\*")
_ITEM = re.compile(r"\n(?=\S|\s*\n)")
_USUAL = re.compile(r"\{([^{}]*)\}")


def rulebook_text(game: Game, options: Mapping[str, Any] | None = None) -> str:
    """Return the rulebook as Markdown, in the current language if there is a translation, otherwise in English.

    It ends with the game's options, by their names for people. A game without a rulebook gets
    a page that says so. ``options``: of a table; the rulebook then says what holds there. None: the rulebook of every table.
    """
    text = _text(game, "rulebook", current_language()) or _no_rulebook(game)
    if options is not None:
        for rule, phrase in told_at_table(game, options).items():
            text = _told(text, f"**{rule}**", f"*{_at_table(phrase)}*")
    if game.at_table is not None:
        text = _USUAL.sub(r"\1", text)
    return text + "".join(_options(game, options))


def _told(text: str, mark: str, sentence: str) -> str:
    """Return the rulebook with a sentence where the item of a rule has what usually holds, otherwise behind the id."""
    before, found, after = text.partition(mark)
    if not found:
        return text
    end = _ITEM.search(after)
    item, rest = (after[: end.start()], after[end.start() :]) if end else (after, "")
    replaced, count = _USUAL.subn(lambda _usual: sentence, item, count=1)
    return before + mark + (replaced if count else f" {sentence}{item}") + rest


def told_at_table(game: Game, options: Mapping[str, Any]) -> dict[str, str]:
    """Return what holds at a table by the id of the rule, "" for a rule that doesn't apply: see ``Game.at_table``."""
    told = dict(game.at_table(options)) if game.at_table is not None else {}
    for option in game.options:
        if isinstance(option, HouseRule) and option.rules:
            if options[option.name] == option.default:
                told[option.rules[0]] = ""
            else:
                label = option.label(options[option.name])
                told |= {rule: listed([told[rule], label]) if told.get(rule) else label for rule in option.rules}
    return told


def _at_table(phrase: str) -> str:
    """Return what holds at a table as a sentence."""
    return _("At this table: {what}.").format(what=phrase) if phrase else _("Not at this table.")


def _no_rulebook(game: Game) -> str:
    told = (_(game.tagline) if game.tagline else "", _("This game has no rulebook. Its page shows what you can do."))
    return f"# {game.title}\n\n" + "".join(f"{line}\n\n" for line in told if line)


def _options(game: Game, chosen: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield the list of the options of a game as Markdown. ``chosen``: the options of a table, which are marked."""
    if game.options:
        yield "\n## " + _("Options") + "\n\n"
    for option in game.options:
        if isinstance(option, Document):
            shown = "" if chosen is None else ": " + option.label(chosen[option.name])
            yield f"- *{_(option.title)}{shown}*{_notes(here=chosen is not None)}: {_(option.text)}\n"
        elif isinstance(option, Choice):
            counts = chosen is not None and (option.only_with is None or chosen[option.only_with[0]] == option.only_with[1])
            for value in option.values:
                notes = _notes(usual=value == option.default, here=counts and chosen is not None and chosen[option.name] == value)
                yield f"- *{_(option.title)}: {option.label(value)}*{notes}: {option.explained(value)}\n"


def _notes(*, usual: bool = False, here: bool = False) -> str:
    """Return what is said behind a value: whether it is the default, and whether a table has it."""
    notes = [_("the default")] * usual + [_("at this table")] * here
    return f" ({', '.join(notes)})" if notes else ""


@file_cache
def rule_ids(game: Game) -> tuple[str, ...]:
    """Return every rule id that the rulebook explains, in the rulebook's order."""
    return tuple(dict.fromkeys(_RULE.findall(_text(game, "rulebook", "en"))))


def rule_sentence(game: Game, rule: str, options: Mapping[str, Any] | None = None) -> str:
    """Return the rulebook's text of one rule without emphasis, "" if the rulebook lacks it. ``options``: of a table."""
    return _items(rulebook_text(game, options)).get(rule, "").replace("*", "")


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
