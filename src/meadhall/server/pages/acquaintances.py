"""The models of the page of people met, of the invitations in the hall, and of the people whom a player can invite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from meadhall.engine.registry import game
from meadhall.server.hall.people.acquaintances import Known
from meadhall.server.hall.room import Room
from meadhall.server.pages.dates import moment
from meadhall.server.pages.models import InvitationCard, Moment
from meadhall.server.store.acquaintances import Invitation
from meadhall.server.store.models import Crest
from meadhall.server.web.links import link

INVITABLE: Final = 30
"""People whom the page of a table offers to invite: those of the last matches."""


@dataclass(frozen=True)
class PersonMet:
    """A person in a list. ``last``: when the last match with them began, None without one."""

    id: str
    url: str
    name: str
    crest: Crest
    matches: int
    last: Moment | None
    muted: bool
    blocked: bool


@dataclass(frozen=True)
class Invitable:
    """A person whom a player may invite. ``state``: "", "invited" or "declined"."""

    id: str
    name: str
    crest: Crest
    state: str


@dataclass(frozen=True)
class InvitePage:
    """The people whom a player may invite to a table."""

    url: str
    title: str
    people: tuple[Invitable, ...]


def people_met(known: Sequence[Known]) -> tuple[PersonMet, ...]:
    """Return the list of people that a guest knows."""
    return tuple(
        PersonMet(
            id=each.acquaintance.person.public_id,
            url=link(f"/people/{each.acquaintance.person.public_id}"),
            name=each.acquaintance.person.name,
            crest=each.acquaintance.person.crest,
            matches=each.acquaintance.matches,
            last=moment(each.acquaintance.last_at) if each.acquaintance.last_at else None,
            muted=each.muted,
            blocked=each.blocked,
        )
        for each in known
    )


def invite_page(room: Room, known: Sequence[Known], invited: Mapping[str, bool]) -> InvitePage:
    """Return the people whom a player may invite to a table: those they have played with, who have no seat and aren't blocked."""
    people = [
        Invitable(person.public_id, person.name, person.crest, _state(invited.get(person.id)))
        for each in known
        for person in (each.acquaintance.person,)
        if each.acquaintance.matches and not each.blocked and room.table.seat_of(person.id) is None
    ]
    return InvitePage(link(f"/tables/{room.table.id}"), room.game.title, tuple(people[:INVITABLE]))


def invitation_cards(invitations: Sequence[Invitation]) -> tuple[InvitationCard, ...]:
    """Return the invitations that the hall shows a guest."""
    return tuple(
        InvitationCard(
            url=link(f"/tables/{each.table}"),
            decline=link(f"/invitations/{each.table}/decline"),
            title=game(each.game).title,
            inviter=each.inviter,
            at=moment(each.at),
        )
        for each in invitations
    )


def _state(declined: bool | None) -> str:
    return "" if declined is None else "declined" if declined else "invited"
