"""Matches as rows of a Parquet file, format ``meadhall-matches/1``. It needs PyArrow (the extra ``parquet``).

The columns are described in ``docs/library/simulate.md``.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from meadhall.engine.errors import MeadhallError, how_to_install
from meadhall.engine.registry import game
from meadhall.lab.matches import Plan
from meadhall.lab.tables import seed_in_json

if TYPE_CHECKING:
    from meadhall.lab.output import Rows

FORMAT = "meadhall-matches/1"
PARQUET = ".parquet"
ROWS = 1 << 17
"""The least number of rows of a row group, except for the last group. They are kept in memory until then."""


class NoParquet(MeadhallError):
    """PyArrow is not installed."""


def check_parquet() -> None:
    """Check that Parquet files can be written, before a run that may take hours. Raises NoParquet."""
    if find_spec("pyarrow") is None:
        raise NoParquet(f"a Parquet file needs PyArrow, which is not installed: {how_to_install('parquet')}")


class ParquetTable:
    """Writes a row for each match. Row groups don't depend on what plays the matches, so the same run gives the same file."""

    def __init__(self, file: BinaryIO, plan: Plan, games: int) -> None:
        import pyarrow as pa  # noqa: PLC0415 - an optional dependency
        import pyarrow.parquet as pq  # noqa: PLC0415

        self._pa, self._plan = pa, plan
        name = pa.dictionary(pa.int32(), pa.string())
        subject = game(plan.game)
        options = json.dumps(plan.options, ensure_ascii=False, separators=(",", ":"))
        self._constants: list[tuple[str, Any, Any]] = [
            ("game", name, plan.game),
            ("rules", pa.int32(), subject.version),
            ("players", pa.int8(), plan.players),
            ("options", name, options),
            ("seed", name, plan.label),
        ]
        about = {
            "format": FORMAT,
            "meadhall": version("meadhall"),
            "game": plan.game,
            "options": plan.options,
            "bots": plan.bots,
            "seed": seed_in_json(plan.seed),
            "planned": games,
        }
        self._schema = pa.schema(
            [
                *((column, kind) for column, kind, _value in self._constants),
                ("match", pa.int64()),
                ("deal", pa.int64()),
                ("bots", pa.list_(name)),
                ("shares", pa.list_(pa.float64())),
                ("length", pa.int32()),
                ("luck", pa.list_(pa.float64())),
            ],
            metadata={"meadhall": json.dumps(about, ensure_ascii=False)},
        )
        self._writer = pq.ParquetWriter(file, self._schema, compression="zstd")
        self._waiting: list[Rows] = []
        self._count = 0
        self._written = 0

    def add(self, rows: Rows) -> None:
        """Write the next matches, or keep them until they fill a row group."""
        self._waiting.append(rows)
        self._count += len(rows.lengths)
        if self._count >= ROWS:
            self._write_group()

    def close(self) -> None:
        """Write the last row group and the footer, with the number of matches."""
        if self._waiting:
            self._write_group()
        self._writer.add_key_value_metadata({"meadhall.games": str(self._written)})
        self._writer.close()

    def _write_group(self) -> None:
        pa, first, count = self._pa, self._waiting[0].first, self._count
        numbers = range(first, first + count)
        payoffs, lengths = (np.concatenate([getattr(rows, name) for rows in self._waiting]) for name in ("payoffs", "lengths"))
        luck = [rows.luck for rows in self._waiting if rows.luck is not None]
        who = pa.DictionaryArray.from_arrays(self._plan.who(numbers).astype(np.int32).ravel(), list(self._plan.names))
        columns = [
            *(self._repeated(kind, value, count) for _column, kind, value in self._constants),
            np.arange(first, first + count),
            self._plan.deals(numbers),
            self._by_seat(who),
            self._by_seat(payoffs.ravel()),
            lengths.astype(np.int32),
            self._by_seat(np.concatenate(luck).ravel()) if luck else pa.nulls(count, pa.list_(pa.float64())),
        ]
        self._writer.write_table(
            pa.Table.from_arrays(
                [pa.array(column) if isinstance(column, np.ndarray) else column for column in columns], schema=self._schema
            ),
            row_group_size=count,
        )
        self._waiting, self._count, self._written = [], 0, self._written + count

    def _repeated(self, kind: Any, value: Any, count: int) -> Any:
        pa = self._pa
        if pa.types.is_dictionary(kind):
            return pa.DictionaryArray.from_arrays(np.zeros(count, np.int32), [value])
        return pa.array(np.full(count, value), kind)

    def _by_seat(self, values: Any) -> Any:
        """Return values by match and seat as a column of lists, null where a match was stopped."""
        pa = self._pa
        offsets = np.arange(0, len(values) + 1, self._plan.players, dtype=np.int32)
        stopped = np.isnan(values[:: self._plan.players]) if isinstance(values, np.ndarray) else np.zeros(0, bool)
        mask = pa.array(stopped) if stopped.any() else None
        return pa.ListArray.from_arrays(offsets, values if isinstance(values, pa.Array) else pa.array(values), mask=mask)
