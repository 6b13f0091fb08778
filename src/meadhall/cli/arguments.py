"""What the options of several commands share: texts, and how their values are read."""

from __future__ import annotations

from typing import Any

import typer

from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import marked

OUT = marked(
    "Write the matches to this file: FILE.parquet gets a row for each match, FILE.jsonl, .jsonl.gz or .jsonl.zst their records; "
    "can be repeated."
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
