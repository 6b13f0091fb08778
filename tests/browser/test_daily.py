"""The daily puzzle: two people play the same deal once each and find their results in the plot."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from browser.accessibility import Inspector
from browser.axxa_table import decide
from browser.checks import alien_nodes, cut_off, scrolls_sideways, too_wide
from browser.people import NewPerson, Person
from midnight import wait_for_midnight


@pytest.fixture(autouse=True)
def one_day() -> None:
    """Don't run across midnight, when the puzzle changes."""
    wait_for_midnight(within=180)


def newcomer(new_person: NewPerson, name: str) -> Person:
    person = new_person()
    person.ask("/settings", name=name)
    return person


def give_up(page: Page) -> None:
    page.locator("#resign").click()
    expect(page.get_by_role("dialog", name="Give up today's puzzle?")).to_be_visible()
    page.locator("#resign-yes").click()
    expect(page.locator("#results")).to_be_visible()


def fits_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    assert (scrolls_sideways(page), too_wide(page), cut_off(page)) == (False, [], [])
    page.set_viewport_size({"width": 1440, "height": 900})


def test_two_people_play_the_same_deal_and_find_their_results_in_the_plot(new_person: NewPerson) -> None:
    ada, bo = newcomer(new_person, "Ada"), newcomer(new_person, "Bo")
    inspector = Inspector()
    for person in (ada, bo):
        inspector.inspect("invitation", person.open("/daily"))
        fits_a_phone(person.page)
        person.page.locator("#begin").click()
        expect(person.page.locator("#frame.game")).to_be_visible()
    decide(ada.page)
    for person in (ada, bo):
        give_up(person.page)
        inspector.inspect("over", person.page)
        person.page.locator("#results").click()
        expect(person.page.locator(".plot")).to_have_count(3)
        inspector.inspect("results", person.page)
        assert alien_nodes(person.page) == []
        fits_a_phone(person.page)
    expect(bo.page.locator(".best tr.you .name")).to_have_text("Bo")
    expect(bo.page.locator(".best")).to_contain_text("Ada")
    inspector.inspect("hall", bo.open("/"))
    fits_a_phone(bo.page)
    assert inspector.found == []
