"""Headers of proxies: they count only from proxies that the settings name, and then give the right client, scheme and host."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest
from litestar.enums import ScopeType
from litestar.types import Receive, Scope, Send

from meadhall.server.settings import Settings
from meadhall.server.web.gateway import Gateway

pytestmark = pytest.mark.asyncio

PROXIES = "10.0.0.1,10.9.0.0/16,::1"
PROXY = "10.0.0.1"
OWN_HOST = "hall.local"


async def refuse(*_: object) -> None:
    raise AssertionError("there is no limit")


async def seen(
    headers: list[tuple[str, str]], client: tuple[str, int] | None, proxies: str = PROXIES, url: str = ""
) -> tuple[str, str, str]:
    """Return the client, scheme and host that the application gets."""
    got: list[tuple[str, str, str]] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == ScopeType.HTTP
        assert scope["client"] is not None
        hosts = [value.decode() for name, value in scope["headers"] if name == b"host"]
        got.append((scope["client"][0], scope["scheme"], "+".join(hosts)))
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    asgi: Any = Gateway(app, lambda: None, refuse, None, re.compile(""))
    asgi.serve(Settings(proxies=proxies, public_url=url))
    transport = httpx.ASGITransport(asgi, client=client)  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=transport, base_url=f"http://{OWN_HOST}") as http:
        await http.get("/", headers=headers)
    return got[0]


def forwarded(*addresses: str, proto: str = "", host: str = "") -> list[tuple[str, str]]:
    headers = [("X-Forwarded-For", each) for each in addresses]
    return headers + [("X-Forwarded-Proto", proto)] * bool(proto) + [("X-Forwarded-Host", host)] * bool(host)


EVERYTHING = forwarded("192.0.2.7", proto="https", host="hall.example.org")
FROM_BROWSER = ("192.0.2.7", "https", "hall.example.org")


@pytest.mark.parametrize("peer", [PROXY, "10.9.8.7", "::1", "::ffff:10.0.0.1", "0:0:0:0:0:0:0:1"])
async def test_a_named_proxy_is_believed(peer: str) -> None:
    assert await seen(EVERYTHING, (peer, 5000)) == FROM_BROWSER


@pytest.mark.parametrize("peer", ["10.0.0.2", "127.0.0.1", "192.0.2.7", "::2", "::ffff:10.0.0.2"])
async def test_any_other_peer_is_not(peer: str) -> None:
    client, *rest = await seen(EVERYTHING, (peer, 5000))
    assert client == peer.removeprefix("::ffff:")
    assert rest == ["http", OWN_HOST]


async def test_a_proxy_on_the_unix_socket_needs_no_name() -> None:
    assert await seen(EVERYTHING, None) == FROM_BROWSER
    assert await seen([], None) == ("unix", "http", OWN_HOST)


async def test_all_may_be_trusted() -> None:
    assert await seen(EVERYTHING, ("203.0.113.9", 5000), proxies="*") == FROM_BROWSER


@pytest.mark.parametrize(
    ("chain", "client"),
    [
        (["192.0.2.7"], "192.0.2.7"),
        (["192.0.2.7, 10.9.0.4"], "192.0.2.7"),
        (["192.0.2.7", "10.9.0.4", "10.9.0.5"], "192.0.2.7"),
        (["203.0.113.1, 192.0.2.7, 10.9.0.4"], "192.0.2.7"),  # the client has sent the first one itself
        (["10.0.0.1, 192.0.2.7"], "192.0.2.7"),
        (["unix, 192.0.2.7"], "192.0.2.7"),
        (["10.9.0.4, 10.9.0.5"], "10.9.0.4"),  # a proxy asks by itself
        (["192.0.2.7:4711"], "192.0.2.7"),
        (["[2001:db8::7]:4711"], "2001:db8::7"),
        (["2001:db8::7"], "2001:db8::7"),
        ([""], PROXY),
        ([], PROXY),
    ],
)
async def test_of_a_chain_the_client_is_the_last_that_is_no_proxy(chain: list[str], client: str) -> None:
    assert (await seen(forwarded(*chain), (PROXY, 5000)))[0] == client


@pytest.mark.parametrize(("proto", "scheme"), [("https", "https"), ("http", "http"), ("gopher", "http"), ("", "http")])
async def test_only_schemes_of_the_web_are_taken(proto: str, scheme: str) -> None:
    assert (await seen(forwarded(proto=proto), (PROXY, 5000)))[1] == scheme


@pytest.mark.parametrize(
    ("given", "host"),
    [("hall.example.org", "hall.example.org"), ("hall.example.org:8443, inner.local", "hall.example.org:8443"), ("", OWN_HOST)],
)
async def test_of_several_hosts_the_browser_used_the_first(given: str, host: str) -> None:
    assert (await seen(forwarded(host=given), (PROXY, 5000)))[2] == host


@pytest.mark.parametrize(
    ("headers", "peer", "scheme"),
    [
        ([], "192.0.2.7", "https"),  # a proxy that forwards nothing, and isn't named
        ([], PROXY, "https"),
        (forwarded(proto="http"), PROXY, "http"),
        (forwarded(proto="http"), "192.0.2.7", "https"),
        (forwarded(host="HALL.local"), PROXY, "https"),
        (forwarded(host="other.local"), PROXY, "http"),
    ],
)
async def test_the_public_host_has_the_public_scheme(headers: list[tuple[str, str]], peer: str, scheme: str) -> None:
    assert (await seen(headers, (peer, 5000), url=f"https://{OWN_HOST}/hall"))[1] == scheme
