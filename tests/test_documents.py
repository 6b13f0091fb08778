"""The documentation: its Python runs as it is printed, with fewer games, and the files that it names exist."""

from __future__ import annotations

import re
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

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
