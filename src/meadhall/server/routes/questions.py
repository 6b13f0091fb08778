"""Questions of the workshop: the list, a question with its variants side by side, and its reports beside it.

With a script an edited field posts itself, and only the panel beside the fields comes back: an answer never replaces a field.
Without one a button sends all fields.
"""

from __future__ import annotations

import gzip
from base64 import b64decode
from functools import partial
from itertools import pairwise
from typing import Any, Final
from urllib.parse import urlsplit

from litestar import get, post
from litestar.datastructures import FormMultiDict
from msgspec.structs import replace

from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.game import Document, Game
from meadhall.engine.match.record import loads
from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound, reason_of, status_of
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.lobby_changes import arranged, with_options
from meadhall.server.hall.questions import SEARCH, first_content, new_variant, option_of, options_of, request_of
from meadhall.server.pages.models import Refusal
from meadhall.server.pages.questions import fragment_of, question_lines, question_page
from meadhall.server.pages.replay import replay_page
from meadhall.server.pages.responses import Answer, Html, by_htmx, page, see_other
from meadhall.server.routes.workshop import DOCUMENT_LIMIT, content_of
from meadhall.server.store.models import Guest
from meadhall.server.store.questions import Content, Question, Variant
from meadhall.server.web.forms import LONGEST
from meadhall.server.web.links import link, outside
from meadhall.server.web.request import AnyRequest, client_address
from meadhall.server.web.sessions import Sessions
from meadhall.server.worker.threads import run_in_thread

_GROUPS: Final = ("players", "bots", "without")
"""Fields with several values, of which a form sends only those that are ticked."""

_DIGITS: Final = 7
"""Digits of a number that are read."""


@get("/workshop")
async def show_questions(request: AnyRequest, hall: Hall, guest: Guest, game: str = "", table: str = "") -> Html:
    """Show the guest's questions, and the games for a new question: the game of a table first."""
    lines = question_lines(hall, guest) if guest.is_stored else []
    games = sorted(game_names(), key=lambda name: name != game)
    return page(request, guest, "questions.html", lines, games=games, first=game, table=table)


@post("/workshop", status_code=200)
async def ask_question(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions) -> Answer:
    """Begin a question about a game, or about the options of a table. With a ``document`` the next page edits that."""
    form = await request.form()
    if form.get("table"):
        room = await hall.room(str(form["table"]))
        room.check_visible(guest)
        subject, options, players = room.game, room.table.options, len(room.table.seats)
        content = first_content(subject, new_variant(_("This table"), options, ()), players=players)
    else:
        subject = game(str(form.get("game", "")))
        content = first_content(subject)
    question = hall.questions.create(sessions.save(guest), subject, content)
    rest = f"/{question.content.variants[0].key}/{form['document']}" if form.get("document") else ""
    return see_other(link(f"/workshop/{question.id}{rest}"))


@get("/workshop/{id:str}")
async def show_question(request: AnyRequest, hall: Hall, guest: Guest, id: str, report: str = "") -> Answer:
    """Show a question and a report on it: the last one, or another one that is kept."""
    if id in game_names():  # an older address
        return see_other(link(f"/workshop?game={id}"))
    return await _shown(request, hall, guest, hall.questions.find(id), report)


@post("/workshop/{id:str}", status_code=200, request_max_body_size=DOCUMENT_LIMIT)
async def change_question(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions, id: str) -> Answer:
    """Change a question by the fields of a form, and do what its button says."""
    question, form = hall.questions.find(id), await request.form()
    do, _colon, what = str(form.get("do", "")).partition(":")
    try:
        if do == "copy":
            return see_other(link(f"/workshop/{hall.questions.copy(sessions.save(guest), id).id}"))
        if do != "play" or question.guest == guest.id:
            question = hall.questions.change(guest, id, partial(_edited, game(question.game), form))
        match do:
            case "play":
                return see_other(link(f"/tables/{await _table(hall, sessions.save(guest), question, what)}"))
            case "delete":
                hall.questions.delete(guest, id)
                return see_other(link("/workshop"))
            case "undo":
                question = hall.questions.undo(guest, id)
            case "report" | "stop":
                await _report(hall, guest, client_address(request), question, is_stopped=do == "stop")
            case str() if do:
                variants = await _variants(hall, guest, question, form)
                question = hall.questions.change(guest, id, lambda content: replace(content, variants=variants))
    except MeadhallError as error:
        return await _shown(request, hall, guest, question, error=error, is_edit=by_htmx(request) and not do)
    if by_htmx(request):
        return await _shown(request, hall, guest, question, is_edit=not do)
    return see_other(link(f"/workshop/{id}"))


async def _report(hall: Hall, guest: Guest, address: str, question: Question, *, is_stopped: bool) -> None:
    """Stop the report that is being made on a question. Unless ``is_stopped``, order another one. Raises BadSetup, TooMany."""
    wanted = None if is_stopped else await run_in_thread(request_of, question, guest.language)
    for order in hall.orders.of(question.id):
        if order.is_open:
            hall.orders.delete(guest, order.id)
    if wanted:
        hall.orders.start(guest, address, "report", wanted, question.id)


@get("/workshop/{id:str}/reports/{report:str}/{number:int}")
async def watch_example(
    request: AnyRequest, hall: Hall, guest: Guest, id: str, report: str, number: int, step: int | None = None, seat: str = ""
) -> Html:
    """Show a match of a report step by step."""
    order = next((each for each in hall.orders.of(hall.questions.find(id).id) if each.id == report), None)
    answer = {} if order is None else hall.orders.answer(order)
    records = [each["record"] for cell in answer.get("report", {}).get("cells", ()) for each in cell["examples"]]
    if number >= len(records):
        raise NotFound(_("There is no such match in this report."))
    match = await hall.uploads.match(gzip.decompress(b64decode(records[number])).decode())
    url = link(f"/workshop/{id}/reports/{report}/{number}")
    content = replay_page(match, url, step, seat, None, link(f"/workshop/{id}?report={report}"))
    return page(request, guest, "replay.html", content, back=_("Back to the report"))


async def _shown(
    request: AnyRequest,
    hall: Hall,
    guest: Guest,
    question: Question,
    report: str = "",
    error: MeadhallError | None = None,
    is_edit: bool = False,
) -> Html:
    """Return the page of a question; for an edited field only the panel beside the fields."""
    orders = hall.orders.of(question.id)
    shown = next((each for each in orders if each.id == report), orders[0] if orders else None)
    more = question_page(hall, guest, question, outside(request), shown)
    if not is_edit:
        answer = {} if shown is None else hall.orders.answer(shown)
        more["fragment"] = fragment = await run_in_thread(fragment_of, question, shown, answer)
        more["people"] = await hall.peoples_matches.of(question.game, shown.request["players"]) if fragment and shown else []
    more["notice"] = None if error is None else Refusal("", reason_of(error))
    template = "_question_side.html" if is_edit else "question.html"
    return page(request, guest, template, question, 200 if error is None else int(status_of(error)), **more)


async def _table(hall: Hall, guest: Guest, question: Question, key: str) -> str:
    """Open a table with a variant, and return its id. Raises BadSetup, NotFound, NotReady, TooMany."""
    options = await run_in_thread(options_of, question, question.content.variant(key))
    subject, players = game(question.game), question.content.players[0]
    subject.check_setup(players, options)
    room = await hall.open_table(guest, subject.name, players, public=False)
    room.change_table(arranged(with_options(subject, options)))
    return room.table.id


# --------------------------------------------------------------------------------------------------------------------- changes


def _edited(subject: Game, form: FormMultiDict, content: Content) -> Content:
    """Return the content with the fields of a form: those that it names as ``only``, or all. Raises BadSetup."""

    def texts(name: str, longest: int = LONGEST) -> list[str]:
        return [str(each)[:longest] for each in form.getall(name, []) if each]

    def numbers(name: str) -> tuple[int, ...]:
        return tuple(int(text) for text in texts(name, _DIGITS) if text.isdecimal())

    sent = set(texts("only")) or {*form, *(_GROUPS if "save" in form else ())}
    values = {
        "name": " ".join(texts("name")),
        "players": numbers("players"),
        "bots": (*texts("bots"), *(f"{SEARCH}{steps}" for steps in texts("search", _DIGITS))),
        "without": tuple(texts("without")),
        "figures": tuple(line for line in "".join(texts("figures", DOCUMENT_LIMIT)).splitlines() if line.strip()),
        "seconds": sum(numbers("seconds")),
    }
    changed = replace(content, **{name: value for name, value in values.items() if name in sent})
    known = {each.key for each in content.variants}
    for name in sent:
        key, _colon, option = name.partition(":")
        if key in known and option:
            changed = changed.with_option(key, option, option_of(subject, option).read("".join(texts(name))))
        elif key in known:
            changed = changed.with_variant(key, name="".join(texts(name)))
    return changed


async def _variants(hall: Hall, guest: Guest, question: Question, form: FormMultiDict) -> tuple[Variant, ...]:
    """Return the variants after a button that adds some or takes one out. Raises BadSetup, NotFound, RecordError."""
    subject, variants = game(question.game), question.content.variants
    do, _colon, what = str(form["do"]).partition(":")
    match do:
        case "remove":
            gone = question.content.variant(what)
            return tuple(each for each in variants if each != gone)
        case "twin":
            model = question.content.variant(what)
            found = [(model.name, model.options)]
        case "link":
            found = await _linked(hall, guest, subject, str(form.get("address", "")))
        case "file":
            found = [await run_in_thread(_in_file, subject, await content_of(form.get("file")))]
        case "add":
            found = [(_("Mine"), {})]
        case _:
            raise NotFound(_("There is no page at this address."))
    for name, options in found:
        variants = (*variants, new_variant(name, options, variants))
    return variants


async def _linked(hall: Hall, guest: Guest, subject: Game, address: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the names and options behind the link to a question or a table. Raises BadSetup, NotFound."""
    parts = urlsplit(address).path.strip("/").split("/")
    room, id = next(((kind, id) for kind, id in pairwise(parts) if kind in ("workshop", "tables")), ("", ""))
    if room == "tables":
        table = await hall.room(id)
        table.check_visible(guest)
        name, found = table.game.name, [(_("That table"), table.table.options)]
    elif room == "workshop":
        source = hall.questions.find(id)
        name, found = source.game, [(each.name, each.options) for each in source.content.variants]
    else:
        raise BadSetup(_("This is no link to a question or a table of this hall."))
    if name != subject.name:
        raise BadSetup(_("That is about {game}.").format(game=game(name).title))
    return found


def _in_file(subject: Game, content: bytes) -> tuple[str, dict[str, Any]]:
    """Return the name and the options in a file: the record of a match, or a document (TOML). Raises BadSetup, RecordError."""
    if content.lstrip().startswith(b"{"):
        record = loads(content)
        if record.get("game") != subject.name:
            raise BadSetup(_("This match is one of another game."))
        return _("That match"), record.get("options", {})
    documents = [option for option in subject.options if isinstance(option, Document)]
    if not documents:
        raise BadSetup(_("{game} has no document. Choose the record of a match.").format(game=subject.title))
    return _("From a file"), {documents[0].name: documents[0].check(content)}


routes = [show_questions, ask_question, show_question, change_question, watch_example]
