"""The editor of a document in a question of the workshop.

With a script an edited field posts itself, alone, and what comes back never replaces a field that is being edited: the panel
beside the fields, the values of other fields that have changed, and lists that have got longer or shorter. Without one a button
sends all fields.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from operator import methodcaller
from typing import Any

from litestar import Response, get, post
from litestar.datastructures import FormMultiDict

from meadhall.engine.errors import MeadhallError
from meadhall.engine.form import DocumentForm
from meadhall.engine.options import Document
from meadhall.engine.registry import game
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound, status_of
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.lobby_changes import document_of
from meadhall.server.hall.questions import options_of
from meadhall.server.pages.editor import CAN_PRINT, data_of, editor_page, editor_url, toml_text
from meadhall.server.pages.responses import Answer, Html, by_htmx, page, see_other
from meadhall.server.routes.workshop import DOCUMENT_LIMIT, content_of, toml_file
from meadhall.server.store.models import Guest
from meadhall.server.store.questions import Content, Question
from meadhall.server.web.request import AnyRequest, client_address
from meadhall.server.worker.threads import run_in_thread


@get("/workshop/{id:str}/{variant:str}/{name:str}")
async def show_editor(request: AnyRequest, hall: Hall, guest: Guest, id: str, variant: str, name: str) -> Html:
    """Show a document of a question: to its guest with fields, to others who have the link to read."""
    question = hall.questions.find(id)
    return await _shown(request, hall, guest, question, variant, document_of(game(question.game), name))


@get("/workshop/{id:str}/{variant:str}/{name:str}/file")
async def download_draft(hall: Hall, id: str, variant: str, name: str) -> Response[bytes]:
    """Return a document of a question as a file (TOML), which begins with what differs from the built-in one."""
    question = hall.questions.find(id)
    option = document_of(game(question.game), name)
    data = data_of(option, question.content.variant(variant))
    await run_in_thread(option.check, data)
    return toml_file(f"{question.game}-{name}", await run_in_thread(toml_text, option, data))


@post("/workshop/{id:str}/{variant:str}/{name:str}", status_code=200, request_max_body_size=DOCUMENT_LIMIT)
async def change_draft(
    request: AnyRequest, hall: Hall, guest: Guest, id: str, variant: str, name: str
) -> Answer | Response[bytes]:
    """Change a document of a question by the fields of a form, and do what its button says."""
    question = hall.questions.find(id)
    option, chosen = document_of(game(question.game), name), question.content.variant(variant)
    before = data_of(option, chosen)
    form = await request.form()
    do, _colon, what = str(form.get("do", "")).partition(":")
    try:
        if do == "print":
            return await _printed(hall, guest, client_address(request), question, variant)
        if do == "undo":
            question = hall.questions.undo(guest, id)
        elif do == "import":
            data = option.data(await run_in_thread(option.check, await content_of(form.get("file"))))
            question = hall.questions.change(guest, id, lambda content: content.with_option(variant, name, data))
        else:
            for edit in (methodcaller("changed", form), partial(_with_deeds, form)):
                question = hall.questions.change(guest, id, partial(_edited, variant, option, edit))
    except MeadhallError as error:
        return await _shown(request, hall, guest, question, variant, option, before, error=error)
    opened = what.partition(".")[0]
    if not by_htmx(request):
        return see_other(editor_url(question, chosen, option) + (f"#list-{opened}" if opened else ""))
    return await _shown(request, hall, guest, question, variant, option, before, opened)


def _edited(key: str, option: Document[Any], edit: Callable[[DocumentForm], dict[str, Any]], content: Content) -> Content:
    """Return the content of a question with an edited document."""
    return content.with_option(key, option.name, edit(DocumentForm(option, data_of(option, content.variant(key)))))


def _with_deeds(form: FormMultiDict, document: DocumentForm) -> dict[str, Any]:
    """Return the data of a document with the steps of columns, and after what a button does. Raises BadSetup."""
    for name, step in form.items():
        match name.split(":"):
            case ["step", path, column] if str(step).strip():
                rows = {int(row) for row in form.getall(f"row:{path}", []) if str(row).isdecimal()}
                document = DocumentForm(document.option, document.stepped(path, column, str(step), rows or None))
    match str(form.get("do", "")).split(":"):
        case ["add", path]:
            return document.grown(path)
        case ["remove", path]:
            return document.shrunk(path)
        case ["reset", paths]:
            return document.usual(paths.split(" "))
    return document.data


async def _printed(hall: Hall, guest: Guest, address: str, question: Question, key: str) -> Response[bytes]:
    """Return the game with a variant as a PDF. Raises BadSetup, NotFound if this hall never prints, TooMany."""
    if not CAN_PRINT:
        raise NotFound(_("This hall can't print."))
    options = await run_in_thread(options_of, question, question.content.variant(key))
    request = {"name": question.game, "options": options, "language": guest.language}
    headers = {"Content-Disposition": f'attachment; filename="{question.game}.pdf"'}
    return Response(await hall.orders.printed(guest, address, request), media_type="application/pdf", headers=headers)


async def _shown(
    request: AnyRequest,
    hall: Hall,
    guest: Guest,
    question: Question,
    key: str,
    option: Document[Any],
    before: Mapping[str, Any] | None = None,
    opened: str = "",
    error: MeadhallError | None = None,
) -> Html:
    """Return the page of the editor, or for its script what has changed."""
    is_part = by_htmx(request)
    content = await run_in_thread(
        editor_page, question, question.content.variant(key), option, before if is_part else None, opened, str(error or "")
    )
    content |= {
        "is_own": question.guest == guest.id,
        "can_undo": hall.questions.can_undo(question),
        "can_report": hall.switches.allows("reports", guest),
        "can_print": hall.switches.allows("prints", guest) and CAN_PRINT,
        "no_print": hall.switches.reason("prints")
        if CAN_PRINT
        else _("This hall can't print: its host has not installed the package typst."),
    }
    template = "_editor_answer.html" if is_part else "editor.html"
    return page(request, guest, template, content, 200 if error is None else int(status_of(error)))


routes = [show_editor, download_draft, change_draft]
