"""A local Ray cluster of several nodes for tests, each with one core and a small object store."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ray
from ray.cluster_utils import Cluster

from ports import free_port

STORE = 80_000_000
TESTS = Path(__file__).parents[1]


class Nodes:
    """A cluster whose head runs no tasks. Tests add the nodes that do, and kill them."""

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster
        self._alive: list[Any] = []

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def join(self, **environment: str) -> Any:
        """Add a node of one core with these additional environment variables. It interprets rules, so that it starts quickly."""
        variables = {"MEADHALL_INTERPRET": "1", "PYTHONPATH": str(TESTS), **environment}
        node = self._cluster.add_node(num_cpus=1, object_store_memory=STORE, env_vars=variables)
        self._alive.append(node)
        return node

    def kill(self, node: Any) -> None:
        """End the processes of a node at once."""
        self._alive.remove(node)
        self._cluster.remove_node(node, allow_graceful=False)

    def kill_all(self) -> None:
        for node in tuple(self._alive):
            self.kill(node)

    @contextmanager
    def clients(self) -> Iterator[str]:
        """Run a server for programs on other machines and yield its address, ``ray://HOST:PORT``."""
        port = free_port()
        server = "import sys; from ray.util.client.server.server import main; main()"
        arguments = ["--host", "127.0.0.1", "--port", str(port), "--address", self.address, "--mode", "proxy"]
        process = subprocess.Popen([sys.executable, "-c", server, *arguments], stderr=subprocess.DEVNULL)
        try:
            yield f"ray://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


@contextmanager
def ray_nodes() -> Iterator[Nodes]:
    """Start a head and connect to it."""
    head = {"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False}
    cluster: Any = Cluster(initialize_head=True, head_node_args=head)
    try:
        ray.init(cluster.address, log_to_driver=False)
        yield Nodes(cluster)
    finally:
        ray.shutdown()
        cluster.shutdown()
