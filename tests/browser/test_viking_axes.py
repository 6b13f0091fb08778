"""Viking Axes in a browser: whole matches, secret hands, phone, keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.accessibility import Inspector
from browser.checks import alien_nodes, cut_off, focused, moving, overlapping, scrolls_sideways, small_controls, too_wide
from browser.devices import PHONE
from browser.keyboard import tab_to
from browser.people import NewPerson
from browser.table import PATIENCE, STRATEGIC, VIKING_AXES, Table, open_table, resign, whose_turn
from browser.traffic import RECORD_TRAFFIC
from meadhall.engine.match.match import Match
from meadhall.engine.replay import replay
from meadhall.games.viking_axes.state import TITLES, Act, Card


@pytest.mark.parametrize("decisions", [12, pytest.param(1000, marks=pytest.mark.long)], ids=["beginning", "whole match"])
def test_two_people_play_a_match_by_clicking(new_person: NewPerson, decisions: int) -> None:
    """They play it to the end, or one of them resigns."""
    host, friend = new_person(), new_person()
    players = open_table(host, friend, game=VIKING_AXES)
    while decisions and (actor := whose_turn(players)) is not None:
        decisions -= 1
        predicted = _prediction(actor)
        newest = actor.newest_event
        actor.act()
        _check_prediction(predicted, [entry for entry in actor.log[-(actor.newest_event - newest) :] if entry])
        for table in players:
            table.wait_for_event(actor.newest_event)
    if not players[0].over:
        _resign(host.page)
    for table in players:
        expect(table.page.locator("#frame.over")).to_be_visible()
    watching = Table(new_person().open(players[0].path))
    all_tables = [*players, watching]
    for table in all_tables:
        expect(table.page.locator("#victory")).to_be_visible()
        expect(table.page.locator(".va-place.winner")).to_have_count(1)
        assert alien_nodes(table.page) == []
        for width, height in ((1440, 900), (390, 844)):
            table.page.set_viewport_size({"width": width, "height": height})
            assert overlapping(table.page, "#victory", ".va-pile, .va-discard") == [], width
    assert {table.headline for table in players} == {"You win", "You lost"}
    assert watching.headline.endswith(" wins")
    assert players[0].events == players[1].events == watching.events


def _prediction(table: Table) -> str:
    """Return the outcome of the throw on the first target's button; "" if nothing is thrown."""
    first = table.page.locator(".va-target").first
    return first.locator(".va-outcome").inner_text() if first.count() else ""


def _check_prediction(predicted: str, entries: list[str]) -> None:
    """Check that the events agree with the outcome on the button."""
    words = {"1": "an axe", "2": "two axes", "3": "three axes"}
    hits = {"1": "a hit", "2": "two hits", "3": "three hits"}
    log = " ".join(entries)
    if blocked := re.search(r"(\d) blocked", predicted):
        assert f"block {words[blocked[1]]}" in log
    if made := re.search(r"(\d) hits?", predicted):
        assert f"takes {hits[made[1]]}" in log
    assert ("out!" in predicted) == (" is out" in log)


# ----------------------------------------------------------------------------------------------------------------- secret hands


def test_a_hand_is_sent_only_to_its_owner(new_person: NewPerson) -> None:
    host, friend, spectator = people = [new_person() for _ in range(3)]
    for person in people:
        person.context.add_init_script(RECORD_TRAFFIC)
    players = open_table(host, friend, game=VIKING_AXES, option=STRATEGIC)
    watching = Table(spectator.open(players[0].path))
    watching.wait_for_game()
    attacks = decisions = 0
    while (decisions < 10 or attacks < 2) and (actor := whose_turn([*players, watching])) is not None:
        decisions += 1
        played = actor.legal()[0]
        actor.act()
        if Act.PLAY <= played < Card.ONE_SHIELD + Act.PLAY:
            attacks += 1
            _expect_no_undo(actor)
            actor.act()
        for table in (*players, watching):
            table.wait_for_event(actor.newest_event)
    assert attacks >= 2
    if not watching.over:
        _resign(host.page)
    expect(friend.page.locator("#frame.over")).to_be_visible()
    match = replay(host.context.request.get(f"{players[0].path}/record").json())
    held = _hands(match)
    for seat, person in enumerate((host, friend)):
        shown = list(_frames(person.page))
        hands = [(number, hand) for number, hand, _ in shown if number in held]
        assert len({number for number, _ in hands}) >= decisions
        for number, hand in hands:
            assert hand == held[number][seat], (number, seat)
        for _, _, text in shown:
            assert "va-backs open" not in text
            others = {match.names[1 - seat]} - {match.names[seat]}
            assert not any(re.search(rf"{re.escape(name)} (draws|is dealt)", text) for name in others)
    for number, _, text in _frames(spectator.page):
        assert number == -1
        assert "va-held" not in text
        assert "va-backs open" not in text
        assert not re.search(r"draws|is dealt", text)


def _resign(page: Page) -> None:
    """Resign a match of two, which ends it. Then its record is open to all."""
    resign(page)
    expect(page.locator("#frame.over")).to_be_visible()


def _expect_no_undo(table: Table) -> None:
    """Expect that a card of a hidden hand stays played, although no target has been chosen: the others have seen it."""
    expect(table.page.locator("#undo")).to_contain_text("Ask to take back")


def _hands(match: Match) -> dict[int, tuple[tuple[str, ...], ...]]:
    """Return the hands before every action, by its number."""
    assert not match.undone
    return {step.n: _titles(step.before["hand"][0, : match.players].tolist()) for step in match.steps}


def _titles(hands: list[list[int]]) -> tuple[tuple[str, ...], ...]:
    names = list(TITLES.values())
    return tuple(tuple(names[kind] for kind, count in enumerate(hand) for _ in range(count)) for hand in hands)


def _frames(page: Page) -> Iterator[tuple[int, tuple[str, ...], str]]:
    """Yield every frame that a page received: the number of the next action (-1 if it has no controls), its hand, its text."""
    for text in page.evaluate("() => window.received"):
        for frame in re.split(r'(?=<div id="frame")', text)[1:]:
            if "va-board" not in frame:
                continue
            number = re.search(r'name="n" value="(\d+)"', frame)
            buttons = re.findall(r'<button[^>]*class="act va-held[^>]*>.*?</button>', frame, re.DOTALL)
            hand = [re.search(r'class="va-title">([^<]*)<', button) for button in buttons]
            yield int(number[1]) if number else -1, tuple(title[1] for title in hand if title), frame


# ----------------------------------------------------------------------------------------------------------- phone and keyboard


LONG_PROMPT = "Björn throws three axes at you: two of them are blocked, one is a hit. Play or discard one of your cards."


@pytest.mark.parametrize("option", [pytest.param("", marks=pytest.mark.long), STRATEGIC])
def test_viking_axes_fits_a_phone(new_person: NewPerson, option: str) -> None:
    host = new_person(**PHONE)
    table = open_table(host, bots=6, game=VIKING_AXES, option=option)[0]
    page = table.page
    for decision in range(4):
        if not table.wait_for_turn():
            break
        if decision == 0:  # beside the goal, which only the first prompt has
            page.locator("#prompt-words").evaluate("(words, long) => { words.textContent = long; }", LONG_PROMPT)
        assert not scrolls_sideways(page)
        assert too_wide(page) == []
        assert cut_off(page) == []
        assert small_controls(page) == []
        for choice in table.choices.all():
            expect(choice).to_be_in_viewport(ratio=0.99)
        expect(table.prompt).to_be_in_viewport(ratio=0.99)
        assert moving(page) == []
        table.act(lambda legal: legal[-1], by=Locator.tap)
    assert alien_nodes(page) == []


def test_the_game_can_be_played_by_keyboard(new_person: NewPerson) -> None:
    table = open_table(new_person(), bots=1, game=VIKING_AXES)[0]
    page = table.page
    decisions = 0
    while decisions < 5 and table.wait_for_turn():
        _press(table, table.choices.first, by_digit=decisions % 2 == 1)
        decisions += 1
        if table.wait_for_turn():
            assert focused(page), "the focus is lost"
    assert decisions > 3, "no player can be out so early"
    page.keyboard.press("Tab")
    tab_to(page, lambda: focused(page) == "discarded")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="The discard pile")).to_be_visible()
    page.keyboard.press("Escape")
    assert focused(page) == "discarded"


def _press(table: Table, button: Locator, by_digit: bool) -> None:
    page, number = table.page, table.page.locator("#controls input[name=n]").input_value()
    wanted = button.get_attribute("id")
    if by_digit:
        page.keyboard.press(button.get_attribute("data-key") or "")
    else:
        tab_to(page, lambda: focused(page) == wanted)
        page.keyboard.press("Enter")
    expect(page.locator(f"#controls input[name=n][value='{number}']")).to_have_count(0, timeout=PATIENCE)


@pytest.mark.long
def test_a_card_that_cannot_be_played_shows_a_reason(new_person: NewPerson) -> None:
    """The first refused card of a strategic match: a second armory, or a wench without an effect."""
    host, friend = new_person(), new_person()
    for _ in range(3):  # of forty matches played like this, one ends without a refused card
        players = open_table(host, friend, game=VIKING_AXES, option=STRATEGIC)
        while (actor := whose_turn(players)) is not None:
            refused = actor.page.locator(".va-held[aria-disabled=true]:not(.idle), .va-choice[aria-disabled=true]")
            if refused.count():
                refused.first.hover()
                expect(refused.first.locator("[role=tooltip]")).to_contain_text("(VA-")
                expect(refused.first.locator("[role=tooltip]")).to_be_visible()
                return
            actor.act(_axes_last)
    pytest.fail("no card was refused in three matches")


def _axes_last(legal: Sequence[int]) -> int:
    """Avoid axes and keep armories, so that a second armory, and a wench for every player, can't be played."""
    return max(legal, key=lambda action: (action in (Act.PLACE, Act.END_TURN), action))


# ---------------------------------------------------------------------------------------------------------------- accessibility


def test_no_phase_has_an_axe_violation(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person()
    inspector, seen = Inspector(), set[str]()
    players = open_table(host, friend, game=VIKING_AXES, option=STRATEGIC)
    while len(seen) < 3 and (actor := whose_turn(players)) is not None:
        first = actor.legal()[0]
        phase = "card" if first >= Act.PLAY else "armory" if first >= Act.DRAW else "wench" if first >= Act.SKIP else "target"
        if phase not in seen:
            seen.add(phase)
            inspector.inspect(f"{phase}, to decide", actor.page)
        actor.act(lambda legal: legal[-1])
        for table in players:
            table.wait_for_event(actor.newest_event)
    inspector.inspect("waiting", next(table for table in players if not table.my_turn).page)
    host.page.locator("#discarded").click()
    expect(host.page.locator("#discards")).to_be_visible()
    inspector.inspect("discard pile", host.page)
    inspector.inspect("rulebook", host.open("/rules/viking-axes"))
    assert len(seen) == 3
    assert inspector.found == []
