"""Documents of a game: the built-in ones to download, and files that the host of a table uploads."""

from __future__ import annotations

from typing import Any, Final

from litestar import Response, get, post
from litestar.datastructures import UploadFile

from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.options import MAX_SIZE
from meadhall.engine.registry import game
from meadhall.engine.text.language import gettext as _
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.lobby_changes import document_of
from meadhall.server.hall.room import Room
from meadhall.server.pages.responses import Answer, table_answer
from meadhall.server.store.models import Guest
from meadhall.server.web.request import AnyRequest

DOCUMENT_LIMIT: Final = 2 * MAX_SIZE
"""Bytes of a request that uploads a document. A document just above its own limit still gets a refusal with a reason."""

_BUILT_IN: Final = "built-in"


@get("/documents/{subject:str}/{name:str}")
async def download_document(subject: str, name: str) -> Response[bytes]:
    """Return a game's built-in document (TOML), as a start for another one."""
    return toml_file(f"{subject}-{name}", document_of(game(subject), name).file.read_bytes())


def toml_file(name: str, content: bytes) -> Response[bytes]:
    """Return a document as a file to download."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.toml"'}
    return Response(content, media_type="application/toml", headers=headers)


@post("/tables/{id:str}/documents/{name:str}", status_code=200, request_max_body_size=DOCUMENT_LIMIT)
async def change_document(request: AnyRequest, hall: Hall, room: Room, guest: Guest, name: str) -> Answer:
    """Play with an uploaded document, or with the built-in one again. An invalid one is refused with the place and the reason."""
    form = await request.form()
    try:
        content = None if form.get("set") == _BUILT_IN else await content_of(form.get("document"))
        await hall.set_document(room, guest, name, content)
    except MeadhallError as error:
        return table_answer(request, room, guest, error)
    return table_answer(request, room, guest)


async def content_of(upload: Any) -> bytes:
    """Return an uploaded file's content. A text in the file's place is refused: it must never be taken for a path."""
    if not isinstance(upload, UploadFile) or not upload.filename:
        raise BadSetup(_("Choose a file first."))
    return await upload.read()


routes = [download_document, change_document]
