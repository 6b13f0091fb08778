"""Balance reports for programs and the workshop: one at a time, each in a separate process with low priority and a time limit.

A guest may have one report in the queue. Reports live in memory: a hall that restarts has forgotten them.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import sys
from asyncio.subprocess import PIPE
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound, TooMany
from meadhall.server.store.models import Guest

log = logging.getLogger(__name__)

COMMAND: Final = (sys.executable, "-m", "meadhall.lab.balance.job")
MAX_WAITING: Final = 8
MAX_KEPT: Final = 32
MAX_BYTES: Final = 16 * 1024 * 1024
"""The longest answer of a report's process."""
MOST_SECONDS: Final = 120.0
"""The longest time limit of a report."""
GRACE: Final = 60.0
"""Seconds beyond the time limit after which the process is killed: rules may have to be compiled first."""

State = Literal["waiting", "running", "done", "failed"]


@dataclass(eq=False)
class BalanceJob:
    """A report that was asked for.

    Attributes:
        id: its id.
        owner: the id of the guest.
        request: the arguments of ``balance``, and the language if the report is a page.
        state: where it stands.
        progress: the part that is done, 0 to 1.
        report: the report as JSON-able data, when it is done.
        page: the report as a page, when it is done.
        error: why it failed.
    """

    id: str
    owner: str = field(repr=False)
    request: dict[str, Any]
    state: State = "waiting"
    progress: float = 0.0
    report: dict[str, Any] | None = None
    page: str = ""
    error: str = ""

    @property
    def is_open(self) -> bool:
        """Whether the report is still to come."""
        return self.state in ("waiting", "running")


class BalanceJobs:
    """The reports of this process."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, BalanceJob] = OrderedDict()
        self._working: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None

    def start(self, guest: Guest, request: dict[str, Any]) -> BalanceJob:
        """Put a report into the queue. Raises TooMany."""
        waiting = [job for job in self._jobs.values() if job.is_open]
        if any(job.owner == guest.id for job in waiting):
            raise TooMany(_("Your last report is still being made. Wait for it, or delete it."))
        if len(waiting) >= MAX_WAITING:
            raise TooMany(_("Other reports are being made. Try again when they are done."))
        while len(self._jobs) >= MAX_KEPT:
            del self._jobs[next(key for key, job in self._jobs.items() if not job.is_open)]
        job = BalanceJob(secrets.token_urlsafe(8), guest.id, request)
        self._jobs[job.id] = job
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work())
        return job

    def find(self, guest: Guest, id: str) -> BalanceJob:
        """Return a guest's report. Raises NotFound, also for the reports of others."""
        job = self._jobs.get(id)
        if job is None or job.owner != guest.id:
            raise NotFound(_("There is no such report."))
        return job

    def delete(self, guest: Guest, id: str) -> None:
        """Delete a guest's report, and stop it if it is being made. Raises NotFound."""
        job = self.find(guest, id)
        del self._jobs[job.id]
        if job.state == "running":
            self._kill()

    async def close(self) -> None:
        """Stop working."""
        if self._working is not None:
            self._working.cancel()
            await asyncio.gather(self._working, return_exceptions=True)

    async def _work(self) -> None:
        while job := next((job for job in self._jobs.values() if job.state == "waiting"), None):
            job.state = "running"
            try:
                async with asyncio.timeout(job.request["seconds"] + GRACE):
                    await self._run(job)
            except TimeoutError:
                job.error = _("The report took too long.")
            except Exception:
                log.exception("a balance report failed")
            job.state = "done" if job.report is not None or job.page else "failed"

    async def _run(self, job: BalanceJob) -> None:
        process = await asyncio.create_subprocess_exec(*COMMAND, stdin=PIPE, stdout=PIPE, limit=MAX_BYTES)
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(job.request).encode())
            process.stdin.close()
            async for line in process.stdout:
                told = json.loads(line)
                job.progress = told.get("progress", job.progress)
                job.report = told.get("report", job.report)
                job.page = told.get("page", job.page)
                job.error = told.get("error", job.error)
        finally:
            self._kill()
            await process.stdout.read()
            await process.wait()

    def _kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()
        self._process = None
