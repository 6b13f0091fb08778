"""Moving through a page with the keyboard."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from playwright.sync_api import Locator, Page

from browser.checks import focused
from meadhall.games.axxa.state import NAMES, POSITIONS, SPACE_AT

_FAR = 150
"""More tab stops than any page has. Most stops are the rules cited in the log."""

KEYS = {"ArrowUp": (-1, 0), "ArrowDown": (1, 0), "ArrowLeft": (0, -1), "ArrowRight": (0, 1)}
"""By arrow key: rows down and columns to the right."""

Neighbour = Callable[[int, int, int], int | None]
"""A function that returns the place that an arrow key reaches from another one."""


def tab_to(page: Page, there: Callable[[], bool]) -> None:
    """Press Tab until ``there`` returns True."""
    for _ in range(_FAR):
        if focused(page) and there():
            return
        page.keyboard.press("Tab")
    raise AssertionError("Tab doesn't reach the element")


def press_by_keys(control: Locator) -> None:
    """Press a control by its digit, or by Enter after Tab and, on the boards that have them, arrow keys."""
    page, place = control.page, control.get_attribute("data-space") or control.get_attribute("data-target")
    if digit := control.get_attribute("data-key"):
        page.keyboard.press(digit)
        return
    if place is None:
        tab_to(page, lambda: bool(control.evaluate("each => each === document.activeElement")))
    else:
        if place_of_focus(page) is None:
            tab_to(page, lambda: place_of_focus(page) is not None)
        (walk if control.get_attribute("data-space") else walk_on_spots)(page, int(place))
    page.keyboard.press("Enter")


def walk(page: Page, end: int) -> None:
    """Move the focus to a space of AxxA with the arrow keys. Every step is announced with the content of its space."""

    def neighbour(here: int, down: int, right: int) -> int | None:
        row, column = POSITIONS[here]
        return SPACE_AT.get((row + down, column + right))

    _walk(page, end, neighbour)
    described = page.evaluate(_ANNOUNCED)
    assert described is None or described.startswith(f"{NAMES[end]}:")  # the label of a goal describes the move


_ANNOUNCED = "() => document.getElementById(document.activeElement.getAttribute('aria-labelledby'))?.textContent"


def walk_on_spots(page: Page, end: int) -> None:
    """Move the focus to a target of Dungeon Allies with the arrow keys, each of which leads to the nearest one there."""
    middles = {int(spot): tuple(middle) for spot, middle in page.evaluate(_MIDDLES).items()}

    def neighbour(here: int, down: int, right: int) -> int | None:
        found = {}
        for there, (x, y) in middles.items():
            dx, dy = x - middles[here][0], y - middles[here][1]
            if dx * right + dy * down > 4:
                found[there] = dx * right + dy * down + 3 * abs(dx * down) + 3 * abs(dy * right)
        return min(found, key=found.__getitem__, default=None)

    _walk(page, end, neighbour)


_MIDDLES = """() => Object.fromEntries([...document.querySelectorAll("#da-board .da-spot")].map(each => {
  const box = each.getBoundingClientRect();
  return [each.dataset.target, [box.x + box.width / 2, box.y + box.height / 2]];
}))"""


def _walk(page: Page, end: int, neighbour: Neighbour) -> None:
    start = place_of_focus(page)
    assert start is not None
    routes: dict[int, list[str]] = {start: []}
    queue = deque([start])
    while end not in routes:
        here = queue.popleft()
        for key, (down, right) in KEYS.items():
            there = neighbour(here, down, right)
            if there is not None and there not in routes:
                routes[there] = [*routes[here], key]
                queue.append(there)
    for key in routes[end]:
        page.keyboard.press(key)
    assert place_of_focus(page) == end


def place_of_focus(page: Page) -> int | None:
    """Return the space or target that has the focus."""
    found = page.evaluate("() => document.activeElement.dataset.space ?? document.activeElement.dataset.target ?? null")
    return None if found is None else int(found)
