"""Targets: what a figure of the report should be, and how far the matches of a candidate are from it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isnan

import numpy as np

from meadhall.engine.checks import quoted
from meadhall.engine.compute.bulk import Floats
from meadhall.engine.errors import BadSetup
from meadhall.lab.balance.columns import Column, Columns

_TARGET = re.compile(r"(?P<figure>[a-z][\w.]*)\s*(?P<sign>[<>=])\s*(?P<goal>-?\d+(\.\d+)?)\s*(?P<percent>%)?")


@dataclass(frozen=True)
class Miss:
    """How far some matches are from a target: 0 if they meet it.

    Attributes:
        value: the distance.
        residuals: float64 (matches,): what each match adds to its error.
    """

    value: float
    residuals: Floats


@dataclass(frozen=True)
class Target:
    """A figure with the value that it should have, at most have (``<``), or at least have (``>``)."""

    figure: str
    sign: str
    goal: float

    def __str__(self) -> str:
        return f"{self.figure}{self.sign}{self.goal:g}"

    def column(self, columns: Columns) -> Column:
        """Return the column of the figure; of ``place`` that of the largest. Raises BadSetup if there is no such figure."""
        if self.figure in columns:
            return columns[self.figure]
        places = [column for name, column in columns.items() if name.startswith("place.")]
        if self.figure == "place" and places:
            return max(places, key=lambda column: column.value)
        families = ", ".join(dict.fromkeys(["place", *(name.partition(".")[0] for name in columns)]))
        raise BadSetup(
            f"a target is a mean of matches, such as place.1 or turns; there is no {self.figure}. Families: {families}"
        )

    def miss(self, columns: Columns) -> Miss:
        """Return how far the figure is from its goal."""
        column = self.column(columns)
        beyond = column.value - self.goal
        way = (1.0 if beyond > 0 else -1.0) if self.sign == "=" else 1.0 if self.sign == "<" else -1.0
        if isnan(beyond):  # nothing was counted, for example because no match ended
            return Miss(inf, np.zeros(len(column.sums)))
        if not way * beyond > 0:
            return Miss(0.0, np.zeros(len(column.sums)))
        return Miss(way * beyond, way * column.residuals)


def targets_of(specs: Sequence[str]) -> list[Target]:
    """Read targets: ``place<1.1``, ``turns=14``, ``shared<20%``; several may stand in a text with commas. Raises BadSetup."""
    found = []
    for spec in (part for each in specs for part in each.split(",")):
        parsed = _TARGET.fullmatch(spec.strip())
        if parsed is None:
            raise BadSetup(f"a target is given as place<1.1, turns=14 or points>20, not as {quoted(spec)}")
        found.append(Target(parsed["figure"], parsed["sign"], float(parsed["goal"]) / (100 if parsed["percent"] else 1)))
    if not found:
        raise BadSetup("at least one target must be given")
    return found
