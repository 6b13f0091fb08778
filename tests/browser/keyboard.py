"""Moving through a page with the keyboard."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page

from browser.checks import focused

_FAR = 150
"""More tab stops than any page has. Most stops are the rules cited in the log."""


def tab_to(page: Page, there: Callable[[], bool]) -> None:
    """Press Tab until ``there`` returns True."""
    for _ in range(_FAR):
        if focused(page) and there():
            return
        page.keyboard.press("Tab")
    raise AssertionError("Tab doesn't reach the element")
