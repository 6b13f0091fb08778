"""Match records as JSON Lines, compressed if the file's name says so."""

from __future__ import annotations

import gzip
import sys
from typing import TYPE_CHECKING, BinaryIO, cast

if TYPE_CHECKING:
    from meadhall.lab.output import Rows

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

GZIP, ZSTD = ".gz", ".zst"


class JsonLines:
    """Writes records, one per line: as gzip for ``NAME.gz``, as zstd for ``NAME.zst``, else as plain text in UTF-8."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._stream: BinaryIO | None = None
        if name.endswith(GZIP):  # without name and time, so that the same records give the same bytes
            self._stream = cast("BinaryIO", gzip.GzipFile("", "wb", fileobj=file, mtime=0))
        elif name.endswith(ZSTD):
            self._stream = cast("BinaryIO", zstd.ZstdFile(file, "wb"))
        self._file = self._stream or file

    def add(self, rows: Rows) -> None:
        """Write the records of the next matches."""
        self._file.write("".join(f"{record}\n" for record in rows.records).encode())

    def close(self) -> None:
        """Write the end of the compressed stream."""
        if self._stream is not None:
            self._stream.close()
