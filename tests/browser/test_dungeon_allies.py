"""Dungeon Allies in a browser: dice, bids, tooltips, the animation of a turn, and what is legible."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.accessibility import Inspector
from browser.checks import alien_nodes
from browser.devices import MOVING, PHONE
from browser.dungeon_table import (
    DUNGEON_ALLIES,
    Prefer,
    decide,
    deepest_last,
    follow,
    highlighted,
    number,
    phase,
    take_die,
    to_the_tavern,
    wait_for_next_decision,
)
from browser.keyboard import place_of_focus, walk_on_spots
from browser.people import NewPerson
from browser.table import PATIENCE, Table, open_table, whose_turn
from browser.test_chart import upload
from meadhall.games.dungeon_allies.pieces import DICE, SQUARES, Act, Target

SMALLEST_CARD = 44
"""The least height of a card in CSS pixels."""


def _until(players: Sequence[Table], wanted: str, prefer: Prefer = deepest_last) -> Table:
    """Play until a decision of this phase and return its player's page."""
    while (actor := whose_turn(players)) is not None:
        if phase(actor.page) == wanted:
            return actor
        follow(players, actor, prefer)
    raise AssertionError(f"the match ended before a decision of the phase {wanted}")


def test_the_result_of_a_match_leaves_the_cards_legible(new_person: NewPerson) -> None:
    person = new_person()
    address = upload(person, "dungeon-allies/2-players-0")
    page = person.open(f"{address}?step=9999")
    expect(page.locator("#da-final li")).to_have_count(2)
    expect(page.locator(".da-tally b")).to_have_text("28/28")
    assert alien_nodes(page) == []
    best = page.locator("#da-final .won").first
    name, points = best.locator(".da-called").inner_text(), best.locator("b").inner_text()
    page.set_viewport_size({"width": 1024, "height": 768})
    for card in page.locator(".da-offer .da-card").all():
        box = card.bounding_box()
        assert box is not None
        assert box["height"] >= SMALLEST_CARD
    best.locator("button").click()
    expect(page.get_by_role("dialog", name=name)).to_contain_text(f"{points} point")


def test_a_die_is_chosen_and_placed_by_mouse_and_keyboard(new_person: NewPerson) -> None:
    players = open_table(new_person(), new_person(), game=DUNGEON_ALLIES)
    actor = _until(players, "place")
    other = next(table for table in players if table is not actor)
    page, seat = actor.page, _seat(actor.page)
    inspector = Inspector()
    inspector.inspect("to decide", page)
    inspector.inspect("waiting", other.page)
    other.page.locator(".plate-1 .da-open").click()
    inspector.inspect("a corner", other.page)
    other.page.keyboard.press("Escape")
    assert (inspector.found, alien_nodes(other.page)) == ([], [])
    _click_without_a_die(actor.page, other.page)
    _choose_and_deselect(page)
    _read_about_places(page)

    # A key selects a die and moves the focus to the first target.
    page.keyboard.press("1")
    assert place_of_focus(page) == min(highlighted(page))
    walk_on_spots(page, Target.TRADE)
    walk_on_spots(page, min(highlighted(page)))
    before = number(page)
    page.keyboard.press("Enter")
    wait_for_next_decision(page, before)
    assert page.locator(f"#board #die-{seat}-0").count() == 1
    page.locator("#undo").click()
    expect(page.locator("#take-0")).to_be_attached()

    # A placed die is on every page, and returns after an undo.
    before = number(page)
    die = take_die(page)
    page.locator(f"#act-{Act.PLACE + DICE * (Target.TREASURE + 1) + die}").click()
    wait_for_next_decision(page, before)
    for table in players:
        expect(table.page.locator(f"#spot-{Target.TREASURE + 1} #die-{seat}-{die}")).to_be_visible()
        expect(table.page.locator(f"#about-{Target.TREASURE + 1}")).to_contain_text(
            f"Dice: {page.locator(f'.plate-{seat} strong').inner_text()}"
        )
    expect(page.locator(".da-slot.away .da-where")).to_have_text("Treasure 2")
    taken = other.page.locator(f".da-no[data-target='{Target.TREASURE + 1}']")
    take_die(other.page)
    other.page.keyboard.press("Tab")  # a focus without keys after the mouse has left opens no tooltip
    taken.focus()
    expect(taken.locator("[role=tooltip]")).to_be_visible()
    expect(taken.locator("[role=tooltip]")).to_contain_text("(DA-3.3)")
    page.locator("#undo").click()
    expect(page.locator(f"#take-{die}")).to_be_attached()
    expect(other.page.locator(f"#die-{seat}-{die}")).to_have_count(0)


def _click_without_a_die(deciding: Page, waiting: Page) -> None:
    """A click on a place says what to do first, to the player who has to decide."""
    deciding.locator("#spot-0").click()
    expect(deciding.locator("#spot-0 .tip")).to_contain_text("Choose a die first.")
    expect(deciding.locator("#live")).to_have_text("Choose a die first.")
    waiting.locator("#spot-0").click()
    expect(waiting.locator("#spot-0 .tip")).to_be_visible()
    expect(waiting.locator("#spot-0 .tip")).not_to_contain_text("Choose a die first.")


def _choose_and_deselect(page: Page) -> None:
    """Escape or a second click deselects a die."""
    assert highlighted(page) == []
    page.keyboard.press("1")
    expect(page.locator("#take-0")).to_be_checked()
    expect(page.locator(".da-spot .da-hint")).to_have_count(0)  # it asked for a die
    assert len(highlighted(page)) > SQUARES
    page.keyboard.press("Escape")
    expect(page.locator("#take-0")).not_to_be_checked()
    assert highlighted(page) == []
    page.locator("#take-1").click()
    page.locator("#take-1").click()
    expect(page.locator("#take-1")).not_to_be_checked()


def _read_about_places(page: Page) -> None:
    """Places are explained while a die is selected."""
    page.locator("#take-1").click()
    goal = page.locator(f".d1.da-to[data-target='{Target.TRADE}']")
    goal.hover()
    expect(goal.locator(".tip")).to_be_visible()
    expect(goal.locator(".tip")).to_contain_text("as many trades as you like")
    expect(goal.locator(".tip"), "with what the player lacks").to_contain_text("You don't have the crystals")
    expect(goal.locator(".da-caution")).to_be_visible()
    plain = page.locator(f".d1.da-to[data-target='{Target.TURN_ORDER}']")
    plain.hover()
    expect(plain.locator(".tip")).to_contain_text("Next is space 1")
    expect(goal.locator(".tip")).to_be_hidden()
    page.keyboard.press("Escape")


@pytest.mark.slow("many turns until a player outbids another")
def test_a_bid_is_set_with_two_buttons(new_person: NewPerson) -> None:
    """A player with two gold outbids a friend with a die in the tavern."""
    players = open_table(new_person(), new_person(), game=DUNGEON_ALLIES)
    while (actor := whose_turn(players)) is not None and phase(actor.page) != "bid":
        friend = next(table for table in players if table is not actor)
        bidder = actor.page.locator(f"#spot-{Target.TAVERN} .da-bid .crest")
        rich = actor if bidder.count() else friend
        follow(players, actor, to_the_tavern if _gold(rich.page) >= 2 else deepest_last)
    assert actor is not None, "no player outbid another"
    page, gold = actor.page, _gold(actor.page)
    amounts = [int(option) for option in page.locator("#bid option").all_text_contents()]
    assert amounts == list(range(amounts[0], gold + 1))
    page.get_by_role("button", name="less", exact=True).click()
    expect(page.locator("#bid option:checked")).to_have_text(str(amounts[0]))
    page.get_by_role("button", name="more", exact=True).click()
    expect(page.locator("#bid option:checked")).to_have_text(str(amounts[1]))
    other = next(table for table in players if table is not actor).page
    other.locator("#propose").click()
    other.get_by_role("button", name="Offer a draw").click()
    expect(page.locator("#agree")).to_be_visible()  # the page has been updated
    expect(page.locator("#bid option:checked")).to_have_text(str(amounts[1]))
    inspector = Inspector()
    inspector.inspect("bid", page)
    assert inspector.found == []
    decide(page)
    assert _gold(page) == gold - amounts[1]
    expect(page.locator(f"#spot-{Target.TAVERN} .da-bid")).to_have_text(str(amounts[1]))


def _gold(page: Page) -> int:
    return int(page.locator(".da-purse .da-count").first.inner_text())


def _seat(page: Page) -> int:
    """Return the seat of this page's player."""
    found = re.search(r"seat-(\d)", page.locator(".da-area").get_attribute("class") or "")
    assert found
    return int(found[1])


def test_a_tap_on_a_place_with_a_caution_shows_it_and_a_second_tap_places_the_die(new_person: NewPerson) -> None:
    page = open_table(new_person(**PHONE), bots=1, game=DUNGEON_ALLIES)[0].page
    expect(page.locator(".da.mine[data-phase='assign'], .da.mine[data-phase='place']")).to_be_visible(timeout=PATIENCE)
    if phase(page) == "assign":
        decide(page, press=Locator.tap)
    expect(page.locator(".da.mine[data-phase='place']")).to_be_visible(timeout=PATIENCE)
    before = number(page)
    page.locator("#take-0").tap()
    goal = page.locator(f".d0.da-to[data-target='{Target.TRADE}']")
    goal.tap()
    expect(goal.locator(".tip")).to_contain_text("Tap again to place the die here.")
    assert number(page) == before
    goal.tap()
    wait_for_next_decision(page, before)


_SLOW_SCENES = """const animate = Element.prototype.animate;
Element.prototype.animate = function (frames, options) {
  return animate.call(this, frames, { ...options, duration: options.duration < 10 ? options.duration : 600000 });
};"""
"""With a hundredth of the usual pace, scenes stay until the next one is requested and all else is quick, on any machine."""

_PACE = "document.documentElement.style.setProperty('--pace', 0.01)"


def test_the_animation_of_a_turn_can_be_paused_and_skipped(new_person: NewPerson) -> None:
    host, friend, onlooker = new_person(), new_person(), new_person(**MOVING)
    onlooker.context.add_init_script(_SLOW_SCENES)
    players = open_table(host, friend, game=DUNGEON_ALLIES)
    page = onlooker.open(players[0].path)
    page.evaluate(_PACE)
    while not page.locator("#da-animation").is_visible():
        actor = whose_turn(players)
        assert actor is not None
        follow(players, actor)
    expect(page.locator("#da-animation")).to_be_visible()
    page.locator("#animation-pause").click()
    expect(page.locator("#animation-pause")).to_have_attribute("aria-pressed", "true")
    first = page.locator(".da-scene-lines").inner_text()
    assert page.locator(".da-head").inner_text().startswith("1.")
    expect(page.locator(".da-arena")).to_be_attached()
    page.locator("#animation-next").click()
    expect(page.locator(".da-scene-lines")).not_to_have_text(first)
    assert alien_nodes(page) == []
    page.evaluate("['next', 'skip'].forEach(name => document.getElementById(`animation-${name}`).click())")  # at once
    expect(page.locator("#da-animation")).to_be_hidden()
    page.wait_for_timeout(200)
    expect(page.locator(".stage > *")).to_have_count(0)
    host.page.locator(".da.mine .da-clock button").click()
    expect(host.page.get_by_role("dialog", name="What happened in turn 1")).to_contain_text(re.compile("victory|lost"))
