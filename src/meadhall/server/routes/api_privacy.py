"""The data that the hall keeps about a program: the download as JSON, and the deletion."""

from __future__ import annotations

from typing import Any

from litestar import delete, get

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import WrongMoment
from meadhall.server.hall.hall import Hall
from meadhall.server.routes.api_refusals import refusals
from meadhall.server.store import personal_data
from meadhall.server.store.models import Guest


@get("/me/data", responses=refusals(401))
async def show_my_data(hall: Hall, program: Guest) -> dict[str, list[dict[str, Any]]]:
    """Return everything that the hall stores about you, as rows by the kind of data. Your matches are in ``matches``."""
    return await hall.store.read(personal_data.export, program.id)


@delete("/me", status_code=204, responses=refusals(401, 409))
async def delete_me(hall: Hall, program: Guest) -> None:
    """Delete everything about you. Your matches stay; your seats are called "former player". The token is worth nothing then.

    An account can only be deleted in a browser.
    """
    if program.has_account:
        raise WrongMoment(_("Delete your account in a browser, after you have confirmed that it is you."))
    hall.accounts.delete(program)


handlers = [show_my_data, delete_me]
