"""The hall behind the real nginx and Caddy with the files of ``deploy/``: streams, HTTP/2, forms, cookies, client addresses."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
import pytest_asyncio

from meadhall.server.routes.replay import UPLOAD_LIMIT
from ports import free_port
from processes.process import PATIENCE, Process, hall_process
from proxies import SUB_PATH, WHOLE_HOST, Proxy, caddy, nginx
from server.people import AXES

pytestmark = pytest.mark.asyncio(loop_scope="module")

_REQUESTS = 150
"""Requests of a client address in a minute."""

PROXIES = {"nginx": nginx, "caddy": caddy}


@dataclass
class Behind:
    """A hall behind a proxy."""

    proxy: Proxy
    hall: Process


@contextmanager
def started(kind: str, folder: Path, url: str, upstream: Path | int) -> Iterator[Proxy]:
    (folder / "proxy").mkdir()
    with PROXIES[kind](folder / "proxy", url, upstream) as proxy:
        yield proxy


@pytest_asyncio.fixture(
    scope="module",
    loop_scope="module",
    params=[(kind, *place) for kind in PROXIES for place in ((WHOLE_HOST, "unix"), (SUB_PATH, "port"))],
    ids=lambda given: "-".join((given[0], "sub-path" if given[1] == SUB_PATH else "host", given[2])),
)
async def behind(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Behind]:
    """Run a hall behind a proxy: at the whole host on a Unix socket, and below a path on a port."""
    kind, url, place = request.param
    folder = tmp_path_factory.mktemp("hall")
    upstream: Path | int = folder / "hall.sock" if place == "unix" else free_port()
    listen = {"MEADHALL_SOCKET": str(upstream)} if isinstance(upstream, Path) else {"MEADHALL_PORT": str(upstream)}
    with started(kind, folder, url, upstream) as proxy:  # a missing program skips the test before a hall starts
        async with hall_process(folder, MEADHALL_URL=url, MEADHALL_REQUESTS_PER_MINUTE=str(_REQUESTS), **listen) as hall:
            yield Behind(proxy, hall)


@asynccontextmanager
async def browser(proxy: Proxy, address: str = "127.0.0.1") -> AsyncIterator[httpx.AsyncClient]:
    """A client that sends forms like a page of the hall in a browser."""
    origin = proxy.url.removesuffix(urlsplit(proxy.url).path)
    async with proxy.client(address, Origin=origin) as client:
        assert (await client.get("settings")).status_code == 200
        yield client


async def post(client: httpx.AsyncClient, path: str, **form: str) -> httpx.Response:
    return await client.post(path, data=form, headers={"Accept": "application/json"})


async def two_at_a_table(host: httpx.AsyncClient, friend: httpx.AsyncClient) -> str:
    opened = await post(host, "tables", game=AXES, kind="friends", players="2")
    assert opened.status_code == 201, opened.text
    table = f"tables/{opened.json()['id']}"
    assert (await post(friend, f"{table}/seats", set="sit")).status_code == 200
    assert (await post(host, f"{table}/start")).status_code == 200
    return table


async def test_pages_come_over_http2_compressed_by_the_hall(behind: Behind) -> None:
    async with behind.proxy.client() as client:
        answer = await client.get("", headers={"Accept-Encoding": "gzip"})
        assert (answer.status_code, answer.http_version) == (200, "HTTP/2")
        assert answer.headers["content-encoding"] == "gzip"
        assert "text/html" in answer.headers["content-type"]
        for address in re.findall(r'(?:href|src)="([^"#]*/static/[^"]*)"', answer.text):
            assert (await client.get(httpx.URL(behind.proxy.url).join(address))).status_code == 200, address


async def test_http_1_1_works_too(behind: Behind) -> None:
    async with behind.proxy.client(http2=False) as client:
        answer = await client.get("")
        assert (answer.status_code, answer.http_version) == (200, "HTTP/1.1")


async def test_a_live_page_shows_each_move_at_once(behind: Behind) -> None:
    async with browser(behind.proxy) as host, browser(behind.proxy) as friend:
        table = await two_at_a_table(host, friend)
        async with host.stream("GET", f"{table}/stream") as stream:
            assert stream.http_version == "HTTP/2"
            assert "text/event-stream" in stream.headers["content-type"]
            parts = stream.aiter_text()
            shown = await until(parts, "", r'data-version="(\d+)"')
            for moves in range(3):
                found = await to_move(host, friend, table)
                if found is None and moves:  # the match is over
                    break
                assert found is not None
                mover, action = found
                assert (await post(mover, f"{table}/act", action=action)).status_code == 200
                shown = await until(parts, shown, r'data-version="(\d+)"')  # a proxy that buffers would hold it back for ever


async def test_the_access_log_has_no_stream(behind: Behind) -> None:
    """A live page would be a line in it whenever it connects again. Caddy's file keeps no access log."""
    log = behind.proxy.folder / "access.log"
    if not log.exists():
        return
    async with browser(behind.proxy) as host, browser(behind.proxy) as friend:
        table = await two_at_a_table(host, friend)
        async with host.stream("GET", f"{table}/stream") as stream:
            await anext(stream.aiter_text())
    async with behind.proxy.client(http2=False) as client, asyncio.timeout(PATIENCE):
        while "/rules/axxa" not in log.read_text():
            await client.get("rules/axxa")
    assert f"{table}/start" in log.read_text()
    assert "/stream" not in log.read_text()


async def test_the_access_log_has_no_keys(behind: Behind) -> None:
    """The key of a seat, a name or the hall is part of an address. Caddy's file keeps no access log."""
    log = behind.proxy.folder / "access.log"
    if not log.exists():
        return
    keys = [f"{kind}/{kind}-key" for kind in ("seat", "identity", "admission")]
    async with behind.proxy.client(http2=False) as client, asyncio.timeout(PATIENCE):
        for key in keys:
            assert (await client.get(key)).status_code in (303, 404)
            assert (await client.get("settings", headers={"Referer": f"{behind.proxy.url}{key}"})).status_code == 200
        while "/rules/viking-axes" not in log.read_text():
            await client.get("rules/viking-axes")
    assert "-key" not in log.read_text()


async def to_move(host: httpx.AsyncClient, friend: httpx.AsyncClient, table: str) -> tuple[httpx.AsyncClient, str] | None:
    """Return the client of the seat to move, and the first action that its page offers. None: there is no such seat."""
    for client in (host, friend):
        text = (await client.get(table)).text
        action = re.search(r'name="action" value="(\d+)"', text)
        if 'data-turn="yes"' in text and action is not None:
            return client, action[1]
    return None


async def until(parts: AsyncIterator[str], before: str, pattern: str) -> str:
    """Read a stream until the pattern has another value than ``before``. Return it."""
    text = ""
    async with asyncio.timeout(PATIENCE):
        async for part in parts:
            text += part
            for found in re.findall(pattern, text):
                if found != before:
                    return str(found)
    raise AssertionError("the stream has ended")


async def test_metrics_are_hidden_behind_a_proxy(behind: Behind) -> None:
    async with browser(behind.proxy) as visitor:
        assert [(await visitor.get(path)).status_code for path in ("metrics", "metrics/", "daily")] == [404, 404, 200]


async def test_a_page_that_is_closed_closes_its_stream_at_the_hall(behind: Behind) -> None:
    async def streams() -> int:
        async with behind.hall.client(Host="localhost") as direct:
            text = (await direct.get("/metrics")).text
        found = re.search(r"(?m)^meadhall_streams (\d+)", text)
        assert found is not None
        return int(found[1])

    async with browser(behind.proxy) as host, browser(behind.proxy) as friend:
        table = await two_at_a_table(host, friend)
        before = await streams()
        async with browser(behind.proxy) as spectator, spectator.stream("GET", f"{table}/stream") as stream:
            await anext(stream.aiter_text())
            assert await streams() == before + 1
        async with asyncio.timeout(PATIENCE):
            while await streams() > before:
                await asyncio.sleep(0.1)


async def test_forms_of_the_hall_pass_and_those_of_other_sites_do_not(behind: Behind) -> None:
    async with browser(behind.proxy) as host:
        answer = await host.post("settings", data={"name": "Ada"})
        assert (answer.status_code, answer.headers["location"]) == (303, urlsplit(behind.proxy.url).path)
        assert 'value="Ada"' in (await host.get("settings")).text
        for forged in ({"Origin": "https://evil.test"}, {"Origin": "https://evil.test", "X-Forwarded-Host": "evil.test"}):
            assert (await host.post("settings", data={"name": "Eve"}, headers=forged)).status_code == 403
        assert 'value="Ada"' in (await host.get("settings")).text


async def test_cookies_are_secure_and_belong_to_the_hall(behind: Behind) -> None:
    async with behind.proxy.client() as client:
        cookie = (await client.get("", headers={"X-Forwarded-Proto": "http"})).headers["set-cookie"]
        assert "Secure" in cookie
        assert f"Path={urlsplit(behind.proxy.url).path};" in cookie + ";"


async def test_invitations_have_the_public_address(behind: Behind) -> None:
    async with browser(behind.proxy) as host:
        table = (await post(host, "tables", game=AXES, kind="friends", players="2")).json()
        path = urlsplit(behind.proxy.url).path
        assert table["url"] == f"{path}tables/{table['id']}"
        assert f'value="{behind.proxy.url}tables/{table["id"]}"' in (await host.get(f"tables/{table['id']}")).text


async def test_limits_count_the_address_of_the_client_and_no_forged_one(behind: Behind) -> None:
    async with behind.proxy.client("127.0.0.5") as greedy, behind.proxy.client("127.0.0.6") as modest:
        statuses = [
            (await greedy.get("settings", headers={"X-Forwarded-For": f"203.0.113.{n}"})).status_code
            for n in range(_REQUESTS + 5)
        ]
        assert statuses[0] == 200
        assert statuses[-1] == 429
        assert (await modest.get("settings")).status_code == 200


async def test_each_request_gets_an_id_of_the_proxy(behind: Behind) -> None:
    async with behind.proxy.client("127.0.0.8") as client:
        ids = [(await client.get("health", headers={"X-Request-ID": "forged"})).headers["x-request-id"] for _ in range(2)]
    assert "forged" not in ids
    assert ids[0] != ids[1]


async def test_the_largest_upload_reaches_the_hall(behind: Behind) -> None:
    """A smaller limit of the proxy would answer by itself, with another page."""
    async with browser(behind.proxy, "127.0.0.7") as host:
        record = b" " * (UPLOAD_LIMIT - 2000)
        answer = await host.post("replay", files={"record": ("x.match.json", record)}, headers={"Accept": "application/json"})
        assert answer.status_code == 400
        assert answer.json()["reason"]


async def test_the_hall_is_nowhere_else(behind: Behind) -> None:
    url = httpx.URL(behind.proxy.url)
    async with behind.proxy.client() as client:
        if url.path == "/":
            answer = await client.get(url.copy_with(scheme="http", path="/daily"))
            assert (answer.status_code, answer.headers["location"]) == (308, str(url.copy_with(path="/daily")))
            assert "max-age" in (await client.get("")).headers["strict-transport-security"]
        else:
            answer = await client.get(url.copy_with(path="/hall"))
            assert (answer.status_code, answer.headers["location"]) == (308, "/hall/"), "on the port that was asked"
            outside = await client.get(url.copy_with(path="/daily"))
            assert "Meadhall" not in outside.text
