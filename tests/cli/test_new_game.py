"""``meadhall new-game`` writes a package that works, and ``meadhall check`` says what is wrong with a broken one."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
import typer

import meadhall
from meadhall.cli import app, authoring, main
from meadhall.cli.authoring import find_game, prefix, write_game
from meadhall.engine import registry

EXAMPLES = Path(__file__).parents[2] / "examples"
PIG = EXAMPLES / "pig"

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo what a command changes in its process: the folders of modules, and the registered games."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(registry, "_loaded", {**registry._loaded})
    for choice in ("prefer_interpreted", "check_bounds"):  # it is too late here
        monkeypatch.setattr(app, choice, lambda: None)
    monkeypatch.setenv("MEADHALL_LANG", "en")
    monkeypatch.setenv("COLUMNS", "120")


def new_package(folder: Path, name: str, hidden: bool = False) -> Path:
    """Write the package of a new game into a folder and return its path."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_game(name, hidden=hidden)
    return folder / name


def texts(folder: Path) -> dict[str, str]:
    files = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"]
    return {
        str(path.relative_to(folder)): path.read_text("utf-8", "replace") for path in files if ".pytest_cache" not in path.parts
    }


@pytest.fixture(scope="module")
def dice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a new package with the game liars-dice."""
    return new_package(tmp_path_factory.mktemp("new"), "liars-dice")


def test_the_example_is_what_the_command_writes(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new-game", "pig"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "    cd pig\n    pip install -e .\n    meadhall check pig\n    meadhall serve --dev\n" in out
    assert texts(tmp_path / "pig") == texts(PIG)


def test_a_new_game_has_its_own_name_everywhere(dice: Path) -> None:
    found = texts(dice)
    assert not [(name, text) for name, text in found.items() if re.search(r"pig\b|Pig|PG-", name + text)]
    assert 'liars-dice = "liars_dice:game"' in found["pyproject.toml"]
    assert "src/liars_dice/rules.py" in found
    assert "**LD-1.1**" in found["src/liars_dice/rulebook.md"]
    assert found["src/liars_dice/rulebook.md"].startswith("# Liars dice\n")


def test_a_game_with_hidden_dice_is_written_under_its_own_name(capsys: Capture, tmp_path: Path) -> None:
    folder = new_package(tmp_path, "blind-bids", hidden=True)
    found = texts(folder)
    assert not [(name, text) for name, text in found.items() if re.search(r"liars.dice|Liar's Dice|LD-", name + text)]
    assert 'blind-bids = "blind_bids:game"' in found["pyproject.toml"]
    assert texts(EXAMPLES / "liars-dice").keys() == {name.replace("blind", "liars").replace("bids", "dice") for name in found}
    assert main(["check", str(folder), "--games", "1", "--players", "2"]) == 0
    assert "Blind bids keeps every law at" in capsys.readouterr().out


def test_a_bare_game_has_its_rules_and_nothing_else(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new-game", "dare", "--bare"]) == 0
    found = texts(tmp_path / "dare")
    assert found.keys() == {"README.md", "pyproject.toml", "src/dare/__init__.py", "src/dare/rules.py", "tests/test_dare.py"}
    assert main(["check", "dare", "--players", "2", "--actions", "0"]) == 0
    assert main(["new-game", "both", "--bare", "--hidden"]) == 2
    assert "choose one of --bare, --hidden and --from" in capsys.readouterr().err


@pytest.mark.parametrize(("old", "prefix_of_rules"), [("axes-and-allies", "AA"), ("axxa", "AX")])
def test_a_copy_of_a_game_has_its_own_name_and_plays_the_same_matches(
    old: str, prefix_of_rules: str, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new-game", f"our-{old}", "--from", old]) == 0
    assert f"It plays like {meadhall.game(old).title}" in capsys.readouterr().out
    found = texts(tmp_path / f"our-{old}")
    renamed = re.compile(rf"meadhall\.games|(?<!our-)\b{old}/|{meadhall.game(old).title}|\b{prefix_of_rules}-\d")
    assert [name for name, text in found.items() if renamed.search(name + text)] == ["pyproject.toml"], "which tells its origin"
    if old == "axes-and-allies":  # the other takes long
        assert main(["check", f"our-{old}", "--quick", "--players", "2", "--games", "1", "--option", "sides=6"]) == 0
    copy, seeds, draw = find_game(f"our-{old}"), [f"copy {number}" for number in range(3)], Random(1)
    assert copy.title == f"Our {old.replace('-', ' ')}"
    for seed in seeds:
        match, other = (each.match(players=3, seed=seed) for each in (copy, meadhall.game(old)))
        while not other.over:
            action = draw.choice(other.legal())
            assert [event.arguments for event in match.play(action)] == [event.arguments for event in other.play(action)]
        assert match.over


def test_a_new_game_keeps_every_law(dice: Path, capsys: Capture) -> None:
    assert main(["check", str(dice), "--games", "1", "--players", "2", "--option", "target=50"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"✓ undo +An undo restores the state", out)
    assert re.search(r"Liars dice keeps every law at \d+ positions\.", out)


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


@pytest.fixture(scope="module")
def secret(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a copy of the example in which a six is not counted as a revelation."""
    package = new_package(tmp_path_factory.mktemp("broken"), "secret")
    rules = package / "src" / "secret" / "rules.py"
    text = rules.read_text("utf-8")
    assert "state.reveals += 1" in text
    rules.write_text(text.replace("state.reveals += 1", "state.reveals += state.face < 6"), "utf-8")
    return package


def test_a_violation_is_told_with_rule_position_seed_actions_and_the_command_that_shows_it_again(
    secret: Path, capsys: Capture
) -> None:
    assert main(["check", str(secret), "--games", "2"]) == 1
    out = capsys.readouterr().out
    for part in (
        "Secret breaks the law “reveals”.",
        "`reveals` rises with every random draw",
        "random numbers were drawn, but `reveals` has not risen",
        "SC-2.1 In your turn you roll the die, or you hold.",
        "2 players, target=",  # of several, the one that is found in time
        "none: it is the position after the setup",
        "> Player 1: 0 + 0",
        "Player 1: roll the die (0)",
    ):
        assert part in out, out
    command = shlex.split(out.splitlines()[-1])
    assert command[:3] == ["meadhall", "check", str(secret)]
    assert main(command[1:]) == 1
    assert "random numbers were drawn, but `reveals` has not risen" in capsys.readouterr().out


def test_compiled_rules_are_checked_with_their_bounds(monkeypatch: pytest.MonkeyPatch, dice: Path) -> None:
    chosen: list[str] = []
    for choice in ("prefer_interpreted", "check_bounds"):
        monkeypatch.setattr(app, choice, lambda choice=choice: chosen.append(choice))
    for more in ((), ("--quick",)):
        assert main(["check", str(dice), "--players", "2", "--actions", "0", *more]) == 0
    assert chosen == ["check_bounds", "prefer_interpreted"]


def changed(folder: Path, name: str, file: str, old: str, new: str) -> Path:
    """Return the folder of a new package with one change in a file of its module."""
    package = new_package(folder, name)
    path = package / "src" / name / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    return package


def test_a_mistake_in_a_template_is_told_with_its_place_and_the_position(capsys: Capture, tmp_path: Path) -> None:
    folder = changed(tmp_path, "unseen", "page.html", "points=page.picture.points[seat]", "points=page.picture.pints[seat]")
    capsys.readouterr()
    assert main(["check", str(folder), "--players", "3", "--seed", "any", "--actions", "0", "--json"]) == 1
    failure = json.loads(capsys.readouterr().out)["failure"]
    assert failure["law"] == "pages"
    assert re.search(r"UndefinedError: .* has no attribute 'pints' \(page\.html:\d+, ", failure["reason"])
    assert (failure["players"], failure["actions"]) == (3, ["0"])


def test_controls_that_read_the_board_and_a_legal_action_without_a_control_are_told(capsys: Capture, tmp_path: Path) -> None:
    blind = changed(tmp_path, "blind", "page.html", '<div class="pig-buttons">'.replace("pig", "blind"), "{{ page.picture.pot }}")
    assert main(["check", str(blind), "--actions", ""]) == 1
    assert "'None' has no attribute 'pot'" in capsys.readouterr().out
    mute = changed(tmp_path, "mute", "page.py", "return range(ACTIONS)", "return range(0)")
    assert main(["check", str(mute), "--actions", ""]) == 1
    assert "the page of seat 0 has no control for the legal action 0" in " ".join(capsys.readouterr().out.split())


def test_texts_without_a_translation_are_listed_and_written_into_the_catalogue(capsys: Capture, tmp_path: Path) -> None:
    folder = changed(tmp_path, "spoken", "words.py", '"Your turn: roll the die."', '"Now roll the die."')
    assert main(["check", str(folder), "--games", "1", "--players", "2", "--option", "target=50"]) == 0
    assert re.search(r"1 text lacks a translation:\n +de +words\.py:\d+ +Now roll the die\.", capsys.readouterr().out)
    catalogue = folder / "src" / "spoken" / "locale" / "de.po"
    before = catalogue.read_text("utf-8")
    assert main(["messages", str(folder)]) == 0
    assert capsys.readouterr().out == "de.po: 1 text lacks a translation, 1 unused text was removed.\n"
    after = catalogue.read_text("utf-8")
    assert 'msgid "Now roll the die."\nmsgstr ""' in after
    assert "Your turn: roll the die." not in after
    assert after.split("\n\n")[0] == before.split("\n\n")[0]
    assert 'msgstr "Du würfelst eine {1}"' in after
    with pytest.MonkeyPatch.context() as without_templates:
        without_templates.setattr(authoring, "find_spec", lambda _name: None)
        assert main(["messages", str(folder)]) == 2
        assert "the templates of Spoken can't be read" in capsys.readouterr().err
    assert catalogue.read_text("utf-8") == after
    assert main(["messages", str(folder), "--language", "fr"]) == 2
    assert "fr is no language of the hall" in capsys.readouterr().err


def test_the_outcome_as_json(secret: Path, capsys: Capture) -> None:
    assert main(["check", str(secret), "--games", "1", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["game"], found["passed"], found["failure"]["law"]) == ("secret", False, "reveals")
    assert found["failure"]["rules"][0] == "SC-2.1"
    assert (found["failure"]["actions"], found["failure"]["action"]) == ([], "0")


def test_one_position_is_checked_after_its_actions(dice: Path, capsys: Capture) -> None:
    at = ["check", str(dice), "--players", "3", "--seed", "any"]
    assert main([*at, "--actions", "0"]) == 0
    assert capsys.readouterr().out == "Liars dice keeps every law at 1 position.\n"
    assert main([*at, "--actions", "1"]) == 2
    assert "Roll first: the pot is empty." in capsys.readouterr().err


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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, arguments: list[str], reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert reason in err
    assert err.count("\n") == 1
