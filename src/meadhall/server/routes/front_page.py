"""The front page, new tables, rulebooks, settings, invitations to a hall for invited guests, and the installed app."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Annotated, Any, Final

from litestar import Response, get, post
from litestar.params import QueryParameter
from litestar.response import Redirect

from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import current_language, gettext as _, speak
from meadhall.server.errors import NameTaken, NotFound, reason_of, status_of
from meadhall.server.hall.choices import TableFilter, new_choice
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.holidays import DAYS_A_YEAR, days_used
from meadhall.server.hall.notifications import CHANNELS, OFFERED, NotificationChoices
from meadhall.server.pages.clock import holiday_in_words
from meadhall.server.pages.daily import daily_strip
from meadhall.server.pages.front_page import FINISHED_SHOWN, OPEN_SHOWN, OPTION, YOURS_SHOWN, finished_matches, hall_page
from meadhall.server.pages.people import notifications_panel
from meadhall.server.pages.picture import tile_art, tile_svg
from meadhall.server.pages.responses import Answer, Html, page, said_next, see_other, wants_json
from meadhall.server.pages.rulebook import rulebook_page
from meadhall.server.pages.templates import service_worker, static
from meadhall.server.store import evenings, ladder, tables, talk
from meadhall.server.store.models import Guest, TableRow
from meadhall.server.web.forms import Form, integer, safe_path
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest
from meadhall.server.web.sessions import Sessions, opener_of


@get("/", name="hall")
async def show_hall(request: AnyRequest, hall: Hall, guest: Guest) -> Html:
    """Show the games, the guest's matches, open tables, and matches to watch."""
    chosen = TableFilter.read(request.query_params)
    yours = _installed(hall.store.transact(tables.of_guest, guest.id)) if guest.is_stored else []
    open_ = [table for table in hall.offered() if chosen.lets_through(table)][:OPEN_SHOWN]
    watched = _installed(hall.store.transact(tables.public, "running", limit=12))
    for table in [*(table for table in yours if table.status == "running"), *yours[:YOURS_SHOWN], *watched]:
        if table.status != "gathering" and hall.can_show(table):
            with suppress(MeadhallError):  # a table that can't be opened is listed too
                await hall.room(table.id)
    invited = hall.acquaintances.pending(guest)
    found = hall.store.transact(evenings.shown_to, guest.id)
    content = hall_page(hall, guest, daily_strip(hall, guest), yours, open_, watched, chosen, invited, found)
    return page(request, guest, "hall.html", content)


@get("/next")
async def show_next(request: AnyRequest, hall: Hall, guest: Guest, after: str = "") -> Answer:
    """Go to the next table where it is the guest's turn, after the one with that id; without one, back to it or to the hall.

    A script only asks for the address, which is "" if no table waits.
    """
    turns = await hall.turns_of(guest)
    place = turns.index(after) + 1 if after in turns else 0
    following = [id for id in turns[place:] + turns[:place] if id != after]
    came_from = hall.store.transact(tables.find, after) if after else None
    back = "" if came_from is None else f"?from={came_from.id}"
    url = link(f"/tables/{following[0]}{back}") if following else ""
    if wants_json(request):
        return Response({"url": url})
    return see_other(url or link("/" if came_from is None else f"/tables/{came_from.id}"))


_Page = Annotated[int, QueryParameter(name="page", ge=1, le=100_000)]


@get("/matches")
async def show_finished(request: AnyRequest, hall: Hall, guest: Guest, page_number: _Page = 1) -> Html:
    """Show the guest's finished matches, 20 on a page, the latest first."""
    skipped = (page_number - 1) * FINISHED_SHOWN
    shown: tuple[list[TableRow], int] = ([], 0)
    if guest.is_stored:
        shown = await hall.store.read(tables.finished_of, guest.id, FINISHED_SHOWN, skipped)
    noted = hall.store.transact(talk.noted, guest.id)
    with_outcomes = [await hall.with_outcome(table) for table in _installed(shown[0])]
    return page(request, guest, "matches.html", None, **finished_matches(guest, with_outcomes, page_number, shown[1], noted))


def _installed(tables: Sequence[TableRow]) -> list[TableRow]:
    """Leave out tables of games that are no longer installed. They may have come from another package."""
    names = game_names()
    return [table for table in tables if table.game in names]


@post("/tables", status_code=200)
async def open_table(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions, form: Form) -> Response[Any] | Redirect:
    """Open a table for friends, or one against bots, whose match begins at once."""
    guest = sessions.save(guest, name=form.get("name", ""))
    players = integer(form, "players")
    subject = game(form.get("game", ""))
    if form.get("kind") == "friends":
        room = await hall.with_friends(guest, subject.name, players)
    else:
        options = {name.removeprefix(OPTION): value for name, value in form.items() if name.startswith(OPTION)}
        seats = integer(form, "seats")  # of the form below the button; a table with friends begins small
        choice = new_choice(subject, guest, players if seats is None else seats, form.get("bot", ""), options)
        room = await hall.play_now(guest, subject.name, choice.players, choice.bot, choice.options)
        sessions.remember_choice(guest, subject.name, choice.stored())
    if wants_json(request):
        return Response({"id": room.table.id, "url": link(f"/tables/{room.table.id}")}, status_code=201)
    return see_other(link(f"/tables/{room.table.id}"))


@get("/tiles/{name:str}", sync_to_thread=False)
def show_tile(name: str) -> Response[str]:
    """Return the picture of a game's tile. Its address changes with it, so browsers keep it. Raises UnknownGame, NotFound."""
    subject = game(name.removesuffix(".svg"))
    if not tile_art(subject.name):
        raise NotFound(_("There is no page at this address."))
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(tile_svg(subject.name), media_type="image/svg+xml", headers=headers)


@get("/rules/{name:str}")
async def show_rules(request: AnyRequest, name: str, guest: Guest) -> Html:
    """Show a game's rulebook."""
    return page(request, guest, "rulebook.html", rulebook_page(name, guest.language))


@get("/settings")
async def show_settings(request: AnyRequest, hall: Hall, guest: Guest) -> Html:
    """Show the guest's settings."""
    return _settings_page(request, hall, guest)


def _settings_page(request: AnyRequest, hall: Hall, guest: Guest, error: MeadhallError | None = None) -> Html:
    notice, status = ("", 200) if error is None else (reason_of(error), int(status_of(error)))
    panel = notifications_panel(hall, guest, opener_of(request))
    more = {"holidays": _holidays(hall, guest), "notifications": panel, "ladder_game": game_names()[0]}
    takes_part = hall.store.transact(ladder.takes_part, guest.id) if hall.switches.allows("ladder", guest) else None
    return page(request, guest, "settings.html", None, status, notice=notice, takes_part=takes_part, **more)


def _holidays(hall: Hall, guest: Guest) -> dict[str, Any]:
    """Return the holidays that aren't over, the days of this year that are left, and the first day on which one can begin."""
    taken, now = hall.holidays.of_guest(guest), hall.time.now()
    shown = tuple((f"{each.began_at:%Y-%m-%d}", holiday_in_words(each)) for each in taken if each.ended_at > now)
    left = DAYS_A_YEAR - days_used(taken, now.year)
    return {"taken": shown, "left": left, "days": DAYS_A_YEAR, "earliest": f"{now + timedelta(days=1):%Y-%m-%d}"}


@post("/settings/holidays", status_code=200)
async def change_holidays(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions, form: Form) -> Html | Redirect:
    """Take a holiday from one day to another, or end one."""
    try:
        if "end" in form:
            hall.holidays.end(guest, form["end"])
        else:
            hall.holidays.take(sessions.save(guest), form.get("first", ""), form.get("last", ""))
    except BadSetup as error:
        return _settings_page(request, hall, guest, error)
    return see_other(link("/settings"))


@post("/settings", status_code=200)
async def change_settings(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions, form: Form) -> Html | Redirect:
    """Change the guest's settings. A new name or crest reaches the seats before a match."""
    chosen = {setting: form.get(setting, "") for setting in ("name", "language", "theme", "motion", "confirm", "onward")}
    try:
        changed = sessions.save(guest, **chosen, crest=f"{form.get('sign', '')}-{form.get('colour', '')}")
    except NameTaken as error:
        return _settings_page(request, hall, guest, error)
    if "volume" in form:  # of the page's form, which sends only the boxes that are ticked
        sessions.choose_notifications(changed, _notifications(hall, guest, form))
    if (changed.name, changed.crest) != (guest.name, guest.crest):
        await hall.rename(changed)
    return said_next(see_other(safe_path(form.get("back", "/"))), "saved")


def _notifications(hall: Hall, guest: Guest, form: Form) -> NotificationChoices:
    """Return the choices of a form. Those about push messages stay where the hall sends none: the form has no boxes for them."""
    old, volume = NotificationChoices.of(guest), integer(form, "volume")
    kept = () if hall.notifications.are_pushed else ((kind, "push") for kind in old.kinds("push"))
    pairs = ((kind, channel) for kind in OFFERED for channel in CHANNELS if form.get(f"{channel}-{kind}"))
    return NotificationChoices.checked([*kept, *pairs], old.volume if volume is None else volume)


@get("/admission/{token:str}")
async def show_invitation(request: AnyRequest, hall: Hall, guest: Guest, token: str) -> Answer:
    """Welcome a guest with an invitation, and ask for a name. A look doesn't use the invitation up."""
    if hall.admission.admits(guest):
        return see_other(link("/"))
    note = hall.admission.note_of(token)  # for whom it is, in the host's words
    return page(request, guest, "invitation.html", None, action=link(f"/admission/{token}"), note=note)


@post("/admission/{token:str}", status_code=200)
async def accept_invitation(hall: Hall, guest: Guest, sessions: Sessions, token: str, form: Form) -> Redirect:
    """Admit the guest."""
    if not hall.admission.admits(guest):
        guest = sessions.save(guest, name=form.get("name", ""))
        hall.admission.admit(token, guest)
        sessions.forget(guest)
    return see_other(link("/"))


_CHECKED: Final = {"Cache-Control": "no-cache"}
"""Browsers ask each time whether these files have changed."""

_DARK: Final = "#1b130e"


@get("/manifest.webmanifest")
async def show_manifest(request: AnyRequest) -> Response[dict[str, Any]]:
    """Return the web app manifest. Browsers ask for it without a cookie, so its address names the language."""
    speak(request.query_params.get("language", ""))
    root = link("/")
    icons = [
        {"src": static("favicon.svg"), "type": "image/svg+xml", "sizes": "any"},
        *({"src": static(f"icons/icon-{side}.png"), "type": "image/png", "sizes": f"{side}x{side}"} for side in (192, 512)),
        *(
            {
                "src": static(f"icons/icon-{side}-maskable.png"),
                "type": "image/png",
                "sizes": f"{side}x{side}",
                "purpose": "maskable",
            }
            for side in (192, 512)
        ),
        {"src": static("icons/badge-96.png"), "type": "image/png", "sizes": "96x96", "purpose": "monochrome"},
    ]
    manifest = {
        "id": root,
        "start_url": root,
        "scope": root,
        "name": _("Meadhall"),
        "short_name": _("Meadhall"),
        "description": _("Viking board games to play with friends or bots."),
        "lang": current_language(),
        "display": "standalone",
        "background_color": _DARK,
        "theme_color": _DARK,
        "categories": ["games"],
        "icons": icons,
        "shortcuts": [{"name": _("Puzzle of the day"), "url": link("/daily")}, {"name": _("Settings"), "url": link("/settings")}],
    }
    return Response(manifest, media_type="application/manifest+json", headers=_CHECKED)


@get("/service-worker.js")
async def show_service_worker() -> Response[str]:
    """Return the service worker. It is at the root of the hall, because it may serve only what is below its own address."""
    return Response(service_worker(), media_type="text/javascript; charset=utf-8", headers=_CHECKED)


@get("/offline")
async def show_offline_page(request: AnyRequest, guest: Guest) -> Html:
    """Show the page that the service worker keeps for times without a connection, in the guest's language and look."""
    return page(request, guest, "offline.html", None)


@get(["/favicon.ico", "/apple-touch-icon.png", "/apple-touch-icon-precomposed.png", "/manifest.json"], sync_to_thread=False)
def show_usual_address(request: AnyRequest) -> Redirect:
    """Lead from the addresses where programs look for an icon and the manifest to those that pages name."""
    name = request.url.path.rpartition("/")[2]
    usual = {"favicon.ico": static("icons/icon-48.png"), "manifest.json": link("/manifest.webmanifest")}
    return Redirect(usual.get(name, static("icons/icon-180.png")), status_code=301)


routes = [
    show_hall,
    show_next,
    show_finished,
    open_table,
    show_tile,
    show_rules,
    show_settings,
    change_settings,
    change_holidays,
    show_invitation,
    accept_invitation,
    show_usual_address,
    show_manifest,
    show_service_worker,
    show_offline_page,
]
