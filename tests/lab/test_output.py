"""Runs stream their matches into files, which are complete or absent, and need the same memory however long they are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import meadhall
from games_for_tests.kuhn import game as kuhn
from meadhall.cli import main
from meadhall.engine.errors import BadSetup, how_to_install
from meadhall.engine.match.record import read_records
from meadhall.lab import luck, output, tournament

GAME = "axes-and-allies"


def test_a_report_has_a_table_of_all_its_rates(tmp_path: Path) -> None:
    names = ["rows.json", "rows.csv", "rows.parquet"]
    report = meadhall.simulate(GAME, ["karl", "thrall"], games=9, seed="table", players=3, out=[tmp_path / n for n in names])
    table = report.to_polars()
    assert table.columns == pl.read_csv(tmp_path / "rows.csv").columns
    assert table.equals(pl.read_parquet(tmp_path / "rows.parquet"))
    assert json.loads((tmp_path / "rows.json").read_text()) == json.loads(json.dumps(report.to_dict()))
    found = table.rows_by_key(["bot", "seat", "place"], named=True, unique=True)
    for bot, rates in report.by_bot_and_seat.items():
        assert found[bot, None, None]["value"] == report.by_bot[bot].rate
        assert [found[bot, seat, None]["low"] for seat in range(3)] == [rate.low for rate in rates]
    for seat in range(3):
        assert found[None, seat, None]["games"] == report.by_seat[seat].games
        assert found[None, None, seat + 1]["value"] == report.by_place[seat].rate


def test_a_tournament_has_a_table_of_bots_and_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(luck, "PLAYOUTS", 2)
    report = tournament(GAME, ["thrall", "karl"], games=40, seed="table", luck=True, out=tmp_path / "rows.parquet")
    found = pl.read_parquet(tmp_path / "rows.parquet").rows_by_key(["figure", "bot"], named=True, unique=True)
    karl = report.standings["karl"]
    assert karl.rating is not None
    assert karl.adjusted is not None
    assert found["share", "karl"]["high"] == karl.high
    assert found["rating", "karl"]["value"] == karl.rating.mu
    assert found["adjusted", "karl"]["low"] == karl.adjusted.low
    assert (found["ahead", "karl"]["other"], found["ahead", "karl"]["value"]) == ("thrall", report.ahead["karl"]["thrall"].rate)


def test_points_have_a_row_for_each_bot() -> None:
    report = meadhall.simulate(kuhn, ["karl", "thrall"], games=4, seed="points")
    assert report.payoffs is not None
    assert [row["value"] for row in report.rows() if row["figure"] == "payoff"] == [each.mean for each in report.payoffs.values()]
    assert sum(row["figure"] == "payoff" for row in tournament(kuhn, ["thrall", "karl"], games=4, seed="points").rows()) == 2


@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.gz", "jsonl.zst"])
def test_records_can_be_compressed_and_verified(tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]) -> None:
    file, plain = tmp_path / f"records.{suffix}", tmp_path / "plain.jsonl"
    assert main(["simulate", GAME, "--games", "6", "--seed", "z", "--out", str(file), "--out", str(plain)]) == 0
    assert list(read_records(file)) == list(read_records(plain))
    assert main(["verify", str(file)]) == 0
    assert (file.stat().st_size < plain.stat().st_size) == (suffix != "jsonl")


def test_a_damaged_compressed_file_is_refused_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, data in (("a.gz", b"\x1f\x8b\x08\x00 no"), ("a.zst", b"\x28\xb5\x2f\xfd no")):
        (tmp_path / name).write_bytes(data)
        assert main(["verify", str(tmp_path / name)]) != 0
        assert "can't be decompressed" in "".join(capsys.readouterr())


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    names = ["rows.csv", "rows.parquet", "a.jsonl", "a.jsonl.gz", "a.jsonl.zst"]

    def written() -> list[bytes]:
        meadhall.simulate(GAME, games=5, seed="again", out=[tmp_path / name for name in names])
        return [(tmp_path / name).read_bytes() for name in names]

    assert written() == written()


def stop_after(count: int, error: type[BaseException]) -> Any:
    done: list[int] = []

    def progress(more: int) -> None:
        done.append(more)
        if sum(done) >= count:
            raise error

    return progress


def test_after_control_c_files_of_records_hold_the_matches_so_far(tmp_path: Path) -> None:
    table, lines = tmp_path / "rows.parquet", tmp_path / "records.jsonl.zst"
    with pytest.raises(KeyboardInterrupt):
        meadhall.simulate(GAME, games=100, seed="stop", out=[table, lines], progress=stop_after(20, KeyboardInterrupt))
    assert len(list(read_records(lines))) == 32  # two chunks
    assert sorted(file.name for file in tmp_path.iterdir()) == ["records.jsonl.zst"]
    files = [table, lines]
    report = tournament(GAME, ["thrall", "karl"], games=100, seed="stop", out=files, progress=stop_after(7, KeyboardInterrupt))
    assert len(list(read_records(lines))) == report.games == 7
    assert set(pl.read_parquet(table).filter(figure="share")["games"]) == {7}
    assert sorted(file.name for file in tmp_path.iterdir()) == ["records.jsonl.zst", "rows.parquet"]


def test_after_an_error_nothing_is_written_and_an_older_file_stays(tmp_path: Path) -> None:
    table, lines = tmp_path / "rows.parquet", tmp_path / "records.jsonl"
    lines.write_text("older")
    with pytest.raises(ZeroDivisionError):
        meadhall.simulate(GAME, games=100, out=[table, lines], progress=stop_after(20, ZeroDivisionError))
    assert [file.name for file in tmp_path.iterdir()] == ["records.jsonl"]
    assert lines.read_text() == "older"


def test_a_link_and_a_device_are_written_through(tmp_path: Path) -> None:
    target, link = tmp_path / "target.jsonl", tmp_path / "link.jsonl"
    link.symlink_to(target)
    meadhall.simulate(GAME, games=2, out=[link, os.devnull])
    assert link.is_symlink()
    assert len(list(read_records(target))) == 2


@pytest.mark.parametrize("wrong", [5, [5], "a\0b", ["\ud800"]])
def test_an_invalid_name_of_a_file_is_refused(wrong: Any) -> None:
    with pytest.raises(BadSetup, match=r"name of a file|file name|UTF-8"):
        meadhall.simulate(GAME, games=2, out=wrong)


def test_a_missing_polars_is_reported_before_the_first_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "find_spec", lambda name: None)
    assert main(["simulate", GAME, "--games", "1000000000", "--out", "rows.parquet"]) == 2
    assert f"not installed: {how_to_install('frames')}" in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", GAME, "--games", "10", "--out", str(tmp_path / "none" / "records.jsonl")]) == 2
    assert "No such file or directory" in capsys.readouterr().err


MEASURED = """
import resource, sys, meadhall
from meadhall.engine.compute import bulk
bulk.CHUNK = 1024
meadhall.simulate("axes-and-allies", ["karl", "thrall"], games=8192, seed="warm")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
meadhall.simulate("axes-and-allies", ["karl", "thrall"], games=400_000, seed="long")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.compiled
def test_the_memory_of_a_run_does_not_grow_with_its_length() -> None:
    """A list of the payoffs and lengths of 400,000 matches would take 10 MB."""
    command = [sys.executable, "-c", MEASURED]
    run = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "COVERAGE_PROCESS_CONFIG": ""})
    assert int(run.stdout) < 6_000  # KB
