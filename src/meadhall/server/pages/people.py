"""The models of the pages about the guest: account, people met, notifications, and what the hall keeps about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from meadhall.engine.text.language import gettext as _, marked, ngettext
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.notifications import OFFERED, Channel, Kind, NotificationChoices
from meadhall.server.hall.people.acquaintances import Known
from meadhall.server.hall.room import Room
from meadhall.server.settings import Retention, Settings
from meadhall.server.store import schema
from meadhall.server.store.models import Guest

INVITABLE: Final = 30
"""People whom the page of a table offers to invite: those of the last matches."""


def people_met(known: Sequence[Known]) -> list[dict[str, Any]]:
    """Return the list of people that a guest knows."""
    return [_met(each) for each in known]


def invitable(room: Room, known: Sequence[Known], invited: Mapping[str, bool]) -> list[dict[str, Any]]:
    """Return the people whom a player may invite to a table: those they have played with, who have no seat and aren't blocked.

    ``invited``: by id, whether they have declined.
    """
    people = [(each, each.acquaintance.person.id) for each in known if each.acquaintance.matches and not each.blocked]
    answers = {id: "declined" if declined else "invited" for id, declined in invited.items()}
    return [_met(each, answers.get(id, "")) for each, id in people if room.table.seat_of(id) is None][:INVITABLE]


def _met(known: Known, answer: str = "") -> dict[str, Any]:
    """Return a person in a list, by the id that others may see; for invitations with what they have answered."""
    person = known.acquaintance.person
    return {"id": person.public_id, "name": person.name, "crest": person.crest, "known": known, "answer": answer}


_SOUNDS: Final[Mapping[Kind, str]] = {
    "turn": "horn",
    "short": "drip",
    "proposal": "knock",
    "chat": "pluck",
    "end": "chime",
}
"""The sound of each kind of event that has one: a file in ``static/sounds``."""


def notifications_panel(hall: Hall, guest: Guest, here: str) -> dict[str, Any]:
    """Return the guest's choices and devices. ``here``: the id of the session or device that looks.

    A hall that sends no push messages doesn't offer them.
    """
    choices, are_pushed = NotificationChoices.of(guest), hall.notifications.are_pushed
    channels: dict[Channel, str] = {"sound": _("Sound"), "notice": _("Open page")}
    channels |= {"push": _("Push message")} if are_pushed else {}

    def field(kind: Kind, channel: Channel) -> dict[str, Any] | None:
        if channel not in OFFERED[kind]:
            return None
        return {
            "name": f"{channel}-{kind}",
            "words": channels[channel],  # of the channel
            "is_chosen": choices.wants(kind, channel),
        }

    events = tuple(
        {
            "words": words,
            "fields": tuple(field(kind, channel) for channel in channels),
            "sound": _SOUNDS.get(kind, ""),  # the sound of the event, "" without one
        }
        for kind, words in _events().items()
        if any(channel in OFFERED[kind] for channel in channels)
    )
    found = hall.notifications.devices(guest)
    devices = tuple(
        {
            "id": each.id,
            "name": each.device,
            "is_here": bool(here) and each.session == here,
            "refusal": each.refusal or "",  # why its push service has refused the last message, "" if it hasn't
        }
        for each in found
    )
    told = tuple((words, len(choices.kinds(channel))) for channel, words in channels.items())
    return {
        "channels": told,  # each with the number of events that it tells
        "events": events,
        "volume": choices.volume,
        "devices": devices,
        "are_pushed": are_pushed,  # whether the hall sends push messages
    }


def _events() -> dict[Kind, str]:
    return {
        "turn": _("It is my turn"),
        "short": _("My time is running out"),
        "proposal": _("Someone proposes something"),
        "chat": _("Someone writes to the table"),
        "end": _("A match ends"),
        "invitation": _("Someone invites me"),
    }


def sounds() -> dict[Kind, str]:
    """Return the sounds by kind of event, as names of static files."""
    return {kind: f"sounds/{name}.wav" for kind, name in _SOUNDS.items()}


STAYS: Final = marked("until you delete it, or everything")
HOUR: Final = marked("a few minutes, at most an hour or so")
DAY: Final = marked("a day")
EVENING: Final = marked("a year")

KEPT: Final[Mapping[str, tuple[str, str, str]]] = {
    "guests": (
        marked("Your settings"),
        marked("name, language, theme, speed, choices, when you came first; whether you are muted or shut out, and why"),
        STAYS,
    ),
    "accounts": (marked("Your account"), marked("the hash of your password, never the password itself"), STAYS),
    "passkeys": (marked("Passkeys"), marked("their public keys, the names of the devices, and when they were used"), STAYS),
    "recovery_codes": (marked("Recovery codes"), marked("their hashes"), marked("until they are used or replaced")),
    "sessions": (
        marked("Devices that are signed in"),
        marked("browser and system, first and last use"),
        marked("400 days after the last use"),
    ),
    "challenges": (marked("Signing in with a passkey"), marked("a random number"), HOUR),
    "tables": (
        marked("Tables that you have opened"),
        marked("the game, its options, every action and its time"),
        marked("for good: others played there, too"),
    ),
    "seat_guests": (
        marked("Your seats"),
        marked("which seats are yours, and the name there"),
        marked("for good; after a deletion the name is “former player”"),
    ),
    "results": (marked("Your results"), marked("what your profile counts: points, ranks, hints, take-backs"), STAYS),
    "push_subscriptions": (
        marked("Push messages"),
        marked("the address of your browser at its push service, and keys"),
        marked("until you switch them off"),
    ),
    "idempotency_keys": (marked("Requests of programs"), marked("keys of requests for new tables"), DAY),
    "chat_lines": (marked("Your lines at tables"), marked("the line, your name, the time"), STAYS),
    "holidays": (marked("Your holidays"), marked("when your slow clocks stand"), STAYS),
    "notes": (marked("Your notes at tables"), marked("the text, and when you changed it"), STAYS),
    "ignored_guests": (marked("Whom you have muted or blocked"), marked("who it is, and since when"), STAYS),
    "invitations": (
        marked("Invitations to tables"),
        marked("who has invited whom, and when"),
        marked("as long as the table waits for players"),
    ),
    "identity_links": (marked("Links to your other devices"), marked("their hashes"), HOUR),
    "orders": (
        marked("Reports and prints that you have ordered"),
        marked("what you have ordered, when, and the report"),
        marked("a few at a time, at most 30 days"),
    ),
    "questions": (
        marked("Your questions in the workshop"),
        marked("what each compares, and the changes that can be undone"),
        marked("two years after the last change"),
    ),
    "evenings": (marked("Evenings that you have led"), marked("the name, the games, the rounds, when"), EVENING),
    "evening_people": (marked("Evenings that you have joined"), marked("when you came and left"), EVENING),
    "evening_seats": (
        marked("Your seats in the rounds of evenings"),
        marked("which table, in which round; the points of the others depend on it"),
        EVENING,
    ),
    "cases": (
        marked("Reports about you"),
        marked("what was reported, your name then, what was done; until it is decided, a hash of your network address"),
        STAYS,
    ),
    "reports": (marked("Your reports"), marked("the reason, and your words"), STAYS),
    "ladder_members": (marked("Taking part in the ladder"), marked("since when, or until when"), STAYS),
    "ratings": (
        marked("Your level on the ladder"),
        marked("for each game: the level, how sure it is, how many matches, how many you gave up"),
        STAYS,
    ),
    "closings": (
        marked("If the hall has shut you out"),
        marked("a hash of your network address, so that new guests from there wait for a helper"),
        marked("as long as you are shut out"),
    ),
    "mail_addresses": (
        marked("Your mail address"),
        marked("the address, and when the last mail about turns was written; the mail server of the hall reads its mails"),
        marked("until you remove it"),
    ),
    "mail_confirmations": (
        marked("An unconfirmed mail address"),
        marked("the address"),
        DAY,
    ),
}
"""For each table of ``GUEST_COLUMNS``: its title, its contents, and how long it is kept."""

LIMITED: Final[Mapping[str, Mapping[str, str]]] = {
    "guests": {"guests": marked("without an account, and if nothing else is kept: {days}")},
    "tables": {
        "lobbies": marked("if the match never began: {days}"),
        "abandoned": marked("if it was given up without a result: {days}"),
    },
    "chat_lines": {"chat": marked("after the match: {days}")},
    "cases": {"chat": marked("after the decision: {days}")},
    "reports": {"chat": marked("after the decision: {days}")},
}
"""How long a table is kept at most, by the field of ``Retention``."""


def kept_data(settings: Settings) -> list[tuple[str, str, str]]:
    """Return what a hall with these settings keeps about a person: a title, the content, and for how long."""
    names = dict.fromkeys(each.table for each in schema.GUEST_COLUMNS if settings.smtp or not each.table.startswith("mail_"))
    return [(_(KEPT[name][0]), _(KEPT[name][1]), _time(name, settings.retention)) for name in names]


def _time(table: str, retention: Retention) -> str:
    """Say for how long the rows of a table are kept."""
    limits = {text: getattr(retention, field) for field, text in LIMITED.get(table, {}).items()}
    days = [
        _(text).format(days=ngettext("{count} day", "{count} days", count).format(count=count))
        for text, count in limits.items()
        if count
    ]
    return "; ".join([_(KEPT[table][2]), *days])
