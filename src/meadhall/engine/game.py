"""Game: what a game supplies; and the registry of the games that are installed.

A game is a package that defines one ``Game`` and names it in the entry-point group ``meadhall.games``; nothing else has to
know of it. Its rules are plain functions on its record (see ``GameRules``), its texts a module of words (``GameWords``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from meadhall.engine.advice import Advice
from meadhall.engine.checks import as_integer, quoted
from meadhall.engine.errors import BadSetup, UnknownGame
from meadhall.engine.events import Event, EventKind
from meadhall.engine.language import add_catalogues
from meadhall.engine.options import Choice as Choice
from meadhall.engine.options import Document as Document
from meadhall.engine.options import Option
from meadhall.engine.schema import GameState
from meadhall.engine.solution import Solver
from meadhall.engine.statistics import NOTHING, Statistics

if TYPE_CHECKING:
    from meadhall.engine.daily import Daily
    from meadhall.engine.lessons import Lessons
    from meadhall.engine.match import Match
    from meadhall.engine.view import Seat, View

GROUP = "meadhall.games"


class Scoring(Enum):
    """Who plays against whom, hence what the scores of a finished match sum to."""

    RIVALS = "rivals"  # each for themselves: the shares sum to 1
    TOGETHER = "together"  # all win or all lose: all 1 or all 0
    SIDES = "sides"  # two sides, whose seats alternate: the shares of a member of each sum to 1


class GameRules(Protocol):
    """The six rule functions, on the game's record. ``log`` takes the events."""

    def setup(self, state: Any, players: int, options: Any, log: Any) -> None: ...
    def legal(self, state: Any, out: Any) -> int: ...
    def play(self, state: Any, action: int, log: Any) -> None: ...
    def conceal(self, state: Any, seat: int) -> None: ...
    def redeal(self, state: Any, seat: int) -> None: ...
    def score(self, state: Any, out: Any) -> None: ...


class GameWords(Hashable, Protocol):
    """The game in words, in the current language; a module or an object, the same one for the same edition.

    ``table`` is a concealed state, ``names`` are the players'.
    """

    def action(self, state: Any, action: int, names: Sequence[str]) -> str:
        """What the actor would do, e.g. ``"attack Björn"``."""

    def event(self, event: Event, names: Sequence[str]) -> str:
        """What happened."""

    def refusal(self, state: Any, action: int, names: Sequence[str]) -> tuple[str, str]:
        """Rule id and words: why the actor can't play ``action`` now; ``("", "")`` if the rules allow it.

        A second statement of what is legal, which ``check_game`` holds against the first.
        """

    def prompt(self, state: Any, names: Sequence[str], viewer: int) -> str:
        """What is to be decided and by whom, as seat ``viewer`` (-1: a spectator) is told."""

    def ending(self, state: Any) -> tuple[str, str]:
        """Rule id and words of how a finished match ended."""


class GamePage(Protocol):
    """What a browser shows of the game: its ``page.html`` draws what this module makes of a view."""

    def picture(self, view: View) -> Any:
        """The values for the board, drawn from what everybody (or, in a replay, some seat) may know."""

    def own(self, view: View) -> Hashable:
        """The values for a seat's own part, its hand and its controls. While it waits, the same as long as it looks the same."""

    def offered(self, view: View) -> Iterable[int]:
        """The actions to be shown to the viewer, who is to decide: the legal ones, and those worth refusing with a reason."""


@dataclass(frozen=True, eq=False)
class Game:
    """All there is to know of a game; there is one of each, and one of each edition of a match.

    Attributes:
        name: as in records and addresses, e.g. ``"viking-axes"``.
        title, tagline: for people.
        version: of its rules; rises with every change that could change a replay.
        min_players, max_players: how many can play.
        actions: size of the action space; an action is an integer from 0 to ``actions - 1``.
        state: the record class of its state.
        rules: the six rule functions (usually a module).
        words: its texts (usually a module).
        events: every kind of event by its number.
        folder: where its templates, rulebook and catalogues are.
        page: what a browser shows of it (usually its module ``page``); None for a game without a page.
        options: what a match can be set up with.
        greedy: the heuristic player, a rule ``greedy(table, legal, count, rng) -> action``: ``table`` is concealed for its actor,
            ``legal[:count]`` are its legal actions, ``rng`` two words for draws of its own. None if there is none.
        advice: how a search should go about it.
        recall: marks in a state what was seen in an action that is taken back and is not forgotten:
            ``recall(before, action, after)``. None where nothing is remembered.
        solver: solves the decisions that can be solved exactly; None if none can.
        scoring: who plays against whom, given the options.
        points: every seat's points in a finished state, where the game counts points: ``points(table, options)``, None if
            it counts none with these options.
        edition: the words and the kinds of events under these options, where options change what things are called.
        statistics: what a simulation counts besides who wins.
        lessons: its guided first game; None if there is none.
        daily: what it is as the puzzle of the day; None if it is none.
        objection: why a number of players and options don't go together, "" if they do: ``objection(players, options)``.
    """

    name: str
    title: str
    tagline: str
    version: int
    min_players: int
    max_players: int
    actions: int
    state: type[GameState]
    rules: GameRules
    words: GameWords
    events: dict[int, EventKind]
    folder: Path
    page: GamePage | None = None
    options: tuple[Option, ...] = ()
    greedy: Any = None
    advice: Advice = field(default_factory=Advice)
    recall: Callable[[Any, int, Any], None] | None = None
    solver: Solver | None = None
    scoring: Scoring | Callable[[Mapping[str, Any]], Scoring] = Scoring.RIVALS
    points: Callable[[Any, Mapping[str, Any]], tuple[int, ...] | None] | None = None
    objection: Callable[[int, Mapping[str, Any]], str] | None = None
    edition: Callable[[Mapping[str, Any]], tuple[GameWords, dict[int, EventKind]]] | None = None
    statistics: Statistics = NOTHING
    lessons: Lessons | None = None
    daily: Daily | None = None

    def scoring_of(self, options: Mapping[str, Any]) -> Scoring:
        """Who plays against whom under these options."""
        return self.scoring if isinstance(self.scoring, Scoring) else self.scoring(options)

    def parties(self, players: int, options: Mapping[str, Any]) -> tuple[tuple[int, ...], ...]:
        """The seats that win or lose together, party by party."""
        scoring = self.scoring_of(options)
        count = {Scoring.RIVALS: players, Scoring.TOGETHER: 1, Scoring.SIDES: 2}[scoring]
        return tuple(tuple(range(first, players, count)) for first in range(count))

    def check_players(self, players: Any) -> int:
        """The number of players, if the game can be played by so many; BadSetup if not."""
        count = as_integer(players)
        if count is None:
            raise BadSetup(f"the number of players is an integer, not {quoted(players)}")
        if not self.min_players <= count <= self.max_players:
            raise BadSetup(f"{self.title} is for {self.min_players} to {self.max_players} players, not {quoted(count)}")
        return count

    def check_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Every option with its value, defaults too; BadSetup for an unknown option or value."""
        if not isinstance(options, Mapping):
            raise BadSetup(f"options are given by name, not as {quoted(options)}")
        known = {option.name: option for option in self.options}
        for name in options:
            if name not in known:
                names = ", ".join(known) or "none"
                raise BadSetup(f"{self.title} has no option {quoted(name)}; its options: {names}")
        return {name: option.check(options.get(name, option.default)) for name, option in known.items()}

    def read_options(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """Options as they are typed on a command line, with ``check_options``."""
        known = {option.name: option for option in self.options}
        return self.check_options({name: known[name].read(text) if name in known else text for name, text in texts.items()})

    def check_setup(self, players: Any, options: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """The number of players and every option with its value; BadSetup if the game can't be set up so."""
        count, chosen = self.check_players(players), self.check_options(options)
        objection = self.objection(count, chosen) if self.objection else ""
        if objection:
            raise BadSetup(objection)
        return count, chosen

    def under(self, options: Mapping[str, Any]) -> Game:
        """The game with the words and events of the edition that these options, which are checked, make it."""
        if self.edition is None:
            return self
        words, events = self.edition(options)
        return self if words is self.words else replace(self, words=words, events=events)

    def encode_options(self, options: Mapping[str, Any]) -> npt.NDArray[np.int64]:
        """The options as the integers that ``setup`` is given, one after the other."""
        values = [code for option in self.options for code in option.encode(options[option.name])]
        return np.array(values, np.int64)

    def match(
        self,
        players: int | None = None,
        seed: str | bytes | None = None,
        seats: Sequence[Seat | str] | None = None,
        **options: Any,
    ) -> Match:
        """A new match, set up to its first decision.

        Args:
            players: how many; by default as many as there are ``seats``, else the fewest possible.
            seed: 32 bytes, or any text (its SHA-256 is used); by default from the operating system.
            seats: names or ``Seat`` objects in seat order.
            options: the game's options by name.

        Raises:
            BadSetup: the game can't be set up so.
        """
        from meadhall.engine.match import Match  # noqa: PLC0415 - a match needs its game; this is the one way back

        return Match(self, players=players, seed=seed, seats=seats, options=options)


@cache
def _entry_points() -> dict[str, EntryPoint]:
    """The installed games, looked up once: it reads what is said of every package that is installed."""
    return {entry.name: entry for entry in entry_points(group=GROUP)}


_loaded: dict[str, Game] = {}


def _load(game: Game) -> None:
    _loaded[game.name] = game
    add_catalogues(game.folder / "locale")


def register(game: Game) -> Game:
    """Make ``game`` known by its name in this process, without an entry point (for tests and notebooks)."""
    _load(game)
    return game


@contextmanager
def registered(game: Game) -> Iterator[Game]:
    """As ``register``, for as long as the block lasts: then what was known by that name before is known again."""
    before = _loaded.get(game.name)
    _load(game)
    try:
        yield game
    finally:
        if before is None:
            del _loaded[game.name]
        else:
            _loaded[game.name] = before


def installed(game: Game) -> bool:
    """Whether every process that asks for a game of that name gets this very one."""
    entry = _entry_points().get(game.name)
    return entry is not None and entry.load() is game


def game_names() -> list[str]:
    """The names of all games that are installed, in alphabetical order."""
    return sorted({*_entry_points(), *_loaded})


def game(name: str | Game) -> Game:
    """The game of that name, or the one given. Raises UnknownGame, naming those that there are."""
    if isinstance(name, Game):
        return name
    if not isinstance(name, str) or name not in _loaded:
        entry = _entry_points().get(name) if isinstance(name, str) else None
        if entry is None:
            raise UnknownGame(f"there is no game {quoted(name)} here; there are: {', '.join(game_names())}")
        loaded = entry.load()
        assert isinstance(loaded, Game)
        _load(loaded)
    return _loaded[name]
