"""Dungeon Allies in a browser: whole matches, secret looks at tiles, keyboard, phone, plain forms, animations."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.accessibility import Inspector
from browser.checks import alien_nodes, cut_off, focused, moving, scrolls_sideways, small_controls, too_wide
from browser.devices import MOVING, PHONE
from browser.keyboard import tab_to
from browser.people import SAME_ORIGIN, NewPerson
from browser.table import PATIENCE, Table, open_table, resign, whose_turn
from browser.test_chart import upload
from browser.traffic import RECORD_TRAFFIC
from meadhall.engine.match.match import Match
from meadhall.engine.replay import replay
from meadhall.games.dungeon_allies.names import BUILT_IN
from meadhall.games.dungeon_allies.pieces import DICE, SIDES, SQUARES, Act, Die, Target
from meadhall.games.dungeon_allies.state import Event

DUNGEON_ALLIES = "Dungeon Allies"
MONSTERS = [monster.name for monster in BUILT_IN.monster]

SMALLEST_CARD = 44
"""The least height of a card in CSS pixels."""

Press = Callable[[Locator], None]
Prefer = Callable[[Sequence[int]], int]
"""A function that chooses one of the highlighted targets."""


def phase(page: Page) -> str:
    return page.locator(".da.mine").get_attribute("data-phase") or ""


def number(page: Page) -> str:
    return page.locator("#controls input[name=n]").input_value()


def wait_for_next_decision(page: Page, before: str) -> None:
    expect(page.locator(f"#controls input[name=n][value='{before}']")).to_have_count(0, timeout=PATIENCE)


def highlighted(page: Page) -> list[int]:
    """Return the targets that can be chosen now."""
    found: list[str] = page.locator(".da-to:visible").evaluate_all("all => all.map(each => each.dataset.target)")
    return [int(target) for target in found]


def deepest_last(targets: Sequence[int]) -> int:
    """Choose the tile nearest to the surface."""
    return min(targets)


def to_the_tavern(targets: Sequence[int]) -> int:
    return Target.TAVERN if Target.TAVERN in targets else min(targets)


def take_die(page: Page, press: Press = Locator.click) -> int:
    """Select the smallest die that can be placed and return it."""
    die = page.locator(".da-slot input").first
    if not die.is_checked():
        press(die)
    return int(die.input_value())


def decide(page: Page, prefer: Prefer = deepest_last, press: Press = Locator.click) -> None:
    """Make one decision: the smallest die to the preferred target, or else the last offered action."""
    before = number(page)
    if phase(page) == "place":
        die = take_die(page, press)
        press(page.locator(f"#act-{Act.PLACE + DICE * prefer(highlighted(page)) + die}"))
    elif phase(page) in ("peek", "fight_order"):
        press(page.locator(f".da-to:visible[data-target='{prefer(highlighted(page))}']"))
    else:
        press(page.locator(".da-acts .act:not([aria-disabled])").last)
    wait_for_next_decision(page, before)


def follow(players: Sequence[Table], actor: Table, prefer: Prefer = deepest_last) -> None:
    """Make one decision and wait until every page shows it."""
    decide(actor.page, prefer)
    for table in players:
        table.wait_for_event(actor.newest_event)


# ---------------------------------------------------------------------------------------------------------------- whole matches


@pytest.mark.long
def test_two_people_play_a_whole_match_by_clicking(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person()
    players = open_table(host, friend, game=DUNGEON_ALLIES)
    onlooker = new_person(**MOVING)
    onlooker.context.add_init_script(_SLOW_SCENES)
    animated = onlooker.open(players[0].path)
    animated.evaluate(_PACE)
    acted, seen = set(), set[str]()
    while (actor := whose_turn(players)) is not None:
        acted.add(players.index(actor))
        seen.add(phase(actor.page))
        waiting = next(table for table in players if table is not actor)
        expect(waiting.page.locator(".da.mine")).to_have_attribute("data-phase", "")
        follow(players, actor)
    assert acted == {0, 1}
    assert seen >= {"assign", "place"}
    watching = Table(new_person().open(players[0].path))
    all_tables = [*players, watching]
    for table in all_tables:
        expect(table.page.locator("#da-final li")).to_have_count(2)
        expect(table.page.locator(".da-tally b")).to_have_text("28/28")
        assert alien_nodes(table.page) == []
    assert players[0].events == players[1].events == watching.events
    won = players[0].page.locator("#da-final .won")
    best = won.first
    name = best.locator(".da-called").inner_text()
    assert watching.headline.startswith(f"{name} wins" if won.count() == 1 else "A draw")
    if won.count() == 1:
        assert {table.headline for table in players} == {"You win", "You lost"}
    expect(animated.locator("#animation-skip")).to_be_visible()
    expect(animated.locator("#da-final"), "the scenes come first").to_be_hidden()
    animated.locator("#animation-skip").click()
    expect(animated.locator("#da-final")).to_be_visible()
    watching.page.set_viewport_size({"width": 1024, "height": 768})
    for card in watching.page.locator(".da-offer .da-card").all():
        box = card.bounding_box()
        assert box is not None
        assert box["height"] >= SMALLEST_CARD, "the result beside the board leaves the cards legible"
    points = best.locator("b").inner_text()
    best.locator("button").click()
    expect(players[0].page.get_by_role("dialog", name=name)).to_contain_text(f"{points} point")


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
    _click_without_a_die(actor.page, other.page)
    _choose_and_deselect(page)
    _read_about_places(page)

    # A key selects a die and moves the focus to the first target.
    page.keyboard.press("1")
    assert _focused_target(page) == min(highlighted(page))
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


# -------------------------------------------------------------------------------------------------------- secret looks at tiles


@pytest.mark.slow("a match of many turns on three pages")
def test_a_tile_is_shown_only_to_the_player_who_looked_at_it(new_person: NewPerson) -> None:
    host, friend, spectator = people = [new_person() for _ in range(3)]
    for person in people:
        person.context.add_init_script(RECORD_TRAFFIC)
    players = open_table(host, friend, game=DUNGEON_ALLIES)
    watching = Table(spectator.open(players[0].path))
    watching.wait_for_game()
    all_tables = [*players, watching]
    looker = None
    while looker is None:
        actor = whose_turn(all_tables)
        assert actor is not None
        cast = actor.page.locator(f"#act-{Act.ILLUMINATE}:not([aria-disabled])")
        if phase(actor.page) == "place" and cast.count():
            before = number(actor.page)
            cast.click()
            wait_for_next_decision(actor.page, before)
            _look(actor)
            _look(actor)
            looker = players.index(actor)
        else:
            decide(actor.page, _red_crystals)
        for table in all_tables:
            table.wait_for_event(actor.newest_event)
    for _ in range(3):  # some of them are revealed
        actor = whose_turn(all_tables)
        if actor is None:
            break
        follow(all_tables, actor)
    if not watching.over:  # resigning a match of two ends it, which opens its record to all
        resign(host.page)
    for table in all_tables:
        expect(table.page.locator("#frame.over")).to_be_visible()
    match = replay(host.context.request.get(f"{players[0].path}/record").json())
    for seat, person in enumerate(people):
        shown = list(_frames(person.page))
        assert len(shown) > 8
        shown_squares = 0
        for n, squares, text in shown:
            known = _known(match, seat, n)
            assert squares <= set(known), (seat, n)
            names = {name for name in MONSTERS if name in text}
            assert names <= set(known.values()), (seat, n)
            shown_squares += len(squares)
        assert shown_squares > 0 or seat != looker
        assert shown_squares == 0 or person is not spectator


def _red_crystals(targets: Sequence[int]) -> int:
    """Choose the turn order, whose first spaces give red crystals, or else the trade."""
    return Target.TURN_ORDER if Target.TURN_ORDER in targets else Target.TRADE


def _look(table: Table) -> None:
    """Look at the first tile possible. Its face must be visible at once."""
    assert phase(table.page) == "peek"
    before = number(table.page)
    square = highlighted(table.page)[0]
    table.page.locator(f"#act-{Act.PEEK + square}").click()
    wait_for_next_decision(table.page, before)
    expect(table.page.locator(f"#look-{square} .da-face")).to_be_visible()
    expect(table.page.locator(f"#spot-{square} .da-eye.seat-{_seat(table.page)}")).to_be_attached()


def _seat(page: Page) -> int:
    """Return the seat of this page's player."""
    found = re.search(r"seat-(\d)", page.locator(".da-area").get_attribute("class") or "")
    assert found
    return int(found[1])


def _known(match: Match, viewer: int, n: int) -> dict[int, str]:
    """Return the tiles that a viewer knows after action ``n``, by square: those they looked at and those revealed."""
    names = {monster.id: monster.name for monster in BUILT_IN.monster}
    known = {}
    for step in match.steps:
        for event in step.events if step.n <= n else ():
            if event.kind == Event.REVEALED:
                known[event.arguments[0]] = names[event.arguments[1]]
            elif event.kind == Event.PEEK_FACE and event.arguments[0] == viewer:
                known[event.arguments[1]] = names[event.arguments[2]]
    return known


def _frames(page: Page) -> Iterator[tuple[int, set[int], str]]:
    """Yield every frame that a page received: the last action it shows, the squares looked at, and its text."""
    for text in page.evaluate("() => window.received"):
        for frame in re.split(r'(?=<div id="frame")', text)[1:]:
            number = re.search(r'id="da-board" class="da" data-n="(\d+)"', frame)
            if number:
                yield int(number[1]), {int(square) for square in re.findall(r'id="look-(\d+)"', frame)}, frame


# ----------------------------------------------------------------------------------------------------------- keyboard and phone


def test_the_game_can_be_played_by_keyboard(new_person: NewPerson) -> None:
    (table,) = open_table(new_person(), bots=1, game=DUNGEON_ALLIES)
    page = table.page
    decisions = 0
    while decisions < 3 and table.wait_for_turn():
        before = number(page)
        if phase(page) == "place":
            waiting = page.locator(".da-slot input")
            if waiting.count() > 1:
                page.keyboard.press(waiting.last.get_attribute("data-key") or "")
            expect(waiting.last).to_be_checked()
            tab_to(page, lambda: focused(page).startswith(("act-", "spot-")) and focused(page) != f"act-{Act.ILLUMINATE}")
            _walk_to(page, Target.TRADE if decisions % 2 else min(highlighted(page)))
        elif phase(page) == "bid":
            tab_to(page, lambda: focused(page) == "act-bid")
        else:
            tab_to(page, lambda: page.locator(".da-acts .act:not([aria-disabled]):focus").count() > 0)
        page.keyboard.press("Enter")
        wait_for_next_decision(page, before)
        decisions += 1
        if table.wait_for_turn():
            assert focused(page), "the focus is lost"
    assert decisions == 3


_MIDDLES = """() => Object.fromEntries([...document.querySelectorAll("#da-board .da-spot")].map(each => {
  const box = each.getBoundingClientRect();
  return [each.dataset.target, [box.x + box.width / 2, box.y + box.height / 2]];
}))"""


ARROWS = {"ArrowUp": (0, -1), "ArrowDown": (0, 1), "ArrowLeft": (-1, 0), "ArrowRight": (1, 0)}


def _walk_to(page: Page, target: int) -> None:
    """Move the focus to a target with the arrow keys, each of which leads to the nearest target in its direction."""
    middles = {int(spot): tuple(middle) for spot, middle in page.evaluate(_MIDDLES).items()}
    start = _focused_target(page)
    routes: dict[int, list[str]] = {start: []}
    queue = deque([start])
    while target not in routes:
        here = queue.popleft()
        for key, direction in ARROWS.items():
            there = _nearest(middles, here, *direction)
            if there is not None and there not in routes:
                routes[there] = [*routes[here], key]
                queue.append(there)
    for key in routes[target]:
        page.keyboard.press(key)
    assert _focused_target(page) == target


def _focused_target(page: Page) -> int:
    return int(page.evaluate("() => document.activeElement.dataset.target"))


def _nearest(middles: dict[int, tuple[float, ...]], here: int, right: int, down: int) -> int | None:
    """Return the nearest target in a direction. Sideways distance counts three times."""
    distances = {}
    for there, (x, y) in middles.items():
        dx, dy = x - middles[here][0], y - middles[here][1]
        if dx * right + dy * down > 4:
            distances[there] = dx * right + dy * down + 3 * abs(dx * down) + 3 * abs(dy * right)
    return min(distances, key=distances.__getitem__, default=None)


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


def test_dungeon_allies_can_be_played_on_a_phone_by_tapping(new_person: NewPerson) -> None:
    table = open_table(new_person(**PHONE), bots=2, game=DUNGEON_ALLIES)[0]
    page = table.page
    seen = set[str]()
    for _ in range(6):
        if not table.wait_for_turn():
            break
        _check_fits(page)
        expect(page.locator(".tip:visible"), "no tooltip covers the choices").to_have_count(0)
        if phase(page) == "place":
            if "place" not in seen:
                _tap_a_place(page)
            take_die(page, Locator.tap)
            _check_fits(page)
        expect(table.prompt).to_be_in_viewport(ratio=0.99)
        for each in page.locator(".da-slot, .da-acts .act").all():
            expect(each).to_be_in_viewport(ratio=0.99)
        assert moving(page) == []
        seen.add(phase(page))
        decide(page, press=Locator.tap)
    assert "place" in seen
    if not page.locator("#seats[open]").count():
        page.locator("#seats summary").tap()
    page.locator(".plate-1 .da-open").tap()
    expect(page.locator("#corner-1")).to_be_visible()
    assert alien_nodes(page) == []


def _tap_a_place(page: Page) -> None:
    """Tap a space, which shows its tooltip as long as no die is selected."""
    place = page.locator("#spot-0")
    place.tap()
    expect(place.locator(".tip")).to_be_visible()


def _check_fits(page: Page) -> None:
    assert not scrolls_sideways(page)
    assert (too_wide(page), cut_off(page), small_controls(page)) == ([], [], [])


# --------------------------------------------------------------------------------------------- forms, animations, accessibility


def test_without_javascript_dice_are_placed_and_refusals_are_pages(new_person: NewPerson) -> None:
    plain, scripted = new_person(java_script_enabled=False), new_person()
    players = open_table(scripted, plain, game=DUNGEON_ALLIES)
    placed = 0
    while placed < 2:
        players[1].page.reload()
        players[0].wait_for_version(players[1].version)
        actor = next(table for table in players if table.my_turn)
        if actor.page is plain.page and phase(plain.page) == "place":
            several = plain.page.locator(".da-slot input").count() > 1
            assert (highlighted(plain.page) == []) == several
            plain.allow("422")
            form: dict[str, str | float | bool] = {"action": Act.PLACE + DICE * Target.TRADE + Die.D12}
            refused = plain.page.context.request.post(f"{players[1].path}/act", form=form, headers=SAME_ORIGIN)
            assert refused.status == 422
            assert re.search(r'class="notice[^"]*" role="alert".{,400}\(DA-', refused.text(), re.DOTALL)
            placed += 1
        decide(actor.page, lambda targets: max(target for target in targets if target < Target.SORCERER))


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
    expect(page.locator(".stage")).to_have_count(0)
    host.page.locator(".da.mine .da-clock button").click()
    expect(host.page.get_by_role("dialog", name="What happened in turn 1")).to_contain_text(re.compile("victory|lost"))


def test_no_phase_has_an_axe_violation(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person()
    players = open_table(host, friend, game=DUNGEON_ALLIES)
    inspector, seen = Inspector(), set[str]()
    while not {"assign", "place"} <= seen:
        actor = whose_turn(players)
        assert actor is not None
        if phase(actor.page) not in seen:
            seen.add(phase(actor.page))
            if phase(actor.page) == "place":
                take_die(actor.page)
            inspector.inspect(f"{phase(actor.page)}, to decide", actor.page)
        follow(players, actor)
    inspector.inspect("waiting", next(table for table in players if not table.my_turn).page)
    host.page.locator(".da.mine .da-clock button").click()
    inspector.inspect("what happened", host.page)
    host.page.keyboard.press("Escape")
    host.page.locator(".plate-1 .da-open").click()
    inspector.inspect("a corner", host.page)
    inspector.inspect("rulebook", host.open("/rules/dungeon-allies"))
    assert alien_nodes(host.page) == []
    assert inspector.found == []


def test_the_rulebook_shows_a_die_of_each_size(new_person: NewPerson) -> None:
    page = new_person().open("/rules/dungeon-allies")
    drawn = page.locator("#rulebook .da-die use:last-of-type").evaluate_all("all => all.map(each => each.getAttribute('href'))")
    assert set(drawn) == {f"#da-d{sides}" for sides in SIDES[:DICE]}, "no d20: it is in no set of dice (DA-1.4)"
    for sides in SIDES:
        expect(page.locator(f"symbol#da-d{sides} path").first, "own components may have a d20").to_be_attached()
