"""What the host of a hall changes by commands, also while it runs: people, invitations, lines of chat.

A running hall keeps much of its database in memory, and alone writes to it. So it carries out the commands itself: they reach it
by a Unix socket beside the database, which only the user of the hall can open. Without a running hall a command opens the
database.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.text.language import current_language, gettext as _, speaking
from meadhall.server.hall import moderation
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.house import announce, plan_maintenance, set_switches
from meadhall.server.settings import Settings
from meadhall.server.store import accounts, evenings, guests, ladder, links, talk, uptime
from meadhall.server.store.database import Db
from meadhall.server.store.files import StoreBusy, StoreUnusable, sole_use
from meadhall.server.store.host_log import Done, carried_out
from meadhall.server.store.links import AdmissionLink, IdentityLink
from meadhall.server.store.models import Guest

log = logging.getLogger(__name__)

_TIMEOUT: Final = 10.0
"""Seconds that a command waits for the hall."""

_LONGEST: Final = 1 << 20
"""Bytes of a command."""


class CommandRefused(MeadhallError):
    """The hall can't carry out a command."""


def person_of(db: Db, person: str) -> Guest:
    """Return the person with a public id. Raises BadSetup."""
    guest = guests.find_public(db, person)
    if guest is None:
        raise BadSetup(_("There is no person with the id {id}; the address of a profile ends with it.").format(id=person))
    return guest


def _close(db: Db, person: str, revokes: bool, days: int, reason: str) -> Done:
    """Shut a person out. The answer is their name, and the id of the invitation that was withdrawn."""
    guest = person_of(db, person)
    done = moderation.shut_out(db, guest, days, reason)
    return replace(done, answer=[guest.name, guests.revoke_link_of(db, guest.id) if revokes else None])


def _link(db: Db, person: str) -> Done:
    token, made = IdentityLink.new(person_of(db, person), db.now(), confirms=True)
    links.put_identity_link(db, made)
    return Done(token, subject=person)


def _invite(db: Db, link: Mapping[str, Any]) -> Done:
    made = msgspec.convert(link, AdmissionLink)
    links.add_admission(db, made)
    return Done(subject=made.id)


def _erase(db: Db, lines: Mapping[str, Any]) -> Done:
    count, tables = talk.erase_lines(db, msgspec.convert(lines, talk.LineFilter))
    return Done(count, chats=tables, subject=f"{count} lines")


def appoint(db: Db, person: str, role: str) -> Done:
    """Give a role to the owner of an account, who is named by the account or a public id. The answer is their name."""
    account = accounts.find_by_name(db, person)
    guest = person_of(db, person) if account is None else guests.find(db, account.guest)
    if guest is None or not guest.has_account:
        raise BadSetup(_("Only a person with an account can be a helper or host; they make one on the page of their settings."))
    guests.change(db, guest.id, role=role)
    return Done(guest.name, guests=[guest.id], subject=f"{guest.public_id} {role}".strip())


def _end_evening(db: Db, id: str) -> Done:
    """End an evening. The answer is its name. Raises NotFound."""
    return Done(evenings.find(db, id).name, evenings.close(db, id, ends=True), subject=id)


def _exclude(db: Db, table: str, excluded: bool) -> Done:
    ladder.set_excluded(db, table, excluded)
    return Done(subject=table)


def _note_backup(db: Db) -> Done:
    uptime.note_backup(db, datetime.now(UTC))
    return Done(subject=None)


_COMMANDS: Final[Mapping[str, Callable[..., Done]]] = {
    "rename": lambda db, person, name: moderation.rename(db, person_of(db, person), name),
    "close": _close,
    **{
        deed: lambda db, person, deed=deed: moderation.treat(db, person_of(db, person), deed)
        for deed in ("open", "unmute", "admit", "delete")
    },
    "mute": lambda db, person, days, reason: moderation.mute(db, person_of(db, person), days, reason),
    "decide": moderation.decide,
    "link": _link,
    "role": appoint,
    "invite": _invite,
    "revoke": lambda db, id: Done(links.revoke_admission(db, id), subject=id),
    "erase": _erase,
    "end-evening": _end_evening,
    "ladder-recompute": lambda db, game: Done(ladder.recompute(db, game), subject=game),
    "ladder-exclude": partial(_exclude, excluded=True),
    "ladder-include": partial(_exclude, excluded=False),
    "switch": set_switches,
    "announce": announce,
    "maintenance": plan_maintenance,
    "note-backup": _note_backup,
}


# ----------------------------------------------------------------------------------------------------------------- the command


class _Request(msgspec.Struct):
    command: str
    arguments: dict[str, Any]
    language: str


class _Answer(msgspec.Struct):
    answer: Any = None
    refused: str = ""


def carry_out(settings: Settings, command: str, **arguments: Any) -> Any:
    """Carry out a command: by the running hall, or on its database if none runs. Return its answer.

    Raises CommandRefused, StoreUnusable, and the errors of the command.
    """
    if not settings.database.is_file():
        raise StoreUnusable(_("there is no database {file}").format(file=settings.database))
    try:
        with sole_use(settings.database, settings.data) as db:
            return carried_out(db, "", command, _COMMANDS[command], **arguments).answer
    except StoreBusy:
        return _asked(_socket_of(settings), _Request(command, arguments, current_language()))


def _socket_of(settings: Settings) -> Path:
    file = settings.database.resolve()
    return file.with_name(f"{file.name}.sock")


def _asked(path: Path, request: _Request) -> Any:
    """Let the running hall carry out a command. Raises CommandRefused."""
    if not hasattr(socket, "AF_UNIX"):
        raise CommandRefused(_("a hall uses {database}; stop it first").format(database=path.with_suffix("")))
    try:
        with closing(socket.socket(socket.AF_UNIX)) as line:
            line.settimeout(_TIMEOUT)
            line.connect(str(path))
            line.sendall(msgspec.json.encode(request) + b"\n")
            answer = msgspec.json.decode(line.makefile("rb").read(), type=_Answer)
    except (OSError, msgspec.DecodeError) as error:
        raise CommandRefused(
            _("the running hall doesn't answer ({reason}); try again, or stop it").format(reason=error)
        ) from None
    if answer.refused:
        raise CommandRefused(answer.refused)
    return answer.answer


# -------------------------------------------------------------------------------------------------------------------- the hall


@asynccontextmanager
async def obeying(hall: Hall) -> AsyncIterator[None]:
    """Carry out the commands of the host during the block."""
    server: asyncio.Server | None = None
    path = _socket_of(hall.settings)
    if hasattr(socket, "AF_UNIX"):
        before = os.umask(0o177)
        try:
            path.unlink(missing_ok=True)  # of a hall that was killed: this one has the lock of the database
            server = await asyncio.start_unix_server(partial(_obey, hall), path, limit=_LONGEST)
        except OSError as error:
            log.warning("commands beside the running hall are not possible: %s (%s)", error.strerror or error, path)
        finally:
            os.umask(before)
    try:
        yield
    finally:
        if server is not None:
            server.close()
            path.unlink(missing_ok=True)


async def _obey(hall: Hall, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Carry out one command."""
    try:
        request = msgspec.json.decode(await reader.readline(), type=_Request)
        with speaking(request.language):
            await hall.store.unlocked()
            answer = _Answer(hall.do("", request.command, _COMMANDS[request.command], **request.arguments))
    except MeadhallError as error:
        answer = _Answer(refused=str(error))
    except Exception as error:
        log.exception("a command of the host has failed")
        answer = _Answer(refused=f"{type(error).__name__}: {error}")
    writer.write(msgspec.json.encode(answer))
    writer.close()
