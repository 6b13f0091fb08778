"""What is wrong with the looks of pages: their accessibility, and their layout on a phone and on a large screen."""

from __future__ import annotations

from playwright.sync_api import Page

from browser.accessibility import Inspector
from browser.checks import scrolls_sideways
from browser.layout import overlapping_targets, overlapping_texts, small_targets


class Looks:
    """Collects what is wrong with the looks of pages, on a phone and on a large screen."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.inspector = Inspector()

    def note(self, name: str, page: Page) -> None:
        self.inspector.inspect(name, page)
        size = page.viewport_size
        for width, height in ((1440, 900), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            wrong = [*small_targets(page, 28), *overlapping_targets(page), *overlapping_texts(page)]
            wrong += ["scrolls sideways"] if scrolls_sideways(page) else []
            self.found += [f"{name}, {width}: {each}" for each in wrong]
        assert size is not None
        page.set_viewport_size(size)
