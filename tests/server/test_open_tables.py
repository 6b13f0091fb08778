"""The list of open tables: its filter, who waits and for how long, on the page and in the API."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from meadhall.server.hall.choices import TableFilter
from meadhall.server.ops.time import Time
from meadhall.server.pages.front_page import age_in_words
from server.people import AXES, OpenHall, Person

pytestmark = pytest.mark.asyncio

VIKINGS = "viking-axes"


async def offered(hall: OpenHall, game: str, players: int, name: str, variant: str = "") -> str:
    """Open a public table of a host with that name, and return its id."""
    host = hall.person(f"10.0.2.{len(hall.hall.rooms()) + 1}")
    await host.post("/settings", {"name": name})
    table = await host.open(game, players)
    assert (await host.ask(f"/tables/{table}/visibility", {"public": "yes"})).status_code == 200
    if variant:
        assert (await host.ask(f"/tables/{table}/options", {"variant": variant})).status_code == 200
    return table


async def shown(visitor: Person, query: str) -> set[str]:
    """Return the ids of the open tables that the hall's page lists."""
    page = (await visitor.get(f"/{query}")).text
    return set(re.findall(r"/tables/([\w-]+)", page[page.index('id="open-tables"') :]))


async def test_the_list_is_filtered_by_game_variant_and_free_seats(hall: OpenHall) -> None:
    axes = await offered(hall, AXES, 4, "Ada")
    standard = await offered(hall, VIKINGS, 3, "Bo")
    strategic = await offered(hall, VIKINGS, 2, "Cleo", "strategic")
    visitor = hall.person("10.0.3.1")
    assert await shown(visitor, "") == {axes, standard, strategic}
    page = (await visitor.get("/")).text
    assert 'id="open-filter"' not in page, "three tables need no filter"
    assert page.count(">open</span>") == 3
    assert page.index('id="find-title"') < page.index('id="open-tables"')
    assert '<option value="2" selected>2</option>' in page[page.index('id="find-seats"') :]
    assert page.index(">Sign in<") < page.index("<main"), "in the header"
    assert 'id="open-filter"' in (await visitor.get("/?free=3")).text
    assert await shown(visitor, f"?game={VIKINGS}") == {standard, strategic}
    assert await shown(visitor, "?variant=variant:strategic") == {strategic}
    assert await shown(visitor, f"?game={VIKINGS}&variant=variant:standard&free=2") == {standard}
    assert await shown(visitor, "?free=3") == {axes}
    assert await shown(visitor, f"?game={AXES}&free=4") == set()
    program = await hall.program()
    slow = (await program.open(game=AXES, players=2, public=True, clock={"kind": "slow"}))["id"]
    assert await shown(visitor, "?clock=slow") == {slow}
    assert await shown(visitor, "?clock=none&free=2") == {axes, standard}
    assert [each["id"] for each in (await program.read("/tables/open?clock=slow")).json()] == [slow]
    assert "3 days a decision" in (await visitor.get("/")).text
    listed = (await program.read("/tables/open?variant=variant:strategic&free=1")).json()
    assert [table["id"] for table in listed] == [strategic]
    assert (await program.read("/tables/open?free=0")).status_code == 400


async def test_an_empty_result_says_so_and_leads_to_all_tables(hall: OpenHall) -> None:
    await offered(hall, AXES, 2, "Ada")
    page = (await hall.person("10.0.3.1").get("/?free=4")).text
    assert "No open table matches this filter." in page
    assert "Show all open tables" in page


async def test_the_address_keeps_the_filter_and_the_form_shows_it(hall: OpenHall) -> None:
    page = (await hall.person().get(f"/?game={VIKINGS}&variant=variant:strategic&free=2")).text
    assert f'data-url="/?game={VIKINGS}&amp;variant=variant%3Astrategic&amp;free=2"' in page
    assert f'<option value="{VIKINGS}" selected>' in page
    assert '<option value="variant:strategic" selected>' in page
    assert '<option value="2" selected>' in page
    assert 'data-url="/"' in (await hall.person().get("/")).text


@pytest.mark.parametrize("query", ["game=chess", "variant=x", "free=-1", "free=two", "free=", f"game={AXES}&variant=mode:versus"])
async def test_what_no_filter_offers_is_left_out(hall: OpenHall, query: str) -> None:
    table = await offered(hall, AXES, 2, "Ada")
    assert await shown(hall.person("10.0.3.1"), f"?{query}") == {table}


async def test_a_line_says_who_waits_for_how_long_and_what_is_special(hall: OpenHall) -> None:
    await offered(hall, VIKINGS, 3, "Cleo", "strategic")
    assert "Cleo waits, open for less than a minute · Hidden hands" in (await hall.person("10.0.3.1").get("/")).text


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (timedelta(seconds=59), "for less than a minute"),
        (timedelta(seconds=60), "for 1 minute"),
        (timedelta(minutes=59, seconds=59), "for 59 minutes"),
        (timedelta(hours=1), "for 1 hour"),
        (timedelta(hours=47), "for 1 day"),
        (timedelta(days=2), "for 2 days"),
        (Time().now() - Time().now(), "for less than a minute"),
    ],
)
async def test_ages_are_rounded_down(age: timedelta, words: str) -> None:
    assert age_in_words(age.total_seconds()) == words


async def test_a_filter_is_set_when_it_leaves_out_anything() -> None:
    assert not TableFilter().is_set
    assert TableFilter(free=2).is_set
