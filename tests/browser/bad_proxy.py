"""A proxy that treats streams as bad ones do: it holds bodies, buffers whole answers, breaks off, or loses connections."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR, socket
from typing import Literal

Manner = Literal["good", "holds bodies", "buffers", "breaks off", "half-open", "dead"]
"""How the proxy treats streams. A *half-open* connection stays open, but nothing comes through any more; a new one is good.
Nothing at all comes through a *dead* proxy."""

_STREAMS = ("/stream", "/events")


class BadProxy:
    """A proxy on a free port. Tests change its ``manner`` while it runs.

    Attributes:
        url: its address.
        streams: the paths of the requests for streams, in their order.
        open: the paths of the streams that clients keep open.
    """

    def __init__(self, hall: int) -> None:
        self.hall = hall
        self.streams: list[str] = []
        self.open: list[str] = []
        self._manner: Manner = "good"
        self._time = 0  # rises with every change of the manner
        self._changed = threading.Condition()
        proxy = self

        class Handler(_Handler):
            def serve(self) -> None:
                proxy.serve(self)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    @contextmanager
    def running(self) -> Iterator[None]:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        try:
            yield
        finally:
            self.become("good")
            self._server.shutdown()
            self._server.server_close()

    def become(self, manner: Manner) -> None:
        """Treat streams in another way from now on. Connections that are half-open never recover."""
        with self._changed:
            self._manner, self._time = manner, self._time + 1
            self._changed.notify_all()

    def wait_for_streams(self, count: int) -> None:
        """Wait until clients keep this number of streams open."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.open) == count, 60), self.open

    def serve(self, handler: _Handler) -> None:
        """Answer a request with what the hall answers."""
        is_stream = handler.path.partition("?")[0].endswith(_STREAMS)
        with self._changed:
            begun = self._time
            if is_stream:
                self.streams.append(handler.path)
            self._changed.wait_for(lambda: self._manner != "dead")
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        hall = HTTPConnection("127.0.0.1", self.hall, timeout=120)
        try:
            hall.connect()
            to_hall = hall.sock
            hall.request(handler.command, handler.path, body or None, dict(handler.headers))
            answer = hall.getresponse()
            if is_stream and answer.status == 200:
                self._relay_stream(handler, to_hall, answer, begun)
            else:
                content = answer.read()
                handler.begin(answer, len(content))
                handler.wfile.write(content)
        finally:
            hall.close()

    def _relay_stream(self, handler: _Handler, to_hall: socket, answer: HTTPResponse, begun: int) -> None:
        handler.connection.settimeout(600)  # longer than a test waits
        leaving = threading.Thread(target=self._watch, args=(handler, to_hall), daemon=True)
        with self._changed:
            self.open.append(handler.path)
            self._changed.notify_all()
        leaving.start()
        has_begun = False
        while part := answer.read1(65536):
            with self._changed:
                is_lost = self._manner == "half-open" and self._time > begun
                if is_lost or self._manner in ("holds bodies", "buffers"):
                    if self._manner == "holds bodies" and not has_begun:
                        handler.begin(answer)
                    self._changed.wait_for(lambda: handler.has_left)
                    return
            if self._manner == "breaks off":
                return
            if not has_begun:
                handler.begin(answer)
                has_begun = True
            handler.wfile.write(part)

    def _watch(self, handler: _Handler, to_hall: socket) -> None:
        """Notice that the client leaves, and leave the hall."""
        with suppress(OSError):
            handler.connection.recv(1)
        with self._changed:
            handler.has_left = True
            self.open.remove(handler.path)
            self._changed.notify_all()
        with suppress(OSError):
            to_hall.shutdown(SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    """One request on one connection."""

    has_left = False

    def serve(self) -> None:
        raise NotImplementedError

    def begin(self, answer: HTTPResponse, length: int | None = None) -> None:
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.send_header("Connection", "close")
        self.end_headers()

    def _serve(self) -> None:
        self.close_connection = True
        with suppress(OSError, HTTPException, ValueError):  # the client or the hall has left
            self.serve()

    do_GET = do_POST = _serve  # noqa: N815 - names of http.server

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""
