"""Start a hall and let faults happen."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from chaos.faults import Chaos, Report
from chaos.processes import HallProcesses


async def run(faults: Sequence[str], pause: float, hold: float, folder: Path | None = None) -> Report:
    """Return the report of a run with these faults, ``pause`` seconds apart on average."""
    with tempfile.TemporaryDirectory(prefix="meadhall-chaos-") as temporary:
        hall = HallProcesses(folder or Path(temporary))
        try:
            await hall.start()
            report = await Chaos(hall, hold).run(faults, pause)
            status = await hall.stop()
        except BaseException:
            await hall.kill()
            raise
        if status:
            report.found.append(f"the hall ended with status {status}")
        return report
