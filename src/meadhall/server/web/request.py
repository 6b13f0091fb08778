"""Requests: bodies that are read strictly, the address of the client, and the address under which it reaches the hall."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from litestar import Request
from litestar.datastructures import FormMultiDict
from litestar.exceptions import ClientException
from litestar.serialization import decode_json

AnyRequest = Request[Any, Any, Any]


class HallRequest(AnyRequest):
    """A request whose body must be exactly what its handler expects. Anything else is refused as malformed (400)."""

    async def json(self) -> Any:
        """Return the body as the type of the handler's ``data``. Values are not converted: ``"2"`` is not a number."""
        expected = self.route_handler.parsed_data_field
        with _refuse_undecodable_text():
            return decode_json(await self.body(), Any if expected is None else expected.annotation)

    async def form(self) -> FormMultiDict:
        """Return the fields and files of a form."""
        with _refuse_undecodable_text():
            return await super().form()


def base_url(request: AnyRequest) -> str:
    """Return the address under which the client reaches this hall, without a slash at its end.

    The scheme is the one that a trusted proxy forwards (``MEADHALL_PROXIES``), the host is the Host header.
    """
    return str(request.base_url).rstrip("/")


def client_address(request: AnyRequest) -> str:
    """Return the client's IP address, or the one that a trusted proxy forwards."""
    return request.client.host if request.client else "unknown"


@contextmanager
def _refuse_undecodable_text() -> Iterator[None]:
    try:
        yield
    except (UnicodeError, LookupError) as error:  # LookupError: a form field names an unknown charset
        raise ClientException(f"text that can't be decoded: {error}") from None
