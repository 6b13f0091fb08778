"""The choices of a decision: how the terminal lists them, and what a person types for one.

That is the engine's number of the action; or, where a game has many and its words a ``notation``, a short text such as ``c7 c4``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from meadhall.engine.errors import MalformedAction
from meadhall.engine.game import Game
from meadhall.engine.language import gettext as _
from meadhall.engine.view import Action


class Choices:
    """A game's actions at the terminal."""

    def __init__(self, game: Game) -> None:
        self._notation: Callable[[int], str] | None = getattr(game.words, "notation", None)
        written = map(self.written, range(game.actions))
        self._actions = {_letters(text): action for action, text in enumerate(written)}

    def written(self, action: int) -> str:
        """What a person types for an action."""
        return self._notation(action) if self._notation else str(action)

    def read(self, text: str) -> int | None:
        """The action that was typed; None if it is none. Any number is one, if not of this game.

        Raises MalformedAction for a number that is longer than Python reads.
        """
        try:
            return int(text) if text.isdecimal() else self._actions.get(_letters(text))
        except ValueError:
            refusal = _("Action {action} is outside 0 to {last}.").format(action=f"{text[:12]}…", last=len(self._actions) - 1)
            raise MalformedAction(refusal) from None

    def lines(self, legal: Iterable[Action]) -> Iterator[tuple[str, str]]:
        """What can be typed, and what it does; or, where more than one word is typed, by the first word how it can go on.

        First words that can go on alike are listed together.
        """
        endings: dict[str, list[str]] = {}
        for choice in legal:
            word, _, rest = self.written(choice.action).partition(" ")
            if rest:
                endings.setdefault(word, []).append(rest)
            else:
                yield word, choice.text
        alike: dict[str, list[str]] = {}
        for word, rests in endings.items():
            alike.setdefault(" · ".join(rests), []).append(word)
        for ending, words in alike.items():
            yield ", ".join(words), ending


def _letters(text: str) -> str:
    """Without what may be typed in different ways: ``C7-c4`` is ``c7 c4``."""
    return re.sub(r"[\W_]+", "", text).casefold()
