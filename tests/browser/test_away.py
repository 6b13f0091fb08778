"""A player closes the page: the other one sees it, lets a bot play, and the player takes the seat back."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from browser.checks import overlapping
from browser.people import NewPerson
from browser.test_clocks import let_pass, open_clocked


def test_a_bot_plays_for_a_player_who_is_away_until_they_return(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person()
    open_clocked(host, friend, "seat:1200", game="viking-axes")  # no player can win early
    table = re.sub(r".*(/tables/[^/?#]+).*", r"\1", friend.page.url)
    friend.page.close()
    away = host.page.locator("#seats [data-since]")
    expect(away).to_have_text("")
    expect(host.page.locator("#plate-1")).to_contain_text("away")
    let_pass(host, 70)
    expect(away).to_have_text("1 min")
    host.page.set_viewport_size({"width": 1280, "height": 800})
    away.evaluate("it => { it.textContent = '2 days 3 h'; }")
    assert overlapping(host.page, "#plate-1 .away", "#plate-1 .clock") == []
    host.page.locator("#stand-in-1").click()
    expect(host.page.locator("#plate-1")).to_contain_text("Jarl plays")
    friend.page = friend.context.new_page()
    friend.open(table)
    expect(friend.page.locator("#stand-in")).to_contain_text("A bot plays for you")
    friend.page.locator("#return").click()
    expect(friend.page.locator("#stand-in")).to_have_count(0)
    expect(host.page.locator("#plate-1")).not_to_contain_text("Jarl plays")
