"""Checks that hold for every page."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

_ALIENS = """() => [...document.querySelectorAll("svg, svg *")]
    .filter(node => node.namespaceURI !== "http://www.w3.org/2000/svg").map(node => node.outerHTML.slice(0, 80))"""

# Not innerWidth: a phone zooms out of a page that is too wide, and innerWidth grows with it.
_WIDTH = "document.documentElement.clientWidth"

_TOO_WIDE = f"""() => [...document.querySelectorAll("main *, header *")]
    .filter(e => !e.closest("svg, .visually-hidden, [popover], .tip, .scroll, .wide"))
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
    .filter(a => a.animationName !== "go")  // hides a notice after a while
    .filter(a => { const end = a.effect.getComputedTiming().endTime; return end === Infinity || end > 20; })
    .map(a => `${a.animationName ?? a.transitionProperty} on ${a.effect.target.outerHTML.slice(0, 60)}`)"""

_DIFFERENCES = r"""
async () => {
  const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  const ours = new Set(["data-htmx-powered", "open", "tabindex", "data-version"]);  // of the page's scripts
  const found = [];
  const text = node => node.nodeType === Node.TEXT_NODE ? node.data.replace(/\s+/g, " ").trim() : "";
  const copied = ".tip[aria-hidden]";  // a script shows a tip of another place there
  const parts = node => [...node.childNodes].filter(each => each.matches?.(`:not(${copied})`) || text(each));
  const name = node => node.nodeType === Node.TEXT_NODE ? `"${text(node)}"` : node.outerHTML.slice(0, 120);
  const compare = (shown, loaded) => {
    if (shown.nodeType !== loaded.nodeType || text(shown) !== text(loaded) || shown.nodeName !== loaded.nodeName) {
      found.push(`${name(shown)} instead of ${name(loaded)}`);
      return;
    }
    if (shown.nodeType !== Node.ELEMENT_NODE || shown.hasAttribute("data-keep")) return;
    for (const { name: attribute, value } of loaded.attributes) {
      if (!ours.has(attribute) && shown.getAttribute(attribute) !== value) {
        found.push(`${attribute}="${shown.getAttribute(attribute)}" instead of "${value}" in ${name(loaded)}`);
      }
    }
    const [here, there] = [parts(shown), parts(loaded)];
    if (here.length !== there.length) found.push(`${here.map(name)} instead of ${there.map(name)}`);
    else here.forEach((each, k) => compare(each, there[k]));
  };
  compare(document.getElementById("frame"), page.getElementById("frame"));
  return found;
}
"""

_FOCUSED = """() => {
  const here = document.activeElement;
  return here === document.body ? "" : here.id || here.outerHTML.slice(0, 80);
}"""


def alien_nodes(page: Page) -> list[str]:
    """Return the nodes below an ``<svg>`` that are not SVG, which browsers don't draw."""
    return _strings(page.evaluate(_ALIENS))


def too_wide(page: Page) -> list[str]:
    """Return the elements that extend beyond the edge of the screen."""
    return _strings(page.evaluate(_TOO_WIDE))


def cut_off(page: Page) -> list[str]:
    """Return the elements whose text is cut off."""
    return _strings(page.evaluate(_CUT_OFF))


def scrolls_sideways(page: Page) -> bool:
    """Return whether the page is wider than the screen."""
    return bool(page.evaluate(f"() => document.documentElement.scrollWidth > {_WIDTH}"))


def small_controls(page: Page) -> list[str]:
    """Return the controls that are less than 44 CSS pixels wide or high."""
    return _strings(page.evaluate(_SMALL))


def moving(page: Page) -> list[str]:
    """Return the running animations and transitions that take longer than 20 ms."""
    return _strings(page.evaluate(_MOVING))


_OVERLAPPING = """
([one, others]) => {
  const box = document.querySelector(one).getBoundingClientRect();
  const meets = ({ left, right, top, bottom }) =>
    left < box.right - 1 && right > box.left + 1 && top < box.bottom - 1 && bottom > box.top + 1;
  const found = [...document.querySelectorAll(others)].filter(each => each.checkVisibility());
  return found.filter(each => meets(each.getBoundingClientRect())).map(each => each.className);
}
"""


def overlapping(page: Page, one: str, others: str) -> list[str]:
    """Return which of the visible ``others`` lie over or under the element ``one``."""
    return _strings(page.evaluate(_OVERLAPPING, [one, others]))


def differences(page: Page) -> list[str]:
    """Return how a page that was patched differs from the same page loaded now. Scripts may have added attributes."""
    return _strings(page.evaluate(_DIFFERENCES))


def focused(page: Page) -> str:
    """Return the id of the element with the focus, "" if there is none."""
    return str(page.evaluate(_FOCUSED))


def _strings(found: Any) -> list[str]:
    assert isinstance(found, list)
    return [str(each) for each in found]
