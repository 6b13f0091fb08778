"""Files that a run streams its matches into: Parquet for tables, JSON Lines for records.

A file appears under its name when the run ends. Until then it is a hidden ``.NAME.PID.part`` beside it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from meadhall.engine.checks import check_text, quoted
from meadhall.engine.compute.bulk import Floats
from meadhall.engine.errors import BadSetup
from meadhall.lab.json_lines import JsonLines
from meadhall.lab.matches import Plan
from meadhall.lab.parquet import PARQUET, ParquetTable, check_parquet

Files = Path | str | Sequence[Path | str] | None
"""A file, several, or none."""


class Rows(NamedTuple):
    """Consecutive matches, for files.

    Attributes:
        first: the number of the first match.
        payoffs: float64 (matches, players): the payoffs by seat.
        lengths: int64 (matches,): the number of decisions.
        luck: float64 (matches, players): the luck of each seat; None if it was not measured.
        records: a record in JSON for each match; empty unless the plan asks for records.
    """

    first: int
    payoffs: Floats
    lengths: npt.NDArray[np.int64]
    luck: Floats | None = None
    records: tuple[str, ...] = ()


class Writer(Protocol):
    """Writes matches into an open file."""

    def add(self, rows: Rows) -> None:
        """Write the next matches."""

    def close(self) -> None:
        """Make the file complete, without closing the file it was given."""


@dataclass(frozen=True)
class Writers:
    """The open files of a run."""

    all: tuple[Writer, ...]

    def add(self, rows: Rows) -> None:
        """Write the next matches into every file."""
        for writer in self.all:
            writer.add(rows)


@dataclass(frozen=True)
class Outputs:
    """The files that a run writes."""

    paths: tuple[Path, ...]

    def __bool__(self) -> bool:
        return bool(self.paths)

    @property
    def records(self) -> bool:
        """Return whether a file gets match records, so that whole matches are played."""
        return not all(path.name.endswith(PARQUET) for path in self.paths)

    @contextmanager
    def written(self, plan: Plan, games: int) -> Iterator[Writers]:
        """Open all files for a plan of ``games`` matches, and finish them at the end or after Ctrl-C. Raises OSError."""
        with ExitStack() as stack:
            yield Writers(tuple(stack.enter_context(_written(path, plan, games)) for path in self.paths))


def check_outputs(*given: Files) -> Outputs:
    """Return the files to write. Raises BadSetup for an invalid name, and NoParquet."""
    several = (
        [files] if isinstance(files, str) or not isinstance(files, Sequence) else files for files in given if files is not None
    )
    return Outputs(tuple(_check_path(file) for files in several for file in files))


def _check_path(file: Any) -> Path:
    if not isinstance(file, str | Path):
        raise BadSetup(f"an output must be the name of a file, not {quoted(file)}")
    if "\0" in check_text(str(file), "the name of a file"):
        raise BadSetup(f"{quoted(file)} is not a valid file name")
    path = Path(file)
    if path.name.endswith(PARQUET):
        check_parquet()
    return path


@contextmanager
def _written(path: Path, plan: Plan, games: int) -> Iterator[Writer]:
    with _replaced(path) as file:
        writer: Writer = ParquetTable(file, plan, games) if path.name.endswith(PARQUET) else JsonLines(file, path.name)
        try:
            yield writer
        finally:
            writer.close()


@contextmanager
def _replaced(path: Path) -> Iterator[BinaryIO]:
    """Yield a file that takes the place of ``path`` at the end or after Ctrl-C. After another error nothing has changed.

    A pipe or a device is written to directly.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    path = path.resolve()  # keep a symbolic link
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as file:
            try:
                yield file
            finally:
                file.flush()
                os.fsync(file.fileno())
    except KeyboardInterrupt:
        part.replace(path)
        raise
    except BaseException as error:
        with suppress(FileNotFoundError):
            part.unlink()
        if isinstance(error, OSError) and error.filename == str(part):
            error.filename = str(path)  # the name that the user knows
        raise
    part.replace(path)
