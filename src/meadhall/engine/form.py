"""A document as a form: fields made from the types of the document, and the document with what a form says.

The form needs no declaration by a game. The words of a ``Document`` give its fields names, and hide fields.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import inspect

from meadhall.engine.checks import quoted
from meadhall.engine.errors import BadSetup
from meadhall.engine.options import Document
from meadhall.engine.text.language import gettext as _

Path: TypeAlias = tuple[str | int, ...]

MAX_FIELDS: Final = 3000
"""The most fields of a form. A document with more can only be edited as a file."""

PREFIX: Final = "at-"
"""What the names of the fields begin with in a form, so that none is that of another field."""

_NUMBER: Final = re.compile(r"-?[0-9]{1,9}")
_IS_NO_PATH: Final = re.compile(r".*[=*]").match
_STEP: Final = re.compile(r"\s*(?P<sign>[-+=x*×−])\s*(?P<number>\d{1,4}([.,]\d{1,3})?)\s*", re.IGNORECASE)
_INDEX: Final = re.compile(r"[0-9]{1,4}")


class Value(NamedTuple):
    """A value that a field offers."""

    value: str
    text: str
    chosen: bool


@dataclass(frozen=True)
class Field:
    """A field of a form."""

    name: str  # the path in the document: "monster.3.yellow.target"
    label: str
    value: str
    is_number: bool = False
    choices: tuple[Value, ...] = ()  # empty for a number or a text
    decides: bool = False  # whether it decides which other fields there are

    @property
    def text(self) -> str:
        """Return the value in words, "–" for none."""
        return next((choice.text for choice in self.choices if choice.chosen), self.value) or "–"


@dataclass(frozen=True)
class Group:
    """Fields that belong together: a piece, a part of a piece, or a list of pieces."""

    path: str  # in the document: "monster.3"
    title: str
    fields: tuple[Field, ...] = ()
    groups: tuple[Group, ...] = ()
    is_list: bool = False
    is_named: bool = False  # whether the title is the name of a piece
    grows: bool = False  # whether another piece can be added
    shrinks: bool = False  # whether a piece can be taken away


Line: TypeAlias = tuple[Group, ...]


@dataclass(frozen=True)
class Table:
    """The numbers of alike pieces: a row for each piece, a column for each number.

    Attributes:
        columns: the path in a piece and the words of each column.
        rows: each piece with its fields, None where it lacks the number.
    """

    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Group, tuple[Field | None, ...]], ...]


class DocumentForm:
    """The form of a document. ``data`` may be invalid. Raises BadSetup if the form would be too long."""

    def __init__(self, option: Document[Any], data: Mapping[str, Any]) -> None:
        self.option = option
        self.data = dict(data)
        self._count = 0
        self._kinds: dict[str, Any] = {}
        kind = inspect.type_info(option.kind)
        assert isinstance(kind, inspect.StructType)
        top = self._struct((), "", kind, self.data)
        loose = [self._loose(tuple(name.split("."))) for name in option.words if "." in name and not _IS_NO_PATH(name)]
        self.fields = (*top.fields, *loose)
        self.groups = top.groups

    # ------------------------------------------------------------------------------------------------------------ making fields

    def _struct(self, path: Path, title: str, kind: inspect.StructType, data: Any, tags: tuple[Value, ...] = ()) -> Group:
        """Return the group of a part. ``tags``: the kinds of parts that it may be, where there are several."""
        found = data if isinstance(data, Mapping) else {}
        fields: list[Field] = []
        groups: list[Group] = []
        for field in kind.fields:
            place, label = (*path, field.encode_name), self.label(field.encode_name)
            each = self._add(place, label, _without_none(field.type), found.get(field.encode_name, _default(field)))
            if label and isinstance(each, Field):
                fields.append(each)
            elif label and isinstance(each, Group):
                groups.append(each)
        if tags and kind.tag_field:
            place = (*path, kind.tag_field)
            fields.append(self._field(place, self.label(kind.tag_field), str(kind.tag), choices=tags, decides=True))
        return Group(_dotted(path), title, tuple(fields), tuple(groups))

    def _add(self, path: Path, label: str, kind: Any, data: Any) -> Field | Group | None:
        """Return the field or the group of a part, None for one without a type."""
        self._kinds[_dotted(path)] = kind
        match kind:
            case inspect.StructType():
                return self._struct(path, label, kind, data)
            case inspect.UnionType():
                chosen = _chosen(kind, data)
                tags = [self._option(each.tag_field, each.tag, each is chosen) for each in _structs(kind)]
                return self._struct(path, label, chosen, data, tuple(tags)) if chosen else None
            case inspect.ListType() if isinstance(_without_none(kind.item_type), inspect.StructType | inspect.UnionType):
                return self._list(path, label, kind, data)
            case inspect.LiteralType():
                values = sorted((self._option(path[-1], value, value == data) for value in kind.values), key=_text)
                return self._field(path, label, _shown(data), choices=tuple(values))
            case inspect.AnyType():
                return None
        return self._field(path, label, _shown(data), is_number=isinstance(kind, inspect.IntType))

    def _list(self, path: Path, label: str, kind: inspect.ListType, data: Any) -> Group:
        found = data if isinstance(data, list) else []
        least, most = self.option.sizes.get(_dotted(path), (0, MAX_FIELDS))
        rows: list[Group] = []
        for index, row in enumerate(found):
            name = row.get("name") if isinstance(row, Mapping) else None
            is_named = isinstance(name, str) and bool(name)
            title = _(str(name)) if is_named else str(index + 1)
            group = self._add((*path, index), title, _without_none(kind.item_type), row)
            assert isinstance(group, Group)
            rows.append(replace(group, is_named=is_named))
        grows, shrinks = len(rows) < most, len(rows) > least
        return Group(_dotted(path), label, groups=tuple(rows), is_list=True, grows=grows, shrinks=shrinks)

    def _loose(self, path: Path) -> Field:
        """Return the field of a part that has no type, such as a switch among values that the rules fix."""
        data = _at(self.data, path)
        if data is None:
            data = _at(self.option.data(self.option.default), path)
        choices: tuple[Value, ...] = ()
        if isinstance(data, bool):
            choices = tuple(Value(_shown(value), words, value is data) for value, words in ((True, _("yes")), (False, _("no"))))
        return self._field(path, self.label(_dotted(path)), _shown(data), choices=choices, is_number=type(data) is int)

    def _field(self, path: Path, label: str, value: str, **more: Any) -> Field:
        self._count += 1
        if self._count > MAX_FIELDS:
            raise BadSetup(_("This document is too long for the workshop."))
        return Field(_dotted(path), label, value, **more)

    def _option(self, field: str | int | None, value: Any, chosen: bool) -> Value:
        words = self.option.words
        named = next((words[key] for key in (f"{field}={value}", str(value)) if key in words), "")
        return Value(_shown(value), _(named) if named else str(value), chosen)

    def label(self, name: str) -> str:
        """Return the name of a field in the current language, "" for a hidden one."""
        words = self.option.words.get(name)
        return name.replace("_", " ") if words is None else words and _(words)

    def where(self, place: str) -> str:
        """Return the words for a place of the document, such as ``monster[3].blue.gold``; "" for one that the form lacks."""
        name = place.replace("[", ".").replace("]", "")
        line: list[Group] = []
        groups, fields = self.groups, self.fields
        while found := next((each for each in groups if f"{name}.".startswith(f"{each.path}.")), None):
            line.append(found)
            groups, fields = found.groups, found.fields
        return ", ".join([*in_words(line), *(each.label for each in fields if each.name == name)])

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

    def changed(self, form: Mapping[str, str]) -> dict[str, Any]:
        """Return the data with the changed fields of a form."""
        data = deepcopy(self.data)
        for field, _line in self.entries():
            text = form.get(PREFIX + field.name)
            if text is not None and text.strip() != field.value:
                self._set(data, field, text.strip())
        self._fit(data)
        return data

    def _fit(self, data: dict[str, Any]) -> None:
        """Give the parts that may be of several kinds the fields of their kind."""
        for name, kind in self._kinds.items():
            if isinstance(kind, inspect.UnionType):
                _fit(_at(data, _path(name)), kind)

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
        table = next((table_of(group) for group in self.groups if group.path == name), None)
        names = [path for path, _words in table.columns] if table else []
        for index, (_piece, fields) in enumerate(table.rows if table else ()):
            field = dict(zip(names, fields, strict=True)).get(column)
            kind = self._kinds.get(field.name) if field else None
            if field and isinstance(kind, inspect.IntType) and (rows is None or index in rows):
                old = number_in(field.value)
                if isinstance(old, int):
                    self._set(data, field, str(_bounded(_step(old, found["sign"], number), kind)))
        return data

    def usual(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the data with these parts as in the built-in document: fields, pieces, lists, or all with ``""``."""
        data, built_in = deepcopy(self.data), self.option.data(self.option.default)
        for name in names:
            if not name:
                return built_in
            path = _path(name)
            value, parent = _at(built_in, path), _at(data, path[:-1])
            if isinstance(parent, dict) and value is None:
                parent.pop(path[-1], None)
            elif value is not None and (isinstance(parent, dict) or _at(data, path) is not None):
                parent[path[-1]] = value
        self._fit(data)
        return data

    def grown(self, name: str) -> dict[str, Any]:
        """Return the data with another piece at the end of a list: a copy of the last one."""
        data, kind = deepcopy(self.data), self._kinds.get(name)
        pieces = _at(data, _path(name))
        if isinstance(kind, inspect.ListType) and isinstance(pieces, list):
            pieces.append(deepcopy(pieces[-1]) if pieces else _blank(_without_none(kind.item_type)))
        return data

    def shrunk(self, name: str) -> dict[str, Any]:
        """Return the data without the last piece of a list."""
        data = deepcopy(self.data)
        pieces = _at(data, _path(name))
        if isinstance(pieces, list) and pieces:
            del pieces[-1]
        return data

    def entries(self) -> Iterator[tuple[Field, Line]]:
        """Yield each field with the groups that it is in, from the outermost."""
        yield from ((field, ()) for field in self.fields)
        yield from _entries(self.groups, ())

    def _set(self, data: dict[str, Any], field: Field, text: str) -> None:
        path, kind = _path(field.name), self._kinds.get(field.name)
        value: Any = text
        if isinstance(kind, inspect.LiteralType):
            value = next((each for each in kind.values if _shown(each) == text), text)
        elif isinstance(kind, inspect.StrType) or field.decides:
            pass
        elif field.choices:
            value = text == _shown(True)
        elif field.is_number:
            value = number_in(text)
        else:
            value = [number_in(each) for each in re.split(r"[\s,;]+", text) if each]
        parent: Any = data
        for step in path[:-1]:
            parent = parent.setdefault(step, {}) if isinstance(parent, dict) else _at(parent, (step,))
        if isinstance(parent, dict):
            parent[path[-1]] = value
            if self._is_usual(path, value):
                del parent[path[-1]]

    def _is_usual(self, path: Path, value: Any) -> bool:
        """Return whether a value is what a part without it has, so that it needn't be written."""
        kind = self._kinds.get(_dotted(path[:-1])) if path[:-1] else inspect.type_info(self.option.kind)
        fields = kind.fields if isinstance(kind, inspect.StructType) else ()
        return any(field.encode_name == path[-1] and not field.required and _default(field) == value for field in fields)


def _entries(groups: Sequence[Group], above: Line) -> Iterator[tuple[Field, Line]]:
    for group in groups:
        line = (*above, group)
        yield from ((field, line) for field in group.fields)
        yield from _entries(group.groups, line)


def _step(old: int, sign: str, number: Fraction) -> int:
    """Return a number after a step of its column."""
    match sign:
        case "+":
            return scaled(1, old + number)
        case "=":
            return scaled(1, number)
        case "-" | "−":
            return scaled(1, old - number)
    return scaled(old, number)


def _bounded(value: int, kind: inspect.IntType) -> int:
    """Return the number of a type that is nearest to a value."""
    least, most = (value if bound is None else bound for bound in (kind.ge, kind.le))
    return max(least, min(value, most))


def table_of(group: Group) -> Table | None:
    """Return the table of a list, None if its pieces have no numbers."""
    words: dict[str, str] = {}
    rows: list[tuple[Group, dict[str, Field]]] = []
    for piece in group.groups if group.is_list else ():
        found: dict[str, Field] = {}
        for field, line in _entries((piece,), ()):
            if field.is_number and not any(each.is_list for each in line):
                column = field.name[len(piece.path) + 1 :]
                found[column] = field
                words.setdefault(column, ", ".join([*(each.title for each in line[1:]), field.label]))
        rows.append((piece, found))
    if not words:
        return None
    return Table(tuple(words.items()), tuple((piece, tuple(map(found.get, words))) for piece, found in rows))


def without(group: Group, names: Collection[str]) -> Group:
    """Return a group without these fields, and without parts that have no others."""
    groups = tuple(kept for each in group.groups if (kept := without(each, names)).fields or kept.groups or kept.is_list)
    return replace(group, fields=tuple(field for field in group.fields if field.name not in names), groups=groups)


def scaled(value: int, factor: Fraction) -> int:
    """Return a number times a factor, rounded to a whole number, halves up."""
    return floor(value * factor + Fraction(1, 2))


def in_words(line: Sequence[Group]) -> list[str]:
    """Return the titles of nested groups. A piece without a name has the title of its list, too: "Trade lines 1"."""
    words: list[str] = []
    for number, group in enumerate(line):
        if number and line[number - 1].is_list and not group.is_named:
            words[-1:] = [f"{words[-1]} {group.title}"]
        elif number and line[number - 1].is_list:
            words[-1:] = [group.title]
        else:
            words.append(group.title)
    return words


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
    """Give a part the fields of its kind: without those of other kinds, and with blank ones for those that are missing."""
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


def number_in(text: str) -> int | str:
    """Return the whole number that a text is, otherwise the text."""
    return int(text) if _NUMBER.fullmatch(text) else text


def _text(option: Value) -> str:
    return option.text


def _dotted(path: Path) -> str:
    return ".".join(map(str, path))


def _path(name: str) -> Path:
    return tuple(int(step) if _INDEX.fullmatch(step) else step for step in name.split("."))


def _at(data: Any, path: Path) -> Any:
    """Return the part at a path, None if there is none."""
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data
