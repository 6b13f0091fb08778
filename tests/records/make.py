"""Make the golden records: matches that every later version has to replay byte for byte.

Run as ``python tests/records/make.py``. It writes only records that are not there yet: one that is there is changed on purpose
or not at all.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

from meadhall import Match, Seat, game
from meadhall.bots import bot
from meadhall.engine.record import SUFFIX, dumps

HERE = Path(__file__).parent
STARTED = datetime(2026, 11, 21, 20, 0, 0, tzinfo=UTC)
NAMES = ("Astrid", "Björn", "Cnut", "Dagmar", "Egil", "Freydís")
KINDS = ("random", "greedy")


def played(name: str, players: int, number: int) -> Match:
    """A match of bots of both kinds, in every third of which actions are taken back."""
    subject = game(name)
    kinds = [KINDS[(seat + number) % 2] for seat in range(players)]
    seats = [Seat(NAMES[seat], "bot", kind) if seat else Seat(NAMES[0]) for seat, kind in enumerate(kinds)]
    match = Match(subject, seats=seats, seed=f"golden {players} {number}", started=STARTED)
    bots = [bot(subject, kind, bytes([seat + 1, number] * 8)) for seat, kind in enumerate(kinds)]
    while match.actor is not None:
        match.play(bots[match.actor].choose(match.view(match.actor)))
        if number % 3 == 0 and match.next_number in (2, 4, 9):
            match.undo(min(2, len(match.steps)), revealed=True)
    return match


def main() -> None:
    for players in range(2, 7):
        for number in range(4):
            path = HERE / "axes-and-allies" / f"{players}-players-{number}{SUFFIX}"
            if not path.exists():
                path.write_text(dumps(played("axes-and-allies", players, number).record(legal=True)) + "\n", encoding="utf-8")
                sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
