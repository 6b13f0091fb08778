"""Frames: the part of a table's page that changes. The stream sends its regions, and the page puts them in.

The regions of a match are public or belong to one viewer (decision 32). Public are the board and the seats, drawn from the view
of a spectator. A viewer has a prompt, notices, controls and tools. The log and the end tell all viewers the same, but call
each of them "you".
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import replace
from functools import partial
from secrets import token_hex
from typing import Any, Final
from weakref import WeakKeyDictionary

from markupsafe import Markup

from meadhall.engine.match.match import Match
from meadhall.engine.match.view import View
from meadhall.engine.registry import game
from meadhall.engine.text.language import current_language
from meadhall.pictures.regions import Drawing, Region, Regions, Spec
from meadhall.pictures.templates import as_markup
from meadhall.server.hall.room import Room
from meadhall.server.pages.any_game import page_of
from meadhall.server.pages.lobby import lobby_page
from meadhall.server.pages.log import TurnLog
from meadhall.server.pages.match import public_page, seat_page, seat_views
from meadhall.server.pages.models import MatchPage, Refusal, SeatView
from meadhall.server.pages.regions import Frame, LogText
from meadhall.server.pages.templates import environment, template
from meadhall.server.store.models import Guest
from meadhall.server.web.links import Outside

TALK_PLACE = Markup('<talk-panel id="talk" data-keep></talk-panel>')
"""Where a page keeps the talk panel, in the frame of a lobby and of a match. Frames don't have the panel itself.

Its tag is used for nothing else: idiomorph would change another element with the same tag into this one.
"""


_LONG_PROMPT = 72
"""The number of letters from which a prompt is written smaller."""


class _Table:
    """The frames of the newest version of a table, and its regions as they were drawn last.

    Attributes:
        frames: by seat and language, with the version for the seat.
        public: by language, the page of a spectator and the public regions.
        logs: how many logs there were: after an undo, a log begins anew.
    """

    def __init__(self) -> None:
        self.version = -1
        self.public: dict[str, tuple[MatchPage, Regions]] = {}
        self.frames: dict[tuple[int | None, str], Frame] = {}
        self.log_text: LogText | None = None
        self.logs = 0
        self._drawings: dict[tuple[Hashable, str], Drawing] = {}

    def renew(self, version: int) -> None:
        """Forget what belongs to another version."""
        if version != self.version:
            self.version = version
            self.public.clear()

    def drawing(self, viewer: Hashable) -> Drawing:
        """Return the regions of a viewer in the current language."""
        return self._drawings.setdefault((viewer, current_language()), Drawing())

    def log(self, view: View) -> LogText:
        """Return the log up to this view."""
        if self.log_text is None or not self.log_text.log.follow(view):
            self.log_text = LogText(TurnLog(view))
            self.logs += 1
        self.log_text.follow()
        return self.log_text


class Frames:
    """The frames of all tables. All pages of a seat, and the answer to its post, get the same frame."""

    def __init__(self) -> None:
        self._tables: WeakKeyDictionary[Room, _Table] = WeakKeyDictionary()
        self._name = token_hex(4)

    def frame(self, room: Room, guest: Guest, outside: Outside, notice: Refusal | None = None) -> Frame:
        """Return the frame of a table as a guest sees it, in the current language: the lobby or the match.

        Args:
            outside: the beginning of the invitation's address.
            notice: the refusal of the guest's last request, shown once.
        """
        if room.match is None:
            page, version = lobby_page(room, guest, outside, notice), room.version
            none = Regions()
            return Frame(
                version,
                None,
                none,
                none,
                None,
                None,
                (0, -1),
                page,
                lambda _: template("_lobby.html").render(page=page, version=version),
            )
        return self._match_frame(room, room.match, room.table.seat_of(guest.id), notice)

    def shown(self, room: Room, guest: Guest, seen: str) -> Frame | None:
        """Return the newest frame of a guest if it is the one that their page has: ``seen`` is its mark and version."""
        table, seat = self._tables.get(room), room.table.seat_of(guest.id)
        found = table.frames.get((seat, current_language())) if table and room.match else None
        return found if found is not None and seen == f"{self.mark(seat)}-{found.version}" else None

    def sheet(self, room: Room, guest: Guest, outside: Outside, name: str) -> tuple[MatchPage, Markup] | None:
        """Return a sheet of the game's page, with the page that all viewers share; None if there is none with this name."""
        if room.match is None:
            return None
        self.frame(room, guest, outside)
        page = self._tables[room].public[current_language()][0]
        drawn = getattr(_macros(page), "sheet", lambda *_: "")
        html = str.strip(drawn(page, name))
        return (page, as_markup(html)) if html else None

    def mark(self, seat: int | None) -> str:
        """Return a mark of the frames of a seat in the current language. No other process has the same."""
        return f"{self._name}-{current_language()}-{'' if seat is None else seat}"

    def refusal(self, room: Room, guest: Guest, outside: Outside, notice: Refusal) -> Markup:
        """Return the regions that tell a refusal, for a page that has the newest frame; the whole frame of a lobby."""
        plain, told = self.frame(room, guest, outside), self.frame(room, guest, outside, notice)
        news = [region.html for id, region in told.own.items() if id not in plain.own or plain.own[id].html != region.html]
        return as_markup("".join(news)) if news else told.html

    def _match_frame(self, room: Room, match: Match, seat: int | None, notice: Refusal | None) -> Frame:
        table = self._tables.setdefault(room, _Table())
        table.renew(room.version)
        language, version = current_language(), room.version_for(seat)
        known = table.frames.get((seat, language))
        if known is not None and known.version == version and notice is None:
            return known
        if language not in table.public:
            table.public[language] = _public(room, match, table)
        shared, public = table.public[language]
        page = shared if seat is None else seat_page(room, match, match.view(seat), shared)
        drawing = table.drawing(seat)
        if notice:
            page, drawing = replace(page, notice=notice), Drawing()
        assert table.log_text is not None
        own, log = Regions(own_regions(page, drawing)), table.log_text
        frame = Frame(version, (table.logs, seat), public, own, log, seat, log.span, page, partial(_drawn, shared))
        if not notice:
            table.frames[seat, language] = frame
        return frame


def _public(room: Room, match: Match, table: _Table) -> tuple[MatchPage, Regions]:
    view = match.view()
    page = public_page(room, match, view, seat_views(room), table.log(view).log.turns)
    return page, Regions(public_regions(page, table.drawing("public")))


def _drawn(shared: MatchPage, frame: Frame) -> str:
    """Draw the whole frame of a match. ``shared``: the page of a spectator."""
    regions = Regions(frame.public | frame.own).html
    board = board_of(shared, regions)
    controls = controls_of(frame.page, regions) if "choices" in regions else ""
    values = {"page": frame.page, "region": regions, "board": board, "controls": controls}
    return template("_frame.html").render(version=frame.version, talk=TALK_PLACE, **values)


def public_part(page: MatchPage) -> Markup:
    """Draw the board and the seats of a page that is no live table: a replay, or a guided first game."""
    regions = Regions(public_regions(page, Drawing())).html
    return as_markup(template("_public.html").module.public(page, board_of(page, regions), regions))  # type: ignore[attr-defined]


def controls_part(page: MatchPage, wanted: int | None = None) -> Markup:
    """Draw the controls of a page that is no live table. ``wanted``: the action whose control gets ``data-wanted``.

    A control of several actions gets the number of the wanted one among them, as its radio button has it.
    """
    html = controls_of(page, Regions(_controls(page, Drawing())).html)
    if wanted is None:
        return html
    known = f'name="action" value="{wanted}"'
    firsts = [first for first in map(int, _FIRST.findall(html)) if first <= wanted] if known not in html else []
    if firsts:
        known = f'name="first" value="{max(firsts)}"'
    mark = f' data-wanted="{wanted - max(firsts)}"' if firsts else " data-wanted"
    return as_markup(str.replace(html, known, known + mark))


_FIRST: Final = re.compile(r'name="first" value="(\d+)"')


environment().globals.update(public_part=public_part, controls_part=controls_part)


# ------------------------------------------------------------------------------------------------------------------ public part


def public_regions(page: MatchPage, drawing: Drawing) -> dict[str, Region]:
    """Return the regions that all viewers share: the parts of the board, and the seats."""
    macros, own = template("_plate.html").module, _macros(page)
    declared = getattr(page_of(game(page.game)), "regions", None)
    if declared:
        found = drawing.regions(declared(page), own)
    else:  # all the board
        found = {"whole-board": drawing.region("whole-board", page, lambda: f'<div id="whole-board">{own.board(page)}</div>')}
    if page.tools is None or page.tools.seats:
        found |= drawing.regions(_plates(page), macros)
        for seat in page.seats:
            if f"facts-{seat.seat}" not in found:
                words = str.strip(own.about(page, seat.seat))
                found |= drawing.regions({f"facts-{seat.seat}": ("about", seat.seat, as_markup(words))}, macros)
    return found


def board_of(page: MatchPage, region: dict[str, Markup]) -> Markup:
    """Return the whole board of a page. ``region``: the HTML of its regions by their ids."""
    return region["whole-board"] if "whole-board" in region else as_markup(_macros(page).board(page, region))


def _plates(page: MatchPage) -> Spec:
    spec: dict[str, Any] = {"spectators": ("spectators", page.spectators)}
    for seat in page.seats:
        k = seat.seat
        named = replace(seat, active=False, thinking=seat.thinking and seat.stand_in != "", winner=False, clock=None)
        flags = (("winner", seat.winner), ("active", seat.active), ("ponders", seat.thinking), ("stands-in", seat.stand_in))
        shown = [name for name, holds in flags if holds]
        spec[f"plate-{k}"] = {"class": " ".join(["plate", f"plate-{k}", *shown])}
        spec[f"named-{k}"] = ("named", named)
        spec[f"timed-{k}"] = ("timed", k, seat.clock)
    return spec


# ------------------------------------------------------------------------------------------------------------- a viewer's part


def own_regions(page: MatchPage, drawing: Drawing) -> dict[str, Region]:
    """Return the regions of one viewer. One that stands within another comes after it."""
    macros: Any = template("_private.html").module
    parts: Any = template("_parts.html").module
    found = {
        "marks": drawing.region("marks", page.marks, lambda: parts.shields(page.marks)),
        "frame": drawing.attributes("frame", _attributes(page, page.status != "running")),
        **drawing.regions(_prompt(page), macros),
        "notices": drawing.region("notices", _noted(page), lambda: macros.notices(page)),
        **_tools(page, drawing, macros),
    }
    if page.viewer is not None and not page.result and not page.given_up:  # a spectator has no controls
        found["controls"] = drawing.attributes("controls", {"class": "controls"})
        found["moment"] = drawing.attributes("moment", {"value": page.n})
        found |= _controls(page, drawing)
    if page.devices > 1:
        found["devices"] = drawing.region("devices", page.devices, lambda: macros.other_devices(page.url, page.devices))
    if page.result or page.given_up:
        found["end"] = drawing.region("end", page, lambda: template("_end.html").module.end(page))  # type: ignore[attr-defined]
    earlier = bool(page.log and page.log[-1].events[0].index)
    found["log-earlier"] = drawing.attributes("log-earlier", {"class": "turn", "hidden": None if earlier else ""})
    return found


def _prompt(page: MatchPage) -> Spec:
    """Return the parts of the prompt."""
    won = page.result is not None and page.viewer in page.result.winners
    clocked = tuple([(seat.seat, seat.name, seat.active, seat.clock) for seat in page.seats if seat.clock])
    state = "yours" if page.your_turn else "paused" if page.paused else "early" if page.intended is not None else ""
    sign = "crown" if won else page.viewer if page.your_turn else "pause" if page.paused else ""
    still = page.viewer is None or page.status != "running" or page.stand_in is not None
    spec: dict[str, Any] = {
        "prompt": {"class": f"prompt {state}{' clocked' if clocked else ''}".strip()},
        "prompt-line": {
            "class": f"prompt-line{' long' if len(page.prompt) > _LONG_PROMPT else ''}",
            "tabindex": -1 if still else None,
        },
        "prompt-words": ("words", page.n, page.prompt, sign),
        "prompt-more": ("more", page.thinking, page.paused.since if page.paused else None, page.private_events),
        "prompt-acts": ("acts", page.url if page.intended is not None else "", page.paused.url if page.paused else ""),
    }
    if clocked:
        spec["clock-row"] = ("clocks", clocked)
    return spec


def _tools(page: MatchPage, drawing: Drawing, macros: Any) -> dict[str, Region]:
    """Return the tools. The forms for a hint and for taking back change with each decision."""
    plays = (
        page.status == "running" and page.viewer is not None and page.out is None and page.tools is not None and not page.paused
    )
    spec: dict[str, Any] = {}
    if plays and page.tools and page.tools.hints:
        spec["hint-form"] = ("hint_form", page.url, page.hint is not None, page.can_hint)
    if plays:
        spec["undo-form"] = ("undo_button", page.url, page.undo, page.take_back)
    forms = drawing.regions(spec, template("_tools.html").module)
    return {"tools": drawing.region("tools", _tooled(page), lambda: macros.tools_of(page, Regions(forms).html))} | forms


def _attributes(page: MatchPage, over: bool) -> dict[str, str | int | None]:
    title = template("_private.html").module.title(page.title, page.your_turn)  # type: ignore[attr-defined]
    dyed = template("_parts.html").module.dyed(page.marks)  # type: ignore[attr-defined]
    flags = (
        ("watching", page.viewer is None),
        ("yours", page.your_turn),
        ("over", over),
        ("playing", not over and page.viewer is not None and not page.out),
    )
    classes = ["frame", "game", f"of-{len(page.seats)}", f"you-{page.viewer or 0}", *(name for name, holds in flags if holds)]
    return {"class": f"{' '.join(classes)}{dyed}", "data-title": str(title), "data-turn": "yes" if page.your_turn else "no"}


def _controls(page: MatchPage, drawing: Drawing) -> dict[str, Region]:
    """Return the game's controls for a seat. The ones of a waiting seat stay equal while other seats move."""
    macros = _macros(page)
    declared = getattr(page_of(game(page.game)), "control_regions", None)
    names = [seat.name for seat in page.seats]
    if declared:
        shown = page.choices, page.ahead, page.intended, page.own, page.notice, names
        return drawing.group(
            "controls", shown, lambda: drawing.regions({"choices": {"class": "choices"}, **declared(page)}, macros)
        )
    values: Any = (
        (page.n, page.own, page.choices, page.notice) if page.your_turn else (page.own, names, page.ahead, page.intended)
    )
    rests = page if page.your_turn else _at_rest(page)

    def draw() -> str:
        return f'<div id="choices" class="choices">{macros.controls(rests)}</div>'

    return {"choices": drawing.region("choices", values, draw)}


def controls_of(page: MatchPage, region: dict[str, Markup]) -> Markup:
    """Return all controls of a page. ``region``: the HTML of its regions by their ids."""
    if getattr(page_of(game(page.game)), "control_regions", None) is None:
        return region["choices"]
    return as_markup(f"<div {region['choices']}>{_macros(page).controls(page, region)}</div>")


def _noted(page: MatchPage) -> tuple[Any, ...]:
    """Return the values of the notices of a viewer."""
    daily = (page.daily, page.daily_ended, page.daily_ends, page.viewer is None, page.status) if page.daily else ()
    return daily, page.goal, page.lesson_minutes, page.stand_in, page.absent, page.proposal, page.notice, page.notice and page.n


def _tooled(page: MatchPage) -> tuple[Any, ...]:
    """Return the values of the tools of a viewer, but for their forms."""
    while_running = page.tools, page.can_resign, page.resign_words, page.paused, page.out
    hint = (page.hint, page.n) if page.hint else ()
    afterwards = page.daily, page.share, page.given_up, page.rematch, page.stronger
    return page.status, page.viewer, while_running, hint, afterwards


def _at_rest(page: MatchPage) -> MatchPage:
    """Return the values of the controls of a waiting seat."""
    seats = tuple([SeatView(seat.seat, seat.name, "human") for seat in page.seats])
    rest = MatchPage("", page.url, page.game, "", seats, page.viewer, "running", "", False, 0, (), (), None, page.own)
    return replace(rest, ahead=page.ahead, intended=page.intended)


def _macros(page: MatchPage) -> Any:
    """Return the macros of a game's page: ``board``, ``about`` and ``controls``, perhaps ``sheet`` and those of regions."""
    return template(f"{page.game}/page.html").module
