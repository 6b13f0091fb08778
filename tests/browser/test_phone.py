"""A phone in portrait and landscape orientation: everything works by tapping."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from browser.checks import alien_nodes, cut_off, scrolls_sideways, small_controls, too_wide
from browser.devices import PHONE
from browser.people import NewPerson
from browser.table import STRATEGIC, VIKING_AXES, open_table

LANDSCAPE = PHONE | {"viewport": {"width": 844, "height": 390}}


def test_every_choice_can_be_tapped_on_a_phone(new_person: NewPerson) -> None:
    """In both orientations, to the end of a match and in its replay."""
    (table,) = open_table(new_person(**PHONE), bots=5)
    page = table.page
    while table.wait_for_turn():
        page.set_viewport_size({"width": 844, "height": 390})
        _check_fits(page)
        expect(table.prompt).to_be_in_viewport(ratio=0.99)
        for choice in table.choices.all():
            choice.tap(trial=True)
        page.set_viewport_size({"width": 390, "height": 844})
        _check_fits(page)
        assert small_controls(page) == []
        for choice in (*table.choices.all(), table.prompt):
            expect(choice).to_be_in_viewport(ratio=0.99)
        table.act(by=Locator.tap)
    assert alien_nodes(page) == []
    _check_fits(page)
    page.get_by_role("link", name="Replay", exact=True).tap()
    expect(page.locator("#step-on")).to_be_visible()
    _check_fits(page)


def test_seven_can_play_viking_axes_on_a_phone_in_landscape(new_person: NewPerson) -> None:
    (table,) = open_table(new_person(**LANDSCAPE), bots=6, game=VIKING_AXES, option=STRATEGIC)
    for _ in range(2):
        if not table.wait_for_turn():
            break
        _check_fits(table.page)
        expect(table.prompt).to_be_in_viewport(ratio=0.99)
        for choice in table.choices.all():
            choice.tap(trial=True)
        table.act(by=Locator.tap)


def test_every_other_page_fits_a_phone(new_person: NewPerson) -> None:
    person = new_person(**PHONE)
    for path in ("/", "/rules/axes-and-allies", "/settings", "/replay"):
        _check_fits(person.open(path))
    person.open("/").get_by_role("button", name="With friends").first.tap()
    expect(person.page.locator("#start")).to_be_visible()
    _check_fits(person.page)


def _check_fits(page: Page) -> None:
    assert not scrolls_sideways(page)
    assert too_wide(page) == []
    assert cut_off(page) == []
