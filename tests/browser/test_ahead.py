"""Decide ahead: a waiting player chooses their next action, which is played when their decision begins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from browser.devices import MOVING, PHONE
from browser.people import NewPerson, Person
from browser.table import PATIENCE, STRATEGIC, VIKING_AXES, Table, open_table, whose_turn
from meadhall.games.viking_axes.state import Act, Card

Press = Callable[[Locator], None]


def start(host: Person, friend: Person) -> tuple[Table, int, Table]:
    """Start strategic Viking Axes. Return the page and the seat of the player who waits first, and the page of the other.

    The waiting player holds an axe or a shield, which can be played whatever happens. A table without them is left for another.
    """
    while True:
        players = open_table(host, friend, game=VIKING_AXES, option=STRATEGIC)
        actor = whose_turn(players)
        assert actor is not None
        seat = 1 if actor is players[0] else 0
        if action_of(certain(players[seat])) < Act.PLAY + Card.ARMORY:
            return players[seat], seat, actor


def action_of(button: Locator) -> int:
    return int(button.get_attribute("value") or -1)


def certain(table: Table) -> Locator:
    """Return the button of an axe or a shield; of another card if the hand has neither."""
    buttons = table.page.locator("#controls .ahead")
    expect(buttons.first).to_be_visible()
    return table.page.locator(f"#act-{min(action_of(button) for button in buttons.all())}")


def first_action(person: Person, table: Table, seat: int) -> int | None:
    """Return the first action of a seat; None before it."""
    record = person.context.request.get(f"{person.hall.rstrip('/')}{table.path}/record").json()
    return next((each["action"] for each in record["actions"] if each["seat"] == seat and "action" in each), None)


def expect_chosen(table: Table, button: Locator) -> None:
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(table.prompt).to_contain_text("Tap again to cancel.")
    expect(table.page.locator("#revoke-yes")).to_be_visible()


def expect_revoked(table: Table, button: Locator) -> None:
    expect(button).to_have_attribute("aria-pressed", "false")
    expect(table.page.locator("#revoke-yes")).to_have_count(0)
    expect(table.prompt).not_to_contain_text("Tap again")


def let_go_on(actor: Table) -> None:
    """Decide as the other player until the turn passes."""
    while actor.my_turn:
        actor.act(lambda legal: legal[-1])


def by_tap(button: Locator) -> None:
    button.tap()


def by_key(button: Locator) -> None:
    button.page.keyboard.press(button.get_attribute("data-key") or "")


@pytest.mark.parametrize(
    ("options", "press"), [({}, Locator.click), (PHONE, by_tap), ({}, by_key)], ids=["mouse", "touch", "keyboard"]
)
def test_a_choice_is_shown_and_revoked_and_played_at_once(new_person: NewPerson, options: dict[str, Any], press: Press) -> None:
    host, friend = new_person(**options), new_person(**options)
    table, seat, actor = start(host, friend)
    button = certain(table)
    action = action_of(button)
    press(button)
    expect_chosen(table, button)
    expect(actor.page.locator("#controls .ahead")).to_have_count(0)
    press(button)
    expect_revoked(table, button)
    press(button)
    expect_chosen(table, button)
    if press is by_key:
        table.page.keyboard.press("Escape")
    else:
        press(table.page.locator("#revoke-yes"))
    expect_revoked(table, button)
    press(button)
    expect_chosen(table, button)
    let_go_on(actor)
    expect(table.page.locator("#revoke-yes")).to_have_count(0)
    assert first_action(host, table, seat) == action


def test_it_works_without_script_too(new_person: NewPerson) -> None:
    host, friend = new_person(java_script_enabled=False), new_person(java_script_enabled=False)
    table, _seat, _actor = start(host, friend)
    button = certain(table)
    button.click()
    expect_chosen(table, button)
    button.click()
    expect_revoked(table, button)


def test_the_second_click_of_a_double_click_on_a_decision_chooses_nothing_ahead(new_person: NewPerson) -> None:
    players = open_table(new_person(), new_person(), new_person())
    actor = whose_turn(players)
    assert actor is not None
    sent: list[str] = []
    actor.page.on("request", lambda request: sent.append(request.url.rpartition("/")[2]) if request.method == "POST" else None)
    actor.page.evaluate(
        """() => {
          const click = detail => document.querySelector('#controls .act.ally').dispatchEvent(
            new MouseEvent('click', { bubbles: true, cancelable: true, detail }));
          document.addEventListener('htmx:after:swap', () => setTimeout(click, 0, 2), { once: true });
          click(1);
        }"""
    )
    for table in players:
        table.wait_for_event(max(each.newest_event for each in players))
    expect(actor.page.locator("#controls .ahead, #frame.yours, #frame.over").first).to_be_attached()
    assert sent == ["act"]
    expect(actor.page.locator("#revoke-yes")).to_have_count(0)


def test_what_can_not_be_played_is_dropped_and_the_page_says_why(new_person: NewPerson) -> None:
    """A throw is chosen, but an armory or a wench is drawn."""
    host, friend = new_person(), new_person()
    told = None
    while told is None:
        players = open_table(host, friend, game=VIKING_AXES)
        while told is None and (actor := whose_turn(players)) is not None:
            for table in players:
                button = table.page.locator("#controls .ahead[aria-pressed=false]")
                if table is not actor and button.count():
                    button.first.click()
                    expect(table.page.locator("#revoke-yes")).to_be_visible()
            actor.act()
            whose_turn(players)  # both pages show what the action has changed
            told = next((table for table in players if table.notice.count()), None)
    expect(told.notice).to_contain_text("What you had chosen ahead isn't possible now: You have no axe to throw now.")
    expect(told.page.locator("#revoke-yes")).to_have_count(0)


def test_one_decides_ahead_while_the_board_plays(new_person: NewPerson) -> None:
    person = new_person(**MOVING)
    table = open_table(person, bots=3, game=VIKING_AXES, rank="thrall")[0]
    button = table.page.locator("#controls .ahead[aria-pressed=false]").first
    stored = False
    while not stored:
        if table.my_turn:
            table.act()
        table.page.wait_for_function(
            "document.querySelector('#frame.yours, #frame.over') || (stage.isPlaying() && document.querySelector('.ahead'))"
        )
        assert not table.over
        if not table.my_turn:
            with table.page.expect_response(lambda response: response.url.endswith("/ahead")) as answer:
                button.click()
            stored = answer.value.ok
            if not stored:  # the own turn had come already, behind what the board still played
                expect(table.notice).to_be_visible()
                expect(table.page.locator("#frame.yours, #frame.over")).to_be_visible(timeout=PATIENCE)
                person.faults.clear()
