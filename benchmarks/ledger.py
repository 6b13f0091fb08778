"""Ledgers of long measurements: a numbered line of JSON for each observation, so that a measurement can span many runs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

RESULTS = Path(__file__).parent / "results"


class Torn(Exception):
    """The lines of a file are not numbered 0, 1, 2 …: two runs wrote to it at the same time, or files were joined."""


def kept(file: Path) -> list[dict[str, Any]]:
    """Return the observations so far. A last line that is incomplete, because the machine stopped, is cut off."""
    if not file.exists():
        return []
    text = file.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    if whole != text:
        file.write_bytes(whole)
    lines = [json.loads(line) for line in whole.decode().splitlines()]
    if [line["number"] for line in lines] != list(range(len(lines))):
        raise Torn(f"{file}: its lines are not numbered one after the other")
    return lines


def keep(file: Path, measured: Iterable[dict[str, Any]], minutes: float) -> Iterator[dict[str, Any]]:
    """Yield observations and append each to the ledger at once. Stop after ``minutes``."""
    until = monotonic() + 60 * minutes
    number = len(kept(file))
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        for each in measured:
            line = {"number": number, **each}
            print(json.dumps(line), file=lines, flush=True)
            yield line
            number += 1
            if monotonic() > until:
                return
