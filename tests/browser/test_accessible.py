"""axe-core finds nothing on any page, by day and by night."""

from __future__ import annotations

from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from browser.people import Come, Person
from browser.table import Table, gather, whose_turn

STILL: dict[str, Any] = {"reduced_motion": "reduce"}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


class Inspector:
    """Collects the violations of many pages, so that a run tells all of them.

    It looks at people's pages who want stillness: elsewhere colours would still fade from one theme into the other.
    """

    def __init__(self) -> None:
        self.found: list[str] = []

    def look(self, place: str, page: Page) -> None:
        """Inspect a page as it is now, by day and by night."""
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            results: Any = Axe().run(page)
            for violation in results.response["violations"]:
                for node in violation["nodes"]:
                    why = "; ".join(check["message"] for check in node["any"] + node["all"] + node["none"])
                    self.found.append(f"{place}, {theme}: {violation['id']} at {' '.join(map(str, node['target']))}: {why}")


def test_no_page_has_an_axe_violation(come: Come) -> None:
    host, friend, spectator = come(**STILL), come(**STILL), come(**STILL)
    inspector = Inspector()
    _look_at_standing_pages(inspector, spectator)

    players = gather(host, friend)
    inspector.look("lobby, host", host.page)
    inspector.look("lobby, seated", friend.page)
    watching = Table(spectator.open(players[0].path))
    inspector.look("lobby, not seated", spectator.page)
    host.page.locator("#start").click()
    for table in (*players, watching):
        table.wait_for_game()
    actor = whose_turn(players)
    assert actor is not None
    waiting = next(table for table in players if table is not actor)
    inspector.look("game, to decide", actor.page)
    inspector.look("game, waiting", waiting.page)
    inspector.look("game, watching", spectator.page)
    actor.page.locator("#hint").click()
    expect(actor.page.locator(".hint-line").first).to_be_visible()
    inspector.look("game, with a hint", actor.page)
    _look_at_sheets(inspector, host)
    _look_at_seat(inspector, host, spectator)

    while (actor := whose_turn(players)) is not None:
        actor.act()
        for table in players:
            table.wait_for_news(actor.news)
    for table, place in zip((*players, watching), ("end, host", "end, friend", "end, watching"), strict=True):
        expect(table.page.locator("#end .chart")).to_be_visible(timeout=30_000)
        inspector.look(place, table.page)
    inspector.look("replay", host.open(f"{players[0].path}/replay?step=1"))
    inspector.look("replay, end", host.open(f"{watching.path}/replay?step=999"))
    inspector.look("verify", host.open(f"{watching.path}/verify"))
    inspector.look("hall with matches", host.open("/"))
    assert inspector.found == []


def _look_at_standing_pages(inspector: Inspector, person: Person) -> None:
    for place, path in (("hall", "/"), ("rulebook", "/rules/axes-and-allies"), ("you", "/settings"), ("upload", "/replay")):
        inspector.look(place, person.open(path))
    person.allow("404")
    inspector.look("error", person.open("/tables/nowhere"))


def _look_at_sheets(inspector: Inspector, person: Person) -> None:
    page = person.page
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    inspector.look("keys", page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Rules").click()
    expect(page.locator("#rules-text")).to_contain_text("AA-3.2")
    inspector.look("rules beside the board", page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Resign").click()
    expect(page.get_by_role("dialog", name="Leave the match?")).to_be_visible()
    inspector.look("asked about resigning", page)
    page.keyboard.press("Escape")
    page.reload()
    page.get_by_role("button", name="Link").click()
    inspector.look("links", page)
    page.keyboard.press("Escape")


def _look_at_seat(inspector: Inspector, owner: Person, other: Person) -> None:
    link = owner.page.locator("#device-url").input_value()
    page = other.context.new_page()
    page.goto(link)
    inspector.look("private link", page)
    page.close()
