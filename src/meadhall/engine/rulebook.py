"""A game's rulebook: ``rulebook.md`` in its folder, with an anchor for every rule id, and ``rulings.md``.

A rule is a list item that begins with its id in bold, e.g. ``- **AA-3.2** Name a living player …``. The prefix of the ids is the
game's choice. ``rulings.md`` has such an
item for every rule that the printed rules leave open; it gives the reason for this project's reading. A translation is named
by its language: ``rulebook.de.md``.

Words that hold only with certain options stand in braces behind the option and its values: ``A bid is {bids=?,lost: never
refunded}{bids=returned: returned to a player who is outbid}.`` The value ``?`` is the rulebook of every table, with no option
chosen. Such parts may stand in each other. ``Game.at_table`` adds names to those of the options, and ``{name}`` is replaced
by what a name stands for at a table. A number of the rules is ``printed`` or ``other`` in a condition, and ``{name}`` is the
number that is played: ``A die of {sides} sides{sides=other: , not the printed six}.``
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from meadhall.engine.options import Choice, Document, Number
from meadhall.engine.text.language import current_language, gettext as _

if TYPE_CHECKING:
    from meadhall.engine.game import Game


RULE_ID = r"[^\W\d_]\w*(?:-\w+)*-\d+(?:\.\d+)*"
"""The form of a rule id: a prefix that begins with a letter, a hyphen, and a number: ``AA-3.2``, ``pig-1``, ``Règle-4.1.2``."""

_RULE = re.compile(rf"\*\*({RULE_ID})\*\*")
_ITEM = re.compile(r"\n(?=\S|\s*\n)")
_CONDITION = re.compile(r"\{(\w+)=([\w?,-]+):[ ]?")
_PART = re.compile(_CONDITION.pattern + r"((?:[^{}]|\{\w+\})*)\}")
"""Words that hold only under a condition, with no other such words in them."""
_NAME = re.compile(r"\{(\w+)\}")
OPEN = "?"
"""The value of a name in the rulebook of every table."""


def rulebook_text(game: Game, options: Mapping[str, Any] | None = None) -> str:
    """Return the rulebook as Markdown, in the current language if there is a translation, otherwise in English.

    It ends with the game's options, by their names for people. A game without a rulebook gets
    a page that says so. ``options``: of a table; the rulebook then says what holds there. None: the rulebook of every table.
    """
    text = _text(game, "rulebook", current_language()) or _no_rulebook(game)
    return at_table(game, text, options) + "".join(_options(game, options))


def at_table(game: Game, text: str, options: Mapping[str, Any] | None) -> str:
    """Return what a text says at a table with these options; None: in the rulebook of every table."""
    told = {} if options is None else {**options, **(game.at_table(options) if game.at_table else {})}
    numbers = {option.name: option for option in game.options if isinstance(option, Number)}
    held = {name: numbers[name].told_as(value) if name in numbers else value for name, value in told.items()}
    told = {name: number.default for name, number in numbers.items()} | told
    left = 1
    while left:
        text, left = _PART.subn(lambda part: part[3] if held.get(part[1], OPEN) in part[2].split(",") else "", text)
    return _NAME.sub(lambda name: str(told.get(name[1], name[0])), text)


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
        elif isinstance(option, Number):
            value = option.default if chosen is None else chosen[option.name]
            yield f"- *{option.named(value)}*{_notes(usual=value == option.default, here=chosen is not None)}: "
            yield f"{option.explained(value)}\n"
        elif isinstance(option, Choice):
            counts = chosen is not None and (option.only_with is None or chosen[option.only_with[0]] == option.only_with[1])
            for value in option.values:
                notes = _notes(usual=value == option.default, here=counts and chosen is not None and chosen[option.name] == value)
                yield f"- *{_(option.title)}: {option.label(value)}*{notes}: {option.explained(value)}\n"


def _notes(*, usual: bool = False, here: bool = False) -> str:
    """Return what is said behind a value: whether it is the default, and whether a table has it."""
    notes = [_("the default")] * usual + [_("at this table")] * here
    return f" ({', '.join(notes)})" if notes else ""


@cache
def rule_ids(game: Game) -> tuple[str, ...]:
    """Return every rule id that the rulebook explains, in the rulebook's order."""
    return tuple(dict.fromkeys(_RULE.findall(_text(game, "rulebook", "en"))))


def rule_sentence(game: Game, rule: str, options: Mapping[str, Any] | None = None) -> str:
    """Return the rulebook's text of one rule without emphasis, "" if the rulebook lacks it. ``options``: of a table."""
    return _items(rulebook_text(game, options)).get(rule, "").replace("*", "")


def told_apart(game: Game, options: Mapping[str, Any], others: Mapping[str, Any]) -> set[str]:
    """Return the rules of which the rulebook says something else at a table with other options, in the current language."""
    text = _text(game, "rulebook", current_language())
    here, there = (_items(at_table(game, text, chosen)) for chosen in (options, others))
    return {rule for rule in here.keys() | there.keys() if here.get(rule) != there.get(rule)}


def conditions(game: Game) -> set[tuple[str, str]]:
    """Return every name and value on which words of the rulebook depend, in the current language."""
    found = _CONDITION.findall(_text(game, "rulebook", current_language()) + _text(game, "rulings", current_language()))
    return {(name, value) for name, values in found for value in values.split(",")}


def rulings(game: Game, options: Mapping[str, Any] | None = None) -> dict[str, str]:
    """Return the reason for this project's reading of each rule that the printed rules leave open, by rule id.

    The reasons are in the current language, or in English if there is no translation. A game without ``rulings.md`` has none.
    ``options``: of a table; a rule that it reads otherwise has no reason there, or another one.
    """
    found = _items(at_table(game, _text(game, "rulings", current_language()), options))
    return {rule: reason for rule, reason in found.items() if reason}


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
