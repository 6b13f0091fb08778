"""Kind: what sort of game it is, as game theory puts it. Searches and learning environments read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar

T = TypeVar("T")

Declared: TypeAlias = T | Callable[[int, Mapping[str, Any]], T]
"""A property of a game: one value, or a function of the number of players and the checked options that returns it."""

Parties: TypeAlias = tuple[tuple[int, ...], ...]
"""The seats that win or lose together, one tuple for each party."""

Information = Literal["perfect", "imperfect"]
Dynamics = Literal["sequential", "simultaneous"]
Payoffs = Literal["zero-sum", "constant-sum", "general-sum", "identical"]


@dataclass(frozen=True)
class PayoffRange:
    """The payoffs that a game can give, for example points or chips.

    Attributes:
        smallest: the smallest possible payoff of a seat.
        largest: the largest possible payoff of a seat.
        total: the sum of the payoffs of all seats, if it is always the same: 0 in a zero-sum game; None if it varies.

    Examples:
        >>> PayoffRange(-2, 2, total=0).span
        4
    """

    smallest: float
    largest: float
    total: float | None = None

    @property
    def span(self) -> float:
        """Return the difference between the largest and the smallest payoff."""
        return self.largest - self.smallest


SHARES = PayoffRange(0.0, 1.0)
"""The payoffs of a game whose winners share 1."""


@dataclass(frozen=True)
class Kind:
    """The kind of a game, with one number of players and one choice of options.

    Attributes:
        players: the number of players.
        chance: whether chance decides anything: dice, a deal, a drawn first player.
        information: ``"perfect"`` if ``conceal`` blanks nothing for any seat. Cards face down for every seat are hidden, too.
        dynamics: ``"simultaneous"`` if several seats may have to choose at the same time, otherwise ``"sequential"``.
        payoffs: how the payoffs of all seats add up: always to 0, always to another number, or not to one number.
            ``"identical"``: every seat always has the same payoff.
        smallest: the smallest possible payoff of a seat.
        largest: the largest possible payoff of a seat.
        sides: the seats that win together, one tuple for each side; None if sides change in play.
        max_length: an upper bound of the number of decisions of a match; None if there is none.
    """

    players: int
    chance: bool
    information: Information
    dynamics: Dynamics
    payoffs: Payoffs
    smallest: float
    largest: float
    sides: Parties | None
    max_length: int | None

    @property
    def together(self) -> bool:
        """Return whether all players win or lose together."""
        return self.payoffs == "identical"


def declared(value: Declared[T], players: int, options: Mapping[str, Any]) -> T:
    """Return a declared property with a number of players and options."""
    return value(players, options) if callable(value) else value
