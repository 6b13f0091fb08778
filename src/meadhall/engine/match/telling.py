"""How a match is told to people: the turns of its log, its headline, choices that are typed, and the guided first game.

A game says which kinds of events begin a turn, and which the summary of a turn tells (``turn``, ``joins`` and ``brief`` of
``EventKind``). A log shows the summaries first.

A choice is typed as the engine's number of the action, in the terminal and for language models. A game with many actions can
define a ``notation`` in its words, a short text such as ``c7 c4``. Then people don't see the numbers, and only programs may
give them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from meadhall.engine.errors import MalformedAction
from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.match.step import AGREEMENT, Award, Result
from meadhall.engine.match.view import Action, View, visible
from meadhall.engine.state.events import Event, EventKind, seat
from meadhall.engine.text.language import gettext as _, listed, marked


def begins_turn(kinds: Mapping[int, EventKind], event: Event, before: Event | None) -> bool:
    """Return whether an event begins a turn. ``before``: the event that was told last."""
    kind = kinds[event.kind]
    if kind.turn is None:
        return False
    joined = before is not None and before.name in kind.joins
    if joined and before is not None and kind.argument(0) is seat:
        return event.arguments[:1] != before.arguments[:1]
    return not joined


def turn_starts(kinds: Mapping[int, EventKind], events: Iterable[Event]) -> list[int]:
    """Return the indices of the events that begin a turn: every event, if no kind of the game says that it begins one."""
    if all(kind.turn is None for kind in kinds.values()):
        return [index for index, _ in enumerate(events)]
    starts, before = [], None
    for index, event in enumerate(events):
        if begins_turn(kinds, event, before):
            starts.append(index)
        kind = kinds[event.kind]
        if kind.brief or kind.turn is not None:
            before = event
    return starts


def how_out(match: Match, seat: int) -> str:
    """Say to a player who has dropped out how it happened: the last event of that step that tells of a second seat, too.

    Return "" if the game doesn't tell it.

    Examples:
        >>> import meadhall
        >>> match = meadhall.game("axes-and-allies").match(seed="mead", seats=["Gorm", "Björn", "Astrid"])
        >>> events = match.play(2)
        >>> how_out(match, 2), how_out(match, 0)
        ('Björn hacks you to pieces', '')
    """
    out, attacks = match.game.elements.out, match.game.elements.attacks
    if out is None:
        return ""
    for step in reversed(match.steps):
        told = visible(step.events, seat)
        ends = [k for k, each in enumerate(told, 1) if each.kind == out.event and each.arguments[out.argument] == seat]
        if ends:
            kinds = [each.event for each in (out, attacks) if each is not None]
            blows = [each for each in told[: ends[-1]] if each.kind in kinds and len(each.arguments) > 1]
            return match.in_words(blows[-1], seat) if blows else ""
    return ""


def headline_of(match: Match, result: Result | Award, reader: int | None = None) -> str:
    """Say how a match ended. ``reader``: the seat that the headline calls "you"; None: it names the winners."""
    if reader is None:
        return headline(match.names, result)
    places = match.places()
    return your_headline(match.names, result, reader, places[reader] if places else None)


def headline(names: Sequence[str], result: Result | Award) -> str:
    """Name the winners."""
    winners = result.winners
    if not winners:
        return _("A draw") if _is_shared(result) else _("No winner")
    if len(winners) == 1:
        return _("{name} wins").format(name=names[winners[0]])
    if isinstance(result, Award) and result.why == AGREEMENT:
        return _("A draw")
    if len(winners) == len(names):
        return _("Everyone wins") if min(result.shares) == 1 else _("A draw")
    return _("{names} win").format(names=listed([names[seat] for seat in winners]))


def your_headline(names: Sequence[str], result: Result | Award, reader: int, place: int | None) -> str:
    """Say to the player on a seat how the match ended. ``place``: the player's place among all, if the game ranks them."""
    winners = result.winners
    if _is_shared(result):
        return _("A draw")
    if isinstance(result, Award) and result.why == AGREEMENT and reader in winners:
        return _("A draw")
    if reader not in winners:
        if place is None or len(names) == 2:
            return _("You lost")
        return _("You lost, {place} of {players}").format(place=_(PLACES[place - 1]), players=len(names))
    others = [names[seat] for seat in winners if seat != reader]
    return _("You win, together with {names}").format(names=listed(others)) if others else _("You win")


def crowned(players: int, result: Result | Award) -> tuple[int, ...]:
    """Return the seats of the winners; none after a draw, which has winners only by the rules."""
    winners = result.winners
    agreed = isinstance(result, Award) and result.why == AGREEMENT and len(winners) > 1
    everyone = 1 < players == len(winners) and min(result.shares) < 1
    return () if agreed or everyone or _is_shared(result) else winners


def _is_shared(result: Result | Award) -> bool:
    """Return whether all seats have the same share of a win that is not a common one."""
    return 0 < min(result.shares) == max(result.shares) < 1


PLACES = (marked("1st"), marked("2nd"), marked("3rd"), marked("4th"), marked("5th"), marked("6th"), marked("7th"))
"""The places of up to seven players."""


class Choices:
    """A game's actions at the terminal."""

    def __init__(self, game: Game) -> None:
        self._notation: Callable[[int], str] | None = getattr(game.words, "notation", None)
        written = map(self.written, range(game.actions))
        self._actions = {_letters(text): action for action, text in enumerate(written)}

    def written(self, action: int) -> str:
        """Return what a person types for an action."""
        return self._notation(action) if self._notation else str(action)

    def read(self, text: str, *, numbers: bool = False) -> int | None:
        """Parse an action; return None if the text isn't one. Any number counts as an action, even outside the action space.

        In a game with a notation, a number counts only if ``numbers`` is set. Raises MalformedAction for a number that is too
        long for Python to parse.
        """
        numbered = text.isdecimal() and (numbers or self._notation is None)
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


def guided_match(game: Game) -> Match:
    """Play the whole scripted match of the game's lessons and return it.

    Examples:
        >>> import meadhall
        >>> guided_match(meadhall.game("axes-and-allies")).over
        True
    """
    lessons = game.lessons
    assert lessons is not None
    match = Match(game, seed=lessons.seed, seats=lessons.players, options=lessons.options)
    for lesson in lessons.lessons:
        for action in lesson.actions:
            match.play(action)
    return match


def answer_to(view: View, action: int, wanted: int) -> str:
    """Answer a learner who chose another action than the one that a step asks for."""
    task = view.game.words.action(view.state, wanted, view.names)
    if action in view.legal:
        return _("Good idea, but for now: {task}.").format(task=task)
    why = view.refusal(action)[1] if 0 <= action < view.game.actions else ""
    return _("{why} For now: {task}.").format(why=why, task=task).strip()
