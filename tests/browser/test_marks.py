"""The mark of a person: one sign and one colour at every place of every page."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from browser.people import NewPerson, Person
from browser.table import fill_lobby, open_chat, whose_turn

DRAWN = """places => places.map(place => {
  const use = document.querySelector(place).querySelector("use[href^='#shield'], use[href^='#arms']");
  const shield = document.querySelector(use.getAttribute("href"));
  return [shield.querySelector("use").getAttribute("href"), getComputedStyle(use).color];
})"""
BEAR, SHIP, WOLF = ["#sign-2", "rgb(147, 116, 27)"], ["#sign-3", "rgb(180, 99, 42)"], ["#sign-0", "rgb(63, 124, 168)"]
"""The marks of Bjorn, who has chosen the golden bear, of Egil, who has chosen the bear, too, in copper, and of Olaf."""


def drawn(page: Page, *places: str) -> list[list[str]]:
    """Return the sign and the colour of the first shield at each of these places."""
    found: list[list[str]] = page.evaluate(DRAWN, list(places))
    return found


def named(person: Person, name: str, sign: str, colour: str) -> Person:
    person.ask("/settings", name=name, sign=sign, colour=colour)
    return person


def test_a_person_has_one_mark_on_the_board_the_plate_in_log_chat_and_lists(new_person: NewPerson) -> None:
    bjorn = named(new_person(), "Bjorn", "bear", "gold")
    egil = named(new_person(color_scheme="dark"), "Egil", "bear", "copper")
    tables = fill_lobby(bjorn, egil, named(new_person(), "Olaf", "wolf", "blue"), game="Viking Axes")
    for person in (bjorn, egil):
        assert drawn(person.page, ".chair:nth-child(1) .crest", ".chair:nth-child(2) .crest") == [BEAR, SHIP]
        person.page.evaluate("() => { window.before = true; }")
    bjorn.page.locator("#start").click()
    for table in tables:
        table.wait_for_game()
    for person in (bjorn, egil):
        assert person.page.evaluate("window.before"), "the lobby has become the match in this page"
    for person in (bjorn, egil):
        open_chat(person.page)
        person.page.locator("#talk-text").fill("Well met")
        person.page.keyboard.press("Enter")
    actor = whose_turn(tables)
    assert actor is not None
    actor.act()
    bjorn.ask(f"{tables[0].path}/resign")
    for person, table in zip((bjorn, egil), tables, strict=False):
        page = person.page
        expect(page.locator(".said")).to_have_count(2)
        expect(page.locator("#plate-0 .fjord", has_text="plays")).to_be_visible()
        for seat, mark in ((0, BEAR), (1, SHIP)):
            places = [f"#plate-{seat} .crest", f"#place-{seat} .va-crest svg", f".said.seat-{seat} .crest"]
            assert drawn(page, *places) == [mark] * 3, "also while a bot plays"
        expect(page.locator("#log .crest").first).to_be_attached()
        assert drawn(page, f"#log .crest.seat-{tables.index(actor)}") == [(BEAR, SHIP, WOLF)[tables.index(actor)]]
        page.reload()
        table.wait_for_game()
        person.open("/")
        assert drawn(page, ".card .crests svg:nth-child(1)", ".card .crests svg:nth-child(2)") == [BEAR, SHIP]
        page.go_back()
