"""Without JavaScript: plain forms, and pages that load themselves again while others decide."""

from __future__ import annotations

from playwright.sync_api import expect

from browser.people import Come
from browser.table import Table, ally_first, at_plain_turn, open_table


def test_a_match_is_played_without_javascript(come: Come) -> None:
    (table,) = open_table(come(java_script_enabled=False), bots=1)
    table.play_on()  # whoever goes first, and whenever others decide: the page shows it by itself
    assert "wins" in table.headline


def test_a_table_is_gathered_without_javascript(come: Come) -> None:
    host, friend = come(java_script_enabled=False), come()
    host.open("/").get_by_role("button", name="With friends").first.click()
    host.page.locator("#size-3").click()
    host.page.locator("#bot-2-karl").click()
    host.page.get_by_label("Anyone may join").check()
    host.page.get_by_role("button", name="Save").first.click()
    friend.open("/").get_by_role("link", name="Axes and Allies").get_by_text("2 of 3 seats taken").click()
    friend.page.locator("#sit-1").click()
    expect(host.page.locator("#start:not([aria-disabled])")).to_be_visible(timeout=20_000)  # it looks again by itself
    host.page.locator("#start").click()
    for person in (host, friend):
        Table(person.page).wait_for_game()


def test_refusals_are_pages_without_javascript(come: Come) -> None:
    friend, person = come(), come(java_script_enabled=False)
    scripted, plain = open_table(friend, person)
    at_plain_turn(plain, [scripted])
    stale = Table(person.context.new_page())
    stale.page.goto(plain.path)
    plain.act(ally_first)
    person.allow("409")
    stale.choices.first.click()
    expect(stale.notice).to_contain_text("The game has moved on")
    scripted.wait_for_news(stale.news)
    assert stale.told == scripted.told
