"""The symbols, styles, scripts and figures in the folder of a game are on its pages without further registration."""

from __future__ import annotations

import re

import pytest

from server.people import AXES, HOARD, OpenHall

pytestmark = pytest.mark.asyncio


async def test_symbols_styles_and_scripts_are_only_on_pages_of_the_game(hall: OpenHall) -> None:
    host, _, room = await hall.two_at(HOARD)
    table = room.table.id
    for path in (f"/tables/{table}", f"/tables/{table}/replay", f"/rules/{HOARD}", "/"):
        page = (await host.get(path)).text
        assert page.count('id="hoard-coin"') == 1, path
    for path, suffixes in (
        (f"/tables/{table}", ("css", "js")),
        (f"/tables/{table}/replay", ("css", "js")),
        (f"/rules/{HOARD}", ("css",)),
    ):
        page = (await host.get(path)).text
        for suffix in suffixes:
            address = re.search(rf"/static/games/hoard/coins\.{suffix}\?v=[0-9a-f]+", page)
            assert address, (path, suffix)
            assert (await host.get(address[0])).status_code == 200
    other = (await host.get(f"/rules/{AXES}")).text
    assert "coins" not in other
    assert "hoard-coin" not in other


async def test_figures_in_a_rulebook_have_a_description_and_a_caption(hall: OpenHall) -> None:
    page = (await hall.person().get(f"/rules/{HOARD}")).text
    figure = re.search(r'<span class="figure"><span role="img" aria-label="([^"]*)"><svg class="coin"', page)
    assert figure
    assert figure[1] == "a &#34;round&#34; coin"
    assert '<span class="caption">One of many</span>' in page
