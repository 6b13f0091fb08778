"""Plots of a tournament as SVG with text: win rates, ratings, and a matrix of pairwise results.

They need Matplotlib, an optional dependency (the extra ``plots``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from meadhall.engine.errors import MeadhallError, how_to_install
from meadhall.engine.registry import game
from meadhall.engine.text.language import decimal, grouped, percent
from meadhall.engine.text.language import gettext as _
from meadhall.lab.control_variate import Adjusted
from meadhall.lab.standings import Standing, Tournament

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The colours of the light theme, see css/tokens.css.
PAPER, FIELD, INK, QUIET, LINE = "#fbf6ea", "#ece1cd", "#2a1d13", "#6b5a48", "#cfbd9d"
EMBER, FJORD = "#a8371a", "#1f5c80"

STYLE: dict[Any, Any] = {
    "axes.edgecolor": LINE,
    "axes.facecolor": PAPER,
    "axes.labelcolor": QUIET,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlepad": 24,
    "axes.titlesize": 13,
    "axes.titleweight": "bold",
    "figure.constrained_layout.h_pad": 0.16,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.w_pad": 0.2,
    "figure.facecolor": PAPER,
    "font.size": 11,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "svg.fonttype": "none",  # keep text as text, for screen readers, search and copying
    "svg.hashsalt": "meadhall",  # the same plot always gives the same file
    "text.color": INK,
    "xtick.color": QUIET,
    "xtick.major.size": 0,
    "ytick.color": QUIET,
    "ytick.labelcolor": INK,
    "ytick.major.size": 0,
}

DARK = 0.36
"""The distance of a rate from 1/2 above which its colour is dark and the text on it is light."""


class NoPlots(MeadhallError):
    """Matplotlib is not installed."""


class Plot(NamedTuple):
    """A plot: its file name, title, size in inches, and drawing function."""

    name: str
    title: str
    size: tuple[float, float]
    draw: Callable[[Axes], None]


class Estimate(NamedTuple):
    """A measured value, its interval and its text."""

    value: float
    low: float
    high: float
    text: str


def check_plots(folder: Path | str) -> None:
    """Make the folder and check that plots can be drawn, before a run that may take hours. Raises NoPlots or OSError."""
    if find_spec("matplotlib") is None:
        raise NoPlots(f"plots need matplotlib, which is not installed: {how_to_install('plots')}")
    Path(folder).mkdir(parents=True, exist_ok=True)


def write_plots(report: Tournament, folder: Path | str) -> list[Path]:
    """Draw a tournament as SVG files in a folder and return their paths. Raises NoPlots or OSError."""
    check_plots(folder)
    from matplotlib import rc_context  # noqa: PLC0415 - Matplotlib is an optional dependency
    from matplotlib.figure import Figure  # noqa: PLC0415

    files = []
    for plot in plots_of(report):
        with rc_context(STYLE):
            figure = Figure(figsize=plot.size)
            axes = figure.subplots()
            plot.draw(axes)
            axes.set_title(plot.title)
            file = Path(folder) / f"{plot.name}.svg"
            figure.savefig(file, metadata={"Title": plot.title.replace("\n", ": "), "Date": None})
        files.append(file)
    return files


def plots_of(report: Tournament) -> Iterator[Plot]:
    """Yield the plots of a tournament. A cooperative game has no ratings, a single bot no matrix."""
    played = _("{game} for {players}, {games} games").format(
        game=game(report.game).title, players=report.players, games=grouped(report.games)
    )
    wide = 7.5, 2.2 + 0.5 * len(report.bots)
    standings = list(report.standings.values())
    note = _("win rate; the bar is its 95 % interval")

    def shares(name: str, title: str, of: Sequence[Standing | Adjusted]) -> Plot:
        estimates = [Estimate(each.share, each.low, each.high, percent(each.share)) for each in of]
        fair = standings[0].fair
        return Plot(
            name,
            f"{title}\n{played}",
            wide,
            lambda axes: draw_estimates(axes, report.bots, estimates, note, fair, shares=True),
        )

    yield shares("shares", _("Win rate of each bot"), standings)
    adjusted = [each.adjusted for each in standings if each.adjusted is not None]
    if len(adjusted) == len(standings):
        yield shares("without-luck", _("Win rate of each bot, corrected for luck"), adjusted)
    rated = [each.rating for each in standings if each.rating is not None]
    if rated:
        estimates = [Estimate(each.mu, each.low, each.high, decimal(each.mu, 1)) for each in rated]
        heading = _("Rating of each bot") + "\n" + played
        scale = _("rating; the bar is its 95 % interval")
        yield Plot("ratings", heading, wide, lambda axes: draw_estimates(axes, report.bots, estimates, scale))
    if len(report.bots) > 1:
        heading = _("How often the row finishes ahead of the column") + "\n" + played
        room = max(6.5, 2.5 + 0.9 * len(report.bots)), 2.0 + 0.6 * len(report.bots)
        yield Plot("ahead", heading, room, lambda axes: draw_matrix(axes, report))


def draw_estimates(
    axes: Axes,
    names: Sequence[str],
    estimates: Iterable[Estimate],
    note: str,
    fair: float | None = None,
    *,
    shares: bool = False,
) -> None:
    """Draw a row for each bot, the last on top: a dot for the value, a bar for its interval, and the number."""
    for row, estimate in enumerate(estimates):
        axes.plot([estimate.low, estimate.high], [row, row], color=FJORD, linewidth=7, alpha=0.35, solid_capstyle="round")
        axes.plot(estimate.value, row, "o", color=FJORD, markersize=9)
        axes.annotate(estimate.text, (estimate.high, row), (10, 0), textcoords="offset points", va="center", fontweight="bold")
    axes.set_yticks(range(len(names)), names, fontsize=12)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    axes.margins(x=0.16)
    axes.set_xlabel(note)
    if fair is not None:
        axes.axvline(fair, color=EMBER, linewidth=1.5, linestyle=(0, (5, 3)), zorder=1)
        axes.annotate(
            _("fair: {share}").format(share=percent(fair)),
            (fair, 1),
            (0, 3),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            color=EMBER,
            ha="center",
            fontsize=10,
        )
    if shares:
        axes.xaxis.set_major_formatter(lambda value, _position: f"{decimal(100 * value, 3, exactly=False)} %")


def draw_matrix(axes: Axes, report: Tournament) -> None:
    """Draw a square for each pair, with its rate as a colour and a number."""
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415

    bots = report.bots
    rates = np.full((len(bots), len(bots)), np.nan)
    for (row, name), (column, other) in permutations(enumerate(bots), 2):
        if report.ahead[name][other].games:
            rates[row, column] = report.ahead[name][other].rate
    colours = LinearSegmentedColormap.from_list("win and loss", [EMBER, FIELD, FJORD])
    axes.pcolormesh(np.ma.masked_invalid(rates), cmap=colours, vmin=0, vmax=1, edgecolors=PAPER, linewidth=3)
    for (row, column), rate in np.ndenumerate(rates):
        colour = QUIET if np.isnan(rate) else PAPER if abs(rate - 0.5) > DARK else INK
        text = "–" if np.isnan(rate) else percent(rate, 0)
        axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=colour, fontsize=12, fontweight="bold")
    places = np.arange(len(bots)) + 0.5
    axes.set_xticks(places, bots)
    axes.set_yticks(places, bots)
    axes.tick_params(labelsize=12, labelcolor=INK)
    axes.invert_yaxis()
    axes.spines["bottom"].set_visible(False)
    axes.set_xlabel(_("a draw counts as half"))
