"""The page that tells what the hall keeps about a person, where, and for how long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import marked, ngettext
from meadhall.server.settings import Retention, Settings
from meadhall.server.store import schema

STAYS: Final = marked("until you delete it, or everything")
HOUR: Final = marked("a few minutes, at most an hour or so")
DAY: Final = marked("a day")

KEPT: Final[Mapping[str, tuple[str, str, str]]] = {
    "guests": (marked("Your settings"), marked("name, language, theme, speed, choices, when you came first"), STAYS),
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
    "seeks": (
        marked("Quick matches that you look for"),
        marked("the game, its options, and when your page was last open"),
        HOUR,
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
}
"""How long a table is kept at most, by the field of ``Retention``."""


@dataclass(frozen=True)
class KeptData:
    """A kind of data that the hall keeps about a person: its title, its content, and the time for which it is kept."""

    title: str
    content: str
    time: str


@dataclass(frozen=True)
class PrivacyPage:
    """The kinds of data that the hall keeps about a person."""

    kept: tuple[KeptData, ...]
    place: str  # where: "in one database file on the computer that runs this hall"
    has_account: bool


def privacy_page(settings: Settings, has_account: bool) -> PrivacyPage:
    """Return the page for a hall with these settings."""
    names = dict.fromkeys(each.table for each in schema.GUEST_COLUMNS)
    kept = tuple(KeptData(_(KEPT[name][0]), _(KEPT[name][1]), _time(name, settings.retention)) for name in names)
    return PrivacyPage(kept, _("in one database file on the computer that runs this hall"), has_account)


def _time(table: str, retention: Retention) -> str:
    """Say for how long the rows of a table are kept."""
    limits = {text: getattr(retention, field) for field, text in LIMITED.get(table, {}).items()}
    days = [
        _(text).format(days=ngettext("{count} day", "{count} days", count).format(count=count))
        for text, count in limits.items()
        if count
    ]
    return "; ".join([_(KEPT[table][2]), *days])
