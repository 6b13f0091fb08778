"""The daily puzzle: two people play the same deal once each and find their results in the plot."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from browser.accessibility import Inspector
from browser.checks import alien_nodes, cut_off, scrolls_sideways, too_wide
from browser.devices import PHONE
from browser.people import NewPerson, Person
from midnight import wait_for_midnight


@pytest.fixture(autouse=True)
def one_day() -> None:
    """Don't run across midnight, when the puzzle changes."""
    wait_for_midnight(within=180)


def newcomer(new_person: NewPerson, name: str, **options: object) -> Person:
    person = new_person(**options)
    person.open("/settings").locator("#name").fill(name)
    person.page.get_by_role("button", name="Save").click()
    return person


def decide(page: Page) -> None:
    """Choose the first move, action, triplet or payment."""
    number = page.locator("#controls input[name=n]").input_value()
    phase = page.locator(".axxa-spots").get_attribute("data-phase")
    if phase == "move":
        page.locator(".axxa-movable:has(.axxa-goal) .axxa-chooser").first.click()
        page.locator(".axxa-goal:visible").first.click()
    else:
        page.locator({"turn": ".axxa-act", "remove": ".axxa-take", "pay": ".axxa-price"}[phase or ""]).first.click()
    expect(page.locator(f"#controls input[name=n][value='{number}']")).to_have_count(0)


def give_up(page: Page) -> None:
    page.locator("#resign").click()
    expect(page.get_by_role("dialog", name="Give up today's puzzle?")).to_be_visible()
    page.locator("#resign-yes").click()
    expect(page.locator("#results")).to_be_visible()


def fits_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    assert (scrolls_sideways(page), too_wide(page), cut_off(page)) == (False, [], [])
    page.set_viewport_size({"width": 1440, "height": 900})


def the_deal(page: Page) -> list[str]:
    return [space.strip() for space in page.locator("[id^=on-]").all_text_contents()]


def test_two_people_play_the_same_deal_and_find_their_results_in_the_plot(new_person: NewPerson) -> None:
    ada, bo = newcomer(new_person, "Ada"), newcomer(new_person, "Bo")
    inspector = Inspector()
    inspector.inspect("hall", ada.open("/"))
    ada.page.get_by_role("button", name=re.compile("Try it")).click()
    expect(ada.page.locator("#frame.game")).to_be_visible()
    dealt = the_deal(ada.page)
    for _ in range(3):
        decide(ada.page)

    inspector.inspect("invitation", bo.open("/daily"))
    fits_a_phone(bo.page)
    assert "Ada" not in bo.page.content()
    bo.page.locator("#begin").click()
    expect(bo.page.locator("#frame.game")).to_be_visible()
    assert the_deal(bo.page) == dealt
    bo.allow("409")
    expect(bo.open(ada.page.url).get_by_role("main")).to_contain_text("Play your own first")

    give_up(ada.page)
    expect(ada.page.locator("#rematch")).to_have_count(0)
    inspector.inspect("over", ada.page)
    ada.page.locator("#results").click()
    expect(ada.page.locator(".plot")).to_have_count(3)
    inspector.inspect("results", ada.page)
    assert alien_nodes(ada.page) == []

    bo.open("/daily").locator("#begin").click()
    give_up(bo.page)
    inspector.inspect("given up", bo.page)
    bo.page.locator("#results").click()
    triplets = bo.page.locator(".numbers dd").first.inner_text().split()[0]
    expect(bo.page.locator(".plot").first.locator(".bar.you .bar-value")).to_have_text(triplets)
    fits_a_phone(bo.page)
    expect(bo.page.locator(".best tr.you .name")).to_have_text("Bo")
    expect(bo.page.locator(".best")).to_contain_text("Ada")
    expect(bo.page.locator("#share-text")).to_have_value(
        re.compile(rf"AxxA, .*\n[▰▱]{{6}}\nTriplets {triplets}/6 · .* \d+\s*$")  # without a link, which others couldn't open
    )
    bo.page.get_by_text("Show the numbers").click()
    expect(bo.page.locator(".plot-figures tr.you th").first).to_have_text(f"{triplets} (you)")
    expect(bo.open("/").locator(".today")).to_contain_text("See how the others did")
    fits_a_phone(bo.page)
    assert inspector.found == []


def test_the_daily_puzzle_works_on_a_phone_and_without_javascript(new_person: NewPerson) -> None:
    page = newcomer(new_person, "Cy", **PHONE, java_script_enabled=False).open("/daily")
    page.locator("#begin").click()
    page.locator(".axxa-movable:has(.axxa-goal) .axxa-chooser").first.click()
    page.locator(".axxa-goal:visible").first.click()
    expect(page.locator(".axxa-act").first).to_be_visible()
    assert page.locator("#controls input[name=n]").input_value() == "2"
