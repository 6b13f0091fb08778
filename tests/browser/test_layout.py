"""Boards in windows of every size: targets stay large enough, texts don't overlap, and no page scrolls sideways."""

from __future__ import annotations

import random

import pytest
from playwright.sync_api import Page, expect

from browser.checks import cut_off, scrolls_sideways, too_wide
from browser.devices import PHONE
from browser.layout import overlapping_targets, overlapping_texts, small_targets, small_texts
from browser.people import SAME_ORIGIN, NewPerson, Person
from browser.table import AXES_AND_ALLIES, PATIENCE, STRATEGIC, VIKING_AXES, Table, open_table
from browser.test_chart import upload

GAMES = {
    AXES_AND_ALLIES: ("", 5, 1),
    VIKING_AXES: (STRATEGIC, 6, 5),
    "AxxA": ("", 3, 4),
    "Dungeon Allies": ("", 3, 12),
}
"""By title: an option, the number of bots, and the least number of decisions before the check."""

ONE_SCREEN = [(1440, 900), (1280, 720)]
WINDOWS = [(1099, 800), (1024, 768), (820, 1180), (390, 844), (844, 390)]
TOUCH = [(1024, 768), (768, 1024), (390, 844), (844, 390)]
LARGE_TEXT = [(1440, 900), (1024, 768), (390, 844)]

MOUSE, FINGER = 24, 44
"""The least width and height of a target in CSS pixels (WCAG 2.2, criteria 2.5.8 and 2.5.5)."""

LEGIBLE = 10
"""The least font size in CSS pixels, as drawn."""

SCALED = 28
"""The least size of a target for a finger on a phone held sideways, where the board is scaled until it fits."""

BESIDE_THE_BOARD = """() => {
  const box = selector => document.querySelector(selector)?.getBoundingClientRect(), board = box("#board");
  if (!board || document.querySelector(".lesson")) return [];
  const own = box(".da-tray") ?? box(`#plate-${document.getElementById("frame").className.match(/you-(\\d)/)[1]}`), found = [];
  if (box(".bar").height > 37) found.push("the header is high");
  if (board.bottom > innerHeight + 1) found.push(`the board ends at ${board.bottom}`);
  if (own && own.top > innerHeight - 16 && !box("#hints")) found.push("the own seat is not in view");
  if (own && own.left < board.right - 1) found.push("the own seat covers the board");
  return found;
}"""
"""What is wrong on a phone held sideways: the board fits beside the own seat, below a low header."""


@pytest.mark.parametrize("game", GAMES)
def test_a_board_is_legible_in_every_window(new_person: NewPerson, game: str) -> None:
    person = new_person()
    table = in_the_middle(person, game)
    faults = []
    for size in ONE_SCREEN + WINDOWS:
        faults += look(table.page, size, MOUSE)
        if size in ONE_SCREEN and table.page.evaluate("document.documentElement.scrollHeight > innerHeight"):
            faults.append(f"{size}: the page scrolls")
    with_finger = another_page(person, new_person(**PHONE), table)
    for size in TOUCH:
        faults += look(with_finger, size, FINGER)
    with_large_text = another_page(person, new_person(), table, font_size=32)
    for size in LARGE_TEXT:
        faults += look(with_large_text, size, MOUSE)
    assert not faults, "\n".join(faults)


CHOICES_OF_A_WENCH = """() => {
  for (const k of [1, 2, 3, 4, 5, 6]) document.querySelector(".va-place").insertAdjacentHTML("afterend",
    `<div class="va-choices at-${k}">` + [["skip", "Aussetzen"], ["disarm", "Räumen"]].map(([act, label]) =>
      `<button id="${act}-${k}" class="act va-choice va-${act}"><svg class="va-sign"></svg>`
      + `<span class="va-label">${label}</span></button>`
    ).join("") + "</div>");
}"""
"""Puts the choices of a wench, with their German labels, at every place of a replayed match, whose replay has none."""


def test_choices_at_a_place_stay_in_the_window_and_leave_its_lying_axes_legible(new_person: NewPerson) -> None:
    """In a replayed position with several lying axes, with large text."""
    person, reader = new_person(), new_person()
    page = another_page(person, reader, f"{upload(person, 'viking-axes/7-players-strategic-0')}?step=94", font_size=32)
    expect(page.locator(".va-lying .va-slot")).to_have_count(3)
    page.evaluate(CHOICES_OF_A_WENCH)
    for size in LARGE_TEXT:
        resize(page, size)
        assert not [outside for outside in too_wide(page) if "va-choice" in outside or "va-label" in outside], size
        pairs = overlapping_texts(page) if size[0] > 400 else []  # on a phone, labels of neighbours may overlap: one has both
        assert not [pair for pair in pairs if "#skip" in pair or "#disarm" in pair], size


def test_a_hint_leaves_the_board_its_place(new_person: NewPerson) -> None:
    person = new_person()
    table = in_the_middle(person, AXES_AND_ALLIES)
    table.page.locator("#hint").click()
    expect(table.page.locator(".hint-line").first).to_be_visible()
    faults = []
    for size in ONE_SCREEN + WINDOWS:
        faults += look(table.page, size, MOUSE)
        board = table.page.locator("#aa-board").bounding_box()
        assert board is not None
        if board["width"] < min(330, size[0] - 16):
            faults.append(f"{size}: the board is {board['width']} px wide")
    assert not faults, "\n".join(faults)


def test_other_pages_never_scroll_sideways(new_person: NewPerson) -> None:
    person, reader = new_person(), new_person()
    faults = []
    for path in ("/", "/learn/dungeon-allies?step=4", "/learn/viking-axes?step=9"):
        page = person.open(path)
        faults += [f"{path}: {fault}" for size in ONE_SCREEN + WINDOWS for fault in look(page, size, MOUSE)]
        large = another_page(person, reader, path, font_size=32)
        for width, height in LARGE_TEXT:
            resize(large, (width, height))
            faults += [f"{path}, {width} x {height}: {fault}" for fault in too_wide(large)]
    assert not faults, "\n".join(faults)


def test_a_replay_with_large_text_stays_in_the_window(new_person: NewPerson) -> None:
    person, reader = new_person(), new_person()
    page = another_page(person, reader, f"{upload(person, 'viking-axes/7-players-strategic-0')}?step=94", font_size=32)
    expect(page.locator("[id^=turning-]").first).to_be_visible(timeout=PATIENCE)
    for size in LARGE_TEXT:
        resize(page, size)
        assert not scrolls_sideways(page), size
        assert too_wide(page) == [], size


def in_the_middle(person: Person, game: str) -> Table:
    """Play random decisions of a match until it is this person's turn again, in Dungeon Allies with a die to place."""
    option, bots, decisions = GAMES[game]
    while True:
        (table,) = open_table(person, bots=bots, game=game, option=option)
        draw = random.Random(game)
        while table.wait_for_turn() and (decisions > 0 or table.page.locator(".da.mine:not([data-phase=place])").count()):
            decisions -= 1
            decide(person, table, draw)
        if table.my_turn:
            return table


def decide(person: Person, table: Table, draw: random.Random) -> None:
    """Make a random decision. In Axes and Allies it is an alliance, so that the match goes on."""
    version, status = table.version, 422  # some offered actions are refused with a reason
    while status == 422:
        action = table.legal()[-1] if table.page.locator("#aa-board").count() else draw.choice(table.legal())
        sent = person.context.request.post(f"{table.path}/act", form={"action": str(action)}, headers=SAME_ORIGIN)
        status = sent.status
    assert sent.ok, sent.text()
    table.wait_for_version(version + 1)


def another_page(owner: Person, person: Person, table: Table | str, font_size: int = 16) -> Page:
    """Open the page in another browser with the owner's cookies and this font size of the browser's settings."""
    person.context.add_cookies(owner.context.cookies())  # type: ignore[arg-type]
    person.context.new_cdp_session(person.page).send(
        "Page.setFontSizes", {"fontSizes": {"standard": font_size, "fixed": font_size}}
    )
    page = person.open(table if isinstance(table, str) else table.path)
    assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == f"{font_size}px"
    expect(page.locator("main")).to_be_visible()
    return page


SETTLED = """async ([width, height]) => {
  const frame = () => new Promise(done => requestAnimationFrame(done));
  let moving;
  do {
    do await frame(); while (innerWidth !== width || innerHeight !== height);
    await frame(); await frame();
    moving = document.getAnimations().filter(each => each.effect.getComputedTiming().endTime !== Infinity);
    for (const each of moving) if (each.effect.getTiming().delay > 2000) each.finish();  // what goes by itself after a while
    await Promise.allSettled(moving.map(each => each.finished));
  } while (moving.some(each => each.playState === "running"));
  await frame();
}"""
"""Waits until a page of another size is laid out, and its transitions have ended."""


def resize(page: Page, size: tuple[int, int]) -> None:
    """Give the window this size, and wait until the page has followed."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate(SETTLED, list(size))


def look(page: Page, size: tuple[int, int], least: int) -> list[str]:
    """Return the faults of the page in a window of this size, in words."""
    resize(page, size)
    faults = ["scrolls sideways"] * scrolls_sideways(page) + too_wide(page) + cut_off(page)
    if size[1] < 400:
        faults += page.evaluate(BESIDE_THE_BOARD)
        least, legible = min(least, SCALED), 0.7 * LEGIBLE
    else:
        legible = LEGIBLE
    faults += small_targets(page, least) + overlapping_targets(page) + small_texts(page, legible) + overlapping_texts(page)
    return [f"{size[0]} x {size[1]}, {least} px: {fault}" for fault in faults]
