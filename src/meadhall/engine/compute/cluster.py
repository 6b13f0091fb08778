"""Chunks on a Ray cluster.

Ray runs the tasks, repeats those that a dead node took with it, and uses nodes that join. This module decides how many chunks
make a task, keeps the results in order, and checks that every node plays by the same rules. Ray is an optional dependency
(the extra ``cluster``).
"""

from __future__ import annotations

import logging
import os
import pickle
import socket
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import islice
from typing import Any

from meadhall.engine.checks import check_text, quoted
from meadhall.engine.compute.executors import R, Work, chunks_of, cores
from meadhall.engine.compute.node import ClusterFailed, Fingerprint, fingerprint
from meadhall.engine.errors import BadSetup, MeadhallError, how_to_install
from meadhall.engine.game import Game
from meadhall.engine.registry import installed

TASK_SECONDS = 4.0
"""The wanted duration of a task: long compared with Ray's cost of a task (about a millisecond), short compared with a run."""
MAX_TASK_GAMES = 1 << 18
"""The largest number of games of a task, so that its results stay small."""
GROWTH = 4
"""How many times longer than the longest finished task the next one may be."""
AHEAD = 3
"""The number of tasks queued per core, so that none waits for work."""
RETRIES = 10
"""How often a task is repeated when its node or process dies, before the run is given up."""
WATCH_SECONDS = 1.0
"""The time between two looks at how many cores the cluster has."""
PATIENCE_SECONDS = 60.0
"""How long a run waits for a node while the cluster has none with a core."""
CONNECT_SECONDS = 10.0
"""How long a connection to a cluster may take to open."""
LOCAL_STORE_BYTES = 200_000_000
"""The size of the object store of a cluster on this machine. Results are small and are collected at once."""


class NoCluster(MeadhallError):
    """Ray is not installed, or the cluster can't be reached."""


def check_cluster(address: Any, subject: Game) -> str:
    """Return the address of a cluster. Raises BadSetup or NoCluster."""
    text = check_text(address, "a cluster")
    if text not in ("local", "auto") and not text.startswith("ray://"):
        raise BadSetup(f"a cluster must be local, auto or ray://HOST:PORT, not {quoted(address)}")
    if find_spec("ray") is None:
        raise NoCluster(f"a cluster needs Ray, which is not installed: {how_to_install('cluster')}")
    if not installed(subject):
        raise BadSetup(f"{subject.name} is not an installed game, so the nodes of a cluster can't find it")
    return text


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """Connect to a cluster, or start one on this machine (``local``). Raises NoCluster.

    ``auto`` finds the cluster that this machine belongs to, or that of ``RAY_ADDRESS``. If the process is already connected, it
    uses that connection and leaves it open. A connection that is opened here is closed at the end; a local cluster is stopped.
    """
    import ray  # noqa: PLC0415 - an optional dependency

    if ray.is_initialized():
        if address != "auto":
            raise BadSetup("this process is already connected to a cluster, which cluster='auto' uses")
        yield Cluster(ray)
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a program that plays games reports nothing to anyone
    _check_port(os.environ.get("RAY_ADDRESS", "") if address == "auto" else address)
    own: dict[str, Any] = {"include_dashboard": False, "num_cpus": cores(), "object_store_memory": LOCAL_STORE_BYTES}
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **(own if address == "local" else {}))
    except (ConnectionError, RuntimeError, OSError, ValueError, ImportError) as error:
        reason = str(error).strip().splitlines()[:1] or [type(error).__name__]
        raise NoCluster(f"there is no cluster at {address}: {reason[0]}") from None
    try:
        yield Cluster(ray)
    finally:
        ray.shutdown()


def _check_port(address: str) -> None:
    """Check that something listens at ``HOST:PORT``, because Ray tries for minutes. Raises NoCluster."""
    place = address.removeprefix("ray://")
    host, colon, port = place.rpartition(":")
    if not colon or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise NoCluster(f"there is no cluster at {place}: {getattr(error, 'strerror', None) or error}") from None


class Cluster:
    """Runs chunks on a Ray cluster, several of them in a task.

    Attributes:
        ray: the module, connected.
    """

    def __init__(self, ray: Any) -> None:
        self.ray = ray
        self._looked = 0.0
        self._cores = 0

    def results(self, work: Work[R], numbers: range, chunk: int) -> Generator[R, None, None]:
        """See ``Executor``. Raises ClusterFailed, and the errors of the work.

        If it ends early, its tasks end with the connection. On a connection that stays open, the few tasks that are queued are
        played, seconds of work for each core, and their results are dropped: ``ray.cancel`` of Ray 2.60 may abort this process.
        """
        run = self.ray.remote(num_cpus=1, max_retries=RETRIES)(_play_on_a_node())
        content = self.ray.put(pickle.dumps(work))
        expected = fingerprint(work.subject)
        waiting, left = chunks_of(numbers, chunk), -(-len(numbers) // chunk)
        length = _Length(max(1, MAX_TASK_GAMES // chunk))
        tasks: deque[tuple[Any, int]] = deque()  # Ray's reference to the result, and the number of chunks
        while left or tasks:
            room = AHEAD * max(1, self.cores())
            while left and len(tasks) < room:
                parts = list(islice(waiting, length.of(left, room)))
                left -= len(parts)
                tasks.append((run.remote(content, expected, parts), len(parts)))
            reference, chunks = tasks.popleft()
            seconds, results = self._result(reference)
            length.learn(seconds, chunks)
            yield from results

    def cores(self) -> int:
        """Return the number of cores of all nodes that live."""
        now = time.monotonic()
        if now - self._looked >= WATCH_SECONDS:
            self._cores = sum(int(each["Resources"].get("CPU", 0)) for each in self.ray.nodes() if each["Alive"])
            self._looked = now
        return self._cores

    def _result(self, reference: Any) -> tuple[float, list[Any]]:
        """Wait for a task's result, to which Ray has given this reference. Raises ClusterFailed, and the errors of the work."""
        errors = self.ray.exceptions
        seen = time.monotonic()
        while True:
            try:
                found: tuple[float, list[Any]] | Exception = self.ray.get(reference, timeout=WATCH_SECONDS)
            except errors.GetTimeoutError:
                if self.cores():
                    seen = time.monotonic()
                elif time.monotonic() - seen > PATIENCE_SECONDS:
                    raise ClusterFailed("the cluster has lost all its nodes") from None
                continue
            except errors.RayError as error:
                reason = str(error).strip().splitlines() or [type(error).__name__]
                raise ClusterFailed(f"a task of the cluster was repeated {RETRIES} times and failed: {reason[0]}") from None
            if isinstance(found, Exception):
                raise _failure(found)
            return found


def _play_on_a_node() -> Callable[[bytes, Fingerprint, list[range]], tuple[float, list[Any]] | Exception]:
    """Return the function that Ray sends to the nodes.

    It is defined here so that Ray sends its code and not its name: it runs beside any version of meadhall.
    """

    def play_on_a_node(content: bytes, expected: dict[str, str], parts: list[range]) -> tuple[float, list[Any]] | Exception:
        """Play chunks on a node. Return an error instead of raising it: an ImportError where meadhall is missing, or older."""
        try:
            from meadhall.engine.compute.node import play  # noqa: PLC0415 - only on the node

            return play(content, expected, parts)
        except Exception as error:
            return error

    return play_on_a_node


def _failure(cause: Exception) -> Exception:
    """Return the error to raise for one that a task has raised."""
    if isinstance(cause, ImportError):
        return ClusterFailed(f"a node of the cluster lacks this version of meadhall: {cause}; install the same on every node")
    return cause


class _Length:
    """The number of chunks of a task. It starts at 1 and adapts to ``TASK_SECONDS``, growing at most by ``GROWTH``."""

    def __init__(self, most: int) -> None:
        self._length = 1
        self._most = most

    def of(self, left: int, room: int) -> int:
        """Return the number for the next task: fewer near the end of the run, so that all cores finish together."""
        return max(1, min(self._length, -(-left // room)))

    def learn(self, seconds: float, chunks: int) -> None:
        """Adapt to the seconds that a task of so many chunks has taken."""
        wanted = int(TASK_SECONDS * chunks / max(seconds, 1e-6))
        self._length = max(1, min(wanted, self._most, max(self._length, GROWTH * chunks)))
