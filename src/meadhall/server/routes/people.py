"""People: their profiles, and their choice of viewers."""

from __future__ import annotations

from typing import Annotated

from litestar import get, post
from litestar.params import QueryParameter
from litestar.response import Redirect, Stream

from meadhall.engine.registry import game_names
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.people.profiles import check_visible, profile_of, visible_person
from meadhall.server.hall.records.match_records import MatchRecords, gzipped
from meadhall.server.hall.room import Room
from meadhall.server.pages.person import MATCHES_SHOWN, MET_SHOWN, person_page
from meadhall.server.pages.responses import Html, page, see_other
from meadhall.server.store.models import Guest, PlayedFilter
from meadhall.server.store.queries import guests, profiles
from meadhall.server.store.queries.profiles import RESULTS
from meadhall.server.web.forms import Form
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest
from meadhall.server.web.sessions import Sessions

_Page = Annotated[int, QueryParameter(name="page", ge=1, le=100_000)]
_With = Annotated[str, QueryParameter(name="with")]


@get("/people/me")
async def show_me(
    request: AnyRequest, hall: Hall, guest: Guest, game: str = "", result: str = "", opponent: _With = "", page_number: _Page = 1
) -> Html:
    """Show the guest's own profile."""
    return await _show(request, hall, guest, guest, {"game": game, "result": result, "with": opponent}, page_number)


@get("/people/{public_id:str}")
async def show_person(
    request: AnyRequest,
    hall: Hall,
    guest: Guest,
    public_id: str,
    game: str = "",
    result: str = "",
    opponent: _With = "",
    page_number: _Page = 1,
) -> Html:
    """Show a person's profile to its permitted readers."""
    person = visible_person(hall.store, public_id, guest)
    return await _show(request, hall, person, guest, {"game": game, "result": result, "with": opponent}, page_number)


@get("/tables/{id:str}/people/{seat:int}")
async def show_person_at_table(hall: Hall, room: Room, guest: Guest, seat: int) -> Redirect:
    """Lead to the profile of the person on a seat, if the guest may see it. The table itself has no public ids."""
    owners = room.table.seats[seat].guests if 0 <= seat < len(room.table.seats) else frozenset()
    person = hall.store.transact(guests.find, min(owners)) if owners else None
    if person is None:
        raise NotFound(_("There is no such person here."))
    check_visible(hall.store, person, guest)
    return see_other(link(f"/people/{person.public_id}"))


async def _show(request: AnyRequest, hall: Hall, person: Guest, viewer: Guest, chosen: dict[str, str], number: int) -> Html:
    profile = await profile_of(hall.store, person, viewer)
    wanted = _wanted_matches(hall, profile.is_own, viewer, **chosen)
    played, count = await hall.store.read(profiles.played, person.id, wanted, MATCHES_SHOWN, (number - 1) * MATCHES_SHOWN)
    met = await hall.store.read(profiles.met, person.id, MET_SHOWN) if profile.is_own else []
    content = person_page(profile, viewer, chosen, played, count, number, met)
    found = hall.talk.ignoring.of(viewer.id)
    ignored = {"muted": person.id in found.muted, "blocked": person.id in found.blocked}
    return page(request, viewer, "person.html", content, ignored=ignored)


def _wanted_matches(hall: Hall, is_own: bool, viewer: Guest, **chosen: str) -> PlayedFilter:
    """Return the filter of a person's matches. Raises NotFound for an unknown result or person."""
    result, opponent = chosen["result"], chosen["with"]
    if result not in ("", *RESULTS):
        raise NotFound(result)
    other = hall.store.transact(guests.find_public, opponent) if opponent else None
    if opponent and (other is None or not hall.acquaintances.knows(viewer, other)):
        raise NotFound(_("There is no such person here."))
    viewer_id = None if is_own else viewer.id
    names = [name for name in game_names() if chosen["game"] in ("", name)]
    return PlayedFilter(tuple(names), result, other.id if other else "", viewer_id)


@get("/people/me/records")
async def download_records(request: AnyRequest, guest: Guest, gzip: bool = False) -> Stream:
    """Send the records of all finished matches of the guest as one file, a line each."""
    records: MatchRecords = request.app.state.match_records
    lines = records.of(guest.id)
    name = "meadhall-matches.jsonl" + (".gz" if gzip else "")
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    media_type = "application/gzip" if gzip else "application/x-ndjson"
    return Stream(gzipped(lines) if gzip else lines, media_type=media_type, headers=headers)


@post("/people/me/visibility", status_code=200)
async def change_visibility(guest: Guest, sessions: Sessions, form: Form) -> Redirect:
    """Choose the readers of the guest's profile."""
    sessions.save(guest, profile=form.get("profile", ""))
    return see_other(link("/people/me"))


routes = [download_records, show_me, show_person_at_table, show_person, change_visibility]
