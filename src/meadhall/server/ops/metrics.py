"""Metrics of a hall. Every name that ends in ``_total`` is a counter. No label names a table, a match or a guest."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from prometheus_client import Counter, Gauge, Histogram, disable_created_metrics, generate_latest

if sys.platform != "win32":
    import resource

PROCESS: Final = "web"
"""The name of this process in metrics and in the log."""

disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series for each counter, which no one reads

TABLES = Gauge("meadhall_tables", "Tables that gather players, or whose match runs", ["status"])
MATCHES_ENDED = Counter("meadhall_matches_ended_total", "Matches that have ended: over, or abandoned", ["game", "status"])
GAME_READY = Gauge("meadhall_game_ready", "Whether a game can be played yet", ["game"])
DATABASE_UP = Gauge("meadhall_database_up", "Whether the database answers")
LAST_BACKUP = Gauge(
    "meadhall_last_backup_timestamp_seconds",
    "When `meadhall backup` last wrote a whole backup, in seconds since 1970; 0: never",
)
WORKER_TASKS = Gauge("meadhall_worker_tasks", "Tasks that wait for the worker's answer", ["task"])
WORKER_SECONDS = Histogram(
    "meadhall_worker_task_seconds",
    "Time until the worker has answered a task, in seconds",
    ["task"],
    buckets=[0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 2, 3, 3.25, 3.5, 3.8, 5, 10, 30, 60],
)
TRANSACTIONS = Counter("meadhall_transactions_total", "Transactions: committed, rolled back, or no database", ["outcome"])
TRANSACTION_SECONDS = Histogram(
    "meadhall_transaction_seconds",
    "Time of a transaction, in seconds",
    buckets=[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
)
PUSH_MESSAGES = Counter("meadhall_push_messages_total", "Push messages: sent, gone, later or refused", ["outcome"])
FAILED_SIGN_INS = Counter("meadhall_failed_sign_ins_total", "Failed attempts to sign in, by the way or in a pause", ["way"])
ROOMS = Gauge("meadhall_rooms", "Tables in memory")
STREAMS = Gauge("meadhall_streams", "Open event streams")

_CPU = Counter("meadhall_process_cpu_seconds_total", "CPU time of the processes with a name", ["process"])
_cpu_counted = {PROCESS: 0.0}
_MEMORY = Gauge("meadhall_process_resident_bytes", "Memory of a process (RSS)", ["process"])


def measure_process() -> None:
    """Measure the CPU time and memory of this process."""
    used = time.process_time()
    _CPU.labels(PROCESS).inc(max(0.0, used - _cpu_counted[PROCESS]))
    _cpu_counted[PROCESS] = used
    _MEMORY.labels(PROCESS).set(_resident_bytes())


@contextmanager
def waiting_for_worker(task: str) -> Iterator[None]:
    """Measure a task of the worker during the block, by the name of its kind."""
    running, began = WORKER_TASKS.labels(task), time.monotonic()
    running.inc()
    try:
        yield
    finally:
        running.dec()
        WORKER_SECONDS.labels(task).observe(time.monotonic() - began)


def exposition() -> bytes:
    """Return the metrics in the text format of Prometheus."""
    return generate_latest()


def _resident_bytes() -> int:
    """Return the memory that this process occupies; where the system doesn't tell, the most that it has occupied."""
    try:
        with open("/proc/self/statm", "rb") as figures:  # noqa: PTH123 - read every second
            return int(figures.read().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
