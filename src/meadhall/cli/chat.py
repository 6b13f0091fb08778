"""``meadhall chat``: review the chat at the tables of a hall, and delete lines."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from meadhall.cli.console import complain
from meadhall.cli.hall_data import chosen_settings
from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import grouped, marked, ngettext
from meadhall.server.hall.talk.phrases import in_words
from meadhall.server.host_commands import carry_out, person_of
from meadhall.server.store.maintenance import snapshot
from meadhall.server.store.models import ChatLine
from meadhall.server.store.queries import chat

if TYPE_CHECKING:
    from sqlalchemy import Connection

TABLE = marked("Only lines of the table with this id; the address of a table ends with it.")
PERSON = marked("Only lines of the person with this id; the address of a profile ends with it.")
SINCE = marked("Only lines from this time on, e.g. 2026-11-26 or '2026-11-26 20:15:00'.")
UNTIL = marked("Only lines before this time.")

MOST = 1000
"""Lines that are shown at most: the last ones."""


def show(
    table: Annotated[str | None, typer.Option(help=_(TABLE))] = None,
    person: Annotated[str | None, typer.Option(help=_(PERSON))] = None,
    since: Annotated[datetime | None, typer.Option(help=_(SINCE))] = None,
    until: Annotated[datetime | None, typer.Option(help=_(UNTIL))] = None,
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
) -> None:
    """Print the lines of a table, a person and a time. Raises StoreUnusable."""
    with snapshot(chosen_settings(data).database) as connection:
        lines = chat.found(connection, _filter(connection, table, person, since, until, None), MOST + 1)
    for where, line in lines[-MOST:]:
        print(_in_words(where, line))
    if len(lines) > MOST:
        complain(_("There are more lines; these are the last {count}.").format(count=grouped(MOST)))
    if not lines:
        print(_("There are no such lines."))


def delete(
    lines: Annotated[list[str] | None, typer.Argument(help=_("Ids of lines, as `meadhall chat show` prints them."))] = None,
    table: Annotated[str | None, typer.Option(help=_(TABLE))] = None,
    person: Annotated[str | None, typer.Option(help=_(PERSON))] = None,
    since: Annotated[datetime | None, typer.Option(help=_(SINCE))] = None,
    until: Annotated[datetime | None, typer.Option(help=_(UNTIL))] = None,
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
) -> int:
    """Delete lines, while the hall runs or not. Returns the exit status: 1 if there are none. Raises StoreUnusable, BadSetup."""
    settings = chosen_settings(data)
    if not lines and all(each is None for each in (table, person, since, until)):
        raise BadSetup(_("Say which lines: their ids, or --table, --person, --since or --until."))
    with snapshot(settings.database) as connection:
        chosen = _filter(connection, table, person, since, until, lines or None)
    count: int = carry_out(settings, "erase", lines=msgspec.to_builtins(chosen))
    print(ngettext("{count} line deleted", "{count} lines deleted", count).format(count=grouped(count)))
    return 0 if count else 1


def _filter(
    connection: Connection,
    table: str | None,
    person: str | None,
    since: datetime | None,
    until: datetime | None,
    ids: list[str] | None,
) -> chat.LineFilter:
    """Return the filter. ``person``: the public id of a person. Raises BadSetup if there is none."""
    guest = None if person is None else person_of(connection, person).id
    return chat.LineFilter(table, guest, _in_utc(since), _in_utc(until), ids)


def _in_utc(time: datetime | None) -> datetime | None:
    """Return a time that was typed, which is in the local time zone, in UTC."""
    return None if time is None else time.astimezone(UTC)


def _in_words(table: str, line: ChatLine) -> str:
    seat = _("spectator") if line.seat is None else _("seat {seat}").format(seat=line.seat + 1)
    words = _("[deleted]") if line.is_deleted else line.text if line.phrase is None else in_words(line.phrase)
    return f"{line.id}  {line.at:%Y-%m-%d %H:%M:%S} UTC  {table}  {line.name} ({seat}): {words}"
