"""What must be true of any page."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

_ALIENS = """() => [...document.querySelectorAll("svg, svg *")]
    .filter(node => node.namespaceURI !== "http://www.w3.org/2000/svg").map(node => node.outerHTML.slice(0, 80))"""

# Not innerWidth: where a page is too wide a phone shows all that is there, smaller, and counts that.
_WIDTH = "document.documentElement.clientWidth"

_TOO_WIDE = f"""() => [...document.querySelectorAll("main *, header *")]
    .filter(e => !e.closest("svg, .visually-hidden, [popover], .tip, .scroll"))
    .filter(e => e.checkVisibility({{ opacityProperty: true, visibilityProperty: true }}))
    .filter(e => {{ const r = e.getBoundingClientRect(); return r.width && (r.left < -1 || r.right > {_WIDTH} + 1); }})
    .map(e => e.outerHTML.slice(0, 90))"""

_CUT_OFF = """() => [...document.querySelectorAll(".button, .chip, #prompt-words, h1, h2, .plate-name strong")]
    .filter(e => e.checkVisibility() && !e.closest(".visually-hidden"))
    .filter(e => getComputedStyle(e).overflowX !== "visible" && e.scrollWidth > e.clientWidth + 1)
    .map(e => e.outerHTML.slice(0, 90))"""

_SMALL = """() => [...document.querySelectorAll("#controls button:not([aria-disabled=true]), #tools button, #tools a")]
    .filter(e => e.checkVisibility() && !e.closest("[popover]"))
    .map(e => [e, e.getBoundingClientRect()]).filter(([e, r]) => r.width < 44 || r.height < 44)
    .map(([e, r]) => `${r.width} x ${r.height}: ${e.outerHTML.slice(0, 90)}`)"""

_MOVING = """() => document.getAnimations().filter(a => a.playState === "running")
    .filter(a => { const end = a.effect.getComputedTiming().endTime; return end === Infinity || end > 20; })
    .map(a => `${a.animationName ?? a.transitionProperty} on ${a.effect.target.outerHTML.slice(0, 60)}`)"""

_FOCUSED = """() => {
  const here = document.activeElement;
  return here === document.body ? "" : here.id || here.outerHTML.slice(0, 80);
}"""


def alien_nodes(page: Page) -> list[str]:
    """What hangs below an ``<svg>`` and is no SVG: it would never be drawn."""
    return _strings(page.evaluate(_ALIENS))


def too_wide(page: Page) -> list[str]:
    """What reaches over the edge of the screen."""
    return _strings(page.evaluate(_TOO_WIDE))


def cut_off(page: Page) -> list[str]:
    """Words that don't fit into what holds them."""
    return _strings(page.evaluate(_CUT_OFF))


def scrolls_sideways(page: Page) -> bool:
    """Whether the page is wider than the screen."""
    return bool(page.evaluate(f"() => document.documentElement.scrollWidth > {_WIDTH}"))


def small_controls(page: Page) -> list[str]:
    """What is to be tapped and is less than 44 CSS pixels wide or high."""
    return _strings(page.evaluate(_SMALL))


def moving(page: Page) -> list[str]:
    """Animations and transitions that run and take longer than a blink."""
    return _strings(page.evaluate(_MOVING))


def focused(page: Page) -> str:
    """The id of what has the focus, "" if nothing has."""
    return str(page.evaluate(_FOCUSED))


def _strings(found: Any) -> list[str]:
    assert isinstance(found, list)
    return [str(each) for each in found]
