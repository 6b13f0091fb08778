"""The log of a match: the newest steps for every viewer, and the private events of one seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from meadhall.engine.events import Event
from meadhall.engine.game import Game, game
from meadhall.engine.view import View
from meadhall.server.pages.models import LogEntry, LoggedStep

LOG_SHOWN = 60
"""Number of events that a page shows; the oldest of these steps is shown whole. The replay has all steps."""

PRIVATE_EVENTS_SHOWN = 5
"""Number of private events that the page of a seat shows."""


def log(view: View) -> tuple[LoggedStep, ...]:
    """Return what the viewer may know of the newest steps, newest first."""
    index = len(view.setup) + sum(len(step.events) for step in view.steps)
    shown: list[LoggedStep] = []
    oldest = index - LOG_SHOWN
    for step in reversed(view.steps):
        if index <= oldest:
            return tuple(shown)
        index -= len(step.events)
        if step.events:
            shown.append(LoggedStep(view.game.name, view.names, step.n, index, step.events, step.hinted))
    if view.setup and index > oldest:
        shown.append(LoggedStep(view.game.name, view.names, 0, 0, view.setup))
    return tuple(shown)


def log_entries(step: LoggedStep) -> tuple[LogEntry, ...]:
    """Return the events of a step in words, newest first."""
    subject = game(step.game)
    entries = [log_entry(subject, step.first + k, step.n, event, step.names) for k, event in enumerate(step.events)]
    if step.hinted:
        entries[0] = replace(entries[0], hinted=True)
    return tuple(reversed(entries))


def private_events(view: View) -> tuple[LogEntry, ...]:
    """Return the latest events that only the viewer knows, newest first. The public log doesn't have them."""
    known = [(0, event) for event in view.setup if event.audience == view.viewer]
    known += [(step.n, event) for step in view.steps for event in step.private_events]
    first = max(0, len(known) - PRIVATE_EVENTS_SHOWN)
    entries = [log_entry(view.game, first + k, number, event, view.names) for k, (number, event) in enumerate(known[first:])]
    return tuple(reversed(entries))


def log_entry(subject: Game, index: int, number: int, event: Event, names: Sequence[str]) -> LogEntry:
    """Return an event in words, with its rule. ``number``: the number of its step."""
    rule = subject.events[event.kind].rule_of(event.arguments)
    return LogEntry(number, index, event.name, subject.words.event(event, names), rule, rule_url(subject.name, rule))


def rule_url(name: str, rule: str) -> str:
    """Return the address of a rule in the rulebook of the game ``name``; without a rule, of the whole rulebook."""
    return f"/rules/{name}#{rule}" if rule else f"/rules/{name}"
