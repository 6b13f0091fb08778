"""Log entries in words: of a whole match, and the private events of one seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from meadhall.engine.events import Event
from meadhall.engine.game import Game, GameWords
from meadhall.engine.language import current_language, speaking
from meadhall.engine.view import View
from meadhall.server.pages.models import LogEntry, LoggedStep

LOG_SHOWN = 60
"""The number of events that a page lists. The oldest step is shown whole; the replay has all steps."""

PRIVATE_EVENTS_SHOWN = 5
"""The number of private events that a seat's page lists."""


def log(view: View) -> tuple[LoggedStep, ...]:
    """Return what the viewer may know of the newest steps, newest first."""
    names, language = view.names, current_language()
    index = len(view.setup) + sum(len(step.events) for step in view.steps)
    shown: list[LoggedStep] = []
    oldest = index - LOG_SHOWN
    for step in reversed(view.steps):
        if index <= oldest:
            return tuple(shown)
        index -= len(step.events)
        if step.events:
            shown.append(_logged(view.game, index, step.n, step.events, step.hinted, names, language))
    if view.setup and index > oldest:
        shown.append(_logged(view.game, 0, 0, view.setup, False, names, language))
    return tuple(shown)


@lru_cache(maxsize=8192)
def _logged(
    subject: Game, index: int, number: int, events: tuple[Event, ...], hinted: bool, names: tuple[str, ...], language: str
) -> LoggedStep:
    with speaking(language):
        entries = [log_entry(subject, index + k, number, event, names) for k, event in enumerate(events)]
    if hinted:
        entries[0] = replace(entries[0], hinted=True)
    return LoggedStep(tuple(reversed(entries)))


def private_events(view: View) -> tuple[LogEntry, ...]:
    """Return the latest events that only the viewer knows of, newest first. The public log doesn't list them."""
    known = [(0, event) for event in view.setup if event.audience == view.viewer]
    known += [(step.n, event) for step in view.steps for event in step.whispers]
    first = max(0, len(known) - PRIVATE_EVENTS_SHOWN)
    entries = [log_entry(view.game, first + k, number, event, view.names) for k, (number, event) in enumerate(known[first:])]
    return tuple(reversed(entries))


@lru_cache(maxsize=8192)
def _in_words(words: GameWords, event: Event, names: tuple[str, ...], language: str) -> str:
    with speaking(language):
        return words.event(event, names)


def log_entry(subject: Game, index: int, number: int, event: Event, names: Sequence[str]) -> LogEntry:
    """Return one event in words, with its rule."""
    rule = subject.events[event.kind].rule_of(event.arguments)
    text = _in_words(subject.words, event, tuple(names), current_language())
    return LogEntry(number, index, event.name, text, rule, rule_url(subject.name, rule))


def rule_url(name: str, rule: str) -> str:
    """Return the address of a rule in the rulebook of the game ``name``; without a rule, of the whole rulebook."""
    return f"/rules/{name}#{rule}" if rule else f"/rules/{name}"
