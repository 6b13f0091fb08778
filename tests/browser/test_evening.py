"""An evening of three: an account, a match with a clock and chat, a take-back, a player who leaves and returns, and a draw."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from browser.devices import PHONE
from browser.people import NewPerson, Person
from browser.table import PATIENCE, VIKING_AXES, Table, fill_lobby, open_chat, whose_turn

TIME_IS_UP = 60_000
"""Timeout in milliseconds for the end of a decision of 30 seconds."""


def say(person: Person, text: str, *others: Person) -> None:
    """Let a person say a line that the others read."""
    open_chat(person.page)
    person.page.locator("#talk-text").fill(text)
    person.page.locator("#talk-text").press("Enter")
    for other in (person, *others):
        expect(other.page.locator("#talk-lines .said-words").last).to_have_text(text)


def agree(*people: Person) -> None:
    for person in people:
        person.page.locator("#agree").click()


def play_until(wanted: Table, tables: list[Table]) -> None:
    """Play until it is the turn of a table's page."""
    while (actor := whose_turn(tables)) is not wanted:
        assert actor is not None
        actor.act()


@pytest.mark.long
def test_three_people_spend_an_evening(new_person: NewPerson) -> None:
    host, friend, third = new_person(), new_person(**PHONE), new_person()
    people = (host, friend, third)
    tables = fill_lobby(host, friend, third, game=VIKING_AXES)
    host.page.locator("#clock-panel summary").click()
    host.page.select_option("#clock-time", "decision:30")
    expect(host.page.locator("#clock-words")).to_contain_text("30 seconds")
    host.page.select_option("#clock-time-up", "bot_seat")
    for person in people:
        expect(person.page.locator("#clock-words")).to_contain_text("a bot plays until the player takes the seat back")
    for person in (friend, third):
        person.page.locator("[id^=ready]").click()
    say(host, "Skål! Who starts?", third)
    expect(host.page.locator("#start:not([aria-disabled])")).to_be_visible()
    host.page.locator("#start").click()
    for table in tables:
        table.wait_for_game()

    # A take-back by consent.
    actor = whose_turn(tables)
    assert actor is not None
    actor.act()
    following = whose_turn(tables)
    assert following is not None
    following.act()
    whose_turn(tables)
    person = people[tables.index(actor)]
    person.page.locator("#propose").click()
    person.page.locator("#propose-sheet").get_by_role("button", name="Ask to take back").click()
    agree(*(each for each in people if each is not person))
    for each in people:
        expect(each.page.locator("#proposal-words")).to_contain_text("Taken back:")
    assert whose_turn(tables) is actor

    # The friend leaves. When the time is up, a bot plays, and the others go on.
    play_until(tables[1], tables)
    path = tables[1].path
    friend.page.goto("about:blank")
    others = [tables[0], tables[2]]
    for table in others:
        expect(table.page.locator(".plates")).to_contain_text("plays", timeout=TIME_IS_UP)
    seen = len(others[0].events)
    while (mover := whose_turn(others)) is None:
        others[0].wait_for_version(others[0].version + 1)
    mover.act()
    assert len(others[0].events) > seen
    say(third, "Björn is gone, the bot plays on.", host)

    # The friend returns, reads what was said, and plays.
    friend.open(path)
    expect(friend.page.locator("#stand-in")).to_contain_text("A bot plays for you")
    friend.page.locator("#return").tap()
    expect(friend.page.locator("#stand-in")).to_have_count(0)
    play_until(tables[1], tables)
    tables[1].act()

    # A draw by agreement.
    host.page.locator("#propose").click()
    host.page.get_by_role("button", name="Offer a draw").click()
    agree(friend, third)
    for each in people:
        expect(each.page.locator("#end-title")).to_have_text("A draw", timeout=PATIENCE)
