"""``meadhall doctor`` beside halls that run, behind proxies with something wrong."""

from __future__ import annotations

import asyncio
import os
import signal
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
import trustme

from meadhall.server.doctor import Finding, check_proxy, examine
from processes.bad_proxy import bad_proxy
from processes.process import hall_process
from server.findings import about, the_only, troubles


def test_a_cache_that_can_not_be_written_is_wrong_and_a_cold_one_is_told(tmp_path: Path) -> None:
    environment = os.environ | {"MEADHALL_CACHE": str(tmp_path), "MEADHALL_INTERPRET": ""}
    script = (
        "import os; from meadhall.server.doctor import check_compiled_rules\n"
        "from meadhall.engine.compile.rule import cache_folder\n"
        "print(*check_compiled_rules())\n"
        "cache_folder.cache_clear(); os.environ['MEADHALL_CACHE'] = '/proc/cache'\n"
        "(finding,) = check_compiled_rules(); assert finding.status == 'wrong' and '/proc/cache' in finding.text, finding"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    assert "status='warning'" in done.stdout
    assert "AxxA" in done.stdout
    assert "meadhall warm" in done.stdout


async def test_a_hall_that_runs_is_not_disturbed(environment: dict[str, str], tmp_path: Path) -> None:
    async with hall_process(Path(environment["MEADHALL_DATA"])) as hall:
        found = await asyncio.to_thread(lambda: list(examine(environment | {"MEADHALL_PORT": str(hall.port)})))
        assert troubles(found) == []
        assert "a hall answers" in about("port", found)[0].text
        assert "ERROR" not in hall.log.read_text()
        public = environment | {"MEADHALL_URL": hall.url, "MEADHALL_PORT": str(hall.port)}
        assert len(about("proxy", await asyncio.to_thread(lambda: list(examine(public))))) == 1
    (finding,) = about("proxy", await asyncio.to_thread(lambda: list(examine(public))))
    assert finding.status == "warning"
    assert "was not tried" in finding.text


async def test_a_hall_on_a_unix_socket_is_asked_there(environment: dict[str, str]) -> None:
    data = Path(environment["MEADHALL_DATA"])
    unix = {"MEADHALL_SOCKET": str(data / "hall.sock")}
    found = about("port", await asyncio.to_thread(lambda: list(examine(environment | unix))))
    assert "is free" in found[0].text
    async with hall_process(data, **unix):
        found = about("port", await asyncio.to_thread(lambda: list(examine(environment | unix))))
        assert "a hall answers" in found[0].text


async def test_what_a_proxy_does_wrong_is_told(tmp_path: Path) -> None:
    async with hall_process(tmp_path) as hall:

        def statuses(url: str) -> list[Finding]:
            return list(check_proxy(url))

        async def through(headers: dict[str, str], buffers: bool = False) -> list[Finding]:
            with bad_proxy(hall.port, headers, buffers) as url:
                return await asyncio.to_thread(statuses, url)

        good = {"x-forwarded-for": "198.51.100.7", "x-forwarded-proto": "http"}
        assert troubles(await through(good)) == []
        the_only(await through(good, buffers=True), "wrong", "holds streams back")
        the_only(await through(good | {"host": "localhost"}), "wrong", "localhost instead of 127.0.0.1")
        the_only(await through(good | {"x-forwarded-proto": "https"}), "wrong", "takes this request for https")
        await hall.end(signal.SIGTERM)
        the_only(statuses(hall.url), "wrong", "no hall answers")


async def test_a_proxy_that_the_hall_does_not_trust_is_named(tmp_path: Path) -> None:
    async with hall_process(tmp_path, MEADHALL_PROXIES="10.1.2.3") as hall:
        with bad_proxy(hall.port, {"x-forwarded-for": "198.51.100.7"}) as url:
            finding = the_only(await asyncio.to_thread(lambda: list(check_proxy(url))), "wrong", "does not trust the proxy")
    assert "MEADHALL_PROXIES=127.0.0.1" in finding.advice


async def test_https_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority, stranger = trustme.CA(), trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))

    async with hall_process(tmp_path) as hall:

        async def through(signer: trustme.CA, headers: dict[str, str]) -> list[Finding]:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            signer.issue_cert("127.0.0.1").configure_cert(context)
            with bad_proxy(hall.port, headers, tls=context) as url:
                return await asyncio.to_thread(lambda: list(check_proxy(url)))

        good = {"x-forwarded-for": "198.51.100.7", "x-forwarded-proto": "https"}
        the_only(await through(authority, good), "warning", "does not speak HTTP/2")
        the_only(await through(stranger, good), "wrong", "the certificate of")
        found = troubles(await through(authority, {}))
        assert ["client" in finding.text or "takes this request for http," in finding.text for finding in found[:2]] == [True] * 2
