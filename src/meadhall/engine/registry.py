"""Games that can be played, and their registry: entry points of the group ``meadhall.games``, and what a program registers.

An internal error that a game's own code or template has raised is told as such, and names the game (``game_fault``).
"""

from __future__ import annotations

import copyreg
import logging
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, NamedTuple, overload

from meadhall.engine.checks import Seed, quoted
from meadhall.engine.errors import BrokenGame, UnknownGame
from meadhall.engine.game import Game
from meadhall.engine.interface import HOOKS, own_words
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import Seat
from meadhall.engine.state.schema import S
from meadhall.engine.text.language import add_catalogues

GROUP = "meadhall.games"

_logger = logging.getLogger(__name__)


class PlayableGame(Game[S]):
    """A game whose matches can be started: what ``meadhall.Game`` is. A match refers to its declaration, a ``Game``."""

    def match(
        self,
        players: int | None = None,
        seed: Seed | None = None,
        seats: Sequence[Seat | str] | None = None,
        **options: Any,
    ) -> Match[S]:
        """Start a new match, set up to its first decision.

        Args:
            players: the number of players; by default the number of ``seats``, or else the minimum.
            seed: a text, bytes or an integer, see ``check_seed``; by default random bytes from the operating system.
            seats: names or ``Seat`` objects in seat order.
            options: the game's options by name.

        Raises:
            BadSetup: the game can't be set up with these arguments.

        Examples:
            >>> import meadhall
            >>> meadhall.game("viking-axes").match(players=3, seed="mead", seats=["Gorm", "Björn", "Astrid"], variant="strategic")
            <Match of viking-axes: 3 players, 0 actions, Björn to move>
        """
        return Match(self, players=players, seed=seed, seats=seats, options=options)


@cache
def _entry_points() -> dict[str, EntryPoint]:
    """Return the entry points of the installed games, cached: the lookup reads the metadata of every installed package."""
    return {entry.name: entry for entry in entry_points(group=GROUP)}


_loaded: dict[str, PlayableGame] = {}

listeners: list[Callable[[str], None]] = []
"""Functions that are called with the name of every game that a program registers."""


def known_names() -> list[str]:
    """Return the names of the installed and registered games in alphabetical order, without importing a game."""
    return sorted({*_entry_points(), *_loaded})


def _load(name: str, game: PlayableGame) -> None:
    _loaded[name] = game
    catalogues = game.file("locale")
    if catalogues is not None:
        add_catalogues(catalogues)


def register(game: PlayableGame[S]) -> PlayableGame[S]:
    """Register ``game`` in this process without an entry point (for tests and notebooks) and return it.

    Examples:
        >>> import meadhall
        >>> from meadhall.engine.registry import register
        >>> register(meadhall.game("axxa")) is meadhall.game("axxa")
        True
    """
    _load(game.name, game)
    for listener in listeners:
        listener(game.name)
    return game


@contextmanager
def registered(game: PlayableGame[S]) -> Iterator[PlayableGame[S]]:
    """Register ``game`` within a ``with`` block and restore the earlier registration afterwards.

    Examples:
        >>> import meadhall
        >>> from dataclasses import replace
        >>> from meadhall.engine.registry import registered
        >>> with registered(replace(meadhall.game("axes-and-allies"), name="axes")):
        ...     print("axes" in meadhall.game_names())
        True
        >>> "axes" in meadhall.game_names()
        False
    """
    before = _loaded.get(game.name)
    _load(game.name, game)
    try:
        yield game
    finally:
        if before is None:
            del _loaded[game.name]
        else:
            _loaded[game.name] = before


def installed(game: Game) -> bool:
    """Return whether the game comes from an entry point, so that every process finds the same game by its name."""
    entry = _entry_points().get(game.name)
    try:
        return entry is not None and _imported(entry) is game
    except BrokenGame:
        return False


def game_names() -> list[str]:
    """Return the names of all installed and registered games in alphabetical order.

    A game whose package can't be loaded is logged once and left out; ``game`` says why.

    Examples:
        >>> import meadhall
        >>> "viking-axes" in meadhall.game_names()
        True
    """
    return [name for name in known_names() if _is_usable(name)]


def _is_usable(name: str) -> bool:
    if name not in _loaded and name not in _broken:
        try:
            game(name)
        except BrokenGame as error:
            _broken.add(name)
            _logger.error("%s; it is skipped", error)
    return name in _loaded


_LONGEST = 100
"""The number of characters of an unknown name that are compared with the names of games."""

_broken: set[str] = set()
"""The names of the games that could not be loaded, each logged once."""


def installed_games() -> dict[str, str]:
    """Return the modules of the installed games by the games' names, also of those that can't be loaded."""
    return {name: entry.module for name, entry in _entry_points().items()}


def _imported(entry: EntryPoint) -> PlayableGame:
    """Import the game of an entry point. Raises BrokenGame, whose cause is the error of the package."""
    place = f"the game {quoted(entry.name)} is installed but can't be loaded from {entry.value}"
    try:
        found = entry.load()
    except Exception as error:  # a package can fail in any way
        raise BrokenGame(f"{place}: {type(error).__name__}: {error}") from error
    if not isinstance(found, PlayableGame):
        raise BrokenGame(f"{place}: this is not a Game but {quoted(found)}")
    return found


def _pickled(pickled: Game) -> tuple[Any, ...]:
    """Pickle a game by its name. Raises UnknownGame if no registered game of this name could replace it."""
    origin, options = pickled.origin or (pickled, None)
    try:
        found: Game | None = game(pickled.name)
    except UnknownGame:
        found = None
    if found is not origin:
        raise UnknownGame(f"{pickled.name} can't be pickled: a pickle names its game, and this one is not registered")
    return _unpickled, (pickled.name, pickled.version, options)


def _unpickled(name: str, version: int, options: Mapping[str, Any] | None) -> Game:
    found = game(name)
    if found.version != version:
        raise UnknownGame(f"{name} was pickled with version {version} of its rules; this program has version {found.version}")
    return found if options is None else found.edition_for(options)


@overload
def game(name: Game[S]) -> PlayableGame[S]: ...
@overload
def game(name: str) -> PlayableGame: ...
def game(name: str | Game) -> PlayableGame:
    """Return the game of that name; return a game as it is.

    Raises:
        UnknownGame: there is no game of this name; the message lists the games.
        BrokenGame: the game is installed, but its package can't be loaded; the cause is the package's error.

    Examples:
        >>> import meadhall
        >>> meadhall.game("viking-axes")
        <Game viking-axes: Viking Axes, 2 to 7 players>
    """
    if isinstance(name, PlayableGame):
        return name
    if not isinstance(name, str):
        raise UnknownGame(f"there is no game {quoted(name)}; the games are: {', '.join(game_names())}")
    if name not in _loaded:
        entry = _entry_points().get(name)
        if entry is None:
            raise UnknownGame(f"there is no game {quoted(name)}; {_meant(name)}the games are: {', '.join(game_names())}")
        _load(name, _imported(entry))
    return _loaded[name]


def _meant(name: str) -> str:
    """Return a question for the game whose name is nearest to a text: another spelling, or a slip of the hand."""
    written = re.sub(r"[\s_]+", "-", name[:_LONGEST].strip().lower())
    return "".join(f"did you mean {near}? " for near in get_close_matches(written, game_names(), 1, 0.7))


copyreg.pickle(PlayableGame, _pickled)


class GameFault(NamedTuple):
    """The game that has raised an error, and where: ``words.py:34, prompt``."""

    game: Game
    place: str


def game_fault(error: BaseException) -> GameFault | None:
    """Return the game whose code or template has raised an error; None if none of them is in its traceback.

    The innermost place of a game counts. So an error in the engine that a game has caused is the game's, too.
    """
    places = [(Path(frame.filename), frame) for frame in traceback.extract_tb(error.__traceback__)]
    folders = {folder: subject for subject in map(game, game_names()) for folder in _folders(subject)}
    for path, frame in reversed(places):
        found = next((subject for folder, subject in folders.items() if path == folder or folder in path.parents), None)
        if found is not None:
            return GameFault(found, f"{path.name}:{frame.lineno}, {frame.name}")
    return None


def _folders(subject: Game) -> set[Path]:
    """Return the folders and files of a game's code and templates."""
    words = own_words(subject.words)
    hooks = [getattr(words, hook) for hook in HOOKS if hasattr(words, hook)]
    modules = {_module_of(part) for part in (subject.rules.play, words, subject.page, *hooks)}
    files = {Path(file) for module in modules if (file := getattr(sys.modules.get(module), "__file__", None))}
    packages = {file.parent if file.name == "__init__.py" else file for file in files}
    return packages | ({subject.folder} if subject.folder is not None else set())


def _module_of(part: object) -> str:
    """Return the name of a module, or of the module in which a function or the class of an object is defined."""
    return str(getattr(part, "__module__", None) or getattr(part, "__name__", ""))
