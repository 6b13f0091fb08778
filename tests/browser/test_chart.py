"""The chart of a match in a browser: in a replay, by mouse and by keyboard."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from browser.accessibility import Inspector
from browser.checks import alien_nodes, scrolls_sideways, too_wide
from browser.people import NewPerson, Person
from browser.table import PATIENCE

RECORDS = Path(__file__).parents[1] / "records"


def upload(person: Person, name: str) -> str:
    """Upload a record and return the path of its replay."""
    page = person.open("/replay")
    page.locator("#record").set_input_files(RECORDS / f"{name}.match.json")
    page.get_by_role("button", name="Watch").click()
    page.wait_for_url(re.compile(r"/replay/"))
    return page.url.removeprefix(person.hall).partition("?")[0]


def with_chart(person: Person, address: str) -> Page:
    """Open a page and wait for its chart."""
    page = person.open(address)
    expect(page.locator("#chart")).to_be_visible(timeout=PATIENCE)
    return page


def shown_step(page: Page) -> int:
    """Return the step that the replay shows."""
    return int(page.locator("#step").input_value())


_CROWDED = """() => {
  const places = [...document.querySelectorAll(".chart-mark circle, .chart .crest")].map(e => [e, e.getBoundingClientRect()]);
  const middle = r => [r.x + r.width / 2, r.y + r.height / 2];
  const apart = (a, b) => Math.hypot(middle(a)[0] - middle(b)[0], middle(a)[1] - middle(b)[1]);
  const near = ([, a], [, b]) => apart(a, b) < (a.width + b.width) / 2;
  const pairs = places.flatMap((one, k) => places.slice(k + 1).map(other => [one, other]));
  return pairs.filter(pair => pair.some(([e]) => e.matches("circle")) && near(...pair))
    .map(pair => pair.map(([e]) => e.parentNode.textContent || "a crest").join(" and "));
}"""


def crowded_marks(page: Page) -> list[str]:
    """Return the marks of turning points that overlap each other or a crest."""
    found: list[str] = page.evaluate(_CROWDED)
    return found


def _check_figures_fit(page: Page) -> None:
    """Open the table of figures, which must scroll and not widen the page."""
    figures = page.locator(".figures")
    if figures.count():
        figures.evaluate("e => { e.open = true; }")
        expect(figures.locator("tbody tr").first).to_be_visible()
        assert not scrolls_sideways(page)
        assert too_wide(page) == []
        assert figures.evaluate("e => e.offsetWidth <= e.closest('.panel').clientWidth")


def test_the_chart_of_a_replay_appears_and_links_to_its_steps(new_person: NewPerson) -> None:
    person = new_person()
    upload(person, "axes-and-allies/4-players-0")
    page = person.page
    expect(page.locator("#chart")).to_be_visible(timeout=PATIENCE)
    page.locator(".chart-steps button[value='5']").click()
    expect(page.locator("label[for=step]")).to_contain_text("Step 5 of")
    assert alien_nodes(page) == []
    turning = page.locator("[id^=turning-]").first.get_attribute("id") or ""
    page.locator(f"#{turning}").focus()
    page.keyboard.press("Enter")
    expect(page.locator(f".turnings li[aria-current] #{turning}")).to_be_visible()
    place = shown_step(page)
    page.keyboard.press("ArrowRight")
    expect(page.locator("label[for=step]")).to_contain_text(f"Step {place + 1} of")
    here = float(page.locator(".chart-here").first.get_attribute("cx") or 0)
    line = page.locator(".chart-now").get_attribute("d") or ""
    assert line.startswith(f"M{here:g}"[:5])
    assert alien_nodes(page) == []


def test_the_chosen_knowledge_is_kept(new_person: NewPerson) -> None:
    person = new_person()
    address = upload(person, "viking-axes/3-players-strategic-0")
    page = with_chart(person, f"{address}?step=3")
    before = page.locator(".chart-line").first.get_attribute("d")
    page.locator("#knowledge-everything").click()
    expect(page.locator("#knowledge-everything[aria-current=true]")).to_be_visible(timeout=PATIENCE)
    assert page.locator(".chart-line").first.get_attribute("d") != before
    page.locator("#step-on").click()
    expect(page.locator("label[for=step]")).to_contain_text("Step 4 of")
    expect(page.locator("#knowledge-everything[aria-current=true]")).to_be_visible()
    page.get_by_role("link", name="Larger").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("wins")
    expect(page.locator("#knowledge-everything[aria-current=true]")).to_be_visible()


def test_a_chart_is_accessible_and_fits_the_screen(new_person: NewPerson) -> None:
    inspector, person = Inspector(), new_person()
    many = upload(person, "viking-axes/7-players-strategic-0")
    exact = upload(person, "axes-and-allies/4-players-0")  # has turning points
    for place in (f"{many}?step=20", f"{many}/chart", f"{exact}/chart?knowledge=everything"):
        page = with_chart(person, place)
        inspector.inspect(place, page)
        assert alien_nodes(page) == []
        for width, height in ((1440, 900), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            assert not scrolls_sideways(page)
            assert too_wide(page) == []
            assert crowded_marks(page) == []
            _check_figures_fit(page)
    assert inspector.found == []
