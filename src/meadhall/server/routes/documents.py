"""Documents as options: the built-in one, to be filled in anew, and the one that the host of a table brings."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post
from litestar.datastructures import UploadFile
from litestar.response import Redirect

from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.game import game
from meadhall.engine.language import gettext as _
from meadhall.engine.options import LARGEST
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.room import Room
from meadhall.server.hall.seating import document_of
from meadhall.server.pages.responses import table_answer
from meadhall.server.store.models import Guest
from meadhall.server.web.sessions import AnyRequest

DOCUMENT_LIMIT = 2 * LARGEST
"""Bytes of a request that brings a document: a little too large a one is refused in words."""

BUILT_IN = "built-in"


@get("/documents/{subject:str}/{name:str}")
async def download_document(subject: str, name: str) -> Response[bytes]:
    """A game's built-in document, TOML."""
    document = document_of(game(subject), name)
    return Response(
        document.file.read_bytes(),
        media_type="application/toml",
        headers={"Content-Disposition": f'attachment; filename="{subject}-{name}.toml"'},
    )


@post("/tables/{id:str}/documents/{name:str}", status_code=200, request_max_body_size=DOCUMENT_LIMIT)
async def bring_document(
    request: AnyRequest,
    hall: Hall,
    room: Room,
    guest: Guest,
    name: str,
) -> Response[Any] | Redirect:
    """Another document to play with; one that does not hold is refused with the place and the reason, and nothing changes."""
    form = await request.form()
    try:
        await hall.set_document(room, guest, name, None if form.get("set") == BUILT_IN else await _content(form.get("document")))
    except MeadhallError as error:
        return table_answer(request, room, guest, error)
    return table_answer(request, room, guest)


async def _content(upload: Any) -> bytes:
    """What is in a file that was sent along. Only that: a text is no name of a file here."""
    if not isinstance(upload, UploadFile) or not upload.filename:
        raise BadSetup(_("Choose a file first."))
    return await upload.read()


routes = [download_document, bring_document]
