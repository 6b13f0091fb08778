"""Checks of pages against the accessibility rules of axe-core."""

from __future__ import annotations

from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


class Inspector:
    """Collects the violations of many pages, so that one run reports all of them.

    The pages must have reduced motion. Otherwise colours would still fade from one theme to the other.
    """

    def __init__(self) -> None:
        self.found: list[str] = []

    def inspect(self, name: str, page: Page) -> None:
        """Inspect the current page in both themes."""
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            results: Any = Axe().run(page)
            for violation in results.response["violations"]:
                for node in violation["nodes"]:
                    why = "; ".join(check["message"] for check in node["any"] + node["all"] + node["none"])
                    self.found.append(f"{name}, {theme}: {violation['id']} at {' '.join(map(str, node['target']))}: {why}")
