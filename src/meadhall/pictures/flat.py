"""Plain SVG for renderers that know neither custom properties nor ``<use>``.

The style sheet has the presentation properties of SVG 1.1 without variables, in the colours of one theme. A property that
several classes set, such as ``--seat`` of ``.seat-0`` to ``.seat-6``, makes several rules of one: one for each of these
classes, on the element or around it. Rules with ``@`` are left out, and so is what lays out or moves a page: renderers disagree
on ``width: 100cqw`` of an <svg>, and some then draw nothing.

Each ``<use>`` is replaced by a copy of what it refers to. In browsers a copy inherits the custom properties of its place, such
as the colour of a seat. A renderer without custom properties can match the rules only if the copy really stands in its place.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal, NamedTuple

_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_VARIABLE: Final = re.compile(r"var\((--[\w-]+)(?:,\s*([^()]*))?\)")
_THEMED: Final = re.compile(r"light-dark\(\s*((?:[^(),]|\([^()]*\))+),\s*((?:[^(),]|\([^()]*\))+)\)")
_ALPHA: Final = re.compile(r"rgb\((\d+) (\d+) (\d+) / ([\d.]+)%\)")
_MIXED: Final = re.compile(r"color-mix\(in \w+,\s*(#\w+|\w+) ([\d.]+)%,\s*(#\w+|\w+)\)")
_FONT: Final = re.compile(r"(?:(\d{3}) )?([\d.]+px)(?:\s*/\s*[\d.]+)? (.+)")
"""The short form of a font: weight, size, line height, families."""

Theme = Literal["light", "dark"]

_USE: Final = re.compile(r"(^|[ >])use\b")
"""``flat_svg`` gives this class to the copies that take the place of references."""

_PLAIN: Final = re.compile(
    r"color|opacity|visibility|overflow|filter|mask|clip-rule|white-space|paint-order|dominant-baseline"
    r"|(fill|stroke|stop|flood|font|letter|word|shape|text|image)-[\w-]+|fill|stroke|font"
)
"""The properties that styles keep: those with which SVG paints and writes."""

_COMPUTED: Final = re.compile(r"\b(?:calc|clamp|min|max)\(|\dcq")
"""Values that depend on the size of a container, or need arithmetic."""

_NAMED: Final = {"white": "#ffffff", "black": "#000000"}
_COMBINATORS: Final = (">", "+", "~")
_STEPS: Final = 8
"""How deep values may refer to other values."""


class _Rule(NamedTuple):
    selector: str
    declarations: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class FlatStyles:
    """A style sheet without variables, and the values of the variables that it had."""

    sheet: str
    values: Mapping[str, str]

    def written_out(self, svg: str) -> str:
        """Return an SVG in which the attributes have values in place of variables."""
        return _resolved(svg, {name: value.replace('"', "'") for name, value in self.values.items()})


def flattened(sheets: Iterable[str], theme: Theme = "dark") -> FlatStyles:
    """Return the rules of some style sheets, in their order, as one sheet without variables, in the colours of a theme."""
    chosen = 1 if theme == "light" else 2
    themed = (_THEMED.sub(lambda found: found[chosen].strip(), sheet) for sheet in sheets)
    rules = list(chain.from_iterable(map(_rules, themed)))
    values: dict[str, str] = {}
    by_class: dict[str, dict[str, str]] = {}
    for rule in rules:
        for name, value in rule.declarations:
            if not name.startswith("--"):
                continue
            if rule.selector == ":root":
                values[name] = value
            elif re.fullmatch(r"\.[\w-]+", rule.selector):
                by_class.setdefault(name, {})[rule.selector] = value
    written = (f"{selector} {{ {declared} }}" for rule in rules for selector, declared in _written(rule, values, by_class))
    return FlatStyles("\n".join(written), values)


def _rules(sheet: str) -> Iterator[_Rule]:
    """Yield the rules of a style sheet, one for each selector."""
    rest = _COMMENT.sub("", sheet)
    while (start := rest.find("{")) >= 0:
        selectors, depth, end = rest[:start].strip(), 1, start + 1
        while depth and end < len(rest):
            depth += {"{": 1, "}": -1}.get(rest[end], 0)
            end += 1
        block, rest = rest[start + 1 : end - 1], rest[end:]
        if selectors.startswith("@"):
            continue
        pairs = (each.partition(":") for each in block.split(";") if ":" in each)
        declarations = tuple((name.strip(), value.strip()) for name, _, value in pairs)
        for selector in re.split(r",(?![^(]*\))", selectors):
            yield _Rule(_USE.sub(r"\1.use", selector.strip()), declarations)


def _written(rule: _Rule, values: dict[str, str], by_class: dict[str, dict[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield a rule as selectors with their declarations; for each class that sets a value in it separately."""
    own = [(name, _resolved(value, values)) for name, value in rule.declarations if _is_plain(name, value)]
    plain = [(name, value) for name, value in own if "var(" not in value]
    if plain:
        yield rule.selector, _joined(plain)
    open_names = {found[1] for _name, value in own for found in _VARIABLE.finditer(value)} & by_class.keys()
    for name in sorted(open_names):
        for wrapper, value in by_class[name].items():
            given = {**values, name: value}
            closed = [(each, _resolved(text, given)) for each, text in own if f"var({name}" in text]
            written = _joined((each, text) for each, text in closed if "var(" not in text)
            if written:
                for selector in _inside(rule.selector, wrapper):
                    yield selector, written


def _is_plain(name: str, value: str) -> bool:
    """Return whether every renderer of SVG reads a declaration alike."""
    return (name, value) == ("display", "none") or bool(_PLAIN.fullmatch(name) and not _COMPUTED.search(value))


def _inside(selector: str, wrapper: str) -> Iterator[str]:
    """Yield selectors for the same elements if they, or an element around them, have a class."""
    parts = selector.split(" ")
    for k, part in enumerate(parts):
        if part in _COMBINATORS:
            continue
        if k == 0 or parts[k - 1] not in _COMBINATORS:
            yield " ".join([*parts[:k], wrapper, *parts[k:]])
        if ":" not in part:
            yield " ".join([*parts[:k], part + wrapper, *parts[k + 1 :]])


def _resolved(value: str, values: Mapping[str, str]) -> str:
    """Return a value with all that is known written out."""
    for _step in range(_STEPS):
        before = value
        value = _VARIABLE.sub(lambda found: values.get(found[1], found[2] or found[0]), value)
        value = _ALPHA.sub(lambda found: f"rgba({found[1]}, {found[2]}, {found[3]}, {float(found[4]) / 100:g})", value)
        value = _MIXED.sub(lambda found: _mixed(found[1], float(found[2]) / 100, found[3]), value)
        if value == before:
            break
    return value


def _mixed(one: str, share: float, other: str) -> str:
    if other == "transparent":
        return one
    parts = zip(_channels(one), _channels(other), strict=True)
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in parts)


def _channels(colour: str) -> tuple[int, int, int]:
    digits = _NAMED.get(colour, colour).lstrip("#")
    wide = digits if len(digits) >= 6 else "".join(2 * digit for digit in digits)
    return int(wide[0:2], 16), int(wide[2:4], 16), int(wide[4:6], 16)


def _joined(declarations: Iterable[tuple[str, str]]) -> str:
    return "; ".join(f"{name}: {value}" for declaration in declarations for name, value in _long_form(*declaration))


def _long_form(name: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield a declaration; the short form of a font as its parts."""
    font = _FONT.fullmatch(value) if name == "font" else None
    if font is None:
        yield name, value
    else:
        yield from (("font-weight", font[1] or "400"), ("font-size", font[2]), ("font-family", font[3]))


_SVG: Final = "http://www.w3.org/2000/svg"
_USE_TAG, _SYMBOL, _GROUP, _ROOT = (f"{{{_SVG}}}{name}" for name in ("use", "symbol", "g", "svg"))
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
        places = [(parent, k) for parent in root.iter() for k, child in enumerate(parent) if child.tag == _USE_TAG]
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
