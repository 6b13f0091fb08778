"""Write docs/reference/command-line.md, the reference of the command, from the Typer app; ``make docs`` runs this first."""

from __future__ import annotations

from pathlib import Path

import typer
from typer.cli import get_docs_for_click
from typer.main import get_command

from meadhall.cli.app import build

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "command-line.md"

if __name__ == "__main__":
    command = get_command(build())
    text = get_docs_for_click(obj=command, ctx=typer.Context(command), name="meadhall", title="Command line")
    PAGE.write_text(text, "utf-8")
