"""The text of a line of chat, and of a private note: what is kept of it, and how long it may be."""

from __future__ import annotations

import unicodedata
from typing import Final

import regex

from meadhall.engine.checks import is_unseen, seen
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import BadLine

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
