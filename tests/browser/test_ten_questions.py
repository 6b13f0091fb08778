"""Ten questions of a designer, each answered through the page in at most six steps, with the figure that a plain loop counts.

They run with few matches, so with wide intervals; in ``make test-long`` also with the usual precision, in the minute that a page
gives a report.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import meadhall
from browser import plain_loops
from browser.conftest import started_chromium
from browser.people import Person
from browser.plain_loops import Counted
from browser.server import ENDED, SERVE, Hall
from meadhall.games.viking_axes.state import Act
from meadhall.server.hall.lobby_changes import document_of

pytestmark = [pytest.mark.compiled, pytest.mark.slow("a hall plays hundreds of matches, and a loop plays others")]

COARSE: Final = (sys.executable, Path(__file__).parent / "coarse_hall.py")
MOST_STEPS: Final = 6
MINE: Final = "Mine"
"""What a page calls the second way of playing."""
DUNGEON, AXES, VIKING = "dungeon-allies", "axes-and-allies", "viking-axes"
PATIENCE: Final = 300_000.0
"""Milliseconds for a report, whose process may wait for a busy machine."""

_NUMBER: Final = re.compile(r"(-?[\d,]+(?:\.\d+)?)\s*(%?)")
_TABLES: Final = """all => all.map(table => [...table.rows].map(row => [...row.cells].map(cell => cell.textContent)))"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start a Chromium for this module alone: other tests of this pass may not meet the event loop of its driver."""
    with started_chromium() as started:
        yield started


@pytest.fixture(scope="module", params=["coarse", pytest.param("usual", marks=pytest.mark.long)])
def hall(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """Start a hall with compiled rules."""
    started = Hall(tmp_path_factory.mktemp("hall"), command=SERVE if request.param == "usual" else COARSE)
    started.start()
    yield started
    assert started.stop() in ENDED, started.log.read_text()


@dataclass
class Figure:
    """A figure of the page with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass
class Designer:
    """A person with a question, who needs few steps: each click or field counts."""

    page: Page
    steps: int = field(default=0)

    def ask(self, game: str) -> None:
        self._step(self.page.locator(f"#ask-{game}").click)
        self.page.wait_for_url("**/workshop/*")

    def edit(self, act: Callable[..., object], *arguments: Any) -> None:
        """Change something, and wait until the page has kept it."""
        with self.page.expect_response(lambda answer: answer.request.method == "POST" and "/workshop/" in answer.url):
            self._step(act, *arguments)

    def look(self, act: Callable[..., object]) -> None:
        """Open something."""
        self._step(act)

    def add_way(self) -> None:
        self.edit(self.page.locator("#add").click)

    def option(self, title: str, way: int = 2) -> Locator:
        """Return the field of an option in one of the ways of playing."""
        return self.page.get_by_label(re.compile(rf"^{re.escape(title)}: ")).nth(way - 1)

    def order(self, button: str = "#ask") -> None:
        self.edit(self.page.locator(button).click)

    def report(self) -> Report:
        """Wait for the report, and read its tables. No step: it opens by itself."""
        expect(self.page.locator("#beside .report")).to_be_visible(timeout=PATIENCE)
        text = self.page.locator("#beside .report").inner_text()
        return Report(text, self.page.locator("#beside .report table").evaluate_all(_TABLES))

    def _step(self, act: Callable[..., object], *arguments: Any) -> None:
        self.steps += 1
        assert self.steps <= MOST_STEPS
        act(*arguments)


@dataclass
class Report:
    """What a report says, as a reader finds it: its text, and its tables as rows of texts."""

    text: str
    tables: list[list[list[str]]]

    def figure(self, name: str, column: str = "") -> Figure:
        """Return a figure by the name of its row. ``column``: what the head of its column contains."""
        for head, *rows in self.tables:
            if any(MINE in title for title in head) and len(head) < 3:  # differences
                continue
            places = [place for place, title in enumerate(head) if place and column in title]
            for row in rows:
                if row[0] == name and places:
                    return figure_of(row[places[0]])
        raise AssertionError(f"no figure {name} in a column {column}: {self.tables}")


def figure_of(text: str) -> Figure:
    """Read ``1.66 (1.58 to 1.73)``, ``21 % ±2 %`` or ``14``."""
    found = [float(number.replace(",", "")) / (100 if unit else 1) for number, unit in _NUMBER.findall(text)]
    if "±" in text:
        return Figure(found[0], found[0] - found[1], found[0] + found[1])
    return Figure(*found[:3]) if len(found) > 2 else Figure(found[0], found[0], found[0])


@pytest.fixture
def designer(browser: Browser, hall: Hall) -> Iterator[Designer]:
    person = Person(browser, hall.url)
    person.page.goto(f"{hall.url}/workshop")
    yield Designer(person.page)
    person.leave()
    assert person.faults == []


def agree(shown: Figure, counted: Counted) -> bool:
    return counted.agrees(shown.low, shown.high)


def document() -> str:
    return document_of(meadhall.game(DUNGEON), "components").file.read_text("utf-8")


def test_the_last_place_of_dungeon_allies_and_what_mends_it(designer: Designer) -> None:
    designer.ask(DUNGEON)
    designer.add_way()
    designer.look(designer.page.get_by_role("link", name="Edit").nth(1).click)
    designer.look(designer.page.locator("#list-sorcerer_card > summary").click)
    designer.edit(fill, designer.page.get_by_label(re.compile("^Whole column points")).first, "+4")
    designer.order("#report")
    mended = re.sub(r"(?<=\npoints = )\d+", lambda found: str(int(found[0]) + 4), document())
    before, after = plain_loops.places(DUNGEON, 4, 150), plain_loops.places(DUNGEON, 4, 150, {"components": mended})
    report = designer.report()
    for place in ("place 1", "place 4"):
        assert agree(report.figure(place, "As printed"), before[place.replace(" ", ".")])
        assert agree(report.figure(place, MINE), after[place.replace(" ", ".")])
    assert report.figure("place 4", "As printed").low > 1.2 > report.figure("place 4", MINE).value


def test_is_the_wench_of_viking_axes_too_strong(designer: Designer) -> None:
    designer.ask(VIKING)
    designer.order()
    counted = plain_loops.owners(VIKING, 4, 600, "drew", "card")
    report = designer.report()
    assert agree(report.figure("Wench", "owner"), counted["wench"])
    assert agree(report.figure("Triple axe", "owner"), counted["axe3"])


def test_what_if_axes_kill_on_a_five(designer: Designer) -> None:
    designer.ask(AXES)
    designer.add_way()
    designer.edit(fill, designer.option("Roll that always kills"), "5")
    designer.order()
    five = {"kills_on": 5}
    before, after = (plain_loops.turns(AXES, 4, 1000, "power", options) for options in ({}, five))
    report = designer.report()
    assert agree(report.figure("turns", "As printed"), before)
    assert agree(report.figure("turns", MINE), after)
    assert before.value > after.value + 1


def test_does_an_armory_decide(designer: Designer) -> None:
    designer.ask(VIKING)
    designer.look(designer.page.get_by_text("Bots, forbidden moves").click)
    designer.look(designer.page.get_by_text("Forbidden moves", exact=True).first.click)
    designer.edit(designer.page.get_by_label("keep an armory").check)
    designer.order()
    kept, offered = plain_loops.chosen(VIKING, 4, 300, range(Act.PLACE, Act.PLACE + 1))
    report = designer.report()
    assert kept == 0 < offered
    assert report.figure("without: keep an armory") == Figure(1, 1, 1)
    assert agree(report.figure("chosen: keep an armory"), Counted(0.0, 0.001))


def test_how_long_do_six_play_axes_and_allies(designer: Designer) -> None:
    designer.ask(AXES)
    designer.edit(designer.page.locator("[name=players][value='6']").check)
    designer.order()
    counted = plain_loops.turns(AXES, 6, 1000, "power")
    assert agree(designer.report().figure("turns", "6 players"), counted)


def test_how_often_is_axxa_solved_alone_where_only_orthogonal_pieces_touch(designer: Designer) -> None:
    designer.ask("axxa")
    designer.edit(designer.option("Touching", 1).select_option, "orthogonal")
    designer.order()
    counted = plain_loops.won("axxa", 300, {"touching": "orthogonal"})
    report = designer.report()
    assert agree(report.figure("won together"), counted)
    assert "Better players may win more" in report.text


def test_which_monsters_are_never_fought(designer: Designer) -> None:
    designer.ask(DUNGEON)
    designer.order()
    counted = plain_loops.beaten(150)
    report = designer.report()
    names = {each["id"]: each["name"] for each in tomllib.loads(document())["monster"]}
    assert len(counted) == len(names)
    assert [name for id, name in names.items() if not agree(report.figure(name, "acquired"), counted[id])] == []


def test_which_cards_are_always_taken(designer: Designer) -> None:
    designer.ask(DUNGEON)
    designer.order()
    counted = plain_loops.bought(150)
    report = designer.report()
    names = {each["id"]: each["name"] for each in tomllib.loads(document())["sorcerer_card"]}
    taken = {id: report.figure(name, "taken when shown") for id, name in names.items()}
    assert [names[id] for id, shown in taken.items() if not agree(shown, counted[id])] == []
    always = {names[id] for id, shown in taken.items() if shown.value > 0.9}
    assert always == {names[id] for id, share in counted.items() if share.value > 0.88}
    said = next(line for line in report.text.splitlines() if line.startswith("Sorcerer card"))
    assert all(name in said for name in always)


def test_what_do_hidden_hands_change(designer: Designer) -> None:
    designer.ask(VIKING)
    designer.add_way()
    designer.edit(designer.option("Cards").select_option, "strategic")
    designer.order()
    before, after = (plain_loops.lengths(VIKING, 4, 300, {"variant": name}) for name in ("standard", "strategic"))
    report = designer.report()
    assert agree(report.figure("decisions", "As printed"), before)
    assert agree(report.figure("decisions", MINE), after)


def test_does_knowledge_or_luck_decide_axes_and_allies(designer: Designer) -> None:
    designer.ask(AXES)
    designer.edit(designer.page.locator("[name=players][value='2']").check)
    designer.edit(designer.page.locator("[name=players][value='4']").uncheck)
    designer.order()
    counted = plain_loops.among(AXES, 2, 4000, "karl", "thrall")
    report = designer.report()
    assert agree(report.figure("ladder: karl"), counted)
    assert report.figure("decided by luck").low > 0.5


def fill(place: Locator, text: str) -> None:
    place.fill(text)
    place.blur()
