"""A table before its match, and times in the reader's time zone."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from browser.people import NewPerson, Person


def open_lobby(person: Person) -> str:
    """Open a table of Axes and Allies with an empty seat, and return its path."""
    person.open("/").get_by_role("button", name=re.compile("With friends ?: Axes and Allies")).click()
    expect(person.page.locator("#frame.lobby")).to_be_visible()
    return re.sub(r"^https?://[^/]+", "", person.page.url)


def test_the_host_closes_a_table_by_keyboard_and_the_others_are_told(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person()
    path = open_lobby(host)
    friend.open(path).locator("#sit-1").click()
    expect(host.page.locator("#remove-1")).to_be_visible()
    host.page.locator("#close").press("Enter")
    expect(host.page.locator("#close-ask")).to_be_visible()
    host.page.locator("#close-yes").press("Enter")
    for person in (host, friend):
        expect(person.page.get_by_role("heading", name="The host has closed this table.")).to_be_visible()


def test_the_next_person_is_host_and_fills_the_seats_with_bots(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person(java_script_enabled=False)
    path = open_lobby(host)
    host.page.locator("#size-4").click()
    friend.open(path).locator("#sit-1").click()
    expect(host.page.locator("#remove-1")).to_be_visible()
    host.page.locator("#leave-0").click()
    expect(host.page.locator("#sit-0")).to_be_visible()
    friend.open(path).locator("#add-level").select_option("bot:thrall")
    for left in (2, 1, 0):
        friend.page.locator("#add-bot").click()
        expect(friend.page.locator(".chair.open")).to_have_count(left)
    friend.page.locator("#start").click()
    for person in (host, friend):
        expect(person.page.locator("#frame.game")).to_be_visible()


def test_the_start_waits_for_a_friend_who_is_away(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person()
    path = open_lobby(host)
    friend.open(path).locator("#sit-1").click()
    friend.page.locator("#ready").click()
    expect(friend.page.locator("#ready")).to_have_attribute("aria-pressed", "true")
    friend.page.locator("#ready").click()
    expect(friend.page.locator("#ready")).to_have_attribute("aria-pressed", "false")
    friend.page.goto("/settings")
    expect(host.page.locator("#start-why")).to_contain_text("is away")
    expect(host.page.locator("#start")).to_have_attribute("aria-disabled", "true")
    friend.open(path)
    expect(host.page.locator("#start:not([aria-disabled])")).to_be_visible()


def test_what_play_now_starts_is_chosen_in_place_and_offered_again(new_person: NewPerson) -> None:
    person = new_person(viewport={"width": 390, "height": 844}, has_touch=True)
    hall = person.open("/")
    height = "each => each.getBoundingClientRect().height"
    assert all(each.evaluate(height) >= 44 for each in hall.locator(".setup summary").all()), "a finger hits them"
    hall.set_viewport_size({"width": 1024, "height": 768})
    beside = hall.locator(".tile").last.locator(".tile-body")
    closed = beside.evaluate(height)
    hall.locator(".tile:nth-last-child(2) .setup summary").tap()
    assert beside.evaluate(height) <= closed, "options that are open stretch no neighbour"
    hall.set_viewport_size({"width": 390, "height": 844})
    hall.locator("#setup-viking-axes:not([open]) summary").tap()
    hall.locator("#viking-axes-seats").select_option("2")
    hall.locator("#viking-axes-bot").select_option("thrall")
    hall.get_by_role("button", name=re.compile("Play now ?: Viking Axes")).tap()
    expect(hall.locator("#goal")).to_contain_text("New here? Learn it in")
    expect(hall.locator(".plate")).to_have_count(2)
    expect(person.open("/").locator("#setup-viking-axes summary")).to_contain_text("1 bot (Thrall)")


def test_the_end_of_the_day_is_in_the_time_zone_of_the_reader(new_person: NewPerson) -> None:
    kathmandu = new_person(timezone_id="Asia/Kathmandu")
    expect(kathmandu.open("/daily").locator("#day-ends time")).to_contain_text("05:45")
    plain = new_person(timezone_id="Asia/Kathmandu", java_script_enabled=False)
    expect(plain.open("/daily").locator("#day-ends time")).to_contain_text("00:00 UTC")
