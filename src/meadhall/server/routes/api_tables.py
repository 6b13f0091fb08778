"""What programs are told: games, tables, hints, and the events of a stream."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import msgspec
from msgspec.structs import replace

from meadhall.bots import bot_names
from meadhall.engine.game import Game
from meadhall.engine.interface import conceals
from meadhall.engine.match.match import Match
from meadhall.engine.options import Choice, Document, HouseRule, Number, Option
from meadhall.engine.state.events import PUBLIC
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
    NumberInfo,
    OptionInfo,
    ProposalInfo,
    SeatInfo,
    TableInfo,
    TableSummary,
)
from meadhall.server.store.models import Guest, TableRow
from meadhall.server.store.tables import RequestKey
from meadhall.server.web.links import Outside


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
    if isinstance(option, Number):
        number = NumberInfo(option.default, option.low, option.high, option.explained(option.default))
        return OptionInfo(option.name, None, None, needed, house_rule=True, number=number)
    origins = {value: origin.name.lower() for value, origin in option.origins.items()}
    return OptionInfo(option.name, option.values, None, needed, origins, isinstance(option, HouseRule))


def table_info(room: Room, guest: Guest, outside: Outside, words: bool = False) -> TableInfo:
    """Describe a table as the guest may see it. ``outside`` begins the address of its page; ``words``: with a view in words."""
    you = room.table.seat_of(guest.id)
    view = _view_of(room, you) if room.match is None or not words else view_in_words(room.match, you)
    return _info_for(room, you, outside, view)


def told_table(room: Room, guest: Guest, outside: Outside) -> msgspec.Raw:
    """Return ``table_info`` as JSON. All who may know the same share it, and the others share what is equal for them."""
    return told_to_seat(room, room.table.seat_of(guest.id), told_of(room, outside.url), outside)


def told_of(room: Room, url: str) -> dict[Any, Any]:
    """Return what programs have been told of a table as it is now, in the current language, with addresses that begin so."""
    key = room.version, current_language(), url
    if room.told is None or room.told[0] is not room.state or room.told[1] != key:
        room.told = room.state, key, {}
    return room.told[2]


def told_to_seat(room: Room, you: int | None, told: dict[Any, Any], outside: Outside) -> msgspec.Raw:
    """Return the table as JSON for a seat, or for a spectator. ``told``: see ``told_of``."""
    if room.absences.since:  # until when someone is away changes by itself
        return msgspec.Raw(msgspec.json.encode(_info_for(room, you, outside, _view_of(room, you))))
    found: msgspec.Raw | None = told.get(you)
    if found is not None:
        return found
    public: TableInfo | None = told.get("public")
    if public is None:
        told["deciders"] = () if room.match is None else room.match.deciders
        public = told["public"] = _info_for(room, None, outside, None if room.match is None else _seen(room.match, None, told))
    mine = public
    if you is not None:
        seats = [*public.seats]
        seats[you] = replace(seats[you], you=True)
        view = None if room.match is None else _seen(room.match, you, told)
        mine = replace(public, seats=seats, you=you, view=view, intended=_intended(room, you))
    if public.clocks is not None:
        return msgspec.Raw(msgspec.json.encode(replace(mine, clocks=_clocks_info(room))))
    told[you] = found = msgspec.Raw(msgspec.json.encode(mine))
    return found


def _view_of(room: Room, you: int | None) -> dict[str, Any] | None:
    return None if room.match is None else room.match.view(you).to_dict()


def _info_for(room: Room, you: int | None, outside: Outside, view: dict[str, Any] | None) -> TableInfo:
    table, match = room.table, room.match
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
        view=view,
        result=None if result is None else {"winners": result.winners, "scores": result.scores, "reason": result.reason},
        awarded=None if match is None or match.awarded is None else asdict(match.awarded),
        clock=table.clock,
        proposal=_proposal_info(room),
        clocks=_clocks_info(room),
        intended=_intended(room, you),
    )


def _intended(room: Room, you: int | None) -> int | None:
    return None if you is None else room.state.intentions.chosen.get(you)


def _seen(match: Match, seat: int | None, told: dict[Any, Any]) -> dict[str, Any]:
    """Return the view of a seat or a spectator. All who know the same of the state share its JSON."""
    if seat is not None and not conceals(match.game.rules) and seat not in told["deciders"]:
        return {**told["public"].view, "viewer": seat}  # nothing is hidden, and the seat has nothing to choose
    view = match.view(seat)
    known = view.states.tobytes()
    if known in told:
        return view.to_dict(told[known])
    whole = view.to_dict()
    told[known] = whole["state"] = msgspec.Raw(msgspec.json.encode(whole["state"]))
    return whole


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
    return ClocksInfo(at, left, clocks.running, clocks.deadline, clocks.pause is not None, clocks.still_until(at))


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

    def news(self) -> list[bytes]:
        """Return the events that bring the client up to date."""
        room, news = self._room, list[bytes]()
        told = told_of(room, self._outside.url)
        match, seat = room.match, room.table.seat_of(self._guest.id)
        if self._last >= (1 if match is None else match.next_number) or (self._last and seat != self._seat):
            # it knows actions that this match does not have, or knows them from another seat
            self._last, self._undone = 0, set()
            news.append(_event("reload", {}))
        self._seat = seat
        if match is not None:
            if match.undone:
                undone = {step.n for undo in match.undone for step in undo.steps if step.n <= self._last} - self._undone
                if undone:
                    self._undone |= undone
                    news.append(_event("undo", {"actions": sorted(undone)}))
            if match.steps and match.steps[-1].n > self._last:
                for number, event in self._actions(match, seat, told):
                    self._last = number
                    news.append(event)
        news.append(b"event: table\ndata: %b\n\n" % bytes(told_to_seat(room, seat, told, self._outside)))
        return news

    def _actions(self, match: Match, seat: int | None, told: dict[Any, Any]) -> Sequence[tuple[int, bytes]]:
        """Return the numbers and events of the actions that are new. All who may know everything of the last one share it."""
        if len(match.steps) > 1 and match.steps[-2].n > self._last:
            return self._written(match, seat)
        if "open" not in told:
            last = match.steps[-1]
            told["open"] = not last.sealed and all(event.audience == PUBLIC for event in last.events)
        key = "action", None if told["open"] else seat
        if key not in told:
            told[key] = self._written(match, seat)
        found: Sequence[tuple[int, bytes]] = told[key]
        return found

    def _written(self, match: Match, seat: int | None) -> Sequence[tuple[int, bytes]]:
        sealed = is_sealed(self._room.table, self._room.time)
        new = match.recorded(seat, after=self._last, sealed=sealed)
        return [(step["n"], _event("action", step, step["n"])) for step in new]


def _event(name: str, data: Any, id: int | None = None) -> bytes:
    number = b"" if id is None else b"id: %d\n" % id
    return b"event: %b\n%bdata: %b\n\n" % (name.encode(), number, msgspec.json.encode(data))
