"""Compute docs/host/scale.md, what a hall of a given size needs, from the figures in scale.toml.

    .venv/bin/python benchmarks/scale.py [--check]

``--check`` writes nothing and fails when the page on disk differs from the computed one.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "host" / "scale.md"
SIZES = (100, 10_000, 1_000_000)
GB = 1e9


@dataclass(frozen=True)
class Need:
    """The needs of a number of matches of one game a day, in the busiest hour and on disk."""

    moves: float  # a second
    cores: float  # for pages, at the target load
    tables: float  # open at the same time
    memory: float  # of the web server, in bytes
    disk: float  # a year, in bytes

    @classmethod
    def of(cls, figures: dict[str, Any], moves_of_a_match: float, matches: int) -> Need:
        measured, assumed = figures["measured"], figures["assumed"]
        hourly = matches * assumed["busiest_hour"]
        moves = hourly * moves_of_a_match / 3600
        cores = moves * measured["cpu_ms_a_move"] / 1000 / assumed["load"]
        tables = hourly * assumed["minutes_a_match"] / 60
        pages = tables * assumed["pages_a_table"]
        memory = 1e6 * (max(1, ceil(cores)) * measured["web_mb"] + tables * measured["table_mb"] + pages * measured["page_mb"])
        bytes_a_move = measured["bytes_a_move"] + measured["bytes_of_record_a_move"]
        return cls(moves, cores, tables, memory, 365 * matches * (moves_of_a_match * bytes_a_move + assumed["bytes_a_table"]))


def written(value: float) -> str:
    """Write a number with two significant digits."""
    if value >= 100:
        digits = len(str(int(value))) - 2
        return f"{round(value, -digits):,.0f}"
    return f"{value:.2g}"


def table(figures: dict[str, Any]) -> Iterator[str]:
    yield "| matches a day | game | moves a second | cores | tables at once | memory | disk a year |"
    yield "|--:|---|--:|--:|--:|--:|--:|"
    for matches in SIZES:
        for title, moves in figures["moves_a_match"].items():
            need = Need.of(figures, moves, matches)
            sizes = (f"{written(amount / GB)} GB" for amount in (need.memory, need.disk))
            cells = f"{matches:,}", title, written(need.moves), written(need.cores), written(need.tables), *sizes
            yield f"| {' | '.join(cells)} |"


def page() -> str:
    figures = tomllib.loads((HERE / "scale.toml").read_text(encoding="utf-8"))
    measured, assumed = figures["measured"], figures["assumed"]
    lengths = ", ".join(f"{title} {moves:g}" for title, moves in figures["moves_a_match"].items())
    return figures["page"].format(
        **measured,
        **{**assumed, "busiest_hour": f"{100 * assumed['busiest_hour']:g} %", "load": f"{100 * assumed['load']:g} %"},
        lengths=lengths,
        table="\n".join(table(figures)),
        moves_of_a_core=written(1000 / measured["cpu_ms_a_move"] * assumed["load"]),
        pages_of_a_gb=written(1000 / (measured["page_mb"] + measured["table_mb"] / assumed["pages_a_table"])),
        tables_of_a_worker=written(assumed["load"] / measured["worker_cores_a_table"]),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    if not parser.parse_args().check:
        PAGE.write_text(page(), encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != page():
        sys.exit(f"{PAGE} differs from its figures: run benchmarks/scale.py")


if __name__ == "__main__":
    main()
