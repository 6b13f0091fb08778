"""People with separate browsers, whose errors are collected."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import APIResponse, Browser, ConsoleMessage, Page, Response

POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}
"""The header that a browser sends with a form of the same origin. Playwright's requests outside a page don't send it."""


class Person:
    """A person with one browser (one cookie jar). The errors of all pages are collected in ``faults``.

    Pages don't move, and no service worker loads files for later, which spares work, unless ``options`` are ``MOVING`` or
    ``INSTALLED``.
    """

    def __init__(self, browser: Browser, hall: str, **options: Any) -> None:
        usual: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}, "locale": "en-GB", "reduced_motion": "reduce"}
        options = usual | {"service_workers": "block"} | options
        self.context = browser.new_context(base_url=hall, **options)
        self.context.set_default_timeout(60_000)
        self.context.on("console", self._on_console)
        self.context.on("weberror", lambda error: self._fault(f"page error: {error.error}"))
        self.context.on("response", self._on_response)
        self.hall = hall
        self._headers = {"Accept": "application/json", "Accept-Language": options["locale"], **SAME_ORIGIN}
        self.is_plain = not options.get("java_script_enabled", True)
        self._allowed: list[str] = ["Service Worker registration blocked by Playwright"]
        self.faults: list[str] = []
        self.page = self.context.new_page()

    def allow(self, *patterns: str) -> None:
        """Ignore faults that match a pattern from here on, e.g. ``"409"``."""
        self._allowed += patterns

    def open(self, path: str) -> Page:
        """Open a page of the hall: its address, or a path below that of the hall."""
        self.page.goto(f".{path}" if path.startswith("/") else path)
        return self.page

    def ask(self, path: str, **form: str | float | bool) -> APIResponse:
        """Send a form to the hall as a page does, without the page, and return the answer. It must succeed."""
        answer = self.context.request.post(f"{self.hall.rstrip('/')}{path}", form=form, headers=self._headers)
        assert answer.ok, answer.text()
        return answer

    def leave(self) -> None:
        """Close the browser."""
        self.context.close()

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._fault(f"console {message.type}: {message.text} ({message.location.get('url', '')})")

    def _on_response(self, response: Response) -> None:
        if not response.url.startswith(self.hall):
            self._fault(f"request to another host: {response.url}")
        elif response.headers.get("content-security-policy") != POLICY:
            self._fault(f"no content security policy: {response.url}: {response.headers.get('content-security-policy')}")
        if response.status >= 400:
            self._fault(f"status {response.status}: {response.request.method} {response.url}")

    def _fault(self, message: str) -> None:
        if not any(re.search(pattern, message) for pattern in self._allowed):
            self.faults.append(message)


NewPerson = Callable[..., Person]
"""The type of the fixture ``new_person``: returns a new person with a new browser context of the given options."""
