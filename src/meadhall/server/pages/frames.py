"""Frames: the part of a table's page that changes. The stream sends it, and htmx swaps it in.

A frame of a match has two parts (docs/decisions/0002-frames-of-two-parts.md). The public part is the same for every viewer; the
private part is one viewer's prompt and controls. The log and the end tell all viewers the same, but call each of them "you".
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from jinja2.runtime import Macro
from markupsafe import Markup

from meadhall.engine.language import current_language
from meadhall.engine.match import Match
from meadhall.server.hall.room import Room
from meadhall.server.ops.byte_cache import ByteCache
from meadhall.server.pages.lobby import lobby_page
from meadhall.server.pages.log import tellings
from meadhall.server.pages.match import live_page, seat_views
from meadhall.server.pages.models import LobbyPage, MatchPage, Refusal, SeatView
from meadhall.server.pages.templates import environment, template
from meadhall.server.store.models import Guest

_FRAGMENTS_SIZE = 64 * 1024 * 1024
"""Bytes of rendered fragments in the cache: enough for some 60 log entries and 20 parts of a board at each of 200 busy tables."""

_VALUES_SIZE = 1500
"""Bytes of the values that a fragment was rendered from, beside its text."""

_INDENTATION = re.compile(r"\n\s*")


class Frame(NamedTuple):
    """A rendered frame, and the model that it was rendered from."""

    html: Markup
    page: LobbyPage | MatchPage


@dataclass
class _Version:
    """Rendered parts of the newest version of a table."""

    number: int
    public: dict[str, tuple[MatchPage, Markup]] = field(default_factory=dict)  # by language
    frames: dict[tuple[int | None, str], tuple[MatchPage, Markup, int]] = field(default_factory=dict)  # by seat and language


class Frames:
    """The frames of all tables, and the two caches of rendered parts that pay (docs/decisions/0010-frame-caches.md).

    - By table: the public part of the newest version, and the frame of each seat. All pages of a seat, and the answer to its
      post, get the same frame.
    - By value: fragments of templates. Most of a frame looks as it did before the last action.
    """

    def __init__(self) -> None:
        self._versions: WeakKeyDictionary[Room, _Version] = WeakKeyDictionary()
        self._fragments: ByteCache[tuple[Macro, tuple[Hashable, ...], str], Markup] = ByteCache(_FRAGMENTS_SIZE)
        environment().globals.update(cached=self.cached)

    def cached(self, macro: Macro, *values: Hashable) -> Markup:
        """Return what a macro renders for these values, from the cache if possible.

        The macro must stand in an imported template: a macro of a page's own template is a new object in every rendering.
        """
        return self._fragment(macro, values, current_language())

    def _fragment(self, macro: Macro, values: tuple[Hashable, ...], language: str) -> Markup:
        key = macro, values, language
        found = self._fragments.get(key)
        if found is None:
            found = _one_line(macro(*values))
            self._fragments.put(key, found, _VALUES_SIZE + 2 * len(found))
        return found

    def frame(self, room: Room, guest: Guest, base_url: str, notice: Refusal | None = None) -> Frame:
        """Return the frame of a table as a guest sees it, in the current language: the lobby or the match.

        Args:
            base_url: the beginning of the invitation's address.
            notice: the refusal of the guest's last request, shown once.
        """
        if room.match is None:
            lobby = replace(lobby_page(room, guest, base_url), notice=notice)
            return Frame(Markup(template("_lobby.html").render(page=lobby, version=room.version)), lobby)
        return self._match_frame(room, room.match, room.table.seat_of(guest.id), notice)

    def _match_frame(self, room: Room, match: Match, seat: int | None, notice: Refusal | None) -> Frame:
        version, language = self._version(room), current_language()
        if language not in version.public:
            page = live_page(room, match, None, seat_views(room))
            page = replace(page, tellings=tellings(page.log, None, page.told))
            version.public[language] = page, self.public(page)
        spectator, public = version.public[language]
        number = room.version_for(seat)
        page, html, known = version.frames.get((seat, language), (spectator, public, None))
        if known != number:
            page = spectator if seat is None else self._of_seat(room, match, seat, spectator)
            html = self._join(page, number, public)
            version.frames[seat, language] = page, html, number
        if notice:
            page = replace(page, notice=notice)
            html = self._join(page, number, public)
        return Frame(html, page)

    @staticmethod
    def _of_seat(room: Room, match: Match, seat: int, spectator: MatchPage) -> MatchPage:
        """Return the page of a seat, with the log and the beats of the spectator's page."""
        told = tellings(spectator.log, seat, spectator.told)
        return replace(live_page(room, match, seat, spectator.seats), log=spectator.log, told=spectator.told, tellings=told)

    def _version(self, room: Room) -> _Version:
        version = self._versions.get(room)
        if version is None or version.number != room.version:
            version = self._versions[room] = _Version(room.version)
        return version

    def _join(self, page: MatchPage, version: int, public: Markup) -> Markup:
        macros: Any = template("_private.html").module
        attributes = self.cached(
            macros.frame_attributes, page.title, len(page.seats), page.viewer, page.your_turn, page.status != "running"
        )
        parts = (self.private(page), public, self.end(page), self.log(page))
        return Markup(f'<div id="frame" {attributes} data-version="{version}">{"".join(parts)}</div>')

    def public(self, page: MatchPage) -> Markup:
        """Return the public part of a match's frame: board and seats."""
        macros: Any = template("_public.html").module
        return _one_line(macros.public(page, _game_macros(page.game)))

    def private(self, page: MatchPage) -> Markup:
        """Return one viewer's part of a match's frame: prompt, controls and tools."""
        macros: Any = template("_private.html").module
        return _one_line(macros.private(page, self._controls(page)))

    def end(self, page: MatchPage) -> Markup:
        """Return the end of a match for one viewer: the result and the chart."""
        macros: Any = template("_end.html").module
        return _one_line(macros.end(page)) if page.result or page.given_up else Markup()

    def log(self, page: MatchPage) -> Markup:
        """Return the log in the words of one viewer. Most turns read the same for all, or as they did before the last action."""
        macros: Any = template("_log.html").module
        language = current_language()
        earlier = f"{page.url}/replay" if page.log and page.log[-1].events[0].index else ""
        readers = [page.viewer if page.viewer in turn.readers else None for turn in page.log]
        turns = [self._fragment(macros.turn, (turn, reader), language) for turn, reader in zip(page.log, readers, strict=True)]
        return Markup("".join([self.cached(macros.top), *turns, self.cached(macros.bottom, earlier)]))

    def _controls(self, page: MatchPage) -> Markup | None:
        """Return the game's controls for a seat; None for a spectator, and after the end."""
        if page.viewer is None or page.result:
            return None
        macro = _game_macros(page.game).controls
        return _one_line(macro(page)) if page.your_turn else self.cached(macro, _at_rest(page))


def _at_rest(page: MatchPage) -> MatchPage:
    """Return what the controls of a waiting seat depend on: it stays equal while other seats move."""
    seats = tuple([SeatView(seat.seat, seat.name, "human") for seat in page.seats])
    return MatchPage("", "", page.game, "", seats, page.viewer, "running", "", False, 0, (), (), None, page.own)


def _game_macros(game: str) -> Any:
    """Return the macros of a game's page: ``board``, ``about`` and ``controls``."""
    return template(f"{game}/page.html").module


def _one_line(html: str) -> Markup:
    """Remove the templates' indentation: these parts are kept, and sent many times."""
    return Markup(_INDENTATION.sub(" ", html))


FRAMES = Frames()
