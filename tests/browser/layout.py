"""Measurements of a page's layout: size and overlap of targets, size and overlap of texts."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

_COMMON = """
  const seen = e => e.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const name = e => e.id ? "#" + e.id : e.outerHTML.slice(0, 70);
  // What sticks to an edge of the window, or is a sheet, lies over the rest: things of different layers don't collide.
  const lies = ({ id }, { position }) => id === "notices" || position === "sticky" || (id === "hints" && position === "absolute");
  const layer = e => {
    for (; e; e = e.parentElement) if (lies(e, getComputedStyle(e))) return e;
    return null;
  };
  const width = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = (a, b) => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  const size = (a, b) => `${Math.round(width(a, b))} x ${Math.round(height(a, b))}`;
"""

# Buttons, links, fields and summaries, but not links in running text.
_TARGETS = (
    _COMMON
    + """
  const targets = root => [...root.querySelectorAll("button, a[href], input, select, summary")]
    .filter(e => seen(e) && !e.closest(".visually-hidden, .tip, [popover], [inert]"))
    .filter(e => e.type !== "hidden" && !e.matches(".rule, p a, li a, [disabled], [aria-disabled=true]"))
    .map(e => ({ e, box: e.getBoundingClientRect() }));
"""
)

_SMALL = f"""least => {{
  {_TARGETS}
  return targets(document.body).filter(({{ box }}) => Math.min(box.width, box.height) < least - 0.5)
    .map(({{ e, box }}) => `${{Math.round(box.width)}} x ${{Math.round(box.height)}}: ${{name(e)}}`);
}}"""

_COVERED = f"""() => {{
  {_TARGETS}
  const found = [], all = targets(document.getElementById("controls") ?? document.body);
  all.forEach((a, k) => all.slice(k + 1).forEach(b => {{
    const both = width(a.box, b.box) > 2 && height(a.box, b.box) > 2 && layer(a.e) === layer(b.e);
    if (both) found.push(`${{name(a.e)}} and ${{name(b.e)}} overlap by ${{size(a.box, b.box)}}`);
  }}));
  return found;
}}"""

# Every line of text as it is drawn: as high as its letters, and clipped by elements that scroll or clip.
_LINES = (
    _COMMON
    + """
  const HIDDEN = "script, style, template, option, title, desc, .visually-hidden, .tip, .key, [popover]";
  const clip = (box, at) => {
    for (let up = at; up !== document.body; up = up.parentElement) {
      const style = getComputedStyle(up), edge = up.getBoundingClientRect();
      if (style.display === "inline" || (up.ownerSVGElement && up !== at.closest("svg"))) continue;
      const { left, right, top, bottom } = box;
      if (style.overflowX !== "visible") box = { ...box, left: Math.max(left, edge.left), right: Math.min(right, edge.right) };
      if (style.overflowY !== "visible") box = { ...box, top: Math.max(top, edge.top), bottom: Math.min(bottom, edge.bottom) };
    }
    return box;
  };
  const lines = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode());) {
    const at = node.parentElement;
    if (!node.data.trim() || at.closest(HIDDEN) || !seen(at)) continue;
    const range = document.createRange(), matrix = at.ownerSVGElement && at.getScreenCTM();
    range.selectNodeContents(node);
    const letters = parseFloat(getComputedStyle(at).fontSize) * (matrix ? Math.hypot(matrix.a, matrix.b) : 1);
    for (const { left, right, top, bottom } of range.getClientRects()) {
      const middle = (top + bottom) / 2, half = Math.min((bottom - top) / 2, 0.36 * letters);
      const box = clip({ left, right, top: middle - half, bottom: middle + half }, at);
      if (box.right - box.left > 1 && box.bottom - box.top > 1) lines.push({ node, at, letters, box });
    }
  }
  const words = line => `"${line.node.data.trim().slice(0, 30)}" (${name(line.at.closest("[id]"))})`;
"""
)

_TINY = f"""least => {{
  {_LINES}
  const tiny = lines.filter(line => line.letters < least - 0.05);
  return [...new Set(tiny.map(line => `${{line.letters.toFixed(1)}} px: ${{words(line)}}`))];
}}"""

_COLLIDING = f"""() => {{
  {_LINES}
  const found = [];
  lines.forEach((a, k) => lines.slice(k + 1).forEach(b => {{
    if (a.node === b.node || width(a.box, b.box) < 1.5 || height(a.box, b.box) < 1.5 || layer(a.at) !== layer(b.at)) return;
    found.push(`${{words(a)}} and ${{words(b)}} overlap by ${{size(a.box, b.box)}}`);
  }}));
  return found;
}}"""


def small_targets(page: Page, least: float) -> list[str]:
    """Return the buttons, links and fields that are less than ``least`` CSS pixels wide or high."""
    return _strings(page.evaluate(_SMALL, least))


def overlapping_targets(page: Page) -> list[str]:
    """Return the pairs of choices on the board that overlap."""
    return _strings(page.evaluate(_COVERED))


def small_texts(page: Page, least: float) -> list[str]:
    """Return the visible texts whose letters are drawn with a font size of less than ``least`` CSS pixels."""
    return _strings(page.evaluate(_TINY, least))


def overlapping_texts(page: Page) -> list[str]:
    """Return the pairs of visible texts that overlap."""
    return _strings(page.evaluate(_COLLIDING))


def _strings(found: Any) -> list[str]:
    assert isinstance(found, list)
    return [str(each) for each in found]
