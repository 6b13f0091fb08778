"""Everything that Meadhall refuses, and why: a small tree of exceptions, each saying what, where and what would be right."""

from __future__ import annotations

LONGEST_REASON = 400
"""Letters of what is said to be wrong with a record: it quotes what stands there."""


class MeadhallError(Exception):
    """Base of all errors that are somebody's to mend: a bad option, an illegal action, a broken record."""


class UnknownGame(MeadhallError):
    """No game of that name is installed."""


class BadSetup(MeadhallError):
    """A match can't be set up so: number of players, options, seats or seed."""


class NoCache(MeadhallError):
    """There is no folder in which machine code can be kept."""


class Refused(MeadhallError):
    """An action that was not accepted. The match is unchanged.

    Attributes:
        rule: id of the rule that it breaks, "" where no rule of the game is concerned.
        reason: why, in words.
    """

    def __init__(self, reason: str, rule: str = "") -> None:
        super().__init__(f"{reason} ({rule})" if rule else reason)
        self.reason = reason
        self.rule = rule


class MalformedAction(Refused):
    """Not an action of this game at all: no integer, or outside the game's action space."""


class NotYourTurn(Refused):
    """Another seat is to decide."""


class MatchOver(Refused):
    """The match has ended; nothing can be played any more."""


class IllegalAction(Refused):
    """An action of this game that its rules forbid now; ``rule`` names the rule."""


class CannotUndo(Refused):
    """Nothing to take back, or something has been revealed since."""


class RecordError(MeadhallError):
    """A match record that is cut, edited, of an unknown format or of other rules.

    Attributes:
        place: where in the record, e.g. ``action 17``.
        reason: what is wrong there.
    """

    def __init__(self, place: str, reason: str) -> None:
        reason = reason if len(reason) <= LONGEST_REASON else reason[: LONGEST_REASON - 1] + "…"
        super().__init__(f"{place}: {reason}")
        self.place = place
        self.reason = reason

    def __reduce__(self) -> tuple[type[RecordError], tuple[str, str]]:
        return type(self), (self.place, self.reason)


class ConformanceError(MeadhallError):
    """A game breaks a law that every game keeps (``check_game``).

    Attributes:
        law: which one.
        place: the game, number of players, options, match seed and position.
        reason: what was found.
    """

    def __init__(self, law: str, place: str, reason: str) -> None:
        super().__init__(f"{law}: {reason} ({place})")
        self.law = law
        self.place = place
        self.reason = reason

    def __reduce__(self) -> tuple[type[ConformanceError], tuple[str, str, str]]:
        return type(self), (self.law, self.place, self.reason)
