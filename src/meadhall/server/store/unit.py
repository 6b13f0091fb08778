"""The unit of work: everything that one change of a table stores. One transaction stores all of it, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from sqlalchemy import Connection

from meadhall.server.store.models import MOVES, Conflict, Entry, Job, TableRow
from meadhall.server.store.notices import NoticeKind, send
from meadhall.server.store.queries import entries, jobs, tables

Effect = Callable[[Connection], None]
"""A part of a transaction."""


@dataclass
class Unit:
    """The parts of a transaction, in the order in which they run. See ``Store.unit``.

    Attributes:
        known: the changed table as this process knows it.
        saved: the table as it becomes; None if it stays as it is.
        new: the new entries of its match.
        effects: what else to store.
        after: what to do after the commit.
    """

    known: TableRow | None = None
    saved: TableRow | None = None
    new: tuple[Entry, ...] = ()
    effects: list[Effect] = field(default_factory=list)
    after: list[Callable[[], None]] = field(default_factory=list)
    _last: list[Effect] = field(default_factory=list)

    def append(self, table: TableRow, *new: Entry) -> None:
        """Append entries to the match of a table, which must still have this version on a database that processes share."""
        self.known, self.new = self.known or table, (*self.new, *new)

    def save(self, table: TableRow) -> TableRow:
        """Store a changed table with its seats, as of its version, and return it with its new version."""
        self.known, self.saved = table, replace(table, version=table.version + 1)
        return self.saved

    def also(self, *effects: Effect | None) -> None:
        """Store something else in the same transaction. None stores nothing."""
        self.effects += [effect for effect in effects if effect is not None]

    def finish(self, job: Job, process: str | None, again_at: datetime | None = None) -> None:
        """Mark a job as done, or let it wait again. See ``queries.jobs.finish``."""
        self._last.append(partial(jobs.finish, job=job, process=process, again_at=again_at))

    @property
    def only_entry(self) -> Entry | None:
        """The one new entry, if nothing else is stored, as with most moves."""
        is_alone = len(self.new) == 1 and self.saved is None and not self.effects and not self._last
        return self.new[0] if is_alone else None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to store."""
        return not (self.new or self.saved or self.effects or self._last)

    @property
    def notice(self) -> NoticeKind:
        """The kind of the notice for other processes. Other entries than moves may change the player of a seat."""
        return "entry" if self.saved is None and all(entry.kind in MOVES for entry in self.new) else "table"

    def run(self, connection: Connection, payload: Callable[[NoticeKind, str], str] | None) -> None:
        """Store everything. ``payload`` makes the notice for other processes; None if there are none.

        Raises Conflict, JobTaken, and the errors of the effects.
        """
        if self.known is not None:
            self._store_table(connection, self.known, payload)
        for effect in (*self.effects, *self._last):  # a job last: effects may wait for a table, and others wait for the job
            effect(connection)

    def _store_table(self, connection: Connection, table: TableRow, payload: Callable[[NoticeKind, str], str] | None) -> None:
        notice = None if payload is None else payload(self.notice, table.id)
        if self.new:
            if payload is not None and tables.locked_version(connection, table.id) != table.version:
                raise Conflict  # alone, this process knows the latest version
            entries.append(connection, table.id, self.new, notice)
        elif notice is not None:
            send(connection, notice)
        if self.saved is not None:
            tables.save(connection, table)  # after the entries: the results of a match count them
