"""Changes: how the options of a match differ from the usual ones, in the words that page, report, file and command share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, Final, TypeAlias

from meadhall.engine.errors import BadSetup
from meadhall.engine.form import DocumentForm, Field, part_of, scaled
from meadhall.engine.game import Game
from meadhall.engine.options import Document
from meadhall.engine.text.language import decimal, gettext as _, listed, ngettext

Pair: TypeAlias = tuple[Field, Field]
"""A field before and after."""

BULK: Final = 3
"""So many pieces whose number changes by the same are told in one sentence."""


@dataclass(frozen=True)
class Change:
    """A difference, or one that several pieces share.

    Attributes:
        where: what differs, e.g. ``"Cellar Rat King, yellow, target"``.
        what: how, e.g. ``"2 → 99"`` or ``"+4"``.
        fields: the fields of a document that differ, by their names in its form; empty for another option.
    """

    where: str
    what: str
    fields: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the sentence."""
        return f"{self.where}: {self.what}"


def changes(subject: Game, options: Mapping[str, Any], usual: Mapping[str, Any] | None = None) -> list[Change]:
    """Return how options differ from the default ones, or from other ``usual`` ones, in the current language.

    Args:
        subject: the game.
        options: checked options. An option that they lack has its default.
        usual: the options that they are compared to.

    Examples:
        >>> import meadhall
        >>> from meadhall.engine.changes import changes
        >>> game = meadhall.game("viking-axes")
        >>> [str(change) for change in changes(game, game.check_options({"variant": "strategic"}))]
        ['Cards: Printed rules → Hidden hands']
    """
    found: list[Change] = []
    for option in subject.options:
        old, new = ((given or {}).get(option.name, option.default) for given in (usual, options))
        if old != new and isinstance(option, Document):
            with suppress(BadSetup):  # too long for a form
                found += document_changes(option, option.data(new), option.data(old))
                continue
        if old != new:
            found.append(Change(_(option.title), _arrow(option.label(old), option.label(new))))
    return found


def document_changes(option: Document[Any], data: Mapping[str, Any], usual: Mapping[str, Any]) -> list[Change]:
    """Return how the data of a document differ from others, in the order of the form. Both may be invalid.

    Raises:
        BadSetup: a document is too long for a form.
    """
    old, new = DocumentForm(option, usual), DocumentForm(option, {**usual, **data})
    order = {name: number for number, name in enumerate(old.entries | new.entries)}
    pairs = [(old.entries[name], new.entries[name]) for name in order if name in old.entries and name in new.entries]
    columns: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        columns[pair[1].column].append(pair)
    found = [change for column in columns.values() for change in _column_changes(old, column)]
    decided = {part_of(before.name) for before, after in pairs if before.decides and before != after}
    for here, there in ((old, new), (new, old)):
        lone: dict[str, list[Field]] = defaultdict(list)
        for name, field in here.entries.items():
            if name not in there.entries and not (here is old and part_of(name) in decided):
                lone[next((piece for piece in field.pieces if piece not in there.words), name)].append(field)
        found += [_lone_change(here, part, fields, is_new=here is new) for part, fields in lone.items()]
    return sorted(found, key=lambda change: order[change.fields[0]])


def in_short(found: Sequence[Change], most: int = 4) -> str:
    """Return the first changes in a line, and how many there are more."""
    more = [ngettext("{count} more change", "{count} more changes", len(found) - most).format(count=len(found) - most)]
    return "; ".join([*map(str, found[:most]), *(more if len(found) > most else [])])


def as_comment(found: Sequence[Change]) -> str:
    """Return changes as the first lines of a file, "" if there are none: comments of TOML."""
    lines = [_("Differences from the usual:"), *(f"  {change}" for change in found)] if found else []
    return "".join(f"# {line}\n" for line in lines)


def _numbers(pair: Pair) -> tuple[int, int] | None:
    """Return both numbers, None if one isn't a whole number."""
    old, new = pair[0].number, pair[1].number
    return None if old is None or new is None else (old, new)


def _column_changes(form: DocumentForm, pairs: Sequence[Pair]) -> Iterator[Change]:
    """Yield the changes of a number or a text that several pieces have."""
    changed = [(old, new) for old, new in pairs if old.value != new.value]
    kinds: dict[str, list[Pair]] = defaultdict(list)
    for pair in changed:
        numbers = _numbers(pair)
        kinds[f"{numbers[1] - numbers[0]:+d}" if numbers else f"→ {pair[1].text}"].append(pair)
    if len(kinds) > 1 and len(changed) >= BULK:
        if len({new.value for _old, new in changed}) == 1:
            kinds = {f"→ {changed[0][1].text}": changed}
        elif factor := _factor(pairs):
            kinds, pairs = {f"× {decimal(float(factor), 2, exactly=False)}": changed}, changed
    for what, alike in kinds.items():
        names = tuple(old.name for old, _new in alike)
        if len(alike) < BULK:
            yield from (Change(form.words[old.name], _arrow(old.text, new.text), (old.name,)) for old, new in alike)
        else:
            where = f"{_who(form, alike, pairs)}, {form.inside(names[0], alike[0][0].pieces[0])}"
            yield Change(where, what, names)


def _factor(pairs: Sequence[Pair]) -> Fraction | None:
    """Return the simplest factor that explains all numbers, rounded, None if there is none."""
    numbers = [_numbers(pair) or (0, 1) for pair in pairs]  # nothing explains a text
    least = max((Fraction(2 * new - 1, 2 * old) for old, new in numbers if old > 0), default=Fraction(0))
    factors = [Fraction(ceil(least * digits), digits) for digits in (1, 10, 100)]
    return next((factor for factor in factors if all(scaled(old, factor) == new for old, new in numbers)), None)


def _who(form: DocumentForm, alike: Sequence[Pair], pairs: Sequence[Pair]) -> str:
    """Return the words for these pieces of a list: all, all except a few, or each by its name."""
    others = [form.words[pair[0].pieces[0]] for pair in pairs if pair not in alike]
    named = form.option.words.get(alike[0][0].column.partition("*")[0] + "*")
    if named is None or len(others) > BULK or len(others) >= len(alike):
        return listed([form.words[old.pieces[0]] for old, _new in alike])
    return _("{every} except {pieces}").format(every=_(named), pieces=listed(others)) if others else _(named)


def _lone_change(form: DocumentForm, part: str, fields: Sequence[Field], *, is_new: bool) -> Change:
    """Return the change of a part that is only in this one of two documents: a piece of a list, or a field."""
    names, where = tuple(field.name for field in fields), form.words[part]
    if part == names[0]:
        return Change(where, _arrow("–", fields[0].text) if is_new else _arrow(fields[0].text, "–"), names)
    values = (f"{form.inside(field.name, part)} {field.text}" for field in fields if field.value not in ("", "0"))
    return Change(where, _("new ({values})").format(values="; ".join(values)) if is_new else _("taken away"), names)


def _arrow(old: str, new: str) -> str:
    return f"{old} → {new}"
