"""On a real Ray cluster runs give the same results as on one core, also if a node dies or joins, and mistakes are reported."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

import meadhall
from lab.works import Failing
from meadhall.engine.compute import bulk, cluster
from meadhall.engine.compute.cluster import connected
from meadhall.engine.compute.executors import run_chunks
from meadhall.engine.compute.node import ClusterFailed
from meadhall.engine.match.record import read_records
from meadhall.lab import tournament
from meadhall.lab.matches import CHUNK

if TYPE_CHECKING:
    from lab.ray_nodes import Nodes

pytestmark = [pytest.mark.long, pytest.mark.skipif(find_spec("ray") is None, reason="Ray has no wheel for this platform")]

GAME = "axes-and-allies"
SOURCE = Path(meadhall.__file__).parent


@pytest.fixture(scope="module")
def head() -> Iterator[Nodes]:
    from lab.ray_nodes import ray_nodes  # noqa: PLC0415 - every process that collects tests would import Ray

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COVERAGE_PROCESS_CONFIG", "")  # not of Ray's processes
        with ray_nodes() as nodes:
            yield nodes


@pytest.fixture
def nodes(head: Nodes, monkeypatch: pytest.MonkeyPatch) -> Iterator[Nodes]:
    """Return a cluster without nodes, and make tasks short, so that there are many."""
    monkeypatch.setattr(bulk, "CHUNK", 50)
    monkeypatch.setattr(cluster, "TASK_SECONDS", 0.2)
    yield head
    head.kill_all()


def playouts(_folder: Path, games: int, **how: Any) -> tuple[object, ...]:
    found = meadhall.random_playouts(GAME, 4, games, "same", **how)
    return found.games, found.decisions, found.payoffs.tolist()


def loops(folder: Path, games: int, **how: Any) -> tuple[object, ...]:
    return reported(meadhall.simulate, ["karl", "thrall"], games, folder, ["rows.parquet"], **how)


def matches(folder: Path, games: int, **how: Any) -> tuple[object, ...]:
    files = ["rows.parquet", "records.jsonl.zst", "records.jsonl.gz", "records.jsonl"]
    return reported(meadhall.simulate, ["karl", "thrall"], games, folder, files, **how)


def rated(folder: Path, games: int, **how: Any) -> tuple[object, ...]:
    return reported(tournament, ["thrall", "karl"], games, folder, ["rows.parquet"], **how)


def reported(
    run: Callable[..., Any], bots: list[str], games: int, folder: Path, names: list[str], **how: Any
) -> tuple[object, ...]:
    """Return the report without times, and the bytes of all files."""
    folder.mkdir()
    files = [folder / name for name in names]
    report = run(GAME, bots, games, players=3, seed="same", out=files, **how).to_dict()
    timeless = {name: value for name, value in report.items() if "second" not in name}
    return (timeless, *(file.read_bytes() for file in files))


ONE_CORE_AND_ALL: list[tuple[Callable[..., tuple[object, ...]], int, dict[str, int], dict[str, int]]] = [
    (playouts, 400, {"threads": 1}, {}),
    (loops, 400, {}, {}),
    (matches, 40, {}, {"processes": 2}),
    (rated, 12, {}, {"processes": 2}),
]


def test_the_same_seed_gives_the_same_bytes_on_one_core_on_all_and_on_a_cluster(nodes: Nodes, tmp_path: Path) -> None:
    nodes.join()
    nodes.join()
    for run, games, one_core, all_cores in ONE_CORE_AND_ALL:
        alone = run(tmp_path / f"{run.__name__}-alone", games, **one_core)
        assert run(tmp_path / f"{run.__name__}-all", games, **all_cores) == alone
        assert run(tmp_path / f"{run.__name__}-cluster", games, cluster="auto") == alone


def test_a_node_that_joins_is_used_and_one_that_dies_is_made_up_for(nodes: Nodes, tmp_path: Path) -> None:
    """After the first results a node joins and the only other one is killed: the rest is played by the node that joined."""
    first = nodes.join()
    done: list[int] = []

    def progress(more: int) -> None:
        if not done:
            nodes.join()
            nodes.kill(first)
        done.append(more)

    assert matches(tmp_path / "cluster", 40, cluster="auto", progress=progress) == matches(tmp_path / "one", 40)
    assert sum(done) == 40


def test_a_program_on_another_machine_connects_by_address(nodes: Nodes) -> None:
    nodes.join()
    command = [sys.executable, "-m", "meadhall.cli", "simulate", GAME, "--games", "120", "--seed", "s", "--json"]
    alone = subprocess.run(command, check=True, capture_output=True, text=True)
    with nodes.clients() as address:
        remote = subprocess.run([*command, "--cluster", address], check=False, capture_output=True, text=True)
    assert remote.returncode == 0, remote.stderr
    here, there = json.loads(alone.stdout), json.loads(remote.stdout)
    assert (here["by_seat"], here["length"]) == (there["by_seat"], there["length"])


def test_a_node_with_another_version_of_the_game_is_refused_by_name(nodes: Nodes, tmp_path: Path) -> None:
    shutil.copytree(SOURCE, tmp_path / "meadhall", ignore=shutil.ignore_patterns("server", "__pycache__"))
    with (tmp_path / "meadhall" / "games" / "axes_and_allies" / "rules.py").open("a") as rules:
        rules.write("\n# another rule\n")
    nodes.join(PYTHONPATH=str(tmp_path))
    with pytest.raises(ClusterFailed, match=r"node .* has source of meadhall.games.axes_and_allies \w+ instead of \w+"):
        playouts(tmp_path, 400, cluster="auto")


def test_a_node_without_meadhall_is_refused(nodes: Nodes, tmp_path: Path) -> None:
    (tmp_path / "meadhall.py").touch()
    nodes.join(PYTHONPATH=str(tmp_path))
    with pytest.raises(ClusterFailed, match=r"lacks this version of meadhall.*install the same on every node"):
        playouts(tmp_path, 400, cluster="auto")


def test_a_task_that_keeps_dying_ends_the_run(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "RETRIES", 1)
    nodes.join()
    played: list[int] = []
    with pytest.raises(ClusterFailed, match="repeated 1 times and failed"), connected("auto") as executor:
        played.extend(run_chunks(executor, Failing(60, die=True), range(100), 10))
    assert 60 not in played


def descendants(mark: str) -> list[str]:
    """Return the commands of all processes with this value of MEADHALL_TEST_MARK in their environment."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and folder.name != str(os.getpid()):
            try:
                if f"MEADHALL_TEST_MARK={mark}".encode() in (folder / "environ").read_bytes():
                    found.append((folder / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_control_c_ends_a_local_cluster_and_leaves_a_valid_file(tmp_path: Path) -> None:
    """SIGINT goes to the whole group of processes, as from a terminal."""
    mark, file = uuid4().hex, tmp_path / "records.jsonl"
    options = ["--games", "1000000000", "--bots", "thrall", "--cluster", "local", "--out", str(file)]
    process = subprocess.Popen(
        [sys.executable, "-m", "meadhall.cli", "simulate", GAME, *options],
        env={**os.environ, "MEADHALL_TEST_MARK": mark, "MEADHALL_INTERPRET": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    while not any("ray::play_on_a_node" in command for command in descendants(mark)):  # a task is being played
        assert process.poll() is None, process.stderr
        assert time.monotonic() < deadline
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "")
    while remaining := descendants(mark):
        assert time.monotonic() < deadline, remaining
        time.sleep(0.1)
    assert len(list(read_records(file))) % CHUNK == 0
    assert list(tmp_path.iterdir()) == [file]


def test_a_cluster_that_is_not_there_is_reported() -> None:
    command = [sys.executable, "-m", "meadhall.cli", "simulate", GAME, "--cluster"]
    nowhere = {**os.environ, "RAY_ADDRESS": "127.0.0.1:1", "MEADHALL_INTERPRET": "1"}
    for address in ("auto", "ray://127.0.0.1:1"):
        refused = subprocess.run([*command, address], check=False, capture_output=True, text=True, env=nowhere)
        assert refused.returncode == 2
        assert refused.stderr.startswith("meadhall: there is no cluster at 127.0.0.1:1: ")
        assert refused.stderr.count("\n") == 1
