"""Three people and a guest who watches agree on things at their table, by mouse, keyboard, touch, and without JavaScript."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from browser.accessibility import Inspector
from browser.checks import cut_off, scrolls_sideways
from browser.devices import PHONE
from browser.layout import overlapping_targets, overlapping_texts, small_targets
from browser.people import NewPerson
from browser.table import AXES_AND_ALLIES, VIKING_AXES, Table, ally_first, open_table, whose_turn

GAMES = [AXES_AND_ALLIES, VIKING_AXES, "AxxA", "Dungeon Allies"]
WINDOWS = [(1440, 900), (1024, 768), (390, 844), (844, 390)]


def write_note(page: Page) -> None:
    """Write a note in the open sheet or on its page, and open it again."""
    note = page.get_by_role("textbox", name="Your note")
    note.fill("Offer a draw.")
    with page.expect_response("**/note"):
        page.get_by_role("button", name="Save").click()
    expect(page.locator("#stream.noted")).to_be_attached()
    expect(note).to_be_hidden()
    page.locator("#propose").click()
    expect(note).to_have_value("Offer a draw.")


def test_three_people_take_back_and_then_agree_to_a_draw(new_person: NewPerson) -> None:
    host, friend, plain, guest = new_person(), new_person(**PHONE), new_person(java_script_enabled=False), new_person()
    tables = open_table(host, friend, plain)
    guest.open(tables[0].path)
    while (actor := whose_turn(tables[:2])) is None:
        tables[2].act(ally_first)
    actor.act(ally_first)
    other = tables[1] if actor is tables[0] else tables[0]
    other.wait_for_event(actor.newest_event)
    events = actor.events

    actor.page.keyboard.press("p")
    expect(actor.page.locator("#propose-sheet")).to_be_visible()
    write_note(actor.page)
    expect(actor.page.locator("#offer-to option:checked")).not_to_have_count(0)
    actor.page.locator("#propose-sheet").get_by_role("button", name="Ask to take back").click()
    expect(actor.page.locator("#propose-sheet")).to_be_hidden()
    expect(actor.page.locator("#proposal-words")).to_contain_text("You ask to take back")
    expect(actor.page.locator("#withdraw")).to_be_visible()
    expect(guest.page.locator("#proposal-words")).to_contain_text("asks to take back")
    expect(guest.page.locator("#agree")).to_have_count(0)
    expect(other.page.locator("#proposal-words[role=status]")).to_contain_text("asks to take back")
    expect(other.page.locator(".proposal-left")).to_have_text(re.compile(r"^[12]:\d\d left$"))
    if other.page is host.page:
        other.page.keyboard.press("y")
    else:
        other.page.locator("#agree").tap()
    expect(other.page.locator("#agree")).to_have_count(0)
    expect(other.page.locator(".proposal-answers .gold")).to_have_count(1)
    plain.page.reload()
    plain.page.locator("#agree").click()
    for page in (actor.page, other.page, guest.page):
        expect(page.locator("#proposal-words")).to_contain_text("Taken back:")
    assert max(actor.events, default=-1) < max(events)
    expect(actor.page.locator("#frame.yours")).to_be_attached()

    plain.page.locator("#propose").click()
    write_note(plain.page)
    plain.page.get_by_role("button", name="Offer a draw").click()
    expect(host.page.locator("#agree")).to_be_visible()
    host.page.keyboard.press("n")
    expect(friend.page.locator("#proposal-words")).to_contain_text("declined:")
    host.page.keyboard.press("p")
    host.page.get_by_role("button", name="Offer a draw").click()
    friend.page.locator("#agree").tap()
    plain.page.reload()
    plain.page.locator("#agree").click()
    for page in (host.page, friend.page, guest.page):
        expect(page.locator("#end-title")).to_have_text("A draw")


def test_undo_asks_the_others(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person(**PHONE)
    tables = open_table(host, friend)
    actor = whose_turn(tables)
    assert actor is not None
    other = tables[1] if actor is tables[0] else tables[0]
    actor.act(ally_first)
    ask = actor.page.locator("#undo", has_text="Ask to take back")
    if not ask.count():
        other.act(ally_first)
    ask.click()
    expect(other.page.locator("#agree")).to_be_visible()
    inspector = Inspector()
    inspector.inspect("asked", other.page)
    inspector.inspect("asking", actor.page)
    actor.page.keyboard.press("p")
    expect(actor.page.locator("#propose-sheet")).to_be_visible()
    inspector.inspect("sheet", actor.page)
    actor.page.keyboard.press("Escape")
    other.page.locator("#decline").click()
    expect(actor.page.locator("#proposal-words")).to_contain_text("declined")
    inspector.inspect("declined", actor.page)
    assert inspector.found == []


@pytest.mark.parametrize("game", [pytest.param(game, marks=[pytest.mark.long] * (game != VIKING_AXES)) for game in GAMES])
def test_the_banner_leaves_the_board_legible_in_every_window(new_person: NewPerson, game: str) -> None:
    host, friend = new_person(), new_person()
    tables = open_table(host, friend, game=game)
    for _ in range(2):
        actor = whose_turn(tables)
        assert actor is not None
        _choose_anything(actor)
    friend.page.keyboard.press("p")
    friend.page.locator("#propose-sheet").get_by_role("button", name="Ask to take back").click()
    expect(host.page.locator("#agree")).to_be_visible()
    faults = []
    for width, height in WINDOWS:
        for who, page in (("asked", host.page), ("asking", friend.page)):
            page.set_viewport_size({"width": width, "height": height})
            found = [*small_targets(page, 24), *overlapping_targets(page), *overlapping_texts(page), *cut_off(page)]
            found += ["it scrolls sideways"] if scrolls_sideways(page) else []
            faults += [f"{who}, {width} x {height}: {fault}" for fault in found]
    assert not faults, "\n".join(faults)


def test_in_a_low_window_the_banner_cuts_nothing_off(new_person: NewPerson) -> None:
    window = {"width": 1024, "height": 768}
    host, friend = new_person(viewport=window), new_person()
    open_table(host, friend, game="Viking Axes")
    heights = "all => [...new Set(all.map(each => Math.round(each.getBoundingClientRect().height)))]"
    tools = host.page.locator("#hint, #undo, #propose")
    assert len(tools.evaluate_all(heights)) == 1, "beside the goal of the game"
    host.page.locator(".talk > summary").click()
    friend.page.keyboard.press("p")
    friend.page.get_by_role("button", name="Offer a draw").click()
    expect(host.page.locator("#agree")).to_be_visible()
    assert len(tools.evaluate_all(heights)) == 1, "beside the banner"
    field, column = host.page.locator("#talk-form").bounding_box(), host.page.locator("#side").bounding_box()
    assert field is not None
    assert column is not None
    assert field["y"] + field["height"] <= column["y"] + column["height"]


def _choose_anything(table: Table) -> None:
    """Play a legal action through the form, whatever the controls of the game look like."""
    number = table.page.locator("#controls input[name=n]").input_value()
    action = table.legal()[-1]
    answer = table.page.request.post(
        f"{table.page.url.split('#')[0]}/act",
        form={"action": str(action), "n": number},
        headers={"Sec-Fetch-Site": "same-origin", "Accept": "application/json"},
    )
    assert answer.ok, answer.text()
    expect(table.page.locator(f"#controls input[name=n][value='{number}']")).to_have_count(0)
