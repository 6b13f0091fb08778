"""The guided first game of each game: scripted moments of one match, explained. Every step is an address, and nothing is kept."""

from __future__ import annotations

from litestar import get

from meadhall.engine.game import game
from meadhall.engine.language import gettext as _
from meadhall.engine.rule import INTERPRETED
from meadhall.server.errors import NotFound
from meadhall.server.hall.hall import Hall
from meadhall.server.pages.lesson import lesson_page
from meadhall.server.pages.responses import Html, page
from meadhall.server.store.models import Guest
from meadhall.server.web.sessions import AnyRequest


@get("/learn/{name:str}")
async def show_lesson(request: AnyRequest, hall: Hall, guest: Guest, name: str, step: int = 1, action: int | None = None) -> Html:
    """A step; with ``action`` what follows from choosing it there: the next step, or a kind word."""
    subject = game(name)
    if subject.lessons is None:
        raise NotFound(_("{game} has no guided first game yet.").format(game=subject.title))
    if not INTERPRETED:  # interpreted rules wait for no compiler
        hall.ready.check(name)
    return page(request, guest, "lesson.html", lesson_page(subject, step, action))


routes = [show_lesson]
