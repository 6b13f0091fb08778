"""Documents of a game: to download, to upload, to change in the form of the workshop, and reports on what they mean.

The form carries the whole document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

import msgspec
from litestar import Response, delete, get, post
from litestar.datastructures import UploadFile

from meadhall.bots import bot
from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.form import DocumentForm
from meadhall.engine.game import Game
from meadhall.engine.options import MAX_SIZE, Document
from meadhall.engine.registry import game
from meadhall.engine.text.language import gettext as _
from meadhall.lab import Balance
from meadhall.lab.balance.own import checked_own
from meadhall.lab.entrants import kind_mask
from meadhall.server.errors import NotFound, TooMany, status_of
from meadhall.server.hall.among_people import AmongPeople
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.lobby_changes import document_of
from meadhall.server.hall.orders import MOST_SECONDS, Order
from meadhall.server.hall.room import Room
from meadhall.server.pages.responses import Answer, Html, by_htmx, page, see_other, table_answer
from meadhall.server.pages.workshop import CAN_PRINT, toml_text, workshop_page
from meadhall.server.routes.api_models import STRICT, refusals
from meadhall.server.store.models import Guest
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest, client_address
from meadhall.server.web.sessions import Sessions
from meadhall.server.worker.threads import run_in_thread

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


WORKSHOP_LIMIT: Final = 4 * MAX_SIZE
"""Bytes of a form. It has the document, in which a form writes a quotation mark in three bytes, and the fields."""

REPORT_SECONDS: Final = 60.0
"""The time limit of a report."""

_REPORT_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; sandbox"
"""A report has its styles in the page, because it is also a file, and needs nothing else."""

_ENDS: Final = ("export", "play", "report", "compare", "print")
"""What is done only with a valid document."""

_DOCUMENT: Final = "document"
_FILE: Final = "file"


@get("/workshop/{subject:str}/{name:str}")
async def show_workshop(request: AnyRequest, hall: Hall, guest: Guest, subject: str, name: str, table: str = "") -> Html:
    """Show a document in the workshop: the built-in one, or that of a table."""
    played = game(subject)
    option = document_of(played, name)
    value = option.default
    if table:
        room = await hall.room(table)
        room.check_visible(guest)
        if room.game.name == played.name:
            value = room.table.options[name]
    return page(request, guest, "workshop.html", workshop_page(played, option, option.data(value), reports=hall.orders.is_open))


@post("/workshop/{subject:str}/{name:str}", status_code=200, request_max_body_size=WORKSHOP_LIMIT)
async def change_workshop(
    request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions, subject: str, name: str
) -> Answer | Response[bytes]:
    """Check the document of the form, change its lists, take or give it as a file, or open a table with it."""
    played = game(subject)
    option = document_of(played, name)
    sent = await request.form()
    form = {key: value for key, value in sent.items() if isinstance(value, str)}
    do, _colon, place = form.get("do", "").partition(":")
    refusal, status, data = "", 200, option.data(option.default)
    try:
        data = await run_in_thread(_data, option, form)
        if do == "import":
            data = option.data(await run_in_thread(option.check, await content_of(sent.get(_FILE))))
        elif do in _ENDS:
            return await _finished(
                do,
                hall,
                guest if do in ("export", "print") else sessions.save(guest),
                client_address(request),
                played,
                option,
                data,
            )
        elif do in ("add", "remove"):
            made = DocumentForm(option, data)
            data = made.grown(place) if do == "add" else made.shrunk(place)
    except (BadSetup, TooMany) as error:
        refusal = "" if do in _ENDS and _is_invalid(option, data) else str(error)
        status = int(status_of(error))
    shown = workshop_page(played, option, data, place.partition(".")[0], refusal, reports=hall.orders.is_open)
    return page(request, guest, "workshop.html", shown, status if refusal else 200)


def _is_invalid(option: Document[Any], data: Mapping[str, Any]) -> bool:
    """Return whether the page tells what is wrong with the document anyway."""
    try:
        option.check(data)
    except BadSetup:
        return True
    return False


def _data(option: Document[Any], form: Mapping[str, str]) -> dict[str, Any]:
    """Return the document that a form carries, with its changed fields; without one, the built-in document. Raises BadSetup."""
    written = form.get(_DOCUMENT)
    if written is None:
        return DocumentForm(option, option.data(option.default)).changed(form)
    if len(written) > MAX_SIZE:
        raise BadSetup(_("This document is too long for the workshop."))
    try:
        data = msgspec.json.decode(written, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError):
        raise BadSetup(_("The form is damaged. Begin again with the built-in document or with your file.")) from None
    return DocumentForm(option, data).changed(form)


async def _finished(
    do: str, hall: Hall, guest: Guest, address: str, played: Game, option: Document[Any], data: Any
) -> Answer | Response[bytes]:
    """Return the document as a file, or the way to a table with it or to a report on it.

    Raises BadSetup if it is invalid, TooMany if it can't be reported or printed now, NotFound if this hall never does.
    """
    value = await run_in_thread(option.check, data)
    if do == "export":
        return toml_file(f"{played.name}-{option.name}", await run_in_thread(toml_text, option, data))
    if do == "print":
        headers = {"Content-Disposition": f'attachment; filename="{played.name}.pdf"'}
        if not CAN_PRINT:
            raise NotFound(_("This hall can't print."))
        request = {"name": played.name, "options": {option.name: value}, "language": guest.language}
        return Response(await hall.orders.printed(guest, address, request), media_type="application/pdf", headers=headers)
    if do != "play":
        usual: dict[str, Any] = {_("built in"): {}} if do == "compare" else {}
        wanted: dict[str, Any] = {
            "name": played.name,
            "players": [played.default_players],
            "variants": usual | {_("yours"): {option.name: value}},
            "seconds": REPORT_SECONDS,
            "seed": option.shown(value),
            "language": guest.language,
        }
        order = hall.orders.start(guest, address, "report", wanted)
        return see_other(link(f"/workshop/reports/{order.id}"))
    room = await hall.with_friends(guest, played.name)
    await hall.set_document(room, guest, option.name, data)
    return see_other(link(f"/tables/{room.table.id}"))


@get("/workshop/reports/{id:str}")
async def show_report(request: AnyRequest, hall: Hall, guest: Guest, id: str) -> Answer:
    """Show a report of the guest, or how far it is."""
    job = hall.orders.find(guest, id)
    if job.question:
        return see_other(link(f"/workshop/{job.question}?report={id}"))
    if by_htmx(request) and not job.is_open:
        return Response("", media_type="text/html", headers={"HX-Refresh": "true"})  # the page loads itself again
    answer = hall.orders.answer(job)
    if answer.keys() & {"report", "page"}:
        made = (
            answer["page"] if "page" in answer else await run_in_thread(lambda: Balance.from_dict(answer["report"]).to_html())
        )  # older halls: pages
        headers = {"Content-Security-Policy": _REPORT_POLICY}
        return Response(made, media_type="text/html; charset=utf-8", headers=headers)
    return page(request, guest, "workshop_report.html", replace(job, answer=dict(answer)))


MOST_VARIANTS = 6


class NewBalance(msgspec.Struct, forbid_unknown_fields=True):
    """A report to make. ``variants``: the options of each variant by its name; the others are compared to the first.

    ``bots``: ``karl`` or ``thrall``. ``without``: kinds of actions whose worth is measured. ``counters``: events to count, by the
    names of their figures: ``"dies weapon=double axe by killer"``.
    """

    game: str
    players: Annotated[list[int], msgspec.Meta(min_length=1, max_length=8)]
    variants: Annotated[dict[str, dict[str, Any]], msgspec.Meta(max_length=MOST_VARIANTS)] = {}
    bots: Annotated[list[Literal["karl", "thrall"]], msgspec.Meta(max_length=2)] = []
    without: Annotated[list[str], msgspec.Meta(max_length=4)] = []
    counters: Annotated[dict[str, str], msgspec.Meta(max_length=8)] = {}
    precision: Annotated[float, msgspec.Meta(ge=0.005, le=0.5)] = 0.01
    depth: Literal["quick", "usual", "deep"] = "usual"
    seconds: Annotated[float, msgspec.Meta(gt=0, le=MOST_SECONDS)] = 60.0
    seed: Annotated[str, msgspec.Meta(min_length=1, max_length=100)] = "balance"


class BalanceInfo(msgspec.Struct):
    """A report: ``state`` is ``waiting``, ``running``, ``done`` or ``failed``; ``progress`` is the part that is done, 0 to 1.

    ``report`` is described on the page *Is my game fair?*. ``people``: counts of the matches between people in this hall, for the
    numbers of players of the report. None are given of fewer than five matches.
    """

    id: str
    state: str
    progress: float
    report: dict[str, Any] | None = None
    error: str = ""
    people: list[AmongPeople] = []


def _info(job: Order, answer: Mapping[str, Any]) -> BalanceInfo:
    return BalanceInfo(job.id, job.state, job.progress, answer.get("report"), answer.get("error", ""))


@post("/balance", status_code=202, responses=refusals(400, 401, 404, 413, 429))
async def start_balance(request: AnyRequest, data: Annotated[NewBalance, STRICT], hall: Hall, program: Guest) -> BalanceInfo:
    """Have a balance report made: fairness, length, choice, luck, use of actions and pieces, and differences of variants.

    The hall makes one report at a time; you may have one in its queue.
    """
    subject = game(data.game)
    wanted = {name: value for name, value in msgspec.structs.asdict(data).items() if value or name in ("seconds", "precision")}
    for players in data.players:
        for options in data.variants.values() or [{}]:
            subject.check_setup(players, options)
    for name in data.bots:
        bot(subject, name)
    kind_mask(subject, data.without)
    editions = [subject.edition_for(subject.check_options(options)) for options in data.variants.values() or [{}]]
    checked_own(editions, max(data.players), data.counters, {})
    wanted["name"] = wanted.pop("game")
    return _info(hall.orders.start(program, client_address(request), "report", wanted), {})


@get("/balance/{id:str}", responses=refusals(400, 401, 404))
async def show_balance(hall: Hall, program: Guest, id: str) -> BalanceInfo:
    """Return a report of yours, or how far it is."""
    job = hall.orders.find(program, id)
    info = _info(job, hall.orders.answer(job))
    info.people = await hall.peoples_matches.of(job.request["name"], job.request["players"])
    return info


@delete("/balance/{id:str}", status_code=204, responses=refusals(400, 401, 404))
async def delete_balance(hall: Hall, program: Guest, id: str) -> None:
    """Delete a report of yours, and stop it if it is being made."""
    hall.orders.delete(program, id)


routes = [download_document, change_document, show_workshop, change_workshop, show_report]

api_routes: list[Any] = [start_balance, show_balance, delete_balance]
