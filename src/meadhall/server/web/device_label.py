"""The name of a device in lists, such as "Firefox on Linux", from the User-Agent header (RFC 9110, 10.1.5)."""

from __future__ import annotations

from typing import Final

from meadhall.engine.text.language import gettext as _
from meadhall.server.web.request import AnyRequest

# The first that occurs counts: most browsers also name others that they are compatible with.
_BROWSERS: Final = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser": "Samsung Internet",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "CriOS": "Chrome",
    "Chrome": "Chrome",
    "Safari": "Safari",
}
_SYSTEMS: Final = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "CrOS": "ChromeOS",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}


def device_label(request: AnyRequest) -> str:
    """Return the browser and the system of a request, as far as they are known."""
    agent = request.headers.get("User-Agent", "")
    browser, system = (next((name for sign, name in each.items() if sign in agent), "") for each in (_BROWSERS, _SYSTEMS))
    if browser and system:
        return _("{browser} on {system}").format(browser=browser, system=system)
    return browser or system or _("A device")
