"""Start a PostgreSQL and a hall, and let faults happen."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from chaos.faults import Chaos, Report
from chaos.link import Link
from chaos.processes import HallProcesses
from server.postgres import start_postgresql


async def run(faults: Sequence[str], pause: float, cut_seconds: float, folder: Path | None = None) -> Report:
    """Return the report of a run with these faults, ``pause`` seconds apart on average."""
    with tempfile.TemporaryDirectory(prefix="meadhall-chaos-") as temporary, start_postgresql() as postgresql:
        url = postgresql.new_database()
        async with Link(postgresql.port).open() as link:
            hall = HallProcesses(folder or Path(temporary), re.sub(r":\d+/", f":{link.port}/", url))
            try:
                await hall.start()
                report = await Chaos(hall, postgresql, link, url, cut_seconds).run(faults, pause)
                status = await hall.stop()
            except BaseException:
                await hall.kill()
                raise
            if status:
                report.found.append(f"the hall ended with status {status}")
            return report
