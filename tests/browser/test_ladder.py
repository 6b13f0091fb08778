"""The ladder in real browsers: from taking part to the first match that counts, also on a phone without script."""

from __future__ import annotations

from playwright.sync_api import expect

from browser.accessibility import Inspector
from browser.checks import cut_off, scrolls_sideways, too_wide
from browser.devices import PHONE
from browser.layout import overlapping_targets, overlapping_texts, small_targets
from browser.people import NewPerson
from browser.server import Hall
from meadhall.server.host_commands import carry_out
from meadhall.server.settings import Settings


def test_two_people_take_part_and_see_their_match_on_the_ladder(new_person: NewPerson, hall: Hall) -> None:
    ylva, torsten = new_person(), new_person(**PHONE, java_script_enabled=False)
    carry_out(Settings(data=hall.data), "switch", values={"ladder": "on"})
    for person, name in ((ylva, "Ylva of the Long Ladder"), (torsten, "Torsten")):
        person.ask("/account/new", name=name, password="a shield wall in the rain")  # noqa: S106
        page = person.open("/settings")
        page.get_by_role("button", name="Take part in the ladder").click()
        expect(page.get_by_text("You take part in the ladder.")).to_be_visible()
    table = f"/tables/{ylva.ask('/tables', game='axes-and-allies', kind='friends', players=2).json()['id']}"
    torsten.ask(f"{table}/seats", set="sit")
    ylva.ask(f"{table}/start")
    ylva.ask(f"{table}/resign")

    page = ylva.open("/people/me")
    expect(page.get_by_role("link", name="Axes and Allies (The last two may ally): too few matches yet: 0 of 10")).to_be_visible()
    page.get_by_role("link", name="Ladder", exact=True).click()
    expect(page.locator(".ladder .you")).to_contain_text("Ylva of the Long Ladder")
    inspector, faults = Inspector(), list[str]()
    inspector.inspect("ladder", page)
    for size in (1440, 390):
        page.set_viewport_size({"width": size, "height": 844})
        faults += [
            *small_targets(page, 28),
            *overlapping_targets(page),
            *overlapping_texts(page),
            *too_wide(page),
            *cut_off(page),
        ]
        faults += ["scrolls sideways"] * scrolls_sideways(page)
    assert inspector.found + faults == []

    page = torsten.open("/ladder/axes-and-allies")
    expect(page.locator(".ladder")).to_contain_text("too few matches yet: 0 of 10")
    page.get_by_role("button", name="No longer take part").click()
    expect(page.locator(".ladder li")).to_have_count(1)
    carry_out(Settings(data=hall.data), "switch", values={"ladder": "off"})
