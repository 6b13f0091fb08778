"""Responses: whole pages, frames for htmx, and refusals as a page or as JSON."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from errno import EDQUOT, EIO, ENAMETOOLONG, ENOSPC, ENOTDIR, EROFS
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from litestar import MediaType, Response
from litestar.datastructures import Cookie
from litestar.exceptions import ClientException, HTTPException, NotFoundException, ServiceUnavailableException
from litestar.response import Redirect
from litestar.routes import HTTPRoute
from litestar.types.internal_types import PathParameterDefinition

from meadhall.engine.errors import MeadhallError
from meadhall.engine.registry import game, game_fault
from meadhall.engine.text.language import gettext as _, speak
from meadhall.server.errors import (
    NotAdmitted,
    OtherRules,
    RefusalInfo,
    ShutOut,
    Unsure,
    Waiting,
    code_of,
    reason_of,
    rule_of,
    status_of,
)
from meadhall.server.hall.holidays import is_slow
from meadhall.server.hall.notifications import NotificationChoices
from meadhall.server.hall.room import Room
from meadhall.server.hall.talk import muted_words
from meadhall.server.ops.logs import request_id
from meadhall.server.pages.clock import filled, milliseconds
from meadhall.server.pages.frames import TALK_PLACE
from meadhall.server.pages.lobby import shared_link
from meadhall.server.pages.models import Refusal, Viewer
from meadhall.server.pages.talk import panel
from meadhall.server.pages.templates import render
from meadhall.server.store.models import Guest, TableRow
from meadhall.server.web.links import base_url, link, outside, sub_path
from meadhall.server.web.request import AnyRequest, page_id
from meadhall.server.web.sessions import opener_of, preferred_language

log = logging.getLogger(__name__)

Html = Response[str]

Answer = Response[Any] | Redirect

Word = Literal["in", "out", "deleted", "saved", "reported"]
"""What the next page says once: the guest is signed in, is signed out, has deleted their account, has saved their settings, or
has reported something."""

_WORD: Final = "meadhall_word"
"""The cookie that carries it from a form to the next page."""

_LATER: Final = {HTTPStatus.TOO_MANY_REQUESTS: 60, HTTPStatus.SERVICE_UNAVAILABLE: 10}
"""Seconds after which a client should try again, by status, if nothing more exact is known."""

_AGAIN: Final = (*_LATER, HTTPStatus.INTERNAL_SERVER_ERROR)
"""Statuses after which the same request may succeed."""

_STORAGE_ERRORS: Final = (ENOSPC, EDQUOT, EROFS, EIO)


def page(request: AnyRequest, guest: Guest, template: str, content: Any, status: int = 200, **more: Any) -> Html:
    """Return a whole page for a guest. ``content`` is the page's model."""
    origin = outside(request).url.removesuffix(sub_path())
    seen = replace(viewer(guest, opener_of(request)), word=_word(request, guest), has_cookies=_has_cookies(request))
    hall = request.app.state.hall
    if guest.told:
        more["personal"] = _personal_news(guest, hall.time.now())
    shared = {"dev": request.app.state.dev, "house": hall.house, "told": hall.switches.told()}
    text = render(template, seen, content, request.url.path, origin, **shared, **more)
    answer = Response(text, media_type=MediaType.HTML, status_code=status)
    if seen.word:
        answer.delete_cookie(_WORD, path=link("/"))
    return answer


def _has_cookies(request: AnyRequest) -> bool:
    """Return whether the browser keeps cookies, as far as can be known: every page of the hall gives it one."""
    came_from = urlsplit(request.headers.get("Referer", "")).netloc
    return bool(request.cookies) or came_from != urlsplit(base_url(request)).netloc


def _word(request: AnyRequest, guest: Guest) -> str:
    """Return what the form before this page lets it say; "" if it has nothing to say."""
    words = {
        "in": _("Welcome, {name}. You are signed in."),
        "out": _("You are signed out. On this device you are a new guest now: {name}."),
        "saved": _("Your settings are saved."),
        "reported": _("Thank you. The helpers of this hall will look at it."),
        "deleted": _("Your account is deleted. On this device you are a new guest now: {name}."),
    }
    return words.get(request.cookies.get(_WORD, ""), "").format(name=guest.name)


def _personal_news(guest: Guest, now: datetime) -> list[str]:
    """Return what the next page tells a guest once, in words."""
    reason = " " + _("Reason: {reason}").format(reason=guest.reason) if guest.reason else ""
    words = {
        "renamed": _("A helper of this hall has given you another name: {name}.").format(name=guest.name) + reason,
        "muted": muted_words(guest) if guest.muted_until is not None and guest.muted_until > now else "",
        "acted": _("Something was done about what you have reported. Thank you."),
        "unfounded": _("The helpers have looked at what you have reported, and saw no reason to do something."),
    }
    told = guest.told.split() if (guest.closed_until or now) <= now else ()  # who is shut out reads only that
    return [words[key] for key in told if words.get(key)]


def said_next(answer: Redirect, word: Word) -> Redirect:
    """Let the page to which a form leads say something, once."""
    answer.set_cookie(Cookie(_WORD, path=link("/"), value=word, max_age=60, httponly=True, samesite="lax"))
    return answer


def viewer(guest: Guest, device: str) -> Viewer:
    """Return the guest as templates know them. ``device``: the id of the session or device."""
    choices = NotificationChoices.of(guest)
    sounds, notices = (" ".join(choices.kinds(channel)) for channel in ("sound", "notice"))
    settings = (guest.name, guest.language, guest.theme, guest.motion, guest.confirm, guest.onward)
    crest = guest.crest if guest.id else None
    return Viewer(*settings, guest.public_id, sounds, notices, choices.volume, guest.has_account, device, crest, role=guest.role)


def see_other(url: str) -> Redirect:
    """Redirect to a page after a form was handled."""
    return Redirect(url, status_code=303)


def wants_json(request: AnyRequest) -> bool:
    """Return whether the client is a program that reads JSON."""
    return "application/json" in request.headers.get("Accept", "")


def by_htmx(request: AnyRequest) -> bool:
    """Return whether htmx has sent the request, and swaps the response into its page."""
    return request.headers.get("HX-Request") == "true"


# --------------------------------------------------------------------------------------------------------------------- tables


def table_page(
    request: AnyRequest,
    room: Room,
    guest: Guest,
    status: int = 200,
    notice: Refusal | None = None,
    turns: int = 0,
    has_note: bool = False,
    back: TableRow | None = None,
    evening: str = "",
) -> Html:
    """Return the whole page of a table.

    Args:
        request: the request.
        room: the room of the table.
        guest: the guest who looks at it.
        status: the status of the response.
        notice: the refusal of the guest's last request.
        turns: at how many other tables it is the guest's turn.
        has_note: whether they have noted something at this one.
        back: the table from which they have come.
        evening: the way to the evening of the table, as HTML; "" for a table without one.
    """
    state = request.app.state
    frame = state.frames.frame(room, guest, outside(request), notice)
    now = room.time.now()
    talk = panel(state.hall, room, guest)
    more = {
        "frame": filled(frame.html, now).replace(TALK_PLACE, talk),
        "chats": " data-shown" in talk,
        "now": milliseconds(now),
        "turns": turns,
        "has_note": has_note,
        "mark": state.frames.mark(room.table.seat_of(guest.id)),
        "calls": state.hall.notifications.are_pushed and NotificationChoices.of(guest).wants("turn", "push"),
        "evening": evening,
        "back": None if back is None else (link(f"/tables/{back.id}"), game(back.game).title),
        **_public_link(request, room),
    }
    if room.match is None:
        return page(request, guest, "table.html", frame.page, status, kind="lobby", **more)
    content = replace(frame.page, device=_device(request, room, guest))
    return page(request, guest, "table.html", content, status, kind="match", **more)


def _public_link(request: AnyRequest, room: Room) -> dict[str, Any]:
    """Return the link that players send to others, and what one can do there."""
    path = "/daily" if room.table.daily else f"/tables/{room.table.id}"
    if room.table.daily:
        words = _("Send it to your friends. They get the same deal today.")
    elif any(seat.kind == "open" for seat in room.table.seats):
        words = _("Send it to your friends. They can sit down or watch.")
    elif room.table.status == "running":
        words = _("Send it to your friends. They can watch.")
    else:
        words = _("Send it to your friends. They see the end and the replay.")
    return {"public_link": shared_link(outside(request), path), "public_words": words}


def _device(request: AnyRequest, room: Room, guest: Guest) -> dict[str, Any] | None:
    seat = room.table.seat_of(guest.id)
    if seat is None or room.table.status != "running":
        return None
    return {
        "link": shared_link(outside(request), f"/seat/{room.table.seats[seat].link_token}"),
        "renew": link(f"/tables/{room.table.id}/device"),  # address of the form that renews the link
    }


def table_answer(
    request: AnyRequest, room: Room, guest: Guest, error: MeadhallError | None = None, action: int | None = None
) -> Answer:
    """Return the response to a form of a table: a frame for htmx, a page for a plain form, JSON for a program.

    A page whose stream is open needs no frame: the stream has already brought it, or is about to.

    Args:
        request: the request.
        room: the room of the table.
        guest: the guest who sent it.
        error: the reason if the form was refused.
        action: the action of the match that the form asks for, if it does.
    """
    status = HTTPStatus.OK if error is None else status_of(error)
    if wants_json(request):
        return Response({"ok": True}) if error is None else refusal_json(error)
    notice = None if error is None else Refusal(rule_of(error), reason_of(error), action, isinstance(error, Unsure))
    if by_htmx(request):
        frames, reached, is_live = request.app.state.frames, outside(request), room.channel.has_page(guest.id, page_id(request))
        if notice is None and is_live:
            return Response(None, status_code=HTTPStatus.NO_CONTENT)
        if isinstance(error, Unsure):
            status = HTTPStatus.OK  # the page was asked for the question
        html = frames.refusal(room, guest, reached, notice) if is_live else frames.frame(room, guest, reached, notice).html
        return Response(html, media_type=MediaType.HTML, status_code=status)
    if error is None:
        goes_on = action is not None and _goes_on(room, guest)
        return see_other(link(f"/next?after={room.table.id}" if goes_on else f"/tables/{room.table.id}"))
    return table_page(request, room, guest, status, notice)


def _goes_on(room: Room, guest: Guest) -> bool:
    """Return whether a guest who has decided at a slow table wants to go on to the next one."""
    waits = room.match is not None and room.table.status == "running" and not room.state.has_turn(room.table.seat_of(guest.id))
    return guest.onward == "next" and is_slow(room.table) and waits


# ------------------------------------------------------------------------------------------------------------------ refusals


def refusal_json(error: MeadhallError) -> Response[RefusalInfo]:
    """Return a refusal as JSON."""
    return _as_json(RefusalInfo(code_of(error), rule_of(error) or None, reason_of(error), int(status_of(error))))


def _as_json(refusal: RefusalInfo, headers: Mapping[str, str] = MappingProxyType({})) -> Response[RefusalInfo]:
    if refusal.status in _LATER:
        headers = {"Retry-After": str(_LATER[HTTPStatus(refusal.status)]), **headers}
    return Response(refusal, status_code=refusal.status, media_type=MediaType.JSON, headers=headers)


def refused(request: AnyRequest, error: MeadhallError) -> Response[Any]:
    """Return the response to a refused request, for all routes that don't show the refusal at a table."""
    speak(_guest_or_stranger(request).language)
    if wants_json(request) or request.url.path.startswith("/api"):
        return refusal_json(error)
    if isinstance(error, NotAdmitted | ShutOut):
        return _not_admitted_page(request, error)
    record = link(f"/tables/{error.table}/record") if isinstance(error, OtherRules) and error.table else ""
    return _error_page(request, int(status_of(error)), reason_of(error), rule_of(error), record=record)


def failed(request: AnyRequest, error: Exception) -> Response[Any]:
    """Return the response to an HTTP error or an internal error. The details go to the log, not to the client."""
    speak(_guest_or_stranger(request).language)
    if isinstance(error, OSError) and error.errno in _STORAGE_ERRORS:  # of an upload that is kept in a temporary file
        error = ServiceUnavailableException()
    if isinstance(error, RecursionError):
        error = ClientException("nested too deep")  # a body full of brackets
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == HTTPStatus.METHOD_NOT_ALLOWED and request.method == "GET" and "text/html" in request.headers.get("Accept", ""):
        return see_other(link(_page_of_form(request)))  # a form was reloaded: show its page
    headers = _headers_of(error)
    fault = game_fault(error) if status == HTTPStatus.INTERNAL_SERVER_ERROR else None
    what = "" if fault is None else f"{fault.place}: {type(error).__name__}: {error}"
    if fault is not None:
        log.error("the game %s has a mistake: %s", fault.game.name, what)
    if status >= 500:
        path = request.scope.get("path_template")  # the template, because a path may contain a secret key
        log.error("%s %s failed", request.method, path, exc_info=error)
    text = {
        400: _("The server can't read this request: something is missing or malformed."),
        404: _("There is no page at this address."),
        405: _("You can't do that here."),
        413: _("That file or form is too large."),
        503: _("The hall can't save anything at the moment. Please try again in a while."),
        429: _("Too many requests. Wait a minute, then try again."),
    }.get(
        status,
        _("Something went wrong on our side. Nothing is lost; please try again.") if status >= 500 else HTTPStatus(status).phrase,
    )
    if fault is not None:
        words = _(
            "The game {game} has a mistake, so this can't be shown. Nothing is lost. The log of the hall says what is wrong."
        )
        text = words.format(game=fault.game.title) if request.app.state.dev is None else what
    if wants_json(request) or request.url.path.startswith("/api"):
        detail = error.detail if isinstance(error, HTTPException) and status < 500 else text
        return _as_json(RefusalInfo(HTTPStatus(status).name.lower().replace("_", "-"), None, detail, status), headers)
    return _error_page(request, status, text, headers=headers)


def no_file(request: AnyRequest, error: Exception) -> Response[Any]:
    """Return 404 for an impossible file name: it contains a NUL, is too long, or uses a file as a folder."""
    cause = error.__cause__
    impossible = isinstance(error, ValueError) or (isinstance(cause, OSError) and cause.errno in (ENAMETOOLONG, ENOTDIR))
    return failed(request, NotFoundException() if impossible else error)


def _headers_of(error: Exception) -> dict[str, str]:
    """Return the headers that tell a client what to do after an HTTP error: the allowed methods, and when to try again."""
    given = {name.lower(): value for name, value in ((error.headers or {}) if isinstance(error, HTTPException) else {}).items()}
    kept = {name: given[name] for name in given if name.startswith("ratelimit-")}
    if "allow" in given:
        allowed = set(given["allow"].split(", "))
        kept["Allow"] = ", ".join(sorted(allowed | {"HEAD"} if "GET" in allowed else allowed))
    if "ratelimit-reset" in given:
        kept["Retry-After"] = given["ratelimit-reset"]
    return kept


def _page_of_form(request: AnyRequest) -> str:
    """Return the path of the nearest page above the address of a form."""
    pages = [route for route in request.app.routes if isinstance(route, HTTPRoute) and "GET" in route.methods]
    path = request.url.path
    while path := path.rpartition("/")[0]:
        parts = path.strip("/").split("/")
        if any(_fits(route.path_components, parts) for route in pages):
            return path
    return "/"


def _fits(components: Sequence[str | PathParameterDefinition], parts: Sequence[str]) -> bool:
    """Return whether a route has this path. A parameter fits any part."""
    return len(components) == len(parts) and all(
        not isinstance(each, str) or each == part for each, part in zip(components, parts, strict=True)
    )


def _error_page(
    request: AnyRequest,
    status: int,
    text: str,
    rule: str = "",
    headers: Mapping[str, str] = MappingProxyType({}),
    record: str = "",
) -> Response[Any]:
    titles = {403: _("Not allowed"), 404: _("Not found"), 429: _("Too many requests"), 503: _("Not ready yet")}
    request_to_report = request_id.get() if status == HTTPStatus.INTERNAL_SERVER_ERROR else ""
    words = {"title": titles.get(status, _("That didn't work")), "text": text, "rule": rule}
    advice = {
        403: _("If it is yours, sign in as the person to whom it belongs."),
        404: _("Check the address. A link to a table or an invitation may have ended: ask for a new one."),
        429: _("People behind one network share this limit. What you have played is saved."),
        500: _("If it happens again, tell the host of this hall."),
        503: _("What you have played is saved. Try again later."),
    }
    again = link(request.url.path.removeprefix(sub_path())) if status in _AGAIN and request.method == "GET" else ""
    more = {"number": status, "request_id": request_to_report, "record": record, "advice": advice.get(status, ""), "again": again}
    answer = page(request, _guest_or_stranger(request), "error.html", None, status, **words, **more)
    if status in _LATER:
        answer.headers["Retry-After"] = str(_LATER[HTTPStatus(status)])
    answer.headers.update(headers)
    return answer


def _not_admitted_page(request: AnyRequest, error: MeadhallError) -> Html:
    """Return the page for a visitor without admission. It says how to get in."""
    is_shut_out = isinstance(error, ShutOut)
    can_register = request.app.state.hall.admission.can_register
    title, guest = _("You can't come in") if is_shut_out else _("Welcome at the door"), _guest_or_stranger(request)
    more = {"title": title, "text": reason_of(error), "ways": not is_shut_out, "can_register": can_register}
    more |= {"waits": isinstance(error, Waiting), "asked": guest.asks is not None}
    return page(request, guest, "not_admitted.html", None, int(status_of(error)), **more)


def _guest_or_stranger(request: AnyRequest) -> Guest:
    """Return the guest; a nameless one if the request was refused before its guest was identified."""
    known = request.scope["state"].get("guest")
    return known if isinstance(known, Guest) else Guest("", "", preferred_language(request))
