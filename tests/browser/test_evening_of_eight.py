"""An evening of eight in twelve browsers: two rounds, while a phone sleeps and the hall is started anew."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.checks import scrolls_sideways, small_controls, too_wide
from browser.devices import PHONE
from browser.people import NewPerson, Person
from browser.server import QUICK, Hall
from browser.table import PATIENCE, Table, whose_turn

NAMES = ("Astrid", "Björn", "Cnut", "Dagny", "Eirik", "Freydis", "Gunnar", "Hallgerd")
SCREEN: dict[str, Any] = {"viewport": {"width": 1920, "height": 1080}}
_AWAY = ("net::ERR_", "503", "Failed to fetch", "network error", "when fetching the script")


@pytest.fixture
def own_hall(tmp_path: Path) -> Iterator[Hall]:
    """Start a hall for the test alone, which stops it."""
    hall = Hall(tmp_path / "hall", command=QUICK)
    hall.start()
    yield hall
    hall.stop()


def visitor(browser: Browser, hall: Hall, **options: Any) -> Person:
    """Return a person whose pages may lose the connection."""
    person = Person(browser, hall.url.replace("127.0.0.1", "localhost"), **options)
    person.allow(*_AWAY)
    return person


def opened(leader: Person) -> Page:
    """Let a person open an evening of two rounds, in which they don't play. Return its page."""
    page = leader.open("/evenings/new")
    page.get_by_label("Name of the evening").fill("Club night")
    page.get_by_label("Rounds").select_option("2")
    page.get_by_label("I play along").uncheck()
    page.get_by_role("button", name="Open the evening").click()
    expect(page.locator("h1")).to_have_text("Club night")
    return page


def join(phone: Person, evening: str, name: str) -> None:
    """Let a person join an evening on their phone."""
    page = phone.open(evening)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Play along").tap()
    expect(page.get_by_text("You take part.")).to_be_visible()


def play_out(people: list[Person], most: int = 1000) -> None:
    """Let the people at a table attack, at most so often, until their match is over."""
    tables = [Table(person.page) for person in people]
    for _decision in range(most):
        actor = whose_turn(tables)
        if actor is None:
            return
        actor.act()


def tables_of(phones: dict[str, Person]) -> dict[str, list[str]]:
    """Wait until each phone shows its table, and return the names at each table, by its path."""
    found: dict[str, list[str]] = {}
    for name, phone in phones.items():
        phone.page.wait_for_url("**/tables/*", timeout=PATIENCE)
        expect(phone.page.locator("#frame.game")).to_be_visible(timeout=PATIENCE)
        found.setdefault(re.sub(r"^https?://[^/]+|\?.*", "", phone.page.url), []).append(name)
    return found


@pytest.mark.slow("an evening in twelve browsers, and two starts of a hall")
def test_an_evening_of_eight(browser: Browser, own_hall: Hall) -> None:
    leader, screen, *watching = (visitor(browser, own_hall, **options) for options in ({}, SCREEN, {}, {}))
    phones = {name: visitor(browser, own_hall, **PHONE) for name in NAMES}
    everyone = (leader, screen, *watching, *phones.values())

    page = opened(leader)
    screen.open(f"{page.url}/screen")
    for name, phone in phones.items():
        join(phone, page.url, name)
    assert (too_wide(phone.page), small_controls(phone.page), scrolls_sideways(phone.page)) == ([], [], False)
    for person in (screen, leader):
        expect(person.page.locator(".standings tbody tr, .screen-end .sitter")).to_have_count(8)

    sleeper = phones[NAMES[-1]]
    sleeper.page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))")  # as when a phone sleeps: its stream ends
    sleeper.context.set_offline(True)
    page.locator("#start").click()
    assert len(tables_of({name: phone for name, phone in phones.items() if phone is not sleeper})) == 2
    assert "/evenings/" in sleeper.page.url
    expect(page.locator(".evening-tables")).to_contain_text(f"Not at their tables {NAMES[-1]}", use_inner_text=False)
    expect(screen.page.locator(".board-of-table")).to_have_count(2)
    assert not screen.page.locator("img").count(), "before the first decision a table shows its names"
    sleeper.context.set_offline(False)
    first = tables_of(phones)
    assert sorted(map(len, first.values())) == [4, 4]
    for path, each in zip(first, watching, strict=True):
        each.open(path)
        play_out([phones[name] for name in first[path]], 1)
    expect(screen.page.locator(".board-of-table img")).to_have_count(2, timeout=PATIENCE)
    for names in first.values():
        play_out([phones[name] for name in names])
    for each_page in (page, screen.page):
        expect(each_page.locator("body")).to_contain_text("Round 1 of 2 is over", timeout=PATIENCE)
    for each in watching:
        expect(each.page.locator("#end-title")).to_contain_text("win", timeout=PATIENCE)

    page.locator("#start").click()
    second = tables_of_next(phones, first)
    pairs = [{frozenset((a, b)) for names in found.values() for a in names for b in names if a < b} for found in (first, second)]
    assert len(pairs[0] & pairs[1]) == 4, "the fewest pairs that can meet again when two tables of four are mixed"
    own_hall.stop()
    expect(screen.page.locator("#toast")).to_contain_text("Connection lost", timeout=PATIENCE)
    own_hall.start()
    for person in everyone:
        person.page.evaluate("dispatchEvent(new Event('online'))")  # test_restart.py waits until pages try by themselves
    for phone in phones.values():
        expect(phone.page.locator("#toast")).to_have_text("Reconnected.", timeout=PATIENCE)
    play_out([phones[name] for name in min(second.values())])
    expect(page.locator(".evening-tables .chip.gold")).to_have_count(1, timeout=PATIENCE)
    page.locator("#closing summary").click()
    page.locator("#close").click()
    expect(phones[max(second.values())[0]].page.locator("#end")).to_contain_text("the round of the evening was closed")
    expect(screen.page.locator(".champion").first).to_be_visible(timeout=PATIENCE)
    expect(page.locator("#table-url")).to_have_value(re.compile("^Club night: .* the evening\n1[.] "))
    expect(page.locator(".winners-picture")).to_be_visible()
    points = [float(text) for text in page.locator(".standings tbody td:last-child").all_inner_texts()]
    assert sum(points) == pytest.approx(8, abs=0.05), "each round gives four points to eight people"
    back = phones[NAMES[0]].page
    back.locator("#last-table").tap()
    expect(back.get_by_text("The evening is over").first).to_be_visible()
    for person in everyone:
        person.leave()
    assert [fault for person in everyone for fault in person.faults] == []


def tables_of_next(phones: dict[str, Person], first: dict[str, list[str]]) -> dict[str, list[str]]:
    """Wait until the page of the match that has ended leads each phone to its next table."""
    for phone in phones.values():
        phone.page.wait_for_url(lambda url: not any(path in url for path in first), timeout=PATIENCE)
    return tables_of(phones)


def test_a_phone_is_led_to_a_table_whose_match_starts_after_the_round(new_person: NewPerson) -> None:
    leader, phone = new_person(), new_person(**PHONE)
    join(phone, opened(leader).url, "Late")
    swapped = "table => { const { dataset } = document.getElementById('frame'); dataset.table = table; SENT }"
    swapped = swapped.replace("SENT", "document.dispatchEvent(new Event('htmx:after:swap'))")
    phone.page.evaluate(swapped, "")
    assert "/evenings/" in phone.page.url
    with phone.page.expect_navigation(url="**/rules/axes-and-allies"):
        phone.page.evaluate(swapped, "/rules/axes-and-allies")
