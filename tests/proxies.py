"""The real nginx and Caddy with the files of ``deploy/``, in front of halls of the tests.

Only addresses, the paths of the socket and of the certificate are replaced in these files, each by name.
"""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import trustme

from ports import free_port

DEPLOY = Path(__file__).parents[1] / "deploy"

WHOLE_HOST = "https://hall.example.org/"
SUB_PATH = "https://example.org/hall/"

_PATIENCE = 30.0

Upstream = Path | int
"""Where the halls listen: on a Unix socket, or on ports."""


@dataclass(frozen=True)
class Proxy:
    """A running proxy.

    Attributes:
        folder: where its configuration and its logs are.
        url: the public address of the hall.
        https, http: the ports on loopback that stand for 443 and 80.
        trusted: a context that trusts the proxy's certificate.
    """

    folder: Path
    url: str
    https: int
    http: int
    trusted: ssl.SSLContext

    def client(self, address: str = "127.0.0.1", http2: bool = True, **headers: str) -> httpx.AsyncClient:
        """Return a client at an address of this machine, which reaches the public host at the port of the proxy."""
        transport = _ToProxy(self, address, http2)
        return httpx.AsyncClient(base_url=self.url, transport=transport, headers=headers, timeout=_PATIENCE)

    @property
    def resolver_rules(self) -> str:
        """The flag of Chromium that leads the public host to the proxy."""
        host = httpx.URL(self.url).host
        return f"--host-resolver-rules=MAP {host}:443 127.0.0.1:{self.https}, MAP {host}:80 127.0.0.1:{self.http}"


class _ToProxy(httpx.AsyncBaseTransport):
    """Sends requests for the public host to a port on loopback, without changing them."""

    def __init__(self, proxy: Proxy, address: str, http2: bool) -> None:
        self._ports = {"https": proxy.https, "http": proxy.http}
        self._inner = httpx.AsyncHTTPTransport(verify=proxy.trusted, http2=http2, local_address=address)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url, name = request.url, {"sni_hostname": request.url.host}
        near = url.copy_with(host="127.0.0.1", port=self._ports[url.scheme])
        sent = httpx.Request(
            request.method, near, headers=request.headers, stream=request.stream, extensions=request.extensions | name
        )
        return await self._inner.handle_async_request(sent)

    async def aclose(self) -> None:
        await self._inner.aclose()


@contextmanager
def nginx(folder: Path, url: str, upstream: Upstream) -> Iterator[Proxy]:
    """Run nginx with Debian's configuration and the file of ``deploy/`` for this public address."""
    program = installed("nginx")
    authority = trustme.CA()
    host = httpx.URL(url).host
    https, http = free_port(), free_port()
    certificate = authority.issue_cert(host)
    certificate.private_key_pem.write_to_path(folder / "privkey.pem")
    for part in certificate.cert_chain_pems:
        part.write_to_path(folder / "fullchain.pem", append=True)
    replaced = {
        "listen 443 ssl http2;": f"listen 127.0.0.1:{https} ssl http2;",
        "listen [::]:443 ssl http2;": "",
        f"/etc/letsencrypt/live/{host}/": f"{folder}/",
        "/var/log/nginx/": f"{folder}/",
        **_nginx_upstream(upstream),
    }
    if url == WHOLE_HOST:
        replaced |= {"listen 80;": f"listen 127.0.0.1:{http};", "listen [::]:80;": ""}
    site = _replaced(DEPLOY / ("nginx.conf" if url == WHOLE_HOST else "nginx-sub-path.conf"), replaced)
    (folder / "meadhall.conf").write_text(site)
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    main = _replaced(
        Path("/etc/nginx/nginx.conf"),
        {
            "user www-data;": f"user {getpass.getuser()};" if os.getuid() == 0 else "",
            "/run/nginx.pid": f"{folder}/nginx.pid",
            "/var/log/nginx/": f"{folder}/",
            "include /etc/nginx/conf.d/*.conf;": f"{temporary} include {folder}/meadhall.conf;",
            "include /etc/nginx/sites-enabled/*;": "",
        },
    )
    (folder / "nginx.conf").write_text(main)
    command = [program, "-e", str(folder / "nginx-start.log"), "-c", str(folder / "nginx.conf"), "-g", "daemon off;"]
    context = ssl.create_default_context()
    authority.configure_trust(context)
    with running(command, folder, https, {}):
        yield Proxy(folder, url, https, http, context)


@contextmanager
def caddy(folder: Path, url: str, upstream: Upstream) -> Iterator[Proxy]:
    """Run Caddy with the file of ``deploy/`` for this public address, and with certificates that it signs itself."""
    program = installed("caddy")
    https, http = free_port(), free_port()
    site = DEPLOY / ("Caddyfile" if url == WHOLE_HOST else "Caddyfile-sub-path")
    options = f"admin off\n http_port {http}\n https_port {https}\n local_certs\n skip_install_trust\n default_bind 127.0.0.1"
    (folder / "Caddyfile").write_text(f'{{\n {options}\n}}\nimport "{site}"\n')
    command = [program, "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]
    homes = {name: str(folder / "caddy") for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    with running(command, folder, https, homes | {"HALL_UPSTREAM": _caddy_upstream(upstream)}):
        root = folder / "caddy" / "caddy" / "pki" / "authorities" / "local" / "root.crt"
        _until(root.exists, "Caddy has made no certificate")
        yield Proxy(folder, url, https, http, ssl.create_default_context(cafile=root))


# ------------------------------------------------------------------------------------------------------------------- details


def installed(name: str, package: str = "") -> str:
    """Return the path of a program. Without it the test is skipped; in continuous integration it fails.

    ``package``: its package in Debian, if that has another name.
    """
    path = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if path is not None:
        return path
    reason = f"{name} is not installed; on Debian: apt-get install {package or name}"
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def _replaced(file: Path, replacements: Mapping[str, str]) -> str:
    """Return the text of a file with replacements, each of which must occur in it."""
    text = file.read_text()
    for old, new in replacements.items():
        assert old in text, f"{file} has no {old!r}"
        text = text.replace(old, new)
    return text


def _nginx_upstream(upstream: Upstream) -> dict[str, str]:
    unix = "server unix:/run/meadhall/hall.sock;"
    if isinstance(upstream, Path):
        return {unix: f"server unix:{upstream};"}
    return {unix: "", "# server 127.0.0.1:8000;": f"server 127.0.0.1:{upstream};"}


def _caddy_upstream(upstream: Upstream) -> str:
    return f"unix/{upstream}" if isinstance(upstream, Path) else f"127.0.0.1:{upstream}"


@contextmanager
def running(command: Sequence[str], folder: Path, port: int, environment: Mapping[str, str]) -> Iterator[None]:
    log = folder / "proxy.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=os.environ | environment, stdout=output, stderr=output)
    try:
        _until(lambda: process.poll() is not None or _answers(port), "the proxy does not answer", log)
        assert process.poll() is None, f"the proxy did not start:\n{log.read_text()}"
        yield
    finally:
        process.terminate()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _answers(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _until(holds: Any, otherwise: str, log: Path | None = None) -> None:
    until = time.monotonic() + _PATIENCE
    while not holds():
        assert time.monotonic() < until, f"{otherwise}\n{log.read_text() if log else ''}"
        time.sleep(0.02)
