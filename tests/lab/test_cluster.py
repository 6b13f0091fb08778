"""What the program does for a cluster, with a stand-in for Ray that runs tasks in this process. ``test_ray.py`` uses Ray."""

from __future__ import annotations

import pickle
import re
import sys
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

import meadhall
from games_for_tests.nim import game as nim
from lab.works import Failing
from meadhall.engine.compile.rule import INTERPRETED
from meadhall.engine.compute import bulk, cluster, node
from meadhall.engine.compute.cluster import NoCluster, connected
from meadhall.engine.compute.executors import Processes, Serial, run_chunks
from meadhall.engine.compute.node import ClusterFailed, fingerprint
from meadhall.engine.errors import BadSetup, how_to_install
from meadhall.lab import tournament

GAME = "axes-and-allies"


class OneNode:
    """A stand-in for the module ``ray``, connected to a cluster of so many cores. ``fails``: errors of the next requests."""

    __spec__ = object()  # it counts as installed
    cloudpickle = SimpleNamespace(register_pickle_by_value=lambda _module: None)

    class exceptions:  # noqa: N801 - as Ray names them
        class RayError(Exception): ...

        class GetTimeoutError(RayError): ...

    def __init__(self, cores: int = 1) -> None:
        self.cores = cores
        self.fails: list[Exception] = []
        self.connected = True

    def is_initialized(self) -> bool:
        return self.connected

    def init(self, _address: str, **_how: Any) -> None:
        if self.fails:
            raise self.fails.pop()
        self.connected = True

    def shutdown(self) -> None:
        self.connected = False

    def remote(self, **_how: int) -> Callable[..., Any]:
        return lambda function: SimpleNamespace(remote=lambda *given: partial(function, *given))

    def put(self, content: bytes) -> bytes:
        return content

    def get(self, task: Callable[[], Any], timeout: float) -> Any:  # noqa: ARG002
        if self.fails:
            raise self.fails.pop()
        return task()

    def nodes(self) -> list[dict[str, Any]]:
        dead = {"Alive": False, "Resources": {"CPU": 8}}
        return [dead, {"Alive": self.cores > 0, "Resources": {"CPU": self.cores}}]


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> OneNode:
    """Return a connected cluster of two cores, and make tasks short, so that there are many."""
    monkeypatch.setattr(bulk, "CHUNK", 10)
    monkeypatch.setattr(cluster, "TASK_SECONDS", 0.05)
    monkeypatch.setattr(cluster, "PATIENCE_SECONDS", 0.0)
    node = OneNode(cores=2)
    monkeypatch.setitem(sys.modules, "ray", node)
    return node


@pytest.mark.usefixtures("ray")
def test_a_cluster_gives_the_same_results_in_the_same_order() -> None:
    alone, together = (meadhall.random_playouts(GAME, 3, 60, "same", cluster=where) for where in (None, "auto"))
    assert (alone.games, alone.decisions, alone.payoffs.tolist()) == (
        together.games,
        together.decisions,
        together.payoffs.tolist(),
    )
    with connected("auto") as executor:
        assert list(run_chunks(executor, Failing(-1), range(100), 10)) == list(range(0, 100, 10))


@pytest.mark.usefixtures("ray")
def test_errors_of_tasks_are_raised_as_they_are() -> None:
    with pytest.raises(BadSetup, match=r"^chunk 60 is wrong$"), connected("auto") as executor:
        list(run_chunks(executor, Failing(60), range(100), 10))


def test_a_cluster_that_is_not_there_is_reported(ray: OneNode) -> None:
    ray.connected, ray.fails = False, [ConnectionError("Nothing is there.\nTry something else.")]
    with pytest.raises(NoCluster, match=r"^there is no cluster at local: Nothing is there\.$"), connected("local"):
        pass
    with pytest.raises(NoCluster, match=r"^there is no cluster at 127.0.0.1:1: "), connected("ray://127.0.0.1:1"):
        pass


def test_a_connection_that_was_opened_is_closed(ray: OneNode) -> None:
    ray.connected = False
    with connected("local") as executor:
        assert list(run_chunks(executor, Failing(-1), range(20), 10)) == [0, 10]
    assert not ray.connected


def test_a_slow_task_is_waited_for_while_there_are_nodes(ray: OneNode) -> None:
    ray.fails = [ray.exceptions.GetTimeoutError()] * 3
    with connected("auto") as executor:
        assert list(run_chunks(executor, Failing(-1), range(20), 10)) == [0, 10]


def test_a_cluster_without_nodes_ends_the_run(ray: OneNode) -> None:
    ray.cores, ray.fails = 0, [ray.exceptions.GetTimeoutError()]
    with pytest.raises(ClusterFailed, match="lost all its nodes"), connected("auto") as executor:
        list(run_chunks(executor, Failing(-1), range(20), 10))


def test_a_task_that_keeps_dying_ends_the_run(ray: OneNode) -> None:
    ray.fails = [ray.exceptions.RayError("The worker died.")]
    with pytest.raises(ClusterFailed, match="repeated 10 times and failed: The worker died"), connected("auto") as executor:
        list(run_chunks(executor, Failing(-1), range(20), 10))


def test_a_node_refuses_work_of_another_version() -> None:
    """The function that a node runs, in this process."""
    work = Failing(60)
    same = fingerprint(work.subject)
    (first, *_) = same
    assert node.play(pickle.dumps(work), same, [range(10), range(10, 20)])[1] == [0, 10]
    with pytest.raises(ClusterFailed, match=f"has {first} .* instead of other; install the same on every node"):
        node.play(pickle.dumps(work), {**same, first: "other"}, [range(10)])
    assert "lacks this version of meadhall" in str(cluster._failure(ImportError("no module")))


@pytest.mark.parametrize("executor", [Serial(), Processes(2)], ids=["serial", "processes"])
def test_errors_of_chunks_are_the_same_without_a_cluster(executor: Any) -> None:
    with pytest.raises(BadSetup, match=r"^chunk 60 is wrong$"):
        list(run_chunks(executor, Failing(60), range(100), 10))


@pytest.mark.parametrize("address", ["here", "ray:/", "", "http://h", 5, None.__class__])
def test_an_invalid_address_is_refused(address: Any) -> None:
    with pytest.raises(BadSetup, match="cluster must be"):
        meadhall.random_playouts(GAME, 2, 10, cluster=address)


def test_a_missing_ray_is_reported_with_the_way_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "find_spec", lambda name: None)
    with pytest.raises(NoCluster, match=re.escape(f"not installed: {how_to_install('cluster')}")):
        meadhall.simulate(GAME, games=10, cluster="local")


@pytest.mark.usefixtures("ray")
def test_games_that_nodes_can_not_find_are_refused() -> None:
    with pytest.raises(BadSetup, match="not an installed game"):
        meadhall.random_playouts(nim, 2, 10, cluster="local")


@pytest.mark.usefixtures("ray")
def test_a_cluster_decides_itself_how_many_cores_it_uses() -> None:
    with pytest.raises(BadSetup, match="leave out the number of threads"):
        meadhall.random_playouts(GAME, 2, 10, threads=2, cluster="local")
    with pytest.raises(BadSetup, match="leave out the number of processes"):
        tournament(GAME, ["thrall", "karl"], games=2, processes=2, cluster="local")


@pytest.mark.usefixtures("ray")
def test_a_second_connection_is_refused() -> None:
    with pytest.raises(BadSetup, match="already connected"):
        meadhall.random_playouts(GAME, 2, 10, cluster="local")


@pytest.mark.compiled
@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_one_process_of_a_node_compiles_and_the_others_find_the_machine_code() -> None:
    compiled: list[int] = []

    class Counted(Failing):
        def compile(self) -> None:
            compiled.append(1)

    work = Counted(0)
    node._mark(work).unlink(missing_ok=True)
    for _ in range(2):
        node._compile_once(work)
    assert compiled == [1]


def test_tasks_grow_to_their_wanted_length_and_shrink_at_the_end() -> None:
    length = cluster._Length(1000)
    seen = []
    for _ in range(8):
        chunks = length.of(10**9, 6)
        seen.append(chunks)
        length.learn(chunks * 0.01, chunks)
    assert seen[0] == 1
    assert seen[-1] == cluster.TASK_SECONDS / 0.01
    assert all(later <= cluster.GROWTH * earlier for earlier, later in pairwise(seen))
    assert length.of(60, 6) == 10
    length.learn(1000.0, 10)
    assert length.of(10**9, 6) == 1
