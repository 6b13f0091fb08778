"""The command's output: the console, errors of one line on stderr, exit statuses, the language; and what options share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any
from unicodedata import category

import typer
from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as RichTable

from meadhall.engine.text.display import Fitting, Table
from meadhall.engine.text.language import LANGUAGES, add_catalogues, gettext as _, marked

if TYPE_CHECKING:
    from meadhall.lab.output import RunResult

WRONG = 1
"""Exit status when a verification failed."""
USAGE = 2
"""Exit status for invalid arguments or a request that can't be carried out."""
INTERRUPTED = 130
"""Exit status after Ctrl-C: 128 + SIGINT, as in shells."""

add_catalogues(Path(__file__).parent / "locale")


_UNLIMITED = 10_000
_LEAST_PROSE = 24


def console() -> Console:
    """Return a console on standard output that prints each line whole, because people copy paths, addresses, commands and seeds.

    Only a terminal wraps lines, at its edge, so that what is copied there has no line break. Tables get the width that they need:
    none cuts a value. Use ``print_prose`` for sentences. There is no markup, because a player may be called [bold].
    """
    return Console(width=_UNLIMITED, soft_wrap=True, markup=False, highlight=False, emoji=False)


def page_width() -> int:
    """Return the number of columns of the terminal, 80 without one."""
    return get_terminal_size().columns


def print_prose(out: Console, prose: RenderableType) -> None:
    """Print text that people read and don't copy, with line breaks between words."""
    out.print(prose, width=page_width(), soft_wrap=False)


def print_result(result: RunResult, *, as_json: bool) -> None:
    """Print a result as JSON; or its texts in whole lines, and each table as it fits into the terminal."""
    if as_json:
        print(result.to_json())
        return
    out = console()
    for part in result.displayed():
        if isinstance(part, Table):
            out.print(Fitting(part), width=page_width(), soft_wrap=False)
        else:
            out.print(part)


def print_table(out: Console, table: RichTable, prose: int) -> None:
    """Print a table. If the terminal is too narrow, the column ``prose`` has line breaks between words; the others are whole."""
    column = table.columns[prose]
    others = out.measure(table).maximum - max((out.measure(cell).maximum for cell in column.cells), default=0)
    column.max_width = max(_LEAST_PROSE, page_width() - others)
    out.print(table)


def typed_line(console: Console, prompt: str, at_end: str) -> str:
    """Return the next line that a person types, or ``at_end`` at the end of the input."""
    try:
        return console.input(prompt).strip()
    except EOFError:
        console.print()
        return at_end


def complain(message: object) -> None:
    """Print an error in one line on standard error."""
    if line := " ".join(without_control_characters(str(message)).split()):
        print(f"meadhall: {line}", file=sys.stderr)


def without_control_characters(text: str) -> str:
    """Replace the control characters of a text, which a terminal would interpret."""
    return "".join("\N{REPLACEMENT CHARACTER}" if category(c) == "Cc" and not c.isspace() else c for c in text)


@contextmanager
def progress_bar(title: str, total: int | None) -> Iterator[Callable[..., None]]:
    """Show a progress bar on standard error meanwhile, if that is a terminal. Yield what updates it.

    The update takes how much is ``completed``, by how much that ``advance``s, or the ``total``, as in Rich.
    """
    err = Console(stderr=True, markup=False, highlight=False, emoji=False)
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    ) as progress:
        yield partial(progress.update, progress.add_task(title, total=total))


@contextmanager
def quiet_stdout() -> Iterator[None]:
    """Discard what is printed to stdout meanwhile: when a node dies, Ray prints its log there, in the middle of the report."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        yield


def chosen_language() -> str:
    """Return the language of ``MEADHALL_LANG``, or of the system; English if it is not supported."""
    for variable in ("MEADHALL_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(variable):
            language = value.replace("-", "_").partition("_")[0].partition(".")[0].lower()
            return language if language in LANGUAGES else "en"
    return "en"


OUT = marked(
    "Write a file: FILE.jsonl, .jsonl.gz or .jsonl.zst gets the match records, FILE.json the report, FILE.csv or .parquet its "
    "table; can be repeated."
)
CLUSTER = marked("Play on a Ray cluster: start one here (local), use the one of this machine (auto), or connect to one.")
STOP_AFTER = marked("Stop a match after this number of decisions; by default 5000. The report says how many were stopped.")
CLUSTERS = "local|auto|ray://HOST:PORT"

EXISTING_FILE: dict[str, Any] = {"exists": True, "dir_okay": False, "readable": True}

DATA = marked("Folder for the database file (MEADHALL_DATA).")


def split_names(names: str) -> list[str]:
    """Split ``"a,b"`` into a list."""
    return [name.strip() for name in names.split(",") if name.strip()]


def name_and_value(options: list[str] | None) -> dict[str, str]:
    """Convert ``["name=value"]`` to a dictionary for ``Game.read_options``."""
    pairs = [option.partition("=") for option in options or []]
    for name, equals, _value in pairs:
        if not name or not equals:
            raise typer.BadParameter(_("an option must be given as name=value, not {given}").format(given=name or "="))
    return {name: value for name, _equals, value in pairs}
