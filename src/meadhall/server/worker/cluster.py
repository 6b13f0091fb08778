"""A worker on the nodes of a Ray cluster.

The hall asks a process on this machine that is connected to the cluster, because Ray takes memory and may abort its process.
That process keeps one actor on each node, a ``Thinker``. It uses all cores of its node, holds the machine code of the games and
keeps the search trees of its tables. Ray is an optional dependency (the extra ``cluster``).
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import logging
import math
import os
import pickle
import sys
import time
from dataclasses import dataclass, field
from threading import Thread
from typing import Any, Final, TypeVar

from meadhall.bots.bot import VARIABLE
from meadhall.engine.compute.cluster import NoCluster, connected
from meadhall.engine.compute.node import fingerprint
from meadhall.engine.registry import game, game_names
from meadhall.server.worker.client import NodeLost, NoNode, Worker, WorkerLost
from meadhall.server.worker.messages import TaskError
from meadhall.server.worker.remote import GameProcesses, WorkerProcess
from meadhall.server.worker.tasks import AnalyseMatch, ChooseAction, LoadRules, Progress, Task

log = logging.getLogger(__name__)

R = TypeVar("R")

_IDLE_SECONDS: Final = 3600.0
"""Seconds without a task after which the connection to the cluster ends, and with it the actors."""

_DECISION_SECONDS: Final = 3.5
"""Seconds within which a decision is asked for again when its node dies. The driver of the bots waits a little longer."""

_ATTEMPTS: Final = 3
"""How often a task is done again when its node dies: it may be the task that ends the node."""

_LATE_SECONDS: Final = 0.5
"""Seconds after the end of its search at which a decision is taken for lost. Ray needs longer to see that a machine is gone."""

_ASIDE_SECONDS: Final = 10.0
"""Seconds for which a node that has lost a task gets no other."""

_WATCH_SECONDS: Final = 1.0
"""Seconds between two looks at the nodes of the cluster, and at the progress of a task."""

_AT_ONCE: Final = 64
"""Tasks of a node that run at the same time."""


def new_worker(cluster: str) -> Worker:
    """Return the worker of a hall: on the cluster at this address, or on this machine if it is empty."""
    return ClusterWorker(cluster) if cluster else GameProcesses()


class ClusterWorker(Worker):
    """A worker on a cluster, and on this machine while the cluster has no node that can run a task.

    A task whose node dies is done again. A decision is then made in the rest of its time.
    """

    def __init__(self, address: str) -> None:
        self.cluster = WorkerProcess("meadhall.server.worker.process", address, idle_seconds=_IDLE_SECONDS)
        self._here = GameProcesses()

    async def run(self, task: Task[R], progress: Progress | None = None) -> R:
        """Run a task on a node; ``progress`` is called in the event loop."""
        loop = asyncio.get_running_loop()
        end = loop.time() + _DECISION_SECONDS
        for _ in range(_ATTEMPTS):
            shortened = task.within(max(0.05, end - loop.time()))
            try:
                return await self.cluster.run(shortened, progress)
            except NodeLost:
                continue
            except (NoNode, WorkerLost):
                return await self._here.run(shortened, progress)
        raise WorkerLost("every node that ran the task has died")

    async def warm(self, game: str) -> None:
        """Compile the rules on this machine. Every node does the same when it joins."""
        await self._here.warm(game)

    def forget(self, table: str) -> None:
        self.cluster.forget(table)
        self._here.forget(table)

    async def close(self) -> None:
        """End the actors and the processes of this machine."""
        await asyncio.gather(self.cluster.close(), self._here.close())


@dataclass(eq=False)
class _Node:
    """A node of the cluster.

    Attributes:
        id: Ray's id of the node.
        cores: its number of cores.
        actor: Ray's handle of its ``Thinker``.
        games: the games that it can play: it has the same rules, and their machine code.
    """

    id: str
    cores: int
    actor: Any
    games: set[str] = field(default_factory=set)

    def claim(self, key: str) -> float:
        """Return how much this node claims a table. The highest claim wins, so a node that joins or dies moves few tables."""
        number = int.from_bytes(hashlib.sha256(f"{key} {self.id}".encode()).digest()[:6])
        return -self.cores / math.log((number + 1) / (2**48 + 1))


class Nodes:
    """The nodes of a cluster, in the process that is connected to it. It looks for the cluster until there is one."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._nodes: dict[str, _Node] = {}
        self._aside: dict[str, float] = {}  # nodes that have lost a task, and when they may have tasks again
        self._numbers = itertools.count()
        Thread(target=self._connect, name="cluster", daemon=True).start()

    def run(self, task: Task[R], progress: Progress) -> R | None:
        """Run a task on the node of its table. Raises NoNode, NodeLost, and what the task raises."""
        number = next(self._numbers)
        key = task.table if isinstance(task, ChooseAction) else str(number)
        nodes = [node for node in tuple(self._nodes.values()) if task.process in node.games]
        if not nodes:
            raise NoNode
        node = max(nodes, key=lambda node: node.claim(key))
        return None if isinstance(task, LoadRules) else self._run(node, task, number, progress)

    def forget(self, table: str) -> None:
        """Drop the bots of a table."""
        for node in tuple(self._nodes.values()):
            node.actor.forget.remote(table)

    def _run(self, node: _Node, task: Task[R], number: int, progress: Progress) -> R:
        seconds = task.seconds if isinstance(task, ChooseAction) else None
        late = time.monotonic() + (math.inf if seconds is None else seconds + _LATE_SECONDS)
        try:
            reference = node.actor.run.remote(number, pickle.dumps(task))
            while not self._ray.wait([reference], timeout=min(_WATCH_SECONDS, max(0.0, late - time.monotonic())))[0]:
                if time.monotonic() >= late:
                    raise self._lose(node, "it doesn't answer")
                if isinstance(task, AnalyseMatch):
                    progress(self._ray.get(node.actor.progress.remote(number)))
            reply = pickle.loads(self._ray.get(reference))  # noqa: S301 - from our own actor
        except self._ray.exceptions.RayError as error:
            raise self._lose(node, str(error).strip().partition("\n")[0]) from None
        except BaseException:
            node.actor.cancel.remote(number)
            raise
        if isinstance(reply, TaskError):
            raise reply.error
        value: R = reply.value
        return value

    def _lose(self, node: _Node, reason: str) -> NodeLost:
        """Give a node no more tasks for a while, and return the error to raise."""
        if self._nodes.get(node.id) is node:
            log.warning("node %s of the cluster is lost: %s", node.id, reason)
            self._aside[node.id] = time.monotonic() + _ASIDE_SECONDS
            del self._nodes[node.id]
        return NodeLost(reason)

    def _connect(self) -> None:
        """Connect to the cluster, and watch its nodes. Try again as long as there is none."""
        reason = ""
        while True:
            try:
                with connected(self._address) as cluster:
                    self._ray = cluster.ray
                    self._ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
                    while True:
                        self._look()
                        time.sleep(_WATCH_SECONDS)
            except NoCluster as error:
                if reason != str(error):
                    log.warning("this machine thinks until there is a cluster: %s", error)
                reason = str(error)
            time.sleep(_WATCH_SECONDS)

    def _look(self) -> None:
        """Start an actor on every node that has joined, and forget the nodes that have gone."""
        alive = {node["NodeID"]: int(node["Resources"].get("CPU", 0)) for node in self._ray.nodes() if node["Alive"]}
        for node in tuple(self._nodes.values()):
            if node.id not in alive:
                self._lose(node, "it has left")
        for id, cores in alive.items():
            if cores and id not in self._nodes and self._aside.get(id, 0.0) <= time.monotonic():
                node = self._nodes[id] = _Node(id, cores, self._new_actor(id))
                Thread(target=self._prepare, args=(node,), name="node", daemon=True).start()

    def _new_actor(self, node: str) -> Any:
        """Start an actor that stays on a node. It reserves no core, so that bulk runs may share the cluster."""
        place = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node, soft=False)
        actor = self._ray.remote(num_cpus=0, max_concurrency=_AT_ONCE, scheduling_strategy=place)(Thinker)
        return actor.remote({VARIABLE: os.environ.get(VARIABLE, "")})

    def _prepare(self, node: _Node) -> None:
        """Let a node load the games one after the other, and use it for those that are ready."""
        for name in game_names():
            try:
                different = self._ray.get(node.actor.prepare.remote(name, fingerprint(game(name))))
            except self._ray.exceptions.RayError as error:
                self._lose(node, str(error).strip().partition("\n")[0])
                return
            if different:
                log.error("node %s of the cluster can't play %s: %s; install the same on every node", node.id, name, different)
            else:
                node.games.add(name)
        log.info("node %s of the cluster is ready, with %s cores", node.id, node.cores)


class Thinker:
    """Runs tasks on a node. Ray sends it as code and not as a name, so that it can tell which version a node has.

    Args:
        environment: variables of the hall that its bots need.
    """

    def __init__(self, environment: dict[str, str]) -> None:
        os.environ.update(environment)
        os.nice(10)
        self._bots: Any = None
        self._progress: dict[int, float] = {}  # of the tasks that run

    def prepare(self, name: str, expected: dict[str, str]) -> str:
        """Compile or load the rules of a game. Return what this node lacks for it, "" if nothing."""
        try:
            from meadhall.engine.compute.node import differences, fingerprint_like  # noqa: PLC0415
            from meadhall.server.worker.bot_cache import BotCache  # noqa: PLC0415
            from meadhall.server.worker.tasks import LoadRules  # noqa: PLC0415
            from meadhall.server.worker.warming import WarmRules  # noqa: PLC0415

            if different := differences(expected, fingerprint_like(expected)):
                return different
            self._bots = self._bots or BotCache()
            for task in (WarmRules(name), LoadRules(name)):
                task.run(self._bots, lambda _done: None)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return ""

    def run(self, number: int, content: bytes) -> bytes:
        """Run a task and return the reply to it, both as pickles."""
        from meadhall.server.worker.messages import LENGTH_BYTES, answered  # noqa: PLC0415

        def progress(done: float) -> None:
            if number not in self._progress:
                raise RuntimeError("the task was cancelled")
            self._progress[number] = done

        self._progress[number] = 0.0
        try:
            task: Any = pickle.loads(content)  # noqa: S301 - our own program has sent it
            return answered(number, lambda: task.run(self._bots, progress))[LENGTH_BYTES:]
        finally:
            self._progress.pop(number, None)

    def progress(self, number: int) -> float:
        """Return the part of a task that is done, 0 to 1."""
        return self._progress.get(number, 0.0)

    def cancel(self, number: int) -> None:
        """End a task whose result is no longer needed, at its next progress."""
        self._progress.pop(number, None)

    def forget(self, table: str) -> None:
        """Drop the bots of a table."""
        if self._bots is not None:
            self._bots.forget(table)
