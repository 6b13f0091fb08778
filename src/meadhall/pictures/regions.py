"""Regions: the elements of a page that change by themselves, each with an id and the values that it shows.

A game's page module declares them in ``regions(page)``, and ``board(page, region)`` in its ``page.html`` says where each one
stands. The same regions make a page, the messages of a stream, and pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import msgspec
from markupsafe import Markup, escape

Values: TypeAlias = tuple[Any, ...] | dict[str, str | int | None]
"""The content of a region: the name of a macro and its arguments; or the attributes of an element, None for one that it lacks."""

Spec: TypeAlias = Mapping[str, Values]
"""Regions by id, with their content."""

encoded = msgspec.json.Encoder(enc_hook=str).encode


class Region(NamedTuple):
    """A region that was drawn.

    Attributes:
        html: the element; or its attributes, with the id.
        news: the id and the content as JSON, for a message.
    """

    html: Markup
    news: bytes


Regions: TypeAlias = dict[str, Region]


class Drawing:
    """The regions of one viewer as they were drawn last."""

    def __init__(self) -> None:
        self._drawn: dict[str, tuple[Any, Region]] = {}

    def region(self, id: str, values: Any, draw: Callable[[], str]) -> Region:
        """Return a region. It is drawn again only if its values have changed, and is a new one only if it looks different."""
        known = self._drawn.get(id)
        if known is not None and known[0] == values:
            return known[1]
        html = draw()
        region = known[1] if known is not None and known[1].html == html else Region(_markup(html), _news(id, html))
        self._drawn[id] = values, region
        return region

    def regions(self, spec: Spec, macros: Any) -> Regions:
        """Return all regions of a specification. ``macros``: the template that has their macros."""
        found = {}
        for id, values in spec.items():
            known = self._drawn.get(id)
            if known is not None and known[0] == values:
                found[id] = known[1]
            elif isinstance(values, dict):
                found[id] = self.attributes(id, values)
            else:
                found[id] = self.region(id, values, lambda given=values: getattr(macros, given[0])(*given[1:]))  # type: ignore[misc]
        return found

    def attributes(self, id: str, values: dict[str, str | int | None]) -> Region:
        """Return the attributes of an element as a region. It lacks the ones that it had before and that have no value now."""
        before, known = self._drawn.get(id, (None, None))
        if known is not None and before == values:
            return known
        told = values if before is None else dict.fromkeys(before) | values
        shown = [f'{name}="{escape(value)}"' for name, value in values.items() if value is not None]
        region = Region(_markup(" ".join([f'id="{id}" data-bare=""', *shown])), _news(id, told))
        self._drawn[id] = told, region
        return region


def html_of(regions: Regions) -> dict[str, Markup]:
    """Return regions as HTML."""
    return {id: region.html for id, region in regions.items()}


def _markup(html: str) -> Markup:
    return str.__new__(Markup, html)  # of a template


def _news(id: str, content: Any) -> bytes:
    return encoded(id) + b":" + encoded(content if isinstance(content, dict) else str.strip(content))
