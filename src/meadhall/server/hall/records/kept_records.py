"""Records of finished matches as the hall keeps them: written when the match ends, because later rules can't replay it.

Of a match without a kept record whose rules aren't installed any more, a bare record says what the entries say: the seed and
the actions, without the events and texts that the rules would give.
"""

from __future__ import annotations

import hashlib
import logging
import zlib
from collections.abc import Sequence
from functools import partial

from meadhall.engine.match.match import Match
from meadhall.engine.record.format import FORMAT, MatchRecord, dumps, written_time
from meadhall.engine.text.language import current_language
from meadhall.server.store import matches
from meadhall.server.store.database import Effect
from meadhall.server.store.models import RULES_CHANGED, Entry, TableRow

log = logging.getLogger(__name__)


def packed(match: Match) -> bytes:
    """Return the complete record of a match, compressed."""
    return zlib.compress(dumps(match.record()).encode())


def unpacked(record: bytes) -> str:
    """Return a stored record as one line of JSON."""
    return zlib.decompress(record).decode()


def keeping(table: str, match: Match) -> Effect | None:
    """Return the effect that stores the record of a match in the transaction that ends it; None if it goes on."""
    if not match.ended or match.edited:
        return None
    try:
        return partial(matches.add_record, table=table, language=current_language(), record=packed(match))
    except Exception:  # the words of a game may fail in any way, and the match ends all the same
        log.exception("table %s: the record can't be written", table)
        return None


def bare(table: TableRow, entries: Sequence[Entry]) -> MatchRecord | None:
    """Return the bare record of a finished match; None if the match was edited."""
    if any(entry.kind == "edit" for entry in entries):
        return None
    actions, undone = _actions(entries)
    return {
        "format": FORMAT,
        "game": table.game,
        "rules": table.rules,
        "options": dict(table.options),
        "seats": [
            {"name": seat.name, "kind": "bot" if seat.kind == "bot" else "human", **({"bot": seat.bot} if seat.bot else {})}
            for seat in table.seats
        ],
        "started": written_time(table.started_at or table.created_at),
        **({"clock": table.clock.to_json()} if table.clock is not None else {}),
        "commitment": hashlib.sha256(table.seed).hexdigest(),
        "seed": table.seed.hex(),
        "complete": False,
        "setup": [],
        "actions": actions,
        "undone": undone,
        "result": None,
        "abandoned": table.abandon_reason or RULES_CHANGED,
    }


def _actions(entries: Sequence[Entry]) -> tuple[list[MatchRecord], list[MatchRecord]]:
    """Return the actions of a match in the form of records, and those that were taken back."""
    actions: list[MatchRecord] = []
    undone: list[MatchRecord] = []
    number = 0
    for entry in entries:
        if entry.kind in ("action", "hinted"):
            number += 1
            hinted = {"hinted": True} if entry.kind == "hinted" else {}
            actions.append({"n": number, "seat": entry.seat, "action": entry.value, "text": "", "events": [], **hinted})
        elif entry.kind == "undo":
            kept = len(actions) - entry.value
            undone.append({"after": actions[kept - 1]["n"] if kept else 0, "actions": actions[kept:]})
            actions = actions[:kept]
    return actions, undone
