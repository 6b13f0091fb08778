"""Two people and a spectator in separate browsers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from browser.checks import alien_nodes
from browser.people import NewPerson, Person
from browser.table import VIKING_AXES, Table, ally_first, fill_lobby, keep_going, tile, whose_turn
from meadhall import replay

HANDS_OPTION = "Hold two cards in secret"
"""The label of an option of Viking Axes."""


@pytest.mark.slow("a whole match on three pages, its record and its replay")
def test_two_people_play_a_whole_match_and_a_spectator_watches(new_person: NewPerson) -> None:
    host, friend, spectator = new_person(), new_person(), new_person()
    players = fill_lobby(host, friend)
    watching = Table(spectator.open(players[0].path))
    expect(spectator.page.get_by_text("The match will appear here")).to_be_visible()

    host.page.locator("#start").click()
    all_tables = [*players, watching]
    for table in all_tables:
        table.wait_for_game()

    acted: set[int] = set()
    choose = keep_going(players)
    while (actor := whose_turn(all_tables)) is not None:
        _check_turn_on_every_page(actor, all_tables)
        acted.add(all_tables.index(actor))
        actor.act(choose)
        for table in all_tables:
            table.wait_for_event(actor.newest_event)
        assert [nodes for table in all_tables if (nodes := alien_nodes(table.page))] == []

    assert acted == {0, 1}
    assert watching.headline.endswith(" wins")
    assert all(table.headline.startswith(("You win", "You lost")) for table in players)
    assert all_tables[0].events == all_tables[1].events == watching.events
    assert watching.log[-1].endswith("is the last one standing and wins")
    expect(watching.acts).to_have_count(0)
    expect(spectator.page.get_by_role("button", name="Rematch")).to_have_count(0)
    record = _check_the_record(host.page)
    _check_the_replay(spectator.page, watching)
    _watch_an_uploaded_record(spectator, record, watching.events)
    _play_a_rematch(host, friend, players)


def _check_turn_on_every_page(actor: Table, all_tables: list[Table]) -> None:
    name = actor.page.locator(".plate.active .plate-name strong").inner_text()
    expect(actor.prompt).to_contain_text("Your axe has power")
    expect(actor.page).to_have_title(re.compile("^● Your turn"))
    assert actor.choices.count() > 0
    for table in all_tables:
        if table is not actor:
            expect(table.prompt).to_contain_text(f"{name} is choosing")
            expect(table.choices).to_have_count(0)
            expect(table.page).not_to_have_title(re.compile("Your turn"))
    expect(all_tables[-1].acts).to_have_count(0)
    expect(all_tables[-1].page.get_by_text("You are watching.")).to_be_visible()


def _check_the_record(page: Page) -> Path:
    """Download the record, verify it here and in the hall, and go back to the match. Return its path."""
    with page.expect_download() as download:
        page.get_by_role("link", name="Record", exact=True).click()
    record = download.value.path()
    replay(json.loads(record.read_text("utf-8")))
    page.get_by_role("link", name="Verify the dice").click()
    expect(page.locator(".verdict.good")).to_be_visible()
    page.go_back()
    return record


def _check_the_replay(page: Page, table: Table) -> None:
    """Replay the match step by step to the same end."""
    log, headline = table.log, table.headline
    page.get_by_role("link", name="Replay", exact=True).click()
    expect(page.get_by_text("Step 0 of")).to_be_visible()
    last = int(page.locator("#step").get_attribute("max") or 0)
    assert last > 0
    page.get_by_label("Speed").select_option("fast")
    for step in range(1, min(last, 4)):
        page.locator("#step-on").click()
        expect(page.get_by_text(f"Step {step} of {last}")).to_be_visible()
        assert alien_nodes(page) == []
    page.locator("#step-last").click()
    expect(page.get_by_text(f"Step {last} of {last}")).to_be_visible()
    expect(page.locator("#step-on[aria-disabled=true]")).to_be_visible()
    expect(page.locator("#speed option:checked")).to_have_text("fast")
    assert table.log == log
    assert table.headline == headline


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


def _watch_an_uploaded_record(stranger: Person, record: Path, events: list[int]) -> None:
    page = stranger.open("/replay")
    page.locator("#record").set_input_files(record)
    page.get_by_role("button", name="Watch").click()
    expect(page.get_by_text("All rolls were verified against the seed.")).to_be_visible()
    page.keyboard.press("Tab")
    page.locator("#step-last").click()
    expect(page.locator("#step-on[aria-disabled=true]")).to_be_visible()
    expect(page.locator(".plate.winner")).to_have_count(1)
    assert Table(page).events == events


def _play_a_rematch(host: Person, friend: Person, players: list[Table]) -> None:
    """A rematch takes both players to the same new table, where they play."""
    first = players[0].path
    for person in (host, friend):
        person.page.get_by_role("button", name="Rematch").click()
        person.page.wait_for_url(lambda url: first not in url)
    assert players[0].path == players[1].path
    for table in players:
        table.wait_for_game()
    actor = whose_turn(players)
    assert actor is not None
    actor.act(ally_first)
    whose_turn(players)


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
