"""What long measurements keep: a numbered line of JSON for each thing measured, so that they can be made in parts, on any day."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

RESULTS = Path(__file__).parent / "results"


class Torn(Exception):
    """A file whose lines are not numbered 0, 1, 2 …: two runs have written it at once, or files were joined."""


def kept(file: Path) -> list[dict[str, Any]]:
    """What has been measured so far. A last line that was not written to its end, as the machine stopped, is cut off."""
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
    """What is being measured, each line kept as soon as it is there; none more once so many minutes are over."""
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
