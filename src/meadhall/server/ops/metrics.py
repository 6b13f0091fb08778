"""Metrics of all processes of a hall. Any web process answers for all of them.

With several web processes, prometheus_client keeps the figures of each process in files of a folder that the supervisor names
(``PROMETHEUS_MULTIPROC_DIR``). Counters and histograms are summed, also over processes that have ended. Gauges are summed over
those that run.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Final

from prometheus_client import REGISTRY, CollectorRegistry, Gauge, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

if sys.platform != "win32":
    import resource

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable with the folder of all processes' figures. It must be set before prometheus_client is imported."""

INTERVAL: Final = 1.0
"""Seconds between two measurements of gauges."""

ROOMS = Gauge("meadhall_rooms", "Tables in memory", multiprocess_mode="livesum")
STREAMS = Gauge("meadhall_streams", "Open event streams", multiprocess_mode="livesum")

_CPU = Gauge("meadhall_process_cpu_seconds", "CPU time of a process", ["process"], multiprocess_mode="livesum")
_MEMORY = Gauge("meadhall_process_resident_bytes", "Memory of a process (RSS)", ["process"], multiprocess_mode="livesum")


def measure_process(name: str) -> None:
    """Measure the CPU time and memory of this process, ``web-1``, ``worker`` and so on."""
    _CPU.labels(name).set(time.process_time())
    _MEMORY.labels(name).set(_resident_bytes())


def exposition() -> bytes:
    """Return the metrics of all processes in the text format of Prometheus."""
    if FOLDER not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


def _resident_bytes() -> int:
    """Return the memory that this process occupies; where the system doesn't tell, the most that it has occupied."""
    try:
        with open("/proc/self/statm", "rb") as figures:  # noqa: PTH123 - read every second
            return int(figures.read().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
