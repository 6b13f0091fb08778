"""Every page: axe-core finds no violation in either theme, it fits a phone, and it writes no error into the console."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.accessibility import Inspector
from browser.checks import cut_off, scrolls_sideways, too_wide
from browser.devices import MOVING, PHONE
from browser.layout import overlapping_texts, small_texts
from browser.people import NewPerson, Person
from browser.table import Table, fill_lobby, play_now, resign, resign_dialog, whose_turn
from meadhall.lab import balance

PAGES = (
    "/",
    "/settings",
    "/sign-in",
    "/account/new",
    "/people/me",
    "/matches",
    "/daily",
    "/replay",
    "/privacy",
    "/privacy/delete",
    "/workshop",
    "/offline",
    "/learn/axxa",
    "/rules/axes-and-allies",
    "/rules/dungeon-allies",
    "/tables/nowhere",
)

OPEN = "() => [...document.querySelectorAll('details')].forEach(each => { each.open = true; })"


def open_everything(page: Page) -> None:
    """Open what is folded, and every sheet, one after the other, twice. A person's faults name every error."""
    page.emulate_media(reduced_motion="no-preference")
    page.evaluate(OPEN)
    for _ in range(2):
        for name in page.locator("[popover][id]").evaluate_all("all => all.map(each => each.id)"):
            page.evaluate("name => { const it = document.getElementById(name); it?.showPopover(); it?.hidePopover(); }", name)


@pytest.mark.slow("looks at every page")
def test_every_page_is_accessible_fits_a_phone_and_writes_no_error(new_person: NewPerson) -> None:
    person, inspector, faults = new_person(), Inspector(), list[str]()
    person.allow("404")
    page = person.page
    for path in PAGES:
        page.emulate_media(reduced_motion="reduce")
        inspector.inspect(path, person.open(path))
        page.set_viewport_size({"width": 390, "height": 844})
        found = ["scrolls sideways"] * scrolls_sideways(page) + too_wide(page) + cut_off(page)
        faults += [f"{path}: {fault}" for fault in found]
        page.set_viewport_size({"width": 1440, "height": 900})
        open_everything(page)
    assert inspector.found + faults == []


@pytest.mark.slow("a match on three pages")
def test_a_table_is_accessible_and_writes_no_error_from_the_lobby_to_the_replay(new_person: NewPerson) -> None:
    host, friend, spectator = new_person(), new_person(), new_person()
    inspector = Inspector()
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
    inspector.inspect("game, waiting", waiting.page)
    inspector.inspect("game, watching", spectator.page)
    actor.page.locator("#hint").click()
    expect(actor.page.locator(".hint-line").first).to_be_visible()
    inspector.inspect("game, with a hint", actor.page)
    _look_at_sheets(inspector, host)
    open_everything(spectator.page)
    _open_more(host)
    resign(friend.page)
    for table, place in zip((*players, watching), ("end, host", "end, friend", "end, watching"), strict=True):
        expect(table.page.locator("#end")).to_be_attached()
        inspector.inspect(place, table.page)
    inspector.inspect("replay", spectator.open(f"{players[0].path}/replay?step=999"))
    inspector.inspect("verify", friend.open(f"{watching.path}/verify"))
    inspector.inspect("hall with matches", host.open("/"))
    open_everything(spectator.page)
    assert inspector.found == []


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
    page.get_by_role("button", name="Share").click()
    inspector.inspect("links", page)
    page.keyboard.press("Escape")


def _open_more(person: Person) -> None:
    """Open *More* again after its note was resized, and the size reset."""
    page = person.page
    for height in ("", "90px", ""):
        page.locator("#propose").click()
        expect(page.locator("#propose-sheet")).to_be_visible()
        page.evaluate("height => { document.getElementById('note-text').style.height = height; }", height)
        page.keyboard.press("Escape")
        expect(page.locator("#propose-sheet")).to_be_hidden()


@pytest.mark.parametrize("game", ["AxxA", "Dungeon Allies", "Viking Axes"])
def test_a_match_writes_no_error(new_person: NewPerson, game: str) -> None:
    open_everything(play_now(new_person(**MOVING), game).page)


@pytest.mark.parametrize("device", [{}, PHONE], ids=["desktop", "phone"])
def test_a_balance_report_is_readable_on_a_desktop_and_on_a_phone(new_person: NewPerson, device: dict[str, Any]) -> None:
    report = balance("viking-axes", (2, 3), games=8, depth="quick", seed="mead", variants={"one": {}, "two": {}})
    page = new_person(**device).page
    page.set_content(report.to_html())
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    assert small_texts(page, 11) == []
    assert overlapping_texts(page) == []
    assert not scrolls_sideways(page)
    assert page.locator(".bars svg").first.bounding_box()["width"] > 150  # type: ignore[index]
    inspector = Inspector()
    inspector.inspect("balance report", page)
    assert inspector.found == []


def test_a_balance_report_shows_everything_on_paper(new_person: NewPerson) -> None:
    report = balance("viking-axes", (2,), games=8, depth="quick", seed="mead")
    page = new_person().page
    page.set_content(report.to_html())
    expect(page.locator("dd").first).not_to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator("dd").first).to_be_visible()
    expect(page.locator("section summary").first).not_to_be_visible()
