"""Tuning: the front that a search has found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from meadhall.engine.changes import as_comment, changes
from meadhall.engine.checks import seed_label
from meadhall.engine.compute.bulk import LIMIT
from meadhall.engine.game import Game
from meadhall.engine.options import Document
from meadhall.engine.registry import game
from meadhall.engine.text.display import Table
from meadhall.engine.text.language import gettext as _, grouped, ngettext
from meadhall.lab.balance.figures import Figure
from meadhall.lab.balance.in_words import short_figure
from meadhall.lab.balance.measured import Ended
from meadhall.lab.output import Row, RunResult
from meadhall.lab.tuning.problem import Target
from meadhall.lab.words import seed_in_json, stopped_in_words


@dataclass(frozen=True)
class Point:
    """A point of the front.

    Attributes:
        changes: the changed values by the names of their options or their paths; a path that ends with ``+`` was added to several
            values.
        figures: the figure of each target by the number of players, measured on deals that the search didn't see.
        misses: how far it is from each target, with the worst number of players; 0: the target is met.
        games: the number of these matches for each number of players.
        components: the document, to be used as the option of a match.
        text: the document as TOML, with the comments of the first one, below changed options as comments.
        options: the changed options and numbers of the rules.
    """

    changes: dict[str, Any]
    figures: dict[int, dict[str, Figure]]
    misses: dict[str, float]
    games: int
    components: dict[str, Any]
    text: str
    options: dict[str, Any]


@dataclass(frozen=True, repr=False)
class Tuning(RunResult):
    """What a search of options and components has found.

    Attributes:
        game: the name of the game.
        players: the numbers of players.
        targets: the targets.
        front: the points that no other beats in all targets with as few changes, the document as it was first.
        tried: the number of candidates.
        stopped: the candidates that were given up before all their matches, because they were surely worse than another.
        refused: the candidates that the game refused, because they break its rules.
        matches: all matches that were played.
        seed: the seed.
        ended: why the search ended, as for ``Balance``.
        seconds: its duration.
        stopped_matches: the matches that were stopped after ``LIMIT`` decisions, which no figure counts.

    Examples:
        >>> import meadhall
        >>> found = meadhall.tune("dungeon-allies", ["prisoner_space.*.reward"], ["place<1.1"], 2, seed="any", trials=2, games=2)
        >>> found.write_points("points")
        [PosixPath('points/point-0.toml')...]
        >>> found.to_dict()["game"], next(found.rows())["point"], next(found.displayed())
        ('dungeon-allies', 0, 'Dungeon Allies: tuned values')
    """

    game: str
    players: tuple[int, ...]
    targets: tuple[Target, ...]
    front: tuple[Point, ...]
    tried: int
    stopped: int
    refused: int
    matches: int
    seed: str | bytes
    ended: Ended
    seconds: float
    stopped_matches: int = 0

    def write_points(self, folder: Path | str) -> list[Path]:
        """Write the components of each point as ``point-N.toml`` and return the files. Raises OSError."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        files, subject = [], game(self.game)
        for number, point in enumerate(self.front):
            file = Path(folder) / f"point-{number}.toml"
            differs = as_comment(changes(subject, _options(subject, point))) if point.components else ""
            file.write_text(f"{differs}{point.text}", encoding="utf-8")
            files.append(file)
        return files

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-able data."""
        return {
            "game": self.game,
            "players": list(self.players),
            "targets": list(map(str, self.targets)),
            "tried": self.tried,
            "stopped": self.stopped,
            "refused": self.refused,
            "matches": self.matches,
            "stopped_matches": self.stopped_matches,
            "seed": seed_in_json(self.seed),
            "ended": self.ended,
            "seconds": round(self.seconds, 2),
            "front": [
                {name: value for name, value in asdict(point).items() if name not in ("components", "text", "options")}
                for point in self.front
            ],
        }

    def rows(self) -> Iterator[Row]:
        """Yield a row for each point, number of players and target."""
        for number, point in enumerate(self.front):
            for players, figures in point.figures.items():
                for target, figure in figures.items():
                    yield {"point": number, "changed": len(point.changes), "players": players, "target": target, **asdict(figure)}

    def __repr__(self) -> str:
        return f"<Tuning of {self.game}: {len(self.front)} points from {self.tried} candidates>"

    def displayed(self) -> Iterator[str | Table]:
        """Yield the parts of the readable form."""
        subject = game(self.game)
        yield _("{game}: tuned values").format(game=subject.title)
        several = len(self.players) > 1
        heads = [
            f"{target} ({ngettext('{count} player', '{count} players', players).format(count=players)})"
            if several
            else str(target)
            for players in self.players
            for target in self.targets
        ]
        rows = [
            (
                str(number),
                str(len(point.changes)),
                *(short_figure(figures[str(target)]) for figures in point.figures.values() for target in self.targets),
            )
            for number, point in enumerate(self.front)
        ]
        yield Table((_("point"), _("changed values"), *heads), tuple(rows), numbers=True)
        for number, point in enumerate(self.front):
            if point.changes:
                told = changes(subject, _options(subject, point), _options(subject, self.front[0]))
                yield "\n".join([_("Point {number}:").format(number=number), *(f"  {change}" for change in told)])
        yield _("{tried} candidates, {stopped} of them stopped early, {refused} refused; {matches} matches; seed {seed}").format(
            tried=grouped(self.tried),
            stopped=grouped(self.stopped),
            refused=grouped(self.refused),
            matches=grouped(self.matches),
            seed=seed_label(self.seed),
        )
        if self.stopped_matches:
            yield stopped_in_words(self.stopped_matches, LIMIT)
        if self.ended == "time":
            yield _("The time limit ended the search.")
        elif self.ended == "interrupted":
            yield _("The search was interrupted.")


def _options(subject: Game, point: Point) -> dict[str, Any]:
    """Return the options of a point that it may have changed."""
    document = next((option for option in subject.options if isinstance(option, Document)), None)
    return {**point.options, **({} if document is None else {document.name: document.check(point.components)})}
