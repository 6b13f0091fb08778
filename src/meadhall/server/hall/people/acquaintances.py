"""The people that guests have met, and whom they have muted and blocked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from cachetools import FIFOCache

from meadhall.engine.registry import game_names
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound, TooMany, WrongMoment
from meadhall.server.hall.notifications import Notification, Notifications, notify
from meadhall.server.hall.room import Room
from meadhall.server.hall.upkeep.scheduler import Scheduler
from meadhall.server.store import acquaintances, guests
from meadhall.server.store.acquaintances import Acquaintance, Ignored, IgnoreKind, Invitation
from meadhall.server.store.database import Db
from meadhall.server.store.models import Guest
from meadhall.server.store.store import Store
from meadhall.server.store.talk import ChatLine

# -------------------------------------------------------------------------------------------------------------- muted and blocked

# The people that guests have muted and blocked. What is known of a guest stays in memory.


_CACHE_SIZE: Final = 20_000


class Ignoring:
    """Knows whom guests ignore.

    Args:
        changed: called with the guests for whom something has changed.
    """

    def __init__(self, store: Store, changed: Callable[[Collection[str]], None]) -> None:
        self._store = store
        self._changed = changed
        self._cache: FIFOCache[str, Ignored] = FIFOCache(_CACHE_SIZE)

    def known(self, guest: str) -> Ignored | None:
        """Return whom a guest ignores if it is known without asking the database."""
        return self._cache.get(guest)

    def of(self, guest: str) -> Ignored:
        """Return the guests that a guest ignores, and those that have blocked the guest. Raises DatabaseUnavailable."""
        found = self.known(guest)
        if found is None:
            found = self._cache[guest] = self._store.transact(acquaintances.ignored_by, guest)
        return found

    def change(self, guest: str, others: Collection[str], kind: IgnoreKind, on: bool) -> None:
        """Mute or block others, or stop doing so. The others learn nothing of it."""
        self._store.transact(acquaintances.ignore, guest, others, kind, on)
        self.forget(guest, *others)

    def forget(self, *guests: str) -> None:
        """Forget what is known of guests: it has changed."""
        for guest in guests:
            self._cache.pop(guest, None)
        self._changed(guests)


def hears(ignored: Ignored, line: ChatLine) -> bool:
    """Return whether a guest hears a line, or sees a reaction: its author is not ignored, and had not blocked the guest.

    A block hides later lines only. If earlier ones disappeared, the blocked guest would notice it.
    """
    blocked_at = ignored.blocked_by.get(line.guest)
    return line.guest not in ignored.muted and line.guest not in ignored.blocked and (blocked_at is None or line.at < blocked_at)


# ------------------------------------------------------------------------------------------------------------ people you have met

# The people that a guest has met: invite them to a table, mute and block them.


SHOWN: Final = 100
"""People in the list at most: those of the last matches."""

MOST_INVITED: Final = 40
"""People whom a guest may invite in an hour."""


@dataclass(frozen=True)
class Known:
    """A person that a guest knows, and what the guest has done about them."""

    acquaintance: Acquaintance
    muted: bool
    blocked: bool


class Acquaintances:
    """Knows who has met whom, and carries invitations.

    Args:
        store: the database.
        scheduler: is woken when a push message waits.
        notifications: sends push messages of invitations that are still open.
        ignoring: whom guests have muted and blocked.
    """

    def __init__(self, store: Store, scheduler: Scheduler, notifications: Notifications, ignoring: Ignoring) -> None:
        self._store = store
        self._scheduler = scheduler
        self._ignoring = ignoring
        notifications.check_with("invitation", self._is_open)

    def known(self, guest: Guest) -> list[Known]:
        """Return the people that a guest has played with, the last ones first, and others whom they ignore."""
        if not guest.is_stored:
            return []

        def read(db: Db) -> list[Acquaintance]:
            met = acquaintances.met_lately(db, guest.id, SHOWN)
            return met + acquaintances.ignored_strangers(db, guest.id, [each.person.id for each in met])

        people, found = self._store.transact(read), self._ignoring.of(guest.id)
        return [Known(each, each.person.id in found.muted, each.person.id in found.blocked) for each in people]

    def ignore(self, guest: Guest, public_id: str, kind: IgnoreKind, on: bool) -> None:
        """Mute or block a person, or stop doing so. They are not told. Raises NotFound."""
        person, found = self._person(guest, public_id), self._ignoring.of(guest.id)
        if on and person.id not in found.muted | found.blocked and not self.knows(guest, person):
            raise NotFound(_("There is no such person here."))
        if not guest.is_stored:
            self._store.save_guest(guest)
        self._ignoring.change(guest.id, [person.id], kind, on)

    # ----------------------------------------------------------------------------------------------------------- invitations

    def invited(self, room: Room) -> dict[str, bool]:
        """Return the guests invited to a table, by id, and whether they have declined."""
        return self._store.transact(lambda db: acquaintances.invited_to(db, room.table.id))

    def invite(self, room: Room, guest: Guest, public_id: str) -> None:
        """Invite a person that the guest has played with to a table where the guest has a seat.

        A person who has blocked the guest doesn't see it; the guest is not told. A second invitation changes nothing.

        Raises:
            NotSeated: the guest has no seat.
            WrongMoment: the match has begun, or no seat is free, or the person has one.
            NotFound: the guest has not met such a person.
            TooMany: the guest has invited many people in the last hour.
        """
        room.seat_of(guest)
        if room.table.status != "gathering":
            raise WrongMoment(_("The host has closed this table.") if room.is_closed else _("The match has already started."))
        person = self._person(guest, public_id)
        if not self._store.transact(acquaintances.have_met, guest.id, person.id):
            raise NotFound(_("You can invite people that you have played with."))
        if room.table.seat_of(person.id) is not None:
            raise WrongMoment(_("{name} already has a seat here.").format(name=person.name))
        if all(row.kind != "open" for row in room.table.seats):
            raise WrongMoment(_("All seats are taken."))

        def invite(db: Db) -> None:
            if acquaintances.count_invited_since(db, guest.id, timedelta(hours=1)) >= MOST_INVITED:
                raise TooMany(_("You have invited many people. Wait a while."))
            is_new = acquaintances.invite(db, room.table.id, person.id, guest.id)
            if is_new and guest.id not in acquaintances.ignored_by(db, person.id).blocked:
                notify(db, Notification("invitation", room.table.id, sender=guest.name), [person.id])

        self._store.transact(invite)
        self._scheduler.wake()

    def pending(self, guest: Guest) -> Sequence[Invitation]:
        """Return the invitations that a guest can accept, the newest first."""
        if not guest.is_stored:
            return []
        found = self._store.transact(lambda db: acquaintances.invitations_of(db, guest.id))
        names = game_names()
        return [each for each in found if each.game in names]

    def decline(self, guest: Guest, table: str) -> None:
        """Decline an invitation. Raises NotFound if there is none."""
        if not self._store.transact(lambda db: acquaintances.decline_invitation(db, table, guest.id)):
            raise NotFound(_("There is no such invitation."))

    async def _is_open(self, notification: Notification, guest: str) -> bool:
        """Return whether the guest can still accept the invitation that a push message is about."""
        found = self._store.transact(lambda db: acquaintances.invitations_of(db, guest))
        return any(each.table == notification.table for each in found)

    def knows(self, guest: Guest, person: Guest) -> bool:
        """Return whether a guest may learn a person's name by their id."""
        return shows_profile(self._store, person, guest) or self._store.transact(acquaintances.have_met, guest.id, person.id)

    def _person(self, guest: Guest, public_id: str) -> Guest:
        person = self._store.transact(guests.find_public, public_id)
        if person is None or person.id == guest.id:
            raise NotFound(_("There is no such person here."))
        return person


def shows_profile(store: Store, person: Guest, viewer: Guest) -> bool:
    """Return whether the viewer may see the person's profile."""
    if person.id == viewer.id or person.profile == "public":
        return True
    return person.profile == "opponents" and viewer.is_stored and store.transact(acquaintances.have_met, person.id, viewer.id)
