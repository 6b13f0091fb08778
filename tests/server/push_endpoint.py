"""A push service and a browser: it receives messages, checks who has signed them, and decrypts them (RFC 8030, 8291, 8292)."""

from __future__ import annotations

import base64
import json
import os
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from threading import Thread
from typing import Any

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02

PATIENCE = 30.0


@dataclass(frozen=True)
class Received:
    """A message that has arrived and was decrypted."""

    path: str
    headers: Mapping[str, str]
    text: dict[str, Any]
    key: str  # the hall's public key, with which it is signed
    claims: dict[str, Any]


class PushEndpoint:
    """A push service on loopback, with one browser.

    Attributes:
        url: its origin.
        messages: what has arrived.
        answers: the answers to the next messages, as a status and headers; without one it is 201.
        reason: the text of answers that refuse.
    """

    def __init__(self) -> None:
        self.private_key = ec.generate_private_key(ec.SECP256R1())
        self.secret = os.urandom(16)
        self.messages: Queue[Received] = Queue()
        self.answers: deque[tuple[int, dict[str, str]]] = deque()
        self.reason = ""
        self.seen: list[tuple[str, int]] = []  # the path of each request, and how it was answered
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, headers = endpoint.answers.popleft() if endpoint.answers else (201, {})
                if status < 300:
                    endpoint.receive(self.path, dict(self.headers.items()), body)
                endpoint.seen.append((self.path, status))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                text = endpoint.reason.encode() if status >= 400 else b""
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def subscription(self, name: str = "laptop") -> dict[str, Any]:
        """Return a subscription as the browser describes it."""
        point = self.private_key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {"endpoint": f"{self.url}/{name}", "keys": {"p256dh": encoded(point), "auth": encoded(self.secret)}}

    def receive(self, path: str, headers: dict[str, str], body: bytes) -> None:
        assert headers["Content-Encoding"] == "aes128gcm"
        text = http_ece.decrypt(body, private_key=self.private_key, auth_secret=self.secret, version="aes128gcm")
        scheme, _, parameters = headers["Authorization"].partition(" ")
        assert scheme == "vapid"
        found = dict(each.strip().split("=", 1) for each in parameters.split(","))
        assert Vapid02.verify(headers["Authorization"])
        claims = json.loads(decoded(found["t"].split(".")[1]))
        assert claims["aud"] == self.url
        self.messages.put(Received(path, headers, json.loads(text), found["k"], claims))


@contextmanager
def push_endpoint() -> Iterator[PushEndpoint]:
    """Run a push service during the block."""
    endpoint = PushEndpoint()
    try:
        yield endpoint
    finally:
        endpoint.close()


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
