"""Definitions: what each family of figures means, and the questions that they answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from meadhall.engine.text.language import marked

Unit: TypeAlias = Literal["fair shares", "share", "number", "points"]


@dataclass(frozen=True)
class Definition:
    """What a family of figures means.

    Attributes:
        group: the question that it belongs to.
        name: the name of a figure, with ``{item}`` if it is about one; a message for gettext.
        text: the definition; a message for gettext.
        unit: what it counts.
        tolerance: the range of values that is nothing to worry about; None: none is.
        usual: the range of values that is nothing remarkable; by default the tolerance. None without one: no value is remarkable
            by itself.
        alike: whether the median of the like figures of a cell is what is usual, instead of a range.
        scale: how far beyond the usual range counts as one step of surprise: a tenth of a share, or of the mean of a number.
        high: the sentence about a value above the usual range, a message for gettext with ``{cell}``, ``{value}`` and, in
            families with items, ``{items}``; "" for none.
        low: the sentence about a value below it.
    """

    group: str
    name: str
    text: str
    unit: Unit = "number"
    tolerance: tuple[float, float] | None = None
    usual: tuple[float, float] | None = None
    alike: bool = False
    scale: float = 0.1
    high: str = ""
    low: str = ""


INF = float("inf")

DEFINITIONS: Mapping[str, Definition] = {
    "place": Definition(
        "fairness",
        marked("place {item}"),
        marked("Wins by place in the order of the first turns, in fair shares: 1 is what equal chances give."),
        "fair shares",
        (0.9, 1.1),
    ),
    "shared": Definition(
        "fairness",
        marked("shared wins"),
        marked("Matches that several players win together, draws included."),
        "share",
        (0, 0.2),
        high=marked("{cell}: {value} of the matches have several winners."),
    ),
    "won": Definition("fairness", marked("won together"), marked("Matches that the players win together."), "share"),
    "dealt": Definition(
        "fairness",
        marked("dealt: {item}"),
        marked("Wins of the owner of a start piece, in fair shares."),
        "fair shares",
        (0.8, 1.2),
        high=marked("{cell}: start pieces with which players win more than their share: {items}."),
        low=marked("{cell}: start pieces with which players win less than their share: {items}."),
    ),
    "decisions": Definition("length", marked("decisions"), marked("Decisions of a match.")),
    "stopped": Definition(
        "length",
        marked("stopped matches"),
        marked("Matches that were stopped because they had too many decisions. No other figure counts them."),
        "share",
        (0, 0),
        scale=0.02,
        high=marked("{cell}: {value} of the matches never ended and were stopped."),
    ),
    "turns": Definition(
        "length", marked("turns"), marked("Turns of a match; unless the game tells them, runs of decisions of one player.")
    ),
    "rounds": Definition("length", marked("rounds"), marked("Rounds of a match: the turns of the player who has most.")),
    "waiting": Definition("length", marked("waiting"), marked("Decisions of others between two turns of a player.")),
    "longest_wait": Definition("length", marked("longest wait"), marked("The longest such wait of a match.")),
    "dead": Definition(
        "length",
        marked("watching after dropping out"),
        marked("The part of the match that a player only watches, of players who drop out."),
        "share",
        (0, 0.25),
        high=marked("{cell}: a player who drops out watches {value} of the match."),
    ),
    "first_out": Definition(
        "length", marked("first player out"), marked("The part of the match after which the first player drops out."), "share"
    ),
    "forced": Definition(
        "choice",
        marked("forced decisions"),
        marked("Decisions with a single legal action."),
        "share",
        (0, 0.5),
        high=marked("{cell}: {value} of the decisions leave no choice."),
    ),
    "legal": Definition("choice", marked("legal actions"), marked("Legal actions, where there is more than one.")),
    "legal_at": Definition("choice", marked("legal actions in part {item}"), marked("Legal actions in each tenth of a match.")),
    "effective": Definition(
        "choice", marked("effective choices"), marked("Effective choices: the exponential of the entropy of a search's visits.")
    ),
    "stakes": Definition(
        "choice", marked("stakes"), marked("Stakes: the chance of the best action less the mean of all."), "share"
    ),
    "ladder": Definition(
        "skill",
        marked("ladder: {item}"),
        marked(
            "Wins of one player of this level among players of the level below, in fair shares. From the lowest: random players, "
            "heuristics (karl), and searches that look at so many continuations."
        ),
        "fair shares",
    ),
    "solved": Definition(
        "skill", marked("won together by {item}"), marked("Matches that players of this level win together."), "share"
    ),
    "luck": Definition(
        "skill",
        marked("decided by luck"),
        marked(
            "The part of the differences between results of equal, good players (a search of 100 continuations) that deal, dice "
            "and draws explain. Their choices decide the rest."
        ),
        "share",
    ),
    "luck_of_deal": Definition(
        "skill",
        marked("of which by the deal"),
        marked("The part that the deal explains, with the draw of who begins, among the same good players."),
        "share",
    ),
    "luck_of_dice": Definition(
        "skill",
        marked("of which by dice and draws"),
        marked("The part that dice and draws after the deal explain, among the same good players."),
        "share",
    ),
    "chosen": Definition(
        "actions",
        marked("chosen: {item}"),
        marked("How often the action is chosen where it is offered beside another kind."),
        "share",
        (0.01, 0.99),
        scale=0.01,
        high=marked("{cell}: nearly always chosen where something else is offered, too: {items}."),
        low=marked("{cell}: hardly ever chosen where offered: {items}."),
    ),
    "loss": Definition(
        "actions", marked("loss: {item}"), marked("Chance lost against the best action, according to a search."), "share"
    ),
    "without": Definition(
        "actions",
        marked("without: {item}"),
        marked("Wins of a bot that avoids this kind of action, for each win in the same matches without avoiding: 1 is no loss."),
        "fair shares",
        usual=(1, 1),
    ),
    "banned": Definition(
        "actions",
        marked("ban of {item} bites"),
        marked("How often this ban changes a decision, of the decisions that offer this kind of action beside another."),
        "share",
    ),
    "shown": Definition("pieces", marked("shown: {item}"), marked("How often the piece is shown in a match.")),
    "acquired": Definition(
        "pieces",
        marked("acquired: {item}"),
        marked("How often the piece is acquired in a match."),
        "number",
        (0.02, INF),
        scale=0.004,
        low=marked("{cell}: never or hardly ever taken (times in a match): {items}."),
    ),
    "taken": Definition(
        "pieces",
        marked("taken when shown: {item}"),
        marked("How often the piece is acquired, for each time that it is shown."),
        "share",
        alike=True,
    ),
    "used": Definition("pieces", marked("used: {item}"), marked("How often the piece is used in a match.")),
    "owner": Definition(
        "pieces",
        marked("owner wins: {item}"),
        marked("Wins of its owner, in fair shares: not its worth, because who leads buys more."),
        "fair shares",
    ),
    "worth": Definition(
        "pieces",
        marked("worth: {item}"),
        marked("Mean change of the own chance over the acquisition."),
        "share",
        (-0.05, 0.1),
        scale=0.05,
        high=marked("{cell}: worth more than 10 points of chance to the player who gets it: {items}."),
        low=marked("{cell}: costs the player who gets it more than 5 points of chance: {items}."),
    ),
    "winner_lowest": Definition(
        "course",
        marked("winner's lowest chance"),
        marked("The winner's lowest chance in the match, at the upper end of its error."),
        "share",
    ),
    "comeback": Definition(
        "course",
        marked("comebacks"),
        marked("Matches whose winner once had a chance under 10 %, beyond two standard errors."),
        "share",
        usual=(0, 0.1),
        high=marked("{cell}: in {value} of the matches the winner once had a chance under 10 %."),
    ),
    "lead_changes": Definition("course", marked("lead changes"), marked("Changes of the lead, beyond two standard errors.")),
    "decided": Definition(
        "course", marked("decided after"), marked("The part of the match after which the winner leads to the end."), "share"
    ),
    "runaway": Definition(
        "course",
        marked("leader at half time wins"),
        marked("Matches won by the player who leads at half time."),
        "share",
        (0, 0.9),
        high=marked("{cell}: the player who leads at half time wins {value} of the matches."),
    ),
    "uncertainty_at": Definition(
        "course",
        marked("open after {item}"),
        marked("How much of the result is open: 1 before anything is known, 0 at the end."),
        "share",
    ),
    "kingmaking": Definition(
        "interaction",
        marked("kingmaking"),
        marked("Decisions of players without a chance that move another's by more than 10 points."),
        "share",
        (0, 0.02),
        scale=0.02,
        high=marked("{cell}: {value} of the decisions are made by players without a chance and decide for others."),
    ),
    "attacks": Definition("interaction", marked("attacks"), marked("Attacks in a match.")),
    "revenge": Definition(
        "interaction", marked("revenge"), marked("Attacks on the player who attacked last, after an attack on oneself."), "share"
    ),
    "at_leader": Definition(
        "interaction", marked("attacks on the leader"), marked("Attacks on the other player with the best chance."), "share"
    ),
    "at_leader_fair": Definition(
        "interaction",
        marked("the same with random targets"),
        marked("What this would be if targets were drawn at random."),
        "share",
    ),
    "points": Definition("score", marked("points"), marked("Points of a player."), "points"),
    "winner_points": Definition("score", marked("winner's points"), marked("Points of the winner."), "points"),
    "margin": Definition("score", marked("margin"), marked("Points of the first less points of the second."), "points"),
    "points_at": Definition(
        "score", marked("points of place {item}"), marked("Points by place in the order of the first turns."), "points"
    ),
    "own": Definition("own", marked("{item}"), marked("What you count yourself, in a match.")),
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
    "own": marked("Your own figures"),
}
"""The questions of a report in their order."""
