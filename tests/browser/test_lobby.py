"""A table before its match, and times in the reader's time zone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Route, expect

from browser.people import NewPerson
from browser.table import VIKING_AXES, fill_lobby, tile

HANDS_OPTION = "Hold your cards in secret"
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


@pytest.mark.parametrize("has_script", [True, False])
def test_an_invited_guest_sits_down_on_a_phone_without_scrolling(new_person: NewPerson, has_script: bool) -> None:
    host, friend = new_person(), new_person(viewport={"width": 390, "height": 844}, java_script_enabled=has_script)
    path = f"/tables/{host.ask('/tables', game='viking-axes', kind='friends', players='3').json()['id']}"
    page = friend.open(path)
    for part in (page.locator(".start-art img"), page.locator(".about"), page.locator("#sit"), page.locator("#sit-1")):
        expect(part).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("heading").filter(visible=True).nth(1)).to_contain_text("invites you to Viking Axes")
    page.locator("#sit").press("Enter")
    expect(page.locator("#leave-1")).to_be_visible()
    if has_script:
        expect(page.locator("#ready")).to_be_focused()
    expect(page.locator("#start-title")).to_have_text("Waiting for players")
    expect(page.locator("#sit")).to_have_count(0)


def test_a_lobby_has_no_hole_when_its_options_are_open(new_person: NewPerson) -> None:
    host = new_person()
    page = host.open(f"/tables/{host.ask('/tables', game='dungeon-allies', kind='friends', players='4').json()['id']}")
    page.locator("#options-panel > summary").click()
    seats, chat = page.locator(".lobby-seats").bounding_box(), page.locator("#talk").bounding_box()
    assert seats is not None
    assert chat is not None
    assert 0 < chat["y"] - seats["y"] - seats["height"] < 40, "the chat follows the seats"


def test_a_tab_in_the_background_does_not_ask_again_until_it_is_looked_at(new_person: NewPerson) -> None:
    hall = new_person().open("/")
    asked: list[str] = []
    hall.on("request", lambda request: asked.append(request.url))
    hide = "hidden => Object.defineProperty(document, 'hidden', { value: hidden, configurable: true })"
    ask = """() => new Promise(done => {
        document.addEventListener("htmx:finally:request", done, { once: true });
        htmx.trigger(document.getElementById("hall"), "again");
    })"""
    hall.evaluate(hide, True)
    hall.evaluate(ask)
    assert asked == []
    hall.evaluate(hide, False)
    hall.evaluate(ask)
    assert len(asked) == 1


def test_a_rulebook_is_printed_without_the_ways_to_other_pages(new_person: NewPerson) -> None:
    plain = new_person(java_script_enabled=False)
    expect(plain.open("/rules/viking-axes").locator("[data-print]")).to_be_hidden()
    reader = new_person(color_scheme="dark")
    page = reader.open("/rules/viking-axes")
    page.evaluate("() => { window.print = () => { window.printed = true; }; }")
    page.get_by_role("button", name="Print").click()
    assert page.evaluate("window.printed")
    page.emulate_media(media="print", color_scheme="dark")
    for part in (".bar", ".contents", ".foot"):
        expect(page.locator(part)).to_be_hidden()
    expect(page.locator(".reason").first).to_be_visible()
    expect(page.locator("body")).to_have_css("color", "rgb(42, 29, 19)")
