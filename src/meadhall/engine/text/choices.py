"""The choices of a decision as text, in the terminal: how they are listed and typed.

A choice is typed as the engine's number of the action. A game with many actions can define a ``notation`` in its words, a short
text such as ``c7 c4``. Then people don't see the numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from meadhall.engine.errors import MalformedAction
from meadhall.engine.game import Game
from meadhall.engine.match.view import Action
from meadhall.engine.text.language import gettext as _


class Choices:
    """A game's actions at the terminal."""

    def __init__(self, game: Game) -> None:
        self._notation: Callable[[int], str] | None = getattr(game.words, "notation", None)
        written = map(self.written, range(game.actions))
        self._actions = {_letters(text): action for action, text in enumerate(written)}

    def written(self, action: int) -> str:
        """Return what a person types for an action."""
        return self._notation(action) if self._notation else str(action)

    def read(self, text: str) -> int | None:
        """Parse an action; return None if the text isn't one. Any number counts as an action, even outside the action space.

        In a game with a notation, no number counts. Raises MalformedAction for a number that is too long for Python to parse.
        """
        numbered = text.isdecimal() and self._notation is None
        try:
            return int(text) if numbered else self._actions.get(_letters(text))
        except ValueError:
            refusal = _("Action {action} is outside 0 to {last}.").format(action=f"{text[:12]}…", last=len(self._actions) - 1)
            raise MalformedAction(refusal) from None

    def lines(self, legal: Iterable[Action]) -> Iterator[tuple[str, str]]:
        """Yield pairs of an input and its text.

        Choices of several words are grouped by their first word, with the possible continuations. First words with the same
        continuations share a line.
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
    """Normalise a choice: drop punctuation and case, so that ``C7-c4`` equals ``c7 c4``."""
    return re.sub(r"[\W_]+", "", text).casefold()
