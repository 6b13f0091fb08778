"""Traces: what reaches a collector by OTLP over HTTP."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import ClassVar

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from meadhall.server.hall.room import Room
from meadhall.server.ops.tracing import TRACES, NoTraces
from server.people import AXES, OpenHall

pytestmark = pytest.mark.asyncio


class _Collector(BaseHTTPRequestHandler):
    bodies: ClassVar[list[bytes]] = []

    def do_POST(self) -> None:
        assert self.path == "/v1/traces"
        assert self.headers.get("Content-Encoding", "identity") == "identity"
        self.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@pytest.fixture
def collector() -> Iterator[str]:
    _Collector.bodies.clear()
    with HTTPServer(("127.0.0.1", 0), _Collector) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1/traces"
        TRACES.end()
        server.shutdown()
        thread.join()


async def test_a_request_is_a_span(hall: OpenHall, collector: str, monkeypatch: pytest.MonkeyPatch) -> None:
    host, _friend, room = await hall.two_at(AXES)
    TRACES.begin(collector, "web")
    assert (await host.get(f"/seat/{room.table.seats[0].link_token}")).status_code < 400
    assert (await host.ask(f"/tables/{room.table.id}/resign")).status_code == 200

    def fail(*_: object) -> None:
        raise RuntimeError("a secret of the hall")

    monkeypatch.setattr(Room, "change", fail)
    await host.ask(f"/tables/{room.table.id}/undo")
    TRACES.end()
    requests = [ExportTraceServiceRequest.FromString(body) for body in _Collector.bodies]
    resources = [resource for request in requests for resource in request.resource_spans]
    spans = [span for resource in resources for scope in resource.scope_spans for span in scope.spans]
    routes = {span.name: span for span in spans if not span.parent_span_id}
    assert {"GET /seat/{key}", "POST /tables/{id}/resign", "POST /tables/{id}/undo"} <= routes.keys()
    assert [routes[name].status.code for name in ("POST /tables/{id}/resign", "POST /tables/{id}/undo")] == [0, 2]
    sent = b"".join(_Collector.bodies)
    assert b"web" in sent
    for secret in (room.table.id, room.table.seats[0].link_token, "a secret of the hall"):
        assert secret.encode() not in sent


async def test_without_its_packages_a_hall_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(NoTraces, match="MEADHALL_TRACES needs more packages: "):
        TRACES.begin("http://127.0.0.1:1/v1/traces", "web")
