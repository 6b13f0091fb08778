"""The sounds of the stage: each one that is played has a caption, and the files are made by ``tools/sounds``."""

from __future__ import annotations

import re
import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import pytest

from meadhall.engine.game import BEAT_SECONDS
from meadhall.server.pages.stage_sounds import stage_beats, stage_sounds

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "src" / "meadhall" / "server" / "static" / "sounds"
LARGEST = 400_000
"""Bytes of all sounds together."""


def samples(path: Path) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    with wave.open(str(path), "rb") as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.int32)


def test_every_sound_that_a_stage_plays_is_known() -> None:
    played = set[str]()
    for script in (ROOT / "src" / "meadhall").glob("**/stage.js"):
        text = script.read_text("utf-8")
        played |= set(re.findall(r'sound\([^`;]*?"([a-z]+)"', text)) | set(re.findall(r"sound\(`([a-z]+)-", text))
        played |= {name for places in re.findall(r"sound\(\{(.*?)\}", text) for name in re.findall(r'"(\w+)"', places)}
    assert len(played) > 20
    assert played <= {each.name for each in stage_sounds()}


@pytest.mark.parametrize("name", ["axes-and-allies", "axxa", "viking-axes"])
def test_the_stage_plays_every_kind_of_event_that_takes_time(name: str) -> None:
    script = (ROOT / "src" / "meadhall" / "games" / name.replace("-", "_") / "static" / "stage.js").read_text("utf-8")
    beat, *kinds = stage_beats(name).split()
    assert float(beat) == 1000 * BEAT_SECONDS
    assert kinds
    assert {kind.split(":")[0] for kind in kinds} <= set(re.findall(r"\w+", script.rpartition("stage.acts(")[2]))


def test_the_sounds_are_small_and_made_by_the_script(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "tools" / "sounds", tmp_path], check=True)
    kept = {path.name: path for path in FOLDER.glob("*.wav")}
    assert kept.keys() == {path.name for path in tmp_path.glob("*.wav")}
    assert {Path(each.file).name for each in stage_sounds() if each.file} <= kept.keys()
    assert sum(path.stat().st_size for path in kept.values()) < LARGEST
    for name, path in kept.items():
        now, made = samples(path), samples(tmp_path / name)
        assert now.shape == made.shape
        assert np.abs(now - made).max() <= 2, name
