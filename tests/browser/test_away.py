"""A player closes the page: the other one sees it, lets a bot play, and the player takes the seat back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from browser.people import Person
from browser.server import Hall
from browser.test_clocks import open_clocked

AXES = "axes-and-allies"


@pytest.fixture
def quick_hall(tmp_path: Path) -> Iterator[Hall]:
    """Start a hall for one test, whose bots think for an hour: the match doesn't move."""
    hall = Hall(tmp_path / "hall", bot_pause=3600.0)
    hall.start(AXES)
    yield hall
    hall.stop()


def test_a_bot_plays_for_a_player_who_is_away_until_they_return(browser: Browser, quick_hall: Hall) -> None:
    host, friend = Person(browser, quick_hall.url), Person(browser, quick_hall.url)
    open_clocked(host, friend, "seat:1200")
    table = re.sub(r".*(/tables/[^/?#]+).*", r"\1", friend.page.url)
    friend.page.close()
    away = host.page.locator("#seats [data-since]")
    expect(away).to_have_text("under 1 min", timeout=60_000)  # a request counts as a visit for 20 seconds
    expect(host.page.locator("#absent-1")).to_be_hidden()
    expect(away).to_have_text("1 min", timeout=90_000)
    host.page.locator("#stand-in-1").click(timeout=90_000)
    expect(host.page.locator("#plate-1")).to_contain_text("jarl plays")
    friend.page = friend.context.new_page()
    friend.open(table)
    expect(friend.page.locator("#stand-in")).to_contain_text("A bot plays for you")
    friend.page.locator("#return").click()
    expect(friend.page.locator("#stand-in")).to_have_count(0)
    expect(host.page.locator("#plate-1")).not_to_contain_text("jarl plays")
    assert [*host.faults, *friend.faults] == []
    for person in (host, friend):
        person.leave()
