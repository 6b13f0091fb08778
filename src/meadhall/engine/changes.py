"""Changes: how the options of a match differ from the usual ones, in the words that page, report, file and command share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, Final, NamedTuple

from meadhall.engine.errors import BadSetup
from meadhall.engine.form import DocumentForm, Field, Line, in_words, number_in, scaled
from meadhall.engine.game import Game
from meadhall.engine.options import Document
from meadhall.engine.text.language import decimal, listed, ngettext
from meadhall.engine.text.language import gettext as _

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
    old, new = _places(DocumentForm(option, usual)), _places(DocumentForm(option, {**usual, **data}))
    order = {name: number for number, name in enumerate({**old, **new})}
    pairs = {name: _Pair(old[name], new[name]) for name in order if name in old and name in new}
    columns: dict[tuple[str, str], list[_Pair]] = defaultdict(list)
    for name, pair in pairs.items():
        columns[pair.new.column or (name, "")].append(pair)
    found = [change for column in columns.values() for change in _column_changes(option, column)]
    decided = {_part(name) for name, (before, after) in pairs.items() if before.field.decides and before.field != after.field}
    for here, there in ((old, new), (new, old)):
        known = {piece for place in there.values() for piece in place.pieces}
        lone: dict[str, list[_Place]] = defaultdict(list)
        for name in order:
            if name in here and name not in there and not (here is old and _part(name) in decided):
                lone[next((piece for piece in here[name].pieces if piece not in known), name)].append(here[name])
        found += [_lone_change(part, places, is_new=here is new) for part, places in lone.items()]
    return sorted(found, key=lambda change: order[change.fields[0]])


def in_short(found: Sequence[Change], most: int = 4) -> str:
    """Return the first changes in a line, and how many there are more."""
    more = [ngettext("{count} more change", "{count} more changes", len(found) - most).format(count=len(found) - most)]
    return "; ".join([*map(str, found[:most]), *(more if len(found) > most else [])])


def as_comment(found: Sequence[Change]) -> str:
    """Return changes as the first lines of a file, "" if there are none: comments of TOML."""
    lines = [_("What differs from the usual:"), *(f"  {change}" for change in found)] if found else []
    return "".join(f"# {line}\n" for line in lines)


class _Place(NamedTuple):
    """A field with the groups that it is in."""

    field: Field
    line: Line

    @property
    def pieces(self) -> dict[str, int]:
        """Return the paths of the pieces of lists that it is in, each with the number of groups down to it."""
        return {group.path: number + 2 for number, group in enumerate(self.line[1:]) if self.line[number].is_list}

    @property
    def where(self) -> str:
        """Return the words for the place."""
        return ", ".join([*in_words(self.line), self.field.label])

    @property
    def column(self) -> tuple[str, str] | None:
        """Return the path of the list that it is in and the path in a piece of it, None if it is in no list."""
        piece = next(iter(self.pieces), None)
        return None if piece is None else (_part(piece), self.field.name[len(piece) + 1 :])

    def split(self, piece: str) -> tuple[str, str]:
        """Return the words for a piece that it is in, and for the place in that piece."""
        depth = self.pieces[piece]
        return ", ".join(in_words(self.line[:depth])), ", ".join([*in_words(self.line[depth:]), self.field.label])

    @property
    def words(self) -> tuple[str, str]:
        """Return the words for the outermost piece and for the place in it."""
        return self.split(next(iter(self.pieces)))


class _Pair(NamedTuple):
    """A field before and after."""

    old: _Place
    new: _Place

    @property
    def numbers(self) -> tuple[int, int] | None:
        """Return both numbers, None if one isn't a whole number."""
        old, new = number_in(self.old.field.value), number_in(self.new.field.value)
        return (old, new) if isinstance(old, int) and isinstance(new, int) and self.new.field.is_number else None


def _places(form: DocumentForm) -> dict[str, _Place]:
    return {field.name: _Place(field, line) for field, line in form.entries()}


def _part(name: str) -> str:
    """Return the path of what a part is in."""
    return name.rpartition(".")[0]


def _column_changes(option: Document[Any], pairs: Sequence[_Pair]) -> Iterator[Change]:
    """Yield the changes of a number or a text that several pieces have."""
    changed = [pair for pair in pairs if pair.old.field.value != pair.new.field.value]
    kinds: dict[str, list[_Pair]] = defaultdict(list)
    for pair in changed:
        numbers = pair.numbers
        kinds[f"{numbers[1] - numbers[0]:+d}" if numbers else f"→ {pair.new.field.text}"].append(pair)
    if len(kinds) > 1 and len(changed) >= BULK:
        if len({pair.new.field.value for pair in changed}) == 1:
            kinds = {f"→ {changed[0].new.field.text}": changed}
        elif factor := _factor(pairs):
            kinds, pairs = {f"× {decimal(float(factor), 2, exactly=False)}": changed}, changed
    for what, alike in kinds.items():
        if len(alike) < BULK:
            yield from (_single(pair) for pair in alike)
        else:
            where = f"{_who(option, alike, pairs)}, {alike[0].new.words[1]}"
            yield Change(where, what, tuple(pair.new.field.name for pair in alike))


def _single(pair: _Pair) -> Change:
    return Change(pair.old.where, _arrow(pair.old.field.text, pair.new.field.text), (pair.new.field.name,))


def _factor(pairs: Sequence[_Pair]) -> Fraction | None:
    """Return the simplest factor that explains all numbers, rounded, None if there is none."""
    numbers = [pair.numbers or (0, 1) for pair in pairs]  # nothing explains a text
    least = max((Fraction(2 * new - 1, 2 * old) for old, new in numbers if old > 0), default=Fraction(0))
    factors = [Fraction(ceil(least * digits), digits) for digits in (1, 10, 100)]
    return next((factor for factor in factors if all(scaled(old, factor) == new for old, new in numbers)), None)


def _who(option: Document[Any], alike: Sequence[_Pair], pairs: Sequence[_Pair]) -> str:
    """Return the words for these pieces of a list: all, all except a few, or each by its name."""
    column, others = alike[0].new.column, [pair.old.words[0] for pair in pairs if pair not in alike]
    named = option.words.get(f"{column[0]}.*") if column else None
    if named is None or len(others) > BULK or len(others) >= len(alike):
        return listed([pair.old.words[0] for pair in alike])
    return _("{every} except {pieces}").format(every=_(named), pieces=listed(others)) if others else _(named)


def _lone_change(part: str, places: Sequence[_Place], *, is_new: bool) -> Change:
    """Return the change of a part that is only in one of the documents: a piece of a list, or a field."""
    names, first = tuple(place.field.name for place in places), places[0]
    if part == first.field.name:
        return Change(first.where, _arrow("–", first.field.text) if is_new else _arrow(first.field.text, "–"), names)
    values = (f"{place.split(part)[1]} {place.field.text}" for place in places if place.field.value not in ("", "0"))
    what = _("new ({values})").format(values="; ".join(values)) if is_new else _("taken away")
    return Change(first.split(part)[0], what, names)


def _arrow(old: str, new: str) -> str:
    return f"{old} → {new}"
