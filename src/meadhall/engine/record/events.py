"""The events of a record, with the names of their arguments."""

from __future__ import annotations

from collections.abc import Iterator

from meadhall.engine.errors import RecordError
from meadhall.engine.record.format import MatchRecord
from meadhall.engine.registry import game
from meadhall.engine.state.events import Event


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
