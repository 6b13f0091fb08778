"""Patches: what a stream sends of a frame (docs/decisions/0012-patched-frames.md).

A frame's text is a list of sections, and a section a list of pieces of HTML. A stream knows which pieces its page has, and sends
only the others. The page joins them to the text of the frame. A stream that has just been opened sends all of them, so no patch
depends on anything that another connection has sent.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

import msgspec

Pieces: TypeAlias = tuple[str, ...]

CUT = "\x1f"
"""Stands between two pieces in the text that a template renders."""

_encode = msgspec.json.Encoder().encode


def pieces_of(html: str) -> Pieces:
    """Return the pieces of a rendered text."""
    return tuple(filter(None, str.split(html, CUT)))  # plain strings also if it is Markup


def without_cuts(html: str) -> str:
    """Return a rendered text in one piece."""
    return str.replace(html, CUT, "")  # plain also if it is Markup


class SentFrame:
    """The frame that a page has received last."""

    def __init__(self) -> None:
        self._sections: tuple[Pieces, ...] = ()

    def patch_to(self, sections: tuple[Pieces, ...]) -> bytes:
        """Return the patch that turns the page's frame into a new one, as JSON, and remember the new one.

        The patch has a list for every section. Its strings are new pieces. Two numbers ``[a, b]`` are the pieces a to b - 1 of
        the section as it was.
        """
        before = self._sections if len(self._sections) == len(sections) else ((),) * len(sections)
        self._sections = sections
        return b"[" + b",".join(map(_patch, before, sections)) + b"]"


@lru_cache(maxsize=64)  # the pages of a table get most sections alike, one after the other
def _patch(before: Pieces, after: Pieces) -> bytes:
    return _encode(changes(before, after))


def changes(before: Pieces, after: Pieces) -> list[Any]:
    """Return ``after`` as a list of new pieces, and of pairs for the runs of pieces that ``before`` has, too."""
    places = {piece: place for place, piece in enumerate(before)}
    found: list[Any] = []
    run = [0, 0]
    for piece in after:
        following = run[1]
        place = following if following < len(before) and before[following] == piece else places.get(piece)
        if place is None:
            found.append(piece)
        elif place == following and found and found[-1] is run:
            run[1] += 1
        else:
            run = [place, place + 1]
            found.append(run)
    return found
