"""What is sent to the hall along with a request: read as it is, or refused as malformed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from litestar import Request
from litestar.datastructures import FormMultiDict
from litestar.exceptions import ClientException
from litestar.serialization import decode_json


class HallRequest(Request[Any, Any, Any]):
    """A request to the hall: its body is what the handler asks for, or it is refused."""

    async def json(self) -> Any:
        """The body as the handler's ``data``. Nothing is made into something else on the way: "2" is no number."""
        wanted = self.route_handler.parsed_data_field
        with _refused_where_unreadable():
            return decode_json(await self.body(), Any if wanted is None else wanted.annotation)

    async def form(self) -> FormMultiDict:
        """The fields and files of a form."""
        with _refused_where_unreadable():
            return await super().form()


def base_url(request: Request[Any, Any, Any]) -> str:
    """Return the address under which the client reaches this hall, without a slash at its end.

    The scheme is the one that a trusted proxy forwards (``MEADHALL_PROXIES``), the host is the Host header.
    """
    return str(request.base_url).rstrip("/")


@contextmanager
def _refused_where_unreadable() -> Iterator[None]:
    try:
        yield
    except (UnicodeError, LookupError) as error:  # a lookup: of the charset that a field of a form says it has
        raise ClientException(f"text that can't be read: {error}") from None
