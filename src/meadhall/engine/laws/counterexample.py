"""A violation of a law: the position that reproduces it (``Example``), and how it is told to people."""

from __future__ import annotations

import itertools
import linecache
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from meadhall.engine.errors import MeadhallError
from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.rulebook import RULE_ID, rule_ids
from meadhall.engine.text.language import marked

RULE_OF_LAW = {
    "setup": "setup",
    "legal": "legal",
    "step": "play",
    "reveals": "play",
    "events": "play",
    "conceal": "conceal",
    "knowledge": "conceal",
    "redeal": "redeal",
    "scores": "score",
}
"""The rule function that a law is mostly about."""

_ID = re.compile(RULE_ID)


class Move(NamedTuple):
    """An action of an example, written ``3``, or ``3@1`` if not the seat to move plays it but seat 1, at the same time.

    Attributes:
        action: the action.
        seat: the seat that plays it; None for the seat to move.
    """

    action: int
    seat: int | None = None

    @classmethod
    def of(cls, action: int, seat: int, actor: int) -> Move:
        """Return the move of a seat when ``actor`` is the seat to move."""
        return cls(action, None if seat == actor else seat)

    @classmethod
    def read(cls, text: str) -> Move:
        """Parse ``3`` or ``3@1``. Raises ValueError."""
        action, at, seat = text.partition("@")
        return cls(int(action), int(seat) if at else None)

    def __str__(self) -> str:
        return str(self.action) if self.seat is None else f"{self.action}@{self.seat}"


@dataclass(frozen=True)
class Example:
    """A position of a match at which a game breaks a law.

    Attributes:
        game: the game.
        players: the number of players.
        options: the options of the match.
        seed: the seed of the match.
        moves: the actions that lead to the position.
        move: the legal action that breaks the law there; None if the position does.
    """

    game: Game
    players: int
    options: Mapping[str, Any]
    seed: str
    moves: tuple[Move, ...] = ()
    move: Move | None = None

    def match(self) -> Match:
        """Return the match at the position. Raises what the game raises if it can't be set up or played."""
        match = Match(self.game, players=self.players, seed=self.seed, options=self.options)
        for action, seat in self.moves:
            match.play(action, seat)
        return match

    @property
    def size(self) -> tuple[int, int, int]:
        """Return how large the example is: its moves, its players, its options that are not the default."""
        chosen = sum(self.options[option.name] != option.default for option in self.game.options)
        return len(self.moves), self.players, chosen

    @property
    def written(self) -> str:
        """Return the actions as the command line takes them: ``0,3@1,0``."""
        return ",".join(map(str, self.moves))

    def command(self, name: str) -> str:
        """Return the command that tests the position again. ``name``: how the command finds the game."""
        words = ["meadhall", "check", name, "--players", str(self.players)]
        for option in self.game.options:
            if self.options[option.name] != option.default:
                words += ["--option", f"{option.name}={option.shown(self.options[option.name])}"]
        words += ["--seed", self.seed, "--actions", self.written]
        return shlex.join(words)

    def rules(self, law: str) -> tuple[str, ...]:
        """Return the ids of the rules that a violation of ``law`` at this position is about, as far as the game tells.

        They are those of the events of the action that breaks the law, and those in the docstring of the rule function that the
        law is about.
        """
        return tuple(dict.fromkeys(filter(None, [*self._rules_of_events(), *self._rules_of_function(law)])))

    def _rules_of_events(self) -> Iterator[str]:
        if self.move is None:
            return
        try:
            match = self.match()
            for event in match.play(*self.move):
                yield match.game.events[event.kind].rule_of(event.arguments)
        except Exception:  # the game is broken here in some way
            return

    def _rules_of_function(self, law: str) -> Iterator[str]:
        function = getattr(self.game.rules, RULE_OF_LAW.get(law, ""), None)
        told = _ID.findall(getattr(function, "__doc__", None) or "")
        yield from (rule for rule in told if rule in rule_ids(self.game))


class ConformanceError(MeadhallError):
    """A game breaks one of the laws that ``check_game`` tests.

    Attributes:
        law: the law, one of ``meadhall.engine.laws.counterexample.LAWS``.
        place: the game, number of players, options, match seed and position.
        reason: the counterexample.
        example: the position, in a form that reproduces it; None if the law is not about one position, and after pickling.
    """

    def __init__(self, law: str, place: str, reason: str, example: Example | None = None) -> None:
        super().__init__(f"{law}: {reason} ({place})")
        self.law = law
        self.place = place
        self.reason = reason
        self.example = example

    def __reduce__(self) -> tuple[type[ConformanceError], tuple[str, str, str]]:
        return type(self), (self.law, self.place, self.reason)


LAWS = {
    "compile": marked("The rules can be compiled."),
    "lessons": marked("The guided first game can be played as it is written, and cites rules of the rulebook."),
    "daily": marked("One player can play the puzzle of the day to its end, and it reports the figures that it declares."),
    "setup": marked("The seed alone determines the setup, which ends with a decision or the end."),
    "kind": marked("Players, the first turn, chance, hidden information, payoffs and length are as the game declares them."),
    "legal": marked("There is a legal action, the list is in ascending order, and it follows from what the seat to move knows."),
    "refusal": marked("Every other action is refused with a reason and a rule of the rulebook, and changes nothing."),
    "words": marked(
        "Every option and value has a name for people, and the rulebook says what it changes. "
        "Every legal action and every prompt has a text."
    ),
    "conceal": marked(
        "Concealed parts stay concealed. A redeal fills them with values that the viewer can't tell from the true ones."
    ),
    "simultaneous": marked("A choice made at the same time as others stays sealed, and the order of the choices doesn't matter."),
    "greedy": marked("The greedy player chooses a legal action."),
    "events": marked(
        "Equal actions give equal events, each with its declared arguments, at most six, a text and a rule of the rulebook."
    ),
    "step": marked("An action leads to a decision or the end, and to the same state with and without a log."),
    "reveals": marked("`reveals` rises with every random draw, and never falls."),
    "undo": marked("An undo restores the state, and is refused after something has been revealed."),
    "knowledge": marked("Hidden parts change nothing that a viewer sees until an event tells the viewer."),
    "redeal": marked("A redeal equals the true state only by chance."),
    "pages": marked(
        "Everyone at a table can be shown their page, pictures, the rulebook and the lesson, and can play every action."
    ),
    "termination": marked("Random play comes to an end."),
    "end": marked("Nothing can be played in a finished match, and its ending has a text and a rule of the rulebook."),
    "scores": marked("The payoffs are as the game declares them."),
    "copies": marked("A copy of a match has a state of its own."),
    "records": marked("A record of the match replays to the same record."),
}
"""Every law by its name, as a sentence for people (for gettext)."""

_PLACE = re.compile(r"^During: (?:typing of|lowering) .* at (?P<file>.+) \((?P<line>\d+)\)$", re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def compile_error(error: BaseException) -> str:
    """Return an error of Numba in short: the line of the rule, and the compiler's first sentence about it."""
    text = _COLOUR.sub("", str(error))
    said = [line.strip().removeprefix(">>> ") for line in text.splitlines() if not line.startswith("Failed in")]
    cause = itertools.takewhile(lambda line: not line.startswith(("There are", "During:", "File ")), said)
    place = _PLACE.search(text)  # the first place is the innermost
    line = (
        f"{place['file']}, line {place['line']}: `{linecache.getline(place['file'], int(place['line'])).strip()}`: "
        if place
        else ""
    )
    return line + " ".join(part for part in cause if part)
