"""Runs stream their matches into files, which are complete or absent, and need the same memory however long they are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import games_for_tests.hoard  # noqa: F401 (registers the game)
import meadhall
from meadhall.cli import main
from meadhall.engine.errors import BadSetup, how_to_install
from meadhall.engine.match.record import read_records
from meadhall.lab import luck, parquet, tournament

GAME = "axes-and-allies"


def rows(file: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(file).to_pylist()
    return found


def test_a_parquet_file_has_a_row_for_each_match(tmp_path: Path) -> None:
    """Whole matches, so that their records tell what the rows must say."""
    table, lines = tmp_path / "rows.parquet", tmp_path / "records.jsonl"
    meadhall.simulate(GAME, ["greedy", "random"], games=4, seed="rows", players=3, out=[table, lines])
    for number, (row, record) in enumerate(zip(rows(table), read_records(lines), strict=True)):
        assert row == {
            "game": GAME,
            "rules": record["rules"],
            "players": 3,
            "options": json.dumps(meadhall.game(GAME).check_options(record["options"]), separators=(",", ":")),
            "seed": "rows",
            "match": number,
            "deal": number,
            "bots": [seat["bot"] for seat in record["seats"]],
            "shares": record["result"]["scores"],
            "length": len(record["actions"]),
            "luck": None,
        }
        seed = f"{row['seed']}/{row['deal']}"
        assert meadhall.game(GAME).match(players=3, seed=seed).seed.hex() == record["seed"]


def test_the_metadata_tell_the_run(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    meadhall.simulate(GAME, ["greedy", "random"], games=10, seed=b"bytes", players=2, out=file)
    metadata = pq.read_schema(file).metadata
    about = json.loads(metadata[b"meadhall"])
    assert about["format"] == parquet.FORMAT
    assert (about["game"], about["bots"], about["planned"]) == (GAME, ["greedy", "random"], 10)
    assert about["seed"] == {"hex": b"bytes".ljust(32, b"\0").hex()}
    assert pq.read_metadata(file).metadata[b"meadhall.games"] == b"10"


def test_rows_of_compiled_loops_add_up_to_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "ROWS", 5)
    monkeypatch.setattr("meadhall.engine.compute.bulk.CHUNK", 2)
    file = tmp_path / "rows.parquet"
    report = meadhall.simulate(GAME, ["greedy", "random"], games=13, seed="sums", players=3, out=file)
    found = rows(file)
    assert [row["match"] for row in found] == list(range(13))
    assert pq.read_metadata(file).num_row_groups == 3
    assert np.array([row["shares"] for row in found]).sum(axis=0) == pytest.approx([rate.share for rate in report.by_seat])
    assert sum(row["length"] for row in found) == report.decisions
    for name, rate in report.by_bot.items():
        won = [share for row in found for bot, share in zip(row["bots"], row["shares"], strict=True) if bot == name]
        assert (len(won), sum(won)) == (rate.games, pytest.approx(rate.share))


def test_rows_of_a_tournament_hold_luck_and_deals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(luck, "PLAYOUTS", 4)
    file = tmp_path / "rows.parquet"
    report = tournament(GAME, ["thrall", "karl"], games=2, seed="luck", luck=True, out=file)
    found = rows(file)
    assert len(found) == report.games
    assert all(len(row["luck"]) == 2 for row in found)
    tournament("hoard", ["thrall", "karl"], games=4, seed="together", out=file, mode="together")
    both = [(["thrall"] * 2, 0), (["karl"] * 2, 0), (["thrall"] * 2, 1), (["karl"] * 2, 1)]
    assert [(row["bots"], row["deal"]) for row in rows(file)] == both


@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.gz", "jsonl.zst"])
def test_records_can_be_compressed_and_verified(tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]) -> None:
    file, plain = tmp_path / f"records.{suffix}", tmp_path / "plain.jsonl"
    assert main(["simulate", GAME, "--games", "6", "--seed", "z", "--out", str(file), "--records", str(plain)]) == 0
    assert list(read_records(file)) == list(read_records(plain))
    assert main(["verify", str(file)]) == 0
    assert (file.stat().st_size < plain.stat().st_size) == (suffix != "jsonl")


def test_a_damaged_compressed_file_is_refused_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, data in (("a.gz", b"\x1f\x8b\x08\x00 no"), ("a.zst", b"\x28\xb5\x2f\xfd no")):
        (tmp_path / name).write_bytes(data)
        assert main(["verify", str(tmp_path / name)]) != 0
        assert "can't be decompressed" in "".join(capsys.readouterr())


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    names = ["rows.parquet", "a.jsonl", "a.jsonl.gz", "a.jsonl.zst"]

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


def test_after_control_c_the_files_hold_the_matches_so_far(tmp_path: Path) -> None:
    table, lines = tmp_path / "rows.parquet", tmp_path / "records.jsonl.zst"
    with pytest.raises(KeyboardInterrupt):
        meadhall.simulate(GAME, games=100, seed="stop", out=[table, lines], progress=stop_after(20, KeyboardInterrupt))
    assert len(rows(table)) == len(list(read_records(lines))) == 32  # two chunks
    assert pq.read_metadata(table).metadata[b"meadhall.games"] == b"32"
    report = tournament(GAME, ["thrall", "karl"], games=100, seed="stop", out=table, progress=stop_after(7, KeyboardInterrupt))
    assert len(rows(table)) == report.games == 7
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


def test_a_missing_pyarrow_is_reported_before_the_first_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(parquet, "find_spec", lambda name: None)
    assert main(["simulate", GAME, "--games", "1000000000", "--out", "rows.parquet"]) == 2
    assert f"not installed: {how_to_install('parquet')}" in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", GAME, "--games", "10", "--out", str(tmp_path / "none" / "rows.parquet")]) == 2
    assert "No such file or directory" in capsys.readouterr().err


MEASURED = """
import resource, sys, meadhall
from meadhall.engine.compute import bulk
from meadhall.lab import parquet
bulk.CHUNK, parquet.ROWS = 1024, 4096
meadhall.simulate("axes-and-allies", ["greedy", "random"], games=8192, seed="warm", out=sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
meadhall.simulate("axes-and-allies", ["greedy", "random"], games=int(sys.argv[2]), seed="long", out=sys.argv[1])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.compiled
def test_the_memory_of_a_run_does_not_grow_with_its_length(tmp_path: Path) -> None:
    """A list of the payoffs and lengths of 400,000 matches would take 10 MB, and their Parquet columns 40."""
    command = [sys.executable, "-c", MEASURED, str(tmp_path / "rows.parquet"), "400000"]
    run = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "COVERAGE_PROCESS_CONFIG": ""})
    assert int(run.stdout) < 6_000  # KB
