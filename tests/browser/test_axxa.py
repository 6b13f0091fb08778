"""AxxA in a browser: whole matches by clicks, taps and keys, without JavaScript, and what can't be done."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, Route, expect

from browser.checks import alien_nodes, cut_off, focused, moving, scrolls_sideways, small_controls, too_wide
from browser.people import Come
from browser.table import Table, open_table, whose_turn
from browser.test_accessible import Inspector
from browser.test_keyboard import tab_to
from browser.test_phone import PHONE
from meadhall.games.axxa.board import NAMES, POSITIONS, SPACE_AT, SPACES, distance

AXXA = "AxxA"
STILL: dict[str, Any] = {"reduced_motion": "reduce"}
ARROWS = {"ArrowUp": (-1, 0), "ArrowDown": (1, 0), "ArrowLeft": (0, -1), "ArrowRight": (0, 1)}

Press = Callable[[Locator], None]


def alone(come: Come, **manner: Any) -> Table:
    """A table of one."""
    return open_table(come(**(STILL | manner)), game=AXXA)[0]


def phase(page: Page) -> str:
    return page.locator(".axxa-spots").get_attribute("data-phase") or ""


def goals(page: Page) -> list[tuple[int, int]]:
    """The moves that are offered: from, to."""
    ids: list[str] = page.locator(".axxa-goal").evaluate_all("all => all.map(each => each.id)")
    return [(int(start), int(end)) for _, start, end in (name.split("-") for name in ids)]


def spaces(page: Page, kind: str) -> list[int]:
    """The spaces on which something of this kind can be chosen."""
    found: list[str] = page.locator(kind).evaluate_all("all => all.map(each => each.dataset.space)")
    return [int(space) for space in found]


def number(page: Page) -> str:
    return page.locator("#controls input[name=n]").input_value()


def moment_after(page: Page, before: str) -> None:
    expect(page.locator(f"#controls input[name=n][value='{before}']")).to_have_count(0)


def decide(page: Page, press: Press = Locator.click) -> None:
    """One decision: the shortest move, leave the stack, the first triplet, the first piece."""
    before = number(page)
    match phase(page):
        case "move":
            start, end = min(goals(page), key=lambda move: distance(*move))
            press(page.locator(f"#space-{start}"))
            expect(page.locator(f"#go-{start}-{end}")).to_be_visible()
            press(page.locator(f"#go-{start}-{end}"))
        case "turn":
            press(page.locator(".axxa-act.leave"))
        case "remove":
            press(page.locator(".axxa-take").first)
        case "pay":
            press(page.locator(".axxa-price").first)
    moment_after(page, before)


def until_phase(page: Page, wanted: str) -> None:
    while phase(page) != wanted:
        decide(page)


def test_two_people_play_a_whole_match_by_clicking(come: Come) -> None:
    host, friend = come(**STILL), come(**STILL)
    players = open_table(host, friend, game=AXXA)
    acted = set()
    while (actor := whose_turn(players)) is not None:
        waiting = next(table for table in players if table is not actor)
        expect(waiting.page.locator(".axxa-spots.waiting")).to_be_attached()
        expect(actor.page.locator(".axxa-actor text")).to_have_text(
            re.compile(actor.page.locator(".plate.active strong").inner_text()[:7])
        )
        acted.add(players.index(actor))
        decide(actor.page)
        for table in players:
            table.wait_for_news(actor.news)
    assert acted == {0, 1}
    assert players[0].told == players[1].told
    for table in players:
        table.has_kept_the_place()
        expect(table.page.locator("#axxa-ending")).to_contain_text("Lost: ")
        expect(table.page.locator(".axxa-number.lost")).to_have_count(1)
        assert alien_nodes(table.page) == []


def test_a_whole_match_by_keyboard_alone(come: Come) -> None:
    page = come(**STILL).open("/")
    tab_to(page, lambda: re.search("With friends.*AxxA", page.locator(":focus").inner_text(), re.DOTALL) is not None)
    page.keyboard.press("Enter")
    expect(page.locator("#start")).to_be_visible()
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
        moment_after(page, before)
    assert turned > 1
    expect(page.locator("#axxa-ending")).to_be_visible()


def test_what_is_decided_before_the_last_answer_has_come_is_not_lost(come: Come) -> None:
    """The stream may show the next moment first."""
    page = alone(come).page
    answers: list[Callable[[], None]] = []

    def arrive_late(route: Route) -> None:
        answer = route.fetch()
        answers.append(lambda: route.fulfill(response=answer))

    page.route("**/act", arrive_late, times=1)
    decide(page)
    before = number(page)
    page.locator(".axxa-act.leave").click()
    assert len(answers) == 1
    assert number(page) == before
    answers[0]()
    moment_after(page, before)


_ANNOUNCED = "() => document.getElementById(document.activeElement.getAttribute('aria-labelledby'))?.textContent"


def walk(page: Page, end: int) -> None:
    """With the arrow keys, from the space that has the focus to another; every step is announced as what lies there."""
    for key in way(standing_on(page), end):
        page.keyboard.press(key)
    assert standing_on(page) == end
    described = page.evaluate(_ANNOUNCED)
    assert described is None or described.startswith(f"{NAMES[end]}:")  # a goal says what choosing it would do


def standing_on(page: Page) -> int:
    return int(page.evaluate("() => document.activeElement.dataset.space"))


def way(start: int, end: int) -> list[str]:
    """The keys that lead from space to space."""
    ways: dict[int, list[str]] = {start: []}
    queue = deque([start])
    while end not in ways:
        here = queue.popleft()
        row, column = POSITIONS[here]
        for key, (down, right) in ARROWS.items():
            there = SPACE_AT.get((row + down, column + right))
            if there is not None and there not in ways:
                ways[there] = [*ways[here], key]
                queue.append(there)
    return ways[end]


def test_without_javascript_stacks_are_moved_and_refusals_are_pages(come: Come) -> None:
    person = come(java_script_enabled=False)
    page = open_table(person, game=AXXA)[0].page
    expect(page.locator(".axxa-goal:visible")).to_have_count(0)
    expect(page.locator("#memory")).to_be_hidden()
    for wanted in ("turn", "pay", "move", "turn", "move"):
        until_phase(page, wanted)
    person.allow("422")
    page.locator(".axxa-idle").first.click()
    expect(page.locator("#prompt .notice")).to_contain_text("There is no stack on")
    expect(page.locator("#prompt .notice")).to_contain_text("AX-2.1")


def test_a_match_is_played_on_a_phone_by_tapping(come: Come) -> None:
    table = alone(come, **PHONE)
    page = table.page
    seen = set()
    while not table.over:
        if phase(page) not in seen:
            seen.add(phase(page))
            _check_it_fits(page)
            for kind in (".axxa-chooser", ".axxa-act", ".axxa-price"):
                for choice in page.locator(kind).all():
                    expect(choice).to_be_in_viewport(ratio=0.99)
        decide(page, Locator.tap)
    assert seen >= {"move", "turn", "pay"}
    _check_it_fits(page)


def _check_it_fits(page: Page) -> None:
    assert not scrolls_sideways(page)
    assert (too_wide(page), cut_off(page), small_controls(page)) == ([], [], [])


def test_no_axe_violation_in_the_middle_of_a_match(come: Come) -> None:
    host, friend = come(**STILL), come(**STILL)
    players = open_table(host, friend, game=AXXA)
    actor = players[0]
    inspector = Inspector()
    inspector.look("waiting", friend.page)
    chosen, _ = goals(actor.page)[0]
    actor.page.locator(f"#space-{chosen}").click()
    inspector.look("a stack chosen", actor.page)
    actor.page.keyboard.press("Escape")
    for wanted in ("turn", "pay"):
        actor = _until(players, wanted)
        inspector.look(wanted, actor.page)
    inspector.look("the rulebook", host.open("/rules/axxa"))
    assert alien_nodes(host.page) == []
    assert inspector.found == []


def _until(players: list[Table], wanted: str) -> Table:
    """On to a decision of that phase: whose it is. A move that costs nothing is followed by another player's."""
    while (actor := whose_turn(players)) is not None and phase(actor.page) != wanted:
        decide(actor.page)
    assert actor is not None
    return actor


def test_a_space_out_of_reach_says_why_and_the_stack_stays_chosen(come: Come) -> None:
    person = come(**STILL)
    page = open_table(person, game=AXXA)[0].page
    start, _ = goals(page)[0]
    reached = {end for first, end in goals(page) if first == start}
    refused = next(space for space in spaces(page, ".axxa-idle") if space not in reached)
    person.allow("422")
    page.locator(f"#space-{start}").click()
    page.locator(f"#space-{refused}").click()
    expect(page.locator("#prompt .notice")).to_contain_text(re.compile(rf"{NAMES[refused]}|ways|in the way"))
    expect(page.locator("#prompt .notice")).to_contain_text("(AX-2.")
    expect(page.locator(f"#space-{start}")).to_be_checked()
    page.keyboard.press("Escape")
    expect(page.locator(".axxa-chooser:checked")).to_have_count(0)
    assert focused(page) == f"space-{start}"


def test_the_way_to_a_goal_is_shown_and_a_move_can_be_undone(come: Come) -> None:
    page = alone(come).page
    start, end = goals(page)[0]
    page.locator(f"#space-{start}").click()
    goal = page.locator(f"#go-{start}-{end}")
    shown = page.locator(f"#go-{start}-{end} + .axxa-route")
    expect(shown).to_be_hidden()
    goal.focus()
    page.keyboard.press("Shift")  # now it is seen that the focus is there
    expect(shown).to_be_visible()
    goal.click()
    expect(page.locator(".axxa-act")).to_have_count(2)
    page.locator("#undo").click()
    expect(page.locator(f"#space-{start}.axxa-chooser")).to_be_visible()
    assert (start, end) in goals(page)


def test_what_was_seen_is_remembered_unless_it_is_put_away(come: Come) -> None:
    page = alone(come).page
    until_phase(page, "turn")
    before = number(page)
    page.locator(".axxa-act.turn").click()
    moment_after(page, before)
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
    expect(tag).to_be_visible()


def test_the_board_is_walked_while_others_decide_and_nothing_moves_for_who_wants_stillness(come: Come) -> None:
    host, friend = come(**STILL), come(**STILL)
    players = open_table(host, friend, game=AXXA)
    page = friend.page
    tab_to(page, lambda: focused(page).startswith("space-"))
    walk(page, SPACES - 1)
    decide(players[0].page)
    players[1].wait_for_news(players[0].news)
    assert standing_on(page) == SPACES - 1
    for table in players:
        assert moving(table.page) == []
