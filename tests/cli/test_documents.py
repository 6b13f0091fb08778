"""A document as an option on the command line: read from its file, refused with the place of a mistake, shown in short."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import meadhall
from games_for_tests.coins import COINS, FILE, game as coins
from meadhall.cli import main
from meadhall.engine.match.record import dumps, read_records
from meadhall.engine.registry import registered

Capture = pytest.CaptureFixture[str]

RENAMED = FILE.read_text("utf-8").replace('"sovereign"', '"pistole"')
SHORT = COINS.check(RENAMED)["sha256"][:8]


@pytest.fixture(autouse=True)
def registered_coins() -> Iterator[None]:
    """Register the game for these tests only; in a hall it would be an extra tile."""
    with registered(coins):
        yield


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEADHALL_LANG", "en")


@pytest.fixture
def renamed(tmp_path: Path) -> Path:
    path = tmp_path / "my coins.toml"
    path.write_text(RENAMED, "utf-8")
    return path


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    path = tmp_path / "wrong.toml"
    path.write_text(RENAMED.replace('"groat"', "4"), "utf-8")
    return path


def simulate(option: str | Path, *more: str) -> int:
    return main(["simulate", "coins", "--games", "3", "--seed", "x", "--option", f"coins={option}", *more])


def test_games_are_simulated_with_a_document(capsys: Capture, renamed: Path) -> None:
    assert simulate(renamed, "--json") == 0
    assert json.loads(capsys.readouterr().out)["options"]["coins"] == COINS.check(RENAMED)
    assert simulate(FILE, "--json") == 0
    assert json.loads(capsys.readouterr().out)["options"]["coins"] == COINS.default


def test_records_contain_the_document_and_can_be_verified_and_replayed(capsys: Capture, renamed: Path, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    assert simulate(renamed, "--out", str(file)) == 0
    assert all(record["options"]["coins"] == COINS.check(RENAMED) for record in read_records(file))
    assert main(["verify", str(file)]) == 0
    capsys.readouterr()
    assert main(["replay", str(file)]) == 0
    out = capsys.readouterr().out
    assert f"coins={SHORT}" in out
    assert "pistole" in out
    assert "sovereign" not in out
    assert "sha256" not in out


def test_a_replay_names_the_built_in_document(capsys: Capture, tmp_path: Path) -> None:
    match = meadhall.game("coins").match(seed="x")
    path = tmp_path / "x.match.json"
    path.write_text(dumps(match.record(abandoned="bored")), "utf-8")
    assert main(["replay", str(path)]) == 0
    assert "hand=few; mode=rivals; coins=built in;" in " ".join(capsys.readouterr().out.split())


def test_a_match_at_the_terminal_uses_a_document(capsys: Capture, renamed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names: set[str] = set()

    def answers(_console: object, _prompt: str) -> str:
        names.update(capsys.readouterr().out.split())
        return "quit" if names & {"pistole", "shilling", "mark", "noble"} else "14"

    monkeypatch.setattr("rich.console.Console.input", answers)
    assert main(["play", "coins", "--players", "2", "--seed", "x", "--option", f"coins={renamed}"]) == 0
    assert not names & {"coin1", "sovereign"}


@pytest.mark.parametrize("command", [["simulate", "coins", "--games", "3"], ["play", "coins"]], ids=["simulate", "play"])
def test_an_invalid_document_is_refused_with_the_number_of_its_line(capsys: Capture, command: list[str], wrong: Path) -> None:
    assert main([*command, "--option", f"coins={wrong}"]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", "meadhall: coins: coin[3].name: expected `str`, got `int`\n")
    assert main([*command, "--option", "coins=/nowhere/at/all.toml"]) == 2
    assert capsys.readouterr().err == "meadhall: coins: /nowhere/at/all.toml can't be read: No such file or directory\n"


def test_the_list_of_games_shows_that_an_option_is_a_file(capsys: Capture) -> None:
    assert coins.name in meadhall.game_names()
    assert main(["games"]) == 0
    assert "coins=FILE.toml" in capsys.readouterr().out


def test_the_built_in_document_is_written_to_a_file_that_is_not_there_yet(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "coins.toml"
    assert main(["document", "coins", str(file)]) == 0
    assert file.read_bytes() == FILE.read_bytes()
    file.write_text(RENAMED, "utf-8")
    assert main(["document", "coins", str(file)]) == 2
    assert file.read_text("utf-8") == RENAMED
    assert main(["document", "axes-and-allies", str(tmp_path / "axes.toml")]) == 2
    assert "has no such document" in capsys.readouterr().err
    assert main(["document", "coins", "-"]) == 0
    assert capsys.readouterr().out == FILE.read_text("utf-8")


def test_a_report_tells_what_a_document_changes(capsys: Capture, renamed: Path, tmp_path: Path) -> None:
    command = ["balance", "coins", "--players", "2", "--compare", "built-in", "--compare", str(renamed)]
    out = ["--out", str(tmp_path / "report.html"), "--out", str(tmp_path / "report.json")]
    assert main([*command, "--games", "4", "--quick", *out]) == 0
    change = "sovereign, name: sovereign → pistole"
    assert f"my coins:\n  {change}" in capsys.readouterr().out
    assert f"<strong>my coins:</strong> {change}" in (tmp_path / "report.html").read_text("utf-8")
    assert json.loads((tmp_path / "report.json").read_text("utf-8"))["changes"] == {"my coins": [change]}
