"""axe-core finds no violation on any page, in both themes."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from browser.accessibility import Inspector
from browser.people import NewPerson, Person
from browser.table import Table, fill_lobby, resign_dialog, whose_turn
from meadhall.lab import balance


@pytest.mark.slow("looks at every page")
def test_no_page_has_an_axe_violation(new_person: NewPerson) -> None:
    host, friend, spectator = new_person(), new_person(), new_person()
    inspector = Inspector()
    _look_at_standing_pages(inspector, spectator)

    players = fill_lobby(host, friend)
    inspector.inspect("lobby, host", host.page)
    inspector.inspect("lobby, seated", friend.page)
    watching = Table(spectator.open(players[0].path))
    inspector.inspect("lobby, not seated", spectator.page)
    host.page.locator("#start").click()
    for table in (*players, watching):
        table.wait_for_game()
    actor = whose_turn(players)
    assert actor is not None
    waiting = next(table for table in players if table is not actor)
    inspector.inspect("game, to decide", actor.page)
    inspector.inspect("game, waiting", waiting.page)
    inspector.inspect("game, watching", spectator.page)
    actor.page.locator("#hint").click()
    expect(actor.page.locator(".hint-line").first).to_be_visible()
    inspector.inspect("game, with a hint", actor.page)
    _look_at_sheets(inspector, host)
    _look_at_seat(inspector, host, spectator)

    while (actor := whose_turn(players)) is not None:
        actor.act()
        for table in players:
            table.wait_for_event(actor.newest_event)
    for table, place in zip((*players, watching), ("end, host", "end, friend", "end, watching"), strict=True):
        expect(table.page.locator("#end .chart")).to_be_visible(timeout=30_000)
        inspector.inspect(place, table.page)
    inspector.inspect("replay", host.open(f"{players[0].path}/replay?step=1"))
    inspector.inspect("replay, end", host.open(f"{watching.path}/replay?step=999"))
    inspector.inspect("verify", host.open(f"{watching.path}/verify"))
    inspector.inspect("hall with matches", host.open("/"))
    assert inspector.found == []


def _look_at_standing_pages(inspector: Inspector, person: Person) -> None:
    for place, path in (
        ("hall", "/"),
        ("rulebook", "/rules/axes-and-allies"),
        ("you", "/settings"),
        ("upload", "/replay"),
        ("workshop", "/workshop"),
    ):
        inspector.inspect(place, person.open(path))
    for place, path in (("what is kept", "/privacy"), ("deletion", "/privacy/delete")):
        inspector.inspect(place, person.open(path))
    page = person.open("/settings")
    page.locator("#identity-make").click()
    expect(page.get_by_text("make play LAN=1"), "in place of a QR code").to_be_visible()
    inspector.inspect("link to another device", page)
    page = person.open("/")
    page.get_by_role("button", name="Find", exact=True).click()
    expect(page.locator("#wait")).to_be_visible()
    inspector.inspect("quick match", page)
    page.get_by_role("button", name="Leave seat").click()
    person.allow("404")
    inspector.inspect("error", person.open("/tables/nowhere"))


def _look_at_sheets(inspector: Inspector, person: Person) -> None:
    page = person.page
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    inspector.inspect("keys", page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Rules").click()
    expect(page.locator("#rules-text")).to_contain_text("AA-3.2")
    inspector.inspect("rules beside the board", page)
    page.keyboard.press("Escape")
    resign_dialog(page)
    inspector.inspect("asked about resigning", page)
    page.keyboard.press("Escape")
    page.reload()
    page.get_by_role("button", name="Share").click()
    inspector.inspect("links", page)
    page.keyboard.press("Escape")


def _look_at_seat(inspector: Inspector, owner: Person, other: Person) -> None:
    link = owner.page.locator("#device-url").input_value()
    page = other.context.new_page()
    page.goto(link)
    inspector.inspect("private link", page)
    page.close()


def test_a_balance_report_has_no_axe_violation(new_person: NewPerson) -> None:
    report = balance("axes-and-allies", (2, 3), games=8, depth="quick", seed="mead", variants={"one": {}, "two": {}})
    page = new_person().page
    page.set_content(report.to_html())
    inspector = Inspector()
    inspector.inspect("balance report", page)
    assert inspector.found == []
