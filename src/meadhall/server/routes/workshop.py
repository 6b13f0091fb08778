"""Documents of a game: to download, to upload, to change in the form of the workshop, and reports on what they mean.

The form carries the whole document.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal
from urllib.parse import quote

import msgspec
from litestar import Response, delete, get, post
from litestar.datastructures import UploadFile
from litestar.response import Redirect

from meadhall.bots import bot
from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.options import MAX_SIZE
from meadhall.engine.registry import game
from meadhall.engine.text.language import gettext as _
from meadhall.lab.balance.own import checked_own
from meadhall.lab.entrants import kind_mask
from meadhall.server.hall.among_people import AmongPeople
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.lobby_changes import document_of
from meadhall.server.hall.orders import MOST_SECONDS
from meadhall.server.hall.questions import MOST_VARIANTS
from meadhall.server.hall.room import Room
from meadhall.server.pages.responses import Answer, see_other, table_answer
from meadhall.server.routes.api_models import STRICT, refusals
from meadhall.server.store.models import Guest
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest, client_address

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


@get("/workshop/{subject:str}/{name:str}")
async def show_older_address(subject: str, table: str = "") -> Redirect:
    """Go to where a question about a game begins: an older address of its document."""
    more = f"&table={quote(table)}" if table else ""
    return see_other(link(f"/workshop?game={quote(subject)}{more}"))


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


@post("/balance", status_code=202, responses=refusals(400, 401, 404, 413, 429))
async def start_balance(request: AnyRequest, data: Annotated[NewBalance, STRICT], hall: Hall, program: Guest) -> BalanceInfo:
    """Have a balance report made: fairness, length, choice, luck, use of actions and pieces, and differences of variants.

    The hall makes one report at a time; you may have one in its queue.
    """
    subject = game(data.game)
    wanted = {name: value for name, value in msgspec.structs.asdict(data).items() if value or name in ("seconds", "precision")}
    setups = [subject.check_setup(players, options) for players in data.players for options in data.variants.values() or [{}]]
    for name in data.bots:
        bot(subject, name)
    kind_mask(subject, data.without)
    checked_own([subject.edition_for(options) for _players, options in setups], max(data.players), data.counters, {})
    wanted["name"] = wanted.pop("game")
    order = hall.orders.start(program, client_address(request), "report", wanted)
    return BalanceInfo(order.id, order.state, order.progress)


@get("/balance/{id:str}", responses=refusals(400, 401, 404))
async def show_balance(hall: Hall, program: Guest, id: str) -> BalanceInfo:
    """Return a report of yours, or how far it is."""
    order = hall.orders.find(program, id)
    answer = hall.orders.answer(order)
    people = await hall.peoples_matches.of(order.request["name"], order.request["players"])
    return BalanceInfo(order.id, order.state, order.progress, answer.get("report"), answer.get("error", ""), people)


@delete("/balance/{id:str}", status_code=204, responses=refusals(400, 401, 404))
async def delete_balance(hall: Hall, program: Guest, id: str) -> None:
    """Delete a report of yours, and stop it if it is being made."""
    hall.orders.delete(program, id)


routes = [download_document, change_document, show_older_address]

api_routes: list[Any] = [start_balance, show_balance, delete_balance]
