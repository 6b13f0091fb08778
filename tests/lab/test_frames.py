"""Reports as data frames: the same figures, the same columns for every game."""

from __future__ import annotations

import re
from typing import Any

import pytest

from meadhall import BadSetup, simulate
from meadhall.engine.errors import how_to_install
from meadhall.lab import frames, tournament

BOTS = ["greedy", "random"]


@pytest.fixture(scope="module")
def report() -> Any:
    return simulate("axes-and-allies", bots=BOTS, players=2, games=20, seed="frames")


@pytest.fixture(scope="module")
def standings() -> Any:
    return tournament("axes-and-allies", BOTS, games=20, seed="frames")


def test_a_report_has_a_row_for_each_bot_with_the_same_figures_in_both_libraries(report: Any) -> None:
    polars, pandas = report.to_polars(), report.to_pandas()
    assert polars.columns == list(pandas.columns)
    assert polars["bot"].to_list() == pandas["bot"].tolist() == BOTS
    assert polars["rate"].to_list() == pandas["rate"].tolist() == [report.by_bot[bot].rate for bot in BOTS]
    assert polars["payoff_mean"].null_count() == 2  # payoffs of Axes and Allies are shares of a win


def test_a_report_has_frames_by_seat_and_by_bot_and_seat(report: Any) -> None:
    assert report.to_polars("seat")["games"].to_list() == [rate.games for rate in report.by_seat]
    both = report.to_polars("bot and seat")
    assert (
        both.rows_by_key(["bot", "seat"], named=True, unique=True)["random", 1]["rate"]
        == report.by_bot_and_seat["random"][1].rate
    )


def test_a_tournament_has_frames_of_its_standings_and_of_pairs(standings: Any) -> None:
    bots = standings.to_pandas().set_index("bot")
    assert bots.loc["greedy", "rating_mu"] == standings.standings["greedy"].rating.mu
    assert bots.loc["greedy", "share"] == standings.standings["greedy"].share
    pairs = standings.to_polars("pair").rows_by_key(["bot", "other"], named=True, unique=True)
    assert pairs["greedy", "random"]["rate"] == standings.ahead["greedy"]["random"].rate


def test_an_unknown_frame_is_refused_and_the_others_are_named(report: Any) -> None:
    with pytest.raises(BadSetup, match="bot, seat, bot and seat"):
        report.to_polars("colour")


def test_a_missing_library_is_told_with_the_extra(report: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    for make, name in ((report.to_polars, "polars"), (report.to_pandas, "pandas")):
        with pytest.raises(frames.NoFrames, match=f"{name}.*{re.escape(how_to_install('frames'))}"):
            make()
