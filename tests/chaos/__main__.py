"""The long run: a hundred faults, with connections cut for a minute."""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from pathlib import Path

from chaos.faults import WEIGHTS
from chaos.run import run


def main() -> int:
    """Run faults as the command line says, and print the report. Return 1 if the run found a fault of the hall."""
    parser = argparse.ArgumentParser(prog="python -m chaos", description=__doc__)
    parser.add_argument("--faults", type=int, default=100, help="number of faults")
    parser.add_argument("--pause", type=float, default=4.0, help="average number of seconds between two faults")
    parser.add_argument("--cut", type=float, default=60.0, help="number of seconds that connections are cut")
    parser.add_argument("--seed", type=int, help="repeat the order of faults of an earlier run")
    parser.add_argument("--log", type=Path, help="folder for the hall's log")
    given = parser.parse_args()
    seed = random.randrange(10**6) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)  # noqa: T201 - the output of a command
    faults = random.Random(seed).choices([*WEIGHTS], [*WEIGHTS.values()], k=given.faults)
    report = asyncio.run(run(faults, given.pause, given.cut, given.log))
    print(report)  # noqa: T201
    return 1 if report.found else 0


if __name__ == "__main__":
    sys.exit(main())
