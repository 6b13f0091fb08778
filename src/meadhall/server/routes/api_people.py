"""People in the API: those you have met, muting and blocking, and invitations to tables."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from litestar import get, post

from meadhall.server.hall.hall import Hall
from meadhall.server.hall.people.acquaintances import Known
from meadhall.server.hall.room import Room
from meadhall.server.routes.api_refusals import STRICT, refusals, table_refusals
from meadhall.server.routes.chat import IGNORED
from meadhall.server.store.models import Guest


class PersonInfo(msgspec.Struct):
    """A person that you have played with, or have muted or blocked. ``last`` is when your last match together began, in UTC."""

    id: str
    name: str
    matches: int
    last: datetime | None
    muted: bool
    blocked: bool


class InvitationInfo(msgspec.Struct):
    """An invitation that you can accept: take a seat at the ``table``."""

    table: str
    game: str
    inviter: str
    at: datetime


class NewInvitation(msgspec.Struct, forbid_unknown_fields=True):
    """Whom to invite: the id of a person that you have played with."""

    person: Annotated[str, msgspec.Meta(max_length=40)]


class IgnoreChoice(msgspec.Struct, forbid_unknown_fields=True):
    """A change that concerns a person."""

    set: Literal["mute", "unmute", "block", "unblock"]


@get("/people", responses=refusals(400, 401))
async def list_people(hall: Hall, program: Guest) -> list[PersonInfo]:
    """List the people that you have played with, those of your last matches first, and others whom you have muted or blocked."""
    return list(map(_person_info, hall.acquaintances.known(program)))


@post("/people/{person:str}/ignore", status_code=200, responses=refusals(400, 401, 404, 413))
async def ignore_person_met(data: Annotated[IgnoreChoice, STRICT], hall: Hall, program: Guest, person: str) -> list[PersonInfo]:
    """Mute or block a person, or stop doing so. They are not told. The answer is the list of people."""
    hall.acquaintances.ignore(program, person, *IGNORED[data.set])
    return list(map(_person_info, hall.acquaintances.known(program)))


@post("/tables/{id:str}/invitations", status_code=201, responses=table_refusals(403, 413))
async def invite_person(data: Annotated[NewInvitation, STRICT], hall: Hall, room: Room, program: Guest) -> NewInvitation:
    """Invite a person that you have played with to a table where you have a seat. A second invitation changes nothing."""
    hall.acquaintances.invite(room, program, data.person)
    return data


@get("/invitations", responses=refusals(400, 401))
async def list_invitations(hall: Hall, program: Guest) -> list[InvitationInfo]:
    """List the invitations that you can accept, the newest first."""
    return [InvitationInfo(each.table, each.game, each.inviter, each.at) for each in hall.acquaintances.pending(program)]


@post("/invitations/{table:str}/decline", status_code=200, responses=refusals(400, 401, 404))
async def decline_invitation(hall: Hall, program: Guest, table: str) -> list[InvitationInfo]:
    """Decline an invitation. The answer is the list of the others."""
    hall.acquaintances.decline(program, table)
    return [InvitationInfo(each.table, each.game, each.inviter, each.at) for each in hall.acquaintances.pending(program)]


def _person_info(known: Known) -> PersonInfo:
    person, met = known.acquaintance.person, known.acquaintance
    return PersonInfo(person.public_id, person.name, met.matches, met.last_at, known.muted, known.blocked)


routes: list[Any] = [list_people, ignore_person_met, invite_person, list_invitations, decline_invitation]
