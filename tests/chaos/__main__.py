"""The long run: a hundred faults."""

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
    parser.add_argument("--hold", type=float, default=8.0, help="most seconds in which the database can't be written")
    parser.add_argument("--only", choices=[*WEIGHTS], help="let only this fault happen")
    parser.add_argument("--seed", type=int, help="repeat the order of faults of an earlier run")
    parser.add_argument("--log", type=Path, help="folder for the hall's log")
    given = parser.parse_args()
    seed = random.randrange(10**6) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)  # noqa: T201 - the output of a command
    weights = {given.only: 1} if given.only else WEIGHTS
    faults = random.Random(seed).choices([*weights], [*weights.values()], k=given.faults)
    report = asyncio.run(run(faults, given.pause, given.hold, given.log))
    print(report)  # noqa: T201
    return 1 if report.found else 0


if __name__ == "__main__":
    sys.exit(main())
