"""People with a browser of their own, and what goes wrong in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page, Response

POLICY = "default-src 'self'"

SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}
"""What a browser sends with a form of the hall's own page. Playwright's requests outside a page don't send it."""


class Person:
    """Somebody with one browser (one cookie jar). Every page's errors are collected in ``faults``."""

    def __init__(self, browser: Browser, hall: str, **manner: Any) -> None:
        manner = {"viewport": {"width": 1440, "height": 900}, "locale": "en-GB"} | manner
        self.context = browser.new_context(base_url=hall, **manner)
        self.context.set_default_timeout(20_000)
        self.context.on("console", self._heard)
        self.context.on("weberror", lambda error: self._fault(f"page error: {error.error}"))
        self.context.on("response", self._answered)
        self.hall = hall
        self._allowed: list[str] = []
        self.faults: list[str] = []
        self.page = self.context.new_page()

    def allow(self, *patterns: str) -> None:
        """Expect faults that match a pattern from here on, e.g. ``"409"``."""
        self._allowed += patterns

    def open(self, path: str) -> Page:
        """Go to a page of the hall."""
        self.page.goto(path)
        return self.page

    def leave(self) -> None:
        """Close the browser."""
        self.context.close()

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._fault(f"console {message.type}: {message.text} ({message.location.get('url', '')})")

    def _answered(self, response: Response) -> None:
        if not response.url.startswith(self.hall):
            self._fault(f"asked elsewhere: {response.url}")
        elif response.headers.get("content-security-policy") != POLICY:
            self._fault(f"without the policy: {response.url}: {response.headers.get('content-security-policy')}")
        if response.status >= 400:
            self._fault(f"status {response.status}: {response.request.method} {response.url}")

    def _fault(self, words: str) -> None:
        if not any(re.search(pattern, words) for pattern in self._allowed):
            self.faults.append(words)


Come = Callable[..., Person]
"""What the fixture ``come`` gives: somebody new, with a browser made in the manner given."""
