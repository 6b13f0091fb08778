"""Send encrypted messages to the push services of browsers (Web Push: RFC 8030, 8188, 8291; VAPID: RFC 8292).

A guest's browser names the address of its push service. So that no guest can make the hall ask other servers, only the services
of the browsers are accepted, when a browser subscribes and when a message is sent. ``MEADHALL_PUSH_SERVICES`` allows more.

The libraries are imported with the first message: most halls send none.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import urlsplit

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import BadPushSubscription
from meadhall.server.ops.logs import OncePerInterval
from meadhall.server.ops.metrics import PUSH_MESSAGES
from meadhall.server.ops.time import Time
from meadhall.server.store.sessions import PushSubscription
from meadhall.server.worker.threads import run_in_thread

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)
log.addFilter(OncePerInterval())

SECRET: Final = "push"  # noqa: S105 - the name of a secret
"""The name of the secret that the hall's VAPID keys are made from."""

LONGEST_ENDPOINT: Final = 1000

_BROWSERS: Final = re.compile(
    r"https://("
    r"fcm\.googleapis\.com"  # Chrome, Edge on Android, Opera, Brave, Samsung Internet
    r"|jmt17\.google\.com"  # Chromium that was built without Google's keys
    r"|([a-z0-9-]+\.)+(push\.services\.mozilla\.com"  # Firefox
    r"|push\.apple\.com"  # Safari
    r"|notify\.windows\.com)"  # Edge on Windows
    r")(:443)?/",
    re.IGNORECASE,
)
"""The addresses of the push services of browsers."""

_CLEAN: Final = re.compile(r"[!-~]+")

_TIMEOUT = 10.0
"""Seconds for one message."""

_LONGEST_REASON: Final = 160

_OWN_CONTACT: Final = "https://localhost"
"""The contact for the host's push services, and browsers of before, in a hall without a public address."""

_SIGNED_FOR: Final = 12 * 3600
"""Seconds for which a signature is valid. RFC 8292 allows a day."""

_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""The order of the curve P-256 (FIPS 186-5): private keys are the integers from 1 to one less."""

_NAME: Final = re.compile(r"(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,58}[a-z0-9])")
"""A host name of several labels (RFC 1123, 2.1). The last one has no digits, which would make it an IPv4 address."""

_GONE: Final = (404, 410)
_TOO_MANY: Final = 429


@dataclass(frozen=True)
class Outcome:
    """What became of a message.

    Attributes:
        kind: ``sent``; ``gone``, the browser receives no messages any more; ``later``, it may be tried again; or ``refused``.
        seconds: how long to wait before the next attempt, if it is known.
        reason: why the push service has refused it.
    """

    kind: Literal["sent", "gone", "later", "refused"]
    seconds: float = 0.0
    reason: str = ""


@dataclass(frozen=True)
class Message:
    """A message to a browser.

    Attributes:
        text: what the service worker receives.
        topic: a later message with the same topic takes the place of one that has not been delivered.
        seconds: how long the push service keeps it for a device that is offline.
        is_urgent: whether it may wake a device that saves its battery.
    """

    text: Mapping[str, Any]
    topic: str
    seconds: int
    is_urgent: bool


class PushServices:
    """Sends messages to browsers.

    Args:
        allowed: origins of further push services.
        public_url: the address of the hall, by which the operator of a push service can find its host. Without a public one the
            hall accepts ``allowed`` only: some push services refuse messages without a contact.
        time: the time of the hall.
    """

    def __init__(self, allowed: Sequence[str], public_url: str, time: Time) -> None:
        self._time = time
        self._allowed = tuple(allowed)
        self._contact = contact_at(public_url)
        self._client: httpx.AsyncClient | None = None

    @property
    def is_offered(self) -> bool:
        """Whether the hall offers push messages."""
        return bool(self._contact or self._allowed)

    def check(self, endpoint: str) -> None:
        """Refuse an address that is not at a push service that the hall knows. Raises BadPushSubscription."""
        origin = self._origin(endpoint)
        if not self._contact and origin not in self._allowed:
            raise BadPushSubscription(_("This hall sends no push messages: its host hasn't set a public https:// address."))
        if origin is None:
            raise BadPushSubscription(_("This hall sends push messages through Google, Mozilla, Apple and Microsoft only."))

    def _origin(self, endpoint: str) -> str | None:
        """Return the origin of a push service, None if the hall doesn't know it."""
        if len(endpoint) > LONGEST_ENDPOINT or not _CLEAN.fullmatch(endpoint):
            return None
        found = _BROWSERS.match(endpoint)
        if found is not None:
            return f"https://{found[1].lower()}"
        return next((origin for origin in self._allowed if endpoint.lower().startswith(f"{origin}/")), None)

    async def send(self, subscription: PushSubscription, message: Message, secrets: Sequence[str]) -> Outcome:
        """Send a message to a browser. ``secrets``: what the hall's keys are made from, the current one first."""
        outcome = await self._send(subscription, message, secrets)
        PUSH_MESSAGES.labels(outcome.kind).inc()
        return outcome

    async def _send(self, subscription: PushSubscription, message: Message, secrets: Sequence[str]) -> Outcome:
        origin = self._origin(subscription.endpoint)
        if origin is None:
            return Outcome("gone")
        contact = self._contact or _OWN_CONTACT
        made = await run_in_thread(_encrypted, subscription, message, secrets, origin, contact, self._time.now())
        if made is None:
            return Outcome("gone")  # the key for which it was made is not accepted any more
        try:
            async with asyncio.timeout(_TIMEOUT):
                return await self._post(subscription.endpoint, *made)
        except OSError as error:  # also when time is up
            log.warning("a push message could not be sent to %s: %s", origin, str(error) or "no answer")
            return Outcome("later")

    async def _post(self, endpoint: str, body: bytes, headers: Mapping[str, str]) -> Outcome:
        import httpx  # noqa: PLC0415

        if self._client is None:
            self._client = httpx.AsyncClient(timeout=_TIMEOUT, follow_redirects=False, trust_env=False)
        try:
            response = await self._client.post(endpoint, content=body, headers=headers)
        except httpx.HTTPError as error:
            raise OSError(str(error) or type(error).__name__) from None
        if response.is_success:
            return Outcome("sent")
        if response.status_code in _GONE:
            return Outcome("gone")
        if response.status_code == _TOO_MANY or response.is_server_error:
            return Outcome("later", _seconds(response.headers.get("Retry-After", ""), self._time.now()))
        reason = f"{response.status_code} {' '.join(response.text.split())}".strip()[:_LONGEST_REASON]
        log.warning("the push service %s has refused a message: %s", urlsplit(endpoint).hostname, reason)
        return Outcome("refused", reason="".join(filter(str.isprintable, reason)))

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None


def contact_at(public_url: str) -> str:
    """Return the contact that push services get, of a hall at this address; "" if it isn't public."""
    parts = urlsplit(public_url)
    return f"https://{parts.hostname}" if parts.scheme == "https" and _NAME.fullmatch(parts.hostname or "") else ""


def check_keys(p256dh: str, auth: str) -> None:
    """Refuse keys that no browser makes: a point of P-256 and 16 bytes. Raises BadPushSubscription."""
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decoded(p256dh))
        if len(_decoded(auth)) == 16:
            return
    except ValueError:
        pass
    raise BadPushSubscription(_("The keys of this push subscription are malformed."))


@lru_cache(maxsize=16)
def public_key(secret: str) -> str:
    """Return the VAPID public key of a secret, in base64url, as browsers want it."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat  # noqa: PLC0415

    point = _private_key(secret).public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return base64.urlsafe_b64encode(point).decode().rstrip("=")


def _private_key(secret: str) -> Any:
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

    return ec.derive_private_key(int(secret, 16) % (_ORDER - 1) + 1, ec.SECP256R1())


def _encrypted(
    subscription: PushSubscription, message: Message, secrets: Sequence[str], origin: str, contact: str, at: datetime
) -> tuple[bytes, dict[str, str]] | None:
    """Return the encrypted message and its headers; None if no secret belongs to the key of the subscription."""
    import http_ece  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415
    from py_vapid import Vapid02  # noqa: PLC0415

    secret = next((each for each in secrets if public_key(each) == subscription.vapid_key), None)
    if secret is None:
        return None
    body = http_ece.encrypt(
        json.dumps(message.text).encode(),
        private_key=ec.generate_private_key(ec.SECP256R1()),
        dh=_decoded(subscription.p256dh),
        auth_secret=_decoded(subscription.auth),
        version="aes128gcm",
    )
    claims = {"aud": origin, "sub": contact, "exp": int(at.timestamp()) + _SIGNED_FOR}
    signed = Vapid02(_private_key(secret)).sign(claims)
    return body, {
        **signed,
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(message.seconds),
        "Topic": message.topic,
        "Urgency": "high" if message.is_urgent else "normal",
    }


def _seconds(retry_after: str, at: datetime) -> float:
    """Return the seconds that a Retry-After header asks for: a number, or a time (RFC 9110, 10.2.3). 0 without a valid one."""
    if retry_after.isdecimal():
        return float(retry_after[:9])
    try:
        time = parsedate_to_datetime(retry_after)
    except ValueError:
        return 0.0
    return max(0.0, ((time if time.tzinfo else time.replace(tzinfo=UTC)) - at).total_seconds())


def _decoded(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
