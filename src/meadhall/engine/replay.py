"""Replay a match record and verify every die, card and event in it, or read only its events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from typing import Any, cast

from msgspec import UNSET

from meadhall.engine.checks import MAX_NAME, check_clock, check_line, quoted
from meadhall.engine.errors import BadSetup, MeadhallError, RecordError
from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.match.record import (
    MatchRecord,
    RecordedAction,
    RecordedMatch,
    RecordedSeat,
    RecordedUndo,
    read_record,
    read_time,
)
from meadhall.engine.match.step import Award, Step
from meadhall.engine.match.view import Seat, check_seat
from meadhall.engine.registry import game
from meadhall.engine.state.events import Event


def every_action(record: MatchRecord) -> list[RecordedAction]:
    """Return all actions of a record by number, including undone ones, without verifying them. Raises RecordError."""
    return _in_order(read_record(record))


def _seed(parsed: RecordedMatch) -> bytes:
    if parsed.seed is UNSET:
        raise RecordError("seed", "missing: this record can be read but not replayed")
    try:
        seed = bytes.fromhex(parsed.seed)
    except ValueError:
        raise RecordError("seed", "not hexadecimal") from None
    if len(seed) != 32 or seed.hex() != parsed.seed:
        raise RecordError("seed", "it must be 32 bytes in lower-case hex")
    return seed


def _clock(parsed: RecordedMatch) -> dict[str, Any] | None:
    if parsed.clock is UNSET:
        return None
    try:
        return check_clock(parsed.clock)
    except BadSetup as error:
        raise RecordError("clock", str(error)) from None


def _game(parsed: RecordedMatch) -> Game:
    try:
        subject = game(parsed.game)
    except MeadhallError as error:
        raise RecordError("game", str(error)) from None
    if parsed.rules != subject.version:
        raise RecordError(
            "rules", f"recorded with version {parsed.rules}; this program plays version {subject.version} of {subject.title}"
        )
    return subject


def replay(record: MatchRecord, progress: Callable[[int], None] | None = None) -> Match:
    """Replay a complete record, verify every die, card and event in it, and return the match.

    Args:
        record: a match record.
        progress: called with the number of actions replayed since its last call.

    Raises:
        RecordError: with the place and the reason, e.g. ``action 17: hits(0, 2) recorded, hits(0, 1) derived``.

    Examples:
        >>> import meadhall
        >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
        >>> while not match.over:
        ...     events = match.play(match.legal()[0])
        >>> meadhall.replay(match.record()).result() == match.result()
        True
    """
    parsed = read_record(record)
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
            started=read_time(parsed.started),
            clock=_clock(parsed),
        )
    except RecordError:
        raise
    except MeadhallError as error:
        raise RecordError("setup", str(error)) from None
    lacking = {option.name: option.default for option in subject.options if option.optional_in_records}
    if lacking | parsed.options != match.options:
        raise RecordError("options", f"the record must contain every option with its checked value: {', '.join(match.options)}")
    for name in parsed.options.keys() - subject.recorded_options(parsed.options):
        usual = f"{quoted(parsed.options[name])} is the default, and a record names a house rule only if it isn't"
        raise RecordError(f"options.{name}", usual)
    if parsed.commitment != match.commitment:
        raise RecordError("commitment", "it is not the SHA-256 of the seed")
    _compare_events("setup", parsed.setup, match.setup)
    _replay_actions(parsed, match, progress)
    _compare_result(parsed, match)
    _give_up(parsed, match)
    return match


def _give_up(parsed: RecordedMatch, match: Match) -> None:
    if parsed.abandoned is UNSET:
        if parsed.awarded is not UNSET:
            raise RecordError("awarded", "a win is awarded only in a match that was given up, which `abandoned` tells")
        return
    recorded = parsed.awarded
    award = None if recorded is UNSET else Award(tuple(recorded.winners), tuple(recorded.scores), recorded.why)
    try:
        match.abandon(parsed.abandoned, award)
    except BadSetup as error:
        raise RecordError("abandoned" if award is None else "awarded", str(error)) from None


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
        raise RecordError("undone", f"the actions undone back to action {next_undone.after} were never the last ones played")
    if [step.n for step in match.steps] != [action.n for action in parsed.actions]:
        raise RecordError("actions", "they are not the actions that remain after the undos")


def _in_order(parsed: RecordedMatch) -> list[RecordedAction]:
    """Return all actions by number, including undone ones. Raises RecordError unless the numbers count up from 1."""
    for index, (before, action) in enumerate(pairwise(parsed.actions), 1):
        if action.n <= before.n:
            raise RecordError(f"actions[{index}].n", f"{action.n} after {before.n}, but the numbers must ascend")
    numbered = [(f"actions[{index}].n", action) for index, action in enumerate(parsed.actions)]
    for number, undone in enumerate(parsed.undone):
        numbered += [(f"undone[{number}].actions[{index}].n", action) for index, action in enumerate(undone.actions)]
    numbered.sort(key=lambda placed: placed[1].n)
    for number, (place, action) in enumerate(numbered, 1):
        if action.n != number:
            everything = "all actions, including undone ones, are numbered 1, 2, 3 … without gaps or repeats"
            raise RecordError(place, f"{action.n} instead of {number}: {everything}")
    return [action for _, action in numbered]


def _is_tail(undone: RecordedUndo, steps: list[Step]) -> bool:
    """Return whether the actions to undo are the last ones played, right after action ``after``."""
    count = len(undone.actions)
    if not count or not steps or steps[-1].n != undone.actions[-1].n:
        return False
    tail = list(islice(steps, max(0, len(steps) - count), None))
    previous = steps[-count - 1].n if len(steps) > count else 0
    return undone.after == previous and [step.n for step in tail] == [action.n for action in undone.actions]


def _replay_action(recorded: RecordedAction, match: Match) -> None:
    place = f"action {recorded.n}"
    if recorded.sealed:
        raise RecordError(place, "a complete record has no sealed action")
    if recorded.legal is not UNSET and recorded.seat in match.deciders:
        legal = match.legal_count(recorded.seat)
        if recorded.legal != legal:
            raise RecordError(place, f"{recorded.legal} legal actions recorded, {legal} derived")
    seconds = None if recorded.seconds is UNSET else recorded.seconds
    try:
        bot = None if recorded.bot is UNSET else check_line(recorded.bot, "the name of a bot", MAX_NAME)
        events = match.play(recorded.action, recorded.seat, hinted=recorded.hinted, seconds=seconds, bot=bot)
    except MeadhallError as error:
        raise RecordError(place, str(error)) from None
    _compare_events(place, recorded.events, events)


def _compare_events(place: str, recorded: list[list[Any]], derived: tuple[Event, ...]) -> None:
    for index, event in enumerate(derived):
        if index >= len(recorded):
            raise RecordError(place, f"nothing recorded, {event} derived")
        if not _same(recorded[index], event.to_list()):
            raise RecordError(place, f"{_event_text(recorded[index])} recorded, {event} derived")
    if len(recorded) > len(derived):
        raise RecordError(place, f"{_event_text(recorded[len(derived)])} recorded, nothing derived")


def _same(recorded: list[Any], derived: list[Any]) -> bool:
    """Compare values and types: in a record True is not 1."""
    return recorded == derived and [type(value) for value in recorded] == [type(value) for value in derived]


def _event_text(event: list[Any]) -> str:
    parts = [part if isinstance(part, str) and part.isidentifier() else quoted(part) for part in event]
    return f"{parts[0]}({', '.join(parts[1:])})" if parts else "an empty event"


def _compare_result(parsed: RecordedMatch, match: Match) -> None:
    derived = match.result()
    if derived is None:
        if parsed.result is not None:
            raise RecordError("result", "the record has one, but the match has not ended")
        if parsed.abandoned is UNSET:
            raise RecordError("result", "missing: the match has not ended, and `abandoned` doesn't say that it was given up")
        return
    if parsed.abandoned is not UNSET:
        raise RecordError("abandoned", "the match was played to its end")
    if parsed.result is None:
        raise RecordError("result", "missing, although the match has ended")
    for name, recorded, value in (
        ("winners", tuple(parsed.result.winners), derived.winners),
        ("scores", tuple(parsed.result.scores), derived.scores),
        ("reason", parsed.result.reason, derived.reason),
        ("points", None if parsed.result.points is UNSET else tuple(parsed.result.points), derived.points),
    ):
        if recorded != value:
            raise RecordError(f"result, {name}", f"{recorded} recorded, {value} derived")


def events_of(record: MatchRecord) -> Iterator[tuple[int, Event]]:
    """Yield the events of a record in order, each with the number of its action, 0 for the setup. Nothing is verified.

    Raises:
        RecordError: the record has an event that its game doesn't know.
        UnknownGame: its game isn't installed.

    Examples:
        >>> import meadhall
        >>> match = meadhall.game("axes-and-allies").match(players=3, seed="any string")
        >>> events = match.play(match.legal()[0])
        >>> n, event = next((n, event) for n, event in meadhall.events_of(match.record(abandoned="")) if event.name == "attack")
        >>> n, event.seat, event.target
        (1, 2, 0)
    """
    subject = game(record["game"])
    kinds = {kind.name: (number, kind) for number, kind in reversed(subject.events.items())}
    for n, told in [(0, record["setup"]), *((action["n"], action["events"]) for action in record["actions"])]:
        for name, *arguments in told:
            if name not in kinds:
                raise RecordError(f"action {n}", f"{subject.title} has no event {name}")
            number, kind = kinds[name]
            yield n, Event(number, name, tuple(arguments), fields=kind.fields)
