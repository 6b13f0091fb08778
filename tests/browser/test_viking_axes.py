"""Viking Axes in a browser: the end beside the piles, and accessibility."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from browser.accessibility import Inspector
from browser.checks import overlapping
from browser.people import NewPerson
from browser.table import STRATEGIC, VIKING_AXES, open_table, whose_turn
from browser.test_chart import upload
from meadhall.games.viking_axes.state import Act


def test_no_phase_has_an_axe_violation(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person()
    inspector, seen = Inspector(), set[str]()
    players = open_table(host, friend, game=VIKING_AXES, option=STRATEGIC)
    while len(seen) < 3 and (actor := whose_turn(players)) is not None:
        first = actor.legal()[0]
        phase = "card" if first >= Act.PLAY else "armory" if first >= Act.DRAW else "wench" if first >= Act.SKIP else "target"
        if phase not in seen:
            seen.add(phase)
            inspector.inspect(f"{phase}, to decide", actor.page)
        actor.act(lambda legal: legal[-1])
        for table in players:
            table.wait_for_event(actor.newest_event)
    inspector.inspect("waiting", next(table for table in players if not table.my_turn).page)
    host.page.locator("#discarded").click()
    expect(host.page.locator("#discards")).to_be_visible()
    inspector.inspect("discard pile", host.page)
    inspector.inspect("rulebook", host.open("/rules/viking-axes"))
    assert len(seen) == 3
    assert inspector.found == []


@pytest.mark.parametrize("record", ["2-players-strategic-0", "3-players-standard-0", "7-players-strategic-0"])
def test_the_victory_covers_no_pile(new_person: NewPerson, record: str) -> None:
    person = new_person()
    page = person.open(f"{upload(person, f'viking-axes/{record}')}?step=9999")
    expect(page.locator("#victory")).to_be_visible()
    expect(page.locator(".va-place.winner")).to_have_count(1)
    for width, height in ((1440, 900), (1024, 768), (820, 1180), (844, 390), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        assert overlapping(page, "#victory", ".va-pile, .va-discard") == [], width
