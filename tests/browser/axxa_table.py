"""A page of AxxA: what a test reads there, and how it acts."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from meadhall.games.axxa.state import distance

AXXA = "AxxA"

Press = Callable[[Locator], None]


def phase(page: Page) -> str:
    return page.locator(".axxa-spots").get_attribute("data-phase") or ""


def goals(page: Page) -> list[tuple[int, int]]:
    """Return the offered moves as pairs (from, to)."""
    ids: list[str] = page.locator(".axxa-goal").evaluate_all("all => all.map(each => each.id)")
    return [(int(start), int(end)) for _, start, end in (name.split("-") for name in ids)]


def number(page: Page) -> str:
    return page.locator("#controls input[name=n]").input_value()


def wait_for_next_decision(page: Page, before: str) -> None:
    expect(page.locator(f"#controls input[name=n][value='{before}']")).to_have_count(0)


def decide(page: Page, press: Press = Locator.click) -> None:
    """Make one decision: the shortest move, leave the stack, the first triplet, or the first piece."""
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
    wait_for_next_decision(page, before)


def until_phase(page: Page, wanted: str) -> None:
    while phase(page) != wanted:
        decide(page)
