"""Send encrypted messages to the push services of browsers (Web Push: RFC 8030, 8188, 8291; VAPID: RFC 8292).

A guest's browser names the address of its push service. So that no guest can make the hall ask other servers of its network,
addresses begin with ``https`` and a name, and names that lead into a private network are refused when the connection is made.
``MEADHALL_PUSH_SERVICES`` allows more.

The libraries are imported with the first message: most halls send none, and they take 30 MB of a process.
"""

from __future__ import annotations

import base64
import json
import logging
import re
import socket
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar
from urllib.parse import urlsplit

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import BadPushSubscription
from meadhall.server.ops.log_limit import OncePerInterval
from meadhall.server.ops.metrics import PUSH_MESSAGES
from meadhall.server.ops.time import Time
from meadhall.server.store.sessions import PushSubscription
from meadhall.server.worker.threads import run_in_thread

if TYPE_CHECKING:
    import aiohttp
T = TypeVar("T")

log = logging.getLogger(__name__)
log.addFilter(OncePerInterval())

SECRET: Final = "push"  # noqa: S105 - the name of a secret
"""The name of the secret that the hall's VAPID keys are made from."""

LONGEST_ENDPOINT: Final = 1000

_TIMEOUT = 10.0
"""Seconds for one message."""

_CONNECT_TIMEOUT: Final = 3.0
"""Seconds to find the address of a host and connect."""

_FIRST_PAUSE: Final = 15.0
"""Seconds for which a host gets no messages after it has not answered one. They double with each further one."""

_LONGEST_PAUSE: Final = 300.0

_REMEMBERED: Final = 1000
"""Number of hosts that have not answered of which the process knows."""

_PROVEN: Final = 50
"""Number of hosts that have answered of which the process knows."""

_LONGEST_REASON: Final = 160

_OWN_CONTACT: Final = "https://localhost"
"""The contact for the host's push services, and browsers of before, in a hall without a public address."""

_SIGNED_FOR: Final = 12 * 3600
"""Seconds for which a signature is valid. RFC 8292 allows a day."""

_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""The order of the curve P-256 (FIPS 186-5): private keys are the integers from 1 to one less."""

_NAT64: Final = IPv6Network("64:ff9b::/96")
"""IPv6 addresses that stand for IPv4 ones (RFC 6052)."""

_UNICAST: Final = IPv6Network("2000::/3")
"""All other IPv6 addresses of the public internet (RFC 4291, 2.4). Outside it, new special networks appear from time to time."""

_DOCUMENTATION: Final = IPv6Network("3fff::/20")
"""Addresses for examples (RFC 9637), which Python knows from version 3.13 on."""

_NAME: Final = re.compile(r"(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,58}[a-z0-9])")
"""A host name of several labels (RFC 1123, 2.1). The last one has no digits, which would make it an IPv4 address."""

_GONE: Final = (404, 410)
_TOO_MANY: Final = 429
_SERVER_ERROR: Final = 500


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

    A host that doesn't answer gets no messages for a while (a circuit breaker). Then a single message tries it again: the
    scheduler runs one job for a host at a time.

    Attributes:
        proven: the hosts that answer, the least recent first.

    Args:
        allowed: origins of push services that may be in a private network, or use ``http``.
        public_url: the address of the hall, by which the operator of a push service can find its host. Without a public one the
            hall accepts ``allowed`` only: some push services refuse messages without a contact.
        time: the time of the hall.
    """

    def __init__(self, allowed: Sequence[str], public_url: str, time: Time) -> None:
        self._time = time
        self._allowed = frozenset(allowed)
        self._contact = contact_at(public_url)
        self._session: aiohttp.ClientSession | None = None
        self._silent: OrderedDict[str, tuple[int, float]] = OrderedDict()  # failures, and the end of the pause in seconds
        self.proven: OrderedDict[str, None] = OrderedDict()

    @property
    def is_offered(self) -> bool:
        """Whether the hall offers push messages."""
        return bool(self._contact or self._allowed)

    def check(self, endpoint: str) -> None:
        """Refuse an address that can't be that of a push service. Raises BadPushSubscription."""
        origin = self._origin(endpoint)
        if not self._contact and origin not in self._allowed:
            raise BadPushSubscription(_("This hall sends no push messages: its host hasn't set a public https:// address."))
        if origin is None:
            raise BadPushSubscription(_("A push service must have a public address that begins with https://."))

    async def send(self, subscription: PushSubscription, message: Message, secrets: Sequence[str]) -> Outcome:
        """Send a message to a browser. ``secrets``: what the hall's keys are made from, the current one first."""
        outcome = await self._send(subscription, message, secrets)
        PUSH_MESSAGES.labels(outcome.kind).inc()
        return outcome

    async def _send(self, subscription: PushSubscription, message: Message, secrets: Sequence[str]) -> Outcome:
        origin, host = self._origin(subscription.endpoint), host_of(subscription.endpoint)
        if origin is None:
            return Outcome("gone")
        failures, pause_end = self._silent.get(host, (0, 0.0))
        if pause_end > self._time.seconds():
            return Outcome("later", pause_end - self._time.seconds())
        contact = self._contact or _OWN_CONTACT
        made = await run_in_thread(_encrypted, subscription, message, secrets, origin, contact, self._time.now())
        if made is None:
            return Outcome("gone")  # the key for which it was made is not accepted any more
        body, headers = made
        try:
            outcome = await self._post(subscription.endpoint, body, headers)
        except (OSError, TimeoutError) as error:
            log.warning("a push message could not be sent to %s: %s", origin, str(error) or "no answer")
            pause = min(_FIRST_PAUSE * 2**failures, _LONGEST_PAUSE)
            self.proven.pop(host, None)
            _remember(self._silent, host, (min(failures + 1, 10), self._time.seconds() + pause), _REMEMBERED)
            return Outcome("later", pause)
        self._silent.pop(host, None)
        _remember(self.proven, host, None, _PROVEN)
        return outcome

    async def _post(self, endpoint: str, body: bytes, headers: Mapping[str, str]) -> Outcome:
        import aiohttp  # noqa: PLC0415

        session = self._session or self._open()
        try:
            async with session.post(endpoint, data=body, headers=headers, allow_redirects=False) as response:
                if response.status < 300:
                    return Outcome("sent")
                if response.status in _GONE:
                    return Outcome("gone")
                if response.status == _TOO_MANY or response.status >= _SERVER_ERROR:
                    return Outcome("later", _seconds(response.headers.get("Retry-After", ""), self._time.now()))
                text = (await response.content.read(_LONGEST_REASON)).decode(errors="replace")
                reason = f"{response.status} {' '.join(text.split())}".strip()
                log.warning("the push service %s has refused a message: %s", urlsplit(endpoint).hostname, reason)
                return Outcome("refused", reason="".join(filter(str.isprintable, reason)))
        except aiohttp.ClientError as error:
            raise OSError(str(error) or type(error).__name__) from None

    def _open(self) -> aiohttp.ClientSession:
        """Return the HTTP client, whose connections lead to public addresses only."""
        import aiohttp  # noqa: PLC0415
        from aiohttp.abc import AbstractResolver, ResolveResult  # noqa: PLC0415

        allowed = {urlsplit(origin).hostname for origin in self._allowed}

        class PublicResolver(AbstractResolver):
            """Finds the public addresses of a host: of the same answer that the connection then uses.

            A name server that doesn't answer holds a thread for half a minute, so each question has a thread for itself. The
            usual resolvers of aiohttp and asyncio take the threads that the database of the hall needs, too.
            """

            async def resolve(
                self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
            ) -> list[ResolveResult]:
                found = await run_in_thread(socket.getaddrinfo, host, port, family, socket.SOCK_STREAM)
                public = [
                    ResolveResult(
                        hostname=host, host=str(at[0]), port=int(at[1]), family=kind, proto=proto, flags=socket.AI_NUMERICHOST
                    )
                    for kind, _type, proto, _name, at in found
                    if host in allowed or is_public(str(at[0]))
                ]
                if not public:
                    raise OSError(f"{host} has no public address")
                return public

            async def close(self) -> None:
                pass

        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(resolver=PublicResolver(), limit=0),
            timeout=aiohttp.ClientTimeout(total=_TIMEOUT, connect=_CONNECT_TIMEOUT),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
        )
        return self._session

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _origin(self, endpoint: str) -> str | None:
        """Return the origin of a push service, None if the address can't be one."""
        from yarl import URL  # noqa: PLC0415 - the HTTP client's parser: it must find the same host

        try:
            parts, url = urlsplit(endpoint), URL(endpoint)
            host, port = url.raw_host or "", url.explicit_port
            is_same = bool(url.host) and (host, port) == (parts.hostname, parts.port)
        except ValueError:  # also a name that IDNA can't decode
            return None
        is_clean = len(endpoint) <= LONGEST_ENDPOINT and endpoint.isascii() and endpoint.isprintable() and " " not in endpoint
        if not is_same or not is_clean or "@" in parts.netloc:
            return None
        origin = f"{parts.scheme}://{parts.netloc}".lower()
        if origin in self._allowed:
            return origin
        return f"https://{host}" if parts.scheme == "https" and port in (None, 443) and _NAME.fullmatch(host) else None


def contact_at(public_url: str) -> str:
    """Return the contact that push services get, of a hall at this address; "" if it isn't public."""
    parts = urlsplit(public_url)
    return f"https://{parts.hostname}" if parts.scheme == "https" and _NAME.fullmatch(parts.hostname or "") else ""


def host_of(endpoint: str) -> str:
    """Return the host of a push service, with its port if it has one."""
    return endpoint.partition("//")[2].partition("/")[0].lower()


def _remember(known: OrderedDict[str, T], host: str, value: T, most: int) -> None:
    """Write a value, and forget the oldest one if there are too many."""
    known[host] = value
    known.move_to_end(host)
    if len(known) > most:
        known.popitem(last=False)


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
    from py_vapid import Vapid02  # noqa: PLC0415
    from pywebpush import WebPusher  # noqa: PLC0415

    secret = next((each for each in secrets if public_key(each) == subscription.vapid_key), None)
    if secret is None:
        return None
    keys = {"p256dh": subscription.p256dh, "auth": subscription.auth}
    pusher = WebPusher({"endpoint": subscription.endpoint, "keys": keys})
    body = pusher.encode(json.dumps(message.text).encode(), content_encoding="aes128gcm")["body"]
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


def is_public(address: str) -> bool:
    """Return whether an IP address is one of the public internet, also inside IPv6."""
    found = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address):
        inner = IPv4Address(int(found) & 0xFFFFFFFF) if found in _NAT64 else found.ipv4_mapped
        if inner is None and (found not in _UNICAST or found in _DOCUMENTATION):
            return False
        found = inner or found.sixtofour or found
    return found.is_global and not found.is_multicast


def _decoded(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
