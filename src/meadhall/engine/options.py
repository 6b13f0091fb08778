"""Options: what a match can be set up with besides the number of players."""

from __future__ import annotations

import hashlib
import json
import math
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from meadhall.engine.checks import quoted
from meadhall.engine.errors import BadSetup
from meadhall.engine.language import gettext as _
from meadhall.engine.places import line_of, place_of

D = TypeVar("D", bound=msgspec.Struct)

LARGEST = 128 * 1024
"""Bytes of a document that somebody brings."""
LONGEST_LINE = 500
"""Characters of its lines. In longer ones keys could be nested so deep that reading them takes all memory."""
REMEMBERED = 64
"""Documents that are kept ready; anybody may bring one."""
SHOWN = 8
"""Digits of a hash by which people tell documents apart."""


class Option(Protocol):
    """One option of a game.

    Attributes:
        name: e.g. ``"variant"``.
        default: its value where nobody chooses.
        values: all there are, or, of endlessly many, those that every game is tried with.
        usage: what can be given on a command line, e.g. ``"standard|strategic"``.
    """

    @property
    def name(self) -> str: ...
    @property
    def default(self) -> Any: ...
    @property
    def values(self) -> Collection[Any]: ...
    @property
    def usage(self) -> str: ...

    def check(self, value: Any) -> Any:
        """The value as a record holds it, from what a person, a program or a record gives; BadSetup if it is none."""

    def encode(self, value: Any) -> Sequence[int]:
        """The integers that the rules are given for a checked value."""

    def read(self, text: str) -> Any:
        """What ``name=text`` on a command line stands for, to be checked."""

    def shown(self, value: Any) -> str:
        """A checked value in a word."""


class Choice:
    """An option of a game that is one of a few named values.

    Args:
        name: e.g. ``"variant"``.
        values: value -> a sentence that says what it changes (for gettext); the first is the default.
    """

    def __init__(self, name: str, values: Mapping[str, str]) -> None:
        self.name = name
        self.values = dict(values)
        self.default = next(iter(self.values))
        self.usage = "|".join(self.values)

    def check(self, value: Any) -> Any:
        """The value as a record holds it; BadSetup if it is none."""
        if not isinstance(value, str) or value not in self.values:
            raise BadSetup(f"option {self.name} is one of {', '.join(self.values)}, not {quoted(value)}")
        return value

    def encode(self, value: Any) -> Sequence[int]:
        """Its place among the values."""
        return (list(self.values).index(value),)

    def read(self, text: str) -> Any:
        """The text itself."""
        return text

    def shown(self, value: Any) -> str:
        """The value itself."""
        return str(value)


class _Known(NamedTuple, Generic[D]):
    """A document that is in order, and what the rules are given of it."""

    key: str
    document: D
    codes: tuple[int, ...]


class Document(Generic[D]):
    """An option of a game that is a document: the one that is built in, or one that people bring.

    A record holds ``{"sha256": …}`` and, unless it is the one built in, ``"data"`` too: the document as JSON. The hash is that
    of the data as JSON in UTF-8, keys sorted, without spaces.

    Only a ``Path`` makes it read a file, and only ``read`` makes one, of what is typed on a command line.

    Args:
        name: e.g. ``"components"``.
        text: a sentence that says what it is (for gettext).
        file: the built-in document, TOML.
        kind: how a document is built.
        objections: what is wrong with one that is built so: pairs of a path (``$.monster[3].name``) and a reason.
        codes: the integers that the rules are given.
    """

    usage = "FILE.toml"

    def __init__(
        self,
        name: str,
        text: str,
        file: Path,
        kind: type[D],
        objections: Callable[[D], Iterable[tuple[str, str]]],
        codes: Callable[[D], Sequence[int]],
    ) -> None:
        self.name = name
        self.text = text
        self.file = file
        self._kind = kind
        self._objections = objections
        self._codes = codes
        self._remembered: dict[str, _Known[D]] = {}

    @property
    def default(self) -> Any:
        """The hash of the built-in document."""
        return {"sha256": self._built_in.key}

    @property
    def values(self) -> Collection[Any]:
        """The built-in document: nobody knows what others will be brought."""
        return (self.default,)

    @cached_property
    def _built_in(self) -> _Known[D]:
        return self._learn(tomllib.loads(self.file.read_text("utf-8")))

    def check(self, value: Any) -> Any:
        """The value as a record holds it; BadSetup, naming the place, if it is none.

        Args:
            value: a ``Path`` of a TOML file, the text of one, the data themselves, or the value in a record.
        """
        if isinstance(value, Path):
            value = self._content(value)
        if isinstance(value, bytes):
            try:
                value = value.decode("utf-8-sig")
            except UnicodeDecodeError as error:
                line = 1 + error.object.count(b"\n", 0, error.start)
                raise BadSetup(f"{self.name}: line {line}: not text in UTF-8: {error.reason}") from None
        if isinstance(value, str):
            return self._value(self._learn(data := self._data(value), value), data)
        if not isinstance(value, Mapping):
            raise BadSetup(f"{self.name}: a document is needed, not {type(value).__name__}")
        return self._recorded(value) if "sha256" in value else self._value(self._learn(value), value)

    def _content(self, path: Path) -> bytes:
        try:
            with path.open("rb") as file:
                return file.read(LARGEST + 1)
        except OSError as error:
            raise BadSetup(f"{self.name}: {path} can't be read: {error.strerror}") from None
        except ValueError:
            raise BadSetup(f"{self.name}: no file is called {quoted(str(path))}") from None

    def _data(self, text: str) -> dict[str, Any]:
        """What a TOML text says; BadSetup if it is none, or meant to keep us busy."""
        if len(text) > LARGEST:
            raise BadSetup(f"{self.name}: longer than {LARGEST // 1024} KB")
        for number, line in enumerate(text.splitlines(), 1):
            if len(line) > LONGEST_LINE:
                raise BadSetup(f"{self.name}: line {number}: longer than {LONGEST_LINE} characters")
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise BadSetup(f"{self.name}: not TOML: {error}") from None
        except RecursionError:
            raise BadSetup(f"{self.name}: nested too deep") from None

    def _recorded(self, value: Mapping[str, Any]) -> Any:
        """The value in a record, checked: its hash is that of its data."""
        if not set(value) <= {"sha256", "data"}:
            raise BadSetup(f"{self.name}: a record holds sha256 and data, not {', '.join(map(str, value))}")
        if "data" not in value:
            if value != self.default:
                raise BadSetup(f"{self.name}: not those built in, and their data are missing")
            return self.default
        known = self._learn(value["data"])
        if value["sha256"] != known.key:
            raise BadSetup(f"{self.name}: the data's hash is {known.key}, not {quoted(value['sha256'])}")
        return self._value(known, value["data"])

    def _value(self, known: _Known[D], data: Any) -> dict[str, Any]:
        return self.default if known.key == self._built_in.key else {"sha256": known.key, "data": deepcopy(data)}

    def _learn(self, data: Any, text: str = "") -> _Known[D]:
        """What data that are in order stand for; BadSetup if they are not. ``text`` is where they were read from."""
        try:
            for path, reason in unfit(data):
                raise self._mistake(path, reason, text)
            written = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        except RecursionError:
            raise BadSetup(f"{self.name}: nested too deep") from None
        except ValueError:
            raise BadSetup(f"{self.name}: it holds a number of thousands of digits") from None
        if len(written) > LARGEST:
            raise BadSetup(f"{self.name}: longer than {LARGEST // 1024} KB")
        key = hashlib.sha256(written).hexdigest()
        known = self._remembered.get(key)
        if known is None:
            document = self._built(data, text)
            known = _Known(key, document, tuple(self._codes(document)))
            if len(self._remembered) >= REMEMBERED:
                self._remembered.clear()
            self._remembered[key] = known
        return known

    def _built(self, data: Any, text: str) -> D:
        try:
            document = msgspec.convert(data, self._kind)
        except msgspec.ValidationError as error:
            reason, _at, path = str(error).partition(" - at `")
            unknown = re.findall("unknown field `(.*)`", reason)
            raise self._mistake(path.rstrip("`"), reason[:1].lower() + reason[1:], text, unknown) from None
        for path, reason in self._objections(document):
            raise self._mistake(path, reason, text)
        return document

    def _mistake(self, path: str, reason: str, text: str, further: Sequence[str] = ()) -> BadSetup:
        line = line_of(text, (*place_of(path), *further)) if text else 0
        where = ", ".join([f"line {line}"] * bool(line) + [path.removeprefix("$.")] * (path not in ("", "$")))
        return BadSetup(": ".join(part for part in (self.name, where, reason) if part))

    def _known(self, value: Mapping[str, Any]) -> _Known[D]:
        if value["sha256"] == self._built_in.key:
            return self._built_in
        return self._remembered.get(value["sha256"]) or self._learn(value["data"])

    def of(self, value: Any) -> D:
        """The document that a checked value stands for."""
        return self._known(value).document

    def encode(self, value: Any) -> Sequence[int]:
        """What the rules are given of it."""
        return self._known(value).codes

    def read(self, text: str) -> Any:
        """The file of that name."""
        return Path(text)

    def shown(self, value: Any) -> str:
        """The beginning of its hash, unless it is the one built in."""
        return _("built in") if value == self.default else str(value["sha256"])[:SHOWN]


def unfit(data: Any, path: str = "$") -> Iterator[tuple[str, str]]:
    """What of some data JSON does not know, or nobody could print: pairs of a path and a reason."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            if isinstance(key, str) and key.isprintable():
                yield from unfit(value, f"{path}.{key}")
            else:
                yield path, f"{key!r} can't be a name"
    elif isinstance(data, list | tuple):
        for index, value in enumerate(data):
            yield from unfit(value, f"{path}[{index}]")
    elif isinstance(data, str):
        if not data.isprintable():
            yield path, f"{data!r} can't be printed"
    elif data is not None and not isinstance(data, int) and not (isinstance(data, float) and math.isfinite(data)):
        yield path, f"{data} is neither text nor a number"
