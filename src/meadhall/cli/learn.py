"""``meadhall learn``: the guided first game of a game in the terminal, with the same texts as on the page."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from meadhall.cli.console import console, print_prose, typed_line
from meadhall.cli.transcript import print_board, print_choices, print_events
from meadhall.engine.errors import BadSetup, Refused
from meadhall.engine.match.guided import answer_to, guided_match
from meadhall.engine.match.view import View
from meadhall.engine.registry import game as find_game
from meadhall.engine.text.choices import Choices
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.lessons import LEARNER, Lesson

LEAVE = "quit"


def learn_game(game: Annotated[str, typer.Argument(help=_("Name of the game; `meadhall games` lists them."))]) -> None:
    """Lead a person through the lessons of a game. Raises BadSetup if the game has none."""
    subject = find_game(game)
    lessons = subject.lessons
    if lessons is None:
        raise BadSetup(_("{game} has no guided first game yet.").format(game=subject.title))
    out, choices, told = console(), Choices(subject), 0
    match = guided_match(subject)
    out.print(Text(subject.title, style="bold"))
    out.print(Text(_("{leave}: leave the lessons").format(leave=LEAVE), style="dim"))
    for number, (lesson, position) in enumerate(zip(lessons.lessons, lessons.positions, strict=True), 1):
        view = match.view_at(position, LEARNER)
        for step in view.steps[told:]:
            print_events(out, match, step.events, step.n, LEARNER)
        told = position
        print_board(out, view)
        rule = f" ({lesson.rule})" if lesson.rule else ""
        print_prose(out, Text(f"\n{number}/{len(lessons.lessons)} {_(lesson.words)}{rule}", style="bold"))
        if not _did(out, choices, view, lesson):
            return


def _did(out: Console, choices: Choices, view: View, lesson: Lesson) -> bool:
    """Wait until the learner has done what a lesson asks for, or has read it. Return whether they go on."""
    wanted = lesson.action
    if wanted is None:
        return typed_line(out, _("Enter: go on") + " ", LEAVE) != LEAVE
    print_choices(out, [(choices.written(wanted), view.game.words.action(view.state, wanted, view.names))])
    while (line := typed_line(out, "> ", LEAVE)) != LEAVE:
        try:
            action = choices.read(line)
        except Refused as refused:
            print_prose(out, Text(str(refused), style="red"))
            continue
        if action == wanted:
            return True
        if action is None:
            out.print(Text(_("Type a choice as listed, e.g. {choice}.").format(choice=choices.written(wanted)), style="red"))
        else:
            print_prose(out, Text(answer_to(view, action, wanted), style="red"))
    return False
