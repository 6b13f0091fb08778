"""A table before its match, and times in the reader's time zone."""

from __future__ import annotations

import re

from playwright.sync_api import Route, expect

from browser.people import NewPerson
from browser.table import VIKING_AXES, fill_lobby, tile

HANDS_OPTION = "Hold two cards in secret"
"""The label of an option of Viking Axes."""


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


def test_an_option_is_checked_after_an_outdated_frame(new_person: NewPerson) -> None:
    """A friend sits down before the host's choice arrives, so the frame that shows this doesn't contain the choice yet."""
    host, friend = new_person(), new_person()
    tile(host.open("/"), VIKING_AXES).get_by_role("button", name="With friends").click()
    friend.open(host.page.locator("#invite").input_value())
    host.page.locator("#options-panel > summary").click()
    chosen = host.page.get_by_label(HANDS_OPTION)

    def sit_first(route: Route) -> None:
        friend.page.locator("#sit-1").click()
        expect(host.page.locator("#remove-1")).to_be_visible()
        route.continue_()

    host.page.route("**/options", sit_first)
    with host.page.expect_response("**/options"):
        chosen.click()  # not check(), which fails if the outdated frame comes before it looks at the box again
    expect(host.page.locator(".pending")).to_have_count(0)
    for page in (host.page, friend.page):
        expect(page.get_by_label(HANDS_OPTION)).to_be_checked()


def test_links_are_copied_without_the_clipboard_api(new_person: NewPerson) -> None:
    """Browsers have no clipboard API for pages over plain HTTP from another machine. The test simulates this."""
    host = new_person(permissions=["clipboard-read", "clipboard-write"])
    host.page.add_init_script("""
        window.clipboard = navigator.clipboard;
        Object.defineProperty(navigator, "clipboard", { value: undefined });
    """)
    fill_lobby(host, bots=1)
    invite = host.page.locator("#invite").input_value()
    host.page.evaluate("clipboard.writeText('something else')")
    button = host.page.locator("[data-copy='#invite']")
    button.click()
    expect(host.page.locator("#toast")).to_have_text("Copied.")
    assert host.page.evaluate("clipboard.readText()") == invite
    expect(host.page.locator("#invite")).to_be_focused()

    host.page.evaluate("document.execCommand = () => false")
    button.click()
    expect(host.page.locator("#toast")).to_contain_text("Select the text and copy it yourself.")
