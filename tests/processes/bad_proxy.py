"""A proxy that does what proxies do wrong: it may hold answers back, change the host, and leave headers out."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ssl import SSLContext

from ports import free_port


@contextmanager
def bad_proxy(upstream: int, headers: Mapping[str, str], buffers: bool = False, tls: SSLContext | None = None) -> Iterator[str]:
    """Run a proxy to a port of this machine. It adds headers to each request, in place of those of the client.

    Yields its address.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sent = {name.lower(): value for name, value in self.headers.items()} | dict(headers)
            connection = http.client.HTTPConnection("127.0.0.1", upstream, timeout=30)
            connection.request("GET", self.path, headers=sent)
            answer = connection.getresponse()
            content = answer.read() if buffers else b""
            self.send_response(answer.status)
            self.end_headers()
            self.wfile.write(content)
            while not buffers and (part := answer.read1()):
                self.wfile.write(part)
            connection.close()

        def log_message(self, *_: object) -> None:
            pass

    port = free_port()
    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"{'http' if tls is None else 'https'}://127.0.0.1:{port}"
        finally:
            server.shutdown()
            thread.join()
