"""Batch: many matches of one game that are stepped together by compiled loops (``loops.py``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from meadhall.engine.checks import Seed, as_integer, check_count, quoted
from meadhall.engine.compiled import loops
from meadhall.engine.compute.bulk import Floats, seed_number
from meadhall.engine.errors import BadSetup, MalformedAction
from meadhall.engine.game import Game
from meadhall.engine.registry import game
from meadhall.engine.state.schema import States, copied
from meadhall.engine.text.display import Displayed, Table
from meadhall.engine.text.language import gettext as _, grouped

LARGEST = np.iinfo(np.int64).max
"""The largest action, and the largest number of a match."""


def integers(given: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Convert actions to an int64 array. Raises MalformedAction if one is not a 64-bit integer."""
    if isinstance(given, np.ndarray) and given.dtype.kind == "i":
        return given.astype(np.int64, copy=False)
    objects = np.array(given, object)
    numbers = [as_integer(value) for value in objects.flat]
    for value, number in zip(objects.flat, numbers, strict=True):
        if number is None or not -LARGEST - 1 <= number <= LARGEST:
            raise MalformedAction(f"an action must be a 64-bit integer, not {quoted(value)}")
    return np.array(numbers, np.int64).reshape(objects.shape)


class Batch(Displayed):
    """Many matches of one game that are stepped together, for learning and search.

    A copy is independent; a pickle contains all states.

    Attributes:
        states: the states, a structured array (count,).

    Examples:
        >>> batch = Batch("axes-and-allies", players=2, count=3, seed="any")
        >>> outcome = batch.step([mask.argmax() for mask in batch.legal_masks()])
        >>> outcome.tolist()
        [0, 0, 0]
    """

    def __init__(
        self,
        name: str | Game,
        players: int,
        count: int,
        seed: Seed | None = None,
        first: int = 0,
        **options: Any,
    ) -> None:
        """Set up ``count`` matches: games ``first``, ``first + 1`` … of the bulk run with this seed.

        Raises:
            BadSetup: an argument is invalid.
        """
        self.game = game(name)
        self.players, chosen = self.game.check_setup(players, options)
        codes = self.game.encode_options(chosen)
        self.states: States = self.game.state.new(check_count(count, "matches"))
        number = as_integer(first)
        if number is None or not 0 <= number <= LARGEST - len(self.states):
            raise BadSetup(f"the number of the first match must be an integer of at least 0, not {quoted(first)}")
        self._loops.set_up_many(self.states, self.players, codes, seed_number(seed), number)

    @property
    def _loops(self) -> Any:
        return loops(self.game)

    def __copy__(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.states = copied(self.states)
        return twin

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        return self.__copy__()

    def __repr__(self) -> str:
        matches, over = len(self.states), int((self.actors() < 0).sum())
        return f"<Batch of {self.game.name}: {matches:,} matches of {self.players} players, {over:,} over>"

    def displayed(self) -> Iterator[str | Table]:
        """Yield the parts of the readable form: the game, and how many matches wait for which seat.

        Examples:
            >>> import meadhall
            >>> next(meadhall.Batch("axes-and-allies", players=2, count=4, seed="mead").displayed())
            'Axes and Allies: 4 matches of 2 players'
        """
        yield _("{game}: {matches} matches of {players} players").format(
            game=self.game.title, matches=grouped(len(self.states)), players=self.players
        )
        counts = np.bincount(self.actors() + 1, minlength=self.players + 1).tolist()
        rows = [(_("seat {seat} to move").format(seat=seat), grouped(count)) for seat, count in enumerate(counts[1:])]
        yield Table((), (*rows, (_("over"), grouped(counts[0]))), numbers=True)

    def step(self, actions: npt.ArrayLike) -> npt.NDArray[np.int8]:
        """Play ``actions[i]`` in match i.

        Returns:
            int8 (count,): 0 where the action was played; 1 (illegal) or 2 (match over) where nothing changed.

        Raises:
            BadSetup: the number of actions differs from the number of matches.
            MalformedAction: an action is not a 64-bit integer.
        """
        chosen = integers(actions)
        if chosen.shape != self.states.shape:
            raise BadSetup(f"{len(self.states)} actions are needed, one per match; got shape {chosen.shape}")
        outcome = np.empty(len(self.states), np.int8)
        self._loops.step(self.states, chosen, outcome)
        return outcome

    def legal_masks(self, seat: int | None = None) -> npt.NDArray[np.bool_]:
        """Return the legal actions as a mask, bool (count, actions); all False where a match is over.

        Args:
            seat: the seat that chooses, where several choose at the same time; the mask is False where it has nothing to choose.
                By default the seat to move.

        Raises:
            BadSetup: there is no such seat.
        """
        masks = np.empty((len(self.states), self.game.actions), np.bool_)
        if seat is None:
            self._loops.legal_masks(self.states, masks)
            return masks
        number = as_integer(seat)
        if number is None or not 0 <= number < self.players:
            raise BadSetup(f"there is no seat {quoted(seat)}; there are 0 to {self.players - 1}")
        self._loops.legal_masks_of(self.states, number, masks)
        return masks

    def deciders(self) -> npt.NDArray[np.bool_]:
        """Return which seats have still to choose, bool (count, players).

        ``actors`` has the lowest of them, and ``step`` plays its action. If several seats choose at the same time, the others
        follow in the next steps.

        Examples:
            >>> import meadhall
            >>> meadhall.Batch("axes-and-allies", players=2, count=2, seed="mead").deciders().shape
            (2, 2)
        """
        masks = np.empty((len(self.states), self.players), np.bool_)
        self._loops.decider_masks(self.states, masks)
        return masks

    def actors(self) -> npt.NDArray[np.int8]:
        """Return the seat to move, int8 (count,); -1 where a match is over.

        Examples:
            >>> import meadhall
            >>> meadhall.Batch("axes-and-allies", players=2, count=2, seed="mead").actors().dtype
            dtype('int8')
        """
        actors: npt.NDArray[np.int8] = self.states["actor"].astype(np.int8)
        return actors

    def scores(self) -> Floats:
        """Return each seat's payoff, float64 (count, players); 0 where a match is not over.

        Examples:
            >>> import meadhall
            >>> meadhall.Batch("axes-and-allies", players=2, count=2, seed="mead").scores()
            array([[0., 0.],
                   [0., 0.]])
        """
        payoffs = np.empty((len(self.states), self.players), np.float64)
        self._loops.scores(self.states, payoffs)
        return payoffs
