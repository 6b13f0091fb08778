"""Write docs/reference/command-line.md, the reference of the command, from the Typer app; ``make docs`` runs this first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from typer.cli import get_docs_for_click
from typer.main import get_command

from meadhall.cli.app import Later, build

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "command-line.md"


def whole(command: Any) -> Any:
    """Return a command with the commands below it, all of them built."""
    if isinstance(command, Later):
        command = command.built()
    for name, below in getattr(command, "commands", {}).items():
        command.commands[name] = whole(below)
    return command


if __name__ == "__main__":
    command = whole(get_command(build()))
    text = get_docs_for_click(obj=command, ctx=typer.Context(command), name="meadhall", title="Command line")
    PAGE.write_text(text, "utf-8")
