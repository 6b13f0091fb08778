"""Options: what a match can be set up with besides the number of players."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from meadhall.engine.errors import BadSetup

D = TypeVar("D", bound=msgspec.Struct)

REMEMBERED = 64
"""Documents that are kept ready; anybody may bring one."""


class Option(Protocol):
    """One option of a game.

    Attributes:
        name: e.g. ``"variant"``.
        default: its value where nobody chooses.
    """

    @property
    def name(self) -> str: ...
    @property
    def default(self) -> Any: ...

    def check(self, value: Any) -> Any:
        """The value as a record holds it, from what a person, a program or a record gives; BadSetup if it is none."""

    def encode(self, value: Any) -> Sequence[int]:
        """The integers that the rules are given for a checked value."""

    def read(self, text: str) -> Any:
        """What ``name=text`` on a command line stands for, to be checked."""


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

    def check(self, value: Any) -> Any:
        """The value as a record holds it; BadSetup if it is none."""
        if not isinstance(value, str) or value not in self.values:
            raise BadSetup(f"option {self.name} is one of {', '.join(self.values)}, not {value!r}")
        return value

    def encode(self, value: Any) -> Sequence[int]:
        """Its place among the values."""
        return (list(self.values).index(value),)

    def read(self, text: str) -> Any:
        """The text itself."""
        return text


class Document(Generic[D]):
    """An option of a game that is a document: the one that is built in, or one that people bring.

    A record holds ``{"sha256": …}`` and, unless it is the one built in, ``"data"`` too: the document as JSON. The hash is that
    of the data as JSON in UTF-8, keys sorted, without spaces.

    Args:
        name: e.g. ``"components"``.
        text: a sentence that says what it is (for gettext).
        file: the built-in document, TOML.
        kind: how a document is built.
        objections: what is wrong with one that is built so: pairs of a path (``$.monster[3].name``) and a reason.
        codes: the integers that the rules are given.
    """

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
        self._known: dict[str, tuple[D, tuple[int, ...]]] = {}

    @cached_property
    def default(self) -> Any:
        """The hash of the built-in document."""
        return {"sha256": self._learn(tomllib.loads(self.file.read_text("utf-8")), "")}

    def check(self, value: Any) -> Any:
        """The value as a record holds it; BadSetup, naming the place, if it is none.

        Args:
            value: a ``Path`` of a TOML file, the text of one, the data themselves, or the value in a record.
        """
        text = ""
        if isinstance(value, Path):
            try:
                value = value.read_bytes()
            except OSError as error:
                raise BadSetup(f"{self.name}: {value} can't be read: {error.strerror}") from None
        if isinstance(value, bytes):
            try:
                value = value.decode("utf-8")
            except UnicodeDecodeError as error:
                raise BadSetup(f"{self.name}: not text in UTF-8: {error.reason}") from None
        if isinstance(value, str):
            text = value
            try:
                value = tomllib.loads(text)
            except tomllib.TOMLDecodeError as error:
                raise BadSetup(f"{self.name}: not TOML: {error}") from None
        if not isinstance(value, Mapping):
            raise BadSetup(f"{self.name}: a document is needed, not {type(value).__name__}")
        if "sha256" in value:
            return self._recorded(value)
        return self._value(self._learn(value, text), value)

    def _recorded(self, value: Mapping[str, Any]) -> Any:
        """The value in a record, checked: its hash is that of its data."""
        if not set(value) <= {"sha256", "data"}:
            raise BadSetup(f"{self.name}: a record holds sha256 and data, not {', '.join(map(str, value))}")
        if "data" not in value:
            if value != self.default:
                raise BadSetup(f"{self.name}: not those built in, and their data are missing")
            return self.default
        key = self._learn(value["data"], "")
        if value["sha256"] != key:
            raise BadSetup(f"{self.name}: the data's hash is {key}, not {value['sha256']!r}")
        return self._value(key, value["data"])

    def _value(self, key: str, data: Any) -> dict[str, Any]:
        return self.default if key == self.default["sha256"] else {"sha256": key, "data": data}

    def _learn(self, data: Any, text: str) -> str:
        """The hash of data that are in order; BadSetup if they are not. What they stand for is known by it from then on."""
        try:
            written = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        except (TypeError, ValueError) as error:
            raise BadSetup(f"{self.name}: {error}") from None
        key = hashlib.sha256(written).hexdigest()
        if key not in self._known:
            try:
                document = msgspec.convert(data, self._kind)
            except msgspec.ValidationError as error:
                reason, _, path = str(error).partition(" - at `")
                raise self._mistake(path.rstrip("`") or "$", reason, text) from None
            for path, reason in self._objections(document):
                raise self._mistake(path, reason, text)
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[key] = document, tuple(self._codes(document))
        return key

    def _document(self, value: Mapping[str, Any]) -> tuple[D, tuple[int, ...]]:
        if value["sha256"] not in self._known:
            self._learn(value["data"] if "data" in value else tomllib.loads(self.file.read_text("utf-8")), "")
        return self._known[value["sha256"]]

    def _mistake(self, path: str, reason: str, text: str) -> BadSetup:
        where = path.removeprefix("$").removeprefix(".")
        line = line_of(text, path) if text else 0
        places = [f"line {line}"] * bool(line) + [where] * bool(where)
        return BadSetup(": ".join([self.name, ", ".join(places), reason] if places else [self.name, reason]))

    def read(self, text: str) -> Any:
        """The file of that name."""
        return Path(text)

    def of(self, value: Any) -> D:
        """The document that a checked value stands for."""
        return self._document(value)[0]

    def encode(self, value: Any) -> Sequence[int]:
        """What the rules are given of it."""
        return self._document(value)[1]


def line_of(text: str, path: str) -> int:
    """The line, from 1, on which a TOML document has what is at a path such as ``$.monster[3].yellow.target``.

    The line of what should hold it if it isn't there itself; 0 if there is nothing of the kind.
    """
    wanted = [(name, int(index or 0)) for name, index in re.findall(r"\.([\w-]+)(?:\[(\d+)\])?", path)]
    found, depth = 0, 0
    table: list[tuple[str, int | None]] = []
    counts: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*(\[\[?)\s*([\w.-]+)\s*\]", line):
            *above, last = header[2].split(".")
            counts[header[2]] = counts.get(header[2], -1) + 1
            table = [*((name, None) for name in above), (last, counts[header[2]] if header[1] == "[[" else None)]
            here = table
        elif key := re.match(r"\s*([\w-]+)\s*=", line):
            here = [*table, (key[1], None)]
        else:
            continue
        holds = len(here) <= len(wanted) and all(
            name == wanted[k][0] and index in (None, wanted[k][1]) for k, (name, index) in enumerate(here)
        )
        if holds and len(here) > depth:
            found, depth = number, len(here)
    return found
