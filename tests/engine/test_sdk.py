"""The plug-in interface: games import it and nothing else of Meadhall, and machine code depends on it."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import meadhall
from meadhall import sdk

ROOT = Path(__file__).parents[2]
GAMES = (
    ROOT / "src/meadhall/games",
    ROOT / "tests/games_for_tests",
    ROOT / "tests/server/hoard_on_a_page",
    ROOT / "examples/bare",
    ROOT / "examples/liars-dice",
    ROOT / "examples/pig",
)
TOOLS = {"every.py"}  # not a game: it registers the test games


def meadhall_imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "meadhall")
        elif isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] == "meadhall":
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def sources() -> list[Path]:
    return [file for folder in GAMES for file in sorted(folder.rglob("*.py")) if file.name not in TOOLS]


def test_games_import_nothing_of_meadhall_but_the_plug_in_interface_and_themselves() -> None:
    files = sources()
    assert len(files) > 50
    strangers = {
        f"{file.relative_to(ROOT)}: {name}"
        for file in files
        for name in meadhall_imports(file)
        if not name.startswith("meadhall.sdk.") and name != "meadhall.sdk" and not name.startswith("meadhall.games.")
    }
    assert strangers == set()


def test_the_interface_names_everything_that_it_offers() -> None:
    assert sorted(sdk.__all__) == sorted(name for name in vars(sdk) if not name.startswith("_"))


@pytest.mark.slow("starts five processes that interpret the rules of a copy")
def test_the_folder_of_machine_code_changes_with_every_source_that_it_depends_on(tmp_path: Path) -> None:
    copy = tmp_path / "meadhall"
    shutil.copytree(Path(meadhall.__file__).parent, copy, ignore=shutil.ignore_patterns("server", "__pycache__", "static"))
    code = """
import meadhall.games.axes_and_allies
from meadhall.engine.compile.rule import cache_folder
print(cache_folder("meadhall.games.axes_and_allies").name)
"""
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "MEADHALL_INTERPRET": "1",
        "MEADHALL_CACHE": str(tmp_path / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }

    def folder() -> str:
        return subprocess.run(
            [sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout

    found = [folder()]
    assert found == [folder()]
    for changed in ("engine/state/chance.py", "sdk.py", "games/axes_and_allies/rules.py"):
        with (copy / changed).open("a") as source:
            source.write("\n# changed\n")
        found.append(folder())
    assert len(set(found)) == len(found)


def test_the_documentation_lists_every_name() -> None:
    page = (ROOT / "docs/reference/sdk.md").read_text("utf-8").partition("## All names")[2]
    assert sorted(re.findall(r"`(\w+)`", page)) == sorted(sdk.__all__)
