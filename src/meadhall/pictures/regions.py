"""Regions: the elements of a page that change by themselves, each with an id and the values that it shows.

A game's page module declares them in ``regions(page)``, and ``board(page, region)`` in its ``page.html`` says where each one
stands. The same regions make a page, the messages of a stream, and pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import msgspec
from markupsafe import Markup, escape

Values: TypeAlias = tuple[Any, ...] | dict[str, str | int | None]
"""The content of a region: the name of a macro and its arguments; or the attributes of an element, None for one that it lacks."""

Spec: TypeAlias = Mapping[str, Values]
"""Regions by id, with their content."""

encoded = msgspec.json.Encoder(enc_hook=str).encode


class Region:
    """A region that was drawn.

    Attributes:
        id: of its element.
        content: the element as HTML; or the attributes, also the ones that it had before, which are None now.
    """

    __slots__ = ("content", "id")

    def __init__(self, id: str, content: str | dict[str, str | int | None]) -> None:
        self.id = id
        self.content = content

    @property
    def html(self) -> Markup:
        """The element, or its attributes with the id."""
        if isinstance(self.content, str):
            return str.__new__(Markup, self.content)  # of a template
        shown = [f'{name}="{escape(value)}"' for name, value in self.content.items() if value is not None]
        return str.__new__(Markup, " ".join([f'id="{self.id}" data-bare=""', *shown]))

    def since(self, known: Region | None) -> str | dict[str, str | int | None]:
        """Return the content for a page that knows the region as it was: of attributes only the ones that have changed."""
        now = self.content
        if known is None or isinstance(now, str) or isinstance(known.content, str):
            return now
        before = known.content
        return {name: value for name, value in now.items() if name not in before or before[name] != value}


class Regions(dict[str, Region]):
    """Regions by their ids. They never change, so they are compared by identity."""

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    @property
    def html(self) -> dict[str, Markup]:
        """The HTML of the regions."""
        return {name: region.html for name, region in self.items()}


class Drawing:
    """The regions of one viewer as they were drawn last."""

    def __init__(self) -> None:
        self._drawn: dict[str, tuple[Any, Region]] = {}
        self._groups: dict[str, tuple[Any, dict[str, Region]]] = {}

    def group(self, name: str, values: Any, draw: Callable[[], dict[str, Region]]) -> dict[str, Region]:
        """Return regions that depend on the same values. They are looked at again only if these have changed."""
        known = self._groups.get(name)
        if known is None or known[0] != values:
            known = self._groups[name] = values, draw()
        return known[1]

    def region(self, id: str, values: Any, draw: Callable[[], str]) -> Region:
        """Return a region. It is drawn again only if its values have changed, and is a new one only if it looks different."""
        before, known = self._drawn.get(id, (None, None))
        if known is not None and before == values:
            return known
        html = str.strip(draw())
        region = known if known is not None and known.content == html else Region(id, html)
        self._drawn[id] = values, region
        return region

    def attributes(self, id: str, values: dict[str, str | int | None]) -> Region:
        """Return the attributes of an element as a region."""
        before, known = self._drawn.get(id, (None, None))
        if known is not None and before == values:
            return known
        region = Region(id, values if known is None else dict.fromkeys(known.content) | values)
        self._drawn[id] = values, region
        return region

    def regions(self, spec: Spec, macros: Any) -> dict[str, Region]:
        """Return all regions of a specification. ``macros``: the template that has their macros."""
        found, drawn = {}, self._drawn
        for id, values in spec.items():
            known = drawn.get(id)
            if known is not None and known[0] == values:
                found[id] = known[1]
            elif isinstance(values, dict):
                found[id] = self.attributes(id, values)
            else:
                found[id] = self.region(id, values, lambda given=values: getattr(macros, given[0])(*given[1:]))  # type: ignore[misc]
        return found
