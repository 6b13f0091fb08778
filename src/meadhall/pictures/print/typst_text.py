"""Texts as Typst markup: strings, and the Markdown of rulebooks with its figures."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from meadhall.pictures.templates import environment, has_template

_SVG: Final = "{http://www.w3.org/2000/svg}"
_TOGETHER: Final = re.compile(r"\w-(?:labelled|step)\b")
"""Classes of the parts of a figure that stay together: a drawing and the words below it."""

Drawn = Callable[[str, tuple[float, float]], str]
"""Returns the Typst markup of an SVG element, given its width and height in millimetres."""


def quoted(text: str) -> str:
    """Return a text as a Typst string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def words(text: str) -> str:
    """Return Typst markup that shows a text literally."""
    return f"#{quoted(text)}" if text else ""


def markdown(text: str, game: str, drawn: Drawn) -> str:
    """Return the Markdown of a game's rulebook as Typst markup. ``drawn`` draws the SVG of its figures.

    Figures of the components are left out: the components themselves are printed. Words stand in for others that can't be drawn.
    """
    tree = SyntaxTreeNode(MarkdownIt("commonmark", {"html": False}).enable("table").parse(text))
    return _Writer(game, drawn).inside(tree)


class _Writer:
    """Writes Markdown as Typst."""

    def __init__(self, game: str, drawn: Drawn) -> None:
        self._game = game
        self._drawn = drawn

    def inside(self, node: SyntaxTreeNode) -> str:
        return "".join(map(self._written, node.children))

    def _written(self, node: SyntaxTreeNode) -> str:
        match node.type:
            case "text" | "code_inline":
                return words(node.content)
            case "softbreak" | "hardbreak":
                return " "
            case "heading":
                return f"\n#heading(level: {node.tag[1:]})[{self.inside(node)}]\n"
            case "paragraph":
                return f"\n\n{self.inside(node)}\n\n"
            case "strong":
                return f"#strong[{self.inside(node)}]"
            case "em":
                return f"#emph[{self.inside(node)}]"
            case "bullet_list" | "ordered_list":
                kind = "list" if node.type == "bullet_list" else f"enum.with(start: {node.attrs.get('start', 1)})"
                return f"\n#({kind})({', '.join(f'[{self.inside(item)}]' for item in node.children)})\n"
            case "image":
                return self._figure(node)
            case "fence" | "code_block":
                return f"\n#raw(block: true, {quoted(node.content)})\n"
            case "table":
                rows = [cell for row in node.walk() if row.type == "tr" for cell in row.children]
                columns = len(next(row for row in node.walk() if row.type == "tr").children)
                return f"\n#table(columns: {columns}, {', '.join(f'[{self.inside(cell)}]' for cell in rows)})\n"
            case _:
                return self.inside(node)

    def _figure(self, node: SyntaxTreeNode) -> str:
        """Write ``![alternative text](figure:NAME "caption")`` with the macro ``NAME`` of the game's ``figures.html``."""
        name, file = str(node.attrs["src"]).removeprefix("figure:"), f"{self._game}/figures.html"
        macro: Any = getattr(environment().get_template(file).module, name, None) if has_template(file) else None
        if macro is not None and macro.arguments:
            return ""
        try:
            drawn = ET.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{macro()}</svg>') if macro else None  # noqa: S314 - ours
        except ET.ParseError:
            drawn = None
        if drawn is None:
            return f"#emph[{words(node.content)}]"
        caption = words(str(node.attrs.get("title", "")))
        return f"#figure(alt: {quoted(node.content)}, caption: [{caption}])[{''.join(self._parts(drawn))}]"

    def _parts(self, element: ET.Element) -> Iterator[str]:
        """Yield the drawings and the words in an element of a figure."""
        for part in element:
            if part.tag == f"{_SVG}svg":
                yield self._sign(part)
            elif _TOGETHER.search(part.get("class", "")):
                below_each_other = " \\ ".join(self._parts(part))
                yield f"#box(inset: 1.5mm, align(center, text(size: 8.5pt)[{below_each_other}]))"
            else:
                yield words((part.text or "").strip()) + "".join(self._parts(part))
            if tail := (part.tail or "").strip():
                yield words(tail)

    def _sign(self, element: ET.Element) -> str:
        _x, _y, wide, high = (float(length) for length in element.get("viewBox", "0 0 24 24").split())
        width = max(0.2 * float(element.get("width") or wide), 5.0)
        size = width, width * high / wide
        element.set("width", f"{10 * size[0]:g}")
        element.set("height", f"{10 * size[1]:g}")
        return self._drawn(ET.tostring(element, encoding="unicode"), size)
