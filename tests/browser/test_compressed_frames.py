"""A real browser reads compressed frames as they come: zstd, and gzip where it offers no more (HTTP to another machine)."""

from __future__ import annotations

from playwright.sync_api import Response

from browser.people import NewPerson
from browser.table import ally_first, open_table, whose_turn


def test_a_page_shows_compressed_frames_at_once(new_person: NewPerson) -> None:
    encodings: set[tuple[str, str | None]] = set()

    def note(name: str, response: Response) -> None:
        if response.url.endswith("/stream"):
            encodings.add((name, response.headers.get("content-encoding")))

    host, friend = new_person(), new_person(extra_http_headers={"Accept-Encoding": "gzip"})
    host.page.on("response", lambda response: note("host", response))
    friend.page.on("response", lambda response: note("friend", response))
    tables = open_table(host, friend)
    for _ in range(4):  # both pages must show each move before the next one
        actor = whose_turn(tables)
        assert actor is not None
        actor.act(ally_first)
    whose_turn(tables)
    assert encodings == {("host", "zstd"), ("friend", "gzip")}
