"""Figures: values with intervals, their definitions, and which of them are flagged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import isnan
from statistics import NormalDist
from typing import Literal, TypeAlias

from meadhall.engine.statistics import Z_95
from meadhall.engine.text.language import marked
from meadhall.lab.balance.columns import Columns, difference

Unit: TypeAlias = Literal["fair shares", "share", "number", "points"]

FALSE_DISCOVERIES = 0.05
"""The expected share of false flags among the flags of a page (Benjamini and Hochberg, 1995)."""


@dataclass(frozen=True)
class Definition:
    """What a family of figures means.

    Attributes:
        group: the question that it belongs to.
        text: the definition; a message for gettext.
        unit: what it counts.
        tolerance: the range of values that is nothing to worry about; None: none is.
    """

    group: str
    text: str
    unit: Unit = "number"
    tolerance: tuple[float, float] | None = None


INF = float("inf")

DEFINITIONS: Mapping[str, Definition] = {
    "place": Definition(
        "fairness",
        marked("Wins by place in the order of the first turns, in fair shares: 1 is what equal chances give."),
        "fair shares",
        (0.9, 1.1),
    ),
    "shared": Definition("fairness", marked("Matches that several players win together, draws included."), "share", (0, 0.2)),
    "won": Definition("fairness", marked("Matches that the players win together."), "share"),
    "dealt": Definition("fairness", marked("Wins of the owner of a start piece, in fair shares."), "fair shares", (0.8, 1.2)),
    "decisions": Definition("length", marked("Decisions of a match.")),
    "stopped": Definition(
        "length",
        marked("Matches that were stopped because they had too many decisions. No other figure counts them."),
        "share",
        (0, 0),
    ),
    "turns": Definition("length", marked("Turns of a match; unless the game tells them, runs of decisions of one player.")),
    "rounds": Definition("length", marked("Rounds of a match: the turns of the player who has most.")),
    "waiting": Definition("length", marked("Decisions of others between two turns of a player.")),
    "longest_wait": Definition("length", marked("The longest such wait of a match.")),
    "dead": Definition(
        "length", marked("The part of the match that a player only watches, of players who drop out."), "share", (0, 0.25)
    ),
    "first_out": Definition("length", marked("The part of the match after which the first player drops out."), "share"),
    "forced": Definition("choice", marked("Decisions with a single legal action."), "share", (0, 0.5)),
    "legal": Definition("choice", marked("Legal actions, where there is more than one.")),
    "legal_at": Definition("choice", marked("Legal actions in each tenth of a match.")),
    "effective": Definition("choice", marked("Effective choices: the exponential of the entropy of a search's visits.")),
    "stakes": Definition("choice", marked("Stakes: the chance of the best action less the mean of all."), "share"),
    "agency": Definition("skill", marked("Wins of this bot among random players, in fair shares."), "fair shares", (1.2, INF)),
    "ladder": Definition("skill", marked("Wins of a search with twice the iterations, in fair shares."), "fair shares"),
    "luck": Definition(
        "skill", marked("Random players: the part of the results that deal and dice decide, whatever is chosen."), "share"
    ),
    "deal_entropy": Definition("skill", marked("Entropy of the winner of one deal among random players, 0 to 1.")),
    "deal_best": Definition("skill", marked("The wins of the luckiest seat of a deal among random players."), "share"),
    "offered": Definition("actions", marked("Decisions of a match that offer this kind of action.")),
    "chosen": Definition(
        "actions", marked("How often the action is chosen where it is offered beside another kind."), "share", (0.01, 0.99)
    ),
    "loss": Definition("actions", marked("Chance lost against the best action, according to a search."), "share"),
    "without": Definition(
        "actions",
        marked("Wins of a bot that avoids this kind of action, for each win in the same matches without avoiding: 1 is no loss."),
        "fair shares",
    ),
    "shown": Definition("pieces", marked("How often the piece is shown in a match.")),
    "acquired": Definition("pieces", marked("How often the piece is acquired in a match."), "number", (0.02, INF)),
    "used": Definition("pieces", marked("How often the piece is used in a match.")),
    "owner": Definition(
        "pieces", marked("Wins of its owner, in fair shares: not its worth, because who leads buys more."), "fair shares"
    ),
    "worth": Definition("pieces", marked("Mean change of the own chance over the acquisition."), "share", (-0.05, 0.1)),
    "winner_lowest": Definition(
        "course", marked("The winner's lowest chance in the match, at the upper end of its error."), "share"
    ),
    "comeback": Definition(
        "course", marked("Matches whose winner once had a chance under 10 %, beyond two standard errors."), "share"
    ),
    "lead_changes": Definition("course", marked("Changes of the lead, beyond two standard errors.")),
    "decided": Definition("course", marked("The part of the match after which the winner leads to the end."), "share"),
    "runaway": Definition("course", marked("Matches won by the player who leads at half time."), "share", (0, 0.9)),
    "uncertainty_at": Definition(
        "course", marked("How much of the result is open: 1 before anything is known, 0 at the end."), "share"
    ),
    "kingmaking": Definition(
        "interaction",
        marked("Decisions of players without a chance that move another's by more than 10 points."),
        "share",
        (0, 0.02),
    ),
    "attacks": Definition("interaction", marked("Attacks in a match.")),
    "revenge": Definition("interaction", marked("Attacks on the player who attacked last, after an attack on oneself."), "share"),
    "at_leader": Definition("interaction", marked("Attacks on the other player with the best chance."), "share"),
    "at_leader_fair": Definition("interaction", marked("What this would be if targets were drawn at random."), "share"),
    "points": Definition("score", marked("Points of a player."), "points"),
    "winner_points": Definition("score", marked("Points of the winner."), "points"),
    "margin": Definition("score", marked("Points of the first less points of the second."), "points"),
    "points_at": Definition("score", marked("Points by place in the order of the first turns."), "points"),
}
"""The families of figures. A figure is called by its family, or ``family.item``."""

GROUPS: Mapping[str, str] = {
    "fairness": marked("Is it fair?"),
    "length": marked("How long does it take, and how long do players wait?"),
    "choice": marked("How much is there to choose?"),
    "skill": marked("Does skill decide it?"),
    "actions": marked("Which actions are used?"),
    "pieces": marked("Which pieces are used, and what are they worth?"),
    "course": marked("When is it decided?"),
    "interaction": marked("Do players act on each other?"),
    "score": marked("How do players score?"),
}
"""The questions of a report in their order."""

QUANTILES = {"p5": 0.05, "median": 0.5, "p95": 0.95}


@dataclass(frozen=True)
class Figure:
    """A measured value.

    Attributes:
        name: its name, e.g. ``"place.1"``.
        value: its value.
        low: the lower end of its 95 % interval.
        high: the upper end.
        games: the number of matches behind it.
        warning: ``"low"`` or ``"high"`` if its interval lies outside the tolerance, with few false flags on the page; else "".
    """

    name: str
    value: float
    low: float
    high: float
    games: int
    warning: str = ""

    @property
    def family(self) -> str:
        """Return the family of the figure, ``"place"`` for ``"place.1"``."""
        return self.name.partition(".")[0]

    @property
    def item(self) -> str:
        """Return what it is about within its family, ``"1"`` for ``"place.1"``; "" if it is the only one."""
        return self.name.partition(".")[2]

    @property
    def about(self) -> Definition:
        """Return the definition of the family."""
        return DEFINITIONS[self.family]


def figures_of(columns: Columns) -> dict[str, Figure]:
    """Return the figures of these columns, without flags, in the order of the definitions."""
    found: dict[str, Figure] = {}
    order = list(DEFINITIONS)
    for name in sorted(columns, key=lambda name: order.index(name.partition(".")[0])):
        column = columns[name]
        if isnan(column.value):
            continue
        low, high = column.interval()
        found[name] = Figure(name, column.value, low, high, len(column.sums))
        if column.spread:
            for suffix, share in QUANTILES.items():
                found[f"{name}.{suffix}"] = Figure(f"{name}.{suffix}", *column.quantile(share), len(column.sums))
    places = [figure for figure in found.values() if figure.family == "place"]
    if places:
        found = {"place": replace(max(places, key=lambda figure: figure.value), name="place"), **found}
    return found


def differences_of(one: Columns, other: Columns) -> dict[str, Figure]:
    """Return the differences of the figures of two variants, with intervals by pairs of matches with the same deal."""
    found = {}
    for name, column in one.items():
        if name in other and not isnan(column.value) and not isnan(other[name].value):
            gap, error = difference(column, other[name])
            found[name] = Figure(name, gap, gap - Z_95 * error, gap + Z_95 * error, min(len(column.sums), len(other[name].sums)))
    return found


def flagged(pages: Iterable[dict[str, Figure]], *, differences: bool = False) -> list[dict[str, Figure]]:
    """Return the figures with their flags. The rate of false flags holds for all pages together."""
    given = [dict(page) for page in pages]
    suspects: list[tuple[float, int, str, str]] = []
    tests = 0
    for number, page in enumerate(given):
        for name, figure in page.items():
            tolerance = (0.0, 0.0) if differences else figure.about.tolerance
            if tolerance is None or figure.item in QUANTILES or name == "place":
                continue
            tests += 1
            half = (figure.high - figure.low) / 2
            beyond = max(tolerance[0] - figure.value, figure.value - tolerance[1])
            if beyond > 0 and half >= 0:
                chance = 1 - NormalDist().cdf(Z_95 * beyond / half) if half else 0.0
                suspects.append((chance, number, name, "low" if figure.value < tolerance[0] else "high"))
    suspects.sort()
    kept = 0
    for rank, suspect in enumerate(suspects, 1):
        if suspect[0] <= FALSE_DISCOVERIES * rank / tests:
            kept = rank
    for _chance, number, name, way in suspects[:kept]:
        given[number][name] = replace(given[number][name], warning=way)
    for page in given:
        if "place" in page:
            places = [figure for figure in page.values() if figure.family == "place" and figure.item]
            page["place"] = replace(max(places, key=lambda figure: figure.value), name="place")
    return given
