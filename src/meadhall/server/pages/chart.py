"""The model of a chart: lines, marks and texts of an analysis, in the current language.

All coordinates are in a picture of ``WIDTH`` by ``HEIGHT``. ``chart.css`` repeats the place of the plot in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from meadhall.bots.analysis import Analysis, accuracy_in_words, change_in_words, party_in_words, turning_point_in_words
from meadhall.bots.hints import percent_in_words
from meadhall.engine.match.match import Match
from meadhall.engine.text.language import current_language, gettext as _
from meadhall.server.hall.analysis import ChartJob
from meadhall.server.pages.models import ChartLine, ChartMark, ChartPart, ChartView
from meadhall.server.web.links import link

WIDTH, HEIGHT = 480, 236
LEFT, RIGHT = 46, 446
TOP, BOTTOM = 34, 206

MARK = 28
"""Minimum distance between the numbers of turning points: a little more than their width in the smallest picture."""
MARKS = LEFT, RIGHT - 13
"""Range of these numbers. It ends before the winner's crest, which stands to the right of the plot."""
CREST = 25
"""Minimum distance between crests on lines."""
COLUMNS = 100
"""Maximum number of columns that can be tapped: narrower ones would be too narrow for a finger or a mouse."""
_STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500)
_TICKS = 6

Point = tuple[float, float]


def chart_part(match: Match, job: ChartJob, base: str, step: int | None = None, seat: str = "") -> ChartPart:
    """Return the chart of the match at the address ``base``: finished, or with its progress.

    ``step``, ``seat``: what the replay around the chart shows.
    """
    analysis = job.analysis
    return ChartPart(
        url=f"{base}/chart",
        replay=f"{base}/replay" if base.startswith(link("/tables/")) else base,
        knowledge=job.knowledge,
        view=None if analysis is None else _drawing(match, analysis, job),
        percent=int(100 * job.progress),
        error=_("The chart could not be drawn.") if job.failed else "",
        step=step,
        seat=seat,
    )


def _drawing(match: Match, analysis: Analysis, job: ChartJob) -> ChartView:
    """Return the finished chart of a job. It is drawn once for each language."""
    language = current_language()
    if language not in job.drawings:
        job.drawings[language] = chart_view(match, analysis)
    drawing: ChartView = job.drawings[language]
    return drawing


def chart_view(match: Match, analysis: Analysis) -> ChartView:
    """Return the finished chart of a match, in the current language."""
    result = match.outcome()
    winners = result.winners if result else ()
    count = len(analysis.chances)
    columns = min(COLUMNS, count)
    paths = [[_place(k, count, analysis.chance(k, party)) for k in range(count)] for party in range(len(analysis.parties))]
    crests = _crests(paths, [party[0] in winners for party in analysis.parties])
    lines = tuple(
        ChartLine(
            seats=party,
            name=party_in_words(match, party),
            winner=party[0] in winners,
            path=_path(paths[k]),
            crest=crests[k],
            percents=tuple(percent(analysis, position, k) for position in range(count)),
            heights=tuple(round(y, 1) for _x, y in paths[k]),
        )
        for k, party in enumerate(analysis.parties)
    )
    return ChartView(
        title=_("Chance of success, move by move") if match.is_cooperative else _("Win chances, move by move"),
        summary=_summary(lines),
        knowledge=analysis.knowledge,
        has_secrets=analysis.secrets,
        lines=lines,
        marks=_marks(match, analysis, paths),
        ticks=_ticks(count),
        columns=tuple(min(count - 1, int((column + 0.5) * count / columns)) for column in range(columns)),
        places=tuple(x for x, _y in paths[0]),
        note=" ".join(accuracy_in_words(analysis)),
    )


def percent(analysis: Analysis, position: int, party: int) -> str:
    """Return a chance in words. ``party``: index of the seats that win or lose together."""
    return percent_in_words(analysis.chance(position, party), sure=not analysis.samples[position])


def _summary(lines: Iterable[ChartLine]) -> str:
    """Return the chart in a sentence."""
    said = _("{name} from {first} to {last}")
    return "; ".join(said.format(name=line.name, first=line.percents[0], last=line.percents[-1]) for line in lines) + "."


# -------------------------------------------------------------------------------------------------------------- coordinates


def _place(position: int, count: int, chance: float) -> Point:
    """Return the point of a chance. All positions have columns of the same width; the point lies in the middle of its column."""
    return LEFT + (RIGHT - LEFT) * (position + 0.5) / count, BOTTOM - (BOTTOM - TOP) * chance


def _path(points: Iterable[Point]) -> str:
    """Return the points as an SVG path, without points inside horizontal stretches."""
    places = [(round(x, 1), round(y, 1)) for x, y in points]
    kept = [
        place
        for k, place in enumerate(places)
        if k in (0, len(places) - 1) or not places[k - 1][1] == place[1] == places[k + 1][1]
    ]
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in kept)


def _ticks(count: int) -> tuple[tuple[float, int], ...]:
    """Return a few round numbers of actions for the x axis."""
    step = next((step for step in _STEPS if (count - 1) / step <= _TICKS), 1000)
    return tuple((round(_place(k, count, 0)[0], 1), k) for k in range(0, count, step))


def _crests(paths: Sequence[Sequence[Point]], winners: Sequence[bool]) -> list[Point]:
    """Return the place of each line's crest: a single winner's at the end, others where they are farthest from other lines."""
    crests: dict[int, Point] = {}
    if winners.count(True) == 1:
        crests[winners.index(True)] = RIGHT + CREST / 2 - 1, TOP
    for k, path in enumerate(paths):
        if k in crests:
            continue
        rivals = [other for other in paths if other is not path]

        def alone(position: int, path: Sequence[Point] = path, rivals: Sequence[Sequence[Point]] = rivals) -> tuple[bool, float]:
            x, y = path[position]
            free = all(abs(x - other[0]) >= CREST or abs(y - other[1]) >= CREST for other in crests.values())
            near = min((abs(y - rival[position][1]) for rival in rivals), default=0.0)
            return free and LEFT + CREST / 2 < x < RIGHT - CREST / 2, min(near, CREST) - abs(x - (LEFT + RIGHT) / 2) / 50

        crests[k] = path[max(range(len(path)), key=alone)]
    return [(round(crests[k][0], 1), round(crests[k][1], 1)) for k in range(len(paths))]


def _marks(match: Match, analysis: Analysis, paths: Sequence[Sequence[Point]]) -> tuple[ChartMark, ...]:
    """Return the turning points. Their numbers stand in a row above the plot without overlaps."""
    points = analysis.turning
    wanted = [paths[point.party][point.position][0] for point in points]
    return tuple(
        ChartMark(
            number=number,
            position=point.position,
            point=(round(paths[point.party][point.position][0], 1), round(paths[point.party][point.position][1], 1)),
            label=round(label, 1),
            seat=analysis.parties[point.party][0],
            name=party_in_words(match, analysis.parties[point.party]),
            text=turning_point_in_words(match, analysis, point),
            before=percent(analysis, point.position - 1, point.party),
            after=percent(analysis, point.position, point.party),
            change=change_in_words(point),
            rose=point.change > 0,
        )
        for number, (point, label) in enumerate(zip(points, spread(wanted, MARK, *MARKS), strict=True), 1)
    )


def spread(wanted: Sequence[float], apart: float, first: float, last: float) -> list[float]:
    """Return places near the wanted ones, which ascend: at least ``apart`` from each other, between ``first`` and ``last``."""
    places = list(wanted)
    for _round in range(200):
        for k, (left, right) in enumerate(pairwise(places)):
            lacking = max(0.0, apart - (right - left)) / 2
            places[k] -= lacking
            places[k + 1] += lacking
        places = [min(max(place, first), last) for place in places]
    return places
