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
    return answer.headers["location"].removeprefix("/tables/").removesuffix(f"?from={after}")


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


async def slow_table(host: Person, friend: Person, clock: str = "slow:86400") -> str:
    """Start a match of two people with a clock, by default of days. Return the id of its table."""
    id = await host.open(HOARD, 2)
    assert (await host.ask(f"/tables/{id}/clock", {"clock": clock, "was": "none"})).status_code == 200
    assert (await friend.ask(f"/tables/{id}/seats", {"seat": "1", "set": "sit"})).status_code == 200
    assert (await host.ask(f"/tables/{id}/start")).status_code == 200
    return str(id)


async def decide(hall: OpenHall, people: tuple[Person, Person], id: str) -> tuple[Person, str]:
    """Let the player to move decide by a plain form. Return them, and where the answer leads."""
    match = match_of(await hall.room(id))
    assert match.actor is not None
    actor = people[match.actor]
    form = {"action": str(match.legal()[0].action), "n": str(match.next_number)}
    answer = await actor.post(f"/tables/{id}/act", form)
    assert answer.status_code == 303
    return actor, answer.headers["location"]


async def test_after_a_decision_at_a_slow_table_the_next_one_comes_if_the_guest_wants_it(hall: OpenHall) -> None:
    host, friend = people = hall.person(), hall.person("10.0.0.2")
    slow, other = await slow_table(host, friend), await slow_table(host, friend)
    live = await slow_table(host, friend, "decision:60")
    actor, there = await decide(hall, people, slow)
    assert there == f"/tables/{slow}", "off by default"
    for person in people:
        await person.post("/settings", {"onward": "next"})
        await person.post("/settings", {"onward": "elsewhere"})
    assert (await decide(hall, people, live))[1] == f"/tables/{live}", "only at slow tables"
    actor, there = await decide(hall, people, slow)
    assert there == f"/next?after={slow}"
    assert f'data-next="{there}"' in (await actor.get(f"/tables/{slow}")).text
    following = (await actor.get(there)).headers["location"]
    assert following in {f"/tables/{other}?from={slow}", f"/tables/{live}?from={slow}", f"/tables/{slow}"}
    told = (await actor.get(there, Accept="application/json")).json()["url"]
    assert told == ("" if following == f"/tables/{slow}" else following)


async def test_who_comes_from_another_table_of_theirs_finds_a_way_back(hall: OpenHall) -> None:
    host, friend, stranger = hall.person(), hall.person("10.0.0.2"), hall.person("10.0.0.3")
    one, two = await slow_table(host, friend), await slow_table(host, friend)
    back = f'<a id="last-table" class="bar-back" href="/tables/{one}">'
    assert back in (await host.get(f"/tables/{two}?from={one}")).text
    for person, path in ((host, f"/tables/{two}"), (host, f"/tables/{two}?from=x"), (stranger, f"/tables/{two}?from={one}")):
        assert "last-table" not in (await person.get(path)).text


async def test_with_nothing_waiting_the_page_stays(hall: OpenHall) -> None:
    host, friend = hall.person("10.0.0.4"), hall.person("10.0.0.5")
    id = await slow_table(host, friend)
    match = match_of(await hall.room(id))
    waiting = (host, friend)[1 - (match.actor or 0)]
    assert (await waiting.get(f"/next?after={id}")).headers["location"] == f"/tables/{id}"
    assert (await waiting.get(f"/next?after={id}", Accept="application/json")).json() == {"url": ""}
