"""A page of Dungeon Allies: what a test reads there, and how it acts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from playwright.sync_api import Locator, Page, expect

from browser.table import PATIENCE, Table
from meadhall.games.dungeon_allies.pieces import Target

DUNGEON_ALLIES = "Dungeon Allies"

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
    found: list[str] = page.locator(".da-to:not([aria-disabled]):visible").evaluate_all(
        "all => all.map(each => each.dataset.target)"
    )
    return [int(target) for target in found]


def deepest_last(targets: Sequence[int]) -> int:
    """Choose the tile nearest to the surface."""
    return min(targets)


def to_the_tavern(targets: Sequence[int]) -> int:
    return Target.TAVERN if Target.TAVERN in targets else min(targets)


def take_die(page: Page, press: Press = Locator.click) -> int:
    """Select the smallest die that can be placed and return it."""
    die = page.locator(".da-slot.can input").first
    if not die.is_checked():
        press(die)
    return int(die.input_value())


def decide(page: Page, prefer: Prefer = deepest_last, press: Press = Locator.click) -> None:
    """Make one decision: the smallest die to the preferred target, or else the last offered action."""
    before = number(page)
    if phase(page) == "place":
        take_die(page, press)
        press(page.locator(f"#to-{prefer(highlighted(page))}"))
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
