"""Tell guests what happens at their tables while they are away, by push messages to their devices.

A change of a table calls ``notify`` in its transaction. That stores a job for each device of the guests, so a message survives a
restart. Just before that, the job is checked again: a message that is not true any more, or whose guest
has the table in front of them, is not sent. ``notify`` also stores the job of a mail about turns (``hall.mails``), which
ends when a push message about a turn is sent.

A message names the game, the players and what to do, and nothing that is hidden.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any, Final, Literal, Self

from meadhall.engine.errors import MeadhallError
from meadhall.engine.registry import game
from meadhall.engine.text.language import gettext as _, listed, speak
from meadhall.server.errors import DatabaseUnavailable, NotFound, NotReady, TooMany
from meadhall.server.hall.push_service import SECRET, Message, PushServices, check_keys, public_key
from meadhall.server.hall.upkeep.scheduler import Scheduler
from meadhall.server.ops.logs import OncePerInterval
from meadhall.server.store import accounts, guests, jobs, mail, secrets, sessions, tables
from meadhall.server.store.database import Db
from meadhall.server.store.jobs import Job
from meadhall.server.store.models import Guest, TableRow, new_id
from meadhall.server.store.sessions import PushSubscription
from meadhall.server.store.store import Store
from meadhall.server.worker.threads import run_in_thread

# ------------------------------------------------------------------------------------------------------------- what guests choose

# Which events a guest wants to be told of, and how: by a sound, a notification of an open page, or a push message.
#
# Everything is off until the guest turns it on: sounds and notifications of open pages here, push messages on a device, where
# the browser asks for permission. Which events a device then receives is chosen already, and can be changed.


Kind = Literal["turn", "short", "chat", "proposal", "invitation", "end"]
"""Kinds of events: it is the guest's turn, their time is short, a chat line, a proposal, an invitation, the end of a match."""

Channel = Literal["sound", "notice", "push"]
"""How a guest is told: a sound, a notification of an open page, a push message to a device."""

OFFERED: Final[Mapping[Kind, tuple[Channel, ...]]] = {
    "turn": ("sound", "notice", "push"),
    "short": ("sound", "notice", "push"),
    "proposal": ("sound", "notice", "push"),
    "chat": ("sound", "notice"),
    "end": ("sound", "notice"),
    "invitation": ("push",),
}
"""The ways in which each kind of event can be told."""

CHANNELS: Final[tuple[Channel, ...]] = ("sound", "notice", "push")

_LOUDEST: Final = 100


@dataclass(frozen=True)
class NotificationChoices:
    """The choices of a guest.

    Attributes:
        chosen: pairs of a kind and a channel.
        volume: of the sounds, in percent.
    """

    chosen: frozenset[tuple[Kind, Channel]]
    volume: int = 60

    @classmethod
    def of(cls, guest: Guest) -> Self:
        """Return the choices of a guest, or the defaults."""
        stored = guest.notifications
        if not stored:
            return cls(frozenset((kind, "push") for kind, channels in OFFERED.items() if "push" in channels))
        return cls.checked(
            ((kind, channel) for channel in CHANNELS for kind in stored.get(channel, ())), stored.get("volume", 60)
        )

    @classmethod
    def checked(cls, pairs: Iterable[tuple[str, str]], volume: int) -> Self:
        """Return those of the chosen pairs that are offered, with a volume from 0 to 100."""
        wanted = set(pairs)
        offered = ((kind, channel) for kind, channels in OFFERED.items() for channel in channels)
        return cls(frozenset(pair for pair in offered if pair in wanted), max(0, min(_LOUDEST, volume)))

    def wants(self, kind: Kind, channel: Channel) -> bool:
        """Return whether the guest wants to be told of this kind in this way."""
        return (kind, channel) in self.chosen

    def kinds(self, channel: Channel) -> tuple[Kind, ...]:
        """Return the kinds that are told in this way."""
        return tuple(kind for kind in OFFERED if self.wants(kind, channel))

    def stored(self) -> dict[str, Any]:
        """Return the choices as the guest's row stores them."""
        return {channel: list(self.kinds(channel)) for channel in CHANNELS} | {"volume": self.volume}


# ----------------------------------------------------------------------------------------------------------------------- messages


log = logging.getLogger(__name__)
log.addFilter(OncePerInterval())

_JOB: Final = "push"

PAUSE: Final = timedelta(seconds=5)
"""How long a message waits: a guest who is there, or loads the page again, answers meanwhile."""

_LOOK_AGAIN: Final = timedelta(seconds=60)
"""How long a message waits for a guest who has the table in front of them, before it looks again."""

_CLOSE: Final = timedelta(seconds=2)
"""How much too early a message may be."""

_LIFETIME: Final = timedelta(days=1)
"""How long a message is worth sending, unless something else is known."""

_DAY: Final = timedelta(days=1)

_NEW_DEVICES: Final = accounts.Limit(free=100, first=_DAY, longest=_DAY)
"""Number of browsers that one client address may add in a day."""

_FIRST_RETRY: Final = timedelta(seconds=5)
_DOUBLINGS: Final = 9
"""How often the pause between two attempts doubles at most: up to 43 minutes."""

Check = Callable[["Notification", str], Awaitable[bool | datetime]]
"""Returns whether a notification is true for the guest with this id, or the time from which on it will be."""


@dataclass(frozen=True)
class Notification:
    """Something that guests should know.

    Attributes:
        kind: the kind of event.
        table: the id of its table.
        number: tells events of this kind at the table apart: for ``turn`` and ``short`` the number of the next action, for a
            proposal that of its entry.
        sender: the name of the person who proposes or invites, "" if no person does.
        until: when it is of no use any more, for example the deadline of the decision; None: after a day.
    """

    kind: Kind
    table: str
    number: int = 0
    sender: str = ""
    until: datetime | None = None


def notify(db: Db, notification: Notification, guests: Collection[str], at: datetime | None = None) -> None:
    """Tell guests about an event, from ``at`` on (None: in some seconds), in the transaction of the change that causes it.

    A later notification of the same kind at the same table takes its place. Call ``scheduler.wake()`` after the transaction.
    """
    created = db.now()
    payload = {
        "id": new_id(),
        "number": notification.number,
        "kind": notification.kind,
        "table": notification.table,
        "sender": notification.sender,
        "until": (notification.until or created + _LIFETIME).isoformat(),
    }
    for is_mail, id in sessions.ways_to_call(db, guests) if guests else ():
        if not is_mail:
            key = f"{id}:{notification.kind}:{notification.table}"
            jobs.put(db, _JOB, key, at or created + PAUSE, {**payload, "subscription": id})
        elif notification.kind == "turn":
            jobs.add(db, mail.TURNS, id, at or created + PAUSE)


class Notifications:
    """Sends the notifications of a hall as push messages.

    Args:
        store: the database.
        scheduler: does the jobs.
        services: sends to push services.
        is_looking: returns whether a guest has a table in front of them.
        sub_path: the path of the hall on its host, "" for the whole host.
    """

    def __init__(
        self,
        store: Store,
        scheduler: Scheduler,
        services: PushServices,
        is_looking: Callable[[str, str], bool],
        sub_path: str,
    ) -> None:
        self._store = store
        self._time = store.time
        self._scheduler = scheduler
        self._services = services
        self._is_looking = is_looking
        self._sub_path = sub_path
        self._checks: dict[Kind, Check] = {}
        scheduler.register_slow(_JOB, self._push)

    def check_with(self, kind: Kind, check: Check) -> None:
        """Let ``check`` say whether notifications of a kind are still true, just before they are sent."""
        self._checks[kind] = check

    # -------------------------------------------------------------------------------------------------------------- devices

    @property
    def are_pushed(self) -> bool:
        """Whether the hall sends push messages."""
        return self._services.is_offered

    async def key(self) -> str:
        """Return the public key with which browsers subscribe."""
        return await run_in_thread(public_key, self._store.secret(SECRET))

    def devices(self, guest: Guest) -> list[PushSubscription]:
        """Return the browsers that receive push messages of a guest, the oldest first."""
        return self._store.transact(partial(sessions.subscriptions_of, guests=[guest.id])) if guest.is_stored else []

    async def subscribe(
        self, guest: Guest, client: str, endpoint: str, p256dh: str, auth: str, device: str, session: str, instead_of: str = ""
    ) -> PushSubscription:
        """Let the browser of a session or device receive the push messages of a guest.

        ``client``: the address that asks for it. Raises BadPushSubscription, TooMany.
        """
        self._services.check(endpoint)
        await run_in_thread(check_keys, p256dh, auth)
        known = {each.endpoint for each in self.devices(guest)}
        key = sha256(f"{_JOB}\0{client}".encode()).hexdigest()
        counts = partial(accounts.count_unless_paused, counter=accounts.Counter(key, _NEW_DEVICES))
        if not known & {endpoint, instead_of} and not self._store.transact(counts):
            log.warning("a device of %s gets no push messages: %d are new today", client, _NEW_DEVICES.free)
            raise TooMany(_("Too many devices were added from your address today. Try again tomorrow."))
        vapid_key, at = await self.key(), self._time.now()
        subscription = PushSubscription(new_id(), guest.id, endpoint, p256dh, auth, vapid_key, device, at, session)
        return self._store.transact(sessions.add_subscription, subscription, instead_of)

    def unsubscribe(self, guest: Guest, id: str) -> None:
        """Send a browser of the guest no more messages. Raises NotFound."""
        if not self._store.transact(partial(sessions.remove_subscription, id=id, guest=guest.id)):
            raise NotFound(_("There is no such device."))

    async def close(self) -> None:
        """Close the connections to push services."""
        await self._services.close()

    # -------------------------------------------------------------------------------------------------------------- sending

    async def _push(self, job: Job) -> None:
        """Send one message to one browser, or find that it isn't needed any more."""
        payload = job.payload
        note = Notification(
            payload["kind"], payload["table"], payload["number"], payload["sender"], datetime.fromisoformat(payload["until"])
        )
        subscription = self._store.transact(partial(sessions.find_subscription, id=payload["subscription"]))
        seconds = 0.0 if note.until is None else (note.until - self._time.now()).total_seconds()
        if subscription is None or seconds <= 0:
            return
        due = await self._is_due(subscription.guest, note)
        if not due:
            return
        if due is not True and due > self._time.now() + _CLOSE:
            self._scheduler.finish(job, again_at=due)
            return
        if self._is_looking(note.table, subscription.guest):
            self._scheduler.finish(job, again_at=self._time.now() + _LOOK_AGAIN)
            return
        message = self._message(subscription.guest, note, payload["id"], int(seconds))
        if message is None:
            return
        retired = self._store.transact(secrets.retired, SECRET)
        accepted = [self._store.secret(SECRET), *(each.value for each in retired)]
        outcome = await self._services.send(subscription, message, accepted)
        if outcome.kind == "sent" and note.kind == "turn":
            self._store.transact(partial(jobs.cancel, kind=mail.TURNS, key=subscription.guest))
        if outcome.kind in ("sent", "refused"):
            reason = outcome.reason or None
            if reason != subscription.refusal:
                self._scheduler.finish(job, partial(sessions.note_refusal, id=subscription.id, reason=reason))
        elif outcome.kind == "gone":
            self._scheduler.finish(job, partial(sessions.remove_subscription, id=subscription.id))
        elif outcome.kind == "later":
            tries = int(payload.get("tries", 0))
            pause = max(_FIRST_RETRY * 2 ** min(tries, _DOUBLINGS), timedelta(seconds=outcome.seconds))
            again_at = self._time.now() + pause if pause.total_seconds() < seconds else None
            self._scheduler.finish(job, again_at=again_at, payload={**payload, "tries": tries + 1})

    async def _is_due(self, guest: str, note: Notification) -> bool | datetime:
        """Return whether the guest wants to know and the event is still true, or the time from which on it will be."""
        row = self._store.transact(guests.find, guest)
        if row is None or not NotificationChoices.of(row).wants(note.kind, "push"):
            return False
        check = self._checks.get(note.kind)
        try:
            return check is None or await check(note, guest)
        except (DatabaseUnavailable, NotReady):
            raise
        except MeadhallError:  # the table can't be opened any more
            return False

    def _message(self, guest: str, note: Notification, id: str, seconds: int) -> Message | None:
        """Return the message in the guest's language; None if the table is gone."""
        row, table = self._store.transact(guests.find, guest), self._store.transact(tables.find, note.table)
        if row is None or table is None:
            return None
        speak(row.language)
        titles = {
            "turn": _("It is your turn"),
            "short": _("Your time is running out"),
            "proposal": _("{name} proposes something").format(name=note.sender) if note.sender else _("A proposal waits for you"),
            "invitation": _("{name} invites you to a table").format(name=note.sender),
        }
        text = {
            "id": id,
            "tag": f"{note.kind}:{note.table}",
            "title": titles[note.kind],
            "body": game_and_players(table, guest),
            "url": f"{self._sub_path}/tables/{table.id}",
            "language": row.language,
        }
        topic = sha256(f"{note.kind}:{note.table}".encode()).hexdigest()[:32]
        return Message(text, topic, max(1, seconds), is_urgent=note.kind in ("short", "proposal"))


def game_and_players(table: TableRow, guest: str) -> str:
    """Return the game and the other players at a table."""
    title = game(table.game).title
    others = [seat.name for seat in table.seats if seat.name and guest not in seat.guests]
    return _("{game} with {names}").format(game=title, names=listed(others)) if others else title
