"""Match records, ``meadhall-match/1``: their format as structs, their JSON text, files and times, and how the parts of a match
are written.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, BinaryIO, cast

import msgspec
from msgspec import UNSET, Meta, UnsetType

from meadhall.engine.checks import MAX_NAME, MAX_REASON, quoted
from meadhall.engine.errors import RecordError
from meadhall.engine.match.deciders import SEALED
from meadhall.engine.match.step import Step
from meadhall.engine.match.view import EVERYTHING, Seat, visible
from meadhall.engine.state.events import Event
from meadhall.engine.text.language import gettext as _

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FORMAT = "meadhall-match/1"
SUFFIX = ".match.json"

MAX_TEXT = 500
"""The number of characters of an action's text."""

Name = Annotated[str, Meta(max_length=MAX_NAME)]

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
"""The first bytes of compressed files (RFC 1952, RFC 8878)."""

MatchRecord = dict[str, Any]
"""A match record as JSON-able data."""


class _Strict(msgspec.Struct, forbid_unknown_fields=True):
    """Base of the structs of a record. Unknown fields are errors, and optional fields are absent, never null."""


class RecordedSeat(_Strict):
    """The player on a seat: ``kind`` is ``human``, or ``bot`` with the name of the ``bot``."""

    name: Name
    kind: Name
    bot: Name | UnsetType = UNSET


class RecordedAction(_Strict):
    """Action number ``n`` and its ``events``, each a name followed by its arguments.

    ``seconds``: how long the player has thought, if the match had a clock. ``bot``: the level of the bot that played it for the
    owner of the seat. ``legal``: the number of legal actions. ``sealed``: the record hides the action, and ``action`` is -1.
    """

    n: int
    seat: int
    action: int
    events: list[list[Any]]
    text: Annotated[str, Meta(max_length=MAX_TEXT)] = ""
    hinted: bool = False
    seconds: Annotated[float, Meta(ge=0, le=1e9)] | UnsetType = UNSET
    bot: Annotated[str, Meta(min_length=1, max_length=MAX_NAME)] | UnsetType = UNSET
    legal: int | UnsetType = UNSET
    sealed: bool = False


class RecordedUndo(_Strict):
    """Actions that were undone, oldest first, back to the state after action ``after`` (0: the setup)."""

    after: int
    actions: list[RecordedAction]


class RecordedResult(_Strict):
    """The winners, each seat's payoff, the id of the rule that ended the match, and points if the game counts them."""

    winners: list[int]
    scores: list[float]
    reason: Name
    points: list[int] | UnsetType = UNSET


class RecordedAward(_Strict):
    """A win that the rules don't give: the winners, each seat's payoff, and why: resignation, time or agreement."""

    winners: list[int]
    scores: list[float]
    why: Name


class RecordedMatch(_Strict):
    """A match record. It is ``complete`` and has the ``seed`` once the match is over and no other match still uses the seed.

    ``clock`` has the ``kind`` of the match's clock, and its times in seconds. It is absent without a clock.
    """

    format: str
    game: str
    rules: int
    options: dict[str, Any]
    seats: list[RecordedSeat]
    started: str
    commitment: str
    complete: bool
    setup: list[list[Any]]
    actions: list[RecordedAction]
    undone: list[RecordedUndo]
    result: RecordedResult | None
    seed: str | UnsetType = UNSET
    abandoned: Annotated[str, Meta(max_length=MAX_REASON)] | UnsetType = UNSET
    awarded: RecordedAward | UnsetType = UNSET
    clock: dict[str, str | float] | UnsetType = UNSET


def dumps(record: MatchRecord) -> str:
    """Return the record as one line of JSON."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def read_records(path: Path) -> Iterator[MatchRecord]:
    """Yield the records of a file: one JSON object, or JSON Lines; also compressed with gzip or zstd. Raises RecordError.

    If the file is not one JSON value, it is JSON Lines if its first or its last line is one. Else it is one record with a fault.
    """
    try:
        text = _decompressed(path.read_bytes()).decode()
    except (zlib.error, zstd.ZstdError, EOFError, gzip.BadGzipFile):
        raise RecordError(str(path), "can't be decompressed: the file is damaged or ends too early") from None
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(str(path), f"can't be read: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None
    try:
        found = _data(text)
    except _Repeated as error:
        raise RecordError(str(path), str(error)) from None
    except (ValueError, RecursionError) as error:
        fault = error
    else:
        yield _object(found, str(path))
        return
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise RecordError(str(path), "empty: it contains no record")
    if not any(_is_json(line) for _, line in (lines[0], lines[-1])):
        raise RecordError(str(path), _json_problem(fault))
    for number, line in lines:
        yield loads(line, f"{path}, line {number}", number)


def _decompressed(data: bytes) -> bytes:
    if data.startswith(_GZIP):
        return gzip.decompress(data)
    return zstd.decompress(data) if data.startswith(_ZSTD) else data


@contextmanager
def opened_records(path: Path) -> Iterator[BinaryIO]:
    """Open a new file for records: as gzip for ``NAME.gz``, as zstd for ``NAME.zst``, else as plain text in UTF-8."""
    with replaced(path) as file:
        if path.suffix == ".gz":  # without name and time, so that the same records give the same bytes
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as stream:
                yield cast("BinaryIO", stream)
        elif path.suffix == ".zst":
            with zstd.ZstdFile(file, "wb") as stream:
                yield cast("BinaryIO", stream)
        else:
            yield file


@contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """Yield a file that takes the place of ``path`` at the end or after Ctrl-C. After another error nothing has changed.

    A pipe or a device is written to directly.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    target = path.resolve()  # keep a symbolic link
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as file:
            try:
                yield file
            finally:
                file.flush()
                os.fsync(file.fileno())
    except KeyboardInterrupt:
        part.replace(target)
        raise
    except BaseException as error:
        with suppress(FileNotFoundError):
            part.unlink()
        if isinstance(error, OSError) and error.strerror and error.filename in (None, str(part)):
            error.filename = str(path)  # the name that the user knows
        raise
    part.replace(target)


def loads(text: str | bytes, place: str = "record", first: int = 1) -> MatchRecord:
    """Parse a record from JSON text, or from bytes in UTF-8, which begins in line ``first`` of a file. Raises RecordError."""
    try:
        return _object(_data(text if isinstance(text, str) else text.decode()), place)
    except _Repeated as error:
        raise RecordError(place, str(error)) from None
    except (ValueError, RecursionError) as error:
        raise RecordError(place, _json_problem(error, first)) from None


def _is_json(line: str) -> bool:
    try:
        _data(line)
    except _Repeated:
        return True
    except (ValueError, RecursionError):
        return False
    return True


def _json_problem(error: Exception, first: int = 1) -> str:
    """Say in words why a text is not JSON; the parser's own messages are for programmers."""
    if isinstance(error, json.JSONDecodeError):
        line = first + error.lineno - 1
        if error.msg == "Extra data":
            return _("line {line}, column {column}: text follows the record").format(line=line, column=error.colno)
        if not error.doc.strip():
            return _("not JSON: the file is empty")
        if error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated"):
            return _("not JSON: the file ends too early")
        return _("not JSON: line {line}, column {column} can't be read").format(line=line, column=error.colno)
    if isinstance(error, UnicodeDecodeError):
        return _("not JSON: the file is not text in UTF-8")
    return _("not JSON: it is nested too deeply, or a number is too long")


class _Repeated(ValueError):
    """An object repeats a key, so its meaning is ambiguous."""


def _data(text: str) -> Any:
    text = text.removeprefix("\ufeff")  # a byte order mark, which some editors write
    return json.loads(text, object_pairs_hook=_named_once)


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _Repeated(f"{quoted(name)} occurs twice in one object")
        found[name] = value
    return found


def _object(found: Any, place: str) -> MatchRecord:
    if not isinstance(found, dict):
        raise RecordError(place, "not a match record: a JSON object was expected")
    return found


def read_record(record: MatchRecord) -> RecordedMatch:
    """Convert a record to structs without verifying its events. Raises RecordError with the place of the first fault."""
    if not isinstance(record, dict):
        raise RecordError("record", "not a match record: an object was expected")
    if record.get("format") != FORMAT:
        raise RecordError("format", f"{quoted(record.get('format'))} is unknown; this program reads {FORMAT}")
    _check_data(record)
    try:
        return msgspec.convert(record, RecordedMatch)
    except msgspec.ValidationError as error:
        reason, _, path = str(error).partition(" - at `$")
        raise RecordError(path.rstrip("`").lstrip(".") or "record", reason[:1].lower() + reason[1:]) from None


def _check_data(record: MatchRecord) -> None:
    """Raise RecordError unless the record can be written as JSON in UTF-8: no lone surrogates, no values without a JSON form."""
    try:
        dumps(record).encode()
    except UnicodeEncodeError:
        raise RecordError("record", "it contains text that is not valid Unicode") from None
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordError("record", f"it contains a value that JSON can't represent: {error}") from None


def read_time(text: str) -> datetime:
    """Return the time of a record, in UTC. Raises RecordError unless it is written like ``written_time`` writes it."""
    try:
        time = datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
        if written_time(time) == text:
            return time
    except ValueError:
        pass
    raise RecordError("started", f"{quoted(text)} is not a time like 2026-11-21T20:00:00Z")


def written_time(time: datetime) -> str:
    """Return a time in UTC as records hold it: ``2026-11-21T20:00:00Z``."""
    return f"{time.year:04}" + time.strftime("-%m-%dT%H:%M:%SZ")


def written_action(step: Step, viewer: int, text: str | None, legal: bool) -> dict[str, Any]:
    """Write an action. ``text``: its words; None if ``viewer`` may know only its events."""
    optional = {
        "sealed": True if text is None else None,
        "hinted": step.hinted or None,
        "seconds": step.seconds,
        "bot": step.bot,
        "legal": step.legal if legal and viewer in (EVERYTHING, step.seat) else None,
    }
    return {
        "n": step.n,
        "seat": step.seat,
        "action": SEALED if text is None else step.action,
        "text": text or "",
        "events": written_events(step.events, viewer),
        **{name: value for name, value in optional.items() if value is not None},
    }


def written_events(events: tuple[Event, ...], viewer: int) -> list[list[Any]]:
    """Write the events that ``viewer`` may know."""
    return [event.to_list() for event in visible(events, viewer)]


def written_seat(seat: Seat) -> dict[str, str]:
    """Write the player on a seat."""
    written = {"name": seat.name, "kind": seat.kind}
    if seat.bot is not None:
        written["bot"] = seat.bot
    return written


def plain_number(payoff: float) -> float | int:
    """Return a payoff as an integer if it is one."""
    return int(payoff) if payoff == int(payoff) else payoff
