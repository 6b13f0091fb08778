"""The talk panel of a table: its lines, and who may write. A stream sends the parts that are new to a page.

The panel is in no frame: a new line redraws nothing else, and a move doesn't redraw the chat. A frame only has the place where
the page keeps its panel.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from markupsafe import Markup

from meadhall.engine.text.language import current_language
from meadhall.pictures.regions import encoded
from meadhall.pictures.templates import as_markup
from meadhall.server.hall.chat import all_phrases, all_reactions, in_words
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.people.acquaintances import hears
from meadhall.server.hall.room import Room
from meadhall.server.hall.table_tools import table_tools
from meadhall.server.hall.talk import Listener, audience_of, audiences_of, heard, reactions
from meadhall.server.pages.clock import moment
from meadhall.server.pages.frames import TALK_PLACE
from meadhall.server.pages.models import Refusal
from meadhall.server.pages.templates import template
from meadhall.server.store.acquaintances import Ignored
from meadhall.server.store.models import Guest
from meadhall.server.store.talk import ChatLine
from meadhall.server.web.links import link

SHOWN: Final = 60
"""Lines in the panel at most."""


@dataclass(frozen=True)
class TalkParts:
    """The parts of the panel that change, as HTML: lines (oldest first), the note about the readers, other people, reactions."""

    lines: tuple[str, ...] = ()
    about: str = ""
    others: str = ""
    react: str = ""


class TalkPanel:
    """The panel of one open page, which a stream keeps up to date.

    Args:
        hall: the hall.
        room: the table.
        guest: the reader.
    """

    def __init__(self, hall: Hall, room: Room, guest: Guest) -> None:
        self._room = room
        self._guest = guest
        self._listener = Listener(hall.talk, room, guest)
        self._shown: TalkParts | None = None

    def news(self) -> bytes | None:
        """Return the message that the page needs, as JSON; None if it needs none. Raises DatabaseUnavailable."""
        ignored = self._listener.news()
        if ignored is None:
            return None
        before, now = self._shown, parts(self._room, self._guest, ignored)
        if before == now:  # the change doesn't concern this guest, and the guest must not learn of it
            return None
        self._shown = now
        return encoded(changes(before, now))


def changes(before: TalkParts | None, now: TalkParts) -> dict[str, Any]:
    """Return what turns a page's panel into another one: the new lines, and how many of the oldest go.

    ``whole``: the page's panel is not known, or its lines have changed in another way, so all go.
    """
    known = before.lines if before is not None else ()
    dropped = known.index(now.lines[0]) if now.lines and now.lines[0] in known else len(known)
    kept = known[dropped:]
    whole = before is None or now.lines[: len(kept)] != kept
    news: dict[str, Any] = {"whole": whole, "dropped": dropped, "lines": now.lines if whole else now.lines[len(kept) :]}
    for name in ("about", "others", "react"):
        if before is None or getattr(before, name) != getattr(now, name):
            news[name] = getattr(now, name)
    return news


def parts(room: Room, guest: Guest, ignored: Ignored) -> TalkParts:
    """Return the parts of the panel that change."""
    macros: Any = template("_talk.html").module
    lines, language = heard(room, guest, ignored), current_language()
    shown = lines[-SHOWN:]
    texts = [_rendered(line, line.guest == guest.id, room.table.seat_of(line.guest), language) for line in shown]
    if len(lines) > SHOWN:
        texts = [str.strip(macros.earlier(link(f"/tables/{room.table.id}/chat?before={shown[0].id}"))), *texts]
    state = talk_state(room, guest, ignored, bool(lines))
    react = [macros.reactions(state["url"], all_reactions())] if state["reacts"] else []
    react += [macros.reacted(each, in_words(each.phrase or "")) for each in reactions(room, ignored)]
    return TalkParts(tuple(texts), str.strip(macros.note(state)), str.strip(macros.people(state)), "".join(map(str.strip, react)))


@lru_cache(maxsize=4000)  # the pages of a table get the same lines again and again
def _rendered(line: ChatLine, is_mine: bool, seat: int | None, _language: str) -> str:
    """Render a line in the current language."""
    macros: Any = template("_talk.html").module
    return str.strip(macros.line(_view(line, is_mine, seat)))


def panel(hall: Hall, room: Room, guest: Guest) -> Markup:
    """Return the whole panel for a page that is loaded now, as far as it can be made without waiting for the database."""
    ignored = hall.talk.ignoring.known(guest.id)
    if not hall.talk.has_chat(room.table):
        return TALK_PLACE
    macros: Any = template("_talk.html").module
    is_known = ignored is not None and room.chat.is_current
    shown = parts(room, guest, ignored) if ignored is not None and is_known else TalkParts()
    html = map(as_markup, ("".join(shown.lines), shown.about, shown.others, shown.react))
    return Markup(macros.panel(link(f"/tables/{room.table.id}"), *html, all_phrases(), new_key()))


def new_key() -> str:
    """Return a key for a form: if it is sent twice, its line is said once."""
    return secrets.token_urlsafe(12)


def _view(line: ChatLine, is_mine: bool, seat: int | None) -> dict[str, Any]:
    words = line.text if line.phrase is None else in_words(line.phrase)
    return {
        "id": line.id,
        "seat": seat,  # the seat that its author has now; None without one
        "is_watcher": line.seat is None,  # whether its author was a spectator
        "name": line.name,
        "text": words,
        "is_mine": is_mine,  # whether the reader has written it
        "is_deleted": line.is_deleted,  # whether its text was deleted by the host of the hall
        "at": moment(line.at),
    }


def talk_state(room: Room, guest: Guest, ignored: Ignored, has_lines: bool) -> dict[str, Any]:
    """Return what the panel says beside its lines."""
    table, people = room.table, tuple(_people_here(room, guest, ignored))
    is_spectator = audience_of(table, guest) == "spectators"
    may_come = table.status == "gathering" and any(row.kind == "open" for row in table.seats)
    return {
        "url": link(f"/tables/{table.id}"),  # the address of the table
        # whether there is a reason to show the panel: someone to talk to, or something to read
        "shown": has_lines or is_spectator or may_come or table_tools(table).chat,
        "spectator": is_spectator,  # whether the reader is a spectator
        "running": table.status == "running",  # whether the match is running
        "closed": room.chat.is_closed,  # whether the host of the table has closed the chat
        # whether the reader can write no lines, for want of an account
        "phrases_only": not room.services.switches.allows("chat", guest),
        "host": table.is_hosted_by(guest.id),  # whether the reader is the host of the table
        # whether the reader can react: a player among other people
        "reacts": not (is_spectator or room.chat.is_closed) and table_tools(table).chat,
        "people": people,
    }


def _people_here(room: Room, guest: Guest, ignored: Ignored) -> Iterator[dict[str, Any]]:
    """Yield the other players, and the spectators who have said something that the guest may hear."""
    seated: set[str] = set()
    for row in room.table.seats:
        seated |= row.guests
        if row.kind == "human" and guest.id not in row.guests:
            yield {
                "who": f"seat:{row.seat}",
                "seat": row.seat,
                "name": row.name,
                "muted": bool(row.guests & ignored.muted),
                "blocked": bool(row.guests & ignored.blocked),
            }
    authors: dict[str, ChatLine] = {}
    for line in room.chat.lines(audiences_of(room.table, guest)):
        is_known = hears(ignored, line) or line.guest in ignored.muted | ignored.blocked
        if is_known and line.guest not in seated and line.guest != guest.id:
            authors[line.guest] = line
    for author, line in authors.items():
        yield {
            "who": f"line:{line.id}",
            "seat": None,
            "name": line.name,
            "muted": author in ignored.muted,
            "blocked": author in ignored.blocked,
        }


def chat_page(
    hall: Hall, room: Room, guest: Guest, before: str | None, notice: Refusal | None = None, typed: str = ""
) -> dict[str, Any]:
    """Return the page with the last lines of a chat, or with the last ones before a line. Raises ChatOff, NotFound."""
    lines, has_earlier = hall.talk.earlier(room, guest, before)
    ignored = hall.talk.prepare(room, guest)
    url = link(f"/tables/{room.table.id}/chat")
    return {
        "title": room.game.title,
        "state": talk_state(room, guest, ignored, bool(lines)),
        "lines": tuple(_view(line, line.guest == guest.id, room.table.seat_of(line.guest)) for line in lines),
        # the address of the page before; "" on the first
        "earlier": f"{url}?before={lines[0].id}" if has_earlier and lines else "",
        "latest": "" if before is None else url,  # the address of the last page; "" if it is this one
        "key": new_key(),
        "phrases": all_phrases(),
        "marks": room.table.marks,  # those of the seats
        "notice": notice,
        "typed": typed,  # what the reader had written when it was refused
    }
