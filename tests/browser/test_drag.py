"""Pieces are dragged to where they may go, with the mouse and with a finger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, Page, expect

from browser import axxa_table, dungeon_table
from browser.axxa_table import AXXA
from browser.devices import PHONE
from browser.dungeon_table import DUNGEON_ALLIES
from browser.people import NewPerson
from browser.table import STRATEGIC, VIKING_AXES, Table, open_table, whose_turn
from meadhall.games.axxa.state import distance
from meadhall.games.viking_axes.state import Act

Point = tuple[float, float]


def middle(element: Locator) -> Point:
    box = element.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


class Mouse:
    """Presses, moves and lets go."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, at: Point) -> None:
        self.page.mouse.move(*at)
        self.page.mouse.down()

    def move(self, to: Point) -> None:
        self.page.mouse.move(*to, steps=4)

    def let_go(self) -> None:
        self.page.mouse.up()


class Finger(Mouse):
    """The same on a touch screen."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self._session = page.context.new_cdp_session(page)

    def _send(self, kind: str, *points: Point) -> None:
        touched = [{"x": x, "y": y} for x, y in points]
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touched})

    def press(self, at: Point) -> None:
        self.at = at
        self._send("touchStart", at)

    def move(self, to: Point) -> None:
        for k in range(1, 5):
            self._send("touchMove", (self.at[0] + (to[0] - self.at[0]) * k / 4, self.at[1] + (to[1] - self.at[1]) * k / 4))

    def let_go(self) -> None:
        self._send("touchEnd")


def number(page: Page) -> str:
    return page.locator("#controls input[name=n]").input_value()


def expect_decided(page: Page, before: str) -> None:
    expect(page.locator(f"#controls input[name=n][value='{before}']")).to_have_count(0)


@contextmanager
def dragging(hand: Mouse, piece: Locator, goals: str) -> Iterator[Locator]:
    """Drag a piece in the block. Its goals are marked, and a drawing of it follows the pointer; afterwards neither."""
    page = piece.page
    at = middle(piece)
    hand.press(at)
    hand.move((at[0], at[1] - 24))
    expect(page.locator(".dragged")).to_be_visible()
    expect(page.locator(f"{goals}.goal").first).to_be_visible()
    scrolled = page.evaluate("scrollY")
    yield page.locator(".dragged")
    expect(page.locator(".dragged")).to_have_count(0)
    expect(page.locator(".goal, .lifted")).to_have_count(0)
    assert page.evaluate("scrollY") == scrolled


def card(new_person: NewPerson, **options: object) -> tuple[Table, Locator]:
    """Start strategic Viking Axes. Return the page of the player to move, and a card that they can play."""
    actor = whose_turn(open_table(new_person(**options), new_person(**options), game=VIKING_AXES, option=STRATEGIC))
    assert actor is not None
    return actor, actor.page.locator(".va-held[data-drag='.va-table']").first


@pytest.mark.parametrize("kind", [Mouse, Finger])
def test_a_card_is_dragged_to_the_table(new_person: NewPerson, kind: Callable[[Page], Mouse]) -> None:
    table, held = card(new_person, **(PHONE if kind is Finger else {}))
    before, hand = number(table.page), kind(table.page)
    action = int(held.get_attribute("value") or -1)
    with dragging(hand, held, ".va-table"):
        hand.move(middle(table.page.locator(".va-pile")))
        expect(table.page.locator(".va-table.over")).to_be_visible()
        hand.let_go()
    expect_decided(table.page, before)
    assert action >= Act.PLAY


def test_escape_another_button_and_a_drop_elsewhere_cancel_and_a_click_still_plays(new_person: NewPerson) -> None:
    table, held = card(new_person)
    page, before, hand = table.page, number(table.page), Mouse(table.page)
    with dragging(hand, held, ".va-table"):
        page.keyboard.press("Escape")
        expect(page.locator(".dragged")).to_have_count(0)
        hand.move(middle(page.locator(".va-pile")))
        hand.let_go()
    with dragging(hand, held, ".va-table"):
        hand.move(middle(page.locator(".va-pile")))
        page.mouse.down(button="right")
        expect(page.locator(".dragged")).to_have_count(0)
        page.mouse.up(button="right")
        hand.let_go()
    with dragging(hand, held, ".va-table"):
        hand.move((5, 5))
        hand.let_go()
    with dragging(hand, held, ".va-table"):
        hand.move(middle(held))
        hand.let_go()
    assert number(page) == before
    held.click()
    expect_decided(page, before)


@pytest.mark.parametrize("kind", [Mouse, Finger])
def test_a_stack_is_dragged_to_a_goal(new_person: NewPerson, kind: Callable[[Page], Mouse]) -> None:
    page = open_table(new_person(**(PHONE if kind is Finger else {})), game=AXXA)[0].page
    axxa_table.until_phase(page, "move")
    start, end = min(axxa_table.goals(page), key=lambda move: distance(*move))
    before, hand = number(page), kind(page)
    with dragging(hand, page.locator(f"#space-{start}"), ".axxa-goal"):
        hand.move(middle(page.locator(f"#go-{start}-{end}")))
        expect(page.locator(f"#go-{start}-{end}.over")).to_be_visible()
        hand.let_go()
    expect_decided(page, before)


def test_a_stack_that_is_dropped_elsewhere_is_not_chosen(new_person: NewPerson) -> None:
    page = open_table(new_person(), game=AXXA)[0].page
    axxa_table.until_phase(page, "move")
    start, _end = axxa_table.goals(page)[0]
    hand = Mouse(page)
    with dragging(hand, page.locator(f"#space-{start}"), ".axxa-goal"):
        hand.move((5, 5))
        hand.let_go()
    expect(page.locator(".axxa-chooser:checked")).to_have_count(0)


@pytest.mark.parametrize("kind", [Mouse, Finger])
def test_a_die_is_dragged_to_a_place(new_person: NewPerson, kind: Callable[[Page], Mouse]) -> None:
    people = [new_person(**(PHONE if kind is Finger else {})) for _ in range(2)]
    players = open_table(*people, game=DUNGEON_ALLIES)
    table = until(players, "place")
    page = table.page
    before, hand = number(page), kind(page)
    slot = page.locator(".da-slot.can").first
    slot.scroll_into_view_if_needed()
    with dragging(hand, slot, ".da-to"):
        goal = page.locator(".da-to.goal").first
        hand.move(middle(goal))
        expect(page.locator(".da-to.over")).to_have_count(1)
        hand.let_go()
    expect_decided(page, before)


def until(players: Sequence[Table], phase: str) -> Table:
    while (actor := whose_turn(players)) is not None:
        if dungeon_table.phase(actor.page) == phase:
            return actor
        dungeon_table.follow(players, actor)
    raise AssertionError(f"the match ended before a decision of the phase {phase}")
