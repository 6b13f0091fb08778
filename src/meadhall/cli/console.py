"""Where the command writes, and how it says that something went wrong: one line on stderr."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from unicodedata import category

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from meadhall.engine.language import LANGUAGES, add_catalogues

WRONG = 1
"""Exit status when something that was examined turned out to be wrong."""
USAGE = 2
"""Exit status when what was asked for can't be done."""
INTERRUPTED = 130
"""Exit status after Ctrl-C: 128 + SIGINT, as shells have it."""

add_catalogues(Path(__file__).parent / "locale")


def console() -> Console:
    """Standard output. Nothing in a text is taken for markup: a player may be called [bold]."""
    return Console(markup=False, highlight=False, emoji=False)


def complaints() -> Console:
    """Standard error."""
    return Console(stderr=True, markup=False, highlight=False, emoji=False)


def complain(message: object) -> None:
    """Say what went wrong, in one line."""
    if line := " ".join(harmless(str(message)).split()):
        print(f"meadhall: {line}", file=sys.stderr)


def harmless(text: str) -> str:
    """``text`` without what a terminal would obey instead of showing it."""
    return "".join("\N{REPLACEMENT CHARACTER}" if category(c) == "Cc" and not c.isspace() else c for c in text)


def progress_bar() -> Progress:
    """A bar on stderr, gone when it is done; nothing at all where stderr is no terminal."""
    err = complaints()
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )


def chosen_language() -> str:
    """The language asked for by ``MEADHALL_LANG``, or by the system; English where it is none of ours."""
    for variable in ("MEADHALL_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(variable):
            language = value.replace("-", "_").partition("_")[0].partition(".")[0].lower()
            return language if language in LANGUAGES else "en"
    return "en"
