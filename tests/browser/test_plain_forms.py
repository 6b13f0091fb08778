"""Without JavaScript: plain forms, and pages that load themselves again while others decide."""

from __future__ import annotations

from playwright.sync_api import expect

from browser.people import Come
from browser.table import Table, gather, play_now


def test_a_match_is_played_without_javascript(come: Come) -> None:
    table = play_now(come(java_script_enabled=False))
    table.wait_for_turn()  # whoever goes first: the page shows it by itself
    while True:
        while not (table.my_turn or table.over):
            expect(table.page.locator("meta[http-equiv=refresh]")).to_be_attached()
            table.page.reload()
        if table.over:
            break
        table.act()
    assert "wins" in table.headline


def test_a_table_is_gathered_without_javascript(come: Come) -> None:
    host, friend = come(java_script_enabled=False), come()
    host.open("/").get_by_role("button", name="With friends").first.click()
    host.page.locator("#size-3").click()
    host.page.locator("#bot-2-karl").click()
    host.page.get_by_label("Anybody may join").check()
    host.page.get_by_role("button", name="Keep").first.click()
    friend.open("/").get_by_role("link", name="Axes and Allies").get_by_text("2 of 3 seats taken").click()
    friend.page.locator("#sit-1").click()
    expect(host.page.locator("#start:not([aria-disabled])")).to_be_visible(timeout=20_000)  # it looks again by itself
    host.page.locator("#start").click()
    for person in (host, friend):
        Table(person.page).wait_for_game()


def test_refusals_are_pages_without_javascript(come: Come) -> None:
    host, friend = come(java_script_enabled=False), come()
    tables = gather(friend, host)
    friend.page.locator("#start").click()
    tables[0].wait_for_game()
    host.page.reload()
    plain, scripted = tables[1], tables[0]
    while not plain.my_turn:
        if scripted.my_turn:
            scripted.act(lambda legal: legal[-1])
        plain.page.reload()
    stale = plain.page.context.new_page()
    stale.goto(plain.path)
    plain.act(lambda legal: legal[-1])
    host.allow("409")
    stale.locator("#controls button[name=action]:not([aria-disabled])").first.click()
    expect(stale.locator("#prompt .notice")).to_contain_text("The game has moved on since")
    assert Table(stale).told == scripted.told
