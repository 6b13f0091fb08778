"""No page writes an error into the console, also while its sheets are opened, fields resized, and pages poll."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from browser.devices import MOVING
from browser.people import NewPerson, Person
from browser.table import fill_lobby, open_table, play_now, resign

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
    "/workshop",
    "/offline",
    "/learn/axxa",
    "/rules/dungeon-allies",
)

OPEN = "() => [...document.querySelectorAll('details')].forEach(each => { each.open = true; })"


def open_everything(page: Page) -> None:
    """Open what is folded, and every sheet, one after the other, twice."""
    page.evaluate(OPEN)
    for _ in range(2):
        for name in page.locator("[popover][id]").evaluate_all("all => all.map(each => each.id)"):
            page.evaluate("name => { const it = document.getElementById(name); it?.showPopover(); it?.hidePopover(); }", name)


def open_more(person: Person) -> None:
    """Open *More* again after its note was resized, and the size reset."""
    page = person.page
    for height in ("", "90px", ""):
        page.locator("#propose").click()
        expect(page.locator("#propose-sheet")).to_be_visible()
        page.evaluate(
            "height => { const note = document.getElementById('note-text'); if (note) note.style.height = height; }", height
        )
        page.keyboard.press("Escape")
        expect(page.locator("#propose-sheet")).to_be_hidden()


@pytest.mark.parametrize("path", PAGES)
def test_a_page_writes_no_error(new_person: NewPerson, path: str) -> None:
    open_everything(new_person(**MOVING).open(path))


def test_a_lobby_a_match_its_end_and_its_replay_write_no_error(new_person: NewPerson) -> None:
    host, friend, watcher = new_person(**MOVING), new_person(), new_person()
    (lobby, _) = fill_lobby(host, friend)
    open_everything(lobby.page)
    lobby.page.locator("#start").click()
    lobby.wait_for_game()
    watcher.open(lobby.path)
    for person in (host, friend, watcher):
        open_everything(person.page)
    open_more(host)
    open_more(friend)
    resign(friend.page)
    expect(host.page.locator("#end")).to_be_attached()
    open_everything(host.page)
    open_everything(host.open(f"{lobby.path}/replay"))
    open_everything(host.open(f"{lobby.path}/verify"))


@pytest.mark.parametrize("game", ["AxxA", "Dungeon Allies", "Viking Axes"])
def test_a_match_writes_no_error(new_person: NewPerson, game: str) -> None:
    open_everything(play_now(new_person(**MOVING), game).page)


def test_a_report_comes_by_itself_and_writes_no_error(new_person: NewPerson) -> None:
    person = new_person()
    person.allow("no content security policy")  # a report has another one
    page = person.open("/workshop/dungeon-allies/components")
    page.locator("#compare").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("balance report")
    page.evaluate(OPEN)


def test_a_browser_without_cookies_is_told_why_it_only_watches(new_person: NewPerson) -> None:
    """It comes from a page of the hall, which gave it a cookie, and has none."""
    host, stranger = new_person(), new_person()
    path = open_table(host, bots=1)[0].path
    page = stranger.page
    page.goto(f".{path}", referer=stranger.hall)
    expect(page.get_by_role("alert")).to_contain_text("Your browser keeps no cookies for this address.")
    page.get_by_role("link", name="Go to the hall").click()
    expect(page.locator("#hall")).to_be_visible()
    expect(page.locator("#no-cookies")).to_have_count(0)
