"""What programs are told: games, tables, hints, and the events of a stream."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import asdict
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

import msgspec

from meadhall.bots import bot_names
from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import SPECTATOR, visible
from meadhall.engine.options import Choice, Document, HouseRule, Option
from meadhall.engine.text.language import current_language
from meadhall.server.hall.analysis import RequestedHint
from meadhall.server.hall.daily_puzzle import is_sealed
from meadhall.server.hall.room import Room
from meadhall.server.pages.lobby import template_url
from meadhall.server.routes.api_models import (
    ClocksInfo,
    GameInfo,
    HintInfo,
    NewTable,
    OptionInfo,
    ProposalInfo,
    SeatInfo,
    TableInfo,
    TableSummary,
)
from meadhall.server.store.models import Guest, TableRow
from meadhall.server.store.tables import RequestKey
from meadhall.server.web.links import Outside

R = TypeVar("R")


def game_info(game: Game, ready: bool) -> GameInfo:
    """Describe a game."""
    return GameInfo(
        name=game.name,
        title=game.title,
        rules=game.version,
        min_players=game.min_players,
        max_players=game.max_players,
        actions=game.actions,
        options=[_option_info(game, option) for option in game.options],
        bots=bot_names(game),
        ready=ready,
        events={kind.name: list(kind.fields) for kind in game.events.values()},
    )


def _option_info(game: Game, option: Option) -> OptionInfo:
    if isinstance(option, Document):
        return OptionInfo(option.name, None, template_url(game, option), None)
    assert isinstance(option, Choice)
    needed = dict([option.only_with]) if option.only_with else None
    origins = {value: origin.name.lower() for value, origin in option.origins.items()}
    return OptionInfo(option.name, option.values, None, needed, origins, isinstance(option, HouseRule))


def table_info(room: Room, guest: Guest, outside: Outside, words: bool = False) -> TableInfo:
    """Describe a table as the guest may see it. ``outside`` begins the address of its page; ``words``: with a view in words."""
    table, match = room.table, room.match
    you = table.seat_of(guest.id)
    result = match.result() if match else None
    stand_ins = match.stand_ins if match is not None and table.status == "running" else {}
    return TableInfo(
        id=table.id,
        url=f"{outside.url}/tables/{table.id}",
        game=table.game,
        status=table.status,
        options={name: _without_data(value) for name, value in table.options.items()},
        seats=[
            SeatInfo(
                seat.seat,
                seat.kind,
                seat.name,
                seat.bot,
                seat.seat == you,
                stand_in=stand_ins[seat.seat].bot if seat.seat in stand_ins and seat.kind == "human" else None,
                away=away,
                replaceable=None if away is None else room.absences.may_be_replaced_at(seat.seat),
            )
            for seat in table.seats
            for away in [room.absences.since.get(seat.seat)]
        ],
        you=you,
        commitment=match.commitment if match else None,
        view=None if match is None else view_in_words(match, you) if words else cast("dict[str, Any]", encoded_view(match, you)),
        result=None if result is None else {"winners": result.winners, "scores": result.scores, "reason": result.reason},
        awarded=None if match is None or match.awarded is None else asdict(match.awarded),
        clock=table.clock,
        proposal=_proposal_info(room),
        clocks=_clocks_info(room),
    )


_told: WeakKeyDictionary[Match, dict[Hashable, Any]] = WeakKeyDictionary()
"""What programs have been told of matches as they are now, as JSON. A room has another match after every change."""


def told_once(match: Match, what: Hashable, tell: Callable[[], R]) -> R:
    """Return what programs are told of a match, in the current language. All who may know the same share it."""
    known = _told.setdefault(match, {})
    key = what, match.next_number, len(match.steps), current_language()
    if key not in known:
        known[key] = tell()
    return cast("R", known[key])


def encoded_view(match: Match, seat: int | None) -> msgspec.Raw:
    """Return the view of a seat or a spectator as JSON."""

    def encoded() -> msgspec.Raw:
        view = match.view(seat)
        state = told_once(match, view.states.tobytes(), lambda: msgspec.Raw(msgspec.json.encode(view.to_dict()["state"])))
        return msgspec.Raw(msgspec.json.encode(view.to_dict(state)))

    return told_once(match, ("view", seat), encoded)


def view_in_words(match: Match, seat: int | None) -> dict[str, Any]:
    """Return the view of a seat or a spectator with texts in place of the state."""
    view, words = match.view(seat), match.game.words
    last = max((number for number, step in enumerate(view.steps) if step.seat == seat), default=None)
    events = [] if last is not None else [*view.setup]
    events += [event for step in view.steps[last or 0 :] for event in step.events]
    told = view.to_dict({})
    return {name: value for name, value in told.items() if name != "state"} | {
        "happened": [text for event in events if (text := match.in_words(event, seat))],
        "board": view.sketch(),
        "prompt": words.ending(view.state)[1] if match.over else view.prompt(),
    }


def _clocks_info(room: Room) -> ClocksInfo | None:
    clocks = room.running_clocks
    if clocks is None:
        return None
    at = room.time.now()
    left = [None if seat in clocks.bots else round(seconds, 3) for seat, seconds in enumerate(clocks.left_at(at))]
    return ClocksInfo(at, left, clocks.running, clocks.deadline, clocks.is_paused, clocks.outage_until(at))


def _proposal_info(room: Room) -> ProposalInfo | None:
    found = room.consent.proposals.open
    if found is None or room.table.status != "running":
        return None
    return ProposalInfo(
        number=found.number,
        what=found.what,
        seat=found.seat,
        to=found.to or None,
        asked=sorted(found.asked),
        agreed=sorted(found.agreed),
        until=found.until,
    )


def table_summary(table: TableRow, guest: Guest, outside: Outside) -> TableSummary:
    """Describe a table in a list. ``outside`` begins the address of its page."""
    you = table.seat_of(guest.id)
    return TableSummary(
        id=table.id,
        url=f"{outside.url}/tables/{table.id}",
        game=table.game,
        status=table.status,
        public=table.is_public,
        host=table.host == guest.id,
        options={name: _without_data(value) for name, value in table.options.items()},
        seats=[SeatInfo(seat.seat, seat.kind, seat.name, seat.bot, seat.seat == you) for seat in table.seats],
        you=you,
        created=table.created_at,
        started=table.started_at,
        finished=table.finished_at,
        clock=table.clock,
    )


def request_key(key: str | None, body: NewTable) -> RequestKey | None:
    """Return the key of a request for a new table with the SHA-256 of its body, None without a key."""
    if key is None:
        return None
    written = json.dumps(msgspec.to_builtins(body), sort_keys=True, separators=(",", ":"))
    return RequestKey(key, hashlib.sha256(written.encode()).hexdigest())


def _without_data(value: Any) -> Any:
    """Return the value of an option; for a document only its hash."""
    return {"sha256": value["sha256"]} if isinstance(value, dict) else value


def hint_infos(hint: RequestedHint) -> list[HintInfo]:
    """Describe a hint: its actions, the best first."""
    view, words = hint.view, hint.view.game.words
    return [
        HintInfo(each.action, words.action(view.state, each.action, view.names), each.chance, each.sure) for each in hint.hints
    ]


class TableEvents:
    """The events of a table for one client.

    Args:
        room: the room of the table.
        guest: the client.
        outside: the beginning of the address of the table's page.
        last: number of the last action that the client knows; 0: none.
    """

    def __init__(self, room: Room, guest: Guest, outside: Outside, last: int) -> None:
        self._room = room
        self._guest = guest
        self._outside = outside
        self._last = last
        self._undone: set[int] = set()  # actions of which the client knows that they were taken back
        self._seat = room.table.seat_of(guest.id)

    def news(self) -> Iterator[bytes]:
        """Yield the events that bring the client up to date."""
        match, seat = self._room.match, self._room.table.seat_of(self._guest.id)
        if self._last >= (1 if match is None else match.next_number) or (self._last and seat != self._seat):
            # it knows actions that this match does not have, or knows them from another seat
            self._last, self._undone = 0, set()
            yield _event("reload", {})
        self._seat = seat
        if match is not None:
            undone = {step.n for undo in match.undone for step in undo.steps if step.n <= self._last} - self._undone
            if undone:
                self._undone |= undone
                yield _event("undo", {"actions": sorted(undone)})
            for number, event in self._actions(match, seat):
                self._last = number
                yield event
        yield _event("table", table_info(self._room, self._guest, self._outside))

    def _actions(self, match: Match, seat: int | None) -> Iterable[tuple[int, bytes]]:
        """Return the numbers and events of the actions that are new. All who may know everything of the last one share it."""
        sealed = is_sealed(self._room.table, self._room.time)

        def written() -> list[tuple[int, bytes]]:
            new = match.recorded(seat, after=self._last, sealed=sealed)
            return [(step["n"], _event("action", step, step["n"])) for step in new]

        if not match.steps or match.steps[-1].n <= self._last:
            return ()
        last, viewer = match.steps[-1], SPECTATOR if seat is None else seat
        knows_all = last.shows_action(viewer) and visible(last.events, viewer) is last.events
        if len(match.steps) > 1 and match.steps[-2].n > self._last:
            return written()
        return told_once(match, ("action", "all" if knows_all else viewer, sealed), written)


def _event(name: str, data: Any, id: int | None = None) -> bytes:
    number = b"" if id is None else b"id: %d\n" % id
    return b"event: %b\n%bdata: %b\n\n" % (name.encode(), number, msgspec.json.encode(data))
