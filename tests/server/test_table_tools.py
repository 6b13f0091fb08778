"""What stands at a table: it depends on who plays."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from meadhall.server.hall.table_tools import table_tools
from meadhall.server.store.models import Clock, SeatRow, TableRow


def table(*kinds: str) -> TableRow:
    seats = tuple(SeatRow(seat, kind, kind, None, frozenset(), str(seat)) for seat, kind in enumerate(kinds))  # type: ignore[arg-type]
    return TableRow("t", "axxa", 1, {}, "running", "", True, b"", datetime.now(UTC), seats)


@pytest.mark.parametrize(
    ("kinds", "company", "standing"),
    [
        (("human",), "alone", {"hints", "rethinking"}),
        (("human", "bot", "bot"), "bots", {"seats", "hints", "rethinking"}),
        (("human", "bot", "human"), "people", {"chat", "seats", "proposals", "hints"}),
        (("human", "open"), "people", {"chat", "seats", "proposals", "hints"}),
    ],
)
def test_a_table_has_what_its_company_needs(kinds: tuple[str, ...], company: str, standing: set[str]) -> None:
    found = vars(table_tools(table(*kinds)))
    assert found.pop("company") == company
    assert {name for name, stands in found.items() if stands} == standing


def test_the_puzzle_of_the_day_has_nothing_and_a_clock_can_be_stopped_alone() -> None:
    alone, clocked = table("human", "bot"), table("human", "bot")
    found = vars(table_tools(replace(alone, daily="2026-03-01")))
    assert found.pop("company") == "alone"
    assert not any(found.values())
    clock = Clock("seat", 300)
    assert table_tools(replace(clocked, clock=clock)).pause
    assert not table_tools(replace(table("human", "human"), clock=clock)).pause, "people agree on it"
