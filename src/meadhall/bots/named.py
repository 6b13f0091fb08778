"""Bots by others: a name for a function or a class of any installed module, next to the levels.

A host names them with ``meadhall serve --bot NAME=module:function``, which sets ``MEADHALL_BOTS`` for all processes of the hall.
Only the process that plays for bots imports the modules.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from threading import BoundedSemaphore
from typing import Any, Final

from meadhall.bots.ranks import RANKS, Rank
from meadhall.engine.checks import quoted
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


def declared() -> tuple[Declaration, ...]:
    """Return the bots that ``MEADHALL_BOTS`` names, in its order. Raises BadBot."""
    return _read(os.environ.get(VARIABLE, ""))


def named_bots(game: Game) -> tuple[Declaration, ...]:
    """Return the named bots that play a game."""
    return tuple(each for each in declared() if each.game in ("", game.name))


def named_ranks(game: Game) -> tuple[Rank, ...]:
    """Return the named bots that play a game, as choices next to the levels."""
    return tuple(Rank(each.name, ABOUT) for each in named_bots(game))


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
            >>> from meadhall.bots.named import Declaration, NamedBot
            >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
            >>> ada = NamedBot(match.game, Declaration("ada", module="my_bots", function="last"))
            >>> ada.choose(match.view(match.actor))
            Traceback (most recent call last):
                ...
            meadhall.bots.named.BadBot: ...
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


def check(declarations: Iterable[Declaration]) -> None:
    """Import all these bots. Raises BadBot."""
    for each in declarations:
        resolved(each)


def main() -> int:
    """Check the declared bots, and print what is wrong: so a hall that starts can ask without importing them itself."""
    try:
        check(declared())
    except BadBot as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
