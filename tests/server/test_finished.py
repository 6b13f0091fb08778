"""All finished matches of a guest can be reached: pages of 20, the latest first, with date and result."""

from __future__ import annotations

import re

import pytest

from meadhall.server.store import tables
from server.people import HOARD, OpenHall, play_out

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_every_finished_match_is_on_one_of_the_pages(hall: OpenHall) -> None:
    host = hall.person()
    tables = []
    for _ in range(23):
        answer = await host.ask("/tables", {"game": HOARD, "kind": "bots", "players": "2"})
        tables.append(answer.json()["url"])
        await host.ask(f"{tables[-1]}/resign")
    assert 'href="/matches"' in (await host.get("/")).text
    await host.ask(f"{tables[-1]}/note", {"text": "Too greedy."})
    for path in ("/matches", "/people/me"):
        page = (await host.get(path)).text
        marked = page.index('class="note-mark"')
        assert page[:marked].count('class="card"') == 1, "the last match"
        assert page.count('class="note-mark"') == 1
    first, second = (await host.get("/matches")).text, (await host.get("/matches?page=2")).text
    shown = [re.findall(r'class="card" href="(/tables/[\w-]+)"', page) for page in (first, second)]
    assert [len(page) for page in shown] == [20, 3]
    assert shown[0] + shown[1] == tables[::-1]
    assert first.count("<time datetime=") == 20
    assert first.count(">You lost</span>") == 20, "what it means for the reader, not a name"
    assert 'href="/matches?page=2"' in first
    assert 'href="/matches?page=1"' in second
    assert "There are no finished matches here." in (await hall.person().get("/matches")).text
    for wrong in ("0", "-1", "x", "1e9"):
        assert (await host.get(f"/matches?page={wrong}")).status_code == 400


async def test_the_result_of_a_match_that_ended_before_results_were_stored_is_found_once(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(HOARD)
    await play_out(room, {0: host, 1: friend})
    before = hall.store.transact(tables.find, room.table.id)
    assert before is not None
    hall.store.transact(lambda db: db.run("UPDATE tables SET outcome = NULL WHERE id = ?", room.table.id))
    page = (await friend.get("/matches")).text
    assert "You win" in page or "You lost" in page or "A draw" in page
    after = hall.store.transact(tables.find, room.table.id)
    assert after is not None
    assert after.outcome == before.outcome
