"""Files of results and of records. The ending of a file's name gives its form.

A result is written as JSON, or its table as CSV or Parquet. Every other file gets match records, one per line of JSON, as the run
plays them. A file appears under its name when the run ends. Until then it is a hidden ``.NAME.PID.part`` beside it.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from meadhall.engine.checks import check_text, quoted
from meadhall.engine.errors import BadSetup, MeadhallError, how_to_install
from meadhall.engine.match.record import opened_records, replaced
from meadhall.engine.text.display import Displayed

if TYPE_CHECKING:
    import polars as pl

Files: TypeAlias = Path | str | Sequence[Path | str] | None
"""A file, several, or none."""

Row: TypeAlias = dict[str, Any]

JSON, CSV, PARQUET = ".json", ".csv", ".parquet"


class NoPolars(MeadhallError):
    """Polars is not installed."""


class RunResult(Displayed):
    """What a run has found: it prints readably, and is written as JSON or as a table.

    Examples:
        >>> import meadhall
        >>> report = meadhall.simulate("axes-and-allies", bots=["karl", "thrall"], games=200, seed="mead")
        >>> report.to_polars().columns
        ['figure', 'bot', 'seat', 'place', 'value', 'low', 'high', 'games']
        >>> sum(1 for row in report.rows()), report.to_dict()["games"], len(report.to_json()) > 1000
        (10, 200, True)
        >>> report.write("report.json")
    """

    forms: ClassVar[tuple[str, ...]] = (JSON, CSV, PARQUET)
    """The endings of the files that it can be written to."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-able data."""

    @abstractmethod
    def rows(self) -> Iterable[Row]:
        """Yield the rows of the table, one for each figure. All have the same columns; a value that a row lacks is None."""

    def to_polars(self) -> pl.DataFrame:
        """Return the table as a Polars frame. Raises NoPolars."""
        check_polars()
        import polars as pl  # noqa: PLC0415 - an optional dependency

        return pl.DataFrame(list(self.rows()), infer_schema_length=None)

    def write(self, file: Path | str) -> None:
        """Write the result in the form that the ending of the name asks for. Raises BadSetup, NoPolars or OSError."""
        path = check_form(file, self.forms)
        with replaced(path) as stream:
            stream.write(self._contents(path.suffix))

    def _contents(self, form: str) -> bytes:
        """Return what a file with this ending contains. Raises NoPolars."""
        if form == JSON:
            return (self.to_json() + "\n").encode()
        table, file = self.to_polars(), BytesIO()
        if form == CSV:
            table.write_csv(file)
        else:
            table.write_parquet(file)
        return file.getvalue()

    def to_json(self) -> str:
        """Return the result as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)


def check_polars() -> None:
    """Check that tables can be made, before a run that may take hours. Raises NoPolars."""
    if find_spec("polars") is None:
        raise NoPolars(f"a table needs polars, which is not installed: {how_to_install('frames')}")


def check_form(file: Any, forms: Sequence[str]) -> Path:
    """Return the path of a file for a result. Raises BadSetup, NoPolars."""
    path = _check_path(file)
    if path.suffix not in forms:
        raise BadSetup(f"a report is written to {', '.join(forms[:-1])} or {forms[-1]}, not to {quoted(path.name)}")
    if path.suffix in (CSV, PARQUET):
        check_polars()
    return path


def _check_path(file: Any) -> Path:
    if not isinstance(file, str | Path):
        raise BadSetup(f"an output must be the name of a file, not {quoted(file)}")
    if "\0" in check_text(str(file), "the name of a file"):
        raise BadSetup(f"{quoted(file)} is not a valid file name")
    return Path(file)


# --------------------------------------------------------------------------------------------------------------- files of a run


@dataclass(frozen=True)
class Outputs:
    """The files that a run writes: its records while it plays, its result at the end."""

    records: tuple[Path, ...]
    results: tuple[Path, ...]

    @contextmanager
    def written(self) -> Iterator[Callable[[Iterable[str]], None]]:
        """Yield what writes the next records. The files are finished at the end or after Ctrl-C. Raises OSError."""
        with ExitStack() as stack:
            streams = [stack.enter_context(opened_records(path)) for path in self.records]

            def write(records: Iterable[str]) -> None:
                lines = "".join(f"{record}\n" for record in records).encode()
                for stream in streams:
                    stream.write(lines)

            yield write

    def finish(self, result: RunResult) -> None:
        """Write the result. Raises OSError."""
        for path in self.results:
            result.write(path)


def check_outputs(given: Files) -> Outputs:
    """Return the files to write. Raises BadSetup for an invalid name, and NoPolars."""
    several = [] if given is None else [given] if isinstance(given, str) or not isinstance(given, Sequence) else given
    paths = [_check_path(file) for file in several]
    results = [check_form(path, RunResult.forms) for path in paths if path.suffix in RunResult.forms]
    return Outputs(tuple(path for path in paths if path not in results), tuple(results))
