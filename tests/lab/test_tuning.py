"""Tuning: the values that a search may change, its targets, and the front that it finds."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import meadhall
from games_for_tests.race import game as race
from meadhall.cli import main
from meadhall.engine.errors import BadSetup, how_to_install
from meadhall.engine.options import Choice
from meadhall.engine.registry import registered
from meadhall.lab import Tuning, tune
from meadhall.lab.tuning import run
from meadhall.lab.tuning.problem import changed, knobs_of

FREE, TARGET = ["start.1=0..4"], ["place<1.05"]
DOCUMENT = {"door": [{"gold": 1, "needs": {"red": 1}}, {"gold": 3, "needs": {}}], "name": "Doors", "refill": True}


@pytest.fixture(autouse=True)
def registered_game() -> Iterator[None]:
    with registered(race):
        yield


@pytest.fixture(scope="module")
def found() -> Iterator[Tuning]:
    """A search in a race that whoever begins wins too often."""
    with registered(race):
        yield tune("race", FREE, TARGET, trials=8, games=192, seed="mead")


def test_the_front_mends_what_is_unfair(found: Tuning) -> None:
    first, last = found.front[0], found.front[-1]
    assert (first.changes, set(last.changes)) == ({}, {"start.1"})
    assert first.figures[2]["place<1.05"].value > 1.2
    assert last.misses["place<1.05"] < first.misses["place<1.05"]
    report = meadhall.balance("race", 2, {"tuned": {"track": last.components}}, games=400, depth="quick", seed="other")
    assert report.figures["tuned", 2]["place"].value < first.figures[2]["place<1.05"].low


def test_bad_candidates_stop_early_and_no_document_plays_twice(found: Tuning) -> None:
    assert found.ended == "complete"
    assert 1 < found.tried <= 5
    assert found.stopped > 0
    fresh = 2 * 192 * len(found.front)
    assert found.matches - fresh < found.tried * 192


def test_the_same_seed_gives_the_same_front() -> None:
    fronts = [tune("race", FREE, TARGET, trials=3, games=32, seed="mead").to_dict()["front"] for _ in range(2)]
    assert fronts[0] == fronts[1]


def test_the_command_writes_components_with_their_comments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('game = "race"\nstart = [0, 0] # the space of each place\n')
    command = [
        "tune",
        str(mine),
        "--free",
        "start.1=[3]",
        "--target",
        "place<1.05",
        "--trials",
        "2",
        "--games",
        "64",
        "--seed",
        "m",
    ]
    assert main([*command, "--json", "--out", str(tmp_path / "front")]) == 0
    report = json.loads(capsys.readouterr().out)
    texts = [file.read_text() for file in sorted((tmp_path / "front").iterdir())]
    assert texts[0] == mine.read_text()
    assert [tomllib.loads(text)["start"] for text in texts] == [
        [0, point["changes"].get("start.1", 0)] for point in report["front"]
    ]
    assert "# the space of each place" in texts[-1]
    assert main(command) == 0
    told = capsys.readouterr().out
    assert "tuned values" in told
    change = "start: 0, 0 → 0, 3"
    assert [f"  {change}" in told, f"#   {change}" in texts[-1]] == [len(texts) > 1] * 2


@pytest.mark.parametrize(
    ("spec", "values"),
    [
        ("door.*.gold", {"door.0.gold": (0, 1, 2, 3), "door.1.gold": (1, 2, 3, 4, 5)}),
        ("door.0.needs", {"door.0.needs.red": (0, 1, 2, 3)}),
        ("door.1.needs.blue=1..2", {"door.1.needs.blue": (0, 1, 2)}),
        ("refill=[true, false]", {"refill": (True, False)}),
        ("door.1.needs = [{red = 2}]", {"door.1.needs": ({}, {"red": 2})}),
        ("door.*.gold+=-1..1", {"door.*.gold+": (-1, 0, 1)}),
    ],
)
def test_values_are_freed_by_their_paths(spec: str, values: dict[str, tuple[object, ...]]) -> None:
    assert {knob.name: knob.values for knob in knobs_of(DOCUMENT, [spec])} == values


def test_a_number_is_added_to_several_values() -> None:
    knobs = knobs_of(DOCUMENT, ["door.*.gold+=0..2"])
    assert [door["gold"] for door in changed(DOCUMENT, knobs, {"door.*.gold+": 2})["door"]] == [3, 5]
    assert knobs[0].start == 0
    assert knobs_of(DOCUMENT, ["door.*.gold"])[1].start == 3


@pytest.mark.parametrize(
    ("free", "targets", "message"),
    [
        (["gates.*"], TARGET, "leads to no value"),
        (["start.1=many"], TARGET, "neither a range"),
        ([f"start.1=[{'9' * 5000}]"], TARGET, "neither a range"),
        (["start.1=[0]"], TARGET, "no other value"),
        (["lucky"], TARGET, "whole number"),
        (["start.*", "start.0"], TARGET, "free twice"),
        ([], TARGET, "at least one value"),
        (["start.*=1..2=3"], TARGET, "neither a range"),
        (["start.1=20..30"], TARGET, "spaces from 0 to 11"),
        (FREE, ["place is small"], "given as place<1.1"),
        (FREE, ["swords<2"], "there is no swords"),
        (FREE, [], "at least one target"),
    ],
)
def test_bad_arguments_are_refused(free: list[str], targets: list[str], message: str) -> None:
    with pytest.raises(BadSetup, match=message):
        tune("race", free, targets, trials=5, games=2, seed="mead")


def test_a_game_without_components_and_a_missing_library_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadSetup, match=r"'start\.1=0\.\.4' is none of its options: last_two, sides, kills_on"):
        tune("axes-and-allies", FREE, TARGET)
    monkeypatch.setattr(run, "find_spec", lambda _name: None)
    with pytest.raises(run.NoOptuna, match=re.escape(how_to_install("tune"))):
        tune("race", FREE, TARGET)


def test_a_number_of_the_rules_is_searched_and_the_obvious_one_is_found(tmp_path: Path) -> None:
    """The more rolls kill, the shorter is a duel, and the more a match is won by the first player."""
    found = tune("axes-and-allies", ["sides=[6, 12]", "kills_on=4..6"], ["place.1>1.6"], 2, seed="mead", trials=12, games=256)
    printed, best = found.front[0], found.front[-1]
    assert (printed.changes, printed.components) == ({}, {})
    assert best.options == best.changes == {"kills_on": 4}
    assert best.figures[2]["place.1>1.6"].value > printed.figures[2]["place.1>1.6"].high
    assert [file.read_text() for file in found.write_points(tmp_path)][-1] == "# --option kills_on=4\n"


def test_options_and_values_of_a_document_are_searched_together() -> None:
    mood = Choice("mood", {"calm": "Calm.", "wild": "Wild."})
    moody = replace(race, name="moody-race", options=(*race.options, mood))
    with registered(moody):
        found = tune(moody, ["mood", *FREE], TARGET, trials=12, games=64, seed="mead")
        assert set(found.front[-1].changes) == {"start.1"}, "a mood changes nothing, so it isn't in the front"
        assert found.tried > 5
        for free, fault in (("mood=[merry]", "mood must be one of"), ("mood=[calm]", "no other value")):
            with pytest.raises(BadSetup, match=fault):
                tune(moody, [free], TARGET)
        with pytest.raises(BadSetup, match="mood is free twice"):
            tune(moody, ["mood", "mood"], TARGET)
