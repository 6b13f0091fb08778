"""The playthroughs of OpenSpiel replay unchanged: same states, texts, observations and results.

After a wanted change write them again, see ``playthroughs/make.py``, and read what has changed.
"""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pyspiel
import pytest
from absl import flags
from open_spiel.python.algorithms import generate_playthrough

from meadhall import game, game_names
from meadhall.engine.options import Choice, HouseRule


def loaded() -> Any:
    spec = spec_from_file_location("playthroughs", Path(__file__).parent / "playthroughs" / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = loaded()


SHORT = ("axes_and_allies", "goofspiel", "kuhn")
NAMES = [name if name in SHORT else pytest.param(name, marks=pytest.mark.long) for name in make.PLAYTHROUGHS]


@pytest.mark.parametrize("name", NAMES)
def test_a_playthrough_replays_unchanged(name: str) -> None:
    flags.FLAGS(["tests"])
    file = make.file_of(name)
    expected, actual = generate_playthrough.replay(str(file))
    assert f"game: python_meadhall_{make.PLAYTHROUGHS[name]}" == expected.partition("\n")[0]
    for number, (one, other) in enumerate(zip(expected.splitlines(), actual.splitlines(), strict=True), 1):
        assert other == one, f"line {number} of {file.name}"


def test_every_variant_of_every_installed_game_has_one() -> None:
    played = [pyspiel.load_game(f"python_meadhall_{text}").setting for text in make.PLAYTHROUGHS.values()]
    installed = [game(name) for name in game_names() if name in ("axes-and-allies", "axxa", "dungeon-allies", "viking-axes")]
    for subject in installed:
        shown = [setting.options for setting in played if setting.game.name == subject.name]
        assert shown
        for option in subject.options:
            if isinstance(option, Choice) and not isinstance(option, HouseRule):
                assert {options[option.name] for options in shown} == set(option.values)


def test_every_file_is_replayed() -> None:
    assert {file.stem for file in make.FOLDER.glob("*.txt")} == set(make.PLAYTHROUGHS)
