"""Reports and prints that guests order. A process with low priority and a time limit makes each of them, and ends.

The queue is fair: a guest without an account costs nothing, so turns go by the address. Of the addresses whose orders wait, the
one that was served longest ago is next.

An order and its answer are stored. After a restart an order that was waiting or running waits again. No address is stored, so the
orders of all addresses then count as those of one.
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
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, Literal

from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import DatabaseUnavailable, NotFound, TooMany
from meadhall.server.hall.house import OFF, Switches
from meadhall.server.store import jobs
from meadhall.server.store.models import Guest
from meadhall.server.store.store import Store

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
_KEPT_OF_QUESTION: Final = 3
_KEPT_OF_GUEST: Final = 12
_MAX_KEPT: Final = 256
"""Reports that are kept when they are done: of a question of the workshop, of a guest, and of all.

Beyond the last limit, the address with the most loses its oldest.
"""

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
        question: the id of the question to which a report belongs; "" for none.
        state: where it stands.
        progress: the part that is done, 0 to 1.
        answer: until it is stored, what the process has answered: the ``report`` as JSON-able data, the ``pdf`` in Base64, or the
            ``error``.
        ended: set when it is done or failed.
    """

    id: str
    owner: str = field(repr=False)
    address: str = field(repr=False)
    kind: Kind
    request: dict[str, Any]
    question: str = ""
    state: State = "waiting"
    progress: float = 0.0
    answer: dict[str, str | dict[str, Any]] = field(default_factory=dict, repr=False)
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
    """The orders of a hall.

    Args:
        closing: set when the hall stops.
        switches: says whether the host allows reports and prints.
    """

    def __init__(self, store: Store, closing: asyncio.Event, switches: Switches) -> None:
        self._switches = switches
        self._store = store
        self._closing = closing
        self._orders: dict[str, Order] = {}  # the oldest first
        self._served: dict[str, int] = {}  # by the address: the turn in which it was served last
        self._turns = count(1)
        self._working: set[asyncio.Task[None]] = set()
        for id, guest, kind, request, question, state in store.transact(jobs.all_orders):
            self._orders[id] = order = Order(id, guest, "", kind, request, question, state)
            if order.state != "waiting":
                order.ended.set()
                order.progress = 1.0

    def start(self, guest: Guest, address: str, kind: Kind, request: dict[str, Any], question: str = "") -> Order:
        """Put an order into the queue. Raises SwitchedOff, TooMany, DatabaseUnavailable."""
        self._switches.check(f"{kind}s", guest)
        opened = [order for order in self._orders.values() if order.kind == kind and order.is_open]
        if sum(order.owner == guest.id for order in opened) >= _OPEN_OF_GUEST[kind]:
            raise TooMany(
                _("Your last report is still being made. Wait for it, or delete it.")
                if kind == "report"
                else _("Your last documents are still being printed. Wait for them.")
            )
        if sum(order.address == address for order in opened) >= _OPEN_OF_ADDRESS or len(opened) >= _MAX_OPEN:
            raise TooMany(_("Too many orders wait in this hall. Try again when some of them are done."))
        order = Order(secrets.token_urlsafe(8), guest.id, address, kind, json.loads(json.dumps(request)), question)
        self._store.transact(jobs.add_order, order.id, order.owner, kind, order.request, question)
        self._orders[order.id] = order
        self.go_on()
        return order

    async def printed(self, guest: Guest, address: str, request: dict[str, Any]) -> bytes:
        """Order a print and return it. If the hall was restarted since the guest has ordered the same, that is the print.

        It is deleted when it has been read. Raises SwitchedOff, TooMany, BadSetup, DatabaseUnavailable.
        """
        wanted = json.loads(json.dumps(request))
        before = (each for each in self._orders.values() if not each.address and (each.kind, each.request) == ("print", wanted))
        order = next((each for each in before if each.owner == guest.id), None) or self.start(guest, address, "print", request)
        try:
            await order.ended.wait()
            answer = self.answer(order)
        finally:
            if not self._closing.is_set():
                self._remove(order)
        if "pdf" not in answer:
            raise BadSetup(answer.get("error") or _("The document could not be printed."))
        return b64decode(answer["pdf"])

    def find(self, guest: Guest, id: str) -> Order:
        """Return a guest's report. Raises NotFound, also for the reports of others."""
        order = self._orders.get(id)
        if order is None or order.kind != "report" or self._store.transact(jobs.guest_of_order, id) != guest.id:
            raise NotFound(_("There is no such report."))
        return order

    def of(self, question: str) -> list[Order]:
        """Return the reports of a question, the last first. Who may read the question may read them."""
        kept = set(self._store.transact(jobs.orders_of, question))
        return [order for order in reversed(self._orders.values()) if order.id in kept]

    def answer(self, order: Order) -> Mapping[str, Any]:
        """Return what its process has answered, see ``Order``; empty while it is made. Raises DatabaseUnavailable."""
        return {} if order.is_open else self._store.transact(jobs.answer_of, order.id)

    def delete(self, guest: Guest, id: str) -> None:
        """Delete a guest's report, and stop it if it is being made. Raises NotFound, DatabaseUnavailable."""
        self._remove(self.find(guest, id))

    def forget(self, question: str) -> None:
        """Forget the reports of a question that was deleted with them, and stop those that are being made."""
        for order in [each for each in self._orders.values() if each.question == question]:
            self._remove(order)

    async def close(self) -> None:
        """Stop working."""
        for task in self._working:
            task.cancel()
        await asyncio.gather(*self._working, return_exceptions=True)

    def go_on(self) -> None:
        """Start the orders whose turn has come."""
        for kind in (each for each in _AT_ONCE if self._switches.values[f"{each}s"] != OFF):
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
            order.answer = {"error": _("It took too long.")}
        except Exception:
            log.exception("a %s failed", order.kind)
        if not order.answer and self._closing.is_set():  # its process was stopped with the hall
            return
        order.state = "done" if order.answer.keys() & {"report", "pdf"} else "failed"
        try:
            self._store.transact(jobs.finish_order, order.id, order.state, order.answer)
            self._forget_old(order)
        except DatabaseUnavailable:  # it is made again after the next start
            order.state = "failed"
            log.exception("the answer to a %s could not be stored", order.kind)
        order.answer, order.progress = {}, 1.0
        order.ended.set()
        self.go_on()

    def _remove(self, order: Order) -> None:
        self._store.transact(jobs.remove_order, order.id)
        self._orders.pop(order.id, None)
        order.stop()

    async def _run(self, order: Order) -> None:
        """Run the process. Its input stays open: it ends when the hall does, also when the hall is killed."""
        order.process = process = await asyncio.create_subprocess_exec(*COMMAND, stdin=PIPE, stdout=PIPE, limit=MAX_BYTES)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            if self._store.transact(jobs.guest_of_order, order.id) is None:  # deleted meanwhile, perhaps with its guest
                return
            process.stdin.write(json.dumps({"kind": order.kind, **order.request}).encode() + b"\n")
            async for line in process.stdout:
                told = json.loads(line)
                order.progress = told.get("progress", order.progress)
                order.answer |= {name: told[name] for name in ("report", "pdf", "error") if name in told}
        finally:
            order.stop()
            await process.stdout.read()
            await process.wait()

    def _forget_old(self, last: Order) -> None:
        """Forget the oldest reports that are done: of the guest whose order was made last, and of the address with the most."""
        done = [order for order in self._orders.values() if order.kind == "report" and order.state in ("done", "failed")]
        own = [order for order in done if order.owner == last.owner]
        same = [order for order in own if last.question and order.question == last.question]
        if len(same) > _KEPT_OF_QUESTION:
            self._remove(same[0])
        elif len(own) > _KEPT_OF_GUEST:
            self._remove(own[0])
        elif len(done) > _MAX_KEPT:
            most = Counter(order.address for order in done).most_common(1)[0][0]
            self._remove(next(order for order in done if order.address == most))
        if not any(order.is_open for order in self._orders.values()):
            self._served.clear()
