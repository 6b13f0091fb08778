"""SVG without ``<use>``: each is replaced by a copy of what it refers to.

In browsers a copy inherits the custom properties of its place, such as the colour of a seat. A renderer without custom properties
can match the rules of ``flat_css`` only if the copy really stands in its place.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from copy import deepcopy
from typing import Final

_SVG: Final = "http://www.w3.org/2000/svg"
_USE, _SYMBOL, _GROUP, _ROOT = (f"{{{_SVG}}}{name}" for name in ("use", "symbol", "g", "svg"))
_PLACE: Final = ("x", "y", "width", "height", "href")
_PAINTED: Final = re.compile(r"url\(#([\w-]+)\)")
_DEPTH: Final = 8
"""How deep a ``<use>`` may refer to others."""


def without_uses(svg: str) -> str:
    """Return an SVG of the hall's own templates with copies in place of references."""
    ET.register_namespace("", _SVG)
    root = ET.fromstring(svg)  # noqa: S314 - it comes from our own templates, which escape names
    known = {element.get("id", ""): element for element in root.iter()}
    for _depth in range(_DEPTH):
        places = [(parent, k) for parent in root.iter() for k, child in enumerate(parent) if child.tag == _USE]
        if not places:
            break
        for parent, k in places:
            parent[k] = _copy(parent[k], known)
    _remove_sprites(root, known)
    return ET.tostring(root, encoding="unicode")


def _remove_sprites(root: ET.Element, known: dict[str, ET.Element]) -> None:
    """Remove the symbols, which no element refers to any more. What they paint with stays: gradients and clip paths."""
    for sprite in [child for child in root if child.get("class") == "sprite"]:
        root.remove(sprite)
    drawn = {element.get("id") for element in root.iter()}
    used = [name for name in sorted(set(_PAINTED.findall(ET.tostring(root, encoding="unicode")))) if name not in drawn]
    if used:
        definitions = ET.Element(f"{{{_SVG}}}defs")
        definitions.extend(known[name] for name in used if name in known)
        root.insert(0, definitions)


def _copy(use: ET.Element, known: dict[str, ET.Element]) -> ET.Element:
    """Return the element that stands for a reference: a group, around the content of a symbol scaled to its box."""
    group = ET.Element(_GROUP, {name: value for name, value in use.attrib.items() if name not in _PLACE})
    group.set("class", f"{use.get('class', '')} use".strip())  # rules of ``flat_css`` about <use> are about this class
    target = known.get(use.get("href", "").removeprefix("#"))
    if target is None:
        return group
    copied = deepcopy(target)
    x, y = use.get("x", "0"), use.get("y", "0")
    if target.tag == _SYMBOL:
        copied.tag = _ROOT
        copied.set("x", x)
        copied.set("y", y)
        for name in ("width", "height"):
            if name in use.attrib:
                copied.set(name, use.attrib[name])
        group.append(copied)
    else:
        moved = ET.SubElement(group, _GROUP, {"transform": f"translate({x} {y})"})
        moved.append(copied)
    for element in group.iter():
        element.attrib.pop("id", None)
    return group
