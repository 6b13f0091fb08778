"""A game that supplies only what it must: two people play it in the browser, by keyboard, by touch and without JavaScript."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from browser.accessibility import Inspector
from browser.checks import cut_off, scrolls_sideways, small_controls, too_wide
from browser.people import Person
from browser.server import ENDED, Hall

TESTS = Path(__file__).parents[1]
ENTRY_POINTS = "[meadhall.games]\nlast-stone = games_for_tests.least:game\n"
METADATA = "Metadata-Version: 2.1\nName: last-stone\nVersion: 1.0\n"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "color_scheme": "dark", "reduced_motion": "reduce"}


@pytest.fixture
def stone_hall(tmp_path: Path) -> Iterator[Hall]:
    """Start a hall in which the smallest game is installed like any other package."""
    info = tmp_path / "site" / "last_stone-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(ENTRY_POINTS, "utf-8")
    (info / "METADATA").write_text(METADATA, "utf-8")
    path = os.pathsep.join([str(info.parent), str(TESTS), os.environ.get("PYTHONPATH", "")])
    hall = Hall(tmp_path / "hall", PYTHONPATH=path, MEADHALL_INTERPRET="1")
    hall.start("last-stone")
    yield hall
    assert hall.stop() in ENDED
    assert "ERROR" not in hall.log.read_text()


@pytest.fixture
def visitor(browser: Browser, stone_hall: Hall) -> Iterator[Callable[..., Person]]:
    here: list[Person] = []

    def person(**options: object) -> Person:
        here.append(Person(browser, stone_hall.url, **options))
        return here[-1]

    yield person
    for each in here:
        each.leave()
    assert [fault for each in here for fault in each.faults] == []


def open_table(host: Person, friend: Person) -> None:
    host.open("/").get_by_role("button", name=re.compile("With friends.*Last stone")).click()
    friend.page.goto(host.page.url)
    friend.page.locator("#sit-1").click()
    host.page.locator("#start:not([aria-disabled])").click()


def check_page(person: Person, where: str) -> None:
    """Check that nothing is cut off, and that the page is accessible in both themes."""
    page, inspector = person.page, Inspector()
    assert ["scrolls sideways"] * scrolls_sideways(page) + too_wide(page) + cut_off(page) == []
    inspector.inspect(where, page)
    assert inspector.found == []


def test_two_people_play_with_keys_and_with_touch(visitor: Callable[..., Person]) -> None:
    host, friend = visitor(reduced_motion="reduce"), visitor(**PHONE)
    open_table(host, friend)
    expect(host.page.locator("#prompt-words")).to_have_text("It is your turn.")
    expect(host.page.locator("#any-own")).to_contain_text("stones")
    expect(host.page.locator("#acts button")).to_have_count(3)
    check_page(host, "at a desk")
    host.page.keyboard.press("3")
    expect(friend.page.locator("#log")).to_contain_text("action 2")
    expect(friend.page.locator("#acts button")).to_have_count(3)
    check_page(friend, "on a phone")
    assert small_controls(friend.page) == []
    friend.page.get_by_role("button", name="Action 2").tap()
    expect(host.page.locator("#acts button")).to_have_count(1)
    host.page.get_by_role("button", name="Action 0").focus()
    host.page.keyboard.press("Enter")
    expect(host.page.locator(".end h2")).to_have_text("You win")
    expect(friend.page.locator(".end h2")).to_have_text("You lost")
    host.open(f"{host.page.url.partition('?')[0]}/replay?step=1")
    expect(host.page.locator("#any-public")).to_contain_text("stones")


def test_two_people_play_without_javascript(visitor: Callable[..., Person]) -> None:
    host, friend = visitor(java_script_enabled=False), visitor(java_script_enabled=False)
    host.open("/").get_by_role("button", name=re.compile("With friends.*Last stone")).click()
    friend.page.goto(host.page.url)
    friend.page.locator("#sit-1").click()
    expect(host.page.locator("#start:not([aria-disabled])")).to_be_visible()  # the page reloads by itself
    host.page.locator("#start").click()
    for person, action in ((host, 2), (friend, 2), (host, 0)):
        person.page.locator(f"#act-{action}").click()
    expect(host.page.locator(".end h2")).to_have_text("You win")
