"""The laws of the store, as a state machine: it is compared with a model after every step, also after a restart or a crash."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from hypothesis import settings as hypothesis_settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import matches, tables
from meadhall.server.store.models import Entry, EntryKind, TableRow
from meadhall.server.store.store import Store
from server.prepared import create_schema
from server.rows import save, table_of

HOST = "a1"

KINDS = st.sampled_from(("action", "hinted", "undo", "hint", "stand_in"))
DATA = st.none() | st.dictionaries(
    st.text(max_size=3).filter(lambda text: "\0" not in text), st.none() | st.integers(-9, 9) | st.just("Ǻ")
)


class Failed(Exception):
    """A transaction that ends with an error."""


@dataclass
class Known:
    """What the store must have of a table.

    Attributes:
        versions: the states of the table so far, the last one is current.
        entries: the history of its match.
        decisions: the number of actions that were not taken back, when the match ended or the table was changed after its end.
    """

    versions: list[TableRow]
    entries: list[Entry] = field(default_factory=list)
    decisions: set[int] = field(default_factory=set)

    @property
    def table(self) -> TableRow:
        return self.versions[-1]

    def change(self, table: TableRow) -> None:
        """Note another state of the table, and what counts as the result of a finished match."""
        self.versions.append(table)
        if table.finished_at is not None:
            played = sum(entry.kind in ("action", "hinted") for entry in self.entries)
            self.decisions = {played - sum(entry.value for entry in self.entries if entry.kind == "undo")}


class StoreMachine(RuleBasedStateMachine):
    """A store, and a model of it. ``new_settings`` returns the settings of a hall with an empty database."""

    def __init__(self, new_settings: Callable[[], Settings]) -> None:
        super().__init__()
        self.settings = new_settings()
        self.runner = asyncio.Runner()
        self.known: list[Known] = []
        self._open()

    def _open(self) -> None:
        self.opened = AsyncExitStack()
        self.store = self.run(self.opened.enter_async_context(Store.open(self.settings)))

    def run(self, work: Any) -> Any:
        return self.runner.run(_awaited(work))

    def do(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function in the event loop."""

        async def call() -> Any:
            return work(*arguments)

        return self.run(call())

    def teardown(self) -> None:
        self.restart()
        self.run(self.opened.aclose())
        self.runner.close()

    def check(self, known: Known) -> None:
        """Compare what is stored of a table with the model."""
        assert self.do(self.store.transact, tables.find, known.table.id) == known.table
        found = self.do(self.store.transact, matches.entries_of, known.table.id)
        assert found == known.entries
        assert [entry.at for entry in found] == [entry.at for entry in known.entries]
        decisions = "SELECT decisions FROM results WHERE table_id = ?"
        assert set(self.do(self.store.transact, lambda db: db.values(decisions, known.table.id))) == known.decisions

    def chosen(self, data: st.DataObject) -> Known:
        known: Known = data.draw(st.sampled_from(self.known))
        return known

    # ------------------------------------------------------------------------------------------------------------- the steps

    @initialize()
    def begin(self) -> None:
        self.add_table("running")

    @rule(status=st.sampled_from(("gathering", "running")))
    def add_table(self, status: str) -> None:
        table = table_of(HOST, status=status, started_at=Time().now() if status == "running" else None)
        self.do(self.store.add_table, table)
        self.known.append(Known([table]))
        self.check(self.known[-1])

    @rule(data=st.data(), kind=KINDS, value=st.integers(0, 99), more=DATA)
    def append(self, data: st.DataObject, kind: EntryKind, value: int, more: Any) -> None:
        """Append an entry, as most moves do."""
        known = self.chosen(data)
        entry = Entry(len(known.entries) + 1, kind, 0, value, more)
        self.do(self.store.transact, matches.append, known.table.id, [entry])
        known.entries.append(entry)
        self.check(known)

    @rule(data=st.data(), take_back=st.booleans(), change=st.sampled_from((None, "listed", "over")), fails=st.booleans())
    def store_at_once(self, data: st.DataObject, take_back: bool, change: str | None, fails: bool) -> None:
        """Append a vote and its effect in one transaction, and perhaps change the table in it, or end its match."""
        known = self.chosen(data)
        table, number = known.table, len(known.entries) + 1
        new = (Entry(number, "action", 0, 1), Entry(number + 1, "undo" if take_back else "action", 0, 1))
        changed = replace(table, is_public=not table.is_public) if change is not None else None
        if change == "over" and table.status == "running":
            changed = replace(table, status="over", finished_at=Time().now())

        def store() -> None:
            with suppress(Failed), self.store.change() as db:
                matches.append(db, table.id, new)
                if changed is not None:
                    tables.save(db, changed)
                if fails:
                    raise Failed

        self.do(store)
        if not fails:
            known.entries += new
            if changed is not None:
                known.change(replace(changed, version=table.version + 1))
        self.check(known)

    @rule(data=st.data(), status=st.sampled_from((None, "abandoned")))
    def save_table(self, data: st.DataObject, status: str | None) -> None:
        """Change the table and its seats."""
        known = self.chosen(data)
        table = known.table.replace_seat(replace(known.table.seats[2], name=f"Ada {len(known.versions)}"))
        if status == "abandoned" and table.status == "running":
            table = replace(table, status="abandoned", abandon_reason="everybody left", finished_at=Time().now())
        known.change(self.do(save, self.store, table))
        assert known.table == replace(table, version=table.version + 1)
        self.check(known)

    @rule()
    def restart(self) -> None:
        """Close the store and open it again."""
        self.run(self.opened.aclose())
        self._open()
        for known in self.known:
            self.check(known)

    @rule()
    def crash(self) -> None:
        """Go on with the files as they are now: a process that is killed leaves them so."""
        left = self.settings.data.with_name(self.settings.data.name + "x")
        shutil.copytree(self.settings.data, left)
        self.run(self.opened.aclose())
        self.settings = replace(self.settings, data=left)
        self._open()
        for known in self.known:
            self.check(known)


async def _awaited(work: Any) -> Any:
    return await work


def run_machine(new_settings: Callable[[], Settings], share: int) -> None:
    """Try some examples: a part of the number that the profile of Hypothesis says."""
    examples = max(1, hypothesis_settings().max_examples // share)
    chosen = hypothesis_settings(max_examples=examples, stateful_step_count=25)
    run_state_machine_as_test(partial(StoreMachine, new_settings), settings=chosen)  # type: ignore[arg-type]  # any factory will do


def test_nothing_acknowledged_is_lost_and_what_fails_changes_nothing(settings: Settings, tmp_path: Path) -> None:
    numbers = count()

    def new_settings() -> Settings:
        found = replace(settings, data=tmp_path / str(next(numbers)))
        create_schema(found)
        return found

    run_machine(new_settings, share=12)
