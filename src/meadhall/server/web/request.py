"""Requests: bodies that are read strictly, the address of the client, and what its headers say."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from litestar import Request
from litestar.datastructures import FormMultiDict
from litestar.exceptions import ClientException, InternalServerException
from litestar.serialization import decode_json

from meadhall.engine.text.language import gettext as _
from meadhall.server.ops.addresses import address_group

AnyRequest = Request[Any, Any, Any]

_LONGEST_PAGE_ID: Final = 40

_MOST_WEIGHTS: Final = 50
"""Entries of a weighted list that are read."""


class ClientLeft(ClientException):
    """The client has closed its connection before the request was complete. There is no one to answer."""


class HallRequest(AnyRequest):
    """A request whose body must be exactly what its handler expects. Anything else is refused as malformed (400)."""

    async def json(self) -> Any:
        """Return the body as the type of the handler's ``data``. Values are not converted: ``"2"`` is not a number."""
        expected = self.route_handler.parsed_data_field
        return decode_strictly(await self.body(), Any if expected is None else expected.annotation)

    async def stream(self) -> AsyncGenerator[bytes, None]:
        """Yield the parts of the body. Raises ClientLeft."""
        try:
            async for part in super().stream():
                yield part
        except InternalServerException as error:  # Litestar takes it for an error of the server
            raise ClientLeft from error

    async def form(self) -> FormMultiDict:
        """Return the fields and files of a form."""
        with _refuse_undecodable_text():
            return await super().form()


def decode_strictly(body: bytes, expected: Any) -> Any:
    """Return a JSON text as an object of this type, without converting values."""
    with _refuse_undecodable_text():
        _refuse_repeated_names(body)
        return decode_json(body, expected)


def page_id(request: AnyRequest) -> str:
    """Return the name that an open page has chosen for itself and sends with every request; "" for other clients."""
    name = request.headers.get("Meadhall-Page", "")
    return name if len(name) <= _LONGEST_PAGE_ID else ""


def client_address(request: AnyRequest) -> str:
    """Return under which address a client is counted: its own, or the one that a trusted proxy forwards."""
    return address_group(request.client.host) if request.client else "unknown"


def _refuse_repeated_names(body: bytes) -> None:
    """Refuse JSON in which an object repeats a name: readers would disagree about its value (RFC 8259, 4)."""

    def check(pairs: list[tuple[str, Any]]) -> None:
        names: set[str] = set()
        for name, _value in pairs:
            if name in names:
                raise ClientException(f"the name {name[:40]!r} occurs twice in one object")
            names.add(name)

    with suppress(ValueError):  # not JSON: decoding it says where, with the path
        json.loads(body, object_pairs_hook=check, parse_int=str, parse_float=str)


@contextmanager
def _refuse_undecodable_text() -> Iterator[None]:
    try:
        yield
    except (UnicodeError, LookupError) as error:  # LookupError: a form field names an unknown charset
        raise ClientException(f"text that can't be decoded: {error}") from None


def weighted(header: str) -> Iterator[tuple[str, float]]:
    """Yield the entries of a header such as Accept-Language, in lower case, with their weights from 0 to 1 (RFC 9110, 12.4.2).

    An invalid weight counts as 0.
    """
    for entry in header.lower().split(",")[:_MOST_WEIGHTS]:
        name, *parameters = [part.strip() for part in entry.split(";")]
        if name:
            yield name, _weight(parameters)


def _weight(parameters: list[str]) -> float:
    for parameter in parameters:
        if parameter.startswith("q="):
            try:
                weight = float(parameter[2:])
            except ValueError:
                return 0.0
            return weight if 0 <= weight <= 1 else 0.0
    return 1.0


# The first that occurs counts: most browsers also name others that they are compatible with.
_BROWSERS: Final = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser": "Samsung Internet",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "CriOS": "Chrome",
    "Chrome": "Chrome",
    "Safari": "Safari",
}
_SYSTEMS: Final = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "CrOS": "ChromeOS",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}


def device_label(request: AnyRequest) -> str:
    """Return the browser and the system of a request, as far as they are known."""
    agent = request.headers.get("User-Agent", "")
    browser, system = (next((name for sign, name in each.items() if sign in agent), "") for each in (_BROWSERS, _SYSTEMS))
    if browser and system:
        return _("{browser} on {system}").format(browser=browser, system=system)
    return browser or system or _("A device")
