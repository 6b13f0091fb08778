"""What people copy from a terminal stands in one line, and tables cut no value, however narrow the terminal is."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence
from pathlib import Path

import pytest

import meadhall
from meadhall.cli import main
from meadhall.server.settings import Settings
from meadhall.server.store.store import Store

GAME = "axes-and-allies"
SEED = "a seed of many words, which is longer than the line of a narrow terminal, and than eighty columns, too"

Capture = pytest.CaptureFixture[str]


@pytest.fixture(params=["40", "80", None])
def columns(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the width of the terminal; None: the output is redirected to a file."""
    monkeypatch.setenv("MEADHALL_LANG", "en")
    if request.param is None:
        monkeypatch.delenv("COLUMNS", raising=False)
    else:
        monkeypatch.setenv("COLUMNS", request.param)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a hall, whose path has many letters, spaces, umlauts and an emoji."""
    folder = tmp_path / f"Spiele für einen langen Abend 🎲 {'mit Freunden ' * 8}".strip()
    folder.mkdir()
    monkeypatch.setenv("MEADHALL_DATA", str(folder))
    monkeypatch.setenv("MEADHALL_URL", f"https://{'a-long-name.' * 8}example.org/")

    async def open_once() -> None:
        async with Store.open(Settings(data=folder)):
            pass

    asyncio.run(open_once())
    return folder


def printed(capsys: Capture, *command: str | Path, status: int = 0) -> list[str]:
    """Run a command and return its lines."""
    assert main([str(part) for part in command]) == status
    return capsys.readouterr().out.splitlines()


@pytest.mark.usefixtures("columns")
@pytest.mark.parametrize(
    "command",
    [
        ["simulate", GAME, "--games", "4"],
        ["tournament", GAME, "--bots", "thrall,karl", "--games", "4", "--processes", "1"],
        ["balance", GAME, "--players", "2", "--games", "4", "--quick"],
    ],
    ids=lambda command: command[0],
)
def test_a_report_has_its_seed_in_one_line_and_all_of_every_figure(capsys: Capture, command: Sequence[str]) -> None:
    lines = printed(capsys, *command, "--seed", SEED)
    assert any(SEED in line for line in lines)
    assert "…" not in "".join(lines)


@pytest.mark.usefixtures("columns")
def test_games_lists_whole_options(capsys: Capture) -> None:
    lines = printed(capsys, "games")
    options = [f"{each.name}={each.usage}" for name in meadhall.game_names() for each in meadhall.game(name).options]
    assert [option for option in options if not any(option in line for line in lines)] == []


@pytest.mark.usefixtures("columns")
def test_files_are_told_with_their_whole_path(capsys: Capture, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records, pdf, backup = folder / "records.jsonl", folder / "axxa.pdf", folder / "a.backup"
    meadhall.simulate(GAME, games=2, seed=SEED, out=records)
    assert str(records) in printed(capsys, "verify", records)[0]
    assert str(pdf) in printed(capsys, "print", "axxa", "--players", "1", "--out", pdf)[0]
    assert str(backup) in printed(capsys, "backup", backup)[0]
    monkeypatch.setattr("sys.stdin", io.StringIO(f"save {folder / 'mine'}\nquit\n"))
    played = printed(capsys, "play", GAME, "--players", "2", "--seed", SEED)
    assert any(str(folder / "mine") in line for line in played)
    assert main(["verify", str(folder / "absent")]) == 2
    assert str(folder / "absent") in capsys.readouterr().err


@pytest.mark.usefixtures("columns")
def test_addresses_and_commands_of_a_hall_are_whole(capsys: Capture, folder: Path) -> None:
    address = f"https://{'a-long-name.' * 8}example.org/"
    assert printed(capsys, "invite")[0].startswith(f"{address}admission/")
    main(["doctor"])
    assert any(str(folder) in line for line in capsys.readouterr().out.splitlines())


@pytest.mark.usefixtures("columns")
def test_the_next_commands_of_a_new_game_are_whole(capsys: Capture, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    name = "an-evening-game-of-dice"
    lines = printed(capsys, "new-game", name)
    assert any(f"{name}/" in line for line in lines)
    assert f"    meadhall check {name}" in lines
