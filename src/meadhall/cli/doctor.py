"""``meadhall doctor``: check a hall and what it needs."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.text import Text

from meadhall.cli.console import WRONG, console, without_control_characters
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import marked, ngettext
from meadhall.server.doctor import Finding, examine

_STATUS: Final = {"ok": marked("ok"), "warning": marked("warning"), "wrong": marked("wrong")}
_STYLE: Final = {"ok": "green", "warning": "yellow", "wrong": "bold red"}
_CHECKS: Final = {
    "settings": marked("settings"),
    "folder": marked("folder"),
    "cache": marked("compiled rules"),
    "port": marked("port"),
    "proxy": marked("proxy"),
}


def check_hall(
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
    url: Annotated[
        str | None, typer.Option(help=_("Public address of the hall, to ask it through its proxy (MEADHALL_URL)."))
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print the findings as JSON."))] = False,
) -> int:
    """Print what every check found, and what to do. Returns the exit status: 1 if something is wrong."""
    given = {"MEADHALL_DATA": data, "MEADHALL_URL": url}
    found = []
    for finding in examine(os.environ | {name: str(value) for name, value in given.items() if value is not None}):
        found.append(finding)
        if not as_json:
            _show(finding)
    wrong = sum(finding.status == "wrong" for finding in found)
    if as_json:
        print(json.dumps([asdict(finding) for finding in found], ensure_ascii=False, indent=2))
    elif wrong:
        print(ngettext("{count} thing is wrong.", "{count} things are wrong.", wrong).format(count=wrong))
    else:
        print(_("The hall can be opened."))
    return WRONG if wrong else 0


def _show(finding: Finding) -> None:
    out, width = console(), max(len(_(status)) for status in _STATUS.values())
    status = Text(_(_STATUS[finding.status]).ljust(width), style=_STYLE[finding.status])
    text = without_control_characters(f"{_(_CHECKS[finding.check])}: {finding.text}")
    out.print(Text.assemble(status, "  ", text))
    if finding.advice:
        out.print(Text(" " * (width + 4) + without_control_characters(finding.advice)))
