"""Reports and prints that guests order. A process with low priority and a time limit makes each of them, and ends.

The queue is fair: a guest without an account costs nothing, so turns go by the address. Of the addresses whose orders wait, the
one that was served longest ago is next. Orders live in memory: a hall that restarts has forgotten them.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import sys
from asyncio.subprocess import PIPE
from base64 import b64decode
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, Literal

from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound, TooMany
from meadhall.server.store.models import Guest

log = logging.getLogger(__name__)

COMMAND: Final = (sys.executable, "-m", "meadhall.server.worker.order")
MAX_BYTES: Final = 16 * 1024 * 1024
"""The longest answer of a process."""
MOST_SECONDS: Final = 120.0
"""The longest time limit of a report."""
PRINT_SECONDS: Final = 30.0
"""The time limit of a print."""
GRACE: Final = 60.0
"""Seconds beyond the time limit after which the process is killed: rules may have to be compiled first."""

_AT_ONCE: Final = {"report": 1, "print": 2}
"""Orders of each kind that are made at the same time."""
_RUNNING_OF_GUEST: Final = 1
_RUNNING_OF_ADDRESS: Final = 2
_OPEN_OF_GUEST: Final = {"report": 1, "print": 3}
_OPEN_OF_ADDRESS: Final = 12
_MAX_OPEN: Final = 256
"""Orders of a kind that wait or are made: of a guest, of an address, and of all."""
_KEPT_OF_GUEST: Final = 4
_MAX_KEPT: Final = 64
"""Reports that are kept when they are done: of a guest, and of all. Beyond it, the address with the most loses its oldest."""

Kind = Literal["report", "print"]
State = Literal["waiting", "running", "done", "failed"]


@dataclass(eq=False)
class Order:
    """A report or a print that was ordered.

    Attributes:
        id: its id.
        owner: the id of the guest.
        address: the address that ordered it.
        kind: ``report`` or ``print``.
        request: what its process gets, see ``worker/order.py``.
        state: where it stands.
        progress: the part that is done, 0 to 1.
        report: the report as JSON-able data, when it is done.
        page: the report as a page, when it is done.
        pdf: the print, when it is done.
        error: why it failed.
        ended: set when it is done or failed.
    """

    id: str
    owner: str = field(repr=False)
    address: str = field(repr=False)
    kind: Kind
    request: dict[str, Any]
    state: State = "waiting"
    progress: float = 0.0
    report: dict[str, Any] | None = None
    page: str = ""
    pdf: bytes = b""
    error: str = ""
    ended: asyncio.Event = field(default_factory=asyncio.Event, repr=False)
    process: asyncio.subprocess.Process | None = None

    @property
    def is_open(self) -> bool:
        """Whether the result is still to come."""
        return not self.ended.is_set()

    def stop(self) -> None:
        """Kill its process."""
        if self.process is not None and self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.kill()


class Orders:
    """The orders of this process.

    Attributes:
        is_open: whether the host allows orders.
    """

    def __init__(self, is_open: bool = True) -> None:
        self.is_open = is_open
        self._orders: dict[str, Order] = {}  # the oldest first
        self._served: dict[str, int] = {}  # by the address: the turn in which it was served last
        self._turns = count(1)
        self._working: set[asyncio.Task[None]] = set()

    def start(self, guest: Guest, address: str, kind: Kind, request: dict[str, Any]) -> Order:
        """Put an order into the queue. Raises NotFound, TooMany."""
        if not self.is_open:
            raise NotFound(_("This hall makes no reports and doesn't print."))
        opened = [order for order in self._orders.values() if order.kind == kind and order.is_open]
        if sum(order.owner == guest.id for order in opened) >= _OPEN_OF_GUEST[kind]:
            raise TooMany(
                _("Your last report is still being made. Wait for it, or delete it.")
                if kind == "report"
                else _("Your last documents are still being printed. Wait for them.")
            )
        if sum(order.address == address for order in opened) >= _OPEN_OF_ADDRESS or len(opened) >= _MAX_OPEN:
            raise TooMany(_("Too many orders wait in this hall. Try again when some of them are done."))
        order = Order(secrets.token_urlsafe(8), guest.id, address, kind, request)
        self._orders[order.id] = order
        self._go_on()
        return order

    async def printed(self, guest: Guest, address: str, request: dict[str, Any]) -> bytes:
        """Order a print and return it. It isn't kept. Raises NotFound, TooMany, BadSetup."""
        order = self.start(guest, address, "print", request)
        try:
            await order.ended.wait()
        finally:
            self._orders.pop(order.id, None)
            order.stop()
        if not order.pdf:
            raise BadSetup(order.error or _("The document could not be printed."))
        return order.pdf

    def find(self, guest: Guest, id: str) -> Order:
        """Return a guest's report. Raises NotFound, also for the reports of others."""
        order = self._orders.get(id)
        if order is None or order.owner != guest.id or order.kind != "report":
            raise NotFound(_("There is no such report."))
        return order

    def delete(self, guest: Guest, id: str) -> None:
        """Delete a guest's report, and stop it if it is being made. Raises NotFound."""
        order = self.find(guest, id)
        del self._orders[order.id]
        order.stop()

    async def close(self) -> None:
        """Stop working."""
        for task in self._working:
            task.cancel()
        await asyncio.gather(*self._working, return_exceptions=True)

    def _go_on(self) -> None:
        """Start the orders whose turn has come."""
        for kind in _AT_ONCE:
            while (order := self._next(kind)) is not None:
                order.state = "running"
                self._served[order.address] = next(self._turns)
                self._working.add(task := asyncio.create_task(self._make(order)))
                task.add_done_callback(self._working.discard)

    def _next(self, kind: str) -> Order | None:
        orders = [order for order in self._orders.values() if order.kind == kind]
        running = [order for order in orders if order.state == "running"]
        if len(running) >= _AT_ONCE[kind]:
            return None
        guests, addresses = Counter(order.owner for order in running), Counter(order.address for order in running)
        waiting = [
            order
            for order in orders
            if order.state == "waiting"
            and guests[order.owner] < _RUNNING_OF_GUEST
            and addresses[order.address] < _RUNNING_OF_ADDRESS
        ]
        return min(waiting, key=lambda order: (addresses[order.address], self._served.get(order.address, 0)), default=None)

    async def _make(self, order: Order) -> None:
        try:
            async with asyncio.timeout(order.request.get("seconds", PRINT_SECONDS) + GRACE):
                await self._run(order)
        except TimeoutError:
            order.error = _("It took too long.")
        except Exception:
            log.exception("a %s failed", order.kind)
        finally:
            order.state = "done" if order.report is not None or order.page or order.pdf else "failed"
            order.ended.set()
            self._forget_old(order)
        self._go_on()

    async def _run(self, order: Order) -> None:
        """Run the process. Its input stays open: it ends when the hall does, also when the hall is killed."""
        order.process = process = await asyncio.create_subprocess_exec(*COMMAND, stdin=PIPE, stdout=PIPE, limit=MAX_BYTES)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            if order.id not in self._orders:  # deleted meanwhile
                return
            process.stdin.write(json.dumps({"kind": order.kind, **order.request}).encode() + b"\n")
            async for line in process.stdout:
                told = json.loads(line)
                order.progress = told.get("progress", order.progress)
                order.report = told.get("report", order.report)
                order.page = told.get("page", order.page)
                order.pdf = b64decode(told.get("pdf", ""))
                order.error = told.get("error", order.error)
        finally:
            order.stop()
            await process.stdout.read()
            await process.wait()

    def _forget_old(self, last: Order) -> None:
        """Forget the oldest reports that are done: of the guest whose order was made last, and of the address with the most."""
        done = [order for order in self._orders.values() if order.kind == "report" and not order.is_open]
        own = [order for order in done if order.owner == last.owner]
        if len(own) > _KEPT_OF_GUEST:
            del self._orders[own[0].id]
        elif len(done) > _MAX_KEPT:
            most = Counter(order.address for order in done).most_common(1)[0][0]
            del self._orders[next(order.id for order in done if order.address == most)]
        if not any(order.is_open for order in self._orders.values()):
            self._served.clear()
