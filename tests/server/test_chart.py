"""The chart of a match: on its end page, in replays, on its own page; who may see it, how it is queued and drawn."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

import meadhall
from games_for_tests.hoard.rules import LOOK
from meadhall.bots.analysis import Analysis, Knowledge, TurningPoint, analyse
from meadhall.engine.match.match import Match
from meadhall.engine.match.record import dumps, loads
from meadhall.engine.replay import replay as replayed
from meadhall.engine.state import chance
from meadhall.server.errors import TooMany, WrongMoment
from meadhall.server.hall import analysis
from meadhall.server.hall.analysis import ChartJob, ChartQueue
from meadhall.server.ops.time import Time
from meadhall.server.pages.chart import BOTTOM, COLUMNS, CREST, LEFT, MARK, RIGHT, TOP, chart_view, spread
from meadhall.server.routes import replay as replay_routes
from meadhall.server.worker import tasks
from meadhall.server.worker.client import WorkerLost
from server.people import AXES, HOARD, PATIENCE, OpenHall, Person
from server.worker_threads import WorkerThreads

RECORDS = Path(__file__).parents[1] / "records"


async def drawn(person: Person, path: str) -> str:
    """Return the page as soon as the chart is on it."""
    page = (await person.get(path)).text
    if "chart-wait" in page:
        await finished(person.app.state.hall.charts)
        page = (await person.get(path)).text
    assert 'id="chart"' in page, page
    return page


def a_match(seed: str = "charted", game: str = HOARD) -> Match:
    match = meadhall.game(game).match(players=2, seed=seed)
    while not match.over:
        match.play(match.legal()[0])
    return match


async def upload(person: Person, match: Match) -> str:
    """Upload the record of a match, abandoned if it is not over, and return its address."""
    record = match.record(abandoned=None if match.over else "tired")
    answer = await person.upload(dumps(record).encode(), Accept="application/json")
    assert answer.status_code == 201
    return str(answer.json()["url"])


# --------------------------------------------------------------------------------------------------------- pages with the chart


async def test_the_end_page_announces_the_chart_and_then_shows_it(hall: OpenHall) -> None:
    room = await hall.played_out(HOARD)
    url = f"/tables/{room.table.id}"
    first = (await hall.person().get(url)).text
    assert "The chart is being drawn" in first
    assert '<meta http-equiv="refresh"' in first
    page = await drawn(hall.person(), url)
    assert "The chart is being drawn" not in page
    assert '<meta http-equiv="refresh"' not in page
    assert "Win chances, move by move" in page
    assert room.match is not None
    assert page.count('<th scope="row">') == len(room.match.steps) + 1


async def test_a_chart_has_a_separate_page_and_is_part_of_the_replay(hall: OpenHall) -> None:
    room = await hall.played_out(HOARD)
    url, person = f"/tables/{room.table.id}", hall.person()
    assert "After" not in await drawn(person, f"{url}/chart")
    page = await drawn(person, f"{url}/replay?step=2&seat=0")
    assert 'class="chart-now"' in page
    assert page.count('class="chart-here') == 2
    assert f'<form class="chart-steps" aria-hidden="true" method="get" action="{url}/replay"' in page
    assert '<input type="hidden" name="seat" value="0">' in page


async def test_games_with_hidden_parts_offer_a_choice_of_knowledge(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chance, "new_seed", lambda: bytes(32))  # in some matches both charts are the same
    room = await hall.played_out(HOARD)
    url, person = f"/tables/{room.table.id}", hall.person()
    public = await drawn(person, f"{url}/chart")
    everything = await drawn(person, f"{url}/chart?knowledge=everything")
    assert re.search(r'id="knowledge-public" aria-current="true"', public)
    assert re.search(r'id="knowledge-everything" aria-current="true"', everything)
    path = re.compile(r'<path class="chart-line[^>]*>')
    assert path.findall(public) != path.findall(everything)
    assert "knowledge=everything" in await drawn(person, f"{url}/replay?step=1&knowledge=everything")


async def test_games_without_hidden_parts_offer_no_choice_of_knowledge(hall: OpenHall) -> None:
    room = await hall.played_out(AXES)
    assert "knowledge-everything" not in await drawn(hall.person(), f"/tables/{room.table.id}/chart")


# ----------------------------------------------------------------------------------------------------------------------- access


async def test_a_running_match_has_no_chart(hall: OpenHall) -> None:
    host, _friend, room = await hall.two_at(HOARD)
    for known in ("public", "everything"):
        for person in (host, hall.person("10.0.0.9")):
            refused = await person.get(f"/tables/{room.table.id}/chart?knowledge={known}")
            assert refused.status_code == 409
            assert "when it is over" in refused.text
            page = await person.get(f"/tables/{room.table.id}/replay?step=0&knowledge={known}")
            assert "chart-" not in page.text.replace("css/chart.css", "")
    assert room.chart_job is None
    match = room.match
    assert match is not None
    with pytest.raises(WrongMoment):
        hall.hall.charts.request("x", match, "everything")


async def test_a_deal_that_others_still_play_has_no_chart(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    room = await hall.played_out(HOARD)
    monkeypatch.setattr(replay_routes, "is_sealed", lambda _table, _time: True)
    assert (await hall.person().get(f"/tables/{room.table.id}/chart")).status_code == 409
    assert "chart-part" not in (await hall.person().get(f"/tables/{room.table.id}/replay")).text


async def test_an_abandoned_match_has_a_chart_if_it_has_actions(hall: OpenHall) -> None:
    match = meadhall.game(HOARD).match(players=2, seed="given up")
    person = hall.person()
    url = await upload(person, match)
    assert "chart-part" not in (await person.get(url)).text
    match.play(match.legal()[0])
    url = await upload(person, match)
    assert 'class="chart-now"' in await drawn(person, url)
    page = await drawn(person, f"{url}/chart?knowledge=everything")
    assert "The match was given up" in page
    assert page.count('<th scope="row">') == 2


async def test_an_abandoned_match_is_shown_with_full_knowledge(hall: OpenHall) -> None:
    host, friend, room = await hall.three_at(HOARD)
    url, stranger = f"/tables/{room.table.id}", hall.person()
    await host.act(room.table.id, LOOK)
    for person in (host, friend):
        assert '<option value="1"' not in (await stranger.get(f"{url}/replay?seat=1")).text
        assert (await stranger.get(f"{url}/chart?knowledge=everything")).status_code == 409
        assert (await person.ask(f"{url}/resign")).status_code == 200
    for path in ("", "/replay", "/chart"):
        assert 'id="knowledge-everything"' in await drawn(stranger, url + path)
    assert '<option value="1" selected>' in (await stranger.get(f"{url}/replay?seat=1")).text


# -------------------------------------------------------------------------------------------------------------------- the queue


class Analyst:
    """A stand-in for the analysis. It collects the names of the matches, and fails if the test wants it."""

    def __init__(self) -> None:
        self.analysed: list[str] = []
        self.fails: Exception | None = None

    def __call__(self, match: Match, _knowledge: str, progress: Callable[[float], None]) -> Analysis:
        self.analysed.append(match.names[0])
        progress(0.5)
        if self.fails is not None:
            raise self.fails
        return analyse(match, iterations=1)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let analyses be short: their searches are slow with interpreted rules."""

    def short(match: Match, knowledge: Knowledge, progress: Callable[[float], None]) -> Analysis:
        return analyse(match, knowledge, iterations=4, progress=progress)

    monkeypatch.setattr(tasks, "analyse", short)


@pytest.fixture
def analyst(hoard: None, monkeypatch: pytest.MonkeyPatch) -> Analyst:
    analyst = Analyst()
    monkeypatch.setattr(tasks, "analyse", analyst)
    return analyst


def called(name: str) -> Match:
    match = a_match()
    match.rename(0, replace(match.seats[0], name=name))
    match.__dict__.pop("names", None)
    return match


async def finished(charts: ChartQueue) -> None:
    """Wait until the queue is empty."""
    assert charts._working is not None
    await asyncio.wait_for(charts._working, PATIENCE)


async def test_tables_of_the_hall_come_before_uploaded_records(analyst: Analyst) -> None:
    charts = ChartQueue(WorkerThreads(), Time())
    charts.request("a", called("a record"), client="10.0.0.1")
    charts.request("b", called("another"), client="10.0.0.2")
    charts.request("c", called("our own"))
    await finished(charts)
    assert analyst.analysed == ["our own", "a record", "another"]


async def test_waiting_uploads_are_limited_per_client_and_in_total(analyst: Analyst, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "MAX_WAITING_UPLOADS", 2)
    charts = ChartQueue(WorkerThreads(), Time())
    first = charts.request("a", a_match(), client="10.0.0.1")
    with pytest.raises(TooMany):
        charts.request("b", a_match(), client="10.0.0.1")
    assert charts.request("a", a_match(), client="10.0.0.1") is first
    charts.request("b", a_match(), client="10.0.0.2")
    with pytest.raises(TooMany):
        charts.request("c", a_match(), client="10.0.0.3")
    await finished(charts)
    charts.request("c", a_match(), client="10.0.0.1")
    await finished(charts)


async def test_a_chart_without_waiting_pages_is_dropped(analyst: Analyst, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "REQUEST_TIMEOUT", 0.0)
    charts = ChartQueue(WorkerThreads(), Time())
    left = charts.request("a", called("left alone"))
    charts.request("b", called("watched"), has_subscribers=lambda: True)
    await finished(charts)
    assert analyst.analysed == ["watched"]
    assert left.analysis is None
    assert charts.request("a", called("left alone")) is not left, "the next request starts again"
    await charts.close()


async def test_a_failed_chart_is_marked_and_does_not_block_others(analyst: Analyst, caplog: pytest.LogCaptureFixture) -> None:
    charts = ChartQueue(WorkerThreads(), Time())
    analyst.fails = ValueError("no ink")
    bad = charts.request("a", called("bad"))
    await finished(charts)
    analyst.fails = None
    good = charts.request("b", called("good"))
    await finished(charts)
    assert bad.failed
    assert good.analysis is not None
    assert "no ink" in caplog.text


async def test_a_chart_that_kills_the_worker_twice_fails(analyst: Analyst) -> None:
    charts = ChartQueue(WorkerThreads(), Time())
    analyst.fails = WorkerLost("again and again")
    bad = charts.request("a", called("bad"))
    await finished(charts)
    assert bad.failed
    assert analyst.analysed == ["bad", "bad"]


async def test_old_charts_are_evicted(analyst: Analyst, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "MAX_BYTES", 20)
    monkeypatch.setattr(ChartJob, "size", 10)
    charts = ChartQueue(WorkerThreads(), Time())
    for name in "abc":
        charts.request(name, called(name))
        await finished(charts)
    charts.request("a", called("a"))
    await finished(charts)
    assert analyst.analysed == ["a", "b", "c", "a"]


async def test_a_second_upload_of_a_client_is_shown_without_its_chart_at_first(
    hall: OpenHall, analyst: Analyst, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ChartQueue, "_work", lambda _charts: asyncio.sleep(0))
    person = hall.person()
    first, second = await upload(person, a_match("one")), await upload(person, a_match("two"))
    assert "chart-wait" in (await person.get(first)).text
    page = await person.get(second)
    assert page.status_code == 200
    assert "Other charts are being drawn" in page.text
    assert (await person.get(f"{second}/chart")).status_code == 429


# ------------------------------------------------------------------------------------------------------------------ the drawing

MATCHES = [
    "axes-and-allies/2-players-0",
    "viking-axes/7-players-strategic-0",
    "axxa/1-players-together-all-0",
    "dungeon-allies/4-players-0",
]


def supposed(match: Match) -> Analysis:
    """Return an analysis of a match with chances that wander, and that make some turning points."""
    draw, rows = random.Random(1), len(match.steps) + 1
    parties = tuple(tuple(party) for party in match.game.parties(match.players, match.options))
    chances = []
    level = [1.0] * len(parties)
    for _ in range(rows):
        level = [max(0.01, each + draw.uniform(-0.2, 0.2)) for each in level]
        share = {seat: value / sum(level) for party, value in zip(parties, level, strict=True) for seat in party}
        chances.append(tuple(share[seat] for seat in range(match.players)))
    turning = tuple(TurningPoint(position, 0, 0.2, 0.5) for position in sorted(draw.sample(range(1, rows), min(3, rows - 1))))
    return Analysis("public", parties, tuple(chances), (8,) * rows, ((0.05,) * match.players,) * rows, turning, secrets=False)


@pytest.mark.parametrize("name", MATCHES)
def test_every_line_and_mark_is_within_the_drawing(name: str) -> None:
    match = replayed(loads((RECORDS / f"{name}.match.json").read_text("utf-8")))
    view = chart_view(match, supposed(match))
    count = len(match.steps) + 1
    assert len(view.places) == count
    assert len(view.lines) == len(match.game.parties(match.players, match.options))
    for line in view.lines:
        numbers = [float(number) for number in re.findall(r"[\d.]+", line.path)]
        assert all(LEFT <= x <= RIGHT for x in numbers[::2])
        assert all(TOP <= y <= BOTTOM for y in numbers[1::2])
        assert len(line.percents) == count
        assert 0 <= line.crest[0] <= 480
    crests = sorted(line.crest for line in view.lines)
    assert len(set(crests)) == len(crests)
    assert list(view.columns) == sorted(set(view.columns))
    assert len(view.columns) == min(count, COLUMNS)
    assert 1 <= len(view.ticks) <= 7
    for left, right in pairwise(view.marks):
        assert right.label - left.label > MARK - 1
        assert left.position < right.position
    places = [line.crest for line in view.lines]
    for k, (x, y) in enumerate(places):
        apart = all(abs(x - other[0]) >= CREST - 1 or abs(y - other[1]) >= CREST - 1 for other in places[:k])
        assert apart or len(places) > 4, "there is room for few crests"


def test_a_flat_line_is_drawn_with_two_points() -> None:
    match = a_match(game=AXES)
    count = len(match.steps) + 1
    analysis = Analysis("public", ((0,), (1,)), ((0.5, 0.5),) * count, (0,) * count, ((0.0, 0.0),) * count, (), secrets=False)
    assert chart_view(match, analysis).lines[0].path.count("L") == min(1, count - 1)


def test_overlapping_numbers_are_spread() -> None:
    assert spread([50, 60, 300], 24, 46, 446) == pytest.approx([46, 70, 300], abs=1)
    assert spread([446, 446], 24, 46, 446) == pytest.approx([422, 446], abs=1)
    assert spread([], 24, 46, 446) == []
