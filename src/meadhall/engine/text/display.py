"""Readable forms of the library's objects: rich text for terminals (``__rich__``) and HTML for notebooks (``_repr_html_``).

Both show the same sections: a title, paragraphs, and tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, Group, RenderResult
    from rich.table import Table as RichTable


NBSP = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True)
class Table:
    """A table of texts.

    Attributes:
        heads: the headings of the columns; empty for a table without headings.
        rows: the rows, each with one text per column.
        title: a line above the table, "" for none.
        sums: the number of rows at the end that sum up the others.
        numbers: whether all columns but the first hold numbers, which are aligned at the right.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    sums: int = 0
    numbers: bool = False

    def to_rich(self) -> RichTable:
        """Return the table for a terminal."""
        from rich.box import HEAVY_HEAD  # noqa: PLC0415 - only a terminal needs Rich
        from rich.table import Table as RichTable  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        title = Text(self.title) if self.title else None
        table = RichTable(title=title, title_justify="left", show_header=bool(self.heads), box=HEAVY_HEAD if self.heads else None)
        for column in range(len(self.heads or next(iter(self.rows), ()))):
            right = self.numbers and column > 0
            heading = Text(self.heads[column]) if self.heads else ""
            table.add_column(heading, justify="right" if right else "left", overflow="fold")
        for number, row in enumerate(self.rows):
            if self.sums and number == len(self.rows) - self.sums:
                table.add_section()
            table.add_row(*map(Text, row))
        return table

    def to_html(self) -> str:
        """Return the table as HTML."""
        caption = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in self.heads)
        rows = "".join(f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>" for row in self.rows)
        return f"<table>{caption}{f'<thead><tr>{heads}</tr></thead>' if heads else ''}<tbody>{rows}</tbody></table>"


@dataclass(frozen=True)
class Fitting:
    """A table for a terminal of any width: where the table is too wide, its rows stand below each other, and no value is cut."""

    table: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text  # noqa: PLC0415 - only a terminal needs Rich

        shown = self.table.to_rich()
        if console.measure(shown, options=options.update(width=10_000)).maximum <= options.max_width:
            yield shown
            return
        if self.table.title:
            yield Text(self.table.title)
        for name, *values in self.table.rows:
            heads = self.table.heads[1:] or ("",) * len(values)
            said = (f"{head} {value}".strip().replace(" ", NBSP) for head, value in zip(heads, values, strict=True) if value)
            yield Text(name)
            for line in wrap(" \N{MIDDLE DOT} ".join(said), options.max_width - 4, break_long_words=False):
                yield Text(f"    {line}")


class Displayed:
    """Base of the objects that print readably in a terminal and in a notebook."""

    def displayed(self) -> Iterator[str | Table]:
        """Yield the parts of the readable form: first a title, then paragraphs (a text may have several lines) and tables."""
        raise NotImplementedError

    def __rich__(self) -> Group:
        from rich.console import Group  # noqa: PLC0415 - only a terminal needs Rich
        from rich.text import Text  # noqa: PLC0415

        title, *parts = self.displayed()
        return Group(
            Text(str(title), style="bold"), *(Fitting(part) if isinstance(part, Table) else Text(part) for part in parts)
        )

    def _repr_html_(self) -> str:
        title, *parts = self.displayed()
        shown = (part.to_html() if isinstance(part, Table) else f"<pre>{escape(part)}</pre>" for part in parts)
        return f"<div><p><strong>{escape(str(title))}</strong></p>{''.join(shown)}</div>"
