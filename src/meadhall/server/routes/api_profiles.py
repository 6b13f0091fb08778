"""Profiles in the API: what a person has played, their finished matches, and all one's records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Final

import msgspec
from litestar import get
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import QueryParameter
from litestar.response import Stream

from meadhall.engine.registry import game_names
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.people.profiles import profile_of, visible_person
from meadhall.server.routes.api_models import TableSummary, table_summary
from meadhall.server.routes.api_refusals import refusals
from meadhall.server.routes.people import records_response, wanted_matches
from meadhall.server.store import profiles
from meadhall.server.store.models import Guest
from meadhall.server.web.links import outside
from meadhall.server.web.request import AnyRequest

_FILE: Final = "application/octet-stream"
"""The type of a file of records, a gzip file or not. Generators of clients know no type of lines of JSON."""


class MatchGroup(msgspec.Struct):
    """Finished matches of a person that are alike.

    ``variant`` has the options as JSON; of a document its hash. ``bots`` is the level of the bots, "" without bots, ``mixed`` for
    several. ``score`` is the sum of the person's payoffs, 0 to 1 in each match. ``ranked`` matches have places, whose sum is
    ``places``. ``decisions``, ``hints`` and ``take_backs`` are sums.
    """

    game: str
    variant: str
    players: int
    bots: str
    matches: int
    score: float
    won: int
    shared: int
    ranked: int
    places: int
    decisions: int
    hints: int
    take_backs: int


class StreakInfo(msgspec.Struct):
    """How many successes follow each other: up to now, and at most."""

    current: int
    longest: int


class ProfileInfo(msgspec.Struct):
    """The matches and puzzles of a person. ``puzzles`` lists the days of finished puzzles, with whether they were solved."""

    id: str
    name: str
    groups: list[MatchGroup]
    wins: StreakInfo
    puzzles: dict[str, bool]
    puzzle_days: StreakInfo


_Limit = Annotated[int, QueryParameter(ge=1, le=100)]
_Skip = Annotated[int, QueryParameter(ge=0, le=1_000_000)]
_With = Annotated[str, QueryParameter(name="with", description="the id of another person at the table")]
_Result = Annotated[str, QueryParameter(description="won, shared, lost or open (given up without a winner)")]


def _person(hall: Hall, program: Guest, person: str) -> Guest:
    return program if person == "me" else visible_person(hall.store, person, program)


@get("/people/{person:str}", responses=refusals(400, 401, 403, 404))
async def show_profile(hall: Hall, program: Guest, person: str) -> ProfileInfo:
    """Return what a person has played, if you may see it. ``me`` is you."""
    found = await profile_of(hall.store, _person(hall, program, person), program)
    groups = [msgspec.convert(asdict(group), MatchGroup) for group in found.groups]
    wins, puzzles = (StreakInfo(each.current, each.longest) for each in (found.wins, found.puzzles))
    days = {each.day: each.solved for each in found.days}
    return ProfileInfo(found.person.public_id, found.person.name, groups, wins, days, puzzles)


@get("/people/{person:str}/matches", responses=refusals(400, 401, 403, 404))
async def list_matches(
    request: AnyRequest,
    hall: Hall,
    program: Guest,
    person: str,
    game: str = "",
    result: _Result = "",
    opponent: _With = "",
    limit: _Limit = 30,
    skip: _Skip = 0,
) -> list[TableSummary]:
    """List the finished matches of a person, the latest first, if you may see them. ``me`` is you."""
    found = _person(hall, program, person)
    chosen = {"game": game, "result": result, "with": opponent}
    wanted = wanted_matches(hall, found.id == program.id, program, **chosen)
    played, _count = await hall.store.read(profiles.played, found.id, wanted, limit, skip)
    names: Sequence[str] = game_names()
    return [table_summary(each.table, program, outside(request)) for each in played if each.table.game in names]


@get(
    "/me/records",
    media_type=_FILE,
    responses={200: ResponseSpec(str, generate_examples=False, media_type=_FILE), **refusals(400, 401)},
)
async def show_records(request: AnyRequest, program: Guest, gzip: bool = False) -> Stream:
    """Send the records of all your finished matches, one a line, the first finished first. ``gzip``: as a gzip file."""
    return records_response(request, program, gzip)


routes = [show_profile, list_matches, show_records]
