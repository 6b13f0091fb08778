"""Development mode in a real process: files of a game change on disk, and the pages in the browser follow."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from browser.people import SAME_ORIGIN, Person
from browser.server import ENDED, SERVE, Hall

PIG = Path(__file__).parents[2] / "examples" / "pig" / "src" / "pig"

SEED = "bones 1"
"""With this seed the first six rolls are no ones, so that the first player rolls them all."""


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
def workshop(tmp_path_factory: pytest.TempPathFactory, browser: Browser, files: Files) -> Iterator[Hall]:
    """Start a hall in development mode, with the game in a folder. It is broken first and offered when it is mended."""
    hall = Hall(tmp_path_factory.mktemp("data"), command=(*SERVE, "--dev"), PYTHONPATH=str(files.package.parent))
    good = files.replace("rules.py", "def legal(", "def legal((")
    hall.start(wanted="axes-and-allies")
    person = Person(browser, hall.url)
    page = person.open("/")
    expect(page.locator(".dev-problem")).to_contain_text(re.compile(r"pig/rules\.py:\d+"))
    expect(page.locator(".tile").filter(has_text="Pig")).to_have_count(0)
    before = page.locator("meta[name=meadhall-dev]").get_attribute("content")
    files.write("rules.py", good)
    expect(page.locator("meta[name=meadhall-dev]")).not_to_have_attribute("content", str(before))
    expect(page.locator(".tile").filter(has_text="Pig")).to_have_count(1)
    person.leave()
    yield hall
    assert hall.stop() in ENDED, hall.log.read_text()


@pytest.fixture
def developer(browser: Browser, workshop: Hall, files: Files) -> Iterator[Person]:
    """Return a person at that hall. At the end the files are as before."""
    good = files.texts()
    person = Person(browser, workshop.url)
    # A reload of the game may cut a stream; the page connects again.
    person.allow("ERR_INCOMPLETE_CHUNKED_ENCODING", "htmx:sse:error")
    yield person
    person.leave()
    for file, text in good.items():
        if files.texts()[file] != text:
            files.write(file, text)
    assert not person.faults, "\n".join(person.faults)


def begin(developer: Person) -> Page:
    """Start a match against a bot, open the panel, and take both seats."""
    form: dict[str, str | float | bool] = {"game": "pig", "seats": "2", "bot": "thrall"}
    page = developer.open(developer.context.request.post("/tables", form=form, headers=SAME_ORIGIN).url)
    page.keyboard.press(".")
    tab(page, "Table")
    seat = page.locator(".dev-seat").nth(1)
    seat.locator("select").select_option("person")
    seat.get_by_role("button").click()
    expect(page.locator(".plate-1")).not_to_contain_text("Thrall")
    table = page.url
    page.locator("#dev-seed").fill(SEED)
    page.get_by_role("button", name="Restart with this seed").click()
    page.wait_for_url(lambda url: url != table)
    tab(page, "Table")
    return page


def tab(page: Page, name: str) -> None:
    page.locator(".dev-tabs").get_by_role("link", name=name).click()
    expect(page.locator(".dev-tabs [aria-current]")).to_have_text(name)


def roll(page: Page, times: int) -> None:
    """Play the first legal action, for whatever seat."""
    tab(page, "Actions")
    for _ in range(times):
        before = steps(page)
        page.locator(".dev-actions button:enabled").first.click()
        expect(page.locator(".dev-head")).to_contain_text(f"{before + 1} of {before + 1}")


def steps(page: Page) -> int:
    return int(page.locator(".dev-head .chip").first.inner_text().split()[-1])


@pytest.mark.slow("reloads a game six times")
def test_a_match_goes_on_with_changed_rules_or_says_at_which_action_it_stops(developer: Person, files: Files) -> None:
    page = begin(developer)
    roll(page, 4)

    # other words and rules that allow the match: it goes on
    files.replace("words.py", '"roll the die"', '"throw the bone"')
    expect(page.locator(".dev-actions, .dev-table").first).to_contain_text("throw the bone")
    assert steps(page) == 4

    # a syntax error: the page says where, and the match can be played by the last rules
    good = files.replace("rules.py", "def legal(", "def legal((")
    problem = page.locator(".dev-problem")
    expect(problem).to_contain_text("SyntaxError")
    expect(problem).to_contain_text(re.compile(r"pig/rules\.py:\d+"))
    expect(problem).to_contain_text("def legal((")
    roll(page, 1)
    files.write("rules.py", good)
    expect(problem).to_have_count(0)
    assert steps(page) == 5

    # a rule that fails while a match is replayed
    files.replace("rules.py", "state.face = die(state.rng, SIDES)", "state.face = die(state.rng, SIDES) // 0")
    expect(page.locator(".dev-stop")).to_contain_text("action 1")
    expect(page.locator(".dev-stop")).to_contain_text("ZeroDivisionError")
    files.write("rules.py", good)
    expect(page.locator(".dev-stop")).to_have_count(0)
    assert steps(page) == 5

    # every roll ends the turn: the second action is another player's
    files.replace("rules.py", "if state.face > 1:", "if state.face > 6:")
    stop = page.locator(".dev-stop")
    expect(stop).to_contain_text("By the changed rules action 2 is no longer legal: throw the bone")
    table = page.url
    stop.get_by_role("button", name="Go back to the last legal position").click()
    page.wait_for_url(lambda url: url != table)
    expect(page.locator(".dev-head")).to_contain_text("1 of 1")
    roll(page, 1)
    page.goto(table)
    expect(page.locator(".dev-stop")).to_be_visible()
    files.write("rules.py", good)
    expect(page.locator(".dev-stop")).to_have_count(0)
    assert steps(page) == 5


def test_templates_styles_translations_and_the_rulebook_are_read_again(developer: Person, files: Files) -> None:
    page = begin(developer)
    developer.allow("500")
    template = files.replace("page.html", "<svg", '<svg data-edited="yes"')
    expect(page.locator("[data-edited]").first).to_be_attached()
    files.write("page.html", template + "{% if %}")
    expect(page.locator(".dev-problem")).to_contain_text("TemplateSyntaxError")
    page.reload()  # now the page itself can't be shown
    expect(page.locator(".dev-error")).to_contain_text("page.html")
    files.write("page.html", template)
    expect(page.locator("#frame")).to_be_visible()

    before = page.locator("link[href*='pig.css']").get_attribute("href")
    files.replace("static/pig.css", "\n", "\n.edited { color: red; }\n")
    expect(page.locator("link[href*='pig.css']")).not_to_have_attribute("href", str(before))

    page.goto(f"{page.url}/rules")
    files.replace("rulebook.md", "# ", "# The edited rules: ")
    expect(page.get_by_role("heading", name="The edited rules").first).to_be_visible()


def test_bots_play_by_the_changed_rules(developer: Person, workshop: Hall, files: Files) -> None:
    """The worker process starts again: a bot that still had the old rules would choose an action that is no longer legal."""
    page = begin(developer)
    made = page.locator("meta[name=meadhall-dev]")
    before = made.get_attribute("content") or ""
    files.replace(
        "rules.py", "    return 2 if state.pot > 0 else 1", "    if state.pot > 0:\n        out[0] = HOLD\n    return 1"
    )
    expect(made).not_to_have_attribute("content", before)  # the page has been loaded again
    for seat in (1, 0):
        page.locator(".dev-seat").nth(seat).locator("select").select_option("thrall")
        page.locator(".dev-seat").nth(seat).get_by_role("button").click()
        expect(page.locator(f".plate-{seat}")).to_contain_text("thrall", ignore_case=True)
    expect(page.locator("#log")).to_contain_text(re.compile("held|holds|keep", re.IGNORECASE))
    assert "IllegalAction" not in workshop.log.read_text("utf-8")


def test_the_panel_edits_looks_back_and_goes_on_from_there(developer: Person) -> None:
    page = begin(developer)
    roll(page, 3)
    tab(page, "State")
    page.locator("#field-pot").fill("40000")
    page.locator(".dev-foot button").click()  # the browser's own check
    assert page.locator("#field-pot:invalid").count() == 1
    page.locator("#field-pot").fill("33")
    page.locator(".dev-foot button").click()
    expect(page.locator(".dev-head")).to_contain_text("edited")
    tab(page, "Time travel")
    page.locator("#dev-at").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".dev-head")).to_contain_text("2 of 3")
    with page.expect_download() as saving:
        page.get_by_role("link", name="Save as a test").click()
    assert saving.value.suggested_filename == "test_pig_after_action_2.py"
    table = page.url
    page.get_by_role("button", name="Continue from here").click()
    page.wait_for_url(lambda url: url != table)
    expect(page.locator(".dev-head")).to_contain_text("2 of 2")
    expect(page.locator(".dev-head")).not_to_contain_text("edited")
    _check_that_the_panel_fits_a_phone(page)


def _check_that_the_panel_fits_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for name in ("State", "Actions", "Events", "Time travel", "Table"):
        tab(page, name)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        assert page.evaluate("[...document.querySelectorAll('#dev-panel > *')].every(e => e.scrollWidth <= e.clientWidth + 1)"), (
            name
        )
    page.get_by_role("button", name="Close").click()
    expect(page.locator("#dev-drawer")).to_be_hidden()


def test_a_hall_without_development_mode_has_no_such_addresses(hall: Hall) -> None:
    for path in ("/dev", "/dev/stream", "/dev/static/dev.js", "/dev/static/dev.css", "/dev/tables/x", "/dev/tables/x/test"):
        assert httpx.get(f"{hall.url}{path}", timeout=10).status_code == 404, path
    assert "/dev" not in httpx.get(hall.url, timeout=10).text
