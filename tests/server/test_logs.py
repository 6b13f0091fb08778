"""The log as text and as JSON, and the ids of requests in it."""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

import httpx
import pytest

from meadhall.server.ops.logs import JsonFormatter, TextFormatter, request_id
from meadhall.server.routes import tables as table_routes
from meadhall.server.settings import Settings
from server.people import OpenHall

pytestmark = pytest.mark.asyncio

PROXIES = "10.0.0.1"


def record(*, failed: bool = False) -> logging.LogRecord:
    try:
        raise RuntimeError("two\nlines")
    except RuntimeError:
        error = sys.exc_info() if failed else None
    return logging.LogRecord("hall", logging.ERROR, "file.py", 1, "a %s\nmessage", ("long",), error)


async def test_a_line_of_json_is_one_object_with_the_id_of_its_request() -> None:
    formatter = JsonFormatter("web")
    line = json.loads(formatter.format(record()))
    assert line.pop("time").endswith("Z")
    assert line.pop("pid") > 0
    assert line == {"level": "ERROR", "logger": "hall", "message": "a long\nmessage", "process": "web"}
    request_id.set("abc")
    text = formatter.format(record(failed=True))
    assert "\n" not in text
    line = json.loads(text)
    assert line["request_id"] == "abc"
    assert line["exception"].endswith("RuntimeError: two\nlines")


async def test_a_line_of_text_ends_with_the_id_of_its_request() -> None:
    formatter = TextFormatter()
    assert formatter.format(record()).endswith("ERROR hall: a long\nmessage")
    request_id.set("abc")
    first, *_, last = formatter.format(record(failed=True)).splitlines()[1:]
    assert (first, last) == ("message [abc]", "lines")


# ------------------------------------------------------------------------------------------------------------- ids of requests


async def answered(app: Any, path: str, client: str = PROXIES, **headers: str) -> httpx.Response:
    app.state.gateway.serve(Settings(proxies=PROXIES))
    transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=(client, 5000))
    async with httpx.AsyncClient(transport=transport, base_url="http://hall.test") as http:
        return await http.get(path, headers=headers)


async def test_the_id_of_a_trusted_proxy_is_kept_and_others_are_made(hall: OpenHall) -> None:
    given = {"X-Request-ID": "a1b2-c3.d4:e5"}
    assert (await answered(hall.app, "/health", **given)).headers["x-request-id"] == given["X-Request-ID"]
    made = {
        (await answered(hall.app, "/health")).headers["x-request-id"],
        (await answered(hall.app, "/nowhere", "10.0.0.9", **given)).headers["x-request-id"],
        (await answered(hall.app, "/health", **{"X-Request-ID": 'x" "level":"ERROR'})).headers["x-request-id"],
        (await answered(hall.app, "/health", **{"X-Request-ID": "x" * 129})).headers["x-request-id"],
    }
    assert len(made) == 4
    assert all(len(id) == 16 and int(id, 16) >= 0 for id in made)


async def test_the_page_of_an_internal_error_names_its_request(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the wiring")

    monkeypatch.setattr(table_routes, "_seat_behind", fail)
    page = await answered(hall.app, "/seat/x", **{"X-Request-ID": "abc-123"})
    assert page.status_code == 500
    assert "<code>abc-123</code>" in page.text
    page = await answered(hall.app, "/nowhere", **{"X-Request-ID": "abc-123"})
    assert page.status_code == 404
    assert "abc-123" not in page.text
