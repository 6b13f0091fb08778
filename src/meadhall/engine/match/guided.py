"""The guided first game: its match, and the answer to a learner who chooses another action."""

from __future__ import annotations

from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import View
from meadhall.engine.text.language import gettext as _


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
