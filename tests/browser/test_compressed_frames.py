"""A real browser reads compressed frames as they come: zstd, and gzip where it offers no more (HTTP to another machine)."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Response

from browser.people import NewPerson
from browser.table import ally_first, open_table, whose_turn


@pytest.mark.parametrize(("options", "encoding"), [({}, "zstd"), ({"extra_http_headers": {"Accept-Encoding": "gzip"}}, "gzip")])
def test_a_page_shows_compressed_frames_at_once(new_person: NewPerson, options: dict[str, Any], encoding: str) -> None:
    encodings: set[str | None] = set()

    def note(response: Response) -> None:
        if response.url.endswith("/stream"):
            encodings.add(response.headers.get("content-encoding"))

    people = new_person(**options), new_person(**options)
    for person in people:
        person.page.on("response", note)
    tables = open_table(*people)
    for _ in range(6):  # both pages must show each move before the next one
        actor = whose_turn(tables)
        assert actor is not None
        actor.act(ally_first)
    whose_turn(tables)
    assert encodings == {encoding}
