"""A deed at a table: declared once, it becomes a handler for the forms of the page and one for programs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from litestar import post
from litestar.handlers import HTTPRouteHandler

from meadhall.engine.errors import MeadhallError
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.notices.pubsub import updates
from meadhall.server.hall.room import Room
from meadhall.server.hall.seating import Change, arranged, check_host
from meadhall.server.pages.responses import Answer, table_answer
from meadhall.server.routes.api_models import TableInfo, Wait, Words, table_info
from meadhall.server.routes.api_refusals import STRICT, table_refusals
from meadhall.server.routes.tables import provide_room
from meadhall.server.store.models import FINISHED, Guest
from meadhall.server.web.forms import Form, read_form
from meadhall.server.web.links import outside
from meadhall.server.web.request import AnyRequest
from meadhall.server.web.sessions import Sessions, guest_of

Who = Literal["anyone", "seated", "host"]
"""The guests who may do a deed. The room checks a seat."""

Do = TypeVar("Do", bound=Callable[..., Awaitable[object]])


@dataclass
class Visit:
    """A request of a guest at a table."""

    hall: Hall
    sessions: Sessions
    room: Room
    guest: Guest

    def arrange(self, change: Change) -> None:
        """Change the table before its match."""
        self.room.change_table(arranged(change))


async def _visit(request: AnyRequest, id: str) -> Visit:
    # not by dependencies: to find and start them takes Litestar longer than an action
    state = request.app.state
    room = await provide_room(request, state.hall, id)
    return Visit(state.hall, state.sessions, room, guest_of(request))


@dataclass(frozen=True)
class Deed:
    """What a guest can do at a table.

    Attributes:
        do: does it. Its name and its docstring describe the operation in the OpenAPI document.
        who: the guests who may do it.
        form: the end of the address of the form; "" without a form.
        read: returns the fields of a form as ``do`` takes them; None without fields.
        api: the end of the address for programs; "" if programs can't do it.
        body: the fields that programs send; None without fields.
        refusals: further statuses with which programs are refused.
    """

    do: Callable[..., Awaitable[object]]
    who: Who
    form: str
    read: Callable[[Form], object] | None
    api: str
    body: type[msgspec.Struct] | None
    refusals: tuple[int, ...]

    def for_forms(self) -> HTTPRouteHandler:
        """Return the handler of the form. A refusal is shown at the table."""

        async def submit(request: AnyRequest) -> Answer:
            visit, fields = await _visit(request, request.path_params["id"]), None
            try:
                fields = None if self.read is None else self.read(await read_form(request))
                await self._do(visit, *(() if self.read is None else (fields,)))
            except MeadhallError as error:
                return table_answer(request, visit.room, visit.guest, error, getattr(fields, "action", None))
            await asyncio.sleep(0)  # streams first: the page that sent the form has one too
            return table_answer(request, visit.room, visit.guest)

        return post(f"/tables/{{id:str}}/{self.form}", status_code=200)(submit)

    def for_programs(self) -> HTTPRouteHandler:
        """Return the handler of the API. It answers with the table after the deed."""

        async def without_fields(request: AnyRequest, id: str, wait: Wait = 0, words: Words = False) -> TableInfo:
            visit = await _visit(request, id)
            await self._do(visit)
            await wait_for_turn(request, visit.room, visit.guest, wait)
            return table_info(visit.room, visit.guest, outside(request), words)

        async def with_fields(data: Any, request: AnyRequest, id: str, wait: Wait = 0, words: Words = False) -> TableInfo:
            visit = await _visit(request, id)
            await self._do(visit, data)
            await wait_for_turn(request, visit.room, visit.guest, wait)
            return table_info(visit.room, visit.guest, outside(request), words)

        handle = without_fields if self.body is None else with_fields
        handle.__name__, handle.__doc__ = self.do.__name__, self.do.__doc__
        if self.body is not None:
            handle.__annotations__["data"] = Annotated[self.body, STRICT]
        statuses = (*(() if self.who == "anyone" else (403,)), *(() if self.body is None else (413,)), *self.refusals)
        return post(f"/tables/{{id:str}}/{self.api}", status_code=200, responses=table_refusals(*statuses))(handle)

    async def _do(self, visit: Visit, *fields: object) -> None:
        if self.who == "host":
            check_host(visit.room.table, visit.guest)
        await visit.hall.store.unlocked()  # between this and the change nothing waits
        await self.do(visit, *fields)


async def wait_for_turn(request: AnyRequest, room: Room, guest: Guest, seconds: int) -> None:
    """Wait until a guest has something to decide, the match is over, or some seconds have passed. Raises TooMany."""
    if not seconds or _has_to_decide(room, guest):
        return
    state = request.app.state
    state.stream_limit.check(request, guest)
    with state.stream_limit.count(request, guest), room.visits.subscribe(guest.id) as subscriber:
        async for _changed in updates(subscriber, state.hall.closing, seconds):
            if subscriber.is_due or _has_to_decide(room, guest):
                return


def _has_to_decide(room: Room, guest: Guest) -> bool:
    """Return whether a guest has to choose an action or answer a proposal, or nothing can happen any more."""
    seat, match, proposal = room.table.seat_of(guest.id), room.match, room.consent.proposals.open
    if room.table.status in FINISHED or room.is_closed:
        return True
    is_asked = proposal is not None and seat in proposal.asked - proposal.agreed
    return is_asked or (match is not None and seat in match.deciders and seat not in match.stand_ins)


class Deeds(list[Deed]):
    """A table of deeds."""

    def add(
        self,
        who: Who,
        form: str = "",
        read: Callable[[Form], object] | None = None,
        api: str = "",
        body: type[msgspec.Struct] | None = None,
        refusals: tuple[int, ...] = (),
    ) -> Callable[[Do], Do]:
        """Add the decorated function, see ``Deed``."""

        def added(do: Do) -> Do:
            self.append(Deed(do, who, form, read, api, body, refusals))
            return do

        return added
