"""Add and remove devices that receive push messages."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from litestar import Response, get, post
from litestar.params import Body
from litestar.response import Redirect

from meadhall.server.hall.hall import Hall
from meadhall.server.pages.responses import see_other
from meadhall.server.store.models import Guest
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest, client_address, device_label
from meadhall.server.web.sessions import Sessions

_SECTION: Final = "/settings#push"


class PushKeys(msgspec.Struct):
    """The keys with which messages to a browser are encrypted (RFC 8291), in base64url."""

    p256dh: str
    auth: str


class NewSubscription(msgspec.Struct):
    """A push subscription as a browser describes it (``PushSubscription.toJSON``). ``old``: the endpoint that it replaces."""

    endpoint: str
    keys: PushKeys
    old: str = ""


class Subscribed(msgspec.Struct):
    """A device that receives push messages."""

    id: str
    device: str


@get("/settings/notifications/key")
async def show_key(hall: Hall) -> Response[dict[str, str]]:
    """Return the public key with which a browser subscribes."""
    return Response({"key": await hall.notifications.key()})


@post("/settings/notifications/devices", status_code=201)
async def add_device(
    request: AnyRequest, data: Annotated[NewSubscription, Body()], hall: Hall, guest: Guest, sessions: Sessions
) -> Subscribed:
    """Let the browser that sends the request receive the guest's push messages."""
    guest = sessions.save(guest)
    label = device_label(request)
    opener = sessions.opener_for(request, guest)
    keys, client = data.keys, client_address(request)
    added = await hall.notifications.subscribe(guest, client, data.endpoint, keys.p256dh, keys.auth, label, opener, data.old)
    return Subscribed(added.id, added.device)


@post("/settings/notifications/devices/{device:str}/remove", status_code=200)
async def remove_device(hall: Hall, guest: Guest, device: str) -> Redirect:
    """Send a device no more push messages."""
    hall.notifications.unsubscribe(guest, device)
    return see_other(link(_SECTION))


routes = [show_key, add_device, remove_device]
