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
from base64 import b64decode
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from alembic.util import CommandError
from sqlalchemy import Column, LargeBinary

from meadhall.engine.errors import MeadhallError
from meadhall.engine.language import gettext as _
from meadhall.server.store.private_files import PRIVATE_FILE
from meadhall.server.store.transfer import Batch, Progress, Row, Source, UtcTime, encoded, schema_at

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

T = TypeVar("T")
Decoder = Callable[[Any], Any]

FORMAT: Final = "meadhall-backup/1"

_MAGIC: Final = b"\x28\xb5\x2f\xfd"
"""The first bytes of a zstd frame (RFC 8878, 3.1.1)."""

_LONGEST_LINE: Final = 64 << 20
"""Bytes of a line. The longest is an upload of 4 MB, whose characters may be escaped."""

_BATCH_ROWS: Final = 500
_BATCH_BYTES: Final = 1 << 20


class BadBackup(MeadhallError):
    """A file is not a backup, is damaged or incomplete, or can't be written."""


class _Header(msgspec.Struct):
    format: str
    revision: str
    meadhall: str
    created_at: datetime
    rows: dict[str, int]


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
            except (msgspec.DecodeError, StopIteration):
                raise self._not_a_backup() from None
        if header.format != FORMAT:
            raise BadBackup(
                _("{file} has the format {found}; this Meadhall reads {known}").format(
                    file=path, found=header.format[:40], known=FORMAT
                )
            )
        try:
            schema_at(header.revision)
        except CommandError:
            raise BadBackup(
                _("{file} was written by a newer Meadhall ({version}); update this one").format(
                    file=path, version=header.meadhall[:40]
                )
            ) from None
        self.revision = header.revision
        self.counts = header.rows
        self.created_at = header.created_at

    def check(self, progress: Progress) -> None:
        """Read the whole file. Raises BadBackup if it was changed or is incomplete."""
        for batch in self.batches():
            progress(len(batch.rows))

    def batches(self) -> Iterator[Batch]:
        """Read all rows. Raises BadBackup, at the end at the latest, if the file was changed or is incomplete."""
        counted = dict.fromkeys(self.counts, 0)
        batch, size = Batch("", [], []), 0
        decoders: list[Decoder] = []
        for line in self._checked_lines():
            is_row = line.startswith(b"[")
            if batch.rows and (not is_row or len(batch.rows) == _BATCH_ROWS or size >= _BATCH_BYTES):
                yield batch
                batch, size = replace(batch, rows=[]), 0
            if is_row:
                batch.rows.append(self._row(line, decoders))
                size += len(line)
                counted[batch.table] += 1
            else:
                head = self._decoded(line, _TableLine)
                if head.table not in counted:
                    raise self._damaged()
                batch, decoders = Batch(head.table, head.columns, []), self._decoders(head)
        if counted != self.counts:
            raise self._damaged()
        if batch.rows:
            yield batch

    def _decoders(self, head: _TableLine) -> list[Decoder]:
        """Return what converts each value of a row of this table."""
        try:
            columns = schema_at(self.revision).tables[head.table].columns
            return [_decoder(columns[name]) for name in head.columns]
        except KeyError:
            raise self._damaged() from None

    def _row(self, line: bytes, decoders: list[Decoder]) -> Row:
        try:
            return [decode(value) for decode, value in zip(decoders, self._decoded(line, list), strict=True)]
        except (ValueError, TypeError):
            raise self._damaged() from None

    def _decoded(self, line: bytes, type: type[T]) -> T:
        try:
            return msgspec.json.decode(line, type=type)
        except msgspec.DecodeError:
            raise self._damaged() from None

    def _checked_lines(self) -> Iterator[bytes]:
        """Read the lines between the first and the last. Raises BadBackup if they don't have the digest in the last line."""
        digest = hashlib.sha256()
        lines = self._lines()
        previous = next(lines)
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


def _decoder(column: Column[Any]) -> Decoder:
    """Return what converts a value of the file to one of this column."""
    if isinstance(column.type, LargeBinary):
        convert: Decoder = partial(b64decode, validate=True)
    elif isinstance(column.type, UtcTime):
        convert = datetime.fromisoformat
    else:
        return lambda value: value
    return lambda value: None if value is None else convert(value)
