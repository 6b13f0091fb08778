"""Development mode in a real process: files of a game change on disk, and the pages in the browser follow."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.people import SAME_ORIGIN, Person
from browser.server import ENDED, SERVE, Hall

PIG = Path(__file__).parents[2] / "examples" / "pig" / "src" / "pig"

pytestmark = pytest.mark.slow("the hall starts again for each change")

PATIENCE = 60_000
"""Milliseconds in which a hall starts again on a busy machine."""

RESTART = ("ERR_INCOMPLETE_CHUNKED_ENCODING", "htmx:sse:error", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET", "503")
"""What a page may meet while the hall starts again; the page connects again."""


class Files:
    """The installed package of a game in a folder, whose files can be edited."""

    def __init__(self, site: Path) -> None:
        self.package = site / "pig"
        shutil.copytree(PIG, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        info = site / "pig-0.1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pig\nVersion: 0.1.0\n", "utf-8")
        (info / "entry_points.txt").write_text("[meadhall.games]\npig = pig:game\n", "utf-8")

    def replace(self, file: str, before: str, after: str) -> str:
        """Replace a text in a file, and return the file's text before."""
        path = self.package / file
        text = path.read_text("utf-8")
        assert before in text, file
        path.write_text(text.replace(before, after), "utf-8")
        return text

    def texts(self) -> dict[str, str]:
        """Return the texts of all files."""
        paths = [path for path in self.package.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        return {str(path.relative_to(self.package)): path.read_text("utf-8") for path in paths}

    def write(self, file: str, text: str) -> None:
        (self.package / file).write_text(text, "utf-8")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return Files(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def developing(tmp_path_factory: pytest.TempPathFactory, browser: Browser, files: Files) -> Iterator[Hall]:
    """Start a hall in development mode, with the game in a folder. It is broken first and offered when it is mended."""
    hall = Hall(tmp_path_factory.mktemp("data"), command=(*SERVE, "--dev"), PYTHONPATH=str(files.package.parent))
    good = files.replace("rules.py", "def legal(", "def legal((")
    hall.start(wanted="axes-and-allies")
    person = Person(browser, hall.url)
    person.allow(*RESTART)
    page = person.open("/")
    expect(page.locator("#dev-problems")).to_contain_text(re.compile(r"pig/rules\.py:\d+: SyntaxError"), timeout=PATIENCE)
    expect(page.locator(".tile").filter(has_text="Pig")).to_have_count(0)
    files.write("rules.py", good)
    expect(page.locator(".tile").filter(has_text="Pig")).to_have_count(1, timeout=PATIENCE)
    expect(page.locator("#dev-problems")).to_be_hidden()
    person.leave()
    yield hall
    assert hall.stop() in ENDED, hall.log.read_text()


@pytest.fixture
def developer(browser: Browser, developing: Hall, files: Files) -> Iterator[Person]:
    """Return a person at that hall. At the end the files are as before."""
    good = files.texts()
    person = Person(browser, developing.url)
    person.allow(*RESTART)
    yield person
    person.leave()
    for file, text in good.items():
        if files.texts()[file] != text:
            files.write(file, text)
    assert not person.faults, "\n".join(person.faults)


def begin(developer: Person) -> Page:
    """Start a match against a bot, and open the panel. The person rolls first."""
    form: dict[str, str | float | bool] = {"game": "pig", "seats": "2", "bot": "thrall"}
    page = developer.open(developer.context.request.post("/tables", form=form, headers=SAME_ORIGIN).url)
    page.keyboard.press(".")
    return page


def changed(page: Page, change: Callable[[], object]) -> None:
    """Change a file of the game, and wait until the hall has started again and the page has been loaded again."""
    build = page.locator("#dev-problems").get_attribute("data-build")
    change()
    expect(page.locator("#dev-problems")).not_to_have_attribute("data-build", str(build), timeout=PATIENCE)


def test_a_table_goes_on_after_a_change_and_says_what_is_wrong(developer: Person, files: Files) -> None:
    page = begin(developer)
    actions, events, state = (page.locator(f"#dev-{part}") for part in ("actions", "events", "state"))
    expect(actions).to_contain_text("roll the die")
    expect(state.get_by_role("row").filter(has_text="pot")).to_have_count(1)
    before = events.locator("h3").count()
    page.locator("[name=action]").first.click()
    expect(events.locator("h3")).not_to_have_count(before)  # the panel follows the table

    changed(page, lambda: files.replace("words.py", '"roll the die"', '"throw the bone"'))
    expect(page.locator("#dev-events")).to_contain_text("throw the bone")  # the table and the panel are still there

    # an error in a file: the hall goes on with the game as it was, and the page says where the error is
    good = files.replace("rules.py", "def legal(", "def legal((")
    problem = page.locator("#dev-problems")
    expect(problem).to_contain_text(re.compile(r"pig/rules\.py:\d+: SyntaxError"), timeout=PATIENCE)
    page.reload()
    expect(page.locator("#frame")).to_be_visible()
    expect(problem).to_contain_text("def legal((")
    changed(page, lambda: files.write("rules.py", good))
    expect(problem).to_be_hidden()

    # rules that fail while the match is replayed: the table says so, and goes on when they are mended
    developer.allow("410")
    changed(page, lambda: files.replace("rules.py", "state.face = die(state.rng, SIDES)", "state.face = die(state.rng, 6) // 0"))
    expect(page.locator("main")).to_contain_text("doesn't fit the rules of Pig as they are now")
    expect(page.locator("main")).to_contain_text(re.compile(r"ZeroDivisionError: .* \(rules\.py:\d+, roll\)"))
    changed(page, lambda: files.write("rules.py", good))
    expect(page.locator("#dev-events")).to_contain_text("throw the bone")

    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator("#dev-state")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("[...document.querySelectorAll('#dev-panel > *')].every(e => e.scrollWidth <= e.clientWidth + 1)")
    page.keyboard.press(".")
    expect(page.locator("#dev-drawer")).to_be_hidden()
