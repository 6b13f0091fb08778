"""AxxA in a browser: whole matches by clicks, taps and keys, without JavaScript, and refusals."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable

from playwright.sync_api import Locator, Page, Route, expect

from browser.accessibility import Inspector
from browser.axxa_table import AXXA, Press, decide, goals, number, phase, until_phase, wait_for_next_decision
from browser.checks import alien_nodes, cut_off, focused, moving, scrolls_sideways, small_controls, too_wide
from browser.devices import PHONE
from browser.keyboard import tab_to
from browser.people import NewPerson, Person
from browser.table import Table, open_table, whose_turn
from meadhall.games.axxa.state import NAMES, POSITIONS, SPACE_AT, SPACES, distance

ARROWS = {"ArrowUp": (-1, 0), "ArrowDown": (1, 0), "ArrowLeft": (0, -1), "ArrowRight": (0, 1)}


def spaces(page: Page, kind: str) -> list[int]:
    """Return the spaces on which an element of this kind can be chosen."""
    found: list[str] = page.locator(kind).evaluate_all("all => all.map(each => each.dataset.space)")
    return [int(space) for space in found]


def test_a_whole_match_can_be_played_by_keyboard(new_person: NewPerson) -> None:
    page = new_person().open("/")
    tab_to(page, lambda: re.search("With friends.*AxxA", page.locator(":focus").inner_text(), re.DOTALL) is not None)
    page.keyboard.press("Enter")
    expect(page.locator("#start")).to_be_visible()
    tab_to(page, lambda: focused(page) == "size-1")
    page.keyboard.press("Enter")
    expect(page.locator("#start:not([aria-disabled])")).to_be_visible()
    tab_to(page, lambda: focused(page) == "start")
    page.keyboard.press("Enter")
    expect(page.locator("#frame.game")).to_be_visible()
    tab_to(page, lambda: focused(page).startswith("space-"))

    turned = 0
    while not page.locator("#frame.over").count():
        before = number(page)
        match phase(page):
            case "move":
                start, end = min(goals(page), key=lambda move: distance(*move))
                walk(page, start)
                page.keyboard.press("Enter")
                walk(page, end)
                assert focused(page) == f"go-{start}-{end}"
            case "turn":
                expect(page.locator(".axxa-act.leave")).to_be_focused()
                if turned % 2:
                    page.keyboard.press("ArrowRight")
                    expect(page.locator(".axxa-act.turn")).to_be_focused()
                turned += 1
            case "remove":
                expect(page.locator(".axxa-take").first).to_be_focused()
            case "pay":
                walk(page, spaces(page, ".axxa-price")[0])
        page.keyboard.press("Enter")
        wait_for_next_decision(page, before)
    assert turned > 1
    Table(page).expect_focus_in_place()
    expect(page.locator("#axxa-ending")).to_contain_text("Lost: ")
    expect(page.locator(".axxa-number.lost")).to_have_count(1)
    assert alien_nodes(page) == []


_ANNOUNCED = "() => document.getElementById(document.activeElement.getAttribute('aria-labelledby'))?.textContent"


def walk(page: Page, end: int) -> None:
    """Move the focus to a space with the arrow keys. Every step is announced with the content of its space."""
    for key in route_keys(focused_space(page), end):
        page.keyboard.press(key)
    assert focused_space(page) == end
    described = page.evaluate(_ANNOUNCED)
    assert described is None or described.startswith(f"{NAMES[end]}:")  # the label of a goal describes the move


def focused_space(page: Page) -> int:
    return int(page.evaluate("() => document.activeElement.dataset.space"))


def route_keys(start: int, end: int) -> list[str]:
    """Return the arrow keys that lead from one space to another."""
    routes: dict[int, list[str]] = {start: []}
    queue = deque([start])
    while end not in routes:
        here = queue.popleft()
        row, column = POSITIONS[here]
        for key, (down, right) in ARROWS.items():
            there = SPACE_AT.get((row + down, column + right))
            if there is not None and there not in routes:
                routes[there] = [*routes[here], key]
                queue.append(there)
    return routes[end]


def test_without_javascript_stacks_are_moved_and_refusals_are_pages(new_person: NewPerson) -> None:
    person = new_person(java_script_enabled=False)
    page = open_table(person, game=AXXA)[0].page
    expect(page.locator(".axxa-goal:visible")).to_have_count(0)
    expect(page.locator("#memory")).to_be_hidden()
    for wanted in ("turn", "pay", "move", "turn", "move"):
        until_phase(page, wanted)
    person.allow("422")
    page.locator(".axxa-idle").first.click()
    expect(page.locator("#notices .notice")).to_contain_text("There is no stack on")
    expect(page.locator("#notices .notice")).to_contain_text("AX-2.1")
    expect(page.locator("#refused")).to_contain_text("There is no stack on")


def test_a_match_can_be_played_on_a_phone_by_tapping(new_person: NewPerson) -> None:
    person = new_person(**PHONE)
    page = open_table(person, game=AXXA)[0].page
    _press_out_of_reach(person, Locator.tap)
    seen = set[str]()
    while not seen >= {"move", "turn", "pay"}:
        if phase(page) not in seen:
            seen.add(phase(page))
            _check_fits(page)
            for kind in (".axxa-chooser", ".axxa-act", ".axxa-price"):
                for choice in page.locator(kind).all():
                    expect(choice).to_be_in_viewport(ratio=0.99)
        decide(page, Locator.tap)


def _check_fits(page: Page) -> None:
    assert not scrolls_sideways(page)
    assert (too_wide(page), cut_off(page), small_controls(page)) == ([], [], [])


def test_two_people_play_by_clicking_without_an_axe_violation(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person()
    players = open_table(host, friend, game=AXXA)
    actor = players[0]
    inspector = Inspector()
    inspector.inspect("waiting", friend.page)
    expect(friend.page.locator(".axxa-spots.waiting")).to_be_attached()
    for each in players:
        name = actor.page.locator(".plate.active strong").inner_text()[:7]
        expect(each.page.locator(".axxa-actor text")).to_have_text(re.compile(name))
    chosen, _ = goals(actor.page)[0]
    actor.page.locator(f"#space-{chosen}").click()
    inspector.inspect("a stack chosen", actor.page)
    actor.page.keyboard.press("Escape")
    for wanted in ("turn", "pay"):
        actor = _until(players, wanted)
        inspector.inspect(wanted, actor.page)
    assert players[0].events == players[1].events
    inspector.inspect("the rulebook", host.open("/rules/axxa"))
    assert alien_nodes(host.page) == []
    assert inspector.found == []


def _until(players: list[Table], wanted: str) -> Table:
    """Play until a decision of this phase and return its player's page. A free move is followed by another player's turn."""
    while (actor := whose_turn(players)) is not None and phase(actor.page) != wanted:
        decide(actor.page)
    assert actor is not None
    return actor


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


def _walk_and_enter(control: Locator) -> None:
    page = control.page
    if page.locator(":focus[data-space]").count() == 0:
        tab_to(page, lambda: focused(page).startswith("space-"))
    walk(page, int(control.get_attribute("data-space") or -1))
    page.keyboard.press("Enter")


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
    _press_out_of_reach(person, _walk_and_enter)
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
    goal = page.locator(f"#go-{start}-{end}")
    shown = page.locator(f"#go-{start}-{end} + .axxa-route")
    expect(shown).to_be_hidden()
    goal.focus()
    page.keyboard.press("Shift")  # makes the focus visible
    expect(shown).to_be_visible()
    goal.click()
    expect(page.locator(".axxa-act")).to_have_count(2)
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
    tab_to(page, lambda: focused(page).startswith("space-"))
    walk(page, SPACES - 1)
    decide(players[0].page)
    players[1].wait_for_event(players[0].newest_event)
    assert focused_space(page) == SPACES - 1
    for table in players:
        assert moving(table.page) == []
