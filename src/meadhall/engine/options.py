"""Options of a match besides the number of players: a choice of named values, a number of the rules, or a document."""

from __future__ import annotations

import hashlib
import json
import math
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from enum import Enum
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from meadhall.engine.checks import as_integer, is_unseen, quoted
from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _, marked

D = TypeVar("D", bound=msgspec.Struct)

MAX_SIZE = 128 * 1024
"""The largest size of an uploaded document, in bytes."""
MAX_DOTS = 250
"""The most dots in a line. A key with more (``a.a.a …``) would be nested so deeply that parsing many of them exhausts memory."""
CACHE_SIZE = 64
"""The number of parsed documents in the cache."""
HASH_DIGITS = 8
"""The number of hash digits that pages show."""
COMPARED = 7
"""The most values of a number that a report compares if it is asked for all."""


def _toml_problem(error: tomllib.TOMLDecodeError) -> str:
    """Say in words where a text is not TOML; the parser's own messages are for programmers."""
    place = re.search(r"line (\d+), column (\d+)", str(error))
    if place is None:
        return _("not TOML: the file ends too early")
    if "overwrite" in str(error):
        return _("not TOML: line {line} sets a value again").format(line=place[1])
    return _("not TOML: line {line}, column {column} can't be read").format(line=place[1], column=place[2])


class Origin(Enum):
    """What a value of an option is, compared with the printed rules; a sentence for gettext."""

    PRINTED = marked("The printed rules.")
    READING = marked("Our reading.")
    OTHER_READING = marked("Another reading.")
    HOUSE = marked("A house rule.")


class Option(Protocol):
    """One option of a game.

    Attributes:
        name: its id in records, on the command line and in the API, e.g. ``"variant"``.
        title: its name for people, for gettext, e.g. ``"Cards"``.
        default: the default value.
        values: all values; for an option with unlimited values, the ones that tests use.
        usage: the values as a command line's help shows them, e.g. ``"standard|strategic"``.
        only_with: the name and the value of another option without which only the default is allowed; None if there is none.
        optional_in_records: whether a record may lack it, which means the default: older records of this version of the rules do.
    """

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def default(self) -> Any: ...
    @property
    def values(self) -> Collection[Any]: ...
    @property
    def usage(self) -> str: ...
    @property
    def only_with(self) -> tuple[str, str] | None: ...
    @property
    def optional_in_records(self) -> bool: ...

    def check(self, value: Any) -> Any:
        """Validate a value from a form, a program or a record and return it in the form used in records. Raises BadSetup."""

    def encode(self, value: Any) -> Sequence[int]:
        """Return the integers that the rules receive for a checked value."""

    def read(self, text: str) -> Any:
        """Return the unchecked value of ``name=text`` on a command line."""

    def shown(self, value: Any) -> str:
        """Return a checked value as records and command lines name it, or the first digits of its hash."""

    def label(self, value: Any) -> str:
        """Return the name of a value for people, in the current language."""

    def named(self, value: Any) -> str:
        """Return the name of a value where the title of the option doesn't stand beside it."""


class Choice:
    """An option with a few named values. Its words are for gettext; without a name in words people read the id.

    Args:
        name: its id, e.g. ``"variant"``.
        values: the id of each value -> its name in words and a sentence that explains it, or the sentence only. The first is
            the default.
        title: its name in words.
        only_with: the name and the value of another option without which only the default is allowed: ``("mode", "versus")``.
        optional_in_records: whether a record may lack it, which means the default.
        origins: value -> what it is, compared with the printed rules; it stands behind the sentence.
        rules: the ids of the rules whose text depends on it: see ``engine.rulebook``.

    Examples:
        >>> from meadhall.engine.options import Choice
        >>> hidden = ("Hidden hands", "Players choose their cards.")
        >>> variant = Choice("variant", {"standard": "The printed rules.", "strategic": hidden}, title="Cards")
        >>> variant.default, variant.usage
        ('standard', 'standard|strategic')
        >>> variant.check("strategic"), variant.encode("strategic"), list(variant.values)
        ('strategic', (1,), ['standard', 'strategic'])
        >>> variant.shown(variant.check(variant.read("strategic"))), variant.label("strategic")
        ('strategic', 'Hidden hands')
    """

    def __init__(
        self,
        name: str,
        values: Mapping[str, str | tuple[str, str]],
        *,
        title: str = "",
        only_with: tuple[str, str] | None = None,
        optional_in_records: bool = False,
        origins: Mapping[str, Origin] | None = None,
        rules: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.title = title or name
        self.values = {value: words if isinstance(words, str) else words[1] for value, words in values.items()}
        self.labels = {value: value if isinstance(words, str) else words[0] for value, words in values.items()}
        self.origins = dict(origins or {})
        self.only_with = only_with
        self.optional_in_records = optional_in_records
        self.rules = rules
        self.default: Any = next(iter(self.values))
        self.usage = "|".join(map(str, self.values))

    def check(self, value: Any) -> Any:
        """Return the value if it is one of the option's. Raises BadSetup."""
        if not isinstance(value, str) or value not in self.values:
            raise BadSetup(f"option {self.name} must be one of {', '.join(self.values)}, not {quoted(value)}")
        return value

    def encode(self, value: Any) -> Sequence[int]:
        """Return the index of the value."""
        return (list(self.values).index(value),)

    def read(self, text: str) -> Any:
        """Return the text."""
        return text

    def shown(self, value: Any) -> str:
        """Return the id of the value."""
        return str(value)

    def label(self, value: Any) -> str:
        """Return the name of a value in the current language; the id of one that the option no longer has."""
        return _(self.labels.get(value) or str(value))

    def named(self, value: Any) -> str:
        """Return the name of a value: it says enough without the title.

        Examples:
            >>> import meadhall
            >>> meadhall.game("viking-axes").options[0].named("strategic")
            'Hidden hands'
        """
        return self.label(value)

    def explained(self, value: str) -> str:
        """Return the sentence that explains a value, and what the value is, in the current language.

        Examples:
            >>> import meadhall
            >>> meadhall.game("axes-and-allies").options[0].explained("ally")
            'Two players left have the same choices as more. The printed rules.'
        """
        origin = self.origins.get(value)
        return _(self.values[value]) + (f" {_(origin.value)}" if origin else "")

    def told_as(self, value: Any) -> str:
        """Return the value as conditions in the texts of the rulebook name it: see ``engine.rulebook``.

        Examples:
            >>> import meadhall
            >>> meadhall.game("viking-axes").options[0].told_as("strategic")
            'strategic'
        """
        return str(value)

    @property
    def tried(self) -> Sequence[Any]:
        """Return the values that checks try, the default first."""
        return tuple(self.values)

    compared = tried
    """The values that a report compares, the default first."""


class HouseRule(Choice):
    """A choice that most tables leave alone: a house rule, or another reading of the printed rules.

    A record names it only if its value isn't the default, so it can be added without a new version of the rules. The lobby folds
    it away. Checks try one house rule at a time, and all of them together.

    Args:
        name: its id, e.g. ``"bids"``.
        values: the id of each value -> what it is, its name in words and a sentence that explains it. The first is the default.
        title: its name in words.
        rules: the ids of the rules whose text depends on it, first the id of the rule about it.
        only_with: as for a ``Choice``.

    Examples:
        >>> from meadhall.engine.options import HouseRule, Origin
        >>> lost = Origin.PRINTED, "Bids are lost", "Every bid is paid."
        >>> returned = Origin.HOUSE, "Losing bids come back", "Only the winner pays."
        >>> bids = HouseRule("bids", {"lost": lost, "returned": returned}, title="Bids", rules=("DA-19.1", "DA-8.2"))
        >>> bids.default, bids.explained("returned")
        ('lost', 'Only the winner pays. A house rule.')
    """

    def __init__(
        self,
        name: str,
        values: Mapping[str, tuple[Origin, str, str]],
        *,
        title: str,
        rules: tuple[str, ...] = (),
        only_with: tuple[str, str] | None = None,
    ) -> None:
        super().__init__(
            name,
            {value: (label, sentence) for value, (_origin, label, sentence) in values.items()},
            title=title,
            only_with=only_with,
            optional_in_records=True,
            origins={value: origin for value, (origin, _label, _sentence) in values.items()},
            rules=rules,
        )


class Number(HouseRule):
    """A number of the rules that a table may change, such as the sides of a die.

    A record names it, as an integer, only if it isn't the printed one. The texts of the rulebook show the number played, and
    checks try its bounds. The rules receive the number itself.

    Args:
        name: its id, e.g. ``"sides"``.
        sentence: what it says, for gettext.
        default: the printed number.
        bounds: the smallest and the largest number with which all rules hold.
        title: its name in words.
        rules: the ids of the rules whose text depends on it, first the id of the rule about it.
        only_with: as for a ``Choice``.

    Examples:
        >>> from meadhall.engine.options import Number
        >>> sides = Number("sides", "The die has this many sides.", 6, (2, 12), title="Sides of the die", rules=("c-1",))
        >>> sides.default, sides.usage, sides.tried
        (6, '2..12', (6, 2, 12))
        >>> sides.check("8"), list(sides.encode(8)), sides.named(8)
        (8, [8], 'Sides of the die: 8')
        >>> sides.explained(8)
        'The die has this many sides. A house rule. Printed: 6.'
        >>> sides.compared
        (6, 2, 4, 5, 7, 9, 10, 12)
    """

    def __init__(
        self,
        name: str,
        sentence: str,
        default: int,
        bounds: tuple[int, int],
        *,
        title: str,
        rules: tuple[str, ...] = (),
        only_with: tuple[str, str] | None = None,
    ) -> None:
        self.low, self.high = bounds
        if not self.low <= default <= self.high:
            raise ValueError(f"number {name} is {default}, which is not from {self.low} to {self.high}")
        values: Any = {
            number: (Origin.PRINTED if number == default else Origin.HOUSE, str(number), sentence)
            for number in (default, *range(self.low, self.high + 1))
        }
        super().__init__(
            name,
            values,
            title=title,
            rules=rules,
            only_with=only_with,
        )
        self.usage = f"{self.low}..{self.high}"

    def check(self, value: Any) -> Any:
        """Return the number, also of a text that shows it. Raises BadSetup."""
        is_text = isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,9}", value)
        number = int(value) if is_text else as_integer(value)
        if number is None or not self.low <= number <= self.high:
            raise BadSetup(f"option {self.name} must be a number from {self.low} to {self.high}, not {quoted(value)}")
        return number

    def encode(self, value: Any) -> Sequence[int]:
        """Return the number."""
        return (value,)

    def named(self, value: Any) -> str:
        """Return the title and the number, in the current language."""
        return f"{_(self.title)}: {value}"

    def explained(self, value: Any) -> str:
        """Return what the number says, and the printed one, in the current language."""
        return super().explained(value) + (
            "" if value == self.default else " " + _("Printed: {number}.").format(number=self.default)
        )

    def told_as(self, value: Any) -> str:
        """Return ``printed`` or ``other``.

        Examples:
            >>> import meadhall
            >>> sides = next(option for option in meadhall.game("axes-and-allies").options if option.name == "sides")
            >>> sides.told_as(6), sides.told_as(8)
            ('printed', 'other')
        """
        return "printed" if value == self.default else "other"

    @property
    def tried(self) -> Sequence[int]:
        """Return the printed number and the bounds."""
        return tuple(dict.fromkeys((int(self.default), self.low, self.high)))

    @property
    def compared(self) -> Sequence[int]:
        """Return the printed number and, of many, some at equal distances."""
        steps = max(min(COMPARED, len(self.values)) - 1, 1)
        spread = (self.low + round(k * (self.high - self.low) / steps) for k in range(steps + 1))
        return tuple(dict.fromkeys((int(self.default), *spread)))


class _Parsed(NamedTuple, Generic[D]):
    """A valid document and its encoding for the rules."""

    key: str
    document: D
    codes: tuple[int, ...]


class Document(Generic[D]):
    """An option whose value is a document: the built-in one, or one that a host uploads.

    A record holds ``{"sha256": …}`` and, unless the document is the built-in one, ``"data"``: the document as JSON. The hash is
    the SHA-256 of the data as JSON in UTF-8 with sorted keys and without spaces.

    It reads a file only if the value is a ``Path``, and only ``read``, which parses command lines, makes a ``Path``.

    Args:
        name: its id, e.g. ``"components"``.
        text: a sentence that describes the document (for gettext).
        file: the built-in document, TOML.
        kind: the struct that a document is converted to.
        objections: yields the faults of a converted document: pairs of a path (``$.monster[3].name``) and a reason.
        codes: returns the integers that the rules receive.
        title: its name in words, for gettext.
        words: the names of fields and values in words, for gettext; "" hides a field in the workshop. A value has its name by
            ``field=value``, or by ``value``. The path of a part without a type (``"sorcerer.refill"``) shows it there. A list
            with ``.*`` has the words for all its pieces, for changes of them all: ``"monster.*": "Every monster"``.
        sizes: the smallest and the largest number of entries of each list, for the workshop.

    Examples:
        >>> import meadhall
        >>> components = next(option for option in meadhall.game("dungeon-allies").options if option.name == "components")
        >>> components.shown(components.default)
        'built in'
        >>> document = components.of(components.check(components.default))
        >>> len(components.encode(components.default)) > 0
        True
        >>> components.read("mine.toml").suffix
        '.toml'
    """

    usage = "FILE.toml"
    only_with: tuple[str, str] | None = None
    optional_in_records = False

    def __init__(
        self,
        name: str,
        text: str,
        file: Path,
        kind: type[D],
        objections: Callable[[D], Iterable[tuple[str, str]]],
        codes: Callable[[D], Sequence[int]],
        title: str = "",
        words: Mapping[str, str] = MappingProxyType({}),
        sizes: Mapping[str, tuple[int, int]] = MappingProxyType({}),
    ) -> None:
        self.name = name
        self.title = title or name
        self.text = text
        self.file = file
        self.kind = kind
        self.words = words
        self.sizes = sizes
        self._objections = objections
        self._codes = codes
        self._cache: dict[str, _Parsed[D]] = {}

    @property
    def default(self) -> Any:
        """Return the value of the built-in document: its hash."""
        return {"sha256": self._built_in.key}

    @property
    def values(self) -> Collection[Any]:
        """Return the built-in document, the only value known in advance."""
        return (self.default,)

    @cached_property
    def _built_in(self) -> _Parsed[D]:
        return self._parsed(self._built_in_data)

    @cached_property
    def _built_in_data(self) -> dict[str, Any]:
        return tomllib.loads(self.file.read_text("utf-8"))

    def check(self, value: Any) -> Any:
        """Validate a document and return its value as a record holds it.

        Args:
            value: a ``Path`` of a TOML file, the text of one, its data, or the value in a record.

        Raises:
            BadSetup: with the path of the fault in the document.
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
            return self._value(self._parsed(data := self._data(value)), data)
        if not isinstance(value, Mapping):
            raise BadSetup(f"{self.name}: it must be a document, not {type(value).__name__}")
        return self._recorded(value) if "sha256" in value else self._value(self._parsed(value), value)

    def _content(self, path: Path) -> bytes:
        try:
            with path.open("rb") as file:
                return file.read(MAX_SIZE + 1)
        except OSError as error:
            raise BadSetup(f"{self.name}: {path} can't be read: {error.strerror}") from None
        except ValueError:
            raise BadSetup(f"{self.name}: {quoted(str(path))} is not a valid file name") from None

    def _data(self, text: str) -> dict[str, Any]:
        """Parse a TOML text. Raises BadSetup if it is invalid, or too large or nested too deeply to parse safely."""
        if len(text) > MAX_SIZE:
            raise BadSetup(f"{self.name}: longer than {MAX_SIZE // 1024} KB")
        for number, line in enumerate(text.splitlines(), 1):
            if line.count(".") > MAX_DOTS:
                raise BadSetup(f"{self.name}: line {number}: more than {MAX_DOTS} dots")
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise BadSetup(f"{self.name}: {_toml_problem(error)}") from None
        except ValueError:  # Python converts no more than 4,300 digits
            raise BadSetup(f"{self.name}: it contains a number with thousands of digits") from None
        except RecursionError:
            raise BadSetup(f"{self.name}: nested too deeply") from None

    def _recorded(self, value: Mapping[str, Any]) -> Any:
        """Validate the value in a record, and check that the hash matches the data."""
        if not set(value) <= {"sha256", "data"}:
            raise BadSetup(f"{self.name}: a record must hold sha256 and data, not {', '.join(map(str, value))}")
        if "data" not in value:
            if value != self.default:
                raise BadSetup(f"{self.name}: this is not the built-in document, and its data is missing")
            return self.default
        known = self._parsed(value["data"])
        if value["sha256"] != known.key:
            raise BadSetup(f"{self.name}: the data's hash is {known.key}, not {quoted(value['sha256'])}")
        return self._value(known, value["data"])

    def _value(self, known: _Parsed[D], data: Any) -> dict[str, Any]:
        return self.default if known.key == self._built_in.key else {"sha256": known.key, "data": deepcopy(data)}

    def _parsed(self, data: Any) -> _Parsed[D]:
        """Convert and cache the data of a document. Raises BadSetup."""
        try:
            for path, reason in unfit(data):
                raise self._error(path, reason, data)
            written = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        except RecursionError:
            raise BadSetup(f"{self.name}: nested too deeply") from None
        except ValueError:
            raise BadSetup(f"{self.name}: it contains a number with thousands of digits") from None
        if len(written) > MAX_SIZE:
            raise BadSetup(f"{self.name}: longer than {MAX_SIZE // 1024} KB")
        key = hashlib.sha256(written).hexdigest()
        known = self._cache.get(key)
        if known is None:
            document = self._convert(data)
            known = _Parsed(key, document, tuple(self._codes(document)))
            if len(self._cache) >= CACHE_SIZE:
                self._cache.clear()
            self._cache[key] = known
        return known

    def _convert(self, data: Any) -> D:
        try:
            document = msgspec.convert(data, self.kind)
        except msgspec.ValidationError as error:
            reason, _at, path = str(error).partition(" - at `")
            raise self._error(path.rstrip("`"), reason[:1].lower() + reason[1:], data) from None
        for path, reason in self._objections(document):
            raise self._error(path, reason, data)
        return document

    def _error(self, path: str, reason: str, data: Any) -> BadSetup:
        where, name = path.removeprefix("$").removeprefix("."), _name_on(path, data)
        return BadSetup(": ".join(part for part in (self.name, f"{where} of {quoted(name)}" if name else where, reason) if part))

    def _known(self, value: Mapping[str, Any]) -> _Parsed[D]:
        if value["sha256"] == self._built_in.key:
            return self._built_in
        return self._cache.get(value["sha256"]) or self._parsed(value["data"])

    def data(self, value: Any) -> dict[str, Any]:
        """Return the data of a checked value, which may be changed.

        Examples:
            >>> import meadhall
            >>> components = meadhall.game("dungeon-allies").options[0]
            >>> components.data(components.default)["max_players"]
            5
        """
        return deepcopy(value.get("data", self._built_in_data))

    def of(self, value: Any) -> D:
        """Return the document of a checked value."""
        return self._known(value).document

    def encode(self, value: Any) -> Sequence[int]:
        """Return the integers that the rules receive for a checked value."""
        return self._known(value).codes

    def read(self, text: str) -> Any:
        """Return the file path."""
        return Path(text)

    def shown(self, value: Any) -> str:
        """Return the first digits of the hash, or "built in"."""
        return _("built in") if value == self.default else str(value["sha256"])[:HASH_DIGITS]

    def label(self, value: Any) -> str:
        """Return the same: people tell documents apart by their hash.

        Examples:
            >>> import meadhall
            >>> components = meadhall.game("dungeon-allies").options[0]
            >>> components.label(components.default)
            'built in'
        """
        return self.shown(value)

    def named(self, value: Any) -> str:
        """Return the title and the hash.

        Examples:
            >>> import meadhall
            >>> components = next(option for option in meadhall.game("dungeon-allies").options if option.name == "components")
            >>> components.named(components.default)
            'Components: built in'
        """
        return f"{_(self.title)}: {self.label(value)}"


def _name_on(path: str, data: Any) -> str:
    """Return the name of the innermost entry on a path (``$.monster[3].level``), which people search for.

    It is "" if no entry has one, or if the path leads to the name itself.
    """
    found = ""
    if path.endswith(".name"):
        return found
    for name, index in re.findall(r"\.([^.[]+)|\[(\d+)\]", path):
        try:
            data = data[int(index) if index else name]
        except (KeyError, IndexError, TypeError):  # a part that the document leaves out
            break
        if isinstance(data, Mapping) and isinstance(data.get("name"), str):
            found = data["name"]
    return found


def unfit(data: Any, path: str = "$") -> Iterator[tuple[str, str]]:
    """Yield the parts that JSON can't represent or a terminal can't print: pairs of a path and a reason."""
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
        if not data.isprintable() or any(map(is_unseen, data)):
            yield path, f"{data!r} can't be printed"
    elif data is not None and not isinstance(data, int) and not (isinstance(data, float) and math.isfinite(data)):
        yield path, f"{data} is neither text nor a number"
