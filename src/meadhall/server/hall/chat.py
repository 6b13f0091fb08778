"""The chat of one table: its last lines, and whether its host has closed it.

Lines are stored before they are kept here. Pages read them from here, so a line costs no query, however many pages are open.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Final

import regex
from cachetools import FIFOCache

from meadhall.engine.checks import is_unseen, seen
from meadhall.engine.text.language import gettext as _, marked
from meadhall.server.errors import BadLine, TooMany
from meadhall.server.hall.notices.pubsub import Channel
from meadhall.server.store import talk
from meadhall.server.store.database import Db
from meadhall.server.store.models import new_id
from meadhall.server.store.store import Store
from meadhall.server.store.talk import Audience, ChatLine

# ------------------------------------------------------------------------------------------------------------- the text of a line

# The text of a line of chat, and of a private note: what is kept of it, and how long it may be.


LONGEST_LINE: Final = 500
"""Letters of a line at most, as people count them: an emoji of several code points is one (UAX 29, grapheme clusters)."""

LONGEST_TEXT: Final = 8000
"""Code points of a line at most."""

LONGEST_NOTE: Final = 2000
"""Code points of a private note at most."""

_MOST_MARKS: Final = 4
"""Combining marks on one letter at most. No language needs more, and many of them cover the lines above and below."""

_SHAPING: Final = frozenset("\u200c\u200d\ufe0e\ufe0f")
"""Joiners and variation selectors: the unseen characters that may stay, see ``is_shaping``."""

_CLUSTER: Final = regex.compile(r"\X")


def clean_line(text: str) -> str:
    """Return ``text`` as a line: on one line, with single blanks, without control, invisible or bidirectional characters.

    Raises BadLine if nothing is left, or if the line is too long.
    """
    if len(text) > LONGEST_TEXT:
        raise _too_long(len(text))
    line = clean_text(text)
    length = len(clusters(line))
    if length == 0:
        raise BadLine(_("Write something first."))
    if length > LONGEST_LINE:
        raise _too_long(length)
    return line


def clean_note(text: str) -> str:
    """Return a private note without control characters, except for its line breaks. Raises BadLine if it is too long."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    note = "".join(letter for letter in lines if letter == "\n" or unicodedata.category(letter) not in ("Cc", "Cs")).strip()
    if len(note) > LONGEST_NOTE:
        raise BadLine(_("A note may have {most} letters; this one has {count}.").format(most=LONGEST_NOTE, count=len(note)))
    return note


def clean_text(text: str, instead: str = "") -> str:
    """Return a text on one line, with single blanks, few marks on a letter, and nothing unseen but what shapes letters.

    ``instead``: what stands for an unseen character.
    """
    kept = "".join(_kept(letter, instead) for letter in unicodedata.normalize("NFC", text))
    return " ".join(unicodedata.normalize("NFC", seen("".join(map(_with_few_marks, clusters(kept))))).split())


def clusters(text: str) -> list[str]:
    """Return the letters of a text as people count them."""
    return _CLUSTER.findall(text)


def _kept(letter: str, instead: str) -> str:
    """Return what is kept of a character, wherever it stands: itself, a blank, or nothing."""
    category = unicodedata.category(letter)[0]
    if category == "Z" or letter in "\t\n\r\v\f\x85":
        return " "
    return instead if letter not in _SHAPING and (category == "C" or is_unseen(letter)) else letter


def _with_few_marks(cluster: str) -> str:
    """Return a letter with at most four of its combining marks."""
    marks = 0
    kept = []
    for letter in cluster:
        marks += unicodedata.category(letter) in ("Mn", "Me") and letter not in _SHAPING
        if marks <= _MOST_MARKS:
            kept.append(letter)
    return "".join(kept)


def _too_long(length: int) -> BadLine:
    return BadLine(_("A line may have {most} letters; this one has {count}.").format(most=LONGEST_LINE, count=length))


# ----------------------------------------------------------------------------------------------------------------- preset phrases

# Preset phrases for the chat. They are stored by their keys, and each reader gets them in the language of their pages.


PHRASES: Final = {
    "skal": marked("Skål!"),
    "laugh": marked("Ha, ha, ha!"),
    "hello": marked("Hello!"),
    "luck": marked("Good luck, have fun!"),
    "well": marked("Well played!"),
    "thanks": marked("Thank you!"),
    "sorry": marked("Sorry!"),
    "oops": marked("Oops …"),
    "wow": marked("By Odin's beard!"),
    "moment": marked("Let me think for a moment."),
    "wait": marked("I'll be right back."),
    "back": marked("I'm back."),
    "game": marked("Good game!"),
    "again": marked("Another one?"),
    "bye": marked("I have to go. Goodbye!"),
}
"""English texts by key. A key is never given another meaning: it stands in stored lines."""


REACTIONS: Final = ("skal", "well", "laugh", "wow", "oops")
"""The phrases that a player shows as a sign over their plate, and that nobody can say as a line any more."""


def in_words(key: str) -> str:
    """Return a phrase in the current language. An unknown key, which a newer version may have stored, is its own text."""
    return _(PHRASES[key]) if key in PHRASES else key


def all_phrases() -> tuple[tuple[str, str], ...]:
    """Return the phrases that can be said, as pairs of key and text in the current language."""
    return tuple((key, in_words(key)) for key in PHRASES if key not in REACTIONS)


def all_reactions() -> tuple[tuple[str, str], ...]:
    """Return all reactions as pairs of key and text in the current language."""
    return tuple((key, in_words(key)) for key in REACTIONS)


SHOWN_FOR: Final = timedelta(seconds=6)
"""How long a reaction is shown. So long it is kept, in memory only."""

REACTION_RATE: Final = (timedelta(seconds=10), 3)
"""How many reactions a seat may show in how long a time."""


# ------------------------------------------------------------------------------------------------------------ the chat of a table


KEPT: Final = 100
"""Lines of each audience in memory. Older ones are read from the database when a guest asks for them."""

_APART: Final = 50
"""Guests at most for whom lines are kept apart."""

_AUDIENCES: Final[tuple[Audience, ...]] = ("players", "spectators")


class Chat:
    """The chat of a table.

    Attributes:
        version: changes with every change of the chat.
        is_current: whether what is stored is known here.
        is_closed: whether the host has closed it.
        apart: the last lines of guests who don't hear some of those in memory, with what they were read for. The lines that a
            guest doesn't hear must not displace others: the guest would notice it.
    """

    def __init__(self, table: str, store: Store, channel: Channel) -> None:
        self.version = 0
        self.is_closed = False
        self.apart: FIFOCache[str, tuple[object, list[ChatLine]]] = FIFOCache(_APART)
        self._table = table
        self._store = store
        self._channel = channel
        self._lines: dict[Audience, list[ChatLine]] = {audience: [] for audience in _AUDIENCES}
        self._reactions: list[ChatLine] = []
        self._reacted: list[tuple[int, datetime]] = []  # the seats of the last reactions, and their times
        self.is_current = False

    # --------------------------------------------------------------------------------------------------------------- reading

    def lines(self, audiences: Collection[Audience]) -> list[ChatLine]:
        """Return the last lines that these audiences have heard, in the order of time."""
        found = [line for audience in audiences for line in self._lines[audience]]
        return found if len(audiences) < 2 else sorted(found, key=lambda line: (line.at, line.id))

    def is_full(self, audiences: Collection[Audience]) -> bool:
        """Return whether these audiences may have heard lines before those in memory."""
        return any(len(self._lines[audience]) >= KEPT for audience in audiences)

    def concerns(self, guest: str) -> bool:
        """Return whether a guest has said one of the lines in memory."""
        return any(line.guest == guest for lines in self._lines.values() for line in lines)

    def refresh(self) -> None:
        """Read the last lines, unless they are known. Raises DatabaseUnavailable."""
        if self.is_current:
            return

        def read(db: Db) -> tuple[list[ChatLine], bool]:
            unknown: dict[Audience, int] = dict.fromkeys(_AUDIENCES, 0)
            return talk.lines_after(db, self._table, unknown, KEPT), talk.is_chat_closed(db, self._table)

        before = self._lines, self.is_closed
        found, self.is_closed = self._store.transact(read)
        self._lines = {audience: [line for line in found if line.audience == audience] for audience in _AUDIENCES}
        self.is_current = True
        self.version += before != (self._lines, self.is_closed)

    def note_change(self) -> None:
        """Note that lines were deleted, or belong to another guest, and tell the open pages."""
        self.is_current = False
        self._channel.call()

    def reactions(self) -> list[ChatLine]:
        """Return the reactions that are shown now."""
        since = self._store.time.now() - SHOWN_FOR
        self._reactions = [each for each in self._reactions if each.at > since]
        return self._reactions

    # --------------------------------------------------------------------------------------------------------------- writing

    def say(self, line: talk.NewLine, check: Callable[[Db], ChatLine | None]) -> ChatLine:
        """Store a line and tell the open pages of it. Return it.

        ``check`` runs before in the same transaction: it may refuse the line, or return one in its place that the same request
        has already stored.
        """

        def store(db: Db) -> ChatLine:
            return check(db) or talk.add_line(db, line)

        said = self._store.transact(store)
        lines = self._lines[said.audience]
        if self.is_current and said.number > max((line.number for line in lines), default=0):
            self._lines[said.audience] = [*lines[1 - KEPT :], said]
            self.version += 1
        self._channel.call()
        return said

    def react(self, guest: str, seat: int, name: str, key: str) -> ChatLine:
        """Show a reaction on the open pages, and return it: a line that isn't stored. Raises TooMany."""
        now, (time, most) = self._store.time.now(), REACTION_RATE
        self._reacted = [(other, at) for other, at in self._reacted if at > now - time]
        if sum(other == seat for other, _at in self._reacted) >= most:
            raise TooMany(_("You react a lot in a short time. Wait a moment."))
        self._reacted.append((seat, now))
        shown = ChatLine(new_id(), 0, "players", guest, seat, name, "", key, is_deleted=False, at=now)
        self._reactions = [*self.reactions(), shown]
        self.version += 1
        self._channel.call()
        return shown

    def close(self, closed: bool = True) -> None:
        """Close the chat, or open it again."""
        self._store.transact(talk.close_chat, self._table, closed)
        self.note_change()
