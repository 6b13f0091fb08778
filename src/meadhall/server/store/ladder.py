"""The ladder: who takes part, the matches that count, and what the hall believes about the strength of each person.

A match counts if all its seats belong to people who took part before it began, without bots, hints and take-backs, and if the
players win against each other. The transaction that ends it notes it, and changes the levels. ``recompute`` does the same for all
matches that were noted, in their order.

A person who gives up is last. If they do it early, the match changes no level: so no one gets a lower one by giving up at once,
to meet weaker people, or a higher one by matches that others throw away. It counts among the matches that the person gave up.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from statistics import median
from typing import Any, Final

from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.match.step import AGREEMENT
from meadhall.engine.rating import Belief, after_match
from meadhall.engine.registry import game
from meadhall.engine.text.language import gettext as _
from meadhall.server.store.database import Db, Row, as_json, each_of, of_json
from meadhall.server.store.models import TableRow

DRIFT: Final = 25 / 300
"""How much a person's strength changes from match to match: OpenSkill's usual value."""

EARLY: Final = 1 / 3
"""A person gives up early before this share of the usual number of decisions."""

USUAL_OF: Final = 100
"""The usual number is the median of so many last matches of this way and number of players that were played to the end."""

USUAL_FROM: Final = 5
"""With fewer of them it isn't known, and giving up counts as early."""

_LEVEL: Final = "mu, sigma, ratings.guest, counted, seats, matches, given_up"
_SHOWN: Final = """JOIN ladder_members ON ladder_members.guest = ratings.guest AND left_at IS NULL
    JOIN guests ON guests.id = ratings.guest AND (closed_at IS NULL OR closed_until <= datetime('now'))"""


@dataclass(frozen=True)
class Level(Belief):
    """What the hall knows about the strength of a person in one way of playing a game.

    Attributes:
        guest: the id of the person.
        counted: the number of matches from which the belief comes.
        seats: the players in these matches, summed.
        matches: the number of matches, with those that someone gave up early.
        given_up: how many of them the person gave up, early or late.
    """

    guest: str = ""
    counted: int = 0
    seats: int = 0
    matches: int = 0
    given_up: int = 0


def takes_part(db: Db, guest: str) -> bool:
    """Return whether a person takes part in the ladder."""
    return db.value("SELECT 1 FROM ladder_members WHERE guest = ? AND left_at IS NULL", guest) is not None


def take_part(db: Db, guest: str, wanted: bool) -> None:
    """Let a person take part from now on, or no longer. Their level stays, and is hidden until they come back."""
    if wanted:
        again = "ON CONFLICT DO UPDATE SET joined_at = excluded.joined_at, left_at = NULL WHERE left_at IS NOT NULL"
        db.insert("ladder_members", {"guest": guest, "joined_at": db.now()}, conflict=again)
    else:
        db.run("UPDATE ladder_members SET left_at = ? WHERE guest = ?", db.now(), guest)


# -------------------------------------------------------------------------------------------------------------------- matches


def note_match(db: Db, table: TableRow, results: Sequence[Mapping[str, Any]], left: Collection[int]) -> None:
    """Note a match that has ended, if it counts, and change the levels of its players.

    Args:
        db: the transaction that ends it.
        table: its table.
        results: its rows of ``results``.
        left: the seats that a bot has played to the end for their owners.
    """
    if table.outcome is None or not _counts(db, table, results):
        return
    is_given_up = len(table.seats) == 2 and table.outcome["why"] not in (None, AGREEMENT)
    given_up = {*left, *(seat for seat, score in enumerate(table.outcome["scores"]) if is_given_up and not score)}
    match = {name: results[0][name] for name in ("table_id", "game", "variant", "players", "decisions", "finished_at")}
    match |= {"given_up": as_json(sorted(given_up)), "is_early": bool(given_up) and _is_early(db, match, left)}
    if db.insert("ladder_matches", match, conflict="ON CONFLICT DO NOTHING"):  # a table may also change after its end
        _rate(db, "m.table_id = ?", table.id)


def _counts(db: Db, table: TableRow, results: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether people play against each other without help, who took part before anyone knew the winner."""
    is_helped = any(row["bots"] or row["hints"] or row["take_backs"] or row["daily"] for row in results)
    if is_helped or len(results) < len(table.seats):
        return False
    query = """SELECT count(*) FROM ladder_members WHERE left_at IS NULL AND joined_at <= ?
        AND guest IN (SELECT value FROM json_each(?))
        AND EXISTS (SELECT 1 FROM switches WHERE name = 'ladder' AND value = 'on')"""
    with suppress(MeadhallError):  # the game is gone
        are_rivals = len(game(table.game).parties(len(table.seats), table.options)) > 1
        return are_rivals and db.value(query, table.started_at, each_of(row["guest"] for row in results)) == len(results)
    return False


def _is_early(db: Db, match: Mapping[str, Any], left: Collection[int]) -> bool:
    """Return whether the first person who gave up did so early."""
    query = """SELECT decisions FROM ladder_matches WHERE game = ? AND variant = ? AND players = ? AND given_up = '[]'
        ORDER BY finished_at DESC LIMIT ?"""
    usual = db.values(query, match["game"], match["variant"], match["players"], USUAL_OF)
    query = """SELECT count(*) FROM match_entries WHERE table_id = :table AND kind IN ('action', 'hinted') AND number < (
        SELECT min(number) FROM match_entries WHERE table_id = :table AND kind = 'stand_in'
        AND seat IN (SELECT value FROM json_each(:left)))"""
    decisions = db.value(query, table=match["table_id"], left=each_of(left)) if left else match["decisions"]
    return len(usual) < USUAL_FROM or decisions < EARLY * median(usual)


# --------------------------------------------------------------------------------------------------------------------- levels


def levels_of(db: Db, game: str, variant: str, guests: Collection[str]) -> list[Level]:
    """Return what the hall knows about these people in one way of playing a game."""
    query = f"""SELECT {_LEVEL} FROM ratings
        WHERE game = ? AND variant = ? AND guest IN (SELECT value FROM json_each(?))"""
    return [Level(*row) for row in db.rows(query, game, variant, each_of(guests))]


def levels_on(db: Db, game: str, variant: str) -> list[Level]:
    """Return the levels of all who take part and have played a game in this way."""
    query = f"SELECT {_LEVEL} FROM ratings {_SHOWN} WHERE game = ? AND variant = ?"
    return [Level(*row) for row in db.rows(query, game, variant)]


def ways_of(db: Db, game: str) -> list[str]:
    """Return the ways of playing a game that have a ladder, as ``variant_of`` writes them; those of most people first."""
    return db.values(
        f"SELECT variant FROM ratings {_SHOWN} WHERE game = ? GROUP BY variant ORDER BY count(*) DESC, variant", game
    )


def ladders_of(db: Db, guest: str) -> list[tuple[str, str, list[Level]]]:
    """Return each ladder on which a person stands: the game, the way of playing it, and the levels of all."""
    found = db.rows(f"SELECT game, variant FROM ratings {_SHOWN} WHERE ratings.guest = ? ORDER BY matches DESC, game", guest)
    return [(name, variant, levels_on(db, name, variant)) for name, variant in found]


def recompute(db: Db, game: str = "") -> int:
    """Compute all levels anew, or those of one game, from the matches that were noted. Return their number."""
    db.run("DELETE FROM ratings WHERE ? IN ('', game)", game)
    return _rate(db, "? IN ('', m.game) AND m.excluded_at IS NULL", game)


def set_excluded(db: Db, table: str, excluded: bool) -> None:
    """Let a match no longer count, or count again, and compute the levels of its game anew. Raises BadSetup."""
    change = "UPDATE ladder_matches SET excluded_at = ? WHERE table_id = ? RETURNING game"
    game: str | None = db.value(change, db.now() if excluded else None, table)
    if game is None:
        raise BadSetup(_("The ladder has no match of a table {id}; the address of a table ends with its id.").format(id=table))
    recompute(db, game)


def _rate(db: Db, where: str, value: str) -> int:
    """Let the matches that fulfil a condition change the levels of their players. Return their number.

    A match of which a person was deleted changes no level.
    """
    query = f"""SELECT m.*, r.guest, r.seat, r.score, r.place FROM ladder_matches m JOIN results r ON r.table_id = m.table_id
        WHERE {where} ORDER BY m.finished_at, m.table_id, r.seat"""
    found = [list(rows) for _table, rows in groupby(db.rows(query, value), key=itemgetter("table_id"))]
    for rows in found:
        name, variant, seats = rows[0]["game"], rows[0]["variant"], rows[0]["players"]
        known = {level.guest: level for level in levels_of(db, name, variant, [row["guest"] for row in rows])}
        players = [known.get(row["guest"], Level(guest=row["guest"])) for row in rows]
        given_up = [row["seat"] in of_json(row["given_up"]) for row in rows]
        counts = not rows[0]["is_early"] and len(rows) == seats
        after = after_match(players, _scores(rows, given_up), DRIFT) if counts else players
        for level, belief, gave_up in zip(players, after, given_up, strict=True):
            changed = replace(
                level,
                mu=belief.mu,
                sigma=belief.sigma,
                counted=level.counted + counts,
                seats=level.seats + counts * seats,
                matches=level.matches + 1,
                given_up=level.given_up + gave_up,
            )
            db.run("DELETE FROM ratings WHERE game = ? AND variant = ? AND guest = ?", name, variant, level.guest)
            db.insert("ratings", {"game": name, "variant": variant, **vars(changed)})
    return len(found)


def _scores(rows: Sequence[Row], given_up: Sequence[bool]) -> list[float]:
    """Return the order of the players of a match as numbers, more is better: by place, or by score in a game without places."""
    by_place = all(gave_up or row["place"] is not None for row, gave_up in zip(rows, given_up, strict=True))
    return [-1e9 if gave_up else -row["place"] if by_place else row["score"] for row, gave_up in zip(rows, given_up, strict=True)]
