"""Messages of a stream: they bring the regions of a page that have changed.

A region is drawn again only when its values differ (docs/decisions/0032-regions.md). A stream knows the frame of its page, so it sends
the regions that are new since then. A page that lacks a message gets the whole frame.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from markupsafe import Markup

from meadhall.pictures.regions import Region, Regions, encoded
from meadhall.pictures.templates import as_markup


@dataclass(frozen=True, eq=False)
class Frame:
    """What one page of a table shows.

    Attributes:
        version: of the table, for this viewer.
        shape: two frames of a match have the same regions if their shapes are equal. None: the frame has no regions.
        public: the regions that all viewers share.
        own: the regions of the viewer.
        turns: the turns of the log by their first event, newest first.
        page: the model that it was drawn from.
        draw: draws the whole frame.
    """

    version: int
    shape: Hashable
    public: Regions
    own: Regions
    turns: dict[int, Region]
    page: Any
    draw: Callable[[Frame], str]

    @cached_property
    def html(self) -> Markup:
        """The whole frame as HTML."""
        return as_markup(str.strip(self.draw(self)))


def message(before: Frame | None, after: Frame) -> bytes:
    """Return the message that turns a page's frame into another one, as JSON.

    It has the versions of both, the new regions by id (HTML, or attributes), the new turns of the log, newest first, and the
    first event of the oldest turn that the log still shows. Without a frame before, or with other regions, it has the ``whole``
    frame.
    """
    if before is None or after.shape is None or before.shape != after.shape:
        return b'{"version":%d,"whole":%b}' % (after.version, encoded(after.html))
    news = []
    for known, now in ((before.own, after.own), (before.public, after.public)):
        if known is not now:
            news += [region.news for id, region in now.items() if known[id] is not region]
    turns = b""
    if before.turns is not after.turns:
        fresh = [turn.news for first, turn in after.turns.items() if before.turns.get(first) is not turn]
        if fresh:
            turns = b',"first":%d,"turns":[%b]' % (next(reversed(after.turns)), b",".join(fresh))
    return b'{"was":%d,"version":%d,"regions":{%b}%b}' % (before.version, after.version, b",".join(news), turns)
