"""``meadhall analyse``: the chances of a recorded match in the terminal and as JSON."""

from __future__ import annotations

import json
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from meadhall.cli import main
from meadhall.cli.console import progress_bar
from meadhall.engine.match.record import dumps, loads
from meadhall.engine.registry import game

RECORDS = Path(__file__).parents[1] / "records"
AXES = RECORDS / "axes-and-allies" / "4-players-0.match.json"
VIKINGS = RECORDS / "viking-axes" / "2-players-strategic-0.match.json"

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEADHALL_LANG", "en")
    monkeypatch.setenv("COLUMNS", "100")


def printed(capture: Capture, *arguments: str | Path) -> str:
    assert main(["analyse", *map(str, arguments)]) == 0
    out, err = capture.readouterr()
    assert err == ""
    return out


def refused(capture: Capture, *arguments: str | Path) -> str:
    assert main(["analyse", *map(str, arguments)]) == 2
    out, err = capture.readouterr()
    assert out == ""
    assert err.startswith("meadhall: ")
    assert err.count("\n") == 1
    return err


def record(path: Path) -> dict[str, Any]:
    return loads(path.read_text("utf-8"))


def test_chances_turning_points_and_the_outcome_are_printed(capsys: Capture) -> None:
    out = printed(capsys, AXES)
    assert "Exact values" in out
    names = [seat["name"] for seat in record(AXES)["seats"]]
    bars = {line.split()[0]: line for line in out.splitlines() if set(line) & set("▁▂▃▄▅▆▇█")}
    assert list(bars) == names
    assert sum("100\xa0%" in line for line in bars.values()) == 1
    assert "hacks" in out
    assert "wins" in out.splitlines()[-1]
    assert all(len(line) <= 100 for line in out.splitlines())


def test_json_contains_every_chance(capsys: Capture) -> None:
    found = json.loads(printed(capsys, AXES, "--json"))
    recorded = record(AXES)
    assert len(found["chances"]) == len(recorded["actions"]) + 1
    assert found["chances"][-1] == recorded["result"]["scores"]
    assert found["parties"] == [[0], [1], [2], [3]]
    assert found["knowledge"] == "public"
    for point in found["turning"]:
        seat = point["party"][0]
        assert point["after"] == found["chances"][point["position"]][seat]
        assert recorded["actions"][point["position"] - 1]["n"] == point["n"]


@pytest.mark.compiled
def test_knowledge_and_time_are_options(capsys: Capture) -> None:
    everything = json.loads(printed(capsys, VIKINGS, "--knowledge", "everything", "--seconds", "0.2", "--json"))
    assert everything["knowledge"] == "everything"
    assert min(everything["samples"][:-1]) >= 32
    assert "As the players saw it" in printed(capsys, VIKINGS, "--seconds", "0.2")


@pytest.mark.compiled
def test_a_long_match_fits_into_the_terminal(capsys: Capture) -> None:
    out = printed(capsys, RECORDS / "viking-axes" / "7-players-strategic-0.match.json", "--seconds", "0.2")
    assert all(len(line) <= 100 for line in out.splitlines())
    assert len(out.splitlines()) < 70


def test_every_record_of_a_file_is_analysed(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "two.jsonl"
    file.write_text(f"{dumps(record(AXES))}\n{dumps(record(AXES))}\n", "utf-8")
    lines = printed(capsys, file, "--json").splitlines()
    assert len(lines) == 2
    assert lines[0] == lines[1]
    assert printed(capsys, file).count("Axes and Allies") == 2


def test_an_abandoned_match_can_be_analysed(capsys: Capture, tmp_path: Path) -> None:
    match = game("axes-and-allies").match(players=4, seed="given up")
    match.play(match.legal()[0])
    file = tmp_path / "given-up.match.json"
    file.write_text(dumps(match.record(abandoned="all players left")), "utf-8")
    for knowledge, heading in (("public", "As the players saw it."), ("everything", "With hidden cards revealed:")):
        words = printed(capsys, file, "--knowledge", knowledge)
        assert heading in words
        assert "The match was given up." in words


def test_an_invalid_record_or_option_is_refused(capsys: Capture, tmp_path: Path) -> None:
    forged = record(AXES)
    forged["actions"][0]["events"][1][-1] ^= 1
    file = tmp_path / "forged.match.json"
    file.write_text(dumps(forged), "utf-8")
    assert "derived" in refused(capsys, file)
    file.write_text("[]", "utf-8")
    assert "not a match record" in refused(capsys, file)
    file.write_text(dumps(game("axes-and-allies").match(players=2, seed="running").record()), "utf-8")
    assert "seed: missing" in refused(capsys, file)
    assert "does not exist" in refused(capsys, tmp_path / "nothing")
    assert "public or everything, not mine" in refused(capsys, AXES, "--knowledge", "mine")
    assert "a number of seconds, not inf" in refused(capsys, AXES, "--seconds", "inf")


def test_markup_in_a_file_name_is_not_interpreted_by_the_progress_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = StringIO()
    screen = partial(Console, file=drawn, width=100, force_terminal=True, color_system=None)
    monkeypatch.setattr("meadhall.cli.console.Console", screen)
    with progress_bar("two [bold][/b].json", 1) as show:
        show(completed=1)
    assert "two [bold][/b].json" in drawn.getvalue()


def test_the_output_is_translated(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEADHALL_LANG", "de")
    out = printed(capsys, AXES)
    assert "Wendepunkte" in out
    assert "Genaue Werte" in out
