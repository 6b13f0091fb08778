"""From one table to the next where it is the guest's turn."""

from __future__ import annotations

import pytest

from server.matches import match_of
from server.people import HOARD, OpenHall, Person

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def following(person: Person, after: str) -> str:
    """Return where the button leads."""
    answer = await person.get(f"/next?after={after}")
    assert answer.status_code == 303
    return answer.headers["location"].removeprefix("/tables/")


async def test_one_button_leads_around_all_tables_where_it_is_my_turn(hall: OpenHall) -> None:
    host, friend = hall.person(), hall.person("10.0.0.2")
    mine: list[str] = []
    while len(mine) < 3:
        id = await host.open(HOARD, 2)
        for form in ({"seat": "1", "set": "sit"}, {"seat": "1", "set": "ready"}):
            await friend.ask(f"/tables/{id}/seats", form)
        assert (await host.ask(f"/tables/{id}/start")).status_code == 200
        if 0 in match_of(await hall.room(id)).deciders:
            mine.append(id)
        else:  # the friend begins: the match ends, so that the next one can be opened
            await friend.ask(f"/tables/{id}/resign")
    visited = [mine[0]]
    for _ in mine:
        visited.append(await following(host, visited[-1]))
    assert visited[-1] == visited[0], "it leads around"
    assert set(visited) == set(mine)
    assert await following(host, "another") in mine
    counted = f'<span class="chip ember">{len(mine) - 1}</span></a>'
    page = (await host.get(f"/tables/{mine[0]}")).text
    assert counted in page[page.index('id="next-table"') :]
    stranger = hall.person("10.0.0.3")
    assert 'id="next-table"' not in (await stranger.get(f"/tables/{mine[0]}")).text
    assert await following(stranger, "x") == "/"
