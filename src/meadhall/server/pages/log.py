"""The log of a match: the newest turns for every reader, and the private events of one seat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from meadhall.engine.events import PUBLIC, Event, EventKind, seat
from meadhall.engine.game import GameWords, beats_of
from meadhall.engine.language import gettext as _
from meadhall.engine.turns import briefs, title, turn_starts
from meadhall.engine.view import View
from meadhall.server.pages.models import LogEntry, LoggedEvent, LoggedTurn, Telling, TurnInWords
from meadhall.server.web.links import link

LOG_SHOWN = 60
"""Number of newest events from which a page shows the whole turns. The replay has all events."""

PRIVATE_EVENTS_SHOWN = 5
"""Number of private events that the page of a seat shows."""


def log(view: View) -> tuple[LoggedTurn, ...]:
    """Return the newest turns as the viewer may know them, newest first."""
    newest = _with_beats(view, _newest(view))
    if not newest:
        return ()
    begins = turn_starts(view.game.events, [each.event for each in newest])
    starts = begins or [0]
    if newest[0].index == 0:
        starts = sorted({0, *begins})  # the set-up comes before the first turn
    elif begins[:1] == [0] and len(begins) > 1:
        starts = begins[1:]  # the first turn may have begun earlier
    turns = [_turn(view, newest[start:end], start in begins) for start, end in zip(starts, [*starts[1:], None], strict=True)]
    return tuple(reversed(turns))


def _newest(view: View) -> tuple[LoggedEvent, ...]:
    """Return the events of the newest steps, oldest first: about ``LOG_SHOWN``."""
    index = len(view.setup) + sum(len(step.events) for step in view.steps)
    oldest, newest = index - LOG_SHOWN, list[LoggedEvent]()
    for step in reversed(view.steps):
        if index <= oldest:
            return tuple(reversed(newest))
        index -= len(step.events)
        newest += reversed(_logged(view, step.n, index, step.events, step.hinted))
    if index > oldest:
        newest += reversed(_logged(view, 0, 0, view.setup))
    return tuple(reversed(newest))


def _with_beats(view: View, newest: tuple[LoggedEvent, ...]) -> tuple[LoggedEvent, ...]:
    """Add to the events of the last step when the board shows them."""
    beats = beats_of(view)[:-1]
    first = len(newest) - len(beats)
    return (*newest[:first], *(replace(each, beat=beat) for each, beat in zip(newest[first:], beats, strict=True)))


def tellings(turns: Sequence[LoggedTurn], reader: int | None, end: int) -> tuple[Telling, ...]:
    """Return the texts that stand in place of the prompt while the board shows the last step, until the beat ``end``."""
    viewer = PUBLIC if reader is None else reader
    latest = {
        each.beat: (turn, each)
        for turn in reversed(turns[:5])
        for each in turn.events
        if each.beat is not None and each.beat < end
    }
    beats = [*sorted(latest), end]
    return tuple(
        Telling(each.index, turn.words.event(each.event, turn.names, viewer), beat, following - beat)
        for beat, following in pairwise(beats)
        for turn, each in [latest[beat]]
    )


def _logged(view: View, n: int, first: int, events: Sequence[Event], hinted: bool = False) -> list[LoggedEvent]:
    kinds = view.game.events
    logged = [LoggedEvent(n, first + k, event, kinds[event.kind].rule_of(event.arguments)) for k, event in enumerate(events)]
    if hinted and logged:
        logged[0] = replace(logged[0], hinted=True)
    return logged


def _turn(view: View, logged: tuple[LoggedEvent, ...], begun: bool) -> LoggedTurn:
    kinds, first = view.game.events, logged[0].event
    owner = first.arguments[0] if begun and first.arguments and kinds[first.kind].argument(0) is seat else None
    readers = frozenset(_readers(kinds, logged, len(view.names)))
    return LoggedTurn(view.game.name, view.game.words, view.names, logged, begun, owner, readers)


def _readers(kinds: Mapping[int, EventKind], logged: Iterable[LoggedEvent], players: int) -> Iterable[int]:
    """Yield the seats whose words for these events can differ from a spectator's."""
    for each in logged:
        kind = kinds[each.event.kind]
        named = [value for k, value in enumerate(each.event.arguments) if kind.argument(k) is seat]
        yield from named or (range(players) if kind.you else ())


def turn_in_words(turn: LoggedTurn, reader: int | None) -> TurnInWords:
    """Return a turn of the log in words, with the summary. The player on seat ``reader`` is "you"."""
    viewer = PUBLIC if reader is None else reader
    events = [each.event for each in turn.events]
    told = briefs(turn.words, events, turn.names, viewer)
    entries = tuple(_entry(turn.game, turn.words, turn.names, *each, viewer) for each in zip(turn.events, told, strict=True))
    heading = title(turn.words, events, turn.names, viewer) if turn.begun else _("Set-up")
    single = len(entries) == 1 and entries[0].text == heading
    return TurnInWords(heading, entries, single, any(entry.hinted for entry in entries))


def private_events(view: View, reader: int | None = None) -> tuple[LogEntry, ...]:
    """Return the latest events that only the viewer knows, newest first. The public log doesn't have them.

    ``reader``: the seat that the texts call "you", if any.
    """
    known = [(0, event) for event in view.setup if event.audience == view.viewer]
    known += [(step.n, event) for step in view.steps for event in step.private_events]
    first = max(0, len(known) - PRIVATE_EVENTS_SHOWN)
    logged = [each for k, (n, event) in enumerate(known[first:]) for each in _logged(view, n, first + k, [event])]
    return tuple(
        _entry(view.game.name, view.game.words, view.names, each, "", PUBLIC if reader is None else reader)
        for each in reversed(logged)
    )


def _entry(game: str, words: GameWords, names: Sequence[str], logged: LoggedEvent, brief: str, viewer: int) -> LogEntry:
    event, rule = logged.event, logged.rule
    text = words.event(event, names, viewer)
    return LogEntry(logged.n, logged.index, event.name, text, rule, rule_url(game, rule), logged.hinted, brief, logged.beat)


def rule_url(name: str, rule: str) -> str:
    """Return the address of a rule in the rulebook of the game ``name``; without a rule, of the whole rulebook."""
    return link(f"/rules/{name}#{rule}") if rule else link(f"/rules/{name}")
