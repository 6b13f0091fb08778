"""Plots of the results of a tournament, in SVG with readable text."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import games_for_tests.hoard  # noqa: F401 (registers the game)
from meadhall.engine.errors import how_to_install
from meadhall.engine.text.language import speaking
from meadhall.lab import Tournament, plots, tournament
from meadhall.lab.plots import NoPlots, write_plots

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def report() -> Tournament:
    return tournament("hoard", ["thrall", "karl", "random"], games=12, players=4, seed="drawn")


@pytest.fixture(scope="module")
def drawn(report: Tournament, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_plots(report, tmp_path_factory.mktemp("plots") / "new" / "folder")


def words(file: Path) -> list[str]:
    """Return all texts of a picture."""
    return ["".join(text.itertext()).strip() for text in ET.parse(file).getroot().iter(f"{SVG}text")]  # noqa: S314 (our own)


def title(file: Path) -> str | None:
    return ET.parse(file).getroot().findtext(f"{SVG}title")  # noqa: S314


def test_shares_ratings_and_the_matrix_are_plotted(report: Tournament, drawn: list[Path]) -> None:
    assert [file.name for file in drawn] == ["shares.svg", "ratings.svg", "ahead.svg"]
    for file in drawn:
        assert set(report.bots) <= set(words(file))
        assert str(title(file)).endswith(": Hoard for 4, 12 games")


def test_the_numbers_are_written_beside_their_marks(report: Tournament, drawn: list[Path]) -> None:
    shares, ratings, ahead = map(words, drawn)
    for standing in report.standings.values():
        assert standing.rating is not None
        assert f"{100 * standing.share:.1f} %" in shares
        assert f"{standing.rating.mu:.1f}" in ratings
    assert "fair: 25.0 %" in shares
    for rates in report.ahead.values():
        assert {f"{100 * rate.rate:.0f} %" for rate in rates.values()} <= set(ahead)


def test_the_positions_of_marks_follow_their_numbers(report: Tournament, drawn: list[Path]) -> None:
    """A bot with a higher share has its dot farther to the right."""
    dots = [use for use in ET.parse(drawn[0]).getroot().iter(f"{SVG}use") if "fill: #1f5c80" in use.get("style", "")]  # noqa: S314
    positions = dict(zip(report.bots, (float(dot.get("x", "0")) for dot in dots), strict=True))
    by_share = sorted(report.bots, key=lambda name: report.standings[name].share)
    assert sorted(report.bots, key=lambda name: positions[name]) == by_share


def test_cooperative_games_have_no_plot_of_ratings(tmp_path: Path) -> None:
    together = tournament("hoard", ["thrall", "karl"], games=4, seed="drawn", mode="together")
    assert [file.name for file in write_plots(together, tmp_path)] == ["shares.svg", "ahead.svg"]
    alone = tournament("hoard", ["karl"], games=4, seed="drawn", mode="together")
    assert [file.name for file in write_plots(alone, tmp_path)] == ["shares.svg"]


def test_equal_reports_give_equal_pictures(report: Tournament, drawn: list[Path], tmp_path: Path) -> None:
    again = write_plots(report, tmp_path)
    assert [file.read_bytes() for file in drawn] == [file.read_bytes() for file in again]


def test_plots_are_in_the_current_language(report: Tournament, tmp_path: Path) -> None:
    with speaking("de"):
        file = write_plots(report, tmp_path)[0]
    assert title(file) == "Gewinnrate jedes Bots: Hoard zu 4, 12 Partien"


def test_without_matplotlib_the_error_names_the_package_to_install(
    report: Tournament, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plots, "find_spec", lambda name: None)
    with pytest.raises(NoPlots, match=re.escape(how_to_install("plots"))):
        write_plots(report, tmp_path)
