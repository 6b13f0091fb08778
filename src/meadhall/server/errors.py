"""Refusals of the server beside those of the rules, and the HTTP status and code of every error."""

from __future__ import annotations

from http import HTTPStatus

import msgspec

from meadhall.bots import UnknownBot
from meadhall.engine.errors import (
    BadSetup,
    BrokenGame,
    CannotUndo,
    IllegalAction,
    MalformedAction,
    MatchOver,
    MeadhallError,
    NotYourTurn,
    RecordError,
    Refused,
    UnknownGame,
)
from meadhall.engine.text.language import gettext as _


class RefusalInfo(msgspec.Struct):
    """Why a request was refused.

    Attributes:
        error: a code for programs.
        rule: id of the rule that the action breaks; null if it breaks none.
        reason: an explanation for people.
        status: the HTTP status.
    """

    error: str
    rule: str | None
    reason: str
    status: int


class NotFound(Refused):
    """There is no such table, record or link."""


class NotSeated(Refused):
    """The guest has no seat at this table, or is not its host."""


class NotYours(Refused):
    """It belongs to another guest, who shows it."""


class PrivateProfile(Refused):
    """The person doesn't show the profile to this guest."""


class NotAdmitted(Refused):
    """The hall is for invited guests, or for people with an account, and this guest is neither."""


class ShutOut(Refused):
    """The host of the hall has closed the access of this guest."""


class Waiting(NotAdmitted):
    """New guests from this address wait until a helper admits them."""


class Stale(Refused):
    """The page that sent the request shows an older state."""


class NameTaken(Refused):
    """The name belongs to an account, or looks like one that does."""


class NotThatPerson(Refused):
    """The name, the password, the recovery code or the passkey is wrong. The answer doesn't tell which."""


class NotForYou(Refused):
    """The answer is for the host of the hall, on its machine or with a token."""


class NotConfirmed(Refused):
    """The person must first prove again who they are."""


class WeakPassword(Refused):
    """The password is too short, too long, or known to many."""


class BadPasskey(Refused):
    """The passkey was made for another hall, was answered too late, or can't be used."""


class LastKey(Refused):
    """Without this passkey or password its owner couldn't sign in any more."""


class Unsure(Refused):
    """The decision can't be taken back, and the player wants to be asked first."""


class WrongMoment(Refused):
    """The request can't be done before, during or after the match, whichever the table is in."""


class Paused(WrongMoment):
    """The players have paused the match."""


class OtherRules(Refused):
    """The match was started under another version of the game's rules than the installed one.

    ``table``: the id of a finished match, whose record can be downloaded all the same; "" of one that is running.
    """

    def __init__(self, text: str, table: str = "") -> None:
        super().__init__(text)
        self.table = table


class DoesNotFit(OtherRules):
    """The rules of the match were changed without another version, and don't allow what was played."""


class KeyReused(Refused):
    """The Idempotency-Key of the request belongs to another request of the same guest."""


class CrossSite(Refused):
    """The request comes from another site, or the browser does not say where it comes from."""


class BadLine(Refused):
    """A line of chat is empty, too long, or an unknown phrase."""


class UnderMaintenance(Refused):
    """The host has announced a maintenance, during which no match begins."""


class SwitchedOff(Refused):
    """The host of the hall has switched it off, or allows it only to people with an account."""


class ChatOff(SwitchedOff):
    """The hall or the table has no chat."""


class TooMany(Refused):
    """The request would exceed a limit that protects the server."""


class NotReady(Refused):
    """The game's rules are still being compiled."""


class BadPushSubscription(Refused):
    """A browser's push subscription can't be used: its address is not that of a push service, or its keys are malformed."""


class BadMailAddress(Refused):
    """A text is no mail address."""


class Closing(Refused):
    """The server is stopping. The request may be repeated when it runs again."""


class DatabaseUnavailable(Refused):
    """The database does not answer, or can't store anything."""


_RESPONSES: dict[type[MeadhallError], tuple[HTTPStatus, str]] = {
    MalformedAction: (HTTPStatus.BAD_REQUEST, "malformed"),
    BadSetup: (HTTPStatus.BAD_REQUEST, "bad-setup"),
    WeakPassword: (HTTPStatus.BAD_REQUEST, "weak-password"),
    BadPasskey: (HTTPStatus.BAD_REQUEST, "bad-passkey"),
    UnknownBot: (HTTPStatus.BAD_REQUEST, "unknown-bot"),
    RecordError: (HTTPStatus.BAD_REQUEST, "bad-record"),
    BadPushSubscription: (HTTPStatus.BAD_REQUEST, "bad-push-subscription"),
    BadMailAddress: (HTTPStatus.BAD_REQUEST, "bad-mail-address"),
    BadLine: (HTTPStatus.BAD_REQUEST, "bad-line"),
    NotSeated: (HTTPStatus.FORBIDDEN, "not-your-seat"),
    NotYours: (HTTPStatus.FORBIDDEN, "not-yours"),
    NotThatPerson: (HTTPStatus.FORBIDDEN, "wrong-credentials"),
    NotForYou: (HTTPStatus.FORBIDDEN, "for-the-host"),
    NotConfirmed: (HTTPStatus.FORBIDDEN, "not-confirmed"),
    NotAdmitted: (HTTPStatus.FORBIDDEN, "not-admitted"),
    ShutOut: (HTTPStatus.FORBIDDEN, "shut-out"),
    CrossSite: (HTTPStatus.FORBIDDEN, "cross-site"),
    PrivateProfile: (HTTPStatus.FORBIDDEN, "private-profile"),
    SwitchedOff: (HTTPStatus.FORBIDDEN, "switched-off"),
    ChatOff: (HTTPStatus.FORBIDDEN, "no-chat"),
    NotFound: (HTTPStatus.NOT_FOUND, "not-found"),
    UnknownGame: (HTTPStatus.NOT_FOUND, "unknown-game"),
    NotYourTurn: (HTTPStatus.CONFLICT, "not-your-turn"),
    MatchOver: (HTTPStatus.CONFLICT, "over"),
    CannotUndo: (HTTPStatus.CONFLICT, "cannot-undo"),
    Stale: (HTTPStatus.CONFLICT, "stale"),
    WrongMoment: (HTTPStatus.CONFLICT, "wrong-moment"),
    Paused: (HTTPStatus.CONFLICT, "paused"),
    NameTaken: (HTTPStatus.CONFLICT, "name-taken"),
    LastKey: (HTTPStatus.CONFLICT, "last-key"),
    OtherRules: (HTTPStatus.GONE, "other-rules"),
    Unsure: (HTTPStatus.PRECONDITION_REQUIRED, "unsure"),
    IllegalAction: (HTTPStatus.UNPROCESSABLE_ENTITY, "illegal"),
    KeyReused: (HTTPStatus.UNPROCESSABLE_ENTITY, "key-reused"),
    TooMany: (HTTPStatus.TOO_MANY_REQUESTS, "too-many"),
    UnderMaintenance: (HTTPStatus.SERVICE_UNAVAILABLE, "maintenance"),
    NotReady: (HTTPStatus.SERVICE_UNAVAILABLE, "not-ready"),
    Closing: (HTTPStatus.SERVICE_UNAVAILABLE, "closing"),
    DatabaseUnavailable: (HTTPStatus.SERVICE_UNAVAILABLE, "database-away"),
}
_OTHER = HTTPStatus.BAD_REQUEST, "refused"


def status_of(error: MeadhallError) -> HTTPStatus:
    """Return the HTTP status of an error."""
    return _response_to(error)[0]


def code_of(error: MeadhallError) -> str:
    """Return the code of an error for programs: ``illegal``, ``stale``, ``not-your-turn`` and so on."""
    return _response_to(error)[1]


def _response_to(error: MeadhallError) -> tuple[HTTPStatus, str]:
    return next((_RESPONSES[kind] for kind in type(error).__mro__ if kind in _RESPONSES), _OTHER)


def reason_of(error: MeadhallError) -> str:
    """Return the reason in words, without the id of a rule. The error of a broken package is for the log, not for guests."""
    if isinstance(error, BrokenGame):
        return _("This game can't be played here at the moment: its package is broken. The log of the hall says why.")
    return error.reason if isinstance(error, Refused) else str(error)


def rule_of(error: MeadhallError) -> str:
    """Return the id of the broken rule; "" if there is none."""
    return error.rule if isinstance(error, Refused) else ""
