"""Exceptions of the library. Each message says what is wrong, where, and what would be right."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

MAX_REASON = 400
"""The maximum length of a RecordError's reason, in characters. Reasons quote the record."""


def how_to_install(extras: str) -> str:
    """Return the command that installs extras of Meadhall, such as ``envs``. No package index has it, only a clone."""
    clone = Path(sys.prefix).parent
    if (clone / "src" / "meadhall").is_dir():  # the environment that make has made, which has no pip
        return f"make -C {shlex.quote(str(clone))} setup"
    return f"pip install ~/meadhall'[{extras}]'"


class MeadhallError(Exception):
    """Base class of the errors that a caller can correct: a bad option, an illegal action, a broken record."""


class UnknownGame(MeadhallError):
    """No game with this name is installed."""


class BrokenGame(UnknownGame):
    """The package of the game is installed, but it can't be loaded."""


class BadGame(MeadhallError):
    """The declaration of a game lacks a part that every game needs, or its parts contradict each other."""


class BadEvent(Exception):
    """The rules of a game emitted an event that can't be told. It is a mistake of the game, which no caller can correct."""


class BadSetup(MeadhallError):
    """A match can't be set up with these arguments: number of players, options, seats or seed."""


class NoCache(MeadhallError):
    """The folder for compiled machine code can't be written to."""


class Refused(MeadhallError):
    """An action was refused. The match is unchanged.

    Attributes:
        rule: id of the rule that the action breaks, "" if it breaks no rule of the game.
        reason: why it was refused, in the current language.
    """

    def __init__(self, reason: str, rule: str = "") -> None:
        super().__init__(f"{reason} ({rule})" if rule else reason)
        self.reason = reason
        self.rule = rule

    def __reduce__(self) -> tuple[type[Refused], tuple[str, str]]:
        return type(self), (self.reason, self.rule)


class MalformedAction(Refused):
    """The value is not an action of this game: it isn't an integer, or it is outside the action space."""


class NotYourTurn(Refused):
    """It is another seat's turn."""


class MatchOver(Refused):
    """The match has ended."""


class IllegalAction(Refused):
    """The rules forbid this action now; ``rule`` names the rule."""


class CannotUndo(Refused):
    """There is nothing to undo, or something has been revealed since."""


class RecordError(MeadhallError):
    """A match record is truncated, edited, of an unknown format or of another version of the rules.

    Attributes:
        place: the place in the record, e.g. ``action 17``.
        reason: what is wrong there.
    """

    def __init__(self, place: str, reason: str) -> None:
        reason = reason if len(reason) <= MAX_REASON else reason[: MAX_REASON - 1] + "…"
        super().__init__(f"{place}: {reason}")
        self.place = place
        self.reason = reason

    def __reduce__(self) -> tuple[type[RecordError], tuple[str, str]]:
        return type(self), (self.place, self.reason)
