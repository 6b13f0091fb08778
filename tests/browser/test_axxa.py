"""AxxA in a browser: refusals in their place, routes, early choices, what was seen, and arrow keys."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, Route, expect

from browser.accessibility import Inspector
from browser.axxa_table import AXXA, Press, decide, goals, number, until_phase, wait_for_next_decision
from browser.checks import focused, moving, scrolls_sideways
from browser.keyboard import place_of_focus, press_by_keys, tab_to, walk
from browser.people import NewPerson, Person
from browser.table import open_table
from meadhall.games.axxa.state import NAMES, POSITIONS, SPACES


def spaces(page: Page, kind: str) -> list[int]:
    """Return the spaces on which an element of this kind can be chosen."""
    found: list[str] = page.locator(kind).evaluate_all("all => all.map(each => each.dataset.space)")
    return [int(space) for space in found]


def _press_out_of_reach(person: Person, press: Press) -> None:
    """Choose a stack and press spaces that it can't reach: each answers in its place, and the stack stays selected."""
    page = person.page
    start, _ = goals(page)[0]
    reached = {end for first, end in goals(page) if first == start}
    idle = [space for space in spaces(page, ".axxa-idle") if space not in reached]
    person.allow("422")
    press(page.locator(f"#space-{start}"))
    answer = page.locator("#refused")
    for refused in (idle[0], min(idle, key=lambda space: POSITIONS[space][1])):
        press(page.locator(f"#space-{refused}"))
        expect(answer).to_contain_text(re.compile(rf"{NAMES[refused]}|ways|in the way"))
        expect(answer).to_contain_text("(AX-2.")
        expect(answer).to_be_in_viewport(ratio=0.99)
        assert apart(page, "#refused", f"#space-{refused}") < 12
        expect(page.get_by_role("alert")).to_contain_text(answer.inner_text())  # for screen readers
        expect(page.locator(f"#space-{start}")).to_be_checked()
    assert not scrolls_sideways(page)
    page.keyboard.press("Escape")
    expect(answer).to_be_hidden()
    expect(page.locator(".axxa-chooser:checked")).to_have_count(0)
    assert focused(page) == f"space-{start}"


_APART = """([one, other]) => {
  const [a, b] = [one, other].map(each => document.querySelector(each).getBoundingClientRect());
  return Math.max(a.left - b.right, b.left - a.right, a.top - b.bottom, b.top - a.bottom);
}"""


def apart(page: Page, one: str, other: str) -> float:
    """Return how many pixels lie between two elements."""
    return float(page.evaluate(_APART, [one, other]))


def test_a_match_alone_by_mouse(new_person: NewPerson) -> None:
    person = new_person()
    page = open_table(person, game=AXXA)[0].page
    _press_out_of_reach(person, Locator.click)
    _press_out_of_reach(person, press_by_keys)
    page.locator(".axxa-idle").first.click()
    expect(page.locator("#refused")).to_contain_text("There is no stack on")
    page.locator(f"#space-{goals(page)[0][0]}").click()
    expect(page.locator("#refused"), "another stack was chosen").to_be_hidden()
    page.keyboard.press("Escape")
    _check_route(page)
    _choose_early(page)
    _check_memory(page)


def _check_route(page: Page) -> None:
    """The route of a move is shown while its goal has the focus, and the move can be undone."""
    start, end = goals(page)[0]
    page.locator(f"#space-{start}").click()
    inspector = Inspector()
    inspector.inspect("a stack chosen", page)
    goal = page.locator(f"#go-{start}-{end}")
    shown = page.locator("#axxa-route")
    expect(shown).to_be_hidden()
    goal.focus()
    page.keyboard.press("Shift")  # makes the focus visible
    expect(shown).to_be_visible()
    goal.click()
    expect(page.locator(".axxa-act")).to_have_count(2)
    inspector.inspect("turn", page)
    assert inspector.found == []
    page.locator("#undo").click()
    expect(page.locator(f"#space-{start}.axxa-chooser")).to_be_visible()
    assert (start, end) in goals(page)


def _choose_early(page: Page) -> None:
    """A choice made before the last response arrives is not lost. The stream may show the next decision before it."""
    responses: list[Callable[[], None]] = []

    def arrive_late(route: Route) -> None:
        response = route.fetch()
        responses.append(lambda: route.fulfill(response=response))

    page.route("**/act", arrive_late, times=1)
    decide(page)
    before = number(page)
    page.locator(".axxa-act.leave").click()
    assert len(responses) == 1
    assert number(page) == before
    responses[0]()
    wait_for_next_decision(page, before)


def _check_memory(page: Page) -> None:
    """Seen pieces are shown unless memory is off, also after a reload."""
    until_phase(page, "turn")
    before = number(page)
    page.locator(".axxa-act.turn").click()
    wait_for_next_decision(page, before)
    tag = page.locator(".axxa-tag").first
    expect(tag).to_be_visible()
    page.locator("#memory").click()
    expect(tag).to_be_hidden()
    page.reload()
    expect(page.locator("#memory")).to_have_attribute("aria-pressed", "false")
    expect(tag).to_be_hidden()
    decide(page)
    expect(page.locator("#memory")).to_have_attribute("aria-pressed", "false")
    page.locator("#memory").click()
    expect(page.locator("#memory")).to_have_attribute("aria-pressed", "true")
    if tag.count():  # the decision may have paid the only piece that was seen
        expect(tag).to_be_visible()


def test_arrow_keys_work_while_waiting_and_reduced_motion_stops_animations(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person()
    players = open_table(host, friend, game=AXXA)
    page = friend.page
    tab_to(page, lambda: place_of_focus(page) is not None)
    walk(page, SPACES - 1)
    decide(players[0].page)
    players[1].wait_for_event(players[0].newest_event)
    assert place_of_focus(page) == SPACES - 1
    for table in players:
        assert moving(table.page) == []
