"""The guided first game of each game. Every step has its own address, so the server keeps no progress."""

from __future__ import annotations

from litestar import get

from meadhall.engine.compile.rule import INTERPRETED
from meadhall.engine.registry import game
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound
from meadhall.server.hall.hall import Hall
from meadhall.server.pages.lesson import lesson_page
from meadhall.server.pages.responses import Html, page
from meadhall.server.store.models import Guest
from meadhall.server.web.request import AnyRequest


@get("/learn/{name:str}")
async def show_lesson(request: AnyRequest, hall: Hall, guest: Guest, name: str, step: int = 1, action: int | None = None) -> Html:
    """Show a step. With the right ``action`` show the next one; with another, a hint at the right one."""
    subject = game(name)
    if subject.lessons is None:
        raise NotFound(_("{game} has no guided first game yet.").format(game=subject.title))
    if not INTERPRETED:  # interpreted rules need no compiler
        hall.ready.check(name)
    return page(request, guest, "lesson.html", lesson_page(subject, step, action))


routes = [show_lesson]
