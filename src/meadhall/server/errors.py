"""What the hall itself refuses, besides what the rules do; and the HTTP status of every refusal."""

from __future__ import annotations

from http import HTTPStatus

import msgspec

from meadhall.bots import UnknownBot
from meadhall.engine.errors import (
    BadSetup,
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


class RefusalInfo(msgspec.Struct):
    """Why something was refused: a word for programs, the id of a rule that it breaks, the reason for people."""

    error: str
    rule: str | None
    reason: str
    status: int


class NotFound(Refused):
    """No such table, record or link."""


class NotSeated(Refused):
    """Not the guest whose seat this is, or not the host."""


class Stale(Refused):
    """The page that this came from shows an older position."""


class WrongMoment(Refused):
    """The table is not at the point where this can be done."""


class OtherRules(Refused):
    """The match was begun under another version of the game's rules than is installed."""


class CrossSite(Refused):
    """A form that another site has sent, or of which the browser doesn't say where it comes from."""


class TooMany(Refused):
    """A limit that keeps the hall usable for everybody."""


class NotReady(Refused):
    """The game's rules are still being compiled."""


class DatabaseAway(Refused):
    """The database does not answer."""


_STATUS: dict[type[MeadhallError], HTTPStatus] = {
    MalformedAction: HTTPStatus.BAD_REQUEST,
    BadSetup: HTTPStatus.BAD_REQUEST,
    UnknownBot: HTTPStatus.BAD_REQUEST,
    RecordError: HTTPStatus.BAD_REQUEST,
    NotSeated: HTTPStatus.FORBIDDEN,
    CrossSite: HTTPStatus.FORBIDDEN,
    NotFound: HTTPStatus.NOT_FOUND,
    UnknownGame: HTTPStatus.NOT_FOUND,
    NotYourTurn: HTTPStatus.CONFLICT,
    MatchOver: HTTPStatus.CONFLICT,
    CannotUndo: HTTPStatus.CONFLICT,
    Stale: HTTPStatus.CONFLICT,
    WrongMoment: HTTPStatus.CONFLICT,
    OtherRules: HTTPStatus.GONE,
    IllegalAction: HTTPStatus.UNPROCESSABLE_ENTITY,
    TooMany: HTTPStatus.TOO_MANY_REQUESTS,
    NotReady: HTTPStatus.SERVICE_UNAVAILABLE,
    DatabaseAway: HTTPStatus.SERVICE_UNAVAILABLE,
}

_NAMES: dict[type[MeadhallError], str] = {
    MalformedAction: "malformed",
    BadSetup: "bad-setup",
    UnknownBot: "unknown-bot",
    RecordError: "bad-record",
    NotSeated: "not-your-seat",
    CrossSite: "cross-site",
    NotFound: "not-found",
    UnknownGame: "unknown-game",
    NotYourTurn: "not-your-turn",
    MatchOver: "over",
    CannotUndo: "cannot-undo",
    Stale: "stale",
    WrongMoment: "wrong-moment",
    OtherRules: "other-rules",
    IllegalAction: "illegal",
    TooMany: "too-many",
    NotReady: "not-ready",
    DatabaseAway: "database-away",
}


def status_of(error: MeadhallError) -> HTTPStatus:
    """The HTTP status that says it best."""
    return next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), HTTPStatus.BAD_REQUEST)


def name_of(error: MeadhallError) -> str:
    """A word for programs: ``illegal``, ``stale``, ``not-your-turn`` and so on."""
    return next((_NAMES[kind] for kind in type(error).__mro__ if kind in _NAMES), "refused")


def reason_of(error: MeadhallError) -> str:
    """Why, in words, without the rule's id."""
    return error.reason if isinstance(error, Refused) else str(error)


def rule_of(error: MeadhallError) -> str:
    """The id of the rule that was broken, "" if none."""
    return error.rule if isinstance(error, Refused) else ""
