"""Balance: the report of how a game plays."""

from __future__ import annotations

import gzip
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any, ClassVar

from meadhall.engine.checks import seed_label
from meadhall.engine.errors import BadSetup
from meadhall.engine.match.match import Match
from meadhall.engine.match.record import dumps
from meadhall.engine.text.display import Table
from meadhall.engine.text.language import gettext as _, grouped
from meadhall.lab.balance.figures import Columns, Figure, differences_of, figures_of, flagged
from meadhall.lab.balance.findings import Finding, findings
from meadhall.lab.balance.in_words import changes_in_words, kind_of, parts, short_item
from meadhall.lab.balance.measured import OTHER_GAME, ByCell, Cell, Ended, Example, Key, Measured, examples_of
from meadhall.lab.balance.page import fragment, page
from meadhall.lab.balance.tasks import Depth
from meadhall.lab.balance.trace import CellPlan, Tracer
from meadhall.lab.entrants import Entrants
from meadhall.lab.output import CSV, JSON, PARQUET, Row, RunResult

HTML, RECORDS = ".html", ".jsonl"


@dataclass(frozen=True, repr=False)
class Balance(Measured, RunResult):
    """The report of how a game plays.

    Attributes:
        game: the name of the game.
        players: the numbers of players.
        variants: the checked options of each variant; the first is what others are compared to. ``"game"`` beside them is the
            name of another game.
        bots: the levels.
        seed: the seed; it reproduces the report.
        precision: the wanted standard error of the win rates by place.
        depth: how much was measured.
        limit: the decisions after which a match was stopped.
        ended: why it ended: everything was measured (``complete``), the time was up (``time``), or it was stopped
            (``interrupted``).
        seconds: the duration.
        cells: what was measured of each variant, number of players and bot.
        own: what each own figure counts, by its name: the text of a counter, or the name of a function.

    Examples:
        >>> import meadhall
        >>> variants = {"standard": {}, "strategic": {"variant": "strategic"}}
        >>> report = meadhall.balance("viking-axes", 2, variants, games=20, depth="quick", seed="mead")
        >>> "turns" in report.difference("strategic", "standard")
        True
        >>> report.match(("standard", 2), 0).over, report.to_html()[:15], next(iter(report.displayed()))
        (True, '<!doctype html>', 'Viking Axes: balance report')
        >>> again = meadhall.Balance.from_dict(report.to_dict())
        >>> again.figures == report.figures, next(again.rows())["question"]
        (True, 'fairness')
    """

    forms: ClassVar[tuple[str, ...]] = (HTML, JSON, CSV, PARQUET, RECORDS)

    _entrants: Entrants = field(default_factory=Entrants)
    _columns: Mapping[Key, Columns] = field(default_factory=dict)

    def difference(self, one: str, other: str, players: int | None = None, bot: str | None = None) -> dict[str, Figure]:
        """Return the figures of one variant less those of another, by pairs of matches with the same deal.

        Args:
            players: the number of players; by default the smallest.
            bot: the bot; by default the first.

        Raises:
            BadSetup: the report has no such variants, players or bot; or it was read back, and ``other`` isn't its first variant.
        """
        level = self.players[0] if players is None else players, self.bots[0] if bot is None else bot
        keys = (one, *level), (other, *level)
        for key in keys:
            if key not in self.figures:
                raise BadSetup(f"the report has no variant {key[0]} for {level[0]} players with {level[1]}")
        if keys[0] in self._columns:
            return flagged([differences_of(self._columns[keys[0]], self._columns[keys[1]])], differences=True)[0]
        if other == next(iter(self.variants)):
            return self.differences[keys[0]]
        raise BadSetup(f"a report that was read back has differences from its first variant only, not from {other}")

    def match(self, key: tuple[Any, ...], number: int) -> Match:
        """Return a match of the report, played to its end, for example to look at or to write its record.

        Args:
            key: its variant, number of players and perhaps bot.
            number: its number, as in ``examples``.
        """
        cell = next((cell for cell in self.cells if cell.key[: len(key)] == key), None)
        if cell is None:
            raise BadSetup(f"the report has no cell {key}")
        (played, options), label = self.played(cell.variant), seed_label(self.seed)
        plan = CellPlan(played.name, (cell.bot,) * cell.players, options, label, entrants=self._entrants, limit=self.limit)
        match = plan.match(number)
        for action in Tracer(plan).trace([number]).action.tolist():
            match.play(action)
        return match

    @cached_property
    def records(self) -> ByCell[tuple[str, ...]]:
        """Return the records of the examples by the keys of ``examples``, each as ``Example.record`` says."""
        records = {
            cell.key: tuple(each.record or packed(self.match(cell.key, each.number)) for each in cell.examples)
            for cell in self.cells
        }
        return ByCell(records)

    @property
    def headlines(self) -> tuple[str, ...]:
        """Return the sentences of the findings."""
        return tuple(finding.text for finding in self.findings)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return what stands out, in sentences of the current language, the most surprising first."""
        return tuple(findings(self))

    def rows(self) -> Iterator[Row]:
        """Yield a row for each figure, and for each difference: those name the variant that they are ``less``."""
        for less in (None, next(iter(self.variants))):
            for (variant, players, bot), figures in (self.differences if less else self.figures).items():
                for code, figure in figures.items():
                    kind = kind_of(self, figure)
                    yield {
                        "question": figure.about.group,
                        "variant": variant,
                        "less": less,
                        "players": players,
                        "bot": bot,
                        "figure": code,
                        "family": figure.family,
                        "item": figure.item,
                        "kind": "" if kind is None else _(kind.text),
                        "name": short_item(self, figure),
                        **{name: getattr(figure, name) for name in ("value", "low", "high", "games", "warning", "of", "most")},
                    }

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON-able data, described in ``docs/library/balance.md``. ``from_dict`` reads it back."""
        data = super().to_dict()
        for cell, records in zip(data["cells"], self.records.values(), strict=True):
            for example, record in zip(cell["examples"], records, strict=True):
                example["record"] = record
        return {**data, "headlines": list(self.headlines), "changes": changes_in_words(self)}

    def to_html(self) -> str:
        """Return the report as a page that needs no other file, in the current language."""
        return page(self, self._download)

    def to_fragment(self, watch: Callable[[Key, Example], str] | None = None) -> str:
        """Return what the page says below its title, for a page that holds it.

        It stands in an element of the class ``report``, with the rules of the file ``meadhall.lab.balance.STYLES``; headings
        begin with ``<h2>``, ids with ``report-``.

        Args:
            watch: returns the address of a match from the key of its cell and its example; None for links that hold the record.

        Examples:
            >>> import meadhall
            >>> report = meadhall.balance("axes-and-allies", 2, games=20, depth="quick", seed="mead")
            >>> report.to_fragment(lambda key, example: f"/matches/{example.number}").startswith('<ul class="findings">')
            True
        """
        if watch is None:
            return fragment(self, self._download)
        word = escape(_("watch"))
        return fragment(self, lambda key, each: f'<a href="{escape(watch(key, each))}">{word}</a>')

    def _download(self, key: Key, example: Example) -> str:
        """Return a link that holds the record of a match, so that a page needs no other file."""
        name = escape(f"{self.game}-{key[1]}-{example.number}.jsonl.gz")
        record = self.records[key][self.examples[key].index(example)]
        return f'<a download="{name}" href="data:application/gzip;base64,{record}">{name}</a>'

    def _contents(self, form: str) -> bytes:
        """Return what a file with this ending contains: a page, records of the examples, JSON or the table."""
        if form == HTML:
            return self.to_html().encode()
        if form == RECORDS:
            return b"".join(gzip.decompress(b64decode(record)) for records in self.records.values() for record in records)
        return super()._contents(form)

    def __repr__(self) -> str:
        games = sum(cell.games for cell in self.cells)
        return f"<Balance of {self.game}: {grouped(games)} matches of {len(self.cells)} cells>"

    def displayed(self) -> Iterator[str | Table]:
        """Yield the parts of the readable form: the sentences and the tables."""
        return parts(self, self.headlines)


def packed(match: Match) -> str:
    """Return the record of a match as a line of JSON, which ``meadhall replay`` and ``analyse`` read, see ``Example.record``."""
    return b64encode(gzip.compress(f"{dumps(match.record())}\n".encode(), mtime=0)).decode()


def build(
    plans: Sequence[CellPlan],
    columns: Sequence[Columns],
    games: Sequence[int],
    seed: str | bytes,
    precision: float,
    depth: Depth,
    ended: Ended,
    seconds: float,
) -> Balance:
    """Build the report of these cells from their columns."""
    measured = list(zip(plans, columns, strict=True))
    first = {(plan.players, plan.bots[0]): found for plan, found in reversed(measured)}
    gaps = [
        {} if found is (base := first[plan.players, plan.bots[0]]) else differences_of(found, base) for plan, found in measured
    ]
    cells = (
        Cell(
            *plan.key,
            count,
            int(found["stopped"].sums.sum()) if "stopped" in found else 0,
            figures,
            differences,
            examples_of(found, plan.deal_seed),
        )
        for (plan, found), count, figures, differences in zip(
            measured, games, flagged(map(figures_of, columns)), flagged(gaps, differences=True), strict=True
        )
    )
    return Balance(
        game=plans[0].game,
        players=tuple(dict.fromkeys(plan.players for plan in plans)),
        variants={plan.variant: plan.options | ({} if plan.game == plans[0].game else {OTHER_GAME: plan.game}) for plan in plans},
        bots=tuple(dict.fromkeys(plan.bots[0] for plan in plans)),
        seed=seed,
        precision=precision,
        depth=depth,
        limit=plans[0].limit,
        ended=ended,
        seconds=seconds,
        cells=tuple(cells),
        own=plans[0].own.texts,
        _entrants=plans[0].entrants,
        _columns={plan.key: found for plan, found in measured},
    )
