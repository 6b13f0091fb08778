"""The model of a table's page before the match: seats, options and the invitation."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from meadhall.bots import ranks
from meadhall.bots.ranks import HUSCARL
from meadhall.engine import options
from meadhall.engine.changes import changes, in_short
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game, applies
from meadhall.engine.match.view import bot_in_words
from meadhall.engine.text.language import gettext as _, ngettext
from meadhall.server.hall.choices import changed_choices
from meadhall.server.hall.clocks import time_in_words
from meadhall.server.hall.lobby_changes import start_refusal
from meadhall.server.hall.room import Room
from meadhall.server.pages.clock import clock_choice, clock_in_words, moment
from meadhall.server.pages.match import seat_views
from meadhall.server.pages.models import Option, Refusal, SharedLink
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import Form, integer
from meadhall.server.web.links import Outside, link

NEVER: Final = "never"
WAITS: Final = (30, 60, 120, 300)
"""Seconds after which bots may take the empty seats of a quick match. A program may choose others."""

USUAL_WAIT: Final = 60
LONGEST_WAIT: Final = 3600


def lobby_page(room: Room, guest: Guest | None, outside: Outside, notice: Refusal | None) -> dict[str, Any]:
    """Return the table before the match as a guest sees it.

    ``outside`` begins the invitation's address; ``notice``: the refusal of the guest's last request, shown once.
    """
    subject, table = room.game, room.table
    seat = table.seat_of(guest.id) if guest else None
    refusal = start_refusal(subject, table, lambda row: row.seat == seat or room.visits.is_here(row))
    level = next((row.bot for row in reversed(table.seats) if row.bot), HUSCARL.name)  # the next bot is like the last one
    return {
        "id": table.id,
        "url": link(f"/tables/{table.id}"),
        "game": subject.name,
        "title": subject.title,
        "seats": tuple(replace(view, you=view.seat == seat) for view in seat_views(room)),
        "marks": table.marks,  # of the seats
        "empty": sum(row.kind == "open" for row in table.seats),  # number of open seats
        "host": guest is not None and table.is_hosted_by(guest.id),
        "seated": seat is not None,
        "ready": seat is not None and table.seats[seat].is_ready,  # the viewer agrees to a start while away
        "closed": room.is_closed,  # by the host, before the match
        # weakest first
        "bots": tuple(
            {
                "value": rank.name,
                "title": bot_in_words(rank.name),
                "text": _(rank.about),
                "chosen": rank.name == level,
            }
            for rank in ranks(subject)
        ),
        "options": tuple(option_view(subject, option, table.options) for option in subject.options),
        # the chosen values: "Two sides · Corners count"
        "options_words": " · ".join(_options_in_words(subject, table.options)),
        "facts": tuple(facts(subject, table.options)),
        "min_players": subject.min_players,
        "max_players": subject.max_players,
        "can_start": not refusal,
        "start_refusal": refusal,  # why the match can't start yet; "" if it can
        "invite": shared_link(outside, f"/tables/{table.id}"),
        # the host, or the first player if the host has no seat; "" if no person has
        "inviter": next(
            (row.name for row in sorted(table.seats, key=lambda row: table.host not in row.guests) if row.guests), ""
        ),
        # "3 players, 5 minutes each"
        "about": ", ".join(
            [
                ngettext("{count} player", "{count} players", len(table.seats)).format(count=len(table.seats)),
                clock_in_words(table.clock),
                *changed_choices(table),
            ]
        ),
        "public": table.is_public,  # listed among the open tables
        "clock": clock_choice(table.clock) if table.daily is None else None,  # None for the puzzle of a day
        "wait": _wait(room),  # None at a table that was opened by hand
        # how long the guided first game takes; 0 if the game has none
        "lesson_minutes": subject.lessons.minutes if subject.lessons else 0,
        "notice": notice,
    }


def _wait(room: Room) -> dict[str, Any] | None:
    wait = room.state.wait
    if wait is None:
        return None
    left = 0 if wait.until is None else max(0, math.ceil((wait.until - room.time.now()).total_seconds()))
    return {
        "until": None if wait.until is None else moment(wait.until),  # when bots take the empty seats; None: never
        "left": f"{left // 60}:{left % 60:02}",  # the time until then, as a clock shows it
        "times": wait_choice(wait.seconds),  # that the host can choose
    }


def wait_choice(chosen: int | None) -> tuple[Option, ...]:
    """Return the seconds after which bots may take the empty seats of a quick match; or never."""
    offered = sorted({*WAITS, *(() if chosen is None else (chosen,))})
    times = (Option(str(seconds), time_in_words(seconds), seconds == chosen) for seconds in offered)
    return (*times, Option(NEVER, _("never"), chosen is None))


def wait_of_form(form: Form) -> int | None:
    """Return the seconds of a form after which bots take the empty seats; None: never. Raises BadSetup."""
    if form.get("bots_after") == NEVER:
        return None
    seconds = integer(form, "bots_after")
    if seconds is None or not 1 <= seconds <= LONGEST_WAIT:
        raise BadSetup(_("After how many seconds?"))
    return seconds


def _options_in_words(subject: Game, chosen: Mapping[str, Any]) -> Iterator[str]:
    """Yield the chosen values in words. House rules that nothing changes go without saying."""
    for option in subject.options:
        value = chosen[option.name]
        if applies(option, chosen) and (value != option.default or not isinstance(option, options.HouseRule)):
            yield option.named(value)


def option_view(subject: Game, option: options.Option, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return an option with its value among the ``chosen`` ones."""
    value = chosen[option.name]
    if isinstance(option, options.Document):
        custom = "" if value == option.default else option.label(value)
        return {
            "name": option.name,
            "title": _(option.title),
            "text": _(option.text),
            "choices": (),
            "template": template_url(subject, option),  # address of the built-in document
            "custom": custom,  # the uploaded document in a few words; "" if the built-in one is used
            "only_with": "",
            "is_house_rule": False,
            "number": None,
            "is_changed": False,
        }
    assert isinstance(option, options.Choice)
    offered = () if isinstance(option, options.Number) else option.values
    choices = tuple(
        {
            "value": each,  # "strategic"
            "title": option.label(each),  # "Hidden hands"
            "text": option.explained(each),  # a sentence about its effect
            "chosen": each == value,
        }
        for each in offered
    )
    needed = ""
    if option.only_with is not None and not applies(option, chosen):
        other, needs = option.only_with
        needed = next(each.label(needs) for each in subject.options if each.name == other)
    return {
        "name": option.name,  # "variant"
        "title": _(option.title),  # "Cards"
        "text": option.explained(value),  # a sentence about its effect
        "choices": choices,  # empty for a number
        "template": "",  # address of the built-in document
        "custom": "",  # the uploaded document in a few words; "" if the built-in one is used
        "only_with": needed,  # the choice that this option needs, e.g. "Two sides"; "" if the option can be chosen now
        "is_house_rule": isinstance(option, options.HouseRule),
        # of a number of the rules: the smallest, the largest, and the chosen one
        "number": (option.low, option.high, value) if isinstance(option, options.Number) else None,
        "is_changed": value != option.default,  # whether its value isn't the default
    }


def facts(subject: Game, chosen: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what players should know about a match with the ``chosen`` options, beside its value with the default options.

    The last fact is what differs in documents; other options stand in the form.
    """
    if subject.facts is not None:
        usual = dict(subject.facts(subject.check_options({})))
        for heading, value in subject.facts(chosen):
            yield {
                "heading": heading,
                "value": value,
                # the value with the default options, if it differs; else ""
                "usual": usual[heading] if usual[heading] != value else "",
            }
    documents = {option.name: chosen[option.name] for option in subject.options if isinstance(option, options.Document)}
    if found := changes(subject, documents):
        yield {"heading": _("Changes"), "value": in_short(found), "usual": ""}


def template_url(subject: Game, option: options.Document[Any]) -> str:
    """Return the address of a game's built-in document, which hosts download and edit."""
    return link(f"/documents/{subject.name}/{option.name}")


def shared_link(outside: Outside, path: str) -> SharedLink:
    """Return the link to a path of the hall, for another person or device."""
    url = f"{outside.url}{path}"
    return SharedLink(url, qr_code(url), outside.closed)


@lru_cache(maxsize=2000)
def qr_code(url: str) -> str:
    """Return the address as a QR code: an ``<svg>`` without inline styles, which the content security policy forbids."""
    import segno  # noqa: PLC0415 - the start of a hall needs none

    out = io.BytesIO()
    segno.make(url, error="m").save(
        out, kind="svg", xmldecl=False, svgns=True, omitsize=True, border=2, svgclass="qr", lineclass="qr-dark", nl=False
    )
    return out.getvalue().decode()
