"""A deed at a table: declared once, it becomes a handler for the forms of the page and one for programs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal, TypeVar
from urllib.parse import parse_qsl

import msgspec
from litestar import Litestar, Response, post
from litestar.exceptions import HTTPException, SerializationException
from litestar.handlers import HTTPRouteHandler
from litestar.response import Redirect
from litestar.types import ASGIApp, HTTPScope, Receive

from meadhall.engine.errors import MeadhallError
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.room import Room
from meadhall.server.hall.seating import Change, arranged, check_host
from meadhall.server.pages.responses import Answer, refused, table_answer
from meadhall.server.routes.api_models import TableInfo, table_info, told_table
from meadhall.server.routes.api_refusals import STRICT, table_refusals
from meadhall.server.routes.tables import visited_room
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import LONGEST, Form, read_form
from meadhall.server.web.gateway import Exchange
from meadhall.server.web.links import outside
from meadhall.server.web.request import AnyRequest, HallRequest, decode_strictly
from meadhall.server.web.sessions import Sessions, guest_of

Who = Literal["anyone", "seated", "host"]
"""The guests who may do a deed. The room checks a seat."""

_LONGEST_BODY: Final = 10_000
"""Bytes of a deed that is read without the framework."""

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
    state, guest = request.app.state, guest_of(request)
    hall: Hall = state.hall
    return Visit(hall, state.sessions, await visited_room(hall, guest, id), guest)


Identify = Callable[[AnyRequest], Awaitable[None]]
"""Finds the guest of a request, or raises why they may not send it."""

Refused = Callable[[AnyRequest, Any], Response[Any]]
"""Returns the response to a request that has failed."""


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
            return await self._submit(request, request.path_params["id"], read_form)

        return post(f"/tables/{{id:str}}/{self.form}", status_code=200)(submit)

    async def _submit(self, request: AnyRequest, id: str, read_form: Callable[[AnyRequest], Awaitable[Form]]) -> Answer:
        visit, fields = await _visit(request, id), None
        try:
            fields = None if self.read is None else self.read(await read_form(request))
            await self._do(visit, *(() if self.read is None else (fields,)))
        except MeadhallError as error:
            return table_answer(request, visit.room, visit.guest, error, getattr(fields, "action", None))
        await asyncio.sleep(0)  # streams first: the page that sent the form has one too
        return table_answer(request, visit.room, visit.guest)

    def for_programs(self) -> HTTPRouteHandler:
        """Return the handler of the API. It answers with the table after the deed."""

        async def without_fields(request: AnyRequest, id: str) -> TableInfo:
            visit = await _visit(request, id)
            await self._do(visit)
            return table_info(visit.room, visit.guest, outside(request))

        async def with_fields(data: Any, request: AnyRequest, id: str) -> TableInfo:
            visit = await _visit(request, id)
            await self._do(visit, data)
            return table_info(visit.room, visit.guest, outside(request))

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


# ----------------------------------------------------------------------------------------------------- deeds of every move


class DirectDeed:
    """Answers the posts of a deed without the layers of the framework, which take as long as a move.

    What it can't read goes on to the ordinary route, which says what is wrong.
    """

    def __init__(self, deed: Deed, app: Litestar, route: ASGIApp, identify: Identify, failed: Refused) -> None:
        self._deed = deed
        self._app = app
        self._route = route
        self._identify = identify
        self._failed = failed

    async def answer_page(self, scope: HTTPScope, receive: Receive, exchange: Exchange, id: str) -> None:
        """Answer the form of a page."""
        message: Any = await receive()
        try:
            form = _form(scope, message)
        except ValueError:
            await self._route(scope, _repeated(message, receive), exchange.send)
            return

        async def read(_: AnyRequest) -> Form:
            return form

        scope["path_template"] = f"/tables/{{id}}/{self._deed.form}"
        request = HallRequest(scope, receive)
        try:
            await self._identify(request)
            answer: Response[Any] | Redirect = await self._deed._submit(request, id, read)
        except Exception as error:
            answer = self._refusal(request, error)
        if answer.status_code == HTTPStatus.NO_CONTENT:
            await exchange.answer(HTTPStatus.NO_CONTENT, [])
        else:
            await answer.to_asgi_response(self._app, request)(scope, receive, exchange.send)

    async def answer_program(self, scope: HTTPScope, receive: Receive, exchange: Exchange, id: str) -> None:
        """Answer a program with the table after the deed."""
        message: Any = await receive()
        try:
            data = decode_strictly(_body(scope, message, b"application/json"), self._deed.body)
        except (ValueError, HTTPException, SerializationException):
            await self._route(scope, _repeated(message, receive), exchange.send)
            return
        scope["path_template"] = f"/api/v1/tables/{{id}}/{self._deed.api}"
        request = HallRequest(scope, receive)
        try:
            await self._identify(request)
            visit = await _visit(request, id)
            await self._deed._do(visit, data)
            told = told_table(visit.room, visit.guest, outside(request))
        except Exception as error:
            await self._refusal(request, error).to_asgi_response(self._app, request)(scope, receive, exchange.send)
        else:
            await exchange.answer(HTTPStatus.OK, [(b"content-type", b"application/json")], bytes(told))

    def _refusal(self, request: AnyRequest, error: Exception) -> Response[Any]:
        return refused(request, error) if isinstance(error, MeadhallError) else self._failed(request, error)


def _body(scope: HTTPScope, message: Any, kind: bytes) -> bytes:
    """Return the body of a request of this kind that has arrived as a whole. Raises ValueError."""
    body: bytes = message.get("body", b"")
    given = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
    if message.get("more_body") or not given.startswith(kind) or len(body) > _LONGEST_BODY:
        raise ValueError(message["type"])
    return body


def _form(scope: HTTPScope, message: Any) -> Form:
    """Return the fields of a form that has arrived as a whole. Raises ValueError."""
    text = _body(scope, message, b"application/x-www-form-urlencoded").decode()
    return {name: value[:LONGEST] for name, value in parse_qsl(text, keep_blank_values=True, errors="strict")}


def _repeated(message: Any, receive: Receive) -> Receive:
    """Return a function that receives a message again, and then those after it."""
    messages = [message]

    async def again() -> Any:
        return messages.pop() if messages else await receive()

    return again
