"""A game that supplies only what it must: two people play it in the browser, by keyboard and by touch."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from browser.accessibility import Inspector
from browser.checks import cut_off, scrolls_sideways, small_controls, too_wide
from browser.devices import PHONE
from browser.people import NewPerson, Person

TOUCH = PHONE | {"color_scheme": "dark"}


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


def test_two_people_play_with_keys_and_with_touch(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person(**TOUCH)
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
