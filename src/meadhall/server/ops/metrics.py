"""Metrics of a hall. Every name that ends in ``_total`` is a counter. No label names a table, a match or a guest.

What every request changes are plain numbers, which Prometheus reads when it asks: its own counters cost more calls than a limit.
"""

from __future__ import annotations

import asyncio
import sys
import time
from bisect import bisect_left
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from itertools import accumulate
from math import inf
from typing import Final

from prometheus_client import REGISTRY, Counter, Gauge, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

if sys.platform != "win32":
    import resource

PROCESS: Final = "web"
"""The name of this process in metrics and in the log."""

disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series for each counter, which no one reads


class Tally:
    """A number that only grows."""

    __slots__ = ("number",)

    def __init__(self) -> None:
        self.number = 0

    def inc(self) -> None:
        """Count one more."""
        self.number += 1


class Tallies(Collector):
    """A counter, by a label."""

    def __init__(self, name: str, about: str, label: str) -> None:
        self._about = name, about, label
        self._by_label: dict[str, Tally] = {}
        REGISTRY.register(self)

    def labels(self, value: str) -> Tally:
        """Return the number of a value of the label."""
        return self._by_label.get(value) or self._by_label.setdefault(value, Tally())

    def collect(self) -> Iterable[Metric]:
        name, about, label = self._about
        family = CounterMetricFamily(name, about, labels=[label])
        for value, tally in self._by_label.items():
            family.add_metric([value], tally.number)
        yield family


class Spread:
    """How many values are below each bound, and their sum."""

    __slots__ = ("_bounds", "counts", "sum")

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def observe(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self._bounds, value)] += 1
        self.sum += value


class Spreads(Collector):
    """A histogram, by labels."""

    def __init__(self, name: str, about: str, bounds: Sequence[float], labels: Sequence[str] = ()) -> None:
        self.by_labels: dict[tuple[str, ...], Spread] = {}
        self._about = name, about
        self._bounds = tuple(bounds)
        self._labels = labels
        REGISTRY.register(self)

    def labels(self, *values: str) -> Spread:
        """Return the histogram of values of the labels."""
        return self.by_labels.get(values) or self.by_labels.setdefault(values, Spread(self._bounds))

    def observe(self, value: float) -> None:
        """Count a value of a histogram without labels."""
        self.labels().observe(value)

    def collect(self) -> Iterable[Metric]:
        family = HistogramMetricFamily(*self._about, labels=self._labels)
        bounds = [floatToGoString(bound) for bound in (*self._bounds, inf)]  # type: ignore[no-untyped-call]
        for values, spread in self.by_labels.items():
            family.add_metric(values, list(zip(bounds, accumulate(spread.counts), strict=True)), spread.sum)
        yield family


class Requests(Collector):
    """The requests of a hall by the template of their address: their number, their time, and how many are being answered."""

    _LABELS = ("method", "path", "status_code")

    def __init__(self) -> None:
        self.in_progress = 0
        self._times = Spreads(
            "meadhall_request_duration_seconds",
            "Time until a request was answered, in seconds",
            Histogram.DEFAULT_BUCKETS[:-1],
            self._LABELS,
        )
        REGISTRY.register(self)

    def count(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self._times.labels(method, path, str(status)).observe(seconds)

    def collect(self) -> Iterable[Metric]:
        yield GaugeMetricFamily("meadhall_requests_in_progress", "Requests that are being answered", self.in_progress)
        requests = CounterMetricFamily("meadhall_requests_total", "Requests", labels=self._LABELS)
        errors = CounterMetricFamily(
            "meadhall_requests_error_total", "Requests that failed with an internal error", labels=self._LABELS
        )
        for labels, spread in self._times.by_labels.items():
            requests.add_metric(labels, sum(spread.counts))
            if int(labels[-1]) >= 500:
                errors.add_metric(labels, sum(spread.counts))
        yield requests
        yield errors


REQUESTS: Final = Requests()

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
TRANSACTIONS = Tallies("meadhall_transactions_total", "Transactions: committed, rolled back, or no database", "outcome")
TRANSACTION_SECONDS = Spreads(
    "meadhall_transaction_seconds",
    "Time of a transaction, in seconds",
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
)
PUSH_MESSAGES = Counter("meadhall_push_messages_total", "Push messages: sent, gone, later or refused", ["outcome"])
MAILS = Counter("meadhall_mails_total", "Mails: sent, later, stopped (the address was refused) or refused", ["outcome"])
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


# ------------------------------------------------------------------------------------------------------- lag of the event loop

_INTERVAL: Final = 0.1
"""Seconds between two measurements of the event loop's lag."""

_QUIET: Final = 5.0
"""Seconds since the last request after which nothing is measured: it would keep an idle machine awake."""

_LAG = Spreads(
    "meadhall_event_loop_lag_seconds",
    "Delay of a sleeping task beyond the time that it asked for",
    [bound / 1000 for bound in (0.5, 1, 1.5, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 50, 100, 200, 500, 1000)],
    ["process"],
)


class LoopLag:
    """Measures while requests are answered how long a task that is ready waits for the event loop, which does something else."""

    def __init__(self) -> None:
        self._until = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._lag = _LAG.labels(PROCESS)

    @asynccontextmanager
    async def measured(self) -> AsyncIterator[None]:
        """Measure inside the block."""
        self.note_request()
        try:
            yield
        finally:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def note_request(self) -> None:
        """Measure for the next seconds."""
        now = time.perf_counter()
        self._until = now + _QUIET
        if self._timer is None:
            self._measure_later(now)

    def _measure_later(self, now: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(_INTERVAL, self._measure, now)

    def _measure(self, began: float) -> None:
        now = time.perf_counter()
        self._lag.observe(max(now - began - _INTERVAL, 0.0))
        self._timer = None
        if now < self._until:
            self._measure_later(now)
