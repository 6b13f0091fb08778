"""``meadhall new-game`` writes a package that works, and ``meadhall check`` says what is wrong with a broken one."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from meadhall.cli import main
from meadhall.cli.new_game import prefix, write_game

PIG = Path(__file__).parents[2] / "examples" / "pig"
ENVIRONMENT = {**os.environ, "MEADHALL_LANG": "en", "MEADHALL_INTERPRET": "1", "COLUMNS": "120"}


def meadhall(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "meadhall.cli", *arguments]
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False)


def texts(folder: Path) -> dict[str, str]:
    files = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"]
    return {str(path.relative_to(folder)): path.read_text("utf-8") for path in files if ".pytest_cache" not in path.parts}


@pytest.fixture(scope="module")
def dice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a new package with the game liars-dice."""
    folder = tmp_path_factory.mktemp("new")
    run = meadhall(folder, "new-game", "liars-dice")
    assert (run.returncode, run.stderr) == (0, "")
    assert "    cd liars-dice\n    pip install -e .\n    meadhall check liars-dice\n    meadhall serve --dev\n" in run.stdout
    return folder / "liars-dice"


def test_the_example_is_what_the_command_writes(tmp_path: Path) -> None:
    assert meadhall(tmp_path, "new-game", "pig").returncode == 0
    assert texts(tmp_path / "pig") == texts(PIG)


def test_a_new_game_has_its_own_name_everywhere(dice: Path) -> None:
    found = texts(dice)
    assert not [(name, text) for name, text in found.items() if re.search(r"pig\b|Pig|PG-", name + text)]
    assert 'liars-dice = "liars_dice:game"' in found["pyproject.toml"]
    assert "src/liars_dice/rules.py" in found
    assert "**LD-1.1**" in found["src/liars_dice/rulebook.md"]
    assert found["src/liars_dice/rulebook.md"].startswith("# Liars dice\n")


def test_a_new_game_keeps_every_law(dice: Path) -> None:
    run = meadhall(dice.parent, "check", "liars-dice", "--games", "1", "--players", "2", "--option", "target=50")
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(r"✓ undo +An undo restores the state", run.stdout)
    assert re.search(r"Liars dice keeps every law at \d+ positions\.", run.stdout)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["Liars", None], "small letters, digits and single hyphens"),
        (["../dice", None], "small letters"),
        (["two--hyphens", None], "small letters"),
        (["x", None], "2 to 40 characters"),
        (["axxa", None], "there is a game axxa already"),
        (["json", None], "a Python module json exists already"),
        (["class", None], "a Python module class exists already"),
        (["existing", None], "exists already; nothing was written"),
        (["dice", 'a "title"'], "the title must be plain text"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[Any], reason: str
) -> None:
    (tmp_path / "existing").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(typer.BadParameter, match=reason):
        write_game(*arguments)
    assert [path.name for path in tmp_path.rglob("*")] == ["existing"]


def test_a_prefix_has_two_letters_of_the_name() -> None:
    assert [prefix(name) for name in ("pig", "liars-dice", "go", "nine-mens-morris", "c4")] == ["PG", "LD", "GO", "NM", "CX"]


# ------------------------------------------------------------------------------------------------------------------- check


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """Return the folder of a copy of the example in which a six is not counted as a revelation."""
    assert meadhall(tmp_path, "new-game", "secret").returncode == 0
    rules = tmp_path / "secret" / "src" / "secret" / "rules.py"
    text = rules.read_text("utf-8")
    assert "state.reveals += 1" in text
    rules.write_text(text.replace("state.reveals += 1", "state.reveals += state.face < 6"), "utf-8")
    return tmp_path


def test_a_violation_is_told_with_rule_position_seed_actions_and_the_command_that_shows_it_again(secret: Path) -> None:
    run = meadhall(secret, "check", "secret", "--games", "2")
    assert run.returncode == 1
    for part in (
        "Secret breaks the law “reveals”.",
        "`reveals` rises with every random draw",
        "random numbers were drawn, but `reveals` has not risen",
        "SC-2.1 In your turn you roll the die, or you hold.",
        "2 players, target=100",
        "none: it is the position after the setup",
        "> Player 1: 0 + 0",
        "Player 1: roll the die (0)",
    ):
        assert part in run.stdout, run.stdout
    command = shlex.split(run.stdout.splitlines()[-1])
    assert command[:3] == ["meadhall", "check", "secret"]
    again = meadhall(secret, *command[1:])
    assert again.returncode == 1
    assert "random numbers were drawn, but `reveals` has not risen" in again.stdout


def test_the_outcome_as_json(secret: Path) -> None:
    run = meadhall(secret, "check", "secret", "--games", "2", "--json")
    assert run.returncode == 1
    found = json.loads(run.stdout)
    assert (found["game"], found["passed"], found["failure"]["law"]) == ("secret", False, "reveals")
    assert found["failure"]["rules"][0] == "SC-2.1"
    assert (found["failure"]["actions"], found["failure"]["action"]) == ([], "0")


def test_one_position_is_checked_after_its_actions(dice: Path) -> None:
    at = ["check", "liars-dice", "--players", "3", "--seed", "any"]
    run = meadhall(dice.parent, *at, "--actions", "0")
    assert (run.returncode, run.stdout) == (0, "Liars dice keeps every law at 1 position.\n")
    run = meadhall(dice.parent, *at, "--actions", "1")
    assert run.returncode == 2
    assert "Roll first: the pot is empty." in run.stderr


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["chess"], "there is no game 'chess'"),
        (["."], "has no pyproject.toml"),
        (["nowhere:game"], "can't be loaded: ModuleNotFoundError"),
        (["json:dumps"], "json:dumps is not a Game"),
        (["axes-and-allies", "--players", "9"], "2 to 6 players"),
        (["axes-and-allies", "--option", "target=7"], "no option 'target'"),
        (["axes-and-allies", "--actions", "one"], "actions must be numbers"),
    ],
)
def test_what_cannot_be_checked_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    reason: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("MEADHALL_LANG", "en")
    assert main(["check", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert reason in err
    assert err.count("\n") == 1
