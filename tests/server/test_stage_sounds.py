"""The sounds of the stage: each one that is played has a caption, and the files are made by ``tools/sounds``."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from meadhall.engine.errors import BadGame
from meadhall.engine.game import BEAT_SECONDS
from meadhall.engine.registry import game
from meadhall.server.pages.stage_sounds import stage_beats, stage_sounds

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "src" / "meadhall" / "server" / "static" / "sounds"
GAMES = ("axes-and-allies", "axxa", "dungeon-allies", "viking-axes")
LARGEST = 120_000
"""Bytes of the sounds of a game together."""

HEADER = 58
"""Bytes of a file before its samples."""


def steps(path: Path) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Return the samples of a file, as steps of its scale from the most negative to the most positive."""
    codes = 255 - np.frombuffer(path.read_bytes()[HEADER:], np.uint8).astype(np.int32)
    return np.where(codes < 128, codes, 127 - codes)


def script(name: str) -> str:
    return (ROOT / "src" / "meadhall" / "games" / name.replace("-", "_") / "static" / "stage.js").read_text("utf-8")


@pytest.mark.parametrize("name", GAMES)
def test_a_page_loads_the_sounds_that_the_game_plays_and_few_bytes(name: str) -> None:
    played = set(re.findall(r'"([a-z]+)"', " ".join(re.findall(r"\bsound(?:At)?(?: = place =>|\()(.*)", script(name)))))
    played |= set(re.findall(r"sound\(`([a-z]+)-", script(name)))
    sounds = list(stage_sounds(name))
    assert len(played) >= 5
    assert {each.name for each in sounds} == played | {"victory", "loss"}
    assert sum((FOLDER.parent / file).stat().st_size for file in {each.file for each in sounds}) <= LARGEST


def test_a_game_that_names_an_unknown_sound_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game("axxa").page, "SOUNDS", ("gong",))
    with pytest.raises(BadGame, match=r"axxa: SOUNDS has 'gong'; there are die, .*thunder"):
        list(stage_sounds("axxa"))


@pytest.mark.parametrize("name", ["axes-and-allies", "axxa", "viking-axes"])
def test_the_stage_plays_every_kind_of_event_that_takes_time(name: str) -> None:
    beat, *kinds = stage_beats(name).split()
    assert float(beat) == 1000 * BEAT_SECONDS
    assert kinds
    assert {kind.split(":")[0] for kind in kinds} <= set(re.findall(r"\w+", script(name).rpartition("stage.acts(")[2]))


def test_the_sounds_are_made_by_the_script(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "tools" / "sounds", tmp_path], check=True)
    kept = {path.name: path for path in FOLDER.glob("*.wav")}
    assert kept.keys() == {path.name for path in tmp_path.glob("*.wav")}
    for name, path in kept.items():
        now, made = steps(path), steps(tmp_path / name)
        assert now.shape == made.shape
        assert np.abs(now - made).max() <= 1, name
