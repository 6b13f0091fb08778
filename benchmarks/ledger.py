"""What long measurements keep: a line of JSON for each thing measured, so that they can be made in parts, on any day."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

RESULTS = Path(__file__).parent / "results"


def kept(file: Path) -> list[dict[str, Any]]:
    """What has been measured so far."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []


def keep(file: Path, measured: Iterable[dict[str, Any]], minutes: float) -> Iterator[dict[str, Any]]:
    """What is being measured, each line kept as soon as it is there; none more once so many minutes are over."""
    until = monotonic() + 60 * minutes
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        for line in measured:
            print(json.dumps(line), file=lines, flush=True)
            yield line
            if monotonic() > until:
                return
