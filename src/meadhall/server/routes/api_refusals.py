"""How requests of programs can be refused, for the OpenAPI document."""

from __future__ import annotations

from typing import Final

from litestar.openapi import ResponseSpec
from litestar.params import Body

from meadhall.server.errors import RefusalInfo

STRICT: Final = Body(schema_extra={"additional_properties": False})
"""A body with only the described fields."""

_REASONS: Final = {
    400: "The request is malformed, or the game can't be set up like that.",
    401: "The token is missing, or not from this hall.",
    403: "You have no seat at this table, or you are not its host; or the password is wrong.",
    404: "There is no such table, game or record, or not yet.",
    409: "Not now: it is another seat's turn, the match has moved on, or the table is not at that point; or the name is taken.",
    410: "The match began under another version of the rules than the installed one.",
    413: "The body is too large.",
    422: "The rules forbid this action now, and ``rule`` names the rule; or the Idempotency-Key belongs to another request.",
    429: "Too many requests or streams.",
    500: "An internal error.",
    503: "The game's rules are still being compiled, or the database does not answer.",
}


def refusals(*statuses: int) -> dict[int, ResponseSpec]:
    """Describe how a request can be refused: with these statuses, or with those that any request can get."""
    return {
        status: ResponseSpec(RefusalInfo, generate_examples=False, description=_REASONS[status])
        for status in sorted({*statuses, 429, 500, 503})
    }


def table_refusals(*statuses: int) -> dict[int, ResponseSpec]:
    """Describe how a request about a table can be refused: with these statuses, or with those common to all such requests."""
    return refusals(400, 401, 404, 409, 410, *statuses)
