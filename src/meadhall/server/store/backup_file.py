"""Backup files: the rows of a hall's database as JSON Lines, compressed with zstd.

The first line is a header: the format, the revision of the schema, the time, and the number of rows of each table. Then come the
tables: a line with its name and columns, and a line for each row. The last line has the SHA-256 of all lines before it.
``zstdcat`` shows a file.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import msgspec
from sqlalchemy import JSON, Boolean, Column, Float, Integer, LargeBinary

from meadhall.engine.errors import MeadhallError
from meadhall.engine.text.language import gettext as _
from meadhall.server.store.migrations import known_revisions
from meadhall.server.store.private_files import PRIVATE_FILE
from meadhall.server.store.transfer import Batch, Progress, Row, Source, UtcTime, encoded, schema_at

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

T = TypeVar("T")
Count = Annotated[int, msgspec.Meta(ge=0)]
AwareTime = Annotated[datetime, msgspec.Meta(tz=True)]

FORMAT: Final = "meadhall-backup/1"

_MAGIC: Final = b"\x28\xb5\x2f\xfd"
"""The first bytes of a zstd frame (RFC 8878, 3.1.1)."""

_LONGEST_LINE: Final = 64 << 20
"""Bytes of a line. The longest is an upload of 4 MB, whose characters may be escaped."""

_BATCH_ROWS: Final = 500
_BATCH_BYTES: Final = 1 << 20

_DEEPEST: Final = 100
"""Levels of lists and objects within each other in a value. No hall stores more than five or so."""


class BadBackup(MeadhallError):
    """A file is not a backup, is damaged or incomplete, or can't be written."""


class _Header(msgspec.Struct):
    format: str
    revision: str
    meadhall: str
    created_at: AwareTime
    rows: dict[str, Count]


class _TableLine(msgspec.Struct, forbid_unknown_fields=True):
    table: str
    columns: list[str]


class _LastLine(msgspec.Struct, forbid_unknown_fields=True):
    sha256: str


def write_backup(path: Path, source: Source, progress: Progress) -> None:
    """Write a backup file that only its owner can read. It appears under its name when it is complete and on the disk.

    An older backup of that name is replaced. Raises BadBackup if another file has this name, or if the file can't be written.
    """
    _check_replaceable(path)
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}.unfinished")
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
        try:
            with os.fdopen(descriptor, "wb") as file:
                with zstd.open(file, "wb", options={zstd.CompressionParameter.checksum_flag: 1}) as compressed:
                    for line in _lines(source, progress):
                        compressed.write(line)
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(path)
        finally:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
        _sync_folder(path.parent)
    except OSError as error:
        raise BadBackup(_("can't write {file}: {reason}").format(file=path, reason=error.strerror)) from None


def _check_replaceable(path: Path) -> None:
    """Refuse to overwrite a file that is not a backup."""
    if path.exists() and not (path.is_file() and (path.stat().st_size == 0 or _is_backup(path))):
        raise BadBackup(_("{file} exists and is not a backup; choose another name").format(file=path))


def _is_backup(path: Path) -> bool:
    try:
        BackupFile(path)
    except BadBackup:
        return False
    return True


def _lines(source: Source, progress: Progress) -> Iterator[bytes]:
    digest = hashlib.sha256()

    def line(content: bytes) -> bytes:
        digest.update(content + b"\n")
        return content + b"\n"

    header = _Header(FORMAT, source.revision, version("meadhall"), datetime.now(UTC), source.counts)
    yield line(msgspec.json.encode(header))
    table = ""
    for batch in source.batches():
        if batch.table != table:
            table = batch.table
            yield line(msgspec.json.encode(_TableLine(table, batch.columns)))
        yield from (line(encoded(row)) for row in batch.rows)
        progress(len(batch.rows))
    yield msgspec.json.encode(_LastLine(digest.hexdigest())) + b"\n"


def _sync_folder(folder: Path) -> None:
    """Make the new name of a file survive a power cut."""
    if sys.platform != "win32":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class BackupFile:
    """A backup file as a source of rows. Call ``check`` before anything is changed.

    Attributes:
        revision: the revision of the schema that the rows have.
        counts: the number of rows of each table.
        created_at: when the backup was made.
    """

    def __init__(self, path: Path) -> None:
        """Read the header. Raises BadBackup."""
        self._path = path
        with closing(self._lines()) as lines:
            try:
                header = msgspec.json.decode(next(lines), type=_Header)
            except (msgspec.DecodeError, RecursionError, StopIteration):
                raise self._not_a_backup() from None
        if header.format != FORMAT:
            raise BadBackup(
                _("{file} has the format {found}; this Meadhall reads {known}").format(
                    file=path, found=_shown(header.format), known=FORMAT
                )
            )
        if header.revision not in known_revisions():
            raise BadBackup(
                _("{file} was written by a newer Meadhall ({version}); update this one").format(
                    file=path, version=_shown(header.meadhall)
                )
            )
        self.revision = header.revision
        self.counts = header.rows
        self.created_at = header.created_at
        self._tables = {f"{table.name}": table for table in schema_at(header.revision).sorted_tables}
        if header.rows.keys() != self._tables.keys():
            raise self._damaged()

    def check(self, progress: Progress) -> None:
        """Read the whole file. Raises BadBackup if it was changed or is incomplete."""
        for batch in self.batches():
            progress(len(batch.rows))

    def batches(self) -> Iterator[Batch]:
        """Read all rows. Raises BadBackup, at the end at the latest, if the file was changed or is incomplete."""
        counted: dict[str, int] = {}
        batch, size = Batch("", [], []), 0
        rows: _Rows | None = None
        for line in self._checked_lines():
            is_row = line.startswith(b"[")
            if batch.rows and (not is_row or len(batch.rows) == _BATCH_ROWS or size >= _BATCH_BYTES):
                yield batch
                batch, size = replace(batch, rows=[]), 0
            if not is_row:
                head = self._decoded(line, _TableLine)
                if head.table in counted or head.table not in self._tables:
                    raise self._damaged()
                columns = self._tables[head.table].columns
                if sorted(head.columns) != sorted(columns.keys()):
                    raise self._damaged()
                batch, rows = Batch(head.table, head.columns, []), _Rows([columns[name] for name in head.columns])
                counted[head.table] = 0
            elif rows is None:
                raise self._damaged()
            else:
                try:
                    batch.rows.append(rows.read(line))
                except (msgspec.DecodeError, RecursionError):
                    raise self._damaged() from None
                size += len(line)
                counted[batch.table] += 1
        if any(counted.get(table, 0) != count for table, count in self.counts.items()):
            raise self._damaged()
        if batch.rows:
            yield batch

    def _decoded(self, line: bytes, type: type[T]) -> T:
        try:
            return msgspec.json.decode(line, type=type)
        except (msgspec.DecodeError, RecursionError):
            raise self._damaged() from None

    def _checked_lines(self) -> Iterator[bytes]:
        """Read the lines between the first and the last. Raises BadBackup if they don't have the digest in the last line."""
        digest = hashlib.sha256()
        lines = self._lines()
        previous = next(lines, b"")
        for number, line in enumerate(lines):
            if number:
                yield previous
            digest.update(previous)
            previous = line
        if self._decoded(previous, _LastLine).sha256 != digest.hexdigest():
            raise self._damaged()

    def _lines(self) -> Generator[bytes, None, None]:
        try:
            with self._path.open("rb") as file:
                if file.read(len(_MAGIC)) != _MAGIC:
                    raise self._not_a_backup()
                file.seek(0)
                with zstd.open(file, "rb") as lines:
                    while line := lines.readline(_LONGEST_LINE):
                        if not line.endswith(b"\n"):
                            raise self._damaged()
                        yield line
        except OSError as error:
            raise BadBackup(_("can't read {file}: {reason}").format(file=self._path, reason=error.strerror)) from None
        except (EOFError, zstd.ZstdError):
            raise self._damaged() from None

    def _not_a_backup(self) -> BadBackup:
        return BadBackup(_("{file} is not a backup of a hall").format(file=self._path))

    def _damaged(self) -> BadBackup:
        return BadBackup(_("{file} is incomplete or was changed; nothing of it is used").format(file=self._path))


class _Rows:
    """Reads the rows of a table as its columns are declared.

    Lengths of texts and sizes of integers are left to the database: SQLite may have stored longer ones.
    """

    def __init__(self, columns: list[Column[Any]]) -> None:
        types = tuple(_type_of(column) for column in columns)
        self._decoder = msgspec.json.Decoder(tuple[types])  # type: ignore[valid-type]
        self._times = [place for place, column in enumerate(columns) if isinstance(column.type, UtcTime)]
        self._nested = [place for place, column in enumerate(columns) if isinstance(column.type, JSON)]

    def read(self, line: bytes) -> Row:
        """Return a row. Raises DecodeError, RecursionError."""
        row: Row = self._decoder.decode(line)
        if any(row[place] is not None and row[place].utcoffset() for place in self._times):
            raise msgspec.ValidationError("a time is not in UTC")
        if any(_is_deeper(row[place], _DEEPEST) for place in self._nested):
            raise msgspec.ValidationError("a value is too deep")
        return row


def _type_of(column: Column[Any]) -> Any:
    """Return the type of a column's values, as msgspec decodes them from a backup."""
    type: Any
    match column.type:
        case LargeBinary():
            type = bytes
        case UtcTime():
            type = AwareTime
        case JSON():
            type = dict[str, Any] | list[Any]
        case Boolean():
            type = bool
        case Integer():
            type = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]
        case Float():
            type = float
        case _:
            type = str
    return type | None if column.nullable else type


def _is_deeper(value: Any, levels: int) -> bool:
    """Return whether lists and objects lie within each other in more levels than these."""
    if not isinstance(value, dict | list):
        return False
    return levels == 0 or any(_is_deeper(each, levels - 1) for each in (value.values() if isinstance(value, dict) else value))


def _shown(text: str) -> str:
    """Return a text of the file as a message may show it."""
    return "".join(each if each.isprintable() else "?" for each in text[:40])
