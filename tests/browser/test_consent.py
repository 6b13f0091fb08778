"""Two people and a guest who watches agree on things at their table, by mouse, keyboard and touch."""

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


def test_a_take_back_is_agreed_and_a_draw_declined_by_keys_and_by_touch(new_person: NewPerson) -> None:
    host, friend, guest = new_person(), new_person(**PHONE), new_person()
    tables = open_table(host, friend)
    guest.open(tables[0].path)
    actor = whose_turn(tables)
    assert actor is not None
    other = tables[1] if actor is tables[0] else tables[0]
    actor.act(ally_first)
    other.wait_for_version(actor.version)
    events, inspector = actor.events, Inspector()
    actor.page.keyboard.press("p")
    _write_note(actor.page)
    expect(actor.page.locator("#offer-to option:checked")).not_to_have_count(0)
    inspector.inspect("sheet", actor.page)
    actor.page.locator("#propose-sheet").get_by_role("button", name="Ask to take back").click()
    expect(actor.page.locator("#propose-sheet")).to_be_hidden()
    expect(actor.page.locator("#withdraw")).to_be_visible()
    expect(guest.page.locator("#proposal-words")).to_contain_text("asks to take back")
    expect(guest.page.locator("#agree")).to_have_count(0)
    expect(other.page.locator(".proposal-left")).to_have_text(re.compile(r"^[12]:\d\d left$"))
    inspector.inspect("asked", other.page)
    inspector.inspect("asking", actor.page)
    other.page.keyboard.press("y")
    for page in (actor.page, other.page, guest.page):
        expect(page.locator("#proposal-words")).to_contain_text("Taken back:")
    assert max(actor.events, default=-1) < max(events)
    expect(actor.page.locator("#frame.yours")).to_be_attached()

    friend.page.locator("#propose").tap()
    friend.page.get_by_role("button", name="Offer a draw").tap()
    expect(host.page.locator("#agree")).to_be_visible()
    host.page.keyboard.press("n")
    expect(friend.page.locator("#proposal-words")).to_contain_text("declined:")
    inspector.inspect("declined", friend.page)
    assert inspector.found == []


def _write_note(page: Page) -> None:
    """Write a note in the open sheet, and open it again."""
    note = page.get_by_role("textbox", name="Your note")
    note.fill("Offer a draw.")
    with page.expect_response("**/note"):
        page.get_by_role("button", name="Save").click()
    expect(page.locator("#stream.noted")).to_be_attached()
    expect(note).to_be_hidden()
    page.locator("#propose").click()
    expect(note).to_have_value("Offer a draw.")


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
