"""Mind: all that is thought for a hall. Bots at its tables, hints, charts, what could be made of a deal, and compiling for it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

from meadhall.bots import Bot, Hint, bot, hints
from meadhall.bots.analysis import Analysis, Knowledge, analyse
from meadhall.engine.cores import cores
from meadhall.engine.daily import Outcome
from meadhall.engine.game import Game, game
from meadhall.engine.match import View
from meadhall.engine.record import MatchRecord, replay
from meadhall.lab import is_warm, warm

_BOTS = 24
"""How many bots are kept, those that thought last, where there are not too many cores."""
_TREES = 96
"""How many trees are kept: each bot that searches has one for each core. A tree holds up to 10 MB."""

_preparing = Lock()
_prepared: set[str] = set()


class Mind:
    """The bots of one hall, by table and seat, kept from decision to decision: a search goes on from what it has thought before.

    Everything is called in threads, several at a time. A bot that is thinking is not among those kept; one that failed never
    comes back.
    """

    def __init__(self) -> None:
        self.kept: OrderedDict[tuple[str, int], Bot] = OrderedDict()
        self._most = max(1, min(_BOTS, _TREES // cores()))
        self._keeping = Lock()

    def is_prepared(self, name: str) -> bool:
        """Whether there is nothing to compile in ``prepare``."""
        return is_warm(game(name))

    def prepare(self, name: str) -> None:
        """Compile what a game needs to be played and thought about, or find it compiled; at once if this process has done so."""
        if name in _prepared:  # whatever else is being compiled
            return
        with _preparing:
            if name not in _prepared:
                warm([name], bulk=False)
                _prepared.add(name)

    def choose(self, table: str, name: str, view: View) -> int:
        """What the bot of that name does on the viewer's seat of a table."""
        player = self._take(table, view.viewer, view.game, name)
        action = player.choose(view)
        with self._keeping:
            self.kept[table, view.viewer] = player
            if len(self.kept) > self._most:
                self.kept.popitem(last=False)
        return action

    def forget(self, table: str) -> None:
        """Let go of what was thought at a table."""
        with self._keeping:
            for key in [key for key in self.kept if key[0] == table]:
                del self.kept[key]

    def hint(self, view: View) -> tuple[Hint, ...]:
        """What the strongest bot would consider in the viewer's place."""
        return hints(view)

    def chart(self, record: MatchRecord, knowledge: Knowledge, progress: Callable[[float], None]) -> Analysis:
        """How the chances of a finished match went."""
        return analyse(replay(record), knowledge, progress=progress)

    def outcome(self, name: str, seed: bytes, options: Mapping[str, Any]) -> Outcome:
        """What could have been made of a deal of the puzzle of the day."""
        subject = game(name)
        assert subject.daily is not None
        assert subject.daily.outcome is not None
        return subject.daily.outcome(subject.match(players=1, seed=seed, **options))

    def _take(self, table: str, seat: int, game: Game, name: str) -> Bot:
        with self._keeping:
            kept = self.kept.pop((table, seat), None)
        return kept if kept is not None and kept.name == name else bot(game, name)
