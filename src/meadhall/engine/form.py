"""A document as a form: fields made from the types of the document, and the document with what a form says.

The form needs no declaration by a game. The words of a ``Document`` give its fields names, and hide fields.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import inspect

from meadhall.engine.checks import quoted
from meadhall.engine.errors import BadSetup
from meadhall.engine.options import Document
from meadhall.engine.text.language import gettext as _

Choices: TypeAlias = tuple[tuple[str, str], ...]
"""Values and their words."""

MAX_FIELDS: Final = 3000
"""The most fields and groups of a form. A document with more can only be edited as a file."""

PREFIX: Final = "at-"
"""The prefix of the names of a form's fields, so that no name is taken twice."""

_NUMBER: Final = re.compile(r"-?[0-9]{1,9}")
_IS_NO_PATH: Final = re.compile(r".*[=*]").match
_STEP: Final = re.compile(r"\s*(?P<sign>[-+=x*×−])\s*(?P<number>\d{1,4}([.,]\d{1,3})?)\s*", re.IGNORECASE)
_PIECE: Final = re.compile(r"\.[0-9]+(?=\.)")


@dataclass(frozen=True)
class Field:
    """A field of a form."""

    name: str  # the path in the document: "monster.3.yellow.target"
    label: str
    value: str
    is_number: bool = False
    choices: Choices = ()  # empty for a number or a text
    decides: bool = False  # whether it decides which other fields there are

    @property
    def text(self) -> str:
        """Return the value in words, "–" for none."""
        return dict(self.choices).get(self.value, self.value) or "–"

    @property
    def number(self) -> int | None:
        """Return the whole number in the field, None if there is none."""
        return int(self.value) if self.is_number and _NUMBER.fullmatch(self.value) else None

    @property
    def pieces(self) -> list[str]:
        """Return the paths of the pieces of lists that the field is in, the outermost first."""
        return [self.name[: found.end()] for found in _PIECE.finditer(self.name)]

    @property
    def column(self) -> str:
        """Return the path with ``*`` for the outermost piece: "monster.*.yellow.target"."""
        return _PIECE.sub(".*", self.name, count=1)


@dataclass(frozen=True)
class Group:
    """Fields that belong together: a piece, a part of a piece, or a list of pieces."""

    path: str  # in the document: "monster.3"
    title: str
    fields: tuple[Field, ...] = ()
    groups: tuple[Group, ...] = ()
    is_list: bool = False
    grows: bool = False  # whether another piece can be added
    shrinks: bool = False  # whether a piece can be taken away

    def every_field(self) -> Iterator[Field]:
        """Yield the fields of this group and of the groups in it."""
        yield from self.fields
        for group in self.groups:
            yield from group.every_field()

    def without(self, names: Collection[str]) -> Group:
        """Return the group without these fields, and without parts that have no others."""
        groups = (each.without(names) for each in self.groups)
        fields = tuple(field for field in self.fields if field.name not in names)
        return replace(self, fields=fields, groups=tuple(each for each in groups if each.fields or each.groups or each.is_list))


class Table(NamedTuple):
    """The numbers of alike pieces: a row for each piece, a column for each number.

    Attributes:
        columns: the words of each column by its path in a piece.
        rows: each piece with its fields, None where it lacks the number.
        rest: the list without these numbers.
    """

    columns: dict[str, str]
    rows: list[tuple[Group, list[Field | None]]]
    rest: Group


class DocumentForm:
    """The form of a document. ``data`` may be invalid. Raises BadSetup if the form would be too long.

    Attributes:
        top: the fields and groups of the whole document.
        entries: every field by its name, in the order of the page.
        words: the words for every field and group by its path: "Cellar Rat King, yellow, target".
    """

    def __init__(self, option: Document[Any], data: Mapping[str, Any]) -> None:
        self.option = option
        self.data = dict(data)
        self.words: dict[str, str] = {}
        self._kinds: dict[str, Any] = {}
        top = self._add("", "", "", inspect.type_info(option.kind), self.data)
        assert isinstance(top, Group)
        loose = [self._loose(name) for name in option.words if "." in name and not _IS_NO_PATH(name)]
        self.top = replace(top, fields=(*top.fields, *loose))
        self.entries = {field.name: field for field in self.top.every_field()}

    # ------------------------------------------------------------------------------------------------------------ making fields

    def _struct(self, name: str, title: str, kind: inspect.StructType, data: Any, tags: Choices = ()) -> Group:
        """Return the group of a part. ``tags``: the kinds of parts that it may be, in words, where there are several."""
        found = data if isinstance(data, Mapping) else {}
        parts: list[Field | Group | None] = []
        for each in kind.fields:
            if label := self.label(each.encode_name):
                words, value = _joined(self.words[name], label), found.get(each.encode_name, _default(each))
                parts.append(self._add(_below(name, each.encode_name), label, words, _without_none(each.type), value))
        if tags and kind.tag_field:
            label = self.label(kind.tag_field)
            words = _joined(self.words[name], label)
            parts.append(self._field(_below(name, kind.tag_field), label, words, str(kind.tag), choices=tags, decides=True))
        fields = tuple(each for each in parts if isinstance(each, Field))
        return Group(name, title, fields, tuple(each for each in parts if isinstance(each, Group)))

    def _add(self, name: str, label: str, words: str, kind: Any, data: Any) -> Field | Group | None:
        """Return the field or the group of a part, None for one without a type."""
        if isinstance(kind, inspect.AnyType):
            return None
        self._kinds[name] = kind
        self.words[name] = words
        match kind:
            case inspect.StructType():
                return self._struct(name, label, kind, data)
            case inspect.UnionType():
                chosen = _chosen(kind, data)
                tags = ((str(each.tag), self._in_words(each.tag_field, each.tag)) for each in _structs(kind))
                return self._struct(name, label, chosen, data, tuple(tags)) if chosen else None
            case inspect.ListType() if isinstance(_without_none(kind.item_type), inspect.StructType | inspect.UnionType):
                return self._list(name, label, kind, data)
            case inspect.LiteralType():
                choices = ((_shown(value), self._in_words(name.rpartition(".")[2], value)) for value in kind.values)
                return self._field(name, label, words, _shown(data), choices=tuple(sorted(choices, key=itemgetter(1))))
        return self._field(name, label, words, _shown(data), is_number=isinstance(kind, inspect.IntType))

    def _list(self, name: str, label: str, kind: inspect.ListType, data: Any) -> Group:
        """Return the group of a list. A piece without a name is called by its number: "Trade lines 1"."""
        rows = []
        for index, row in enumerate(data if isinstance(data, list) else []):
            own = row.get("name") if isinstance(row, Mapping) else None
            is_named = isinstance(own, str) and bool(own)
            title = _(str(own)) if is_named else str(index + 1)
            words = _joined(self.words[part_of(name)], title) if is_named else f"{self.words[name]} {title}"
            rows.append(self._add(f"{name}.{index}", title, words, _without_none(kind.item_type), row))
        least, most = self.option.sizes.get(name, (0, MAX_FIELDS))
        groups = tuple(each for each in rows if isinstance(each, Group))
        return Group(name, label, (), groups, is_list=True, grows=len(rows) < most, shrinks=len(rows) > least)

    def _loose(self, name: str) -> Field:
        """Return the field of a part that has no type, such as a switch among values that the rules fix."""
        found, label = _at(self.data, name), self.label(name)
        data = _at(self.option.data(self.option.default), name) if found is None else found
        choices = ((_shown(True), _("yes")), (_shown(False), _("no"))) if isinstance(data, bool) else ()
        return self._field(name, label, label, _shown(data), choices=choices, is_number=type(data) is int)

    def _field(self, name: str, label: str, words: str, value: str, **more: Any) -> Field:
        self.words[name] = words
        if len(self.words) > MAX_FIELDS:
            raise BadSetup(_("This document is too long for the workshop."))
        return Field(name, label, value, **more)

    def _in_words(self, name: str | None, value: Any) -> str:
        """Return the words for a value of a field."""
        words = self.option.words
        named = next((words[key] for key in (f"{name}={value}", str(value)) if key in words), "")
        return _(named) if named else str(value)

    def label(self, name: str) -> str:
        """Return the name of a field in the current language, "" for a hidden one."""
        words = self.option.words.get(name)
        return name.replace("_", " ") if words is None else words and _(words)

    def where(self, name: str) -> str:
        """Return the words for a place of the document, or else for the part around it; "" if the form has neither."""
        while name and name not in self.words:
            name = part_of(name)
        return self.words.get(name, "")

    def inside(self, name: str, piece: str) -> str:
        """Return the words for a place in a piece: "yellow, target"."""
        return self.words[name].removeprefix(f"{self.words[piece]}, ")

    def table(self, group: Group) -> Table | None:
        """Return the table of a list, None if its pieces have no numbers."""
        columns: dict[str, str] = {}
        rows = []
        for piece in group.groups if group.is_list else ():
            numbers = [field for field in piece.every_field() if field.is_number and field.pieces[-1] == piece.path]
            found = {field.name.removeprefix(f"{piece.path}."): field for field in numbers}
            columns |= {path: self.inside(field.name, piece.path) for path, field in found.items()}
            rows.append((piece, found))
        rest = group.without({field.name for _piece, found in rows for field in found.values()})
        return Table(columns, [(piece, [*map(found.get, columns)]) for piece, found in rows], rest) if columns else None

    def expected(self, name: str) -> str:
        """Return what a number or a text in a field must be, "" for other fields."""
        match self._kinds.get(name):
            case inspect.IntType(ge=int(least), le=int(most)):
                return _("a whole number from {least} to {most} is expected").format(least=least, most=most)
            case inspect.IntType():
                return _("a whole number is expected")
            case inspect.StrType(min_length=int(least), max_length=int(most)):
                return _("a text of {least} to {most} characters is expected").format(least=least, most=most)
        return ""

    # ----------------------------------------------------------------------------------------------------------- reading a form

    def changed(self, form: Mapping[str, Any]) -> dict[str, Any]:
        """Return the data with the changed fields of a form."""
        data = deepcopy(self.data)
        for name, field in self.entries.items():
            text = str(form.get(PREFIX + name, field.value)).strip()
            if text != field.value:
                self._set(data, field, text)
        return data

    def stepped(self, name: str, column: str, step: str, rows: Collection[int] | None = None) -> dict[str, Any]:
        """Return the data with a number of several pieces of a list changed, within the bounds of its type.

        Args:
            name: the path of the list.
            column: the path of the number in a piece, such as ``"yellow.target"``.
            step: ``"+1"``, ``"-2"``, ``"x 1.5"`` or ``"= 3"``.
            rows: the pieces by their numbers; None for all.

        Raises:
            BadSetup: the step can't be read.
        """
        found = _STEP.fullmatch(step)
        if found is None:
            raise BadSetup(_("A column is changed by +1, -2, x 1.5 or = 3, not by {step}.").format(step=quoted(step)))
        number = Fraction(found["number"].replace(",", "."))
        data = deepcopy(self.data)
        chosen = {f"{name}.{row}.{column}" for row in rows or ()}
        for field in self.entries.values():
            if (field.column == f"{name}.*.{column}" if rows is None else field.name in chosen) and field.number is not None:
                self._set(data, field, str(_step(field.number, found["sign"], number, self._kinds[field.name])))
        return data

    def usual(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the data with these parts as in the built-in document: fields, pieces, lists, or all with ``""``."""
        data, built_in = deepcopy(self.data), self.option.data(self.option.default)
        for name in names:
            if not name:
                return built_in
            above, _dot, last = name.rpartition(".")
            value, parent = _at(built_in, name), _at(data, above)
            if isinstance(parent, dict) and value is None:
                parent.pop(last, None)
            elif isinstance(parent, dict):
                parent[last] = value
            elif value is not None and _at(data, name) is not None:
                parent[int(last)] = value
        return data

    def grown(self, name: str) -> dict[str, Any]:
        """Return the data with another piece at the end of a list: a copy of the last one."""
        data, kind = deepcopy(self.data), self._kinds.get(name)
        pieces = _at(data, name)
        if isinstance(kind, inspect.ListType) and isinstance(pieces, list):
            pieces.append(deepcopy(pieces[-1]) if pieces else _blank(_without_none(kind.item_type)))
        return data

    def shrunk(self, name: str) -> dict[str, Any]:
        """Return the data without the last piece of a list."""
        data = deepcopy(self.data)
        pieces = _at(data, name)
        if isinstance(pieces, list) and pieces:
            del pieces[-1]
        return data

    def _set(self, data: dict[str, Any], field: Field, text: str) -> None:
        kind = self._kinds.get(field.name)
        value: Any = text
        match kind:
            case inspect.LiteralType():
                value = next((each for each in kind.values if _shown(each) == text), text)
            case _ if field.is_number:
                value = _number_in(text)
            case _ if field.choices and not field.decides:
                value = text == _shown(True)
            case _ if not field.choices and not isinstance(kind, inspect.StrType):
                value = [_number_in(each) for each in re.split(r"[\s,;]+", text) if each]
        *above, last = field.name.split(".")
        parent: Any = data
        for step in above:
            parent = parent.setdefault(step, {}) if isinstance(parent, dict) else _at(parent, step)
        if isinstance(parent, dict):
            parent[last] = value
            if field.decides:
                _fit(parent, self._kinds[part_of(field.name)])
            elif self._is_usual(field.name, value):
                del parent[last]

    def _is_usual(self, name: str, value: Any) -> bool:
        """Return whether a value is what a part without it has, so that it needn't be written."""
        above, _dot, last = name.rpartition(".")
        kind = self._kinds.get(above)
        fields = kind.fields if isinstance(kind, inspect.StructType) else ()
        return any(each.encode_name == last and not each.required and _default(each) == value for each in fields)


def _step(old: int, sign: str, number: Fraction, kind: inspect.IntType) -> int:
    """Return a number after a step of its column, or the number of its type that is nearest to that."""
    steps = {"+": old + number, "=": number, "-": old - number, "−": old - number}
    new = scaled(1, steps.get(sign, old * number))
    least, most = (new if bound is None else bound for bound in (kind.ge, kind.le))
    return max(least, min(new, most))


def scaled(value: int, factor: Fraction) -> int:
    """Return a number times a factor, rounded to a whole number, halves up."""
    return floor(value * factor + Fraction(1, 2))


def _joined(above: str, words: str) -> str:
    return f"{above}, {words}" if above else words


def _without_none(kind: Any) -> Any:
    """Return the type of a part that may be left out."""
    kinds = [each for each in kind.types if not isinstance(each, inspect.NoneType)] if isinstance(kind, inspect.UnionType) else []
    return kinds[0] if len(kinds) == 1 else kind


def _structs(kind: inspect.UnionType) -> list[inspect.StructType]:
    return [each for each in kind.types if isinstance(each, inspect.StructType) and each.tag_field]


def _chosen(kind: inspect.UnionType, data: Any) -> inspect.StructType | None:
    """Return the kind of part that its tag names, otherwise the first."""
    structs = _structs(kind)
    tag = data.get(structs[0].tag_field) if structs and isinstance(data, Mapping) else None
    return next((each for each in structs if each.tag == tag), structs[0] if structs else None)


def _fit(data: Any, kind: inspect.UnionType) -> None:
    """Give a part the fields of its kind: drop fields of other kinds, and add missing ones blank."""
    chosen = _chosen(kind, data)
    if chosen is None or not isinstance(data, dict):
        return
    known = {each.encode_name for other in _structs(kind) for each in other.fields}
    for name in known & data.keys() - {each.encode_name for each in chosen.fields}:
        del data[name]
    for field in chosen.fields:
        if field.required and field.encode_name not in data:
            data[field.encode_name] = _blank(_without_none(field.type))


def _blank(kind: Any) -> Any:
    """Return the value of a new part."""
    match kind:
        case inspect.StructType():
            tag = {kind.tag_field: kind.tag} if kind.tag_field else {}
            return tag | {each.encode_name: _blank(_without_none(each.type)) for each in kind.fields if each.required}
        case inspect.UnionType() if _structs(kind):
            return _blank(_structs(kind)[0])
        case inspect.LiteralType():
            return kind.values[0]
        case inspect.IntType():
            return max(0, kind.ge or 0)
        case inspect.ListType():
            return []
    return "…"


def _default(field: inspect.Field) -> Any:
    return None if field.default is msgspec.NODEFAULT else field.default


def _shown(value: Any) -> str:
    """Return a value as a field shows it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _number_in(text: str) -> int | str:
    """Return the whole number that a text is, otherwise the text."""
    return int(text) if _NUMBER.fullmatch(text) else text


def part_of(name: str) -> str:
    """Return the path of what a part is in."""
    return name.rpartition(".")[0]


def _below(name: str, field: str) -> str:
    """Return the path of what is in a part."""
    return f"{name}.{field}" if name else field


def _at(data: Any, name: str) -> Any:
    """Return the part at a path, None if there is none."""
    for step in name.split(".") if name else ():
        try:
            data = data[int(step) if isinstance(data, list) else step]
        except (LookupError, TypeError, ValueError):
            return None
    return data
