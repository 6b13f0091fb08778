"""The hall as an app on a device: its manifest, its service worker, and the page that it shows without a connection."""

from __future__ import annotations

from typing import Any, Final

from litestar import Response, get
from litestar.response import Redirect

from meadhall.engine.text.language import current_language, speak
from meadhall.engine.text.language import gettext as _
from meadhall.server.pages.responses import Html, page
from meadhall.server.pages.templates import service_worker, static
from meadhall.server.store.models import Guest
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest

_CHECKED: Final = {"Cache-Control": "no-cache"}
"""Browsers ask each time whether these files have changed."""

_DARK: Final = "#1b130e"


@get("/manifest.webmanifest")
async def show_manifest(request: AnyRequest) -> Response[dict[str, Any]]:
    """Return the web app manifest. Browsers ask for it without a cookie, so its address names the language."""
    speak(request.query_params.get("language", ""))
    root = link("/")
    icons = [
        {"src": static("favicon.svg"), "type": "image/svg+xml", "sizes": "any"},
        *({"src": static(f"icons/icon-{side}.png"), "type": "image/png", "sizes": f"{side}x{side}"} for side in (192, 512)),
        *(
            {
                "src": static(f"icons/icon-{side}-maskable.png"),
                "type": "image/png",
                "sizes": f"{side}x{side}",
                "purpose": "maskable",
            }
            for side in (192, 512)
        ),
        {"src": static("icons/badge-96.png"), "type": "image/png", "sizes": "96x96", "purpose": "monochrome"},
    ]
    manifest = {
        "id": root,
        "start_url": root,
        "scope": root,
        "name": _("Meadhall"),
        "short_name": _("Meadhall"),
        "description": _("Viking board games to play with friends or bots."),
        "lang": current_language(),
        "display": "standalone",
        "background_color": _DARK,
        "theme_color": _DARK,
        "categories": ["games"],
        "icons": icons,
        "shortcuts": [{"name": _("Puzzle of the day"), "url": link("/daily")}, {"name": _("Settings"), "url": link("/settings")}],
    }
    return Response(manifest, media_type="application/manifest+json", headers=_CHECKED)


@get("/service-worker.js")
async def show_service_worker() -> Response[str]:
    """Return the service worker. It is at the root of the hall, because it may serve only what is below its own address."""
    return Response(service_worker(), media_type="text/javascript; charset=utf-8", headers=_CHECKED)


@get("/offline")
async def show_offline_page(request: AnyRequest, guest: Guest) -> Html:
    """Show the page that the service worker keeps for times without a connection, in the guest's language and look."""
    return page(request, guest, "offline.html", None)


@get(["/favicon.ico", "/apple-touch-icon.png", "/apple-touch-icon-precomposed.png", "/manifest.json"], sync_to_thread=False)
def show_usual_address(request: AnyRequest) -> Redirect:
    """Lead from the addresses where programs look for an icon and the manifest to those that pages name."""
    name = request.url.path.rpartition("/")[2]
    usual = {"favicon.ico": static("icons/icon-48.png"), "manifest.json": link("/manifest.webmanifest")}
    return Redirect(usual.get(name, static("icons/icon-180.png")), status_code=301)


routes = [show_usual_address, show_manifest, show_service_worker, show_offline_page]
