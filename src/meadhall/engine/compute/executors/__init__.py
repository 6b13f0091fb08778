"""Executors: run the chunks of a bulk run in this process, in threads, in processes, or on a Ray cluster.

All of them give the same results in the same order (``docs/decisions/0017-chunks-on-a-cluster.md``).
"""

from meadhall.engine.compute.executors.executor import Executor, Pieces, Progress, Work, run_chunks
from meadhall.engine.compute.executors.local import Processes, Serial, Threads

__all__ = ["Executor", "Pieces", "Processes", "Progress", "Serial", "Threads", "Work", "run_chunks"]
