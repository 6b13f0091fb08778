"""The end of a match as a picture to share: 1200 by 630, the size that messengers show."""

from __future__ import annotations

import asyncio
import hashlib
import re
from base64 import b64encode
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from textwrap import wrap
from typing import Final

from babel.dates import format_date
from cachetools import LRUCache

from meadhall.engine.match.match import Match
from meadhall.engine.match.view import SPECTATOR, bot_in_words
from meadhall.engine.text.language import gettext as _
from meadhall.pictures.flat import FlatStyles, flattened, without_uses
from meadhall.pictures.png import png
from meadhall.pictures.templates import STATIC as SHARED, game_static_files, has_template
from meadhall.server.errors import TooMany, WrongMoment
from meadhall.server.hall.room import Room
from meadhall.server.pages.clock import locale
from meadhall.server.pages.match import given_up_view, has_picture, match_page, result_view
from meadhall.server.pages.models import MatchPage, SeatView
from meadhall.server.pages.templates import STATIC, environment, template
from meadhall.server.store.models import Crest, TableRow
from meadhall.server.web.links import link
from meadhall.server.worker.threads import run_in_thread

MAX_BYTES: Final = 16 * 1024 * 1024
"""Memory for pictures. One has about 150 KB."""

MAX_WAITING: Final = 8
"""Pictures that may wait until the one before is drawn."""

MOST_BOARDS: Final = 100
"""The same for the boards of running matches: a big screen shows many of them."""

_SIZES: Final = ((88, 12, 1), (72, 15, 1), (60, 18, 2), (50, 22, 3))
"""Sizes of the headline, each with the number of letters that fit into a line, and the number of lines."""


@dataclass(frozen=True)
class Picture:
    """The content of a picture."""

    page: MatchPage
    title: str
    headline: tuple[str, ...]  # its lines
    size: int  # of its letters
    how: tuple[str, ...]
    date: str


class Drawings:
    """Draws in a thread, one drawing at a time, and keeps those that were shown last.

    ``most``: how many may wait until the one before is drawn.
    """

    def __init__(self, most: int) -> None:
        self._drawn: LRUCache[Hashable, bytes] = LRUCache(MAX_BYTES, len)
        self._lock = asyncio.Lock()
        self._most, self._waiting = most, 0

    async def drawn(self, key: Hashable, begin: Callable[[], Callable[[], bytes]]) -> bytes:
        """Return the drawing with this key. ``begin`` returns what draws it in the thread. Raises TooMany if too many wait."""
        found = self._drawn.get(key)
        if found is not None:
            return found
        if self._waiting >= self._most:
            raise TooMany(_("Other pictures are being drawn. Try again in a moment."))
        self._waiting += 1
        try:
            async with self._lock:
                found = self._drawn.get(key)
                if found is None:
                    found = self._drawn[key] = await run_in_thread(begin())
        finally:
            self._waiting -= 1
        return found


class Pictures(Drawings):
    """Draws the ends of matches."""

    def __init__(self) -> None:
        super().__init__(MAX_WAITING)
        environment().globals.update(tile_art=tile_art)

    async def picture(self, room: Room, language: str) -> bytes:
        """Return the picture of a finished match as PNG, in the current language.

        Raises:
            WrongMoment: the match has not ended, or other guests still play the same deal.
            TooMany: too many pictures wait.
        """
        match = check_picture(room)

        def begin() -> Callable[[], bytes]:
            picture = picture_of(match, room.table, room.consent.proposals.take_backs)
            return partial(as_png, svg(picture), picture.page.game)

        return await self.drawn((room.table.id, room.table.version, language), begin)


def check_picture(room: Room) -> Match:
    """Return the match of a picture. Refuse one that runs, or whose deal others still play. Raises WrongMoment."""
    if room.match is None or not has_picture(room.table, room.time):
        raise WrongMoment(_("There is a picture when the match is over."))
    return room.match


def picture_of(match: Match, table: TableRow, take_backs: int = 0) -> Picture:
    """Return what the picture of a finished match shows, in the current language. ``take_backs``: see ``result_view``."""
    result = result_view(match, take_backs=take_backs) or given_up_view(match, table)
    page = match_page(
        match,
        match.view(SPECTATOR),
        id=table.id,
        url=link(f"/tables/{table.id}"),
        seats=tuple(
            SeatView(seat, who.name, who.kind, bot_in_words(who.bot), winner=seat in result.winners)
            for seat, who in enumerate(match.seats)
        ),
        abandoned=table.status == "abandoned",
        result=result,
        daily=table.daily or "",
        marks=table.marks,
    )
    headline = _daily_headline(match) if table.daily else result.headline
    size, lines = fitting(headline)
    title = _("{game}, puzzle of the day").format(game=match.game.title) if table.daily else match.game.title
    day = table.finished_at or table.created_at
    date = str(format_date(day, "long", locale=locale()))
    return Picture(page, title, lines, size, tuple(wrap(result.how, 38)[:3]), date)


def _daily_headline(match: Match) -> str:
    result = match.result()
    return _("Solved!") if result is not None and result.winners else _("Not solved")


def fitting(text: str) -> tuple[int, tuple[str, ...]]:
    """Return the largest size in which a headline fits, and its lines."""
    for size, letters, most in _SIZES:
        lines = wrap(text, letters)
        if len(lines) <= most:
            return size, tuple(lines)
    size, letters, most = _SIZES[-1]
    return size, tuple(wrap(text, letters, max_lines=most, placeholder=" …"))


_SEAT: Final = re.compile(r"""(class="(?:[^"]* )?seat-|var\(--seat-)(\d+)""")


def svg(picture: Picture) -> str:
    """Return a picture as SVG, with the final board or, for a game that doesn't draw one, with the game's picture."""
    game = picture.page.game
    has_board = has_template(f"{game}/picture.html")
    scene = f"{game}/picture.html" if has_board else f"{game}/tile.html"
    drawn = template("picture.html").render(picture=picture, page=picture.page, scene=scene, has_board=has_board)
    return styles(game).written_out(dyed(drawn, picture.page.marks))


def dyed(drawn: str, marks: Sequence[Crest]) -> str:
    """Return a drawing with the colours of marks in place of those of the seats: flat styles know only a seat's own colour."""
    return _SEAT.sub(lambda found: f"{found[1]}{marks[int(found[2])].colour}", drawn)


@cache
def styles(game: str) -> FlatStyles:
    """Return the styles of a game's pictures."""
    shared = [SHARED / "css" / "tokens.css", STATIC / "css" / "base.css", SHARED / "css" / "art.css"]
    own = [STATIC / "css" / "picture.css"]
    return flattened(path.read_text("utf-8") for path in (*shared, *game_static_files(game, ".css"), *own))


def as_png(drawing: str, game: str) -> bytes:
    """Return an SVG that was drawn with the styles of a game's pictures as PNG."""
    return png(without_uses(drawing), styles(game).sheet)


_SYMBOLS = re.compile(r"<symbol\b.*?</symbol>", re.DOTALL)


def tile_art(game: str) -> str:
    """Return the address of the picture of a game's tile, which contains a digest; "" for a game without one."""
    return link(f"/tiles/{game}.svg?v={_digest(game)}") if has_template(f"{game}/tile.html") else ""


@cache
def tile_svg(game: str) -> str:
    """Return the picture of a game's tile as SVG, with its styles and its font: an image loads nothing else."""
    drawn = styles(game).written_out(template("tile.html").render(game=game))
    font = b64encode((STATIC / "fonts" / "grenze-latin-600-normal.woff2").read_bytes()).decode() if "<text" in drawn else ""
    face = f'@font-face{{font-family:"Grenze";font-weight:600;src:url(data:font/woff2;base64,{font})}}' if font else ""
    return _SYMBOLS.sub("", without_uses(drawn)).replace("<style />", f"<style>{face}{styles(game).sheet}</style>", 1)


@cache
def _digest(game: str) -> str:
    return hashlib.sha256(tile_svg(game).encode()).hexdigest()[:12]
