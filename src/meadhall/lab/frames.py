"""Reports as data frames. They need Polars or pandas, optional dependencies (the extra ``frames``).

A frame has a row for each bot, seat or pair, and the same columns for every game: a value that a report lacks is null.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from meadhall.engine.checks import quoted
from meadhall.engine.errors import BadSetup, MeadhallError, how_to_install

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Row = dict[str, Any]

By = TypeVar("By", bound=str)
"""The names of a report's frames."""


class NoFrames(MeadhallError):
    """Polars or pandas is not installed."""


class InFrames(ABC, Generic[By]):
    """A report whose figures can be had as data frames."""

    @abstractmethod
    def frame_rows(self) -> Mapping[By, Iterable[Row]]:
        """Return the rows of each frame by its name, the usual one first.

        Examples:
            >>> import meadhall
            >>> report = meadhall.simulate("axes-and-allies", bots=["greedy", "random"], games=200, seed="mead")
            >>> list(report.frame_rows())
            ['bot', 'seat', 'bot and seat', 'place']
        """

    def to_polars(self, by: By | None = None) -> pl.DataFrame:
        """Return the figures as a Polars frame.

        Args:
            by: what has a row, see the class; by default each bot.

        Raises:
            BadSetup: there is no frame of this name.
            NoFrames: Polars is not installed.

        Examples:
            >>> import meadhall
            >>> report = meadhall.simulate("axes-and-allies", bots=["greedy", "random"], games=200, seed="mead")
            >>> report.to_polars().columns[:2]
            ['bot', 'games']
        """
        frame: pl.DataFrame = _library("polars").DataFrame(self._rows(by), infer_schema_length=None)
        return frame

    def to_pandas(self, by: By | None = None) -> pd.DataFrame:
        """Return the figures as a pandas frame.

        Args:
            by: what has a row, see the class; by default each bot.

        Raises:
            BadSetup: there is no frame of this name.
            NoFrames: pandas is not installed.

        Examples:
            >>> import meadhall
            >>> report = meadhall.simulate("axes-and-allies", bots=["greedy", "random"], games=200, seed="mead")
            >>> report.to_pandas().shape[0]
            2
        """
        frame: pd.DataFrame = _library("pandas").DataFrame(self._rows(by))
        return frame

    def _rows(self, by: By | None) -> list[Row]:
        known = self.frame_rows()
        chosen = next(iter(known)) if by is None else by
        if chosen not in known:
            raise BadSetup(f"a frame has a row for each {', '.join(known)}; there is none by {quoted(by)}")
        return list(known[chosen])


def _library(name: str) -> Any:
    if find_spec(name) is None:
        raise NoFrames(f"this frame needs {name}, which is not installed: {how_to_install('frames')}")
    return import_module(name)


def columns(figures: Any, kind: type[Any], prefix: str = "") -> Row:
    """Return the fields of a dataclass as columns; null for all of them if there are no figures."""
    if figures is None:
        return {f"{prefix}{field.name}": None for field in fields(kind)}
    return {f"{prefix}{name}": value for name, value in asdict(figures).items()}
