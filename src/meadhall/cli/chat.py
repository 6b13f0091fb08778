"""``meadhall chat``: review the chat at the tables of a hall, and delete lines."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from meadhall.cli.console import complain
from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import grouped, ngettext
from meadhall.server.hall.chat import in_words
from meadhall.server.host_commands import carry_out, person_of
from meadhall.server.settings import Settings
from meadhall.server.store import talk
from meadhall.server.store.files import snapshot
from meadhall.server.store.talk import ChatLine

if TYPE_CHECKING:
    from meadhall.server.store.database import Db

MOST = 1000
"""Lines that are shown at most: the last ones."""


def show(settings: Settings, table: str | None, person: str | None, since: datetime | None, until: datetime | None) -> None:
    """Print the lines of a table, a person and a time. Raises StoreUnusable."""
    with snapshot(settings.database) as db:
        lines = talk.find_lines(db, _filter(db, table, person, since, until, None), MOST + 1)
    for where, line in lines[-MOST:]:
        print(_in_words(where, line))
    if len(lines) > MOST:
        complain(_("There are more lines; these are the last {count}.").format(count=grouped(MOST)))
    if not lines:
        print(_("There are no such lines."))


def delete(
    settings: Settings,
    ids: list[str],
    table: str | None,
    person: str | None,
    since: datetime | None,
    until: datetime | None,
) -> int:
    """Delete lines, while the hall runs or not. Returns the exit status: 1 if there are none. Raises StoreUnusable, BadSetup."""
    if not ids and all(each is None for each in (table, person, since, until)):
        raise BadSetup(_("Say which lines: their ids, or --table, --person, --since or --until."))
    with snapshot(settings.database) as db:
        lines = _filter(db, table, person, since, until, ids or None)
    count: int = carry_out(settings, "erase", lines=msgspec.to_builtins(lines))
    print(ngettext("{count} line deleted", "{count} lines deleted", count).format(count=grouped(count)))
    return 0 if count else 1


def _filter(
    db: Db,
    table: str | None,
    person: str | None,
    since: datetime | None,
    until: datetime | None,
    ids: list[str] | None,
) -> talk.LineFilter:
    """Return the filter. ``person``: the public id of a person. Raises BadSetup if there is none."""
    guest = None if person is None else person_of(db, person).id
    return talk.LineFilter(table, guest, _in_utc(since), _in_utc(until), ids)


def _in_utc(time: datetime | None) -> datetime | None:
    """Return a time that was typed, which is in the local time zone, in UTC."""
    return None if time is None else time.astimezone(UTC)


def _in_words(table: str, line: ChatLine) -> str:
    seat = _("spectator") if line.seat is None else _("seat {seat}").format(seat=line.seat + 1)
    words = _("[deleted]") if line.is_deleted else line.text if line.phrase is None else in_words(line.phrase)
    return f"{line.id}  {line.at:%Y-%m-%d %H:%M:%S} UTC  {table}  {line.name} ({seat}): {words}"
