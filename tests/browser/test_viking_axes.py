"""Viking Axes in a browser: whole matches, a secret hand, a phone, keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.checks import alien_nodes, cut_off, focused, moving, scrolls_sideways, small_controls, too_wide
from browser.people import Come
from browser.table import PATIENCE, Table, open_table, whose_turn
from browser.test_accessible import Inspector
from browser.test_keyboard import tab_to
from browser.test_phone import PHONE
from meadhall.engine.match import Match
from meadhall.engine.record.replay import replay
from meadhall.games.viking_axes.cards import TITLES
from meadhall.games.viking_axes.state import Act, Card

VIKING_AXES = "Viking Axes"
STRATEGIC = "Hold two cards in secret"

STILL = {"reduced_motion": "reduce"}


def test_two_people_play_a_whole_match_by_clicking(come: Come) -> None:
    host, friend = come(**STILL), come(**STILL)
    players = open_table(host, friend, game=VIKING_AXES)
    while (actor := whose_turn(players)) is not None:
        promised = _promise(actor)
        told = actor.news
        actor.act()
        _keeps(promised, [entry for entry in actor.told[-(actor.news - told) :] if entry])
        for table in players:
            table.wait_for_news(actor.news)
    for table in players:
        table.has_kept_the_place()
    watching = Table(come(**STILL).open(players[0].path))
    everybody = [*players, watching]
    for table in everybody:
        expect(table.page.locator("#victory")).to_be_visible()
        expect(table.page.locator(".va-place.winner")).to_have_count(1)
        assert alien_nodes(table.page) == []
    assert {table.headline for table in everybody} == {players[0].headline}
    assert players[0].told == players[1].told == watching.told


def _promise(table: Table) -> str:
    """What the first target's button says that the throw will do, "" when nothing is thrown."""
    first = table.page.locator(".va-target").first
    return first.locator(".va-outcome").inner_text() if first.count() else ""


def _keeps(promised: str, told: list[str]) -> None:
    """What a button has said is what has happened."""
    words = {"1": "an axe", "2": "two axes", "3": "three axes"}
    hits = {"1": "a hit", "2": "two hits", "3": "three hits"}
    story = " ".join(told)
    if blocked := re.search(r"(\d) blocked", promised):
        assert f"block {words[blocked[1]]}" in story
    if made := re.search(r"(\d) hits?", promised):
        assert f"takes {hits[made[1]]}" in story
    assert ("out!" in promised) == (" is out" in story)


# ------------------------------------------------------------------------------------------------------------- the secret hand

LISTEN = """
window.heard = [];
addEventListener("DOMContentLoaded", () => heard.push(document.documentElement.outerHTML));
const ask = window.fetch;
window.fetch = async (...asked) => {
  const answer = await ask(...asked);
  const at = heard.push("") - 1, reader = answer.clone().body?.getReader(), text = new TextDecoder();
  const read = ({ done, value }) => {
    if (done) return;
    heard[at] += text.decode(value, { stream: true });
    reader.read().then(read, () => {});
  };
  reader?.read().then(read, () => {});
  return answer;
};
"""
"""Keeps all that a page is sent: itself, what it asks for, and every frame of its stream."""


def test_a_hand_is_sent_to_nobody_but_its_owner(come: Come) -> None:
    host, friend, spectator = people = [come(**STILL) for _ in range(3)]
    for person in people:
        person.context.add_init_script(LISTEN)
    players = open_table(host, friend, game=VIKING_AXES, option=STRATEGIC)
    watching = Table(spectator.open(players[0].path))
    watching.wait_for_game()
    undone = decisions = 0
    while decisions < 20 and (actor := whose_turn([*players, watching])) is not None:
        decisions += 1
        number = int(actor.page.locator("#controls input[name=n]").input_value())
        played = actor.legal()[0]
        actor.act()
        if undone < 2 and Act.PLAY <= played < Card.ONE_SHIELD + Act.PLAY:
            undone += 1
            _take_back(actor)
            assert actor.page.locator("#controls input[name=n]").input_value() == str(number + 1)
            assert played in actor.legal()
            actor.act()
        for table in (*players, watching):
            table.wait_for_news(actor.news)
    assert undone == 2
    if not watching.over:
        _resign(host.page)
        _resign(friend.page)
    match = replay(host.context.request.get(f"{players[0].path}/record").json())
    held = _hands(match)
    for seat, person in enumerate((host, friend)):
        shown = list(_frames(person.page))
        hands = [(number, hand) for number, hand, _ in shown if number in held]
        assert len({number for number, _ in hands}) >= decisions
        for number, hand in hands:
            assert hand in {hands[seat] for hands in held[number]}, (number, seat)
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
    """When both have left, all is told."""
    page.get_by_role("button", name="Resign").click()
    page.locator("#resign-yes").click()
    expect(page.locator("#frame.watching")).to_be_visible()


def _take_back(table: Table) -> None:
    """A card that was played comes back into the hand, as long as nobody was chosen for it."""
    prompt = table.prompt.inner_text()
    table.page.locator("#undo").click()
    expect(table.prompt).not_to_have_text(prompt)
    expect(table.page.locator(".va-held:not([aria-disabled])").first).to_be_attached()


def _hands(match: Match) -> dict[int, set[tuple[tuple[str, ...], ...]]]:
    """What the players held before every action, by its number; there are two such moments after one was taken back."""
    held: dict[int, set[tuple[tuple[str, ...], ...]]] = {}
    for step in match.steps:
        held[step.n] = {_titles(step.before["hand"][0, : match.players].tolist())}
    for step in (step for undone in match.undone for step in undone.steps):
        hands = step.before["hand"][0, : match.players].tolist()
        held[step.n] = {_titles(hands)}
        hands[step.seat][step.action - Act.PLAY] -= 1
        held[step.n + 1].add(_titles(hands))
    return held


def _titles(hands: list[list[int]]) -> tuple[tuple[str, ...], ...]:
    names = list(TITLES.values())
    return tuple(tuple(names[kind] for kind, count in enumerate(hand) for _ in range(count)) for hand in hands)


def _frames(page: Page) -> Iterator[tuple[int, tuple[str, ...], str]]:
    """Every frame that a page was sent: the number of the next action (-1: nothing can be done there), its hand, all its text."""
    for text in page.evaluate("() => window.heard"):
        for frame in re.split(r'(?=<div id="frame")', text)[1:]:
            if "va-board" not in frame:
                continue
            number = re.search(r'name="n" value="(\d+)"', frame)
            buttons = re.findall(r'<button[^>]*class="act va-held[^>]*>.*?</button>', frame, re.DOTALL)
            hand = [re.search(r'class="va-title">([^<]*)<', button) for button in buttons]
            yield int(number[1]) if number else -1, tuple(title[1] for title in hand if title), frame


# --------------------------------------------------------------------------------------------------------------- phone and keys


@pytest.mark.parametrize("option", ["", STRATEGIC])
def test_it_fits_a_phone(come: Come, option: str) -> None:
    host = come(**PHONE)
    table = open_table(host, bots=6 if not option else 2, game=VIKING_AXES, option=option)[0]
    page = table.page
    for _ in range(12):
        if not table.wait_for_turn():
            break
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


def test_it_is_played_by_keyboard_alone(come: Come) -> None:
    table = open_table(come(**STILL), bots=1, game=VIKING_AXES)[0]
    page = table.page
    decisions = 0
    while decisions < 8 and table.wait_for_turn():
        _press(table, table.choices.first, by_digit=decisions % 2 == 1)
        decisions += 1
        if table.wait_for_turn():
            assert focused(page), "the place in the page is lost"
    assert decisions > 3, "nobody is out so soon"
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


def test_what_can_not_be_played_says_why(come: Come) -> None:
    """An armory while one is in front, a wench who can do nothing: whatever comes first in the strategic game."""
    host, friend = come(**STILL), come(**STILL)
    for _ in range(3):  # of forty matches played like this one comes to its end with nothing refused
        players = open_table(host, friend, game=VIKING_AXES, option=STRATEGIC)
        while (actor := whose_turn(players)) is not None:
            refused = actor.page.locator(".va-held[aria-disabled=true]:not(.idle), .va-choice[aria-disabled=true]")
            if refused.count():
                refused.first.hover()
                expect(refused.first.locator("[role=tooltip]")).to_contain_text("(VA-")
                expect(refused.first.locator("[role=tooltip]")).to_be_visible()
                return
            actor.act(_axes_last)
    pytest.fail("nothing was ever refused in three matches")


def _axes_last(legal: Sequence[int]) -> int:
    """Nobody is hit for long, armories are kept: so a second one can't be played, and not everybody can be skipped."""
    return max(legal, key=lambda action: (action in (Act.PLACE, Act.END_TURN), action))


# ------------------------------------------------------------------------------------------------------------------- accessible


def test_no_moment_has_an_axe_violation(come: Come) -> None:
    host, friend = come(**STILL), come(**STILL)
    inspector, seen = Inspector(), set[str]()
    players = open_table(host, friend, game=VIKING_AXES, option=STRATEGIC)
    while len(seen) < 3 and (actor := whose_turn(players)) is not None:
        first = actor.legal()[0]
        phase = "card" if first >= Act.PLAY else "armory" if first >= Act.DRAW else "wench" if first >= Act.SKIP else "target"
        if phase not in seen:
            seen.add(phase)
            inspector.look(f"{phase}, to decide", actor.page)
        actor.act(lambda legal: legal[-1])
        for table in players:
            table.wait_for_news(actor.news)
    inspector.look("waiting", next(table for table in players if not table.my_turn).page)
    host.page.locator("#discarded").click()
    expect(host.page.locator("#discards")).to_be_visible()
    inspector.look("discard pile", host.page)
    inspector.look("rulebook", host.open("/rules/viking-axes"))
    assert len(seen) == 3
    assert inspector.found == []
