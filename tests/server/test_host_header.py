"""The Host header, and names of files that can't exist."""

from __future__ import annotations

import logging

import pytest

from meadhall.server.web.forwarded import is_host
from server.people import OpenHall


@pytest.mark.parametrize(
    "text", ["localhost", "127.0.0.1:8000", "[::1]:8000", "hall.example", "xn--bjrn-6qa.example:443", "my_hall", "a:0", "x:65535"]
)
def test_names_and_addresses_are_valid(text: str) -> None:
    assert is_host(text)


@pytest.mark.parametrize(
    "text", ["", "a:b", "a:99999999", "a:65536", "::1", "a:80:90", "a:-1", "a/b", "a b", "<a>", "a" * 300, "a:٨٠"]
)
def test_other_texts_are_invalid(text: str) -> None:
    assert not is_host(text)


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/", "/health", "/nowhere", "/api/v1/games", "/static/css/hall.css"])
async def test_a_request_with_an_invalid_host_is_refused(hall: OpenHall, path: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        answer = await hall.person().get(path, Host="a:b")
    assert answer.status_code == 400
    assert "not a valid host name" in answer.text
    assert not caplog.records


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/static/%00", "/static/" + "a" * 300, "/static/games/axxa/%00", "/static/css/game.css/x"])
async def test_an_impossible_file_name_is_not_found(hall: OpenHall, path: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        answer = await hall.person().get(path)
    assert answer.status_code == 404
    assert not caplog.records
