"""The types of the library as a program of a user sees them: mypy --strict on a file outside the project."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
from typing import assert_type

import meadhall
from meadhall import Game, Match, View
from meadhall.games.axes_and_allies import game
from meadhall.games.axes_and_allies.rules import State

match = game.match(players=3, seed=7)
assert_type(match, Match[State])
assert_type(match.state, State)
assert_type(match.state.power, int)
assert_type(match.view(0).state.power, int)
assert_type(meadhall.game(game), Game[State])

by_name = meadhall.game("axes-and-allies").match(players=3, seed=b"any")
power: int = by_name.state.power


def strength(view: View[State]) -> int:
    return view.state.power + view.state.alive[0]


def of_any_game(view: View, match: Match, game: Game) -> str:
    return f"{view!r} {match.state} {game.name}"


strength(match.view())
living: list[int] = [*match.state.alive[:2], match.state.allied[0][1]]
match.state.no_such_field
"""


def test_the_fields_of_a_state_are_known_to_mypy(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "mypy.ini").write_text("[mypy]\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "mypy.ini", "--cache-dir", "cache", "program.py"]
    checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    lines = checked.stdout.splitlines()
    assert 'program.py:30: error: "State" has no attribute "no_such_field"' in lines[0], checked.stdout + checked.stderr
    assert lines[1:] == ["Found 1 error in 1 file (checked 1 source file)"]
