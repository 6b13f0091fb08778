"""The symbols, styles, scripts and figures in the folder of a game are on its pages without further registration."""

from __future__ import annotations

import re

import pytest

from server.people import AXES, HOARD, OpenHall

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_symbols_styles_and_scripts_are_only_on_pages_of_the_game(hall: OpenHall) -> None:
    host, _, room = await hall.two_at(HOARD)
    table = room.table.id
    for path in (f"/tables/{table}", f"/tables/{table}/replay", f"/rules/{HOARD}"):
        page = (await host.get(path)).text
        assert page.count('id="hoard-coin"') == 1, path
    hall_page = (await host.get("/")).text
    assert "hoard-coin" not in hall_page
    assert len(hall_page) < 53_000, "pictures are files that browsers keep; a hall without the games of tests sends 37,300"
    picture = await host.get(re.findall(r'class="art" src="(/tiles/[^"]+)"', hall_page)[0])
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert "immutable" in picture.headers["cache-control"]
    assert "<use" not in picture.text, "an image loads nothing else"
    assert (await host.get("/tiles/none.svg")).status_code == 404
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


async def test_the_rulebook_marks_each_rule_that_the_printed_rules_leave_open_with_the_reason(hall: OpenHall) -> None:
    page = (await hall.person().get(f"/rules/{HOARD}")).text
    sign = r'id="(HO-[\d.]+)">[\d.HO-]+</strong><span class="ruling"><button type="button"[^>]*aria-describedby="([^"]*)"'
    signs = re.findall(sign, page)
    assert signs == [("HO-2.2", "why-HO-2.2"), ("HO-2.4", "why-HO-2.4")]
    assert re.search(r'id="why-HO-2.2"[^>]*><strong>Our reading.</strong> The deck <em>could</em> be empty.</span>', page)
    assert page.count("marks our reading") == 1


async def test_the_rulebook_of_a_table_shows_the_components_that_the_table_uses(hall: OpenHall) -> None:
    def coins_of_a_hand(page: str) -> int:
        return page[page.index('aria-label="a hand"') : page.index("A hand")].count("<svg")

    host = hall.person()
    table = await host.open(HOARD)
    assert (await host.ask(f"/tables/{table}/options", {"hand": "many", "mode": "rivals"})).status_code == 200
    assert f'hx-get="/tables/{table}/rules"' in (await host.get(f"/tables/{table}")).text
    assert coins_of_a_hand((await host.get(f"/tables/{table}/rules")).text) == 3
    assert coins_of_a_hand((await host.get(f"/rules/{HOARD}")).text) == 2
