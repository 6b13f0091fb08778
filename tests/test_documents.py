"""The documentation: its Python runs as it is printed, with fewer games; what it names exists; the site leads to every page."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from meadhall.bots.ranks import RANKS

ROOT = Path(__file__).parent.parent
FENCE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def python_of(page: Path) -> str:
    """Return all Python blocks of a page as one program, except files that are only included, with fewer games and matches."""
    blocks = [block for block in FENCE.findall(page.read_text("utf-8")) if "--8<--" not in block]
    fewer_games = re.sub(r"\bgames=[\d_]+", "games=4", "\n".join(blocks))
    return re.sub(r"\bnum_envs=[\d_]+", "num_envs=4", fewer_games)


PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if python_of(page)]


MARKS = {"cluster.md": [pytest.mark.long], "axxa-solver.md": [pytest.mark.compiled]}
"""Marks of pages that start a cluster, or a long search."""


@pytest.mark.parametrize(
    "page", [pytest.param(page, id=str(page.relative_to(ROOT)), marks=MARKS.get(page.name, [])) for page in PAGES]
)
def test_the_code_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(python_of(page), page.name, "exec"), {"__name__": "__main__"})  # noqa: S102 - our own


SCRIPTS = [page for page in PAGES if re.search(r"\bbalance\(|\bprocesses=", python_of(page))]
"""Pages whose code may start processes, which run the file from its beginning."""


@pytest.mark.slow("a process compiles nothing, but imports everything")
@pytest.mark.parametrize("page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in SCRIPTS])
def test_the_code_of_a_page_that_may_start_processes_runs_as_a_script(page: Path, tmp_path: Path) -> None:
    script = tmp_path / "page.py"
    script.write_text(python_of(page), "utf-8")
    run = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def texts() -> Iterator[tuple[Path, str]]:
    """Yield the files in which people read how to install something."""
    kinds = ("*.py", "*.po", "*.html", "*.md", "*.ipynb", "*.txt")
    folders = [ROOT / name for name in ("src", "docs", "examples")]
    for file in [ROOT / "README.md", *(file for folder in folders for kind in kinds for file in folder.rglob(kind))]:
        yield file.relative_to(ROOT), file.read_text("utf-8")


def test_extras_are_installed_from_a_clone_because_no_index_has_meadhall() -> None:
    from_an_index = re.compile(r"meadhall\[[a-z]|install (?:-\S+ )*[\"']?meadhall\b")
    assert [(str(file), found[0]) for file, text in texts() for found in from_an_index.finditer(text)] == []
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    named = re.compile(r"(?:meadhall'\[|how_to_install\([\"'])([a-z,]+)[\]\"']")
    found = {extra for _file, text in texts() for names in named.findall(text) for extra in names.split(",")}
    assert found - set(extras) == set()
    assert set(extras) <= found, "a page or a message names each extra"


@pytest.mark.parametrize("group", ["play", "host", "library"])
def test_a_group_of_pages_says_where_the_command_is(group: str) -> None:
    assert ".venv/bin/meadhall" in (ROOT / "docs" / group / "index.md").read_text("utf-8")


def test_a_move_visits_twelve_files_that_exist() -> None:
    """The page about a move names files of the server and the engine, and those of its straight path in a table."""
    page = (ROOT / "docs" / "internals" / "a-move.md").read_text("utf-8")
    source = ROOT / "src" / "meadhall"
    named = set(re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", page))
    missing = {name for name in named if not any((place / name).exists() for place in (source, source / "server"))}
    assert missing == set()
    assert len(re.findall(r"^\| \d+ \|", page, re.MULTILINE)) <= 12


def test_the_library_alone_installs_no_more_packages_than_its_page_says_and_at_most_25() -> None:
    found, left = set[str](), ["meadhall"]
    while left:
        name = left.pop()
        needed = map(Requirement, requires(name) or ())
        names = {each.name.lower() for each in needed if each.marker is None or each.marker.evaluate({"extra": ""})}
        left += names - found
        found |= names
    page = (ROOT / "docs" / "library" / "index.md").read_text("utf-8")
    said = re.search(r"(\d+)\s+packages", page)
    assert said is not None
    assert len(found) <= int(said[1]) <= 25  # some only with an older Python


def test_the_navigation_of_the_site_leads_to_every_page_once() -> None:
    def pages(entry: object) -> Iterator[str]:
        if isinstance(entry, str):
            yield entry
        else:
            assert isinstance(entry, dict | list)
            for each in entry.values() if isinstance(entry, dict) else entry:
                yield from pages(each)

    led = list(pages(tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]["nav"]))
    files = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]
    assert sorted(led) == sorted({*files, "reference/command-line.md"})  # which is generated


SECONDS = {0.05: ("50 ms", "blink of an eye"), 0.5: ("half a second",), 3.0: ("three seconds",)}
"""How texts name the seconds that a bot searches."""


def test_texts_name_the_seconds_that_a_bot_searches() -> None:
    page = (ROOT / "docs" / "library" / "bots.md").read_text("utf-8")
    for rank in RANKS:
        (row,) = re.findall(rf"^\| `{rank.name}` \| (.*) \|$", page, re.MULTILINE)
        for text in (row, rank.about):
            named = {seconds for seconds, words in SECONDS.items() if any(each in text for each in words)}
            assert named == ({rank.budget.seconds} if rank.budget else set()), text
    assert RANKS[-1].budget is not None
    hints = (ROOT / "docs" / "play" / "hints.md").read_text("utf-8")
    assert f"the king's {SECONDS[RANKS[-1].budget.seconds][0]}" in hints


PATH = re.compile(r"`((?:[a-z_]+/)+(?:[a-z_]+\.[a-z]+)?|[a-z_]+\.py)`")


def test_every_path_in_the_pages_about_the_architecture_exists() -> None:
    source = ROOT / "src" / "meadhall"
    folders = [source, *(source / name for name in ("engine", "server", "lab", "bots", "pictures", "cli", "server/hall"))]
    folders += [
        source / "games" / "axes_and_allies",
        source / "server" / "dev",
        source / "server" / "web",
        source / "engine" / "match",
    ]
    folders += [source / "server" / "routes", source / "server" / "store", source / "engine" / "state"]
    for name in ("architecture", "a-move"):
        page = (ROOT / "docs" / "internals" / f"{name}.md").read_text("utf-8")
        named = set(PATH.findall(page))
        assert len(named) > 10
        assert {path for path in named if not any((folder / path).exists() for folder in folders)} == set()
