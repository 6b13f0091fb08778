"""A game in a separate package: built as a wheel, installed, checked and played. The tutorial is followed word by word."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, expect

from browser.accessibility import Inspector
from browser.checks import alien_nodes, cut_off, scrolls_sideways, small_controls, too_wide
from browser.clean_environment import ROOT, CleanEnvironment, build_wheel
from browser.people import Person
from browser.server import Hall
from browser.table import Table, open_table

PIG = ROOT / "examples" / "pig"
TUTORIAL = ROOT / "docs" / "games" / "index.md"
ROLL, HOLD = 0, 1
FEWER = {"meadhall check": " --games 1 --players 2", "meadhall simulate": " --games 100"}
"""Arguments that make a command of the tutorial faster."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture
def clean(tmp_path: Path, wheel: Path) -> CleanEnvironment:
    return CleanEnvironment(tmp_path / "environment", wheel)


def files(folder: Path) -> dict[str, str]:
    """Return the texts of the files that a person has written."""
    made = ("__pycache__", ".pytest_cache", "build", "dist")
    paths = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    return {str(path): (folder / path).read_text("utf-8") for path in paths if not set(path.parts) & set(made)}


def test_a_match_of_an_example_is_played(browser: Browser, hall: Hall) -> None:
    play_a_match(browser, hall, "Pig")


def play_a_match(browser: Browser, hall: Hall, title: str) -> None:
    """Play a match against a bot to its end, on a page without errors, in a wide and a narrow window."""
    person = Person(browser, hall.url)
    try:
        (table,) = open_table(person, bots=1, game=title, option="target=50")
        assert table.wait_for_turn()
        look_at(table)
        person.page.set_viewport_size({"width": 390, "height": 844})
        look_at(table)
        expect(person.page.locator("#act-1[aria-disabled=true] .tip")).to_contain_text("Roll first: the pot is empty.")
        table.play_on(lambda legal: HOLD if HOLD in legal and pot(table) >= 20 else ROLL)
        expect(person.page.locator("#end-title")).to_be_visible()
        assert not person.faults, "\n".join(person.faults)
    finally:
        person.leave()


def pot(table: Table) -> int:
    return int(table.page.locator("#board text[class$=-pot]").text_content() or 0)


def look_at(table: Table) -> None:
    page = table.page
    inspector = Inspector()
    inspector.inspect("the table", page)
    assert not inspector.found, "\n".join(inspector.found)
    assert not scrolls_sideways(page)
    assert (alien_nodes(page), too_wide(page), cut_off(page), small_controls(page)) == ([], [], [], [])


# --------------------------------------------------------------------------------------------------------------- the tutorial


class Block(NamedTuple):
    """A block of code of the tutorial: commands, or the text of a file."""

    language: str
    file: str
    text: str


def blocks(section: str) -> Iterator[Block]:
    """Yield the blocks of a section of the tutorial, with the files that it includes."""
    (part,) = re.findall(rf"^## {section}\n(.*?)(?=^## |\Z)", TUTORIAL.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    for language, file, text in re.findall(r'^```(\w+)(?: title="([^"\n]+)")?\n(.*?)^```$', part, re.DOTALL | re.MULTILINE):
        included = re.fullmatch(r'--8<-- "(.+)"\n', text)
        yield Block(language, file, (ROOT / included[1]).read_text("utf-8") if included else text)


def follow(section: str, clean: CleanEnvironment, browser: Browser, folder: Path, title: str) -> str:
    """Do what a section of the tutorial says, in an empty folder. Return what its commands print.

    Meadhall is installed already. The checks try fewer matches, and the hall has a folder of its own.
    """
    printed, served = "", 0
    for block in blocks(section):
        if block.file:
            (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.file).write_text(block.text, "utf-8")
        elif block.language == "console":
            for command in re.findall(r"^\$ (.+)$", block.text, re.MULTILINE):
                if command.startswith("meadhall serve"):
                    hall = Hall(folder.parent / "hall", command=(clean.bin / "meadhall", *command.split()[1:]))
                    served += 1
                    hall.start()
                    play_a_match(browser, hall, title)
                    assert hall.end(signal.SIGINT) in (0, 130, -signal.SIGINT), hall.log.read_text()
                elif command.startswith("cd "):
                    folder = folder / command[3:]
                elif command not in ("python3 -m venv .venv", ". .venv/bin/activate", "pip install ~/meadhall'[hall]'"):
                    printed += clean.run(command + FEWER.get(" ".join(command.split()[:2]), ""), folder)
    assert served == 1
    return printed


@pytest.mark.long
def test_a_new_game_is_in_the_browser_after_the_first_commands_of_the_tutorial(
    clean: CleanEnvironment, browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    printed = follow("In ten minutes", clean, browser, tmp_path / "work", "Dare")
    assert "Dare keeps every law" in printed
    rules = tmp_path / "work" / "dare" / "src" / "dare" / "rules.py"
    assert "if state.face > 1:" in rules.read_text("utf-8"), "the tutorial changes this line"
    assert "**DR-3.2**" in (rules.parent / "rulebook.md").read_text("utf-8")


@pytest.mark.long
def test_the_tutorial_leads_from_an_empty_folder_to_the_example(
    clean: CleanEnvironment, browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    printed = follow("From an empty folder", clean, browser, tmp_path / "work", "Pig")
    assert printed.count("Pig keeps every law") == 2
    assert "5 passed" in printed
    assert files(tmp_path / "work" / "pig") == files(PIG)
