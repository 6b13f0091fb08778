"""Frames: the part of a table's page that changes. The stream sends it, and htmx swaps it in.

A frame of a match has two parts (docs/decisions/0012-patched-frames.md). The public part is the same for every viewer; the
private part is one viewer's prompt and controls. The log and the end tell all viewers the same, but call each of them "you".
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, is_dataclass, replace
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from jinja2.runtime import Macro
from markupsafe import Markup

from meadhall.engine.match.match import Match
from meadhall.engine.match.view import View
from meadhall.engine.text.language import current_language
from meadhall.pictures.templates import as_markup
from meadhall.server.hall.room import Room
from meadhall.server.ops.byte_cache import ByteCache
from meadhall.server.pages.lobby import lobby_page
from meadhall.server.pages.log import TurnLog
from meadhall.server.pages.log_text import LogText
from meadhall.server.pages.match import public_page, seat_page, seat_views
from meadhall.server.pages.models import LobbyPage, MatchPage, Refusal, SeatView
from meadhall.server.pages.patches import CUT, Pieces, pieces_of, without_cuts
from meadhall.server.pages.templates import environment, template
from meadhall.server.store.models import Guest
from meadhall.server.web.links import Outside

_FRAGMENTS_SIZE = 64 * 1024 * 1024
"""Bytes of rendered fragments in the cache: enough for some 60 log entries and 20 parts of a board at each of 200 busy tables."""

_VALUES_SIZE = 1500
"""Bytes of the values that a fragment was rendered from, beside its text."""

TALK_PLACE = Markup('<talk-panel id="talk" data-keep></talk-panel>')
"""Where a page keeps the talk panel, in the frame of a lobby and of a match. Frames don't have the panel itself.

Its tag is used for nothing else: idiomorph would change another element with the same tag into this one.
"""


@dataclass(frozen=True)
class Frame:
    """A frame, and the model that it was rendered from.

    Attributes:
        sections: its text: lists of pieces of HTML, one after the other. The sections of a match are the viewer's part, the
            public part and the log.
    """

    sections: tuple[Pieces, ...]
    page: LobbyPage | MatchPage

    @cached_property
    def html(self) -> Markup:
        """The whole text."""
        return Markup("".join(piece for section in self.sections for piece in section))


@dataclass
class _Public:
    """The part that all frames of a version share in one language."""

    page: MatchPage  # of a spectator
    pieces: Pieces


class _Table:
    """The rendered parts of the newest version of a table, its log, and the parts of its viewers that seldom change.

    Attributes:
        frames: by seat and language, with the version for the seat.
        prompts: by what they show: those who wait see the same.
    """

    def __init__(self) -> None:
        self.version = -1
        self.public: dict[str, _Public] = {}  # by language
        self.frames: dict[tuple[int | None, str], tuple[Frame, int]] = {}
        self.prompts: dict[Hashable, str] = {}
        self.log_text: LogText | None = None
        self._parts: dict[tuple[int | None, str, str], tuple[Any, str]] = {}  # by seat, language and name, with their values

    def renew(self, version: int) -> None:
        """Forget what belongs to another version."""
        if version != self.version:
            self.version = version
            self.public.clear()
            self.frames.clear()
            self.prompts.clear()

    def part(self, viewer: int | None, name: str, values: Any, render: Callable[[], str]) -> str:
        """Return a part of a viewer's frame. It is rendered again only if one of its values has changed."""
        place = viewer, current_language(), name
        known, html = self._parts.get(place, (None, ""))
        if known != values:
            html = str(render())
            self._parts[place] = values, html
        return html

    def log(self, view: View) -> LogText:
        """Return the log up to this view."""
        if self.log_text is None or not self.log_text.log.follow(view):
            self.log_text = LogText(TurnLog(view))
        self.log_text.follow()
        return self.log_text


_PLAIN = frozenset({str, int, bool, float, type(None)})


def _has_markup(value: object) -> bool:
    """Return whether a tuple or a model has Markup in it."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Markup):
            return True
        if isinstance(each, tuple | frozenset):
            waiting += each
        elif type(each) not in _PLAIN and is_dataclass(each):
            waiting += [getattr(each, name) for name in each.__dataclass_fields__]
    return False


class Frames:
    """The frames of all tables, and the two caches of rendered parts that pay (docs/decisions/0012-patched-frames.md).

    - By table: the public part of the newest version, and the frame of each seat. All pages of a seat, and the answer to its
      post, get the same frame.
    - By value: fragments of templates. Most of a frame looks as it did before the last action.
    """

    def __init__(self) -> None:
        self._tables: WeakKeyDictionary[Room, _Table] = WeakKeyDictionary()
        self._fragments: ByteCache[Hashable, Markup] = ByteCache(_FRAGMENTS_SIZE)
        environment().globals.update(cached=self.cached, cut=Markup(CUT))

    def cached(self, macro: Macro, *values: Hashable) -> Markup:
        """Return what a macro renders for these values, from the cache if possible. It is a piece of a frame.

        The macro must stand in an imported template: a macro of a page's own template is a new object in every rendering.
        """
        return self._fragment(macro, values, current_language())

    def _fragment(self, macro: Macro, values: tuple[Hashable, ...], language: str) -> Markup:
        """Return a fragment by the values and their types: Markup equals a text with the same characters, and 1 equals True.

        The types within a value are not compared, which would take longer than the rest. So a value with Markup in it isn't kept:
        an equal one with a text, which must be escaped, would get its fragment.
        """
        key = macro, values, tuple(map(type, values)), language
        found = self._fragments.get(key)
        if found is None:
            found = Markup(f"{CUT}{without_cuts(macro(*values))}{CUT}")
            if not any(_has_markup(value) for value in values if type(value) is not Markup):
                self._fragments.put(key, found, _VALUES_SIZE + 2 * len(found))
        return found

    def frame(self, room: Room, guest: Guest, outside: Outside, notice: Refusal | None = None) -> Frame:
        """Return the frame of a table as a guest sees it, in the current language: the lobby or the match.

        Args:
            outside: the beginning of the invitation's address.
            notice: the refusal of the guest's last request, shown once.
        """
        if room.match is None:
            lobby = replace(lobby_page(room, guest, outside), notice=notice)
            text = template("_lobby.html").render(page=lobby, version=room.version)
            return Frame((pieces_of(text),), lobby)
        return self._match_frame(room, room.match, room.table.seat_of(guest.id), notice)

    def _match_frame(self, room: Room, match: Match, seat: int | None, notice: Refusal | None) -> Frame:
        table = self._tables.setdefault(room, _Table())
        table.renew(room.version)
        language, number = current_language(), room.version_for(seat)
        if language not in table.public:
            table.public[language] = self._public_part(room, match, table)
        public = table.public[language]
        frame, known = table.frames.get((seat, language), (None, None))
        if frame is None or known != number:
            page = public.page
            if seat is not None:
                page = seat_page(room, match, match.view(seat), page)
            frame = Frame((self._own_part(table, page, number), public.pieces, self._told_part(table, page)), page)
            table.frames[seat, language] = frame, number
        if notice:
            assert isinstance(frame.page, MatchPage)
            page = replace(frame.page, notice=notice)
            return Frame((self._own_part(table, page, number), *frame.sections[1:]), page)
        return frame

    def _public_part(self, room: Room, match: Match, table: _Table) -> _Public:
        view = match.view()
        page = public_page(room, match, view, seat_views(room), table.log(view).log.turns)
        return _Public(page, pieces_of(self.public(page)))

    def _own_part(self, table: _Table, page: MatchPage, version: int) -> Pieces:
        """Return the beginning of a frame: what its viewer alone gets."""
        macros: Any = template("_private.html").module
        shape = page.title, len(page.seats), page.viewer, page.your_turn, page.status != "running"
        attributes = table.part(page.viewer, "attributes", shape, lambda: without_cuts(macros.frame_attributes(*shape)))
        return pieces_of(f'<div id="frame" {attributes} data-version="{version}">{CUT}{self.private(page, table)}')

    def _told_part(self, table: _Table, page: MatchPage) -> Pieces:
        """Return the end of a frame: the result, if there is one, and the log in the words of its viewer."""
        macros: Any = template("_log.html").module
        assert table.log_text is not None
        turns = table.log_text.turns(page.viewer)
        earlier = f"{page.url}/replay" if page.log and page.log[-1].events[0].index else ""
        top, bottom = self.cached(macros.top), self.cached(macros.bottom, earlier)
        side = Markup('<div id="side" class="side">')  # the log, and below it the chat
        return (*pieces_of(self.end(page) + side + top), *turns, *pieces_of(bottom), f"{TALK_PLACE}</div></div>")

    def public(self, page: MatchPage) -> Markup:
        """Return the public part of a match's frame: board and seats."""
        macros: Any = template("_public.html").module
        return Markup(macros.public(page, _game_macros(page.game)))

    def private(self, page: MatchPage, table: _Table | None = None) -> Markup:
        """Return one viewer's part of a match's frame: prompt, notices, controls and tools."""
        macros: Any = template("_private.html").module
        table = table or _Table()
        parts = [self._prompt(page, table), table.part(page.viewer, "notices", _noted(page), lambda: macros.notices(page))]
        if page.viewer is not None and not page.result and not page.given_up:  # a spectator has no controls
            form = table.part(page.viewer, "form", page.url, lambda: self.cached(macros.form, page.url))
            number = f'<input type="hidden" name="n" value="{page.n}">'
            parts += [form, number, CUT, self._controls(page, table), "</form>"]
        if page.devices > 1:
            parts.append(macros.other_devices(page.url, page.devices))
        parts.append(table.part(page.viewer, "tools", _tooled(page), lambda: macros.tools_of(page)))
        return as_markup("".join(parts))

    def _prompt(self, page: MatchPage, table: _Table) -> str:
        """Return the prompt, which is often the same for all who wait."""
        still = page.viewer is None or page.status != "running" or page.stand_in is not None
        sign = page.viewer if page.your_turn else page.result is not None and page.viewer in page.result.winners
        clocks = page.seats if any(seat.clock for seat in page.seats) else ()
        shown = page.n, page.prompt, page.your_turn, still, sign, page.thinking, clocks, page.private_events, current_language()
        html = table.prompts.get(shown)
        if html is None:
            html = table.prompts[shown] = str(template("_private.html").module.prompt(page))  # type: ignore[attr-defined]
        return html

    def end(self, page: MatchPage) -> Markup:
        """Return the end of a match for one viewer: the result and the chart."""
        macros: Any = template("_end.html").module
        return Markup(macros.end(page)) if page.result or page.given_up else Markup()

    def _controls(self, page: MatchPage, table: _Table) -> str:
        """Return the game's controls for a seat. Those of a waiting seat stay equal while other seats move."""
        macro = _game_macros(page.game).controls
        if page.your_turn:
            return str(macro(page))
        values = page.own, [seat.name for seat in page.seats], page.ahead, page.intended
        return table.part(page.viewer, "controls", values, lambda: macro(_at_rest(page)))


def _noted(page: MatchPage) -> tuple[Any, ...]:
    """Return what the notices of a viewer depend on."""
    daily = (page.daily, page.daily_ended, page.daily_ends, page.viewer is None, page.status) if page.daily else ()
    return daily, page.goal, page.lesson_minutes, page.stand_in, page.absent, page.proposal, page.notice, page.notice and page.n


def _tooled(page: MatchPage) -> tuple[Any, ...]:
    """Return what the tools of a viewer depend on."""
    while_running = page.tools, page.undo, page.can_hint, page.can_resign, page.resign_words, page.take_back
    hint = (page.hint, page.n) if page.hint else ()
    return page.status, page.viewer, while_running, hint, page.daily, page.share, page.given_up, page.rematch, page.stronger


def _at_rest(page: MatchPage) -> MatchPage:
    """Return what the controls of a waiting seat depend on."""
    seats = tuple([SeatView(seat.seat, seat.name, "human") for seat in page.seats])
    rest = MatchPage("", page.url, page.game, "", seats, page.viewer, "running", "", False, 0, (), (), None, page.own)
    return replace(rest, ahead=page.ahead, intended=page.intended)


def _game_macros(game: str) -> Any:
    """Return the macros of a game's page: ``board``, ``about`` and ``controls``."""
    return template(f"{game}/page.html").module
