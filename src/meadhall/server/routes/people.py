"""People: profiles, the ladder, those whom a guest has met, invitations, push messages, and what the hall keeps about a guest."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

import msgspec
from litestar import Response, get, post
from litestar.params import Body, QueryParameter
from litestar.response import Redirect, Stream

from meadhall.engine.errors import BadSetup
from meadhall.engine.registry import game_names
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.match_records import MatchRecords, gzipped
from meadhall.server.hall.people.profiles import check_visible, profile_of, visible_person
from meadhall.server.hall.room import Room
from meadhall.server.pages.ladder import in_one_line, ladder_page
from meadhall.server.pages.people import invitable, kept_data, people_met
from meadhall.server.pages.person import MATCHES_SHOWN, MET_SHOWN, person_page
from meadhall.server.pages.responses import Answer, Html, by_htmx, page, see_other, wants_json
from meadhall.server.routes.talk import IGNORED
from meadhall.server.store import guests, ladder, personal_data, profiles, talk
from meadhall.server.store.models import Guest
from meadhall.server.store.profiles import PlayedFilter
from meadhall.server.web.forms import Form, safe_path
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest, client_address, device_label
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
    met = await hall.store.read(profiles.often_met, person.id, MET_SHOWN) if profile.is_own else []
    noted = hall.store.transact(talk.noted, viewer.id)
    content = person_page(profile, viewer, chosen, played, count, number, met, noted)
    found = hall.talk.ignoring.of(viewer.id)
    ignored = {"muted": person.id in found.muted, "blocked": person.id in found.blocked}
    rungs = None
    if hall.switches.allows("ladder", viewer):
        ladders = await hall.store.read(ladder.ladders_of, person.id)
        rungs = [in_one_line(*each, person, viewer) for each in ladders]
    return page(request, viewer, "person.html", content, ignored=ignored, rungs=rungs, ladder_game=game_names()[0])


@get("/ladder/{name:str}")
async def show_ladder(request: AnyRequest, hall: Hall, guest: Guest, name: str, way: int = 0) -> Html:
    """Show who stands where in a way of playing a game. ``way``: its index among those that have a ladder."""
    hall.switches.check("ladder", guest)
    ways = await hall.store.read(ladder.ways_of, name)
    if name not in game_names() or way not in range(max(1, len(ways))):
        raise NotFound(_("There is no such game here."))
    levels = await hall.store.read(ladder.levels_on, name, ways[way]) if ways else []
    people = await hall.store.read(guests.find_all, [level.guest for level in levels])
    takes_part, back = hall.store.transact(ladder.takes_part, guest.id), link(f"/ladder/{name}")
    content = ladder_page(name, ways, way, levels, people, guest)
    return page(request, guest, "ladder.html", None, takes_part=takes_part, back=back, **content)


@post("/ladder", status_code=200)
async def take_part(hall: Hall, guest: Guest, form: Form) -> Redirect:
    """Let the owner of an account take part in the ladder, or no longer."""
    hall.switches.check("ladder", guest)
    if not guest.has_account:
        raise BadSetup(_("Only people with an account can take part in the ladder."))
    hall.store.transact(ladder.take_part, guest.id, form.get("part") == "on")
    return see_other(safe_path(form.get("back", link("/settings"))))


def _wanted_matches(hall: Hall, is_own: bool, viewer: Guest, **chosen: str) -> PlayedFilter:
    """Return the filter of a person's matches. Raises NotFound for an unknown result or person."""
    result, opponent = chosen["result"], chosen["with"]
    if result not in ("", *profiles.RESULTS):
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


@get("/people")
async def show_people(request: AnyRequest, hall: Hall, guest: Guest) -> Html:
    """Show the people that the guest has played with."""
    return page(request, guest, "acquaintances.html", None, people=people_met(hall.acquaintances.known(guest)))


@post("/people/{public_id:str}/ignore", status_code=200)
async def ignore_person(hall: Hall, guest: Guest, public_id: str, form: Form) -> Redirect:
    """Mute or block a person, or stop doing so."""
    if form.get("set") not in IGNORED:
        raise NotFound(_("People can be muted, unmuted, blocked and unblocked."))
    hall.acquaintances.ignore(guest, public_id, *IGNORED[form["set"]])
    return see_other(safe_path(form.get("back", link("/people"))))


@get("/tables/{id:str}/invitations")
async def show_invitable(request: AnyRequest, hall: Hall, room: Room, guest: Guest) -> Html:
    """Show whom the guest may invite to a table."""
    room.seat_of(guest)
    return _invite_page(request, hall, room, guest)


def _invite_page(request: AnyRequest, hall: Hall, room: Room, guest: Guest) -> Html:
    people = invitable(room, hall.acquaintances.known(guest), hall.acquaintances.invited(room))
    url = link(f"/tables/{room.table.id}")
    return page(request, guest, "invite.html", None, url=url, title=room.game.title, people=people)


@post("/tables/{id:str}/invitations", status_code=200)
async def invite(request: AnyRequest, hall: Hall, room: Room, guest: Guest, form: Form) -> Html | Redirect | Response[Any]:
    """Invite a person that the guest has met."""
    hall.acquaintances.invite(room, guest, form.get("person", ""))
    if wants_json(request):
        return Response({"ok": True})
    if by_htmx(request):
        return _invite_page(request, hall, room, guest)
    return see_other(link(f"/tables/{room.table.id}/invitations"))


@post("/invitations/{table:str}/decline", status_code=200)
async def decline(request: AnyRequest, hall: Hall, guest: Guest, table: str) -> Redirect | Response[Any]:
    """Decline an invitation."""
    hall.acquaintances.decline(guest, table)
    return Response({"ok": True}) if wants_json(request) else see_other(link("/"))


_SECTION: Final = "/settings#push"


class PushKeys(msgspec.Struct):
    """The keys with which messages to a browser are encrypted (RFC 8291), in base64url."""

    p256dh: str
    auth: str


class NewSubscription(msgspec.Struct):
    """A push subscription as the ``toJSON`` of a browser's ``PushSubscription`` describes it.

    ``old``: the endpoint that it replaces.
    """

    endpoint: str
    keys: PushKeys
    old: str = ""


class Subscribed(msgspec.Struct):
    """A device that receives push messages."""

    id: str
    device: str


@get("/settings/notifications/key")
async def show_key(hall: Hall) -> Response[dict[str, str]]:
    """Return the public key with which a browser subscribes."""
    return Response({"key": await hall.notifications.key()})


@post("/settings/notifications/devices", status_code=201)
async def add_device(
    request: AnyRequest, data: Annotated[NewSubscription, Body()], hall: Hall, guest: Guest, sessions: Sessions
) -> Subscribed:
    """Let the browser that sends the request receive the guest's push messages."""
    guest = sessions.save(guest)
    label = device_label(request)
    opener = sessions.opener_for(request, guest)
    keys, client = data.keys, client_address(request)
    added = await hall.notifications.subscribe(guest, client, data.endpoint, keys.p256dh, keys.auth, label, opener, data.old)
    return Subscribed(added.id, added.device)


@post("/settings/notifications/devices/{device:str}/remove", status_code=200)
async def remove_device(hall: Hall, guest: Guest, device: str) -> Redirect:
    """Send a device no more push messages."""
    hall.notifications.unsubscribe(guest, device)
    return see_other(link(_SECTION))


@get("/privacy")
async def show_privacy(request: AnyRequest, hall: Hall, guest: Guest) -> Html:
    """Tell what is kept, where, and for how long."""
    return page(request, guest, "privacy.html", None, kept=kept_data(hall.settings))


@get("/privacy/data")
async def download_data(hall: Hall, guest: Guest) -> Response[str]:
    """Return everything that the hall stores about the guest."""
    return data_response(await hall.store.read(personal_data.export, guest.id))


def data_response(data: dict[str, list[dict[str, object]]]) -> Response[str]:
    """Return a person's data as a file."""
    headers = {"Content-Disposition": 'attachment; filename="meadhall-my-data.json"'}
    return Response(json.dumps(data, indent=1, ensure_ascii=False), media_type="application/json", headers=headers)


@get("/privacy/delete")
async def ask_about_deletion(request: AnyRequest, hall: Hall, guest: Guest) -> Answer:
    """Ask whether to delete everything, and say what stays."""
    if guest.has_account:
        return see_other(link("/account"))
    return page(request, guest, "delete.html", hall.accounts.count_tables(guest), missing=False)


@post("/privacy/delete", status_code=200)
async def delete_guest(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions, form: Form) -> Html | Redirect:
    """Delete a guest without an account and all that is theirs alone. This device becomes a new guest."""
    if guest.has_account:
        return see_other(link("/account"))
    if form.get("sure") != "on":
        return page(request, guest, "delete.html", hall.accounts.count_tables(guest), 400, missing=True)
    hall.accounts.delete(guest)
    sessions.begin_anew(request)
    return see_other(link("/privacy"))


routes = [
    download_records,
    show_me,
    show_person_at_table,
    show_person,
    show_ladder,
    take_part,
    change_visibility,
    show_people,
    ignore_person,
    show_invitable,
    invite,
    decline,
    show_key,
    add_device,
    remove_device,
    show_privacy,
    download_data,
    ask_about_deletion,
    delete_guest,
]
