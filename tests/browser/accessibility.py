"""Checks of pages against the accessibility rules of axe-core."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_RUN = """async rules => {
  const usual = { resultTypes: ["violations"], preload: false };  // it would load the style sheets again, for rules that are off
  return (await axe.run(document, rules.length ? { ...usual, runOnly: rules } : usual)).violations;
}"""
_COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules whose results depend on the theme."""


class Inspector:
    """Collects the violations of many pages, so that one run reports all of them.

    The pages must have reduced motion. Otherwise colours would still fade from one theme to the other.
    """

    def __init__(self) -> None:
        self.found: list[str] = []
        self._seen_dark: set[str] = set()

    def inspect(self, name: str, page: Page) -> None:
        """Inspect the current page: by all rules in the light theme, and by those about colours in the dark one.

        A page that changes, like that of a table, is inspected in the dark theme only the first time.
        """
        if not page.evaluate("() => Boolean(window.axe?.run)"):
            page.evaluate(Axe().axe_script)
        address = page.url.partition("#")[0]
        if address not in self._seen_dark:
            self._seen_dark.add(address)
            page.emulate_media(color_scheme="dark")
            self._note(f"{name}, dark", page.evaluate(_RUN, _COLOURS))
        page.emulate_media(color_scheme="light")
        self._note(f"{name}, light", page.evaluate(_RUN, []))

    def _note(self, place: str, violations: Any) -> None:
        for violation in violations:
            for node in violation["nodes"]:
                why = "; ".join(check["message"] for check in node["any"] + node["all"] + node["none"])
                self.found.append(f"{place}: {violation['id']} at {' '.join(map(str, node['target']))}: {why}")
