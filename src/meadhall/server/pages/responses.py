"""Answers: whole pages, frames for the stream and for htmx, refusals as a page or as JSON."""

from __future__ import annotations

import logging
import secrets
from dataclasses import replace
from errno import ENAMETOOLONG, ENOTDIR
from http import HTTPStatus
from typing import Any

from litestar import MediaType, Response
from litestar.exceptions import ClientException, HTTPException, NotFoundException
from litestar.response import Redirect
from markupsafe import Markup, escape

from meadhall.engine.errors import MeadhallError
from meadhall.engine.language import gettext as _
from meadhall.engine.language import speak
from meadhall.engine.match import Match
from meadhall.server.errors import RefusalInfo, code_of, reason_of, rule_of, status_of
from meadhall.server.hall.room import Room
from meadhall.server.pages.lobby import lobby_page, qr_code
from meadhall.server.pages.match import game_page, seat_views
from meadhall.server.pages.models import Device, ErrorPage, MatchPage, Refusal, Viewer
from meadhall.server.pages.templates import fragment, game_frame, render
from meadhall.server.store.store import Guest
from meadhall.server.web.request import base_url
from meadhall.server.web.sessions import AnyRequest, preferred_language

log = logging.getLogger(__name__)

Html = Response[str]

_PROMPT_GAP = f"prompt-{secrets.token_hex(16)}"
_NUMBER_GAP = -secrets.randbits(62)
"""Nobody can be called like these: they are others at every start."""


def page(request: AnyRequest, guest: Guest, template: str, content: Any, status: int = 200, **more: Any) -> Html:
    """A whole page for a guest."""
    text = render(template, viewer(guest), content, request.url.path, **more)
    return Response(text, media_type=MediaType.HTML, status_code=status, headers={"Cache-Control": "no-store"})


def viewer(guest: Guest) -> Viewer:
    """Return the guest as templates know them."""
    return Viewer(guest.name, guest.language, guest.theme)


def see_other(url: str) -> Redirect:
    """Go there with GET, after a form was dealt with."""
    return Redirect(url, status_code=303)


def wants_json(request: AnyRequest) -> bool:
    """Whether the asker is a program that reads JSON."""
    return "application/json" in request.headers.get("Accept", "")


def by_htmx(request: AnyRequest) -> bool:
    """Whether the page's own script asks, and swaps what it is answered."""
    return request.headers.get("HX-Request") == "true"


# --------------------------------------------------------------------------------------------------------- a table's frames


def frame(room: Room, guest: Guest, base: str, notice: Refusal | None = None) -> bytes:
    """What the guest sees of a table now: the lobby, or the game. Speaks the current language."""
    if room.match is None:
        lobby = replace(lobby_page(room, guest, base), notice=notice)
        return render("_frame.html", viewer(guest), lobby, lobby.url, kind="lobby", version=room.version).encode()
    return _game_frame(room, guest, room.match, notice)[0]


def _game_frame(
    room: Room, guest: Guest, match: Match, notice: Refusal | None = None, device: Device | None = None
) -> tuple[bytes, MatchPage]:
    """The guest's frame, and the page that it is made of. Drawn once a version for each seat."""
    seat, language, cache = room.table.seat_of(guest.id), guest.language, room.cache
    if ("public", language) not in cache:
        everybody = game_page(room, match, None, seat_views(room))
        cache["page", None, language] = everybody
        cache["public", language] = fragment("_public.html", _anybody(guest), everybody, everybody.url)
    public = cache["public", language]
    if ("page", seat, language) not in cache:
        cache["page", seat, language] = game_page(room, match, seat, cache["page", None, language].seats)
    content: MatchPage = cache["page", seat, language]
    if notice or device:
        content = replace(content, notice=notice, device=device)
        private = fragment("_private.html", _anybody(guest), content, content.url)
        return game_frame(content, room.version, private, public), content
    if ("frame", seat, language) not in cache:
        cache["frame", seat, language] = game_frame(content, room.version, _private(room, guest, content), public)
    return cache["frame", seat, language], content


def _private(room: Room, guest: Guest, content: MatchPage) -> bytes:
    """A guest's private part. Of who waits it changes little from move to move, so it is kept with gaps for what does."""
    if content.your_turn:
        return fragment("_private.html", _anybody(guest), content, content.url)
    who = tuple([(seat.name, seat.kind, seat.bot, seat.out, seat.winner) for seat in content.seats])
    key = (
        guest.language,
        content.viewer,
        content.own,
        content.whispers,
        content.status,
        content.thinking,
        content.can_undo,
        content.result,
        content.rematch,
        who,
    )
    kept = room.waiting.get(key)
    if kept is None:
        seats = tuple(replace(seat, active=False, online=True) for seat in content.seats)
        gaps = replace(content, prompt=_PROMPT_GAP, n=_NUMBER_GAP, seats=seats)
        kept = fragment("_private.html", _anybody(guest), gaps, gaps.url)
        room.keep_waiting(key, kept)
    return kept.replace(_PROMPT_GAP.encode(), escape(content.prompt).encode()).replace(b"%d" % _NUMBER_GAP, b"%d" % content.n)


def _anybody(guest: Guest) -> Viewer:
    """The viewer of what is rendered once for many: no name."""
    return Viewer("", guest.language, "auto")


def table_page(request: AnyRequest, room: Room, guest: Guest, status: int = 200, notice: Refusal | None = None) -> Html:
    """The whole page of a table."""
    if room.match is None:
        lobby = replace(lobby_page(room, guest, base_url(request)), notice=notice)
        return page(request, guest, "lobby.html", lobby, status, kind="lobby", version=room.version)
    drawn, content = _game_frame(room, guest, room.match, notice, _device(request, room, guest))
    shown = Markup(drawn.decode())
    return page(request, guest, "game.html", content, status, kind="game", frame=shown)


def _device(request: AnyRequest, room: Room, guest: Guest) -> Device | None:
    seat = room.table.seat_of(guest.id)
    if seat is None or room.table.status != "running":
        return None
    url = f"{base_url(request)}/seat/{room.table.seats[seat].key}"
    return Device(url, qr_code(url))


def table_answer(request: AnyRequest, room: Room, guest: Guest, error: MeadhallError | None = None) -> Redirect | Response[Any]:
    """The answer to something done at a table: a frame for htmx, a page for a plain form, JSON for a program."""
    status = HTTPStatus.OK if error is None else status_of(error)
    if wants_json(request):
        return Response({"ok": True}) if error is None else refusal_json(error)
    notice = None if error is None else Refusal(rule_of(error), reason_of(error))
    if by_htmx(request):
        drawn = frame(room, guest, base_url(request), notice)
        return Response(drawn, media_type=MediaType.HTML, status_code=status, headers={"Cache-Control": "no-store"})
    if error is None:
        return see_other(f"/tables/{room.table.id}")
    return table_page(request, room, guest, status, notice)


# ------------------------------------------------------------------------------------------------------------------ refusals


def refusal_json(error: MeadhallError) -> Response[RefusalInfo]:
    """A refusal for programs."""
    return _for_programs(RefusalInfo(code_of(error), rule_of(error) or None, reason_of(error), int(status_of(error))))


def _for_programs(refusal: RefusalInfo) -> Response[RefusalInfo]:
    return Response(refusal, status_code=refusal.status, media_type=MediaType.JSON)


def refused(request: AnyRequest, error: MeadhallError) -> Response[Any]:
    """The answer to what was refused anywhere else."""
    speak(_asker(request).language)
    if wants_json(request) or request.url.path.startswith("/api"):
        return refusal_json(error)
    return _error_page(request, int(status_of(error)), reason_of(error), rule_of(error))


def failed(request: AnyRequest, error: Exception) -> Response[Any]:
    """The answer to an HTTP error, or to a fault of ours; the details stay in the log."""
    speak(_asker(request).language)
    if isinstance(error, RecursionError):
        error = ClientException("nested too deep")  # a body of brackets
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status >= 500:
        log.error(
            "%s %s failed", request.method, request.scope.get("path_template"), exc_info=error
        )  # a path may hold a secret key
    text = {
        400: _("That can't be understood: something in it is missing or malformed."),
        404: _("There is nothing here."),
        405: _("That can't be done here."),
        413: _("That is too large."),
        429: _("That was a lot at once. Wait a minute, then go on."),
    }.get(
        status,
        _("Something went wrong on our side. Nothing is lost; please try again.") if status >= 500 else HTTPStatus(status).phrase,
    )
    if wants_json(request) or request.url.path.startswith("/api"):
        detail = error.detail if isinstance(error, HTTPException) and status < 500 else text
        return _for_programs(RefusalInfo(HTTPStatus(status).name.lower().replace("_", "-"), None, detail, status))
    return _error_page(request, status, text)


def no_file(request: AnyRequest, error: Exception) -> Response[Any]:
    """The answer where no file can be: its name holds a NUL or is too long, or leads through a file."""
    cause = error.__cause__
    impossible = isinstance(error, ValueError) or (isinstance(cause, OSError) and cause.errno in (ENAMETOOLONG, ENOTDIR))
    return failed(request, NotFoundException() if impossible else error)


def _error_page(request: AnyRequest, status: int, text: str, rule: str = "") -> Response[Any]:
    titles = {403: _("Not yours"), 404: _("Not found"), 429: _("Too much at once"), 503: _("In a moment")}
    content = ErrorPage(status, titles.get(status, _("That did not work")), text, rule)
    return page(request, _asker(request), "error.html", content, status)


def _asker(request: AnyRequest) -> Guest:
    """The guest, or a nameless one when the request was refused before it was known whose it is."""
    known = request.scope["state"].get("guest")
    return known if isinstance(known, Guest) else Guest("", "", preferred_language(request))


def guest_of(request: AnyRequest) -> Guest:
    """Who asks."""
    guest = request.scope["state"]["guest"]
    assert isinstance(guest, Guest)
    return guest
