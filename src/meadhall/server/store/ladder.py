"""The ladder: who takes part, the matches that count, and what the hall believes about the strength of each person.

A match counts if all its seats belong to people who took part before it began, without bots, hints and take-backs, and if the
players win against each other. The transaction that ends it notes it, and changes the levels. ``recompute`` does the same for all
matches that were noted, in their order.

Who gives up is last. A match in which a person gives up early changes no level: so nobody gets a lower one by giving up at once,
to meet weaker people, or a higher one by matches that others throw away. It counts among those that the person gave up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from statistics import median
from typing import Any, Final

from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.match.step import RESIGNATION, TIME
from meadhall.engine.rating import Belief, after_match
from meadhall.engine.registry import game
from meadhall.engine.text.language import gettext as _
from meadhall.server.store import switches
from meadhall.server.store.database import Db, Row, as_json, each_of, of_json
from meadhall.server.store.models import TableRow

DRIFT: Final = 25 / 300
"""How much people's strength changes from match to match: OpenSkill's usual value."""

EARLY: Final = 1 / 3
"""Before this share of the usual number of decisions a person gives up early."""

USUAL_OF: Final = 100
"""The usual number is the median of so many last matches of the same way and number of players that were played to the end."""

USUAL_FROM: Final = 5
"""With fewer matches the usual number isn't known, and giving up counts as early."""

_LAST: Final = -1e9
"""The score of a person who has given up."""


@dataclass(frozen=True)
class Level:
    """What the hall knows about the strength of a person in one way of playing a game.

    Attributes:
        guest: the id of the person.
        belief: about their strength.
        counted: the number of matches from which it comes.
        seats: the players in these matches, summed.
        matches: the number of matches, with those that someone gave up early.
        given_up: how many of them the person gave up, early or late.
    """

    guest: str
    belief: Belief = field(default_factory=Belief)
    counted: int = 0
    seats: int = 0
    matches: int = 0
    given_up: int = 0


# --------------------------------------------------------------------------------------------------------------- taking part


def takes_part(db: Db, guest: str) -> bool:
    """Return whether a person takes part in the ladder."""
    return db.value("SELECT 1 FROM ladder_members WHERE guest = ? AND left_at IS NULL", guest) is not None


def take_part(db: Db, guest: str, wanted: bool) -> None:
    """Let a person take part from now on, or no longer. Their level stays, and is hidden until they come back."""
    if wanted and not takes_part(db, guest):
        db.run("DELETE FROM ladder_members WHERE guest = ?", guest)
        db.insert("ladder_members", {"guest": guest, "joined_at": db.now()})
    elif not wanted:
        db.run("UPDATE ladder_members SET left_at = ? WHERE guest = ? AND left_at IS NULL", db.now(), guest)


# -------------------------------------------------------------------------------------------------------------------- matches


def note_match(db: Db, table: TableRow, results: Sequence[Mapping[str, Any]], left: Collection[int]) -> None:
    """Note a match that has ended, if it counts, and change the levels of its players.

    Args:
        db: the transaction that ends it.
        table: its table.
        results: its rows of ``results``.
        left: the seats that a bot has played to the end for their owners.
    """
    if table.outcome is None or table.daily is not None or len({row["guest"] for row in results}) < len(table.seats):
        return
    if any(row["bots"] or row["hints"] or row["take_backs"] for row in results) or not _are_rivals(table):
        return
    if switches.value_of(db, "ladder") != "on" or not _all_took_part(db, table, [row["guest"] for row in results]):
        return
    given_up = _given_up(table, left)
    match = {name: results[0][name] for name in ("table_id", "game", "variant", "players", "decisions", "finished_at")}
    match |= {"given_up": as_json(sorted(given_up)), "is_early": bool(given_up) and _is_early(db, match, left)}
    if db.insert("ladder_matches", match, conflict="ON CONFLICT DO NOTHING"):  # a table may also change after its end
        known = {level.guest: level for level in levels_of(db, match["game"], match["variant"])}
        _count(known, _results(db, "m.table_id = ?", table.id)[0])
        _store(db, match["game"], match["variant"], [known[row["guest"]] for row in results])


def _are_rivals(table: TableRow) -> bool:
    with suppress(MeadhallError):  # the game is gone
        return len(game(table.game).parties(len(table.seats), table.options)) > 1
    return False


def _all_took_part(db: Db, table: TableRow, people: Sequence[str]) -> bool:
    """Return whether these people took part before the match began, so that nobody decides on it when the winner is known."""
    query = """SELECT count(*) FROM ladder_members
        WHERE left_at IS NULL AND joined_at <= ? AND guest IN (SELECT value FROM json_each(?))"""
    return bool(db.value(query, table.started_at, each_of(people)) == len(people))


def _given_up(table: TableRow, left: Collection[int]) -> set[int]:
    """Return the seats that were given up: to a bot, or, of two players, by a resignation or for want of time."""
    outcome = table.outcome or {}
    is_resigned = len(table.seats) == 2 and outcome["why"] in (RESIGNATION, TIME)
    return {*left, *(seat for seat, score in enumerate(outcome["scores"]) if is_resigned and not score)}


def _is_early(db: Db, match: Mapping[str, Any], left: Collection[int]) -> bool:
    """Return whether the first person who gave up did so early."""
    query = """SELECT decisions FROM ladder_matches WHERE game = :game AND variant = :variant AND players = :players
        AND given_up = '[]' ORDER BY finished_at DESC LIMIT :most"""
    usual = db.values(query, **{name: match[name] for name in ("game", "variant", "players")}, most=USUAL_OF)
    query = """SELECT count(*) FROM match_entries WHERE table_id = :table AND kind IN ('action', 'hinted') AND number < (
        SELECT min(number) FROM match_entries WHERE table_id = :table AND kind = 'stand_in'
        AND seat IN (SELECT value FROM json_each(:left)))"""
    decisions = db.value(query, table=match["table_id"], left=each_of(left)) if left else match["decisions"]
    return len(usual) < USUAL_FROM or decisions < EARLY * median(usual)


# --------------------------------------------------------------------------------------------------------------------- levels


def levels_of(db: Db, game: str, variant: str) -> list[Level]:
    """Return what the hall knows about each person in one way of playing a game, also of those who take part no longer."""
    query = """SELECT guest, mu, sigma, counted, seats, matches, given_up FROM ratings WHERE game = ? AND variant = ?
        ORDER BY mu DESC, guest"""
    return [Level(guest, Belief(mu, sigma), *counts) for guest, mu, sigma, *counts in db.rows(query, game, variant)]


_SHOWN: Final = """FROM ratings JOIN ladder_members member ON member.guest = ratings.guest AND left_at IS NULL
    JOIN guests ON guests.id = ratings.guest AND closed_at IS NULL"""
"""The ratings of the people who take part."""


def ways_of(db: Db, game: str) -> list[str]:
    """Return the ways of playing a game that have a ladder, as ``variant_of`` writes them; those of most people first."""
    return db.values(f"SELECT variant {_SHOWN} WHERE game = ? GROUP BY variant ORDER BY count(*) DESC, variant", game)


def shown_levels(db: Db, game: str, variant: str) -> list[Level]:
    """Return the levels of the people who take part in a way of playing a game."""
    shown = set(db.values(f"SELECT ratings.guest {_SHOWN} WHERE game = ? AND variant = ?", game, variant))
    return [level for level in levels_of(db, game, variant) if level.guest in shown]


def ladders_of(db: Db, guest: str) -> list[tuple[str, str]]:
    """Return the games, and the ways of playing them, in which a person has a level that others see."""
    query = f"SELECT game, variant {_SHOWN} WHERE ratings.guest = ? ORDER BY matches DESC, game, variant"
    return [(name, variant) for name, variant in db.rows(query, guest)]


def recompute(db: Db, game: str = "") -> int:
    """Compute all levels anew, or those of one game, from the matches that were noted. Return their number."""
    db.run("DELETE FROM ratings WHERE ? IN ('', game)", game)
    ways: dict[tuple[str, str], dict[str, Level]] = defaultdict(dict)
    found = _results(db, "? IN ('', m.game) AND m.excluded_at IS NULL", game)
    for results in found:
        _count(ways[results[0]["game"], results[0]["variant"]], results)
    for (name, variant), levels in ways.items():
        _store(db, name, variant, levels.values())
    return len(found)


def set_excluded(db: Db, table: str, excluded: bool) -> None:
    """Take a match out of the ladder or back into it, and compute the levels of its game anew. Raises BadSetup."""
    change = "UPDATE ladder_matches SET excluded_at = ? WHERE table_id = ? RETURNING game"
    game: str | None = db.value(change, db.now() if excluded else None, table)
    if game is None:
        raise BadSetup(_("The ladder has no match of a table {id}; the address of a table ends with its id.").format(id=table))
    recompute(db, game)


def _results(db: Db, where: str, *values: object) -> list[list[Row]]:
    """Return the results of each match that fulfils a condition, the first finished first; without those of deleted people."""
    query = f"""SELECT m.table_id, m.game, m.variant, m.players, m.given_up, m.is_early, r.guest, r.seat, r.score, r.place
        FROM ladder_matches m JOIN results r ON r.table_id = m.table_id WHERE {where}
        ORDER BY m.finished_at, m.table_id, r.seat"""
    return [list(rows) for _table, rows in groupby(db.rows(query, *values), key=itemgetter("table_id"))]


def _count(levels: dict[str, Level], results: Sequence[Row]) -> None:
    """Change the levels of the players of a match. Without one of them it changes none."""
    given_up = of_json(results[0]["given_up"])
    players = [levels.get(row["guest"], Level(row["guest"])) for row in results]
    beliefs = [each.belief for each in players]
    counts = not results[0]["is_early"] and len(results) == results[0]["players"]
    if counts:
        ranked = all(row["place"] is not None for row in results if row["seat"] not in given_up)
        scores = [_LAST if row["seat"] in given_up else -row["place"] if ranked else row["score"] for row in results]
        beliefs = after_match(beliefs, scores, DRIFT)
    for row, level, belief in zip(results, players, beliefs, strict=True):
        levels[level.guest] = Level(
            level.guest,
            belief,
            level.counted + counts,
            level.seats + counts * len(results),
            level.matches + 1,
            level.given_up + (row["seat"] in given_up),
        )


def _store(db: Db, game: str, variant: str, levels: Iterable[Level]) -> None:
    for level in levels:
        values = {**vars(level), "mu": level.belief.mu, "sigma": level.belief.sigma, "game": game, "variant": variant}
        del values["belief"]
        db.run("DELETE FROM ratings WHERE guest = ? AND game = ? AND variant = ?", level.guest, game, variant)
        db.insert("ratings", values)
