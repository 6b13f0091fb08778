"""Bots by name: the levels, and what others have written.

A host names bots by others with ``meadhall serve --bot NAME=module:function``, which sets ``MEADHALL_BOTS`` for all processes
of the hall. Only the process that plays for bots imports the modules.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from threading import BoundedSemaphore
from typing import Any, Final, Protocol

from meadhall.bots.policy import POLICIES, PolicyBot
from meadhall.bots.ranks import KARL, RANKS, Rank
from meadhall.bots.search import Budget, SearchBot
from meadhall.engine.checks import Seed, check_seed, quoted
from meadhall.engine.errors import MeadhallError
from meadhall.engine.game import Game
from meadhall.engine.match.view import View, action_number
from meadhall.engine.registry import game_names
from meadhall.engine.text.language import marked

VARIABLE: Final = "MEADHALL_BOTS"
"""The environment variable with the declarations of named bots, separated by spaces."""

ABOUT: Final = marked("A bot that the host of this hall has added.")

_DECLARATION: Final = re.compile(
    r"(?:(?P<game>[a-z0-9-]+)/)?(?P<name>[a-z][a-z0-9_-]{0,29})=(?P<module>[^\W\d][\w.]*):(?P<function>[^\W\d][\w.]*)"
)
_FORM: Final = "NAME=module:function or GAME/NAME=module:function; a name has lower-case letters, digits, hyphens and underscores"

_MOST_CALLS: Final = 4
"""Calls of one bot at the same time. Calls that never return hold up to so many threads, then the bot is refused at once."""


class BadBot(MeadhallError):
    """A declaration of a named bot can't be read, or what it names can't be used as a bot."""


class BadAnswer(Exception):
    """A named bot answered with something that isn't a legal action, or it is busy."""


@dataclass(frozen=True)
class Declaration:
    """A named bot: its name, where to find it, and the game that it plays ("" for all)."""

    name: str
    module: str
    function: str
    game: str = ""

    @property
    def source(self) -> str:
        """The place of the bot, ``module:function``."""
        return f"{self.module}:{self.function}"


def declared_bots() -> tuple[Declaration, ...]:
    """Return the bots that ``MEADHALL_BOTS`` names, in its order. Raises BadBot."""
    return _read(os.environ.get(VARIABLE, ""))


def named_bots(game: Game) -> tuple[Declaration, ...]:
    """Return the named bots that play a game."""
    return tuple(each for each in declared_bots() if each.game in ("", game.name))


@cache
def _read(text: str) -> tuple[Declaration, ...]:
    found = tuple(map(read_declaration, text.split()))
    for each in found:
        if sum(other.name == each.name and (other.game == each.game or "" in (other.game, each.game)) for other in found) > 1:
            raise BadBot(f"two bots are called {each.name}")
    return found


def read_declaration(text: str) -> Declaration:
    """Read ``NAME=module:function`` or ``GAME/NAME=module:function``. Raises BadBot."""
    parts = _DECLARATION.fullmatch(text)
    if parts is None:
        raise BadBot(f"a bot is declared as {_FORM}, not as {quoted(text)}")
    name, game = parts["name"], parts["game"] or ""
    if name in {rank.name for rank in RANKS}:
        raise BadBot(f"a bot can't be called {name}: every game has one of that name")
    if game and game not in game_names():
        raise BadBot(f"the bot {name} is for the game {quoted(game)}, which is not installed")
    return Declaration(name, parts["module"], parts["function"], game)


class NamedBot:
    """A named bot on one seat of one match.

    Its function is called with a ``View`` of the seat to move and returns one of ``view.legal``. A class is called once for each
    seat, with the game, and the method ``choose(view)`` of its object is asked; so it can remember what it has seen.
    """

    def __init__(self, game: Game, declaration: Declaration) -> None:
        self.name = declaration.name
        self._game = game
        self._declaration = declaration
        self._choose: Callable[[View], Any] | None = None

    def choose(self, view: View) -> int:
        """Return the bot's action. Raises BadAnswer, BadBot, and what the bot raises.

        Examples:
            >>> import meadhall
            >>> from meadhall.bots.bot import Declaration, NamedBot
            >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
            >>> ada = NamedBot(match.game, Declaration("ada", module="my_bots", function="last"))
            >>> ada.choose(match.view(match.actor))
            Traceback (most recent call last):
                ...
            meadhall.bots.bot.BadBot: ...
        """
        calls = _calls(self._declaration)
        if not calls.acquire(blocking=False):
            raise BadAnswer(f"{_MOST_CALLS} earlier calls of {self._declaration.source} have not returned")
        try:
            if self._choose is None:
                self._choose = chooser(resolved(self._declaration), self._game)
            answer = self._choose(copy(view))
        finally:
            calls.release()
        if isinstance(answer, bool) or (action := action_number(self._game, answer)) not in view.legal:
            raise BadAnswer(f"{self._declaration.source} answered {quoted(answer)}, which is not a legal action")
        return action

    def __deepcopy__(self, _memo: object) -> NamedBot:
        return NamedBot(self._game, self._declaration)


def chooser(bot: Callable[..., Any], game: Game) -> Callable[[View], Any]:
    """Return the function that chooses actions: the bot itself, or ``choose`` of a new object of a class."""
    if not inspect.isclass(bot):
        return bot
    made: Any = bot(game)  # type: ignore[call-arg]
    return made.choose  # type: ignore[no-any-return]


def resolved(declaration: Declaration) -> Callable[..., Any]:
    """Import a bot, also from the current folder. Raises BadBot."""
    folder = os.getcwd()  # noqa: PTH109 - an entry of sys.path
    if folder not in sys.path:
        sys.path.insert(0, folder)  # as "python -m" does; the command itself starts without it
    try:
        found: Any = import_module(declaration.module)
        for part in declaration.function.split("."):
            found = getattr(found, part)
    except Exception as error:
        raise BadBot(f"the bot {declaration.name} can't be loaded from {declaration.source}: {error!r}") from error
    if not callable(found) or (inspect.isclass(found) and not callable(getattr(found, "choose", None))):
        raise BadBot(f"{declaration.source} is neither a function of a view nor a class with a method choose(view)")
    return found  # type: ignore[no-any-return]


@cache
def _calls(_declaration: Declaration) -> BoundedSemaphore:
    return BoundedSemaphore(_MOST_CALLS)


def check_named(declarations: Iterable[Declaration]) -> None:
    """Import all these bots. Raises BadBot."""
    for each in declarations:
        resolved(each)


def main() -> int:
    """Check the declared bots, and print what is wrong: so a hall that starts can ask without importing them itself."""
    try:
        check_named(declared_bots())
    except BadBot as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


_SEARCH = re.compile(r"search@(?:(?P<seconds>\d{1,4}(?:\.\d{1,6})?)s|(?P<iterations>[1-9]\d{0,8}))")


class UnknownBot(MeadhallError):
    """The game has no bot with this name."""


class Bot(Protocol):
    """A player that sees only what its seat may know.

    Examples:
        >>> import meadhall
        >>> from meadhall.bots import bot
        >>> match = meadhall.game("axes-and-allies").match(players=3, seed="mead")
        >>> view = match.view(match.actor)
        >>> bot(match.game, "karl", seed="mead").choose(view) in view.legal
        True
    """

    name: str

    def choose(self, view: View) -> int:
        """Choose one of ``view.legal``, which is not empty."""


def ranks(game: Game) -> tuple[Rank, ...]:
    """Return the levels of bots that can play the game, the weakest first, then the named bots.

    Examples:
        >>> import meadhall
        >>> from meadhall.bots import ranks
        >>> [rank.name for rank in ranks(meadhall.game("viking-axes"))]
        ['thrall', 'karl', 'huscarl', 'jarl', 'king']
    """
    levels = [rank for rank in RANKS if rank != KARL or game.greedy is not None]
    return (*levels, *(Rank(each.name, ABOUT) for each in named_bots(game)))


def bot_names(game: Game) -> list[str]:
    """Return the names of the bots that can play the game: the levels, then the named bots.

    Examples:
        >>> import meadhall
        >>> from meadhall.bots import bot_names
        >>> "karl" in bot_names(meadhall.game("viking-axes"))
        True
    """
    return [rank.name for rank in ranks(game)]


def bot(game: Game, name: str, seed: Seed | None = None, alone: bool = False) -> Bot:
    """Create a bot for one match.

    Args:
        game: the edition of the match.
        name: one of ``bot_names``, or a search with a custom budget: ``search@0.2s`` searches for 0.2 seconds, ``search@1000``
            for 1,000 iterations, which makes it deterministic.
        seed: determines the bot's own random choices, a text, bytes or an integer, see ``check_seed``; by default random bytes
            from the operating system.
        alone: measure the budget in CPU time of one thread and grow one tree, so that the strength doesn't depend on the load of
            the machine. Otherwise a level grows one tree per core and ``search@…`` one tree, both by wall-clock time.

    Raises:
        UnknownBot: the game has no bot with this name.
        BadSetup: the seed is invalid.

    Examples:
        >>> import meadhall
        >>> from meadhall.bots import bot
        >>> bot(meadhall.game("viking-axes"), "karl", seed="mead")
        <Bot karl of viking-axes>
    """
    seed = check_seed(seed)
    if not isinstance(name, str):
        raise UnknownBot(f"the name of a bot must be text, not {quoted(name)}")
    if custom := _SEARCH.fullmatch(name):
        budget = Budget(float(custom["seconds"] or 0), int(custom["iterations"] or 0), 1, alone)
        return SearchBot(game, name, budget, seed)
    if name not in bot_names(game):
        raise UnknownBot(f"{game.title} has no bot {quoted(name)}; it has: {', '.join(bot_names(game))}")
    for declaration in named_bots(game):
        if declaration.name == name:
            return NamedBot(game, declaration)
    if name in POLICIES:
        return PolicyBot(game, name, seed)
    rank = next(rank for rank in RANKS if rank.name == name)
    assert rank.budget is not None
    return SearchBot(game, name, replace(rank.budget, alone=alone), seed, rank.exact)


if __name__ == "__main__":
    sys.exit(main())
