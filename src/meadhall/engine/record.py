"""Match records, format ``meadhall-match/1``: one JSON object from which a match can be replayed and every die verified."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import UTC, datetime
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import UNSET, UnsetType

from meadhall.engine.checks import quoted
from meadhall.engine.errors import MeadhallError, RecordError
from meadhall.engine.events import Event
from meadhall.engine.game import Game, game
from meadhall.engine.match import EVERYTHING, Match, Seat, Step, check_seat, visible

FORMAT = "meadhall-match/1"
SUFFIX = ".match.json"

MatchRecord = dict[str, Any]
"""A match record as JSON-able data."""


class _Strict(msgspec.Struct, forbid_unknown_fields=True):
    """What a record may hold is written down here; anything else is refused. What may be absent is never null instead."""


class RecordedSeat(_Strict):
    """Who sat there: ``kind`` is ``human``, or ``bot`` with the name of the ``bot``."""

    name: str
    kind: str
    bot: str | UnsetType = UNSET


class RecordedAction(_Strict):
    """Action number ``n``, and its ``events``: each a name followed by its arguments. ``legal``: how many actions were."""

    n: int
    seat: int
    action: int
    events: list[list[Any]]
    text: str = ""
    hinted: bool = False
    legal: int | UnsetType = UNSET


class RecordedUndo(_Strict):
    """Actions that were taken back, oldest first, to the state after action ``after`` (0: the setup)."""

    after: int
    actions: list[RecordedAction]


class RecordedResult(_Strict):
    """Who won, each seat's share, the id of the rule by which it ended, and points where the game counts them."""

    winners: list[int]
    scores: list[float]
    reason: str
    points: list[int] | UnsetType = UNSET


class RecordedMatch(_Strict):
    """A match record. It is ``complete``, with the ``seed``, once the match is over and nobody else plays from that seed."""

    format: str
    game: str
    rules: int
    options: dict[str, Any]
    seats: list[RecordedSeat]
    started: str
    commitment: str
    complete: bool
    setup: list[list[Any]]
    actions: list[RecordedAction]
    undone: list[RecordedUndo]
    result: RecordedResult | None
    seed: str | UnsetType = UNSET
    abandoned: str | UnsetType = UNSET


# ------------------------------------------------------------------------------------------------------------------ writing


def to_record(match: Match, viewer: int, *, legal: bool, sealed: bool) -> MatchRecord:
    """The record of a match; filtered for ``viewer`` and without the seed while it runs or is sealed. See ``Match.record``."""
    open_book = match.ended and not sealed
    eyes = EVERYTHING if open_book else viewer
    result = match.result()
    written: MatchRecord = {
        "format": FORMAT,
        "game": match.game.name,
        "rules": match.game.version,
        "options": deepcopy(match.options),
        "seats": [_seat(seat) for seat in match.seats],
        "started": _written_time(match.started),
        "commitment": match.commitment,
        **({"seed": match.seed.hex()} if open_book else {}),
        "complete": open_book,
        "setup": _events(match.setup, eyes),
        "actions": [_action(match, step, eyes, legal) for step in match.steps],
        "undone": [
            {"after": undone.after, "actions": [_action(match, step, eyes, legal) for step in undone.steps]}
            for undone in match.undone
        ],
        "result": None,
    }
    if result is not None:
        written["result"] = {"winners": list(result.winners), "scores": [_plain(share) for share in result.scores]}
        if result.points is not None:
            written["result"]["points"] = list(result.points)
        written["result"]["reason"] = result.reason
    elif match.abandoned is not None:
        written["abandoned"] = match.abandoned
    return written


def to_actions(match: Match, viewer: int, *, after: int, sealed: bool) -> list[dict[str, Any]]:
    """The actions of a record that are numbered above ``after``. See ``Match.recorded``."""
    eyes = EVERYTHING if match.ended and not sealed else viewer
    return [_action(match, step, eyes) for step in match.steps if step.n > after]


def _action(match: Match, step: Step, viewer: int, legal: bool = False) -> dict[str, Any]:
    written: dict[str, Any] = {
        "n": step.n,
        "seat": step.seat,
        "action": step.action,
        "text": match.game.words.action(match.game.state.at(step.before), step.action, match.names),
        "events": _events(step.events, viewer),
    }
    if step.hinted:
        written["hinted"] = True
    if legal and viewer in (EVERYTHING, step.seat):
        written["legal"] = step.legal
    return written


def _events(events: tuple[Event, ...], viewer: int) -> list[list[Any]]:
    return [event.to_list() for event in visible(events, viewer)]


def _seat(seat: Seat) -> dict[str, str]:
    written = {"name": seat.name, "kind": seat.kind}
    if seat.bot is not None:
        written["bot"] = seat.bot
    return written


def _written_time(time: datetime) -> str:
    return f"{time.year:04}" + time.strftime("-%m-%dT%H:%M:%SZ")


def _plain(share: float) -> float | int:
    return int(share) if share == int(share) else share


def dumps(record: MatchRecord) -> str:
    """The record as one line of JSON."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


# ------------------------------------------------------------------------------------------------------------------ reading


def read_records(path: Path) -> Iterator[MatchRecord]:
    """The records in a file: one JSON object, or JSON Lines. Raises RecordError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(str(path), f"can't be read: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None
    try:
        found = _data(text)
    except _Repeated as error:
        raise RecordError(str(path), str(error)) from None
    except (ValueError, RecursionError):
        pass
    else:
        yield _object(found, str(path))
        return
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        raise RecordError(str(path), "empty: there is no record in it")
    for number, line in enumerate(lines, 1):
        yield loads(line, f"{path}, line {number}" if len(lines) > 1 else str(path))


def loads(text: str | bytes, place: str = "record") -> MatchRecord:
    """The record in a JSON text, bytes being UTF-8. Raises RecordError if it is none."""
    try:
        return _object(_data(text if isinstance(text, str) else text.decode()), place)
    except _Repeated as error:
        raise RecordError(place, str(error)) from None
    except (ValueError, RecursionError) as error:
        several = isinstance(error, json.JSONDecodeError) and error.msg == "Extra data"
        problem = "something follows the record; of JSON Lines, one line is expected" if several else f"not JSON: {error}"
        raise RecordError(place, problem) from None


class _Repeated(ValueError):
    """An object names something twice: who reads it could take the one or the other."""


def _data(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_named_once)


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _Repeated(f"{quoted(name)} is there twice in one object")
        found[name] = value
    return found


def _object(found: Any, place: str) -> MatchRecord:
    if not isinstance(found, dict):
        raise RecordError(place, "not a match record: a JSON object was expected")
    return found


def _parsed(record: MatchRecord) -> RecordedMatch:
    if not isinstance(record, dict):
        raise RecordError("record", "not a match record: an object was expected")
    if record.get("format") != FORMAT:
        raise RecordError("format", f"{quoted(record.get('format'))} is unknown; this program reads {FORMAT}")
    _check_data(record)
    try:
        return msgspec.convert(record, RecordedMatch)
    except msgspec.ValidationError as error:
        reason, _, path = str(error).partition(" - at `$")
        raise RecordError(path.rstrip("`").lstrip(".") or "record", reason[:1].lower() + reason[1:]) from None


def _check_data(record: MatchRecord) -> None:
    """RecordError unless a file can hold it: JSON can name halves of characters, and Python what is no JSON at all."""
    try:
        dumps(record).encode()
    except UnicodeEncodeError:
        raise RecordError("record", "it holds text that is no Unicode") from None
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordError("record", f"it holds what is no JSON: {error}") from None


def every_action(record: MatchRecord) -> list[RecordedAction]:
    """All actions of a record by their numbers, undone ones too, not yet verified. Raises RecordError for what is no record."""
    return _in_order(_parsed(record))


def _started(text: str) -> datetime:
    try:
        time = datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
        if _written_time(time) == text:
            return time
    except ValueError:
        pass
    raise RecordError("started", f"{quoted(text)} is no time like 2026-11-21T20:00:00Z")


def _seed(parsed: RecordedMatch) -> bytes:
    if parsed.seed is UNSET:
        raise RecordError("seed", "absent: this record can be read, not replayed")
    try:
        seed = bytes.fromhex(parsed.seed)
    except ValueError:
        raise RecordError("seed", "not hexadecimal") from None
    if len(seed) != 32 or seed.hex() != parsed.seed:
        raise RecordError("seed", "32 bytes in lower-case hex are needed")
    return seed


def _game(parsed: RecordedMatch) -> Game:
    try:
        subject = game(parsed.game)
    except MeadhallError as error:
        raise RecordError("game", str(error)) from None
    if parsed.rules != subject.version:
        raise RecordError(
            "rules", f"version {parsed.rules} recorded; this program plays version {subject.version} of {subject.title}"
        )
    return subject


def replay(record: MatchRecord, progress: Callable[[int], None] | None = None) -> Match:
    """Play a record again and give the match back, having verified every die, card and event in it.

    Raises:
        RecordError: with the place and the reason, e.g. ``action 17: hits(0, 2) recorded, hits(0, 1) derived``.
    """
    parsed = _parsed(record)
    subject = _game(parsed)
    seed = _seed(parsed)
    if not parsed.complete:
        raise RecordError("complete", "a filtered record can't be replayed")
    try:
        match = Match(
            subject,
            players=len(parsed.seats),
            seed=seed,
            seats=[_seated(k, seat) for k, seat in enumerate(parsed.seats)],
            options=parsed.options,
            started=_started(parsed.started),
        )
    except RecordError:
        raise
    except MeadhallError as error:
        raise RecordError("setup", str(error)) from None
    if parsed.options != match.options:
        raise RecordError("options", f"every option with its value, as it is checked, is needed: {', '.join(match.options)}")
    if parsed.commitment != match.commitment:
        raise RecordError("commitment", "it is not the SHA-256 of the seed")
    _compare_events("setup", parsed.setup, match.setup)
    _replay_actions(parsed, match, progress)
    _compare_result(parsed, match)
    if parsed.abandoned is not UNSET:
        match.abandon(parsed.abandoned)
    return match


def _seated(k: int, seat: RecordedSeat) -> Seat:
    try:
        return check_seat(Seat(seat.name, cast("Any", seat.kind), None if seat.bot is UNSET else seat.bot))
    except MeadhallError as error:
        raise RecordError(f"seats[{k}]", str(error)) from None


def _replay_actions(parsed: RecordedMatch, match: Match, progress: Callable[[int], None] | None) -> None:
    everything = _in_order(parsed)
    undone = iter(parsed.undone)
    next_undone = next(undone, None)
    for action in everything:
        _replay_action(action, match)
        if progress:
            progress(1)
        while next_undone is not None and _is_tail(next_undone, match.steps):
            match.undo(len(next_undone.actions), revealed=True)
            next_undone = next(undone, None)
    if next_undone is not None:
        raise RecordError("undone", f"the actions said to be undone after action {next_undone.after} were never the last ones")
    if [step.n for step in match.steps] != [action.n for action in parsed.actions]:
        raise RecordError("actions", "they are not those left after the undone ones")


def _in_order(parsed: RecordedMatch) -> list[RecordedAction]:
    """All actions by their numbers, undone ones too. RecordError where these are not 1, 2, 3 and so on."""
    for index, (before, action) in enumerate(pairwise(parsed.actions), 1):
        if action.n <= before.n:
            raise RecordError(f"actions[{index}].n", f"{action.n} after {before.n}, but the numbers ascend")
    numbered = [(f"actions[{index}].n", action) for index, action in enumerate(parsed.actions)]
    for number, undone in enumerate(parsed.undone):
        numbered += [(f"undone[{number}].actions[{index}].n", action) for index, action in enumerate(undone.actions)]
    numbered.sort(key=lambda placed: placed[1].n)
    for number, (place, action) in enumerate(numbered, 1):
        if action.n != number:
            everything = "all actions, undone ones too, are numbered 1, 2, 3 … without gap or repetition"
            raise RecordError(place, f"{action.n} instead of {number}: {everything}")
    return [action for _, action in numbered]


def _is_tail(undone: RecordedUndo, steps: list[Step]) -> bool:
    """Whether the actions to be undone are the last ones played, on top of action ``after``."""
    count = len(undone.actions)
    if not count or not steps or steps[-1].n != undone.actions[-1].n:
        return False
    before = list(islice(steps, max(0, len(steps) - count), None))
    below = steps[-count - 1].n if len(steps) > count else 0
    return undone.after == below and [step.n for step in before] == [action.n for action in undone.actions]


def _replay_action(recorded: RecordedAction, match: Match) -> None:
    place = f"action {recorded.n}"
    if recorded.legal is not UNSET and recorded.legal != match.legal_count():
        raise RecordError(place, f"{recorded.legal} legal actions recorded, {match.legal_count()} derived")
    try:
        events = match.play(recorded.action, recorded.seat, hinted=recorded.hinted)
    except MeadhallError as error:
        raise RecordError(place, str(error)) from None
    _compare_events(place, recorded.events, events)


def _compare_events(place: str, recorded: list[list[Any]], derived: tuple[Event, ...]) -> None:
    for index, event in enumerate(derived):
        if index >= len(recorded):
            raise RecordError(place, f"nothing recorded, {event} derived")
        if not _same(recorded[index], event.to_list()):
            raise RecordError(place, f"{_in_brackets(recorded[index])} recorded, {event} derived")
    if len(recorded) > len(derived):
        raise RecordError(place, f"{_in_brackets(recorded[len(derived)])} recorded, nothing derived")


def _same(recorded: list[Any], derived: list[Any]) -> bool:
    """Equal in type too: True is no 1 in a record."""
    return recorded == derived and [type(value) for value in recorded] == [type(value) for value in derived]


def _in_brackets(event: list[Any]) -> str:
    parts = [part if isinstance(part, str) and part.isidentifier() else quoted(part) for part in event]
    return f"{parts[0]}({', '.join(parts[1:])})" if parts else "an empty event"


def _compare_result(parsed: RecordedMatch, match: Match) -> None:
    derived = match.result()
    if derived is None:
        if parsed.result is not None:
            raise RecordError("result", "there is one, but the match has not ended")
        if parsed.abandoned is UNSET:
            raise RecordError("result", "the match has not ended, and nothing says that it was given up")
        return
    if parsed.abandoned is not UNSET:
        raise RecordError("abandoned", "the match was played to its end")
    if parsed.result is None:
        raise RecordError("result", "absent, though the match has ended")
    for name, recorded, value in (
        ("winners", tuple(parsed.result.winners), derived.winners),
        ("scores", tuple(parsed.result.scores), derived.scores),
        ("reason", parsed.result.reason, derived.reason),
        ("points", None if parsed.result.points is UNSET else tuple(parsed.result.points), derived.points),
    ):
        if recorded != value:
            raise RecordError(f"result, {name}", f"{recorded} recorded, {value} derived")
