"""The ladder, for halls that have one and for people who take part."""

from __future__ import annotations

from litestar import get, post
from litestar.response import Redirect

from meadhall.engine.errors import BadSetup
from meadhall.engine.registry import game_names
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound
from meadhall.server.hall.hall import Hall
from meadhall.server.pages.ladder import ladder_page
from meadhall.server.pages.responses import Html, page, see_other
from meadhall.server.store import guests, ladder
from meadhall.server.store.database import Db
from meadhall.server.store.ladder import Level
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import Form, safe_path
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest


@get("/ladder")
async def show_first(hall: Hall, guest: Guest) -> Redirect:
    """Lead to the ladder of the first game."""
    hall.switches.check("ladder", guest)
    return see_other(link(f"/ladder/{game_names()[0]}"))


@get("/ladder/{name:str}")
async def show_ladder(request: AnyRequest, hall: Hall, guest: Guest, name: str, way: int = 0) -> Html:
    """Show who stands where in a way of playing a game. ``way``: its index among those that have a ladder."""
    hall.switches.check("ladder", guest)
    if name not in game_names():
        raise NotFound(_("There is no such game here."))
    ways, levels, people = await hall.store.read(_found, name, way)
    content = ladder_page(name, ways, way, levels, people, guest)
    takes_part = hall.store.transact(ladder.takes_part, guest.id)
    return page(request, guest, "ladder.html", content, takes_part=takes_part, back=link(f"/ladder/{name}"))


def _found(db: Db, name: str, way: int) -> tuple[list[str], list[Level], list[Guest]]:
    """Return the ways of playing a game, and for one of them the levels and the people."""
    ways = ladder.ways_of(db, name)
    if way and way not in range(len(ways)):
        raise NotFound(_("There is no such game here."))
    levels = ladder.shown_levels(db, name, ways[way]) if ways else []
    return ways, levels, guests.find_all(db, [level.guest for level in levels])


@post("/ladder", status_code=200)
async def take_part(hall: Hall, guest: Guest, form: Form) -> Redirect:
    """Let the owner of an account take part in the ladder, or no longer."""
    hall.switches.check("ladder", guest)
    if not guest.has_account:
        raise BadSetup(_("Only people with an account can take part in the ladder."))
    hall.store.transact(ladder.take_part, guest.id, form.get("part") == "on")
    return see_other(safe_path(form.get("back", link("/settings"))))


routes = [show_first, show_ladder, take_part]
