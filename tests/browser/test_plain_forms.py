"""Without JavaScript: plain forms, and pages that reload by themselves while others decide.

To wait for that would take seconds, so most tests reload the page.
"""

from __future__ import annotations

from playwright.sync_api import expect

from browser.people import NewPerson
from browser.table import Table, ally_first, open_table, play_until_turn


def test_a_match_can_be_played_without_javascript(new_person: NewPerson) -> None:
    (table,) = open_table(new_person(java_script_enabled=False), bots=1)
    table.play_on()
    assert table.headline in ("You win", "You lost")


def test_a_table_can_be_filled_without_javascript(new_person: NewPerson) -> None:
    host, friend = new_person(java_script_enabled=False), new_person()
    host.open("/").get_by_role("button", name="With friends").first.click()
    host.page.locator("#size-3").click()
    host.page.locator("#add-level").select_option("bot:karl")
    host.page.locator("#add-bot").click()
    host.page.get_by_label("Anyone may join").check()
    host.page.get_by_role("button", name="Save").first.click()
    friend.open("/").get_by_role("link", name="Axes and Allies").get_by_text("2 of 3 seats taken").click()
    friend.page.locator("#sit-2").click()
    expect(host.page.locator("meta[http-equiv=refresh]")).to_have_count(1)  # the page reloads by itself
    host.page.reload()
    expect(host.page.locator("#start:not([aria-disabled])")).to_be_visible()
    host.page.locator("#start").click()
    for person in (host, friend):
        Table(person.page).wait_for_game()


def test_refusals_are_pages_without_javascript(new_person: NewPerson) -> None:
    friend, person = new_person(), new_person(java_script_enabled=False)
    scripted, plain = open_table(friend, person)
    play_until_turn(plain, [scripted])
    stale = Table(person.context.new_page())
    stale.page.goto(plain.path)
    plain.act(ally_first)
    person.allow("409")
    stale.choices.first.click()
    expect(stale.notice).to_contain_text("The game has moved on")
    scripted.wait_for_event(stale.newest_event)
    assert stale.events == scripted.events
