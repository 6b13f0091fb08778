"""Dungeon Allies: place dice on eight places and fight monsters, for 2 to 5 players."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from meadhall.games.dungeon_allies import heuristics, names, page, rules
from meadhall.games.dungeon_allies.components import COMPONENTS, LEVEL_NAMES, Components, components_of
from meadhall.games.dungeon_allies.elements import ELEMENTS, STATISTICS
from meadhall.games.dungeon_allies.heuristics import greedy
from meadhall.games.dungeon_allies.heuristics.evaluation import estimate_payoffs, is_between_turns
from meadhall.games.dungeon_allies.lessons import LESSONS
from meadhall.games.dungeon_allies.names import BUILT_IN
from meadhall.games.dungeon_allies.pieces import ACTIONS, CRYSTALS, DICE, DISPLAY, SEATS, SIDES, Act, Die, Item
from meadhall.games.dungeon_allies.rules import points_of
from meadhall.games.dungeon_allies.rules.placement import LOOKS
from meadhall.games.dungeon_allies.state import MAX_TURNS, ROUND_ENDS, State
from meadhall.games.dungeon_allies.warnings import find_warnings
from meadhall.games.dungeon_allies.words import WORDS, edition
from meadhall.sdk import Advice, Game, HouseRule, Number, Origin, Row, gettext as _, listed, marked, ngettext, rule


@rule
def greedy_without_looks(state: State, legal: Row, count: int, rng: Row) -> int:
    """Play greedily but never cast Illuminate: to value it takes as long as all other decisions of a turn."""
    return greedy(state, legal, count - (legal[count - 1] == Act.ILLUMINATE), rng)


ADVICE = Advice(
    rollout=greedy_without_looks,
    cutoff=0,
    value_cutoff=40,
    evaluate=estimate_payoffs,
    quiescent=is_between_turns,
    guide=greedy,
    exploration=0.12,
    widening=(4.0, 0.35),
    minimum_advantage=1.0,
)


def max_length(players: int, options: Mapping[str, Any]) -> int:
    """Return an upper bound of the number of decisions: DA-2.3, then DA-13.3 turns at their longest."""
    components, dice = components_of(options), players * DICE
    placing = 2 * dice + (1 + LOOKS) * CRYSTALS[Item.RED]  # DA-3.4, DA-8.1: a bid for each die, looks for each red crystal
    fights = 3 * dice  # DA-4.2, DA-4.5, DA-4.6: which fight, the roll, and accepting the loss
    spells = sum(CRYSTALS[item] for item in (Item.GREEN, Item.YELLOW, Item.BLUE))
    prisoners, follower = len(components.prisoner_space), 1
    trades = players * (1 + _exchanges(components))
    return players + MAX_TURNS * (placing + fights + spells + follower + prisoners + trades + DISPLAY)


def _exchanges(components: Components) -> int:
    """Return an upper bound of the exchanges of one visit.

    DA-10.2: Each line is used in one direction. As no line follows from the others, the crystals that a seat has gained and spent
    (DA-1.6: at most all there are) say how often each line was used.
    """
    lines = np.array([np.subtract(line.right.counts, line.left.counts)[: len(CRYSTALS)] for line in components.trade])
    if not len(lines):
        return 0
    uses = np.abs(np.linalg.pinv(lines.astype(np.float64)))
    return int(np.ceil(np.array(CRYSTALS) @ uses.sum(axis=1) - 1e-9))


BIDS = HouseRule(
    "bids",
    {
        "lost": (Origin.PRINTED, marked("All bids are lost"), marked("Gold that was bid in the tavern goes to the supply.")),
        "returned": (Origin.HOUSE, marked("Losing bids come back"), marked("A player who is outbid gets the gold back at once.")),
    },
    title=marked("Bids"),
    rules=("DA-19.1", "DA-8.2"),
)
FIRST_BID = HouseRule(
    "first_bid",
    {
        "nothing": (Origin.PRINTED, marked("The first bid is nothing"), marked("The first die in the tavern bids no gold.")),
        "one": (Origin.HOUSE, marked("The first bid is one gold or more"), marked("The first die in the tavern bids gold, too.")),
    },
    title=marked("First bid"),
    rules=("DA-19.2", "DA-3.3", "DA-8.1"),
)
FOLLOWERS = HouseRule(
    "followers",
    {
        "all": (
            Origin.READING,
            marked("Followers below all allies"),
            marked("A follower gets a die smaller than those of all other allies, followers too."),
        ),
        "characters": (
            Origin.OTHER_READING,
            marked("Followers below the characters"),
            marked("A follower gets a free die smaller than those of the two characters."),
        ),
    },
    title=marked("Dice of followers"),
    rules=("DA-19.3", "DA-8.3", "DA-8.4"),
)
OFFERING = HouseRule(
    "offering",
    {
        "later": (
            Origin.READING,
            marked("The offering is paid later"),
            marked("A prisoner's offering is due when the prisoners are freed, and may be kept."),
        ),
        "placed": (
            Origin.HOUSE,
            marked("The offering is put down with the die"),
            marked("A prisoner's offering is due when the die is placed."),
        ),
    },
    title=marked("Offering"),
    rules=("DA-19.4", "DA-3.3", "DA-9.1"),
)
ENHANCE = HouseRule(
    "enhance",
    {
        "five": (
            Origin.READING,
            marked("Enhance without the d20"),
            marked("Enhance adds a die that the components allow."),
        ),
        "d20": (Origin.OTHER_READING, marked("Enhance with the d20"), marked("Enhance may also add the d20.")),
    },
    title=marked("Dice for Enhance"),
    rules=("DA-19.5", "DA-1.4", "DA-4.5"),
)
REFILL = HouseRule(
    "refill",
    {
        "turn": (
            Origin.READING,
            marked("The sorcerer gets new cards"),
            marked("Empty spaces are refilled if the components allow it."),
        ),
        "never": (Origin.PRINTED, marked("Only five cards"), marked("Empty spaces of the sorcerer stay empty.")),
    },
    title=marked("Sorcerer"),
    rules=("DA-19.6", "DA-11.3", "DA-12.2"),
)
TREASURES = HouseRule(
    "treasures",
    {
        "several": (
            Origin.READING,
            marked("Several treasures for a player"),
            marked("A player may have dice on several treasures."),
        ),
        "one": (Origin.OTHER_READING, marked("One treasure for a player"), marked("A player may have one die on the treasures.")),
    },
    title=marked("Treasures"),
    rules=("DA-19.7", "DA-3.3", "DA-6.2"),
)

SECOND_ROUND = Number(
    "round_two",
    marked("Round 2 begins when so many tiles are gone."),
    ROUND_ENDS[0],
    (1, 15),
    title=marked("Tiles before round 2"),
    rules=("DA-19.8", "DA-12.1"),
)
THIRD_ROUND = Number(
    "round_three",
    marked("Round 3 begins when so many tiles are gone."),
    ROUND_ENDS[1],
    (16, 28),
    title=marked("Tiles before round 3"),
    rules=("DA-19.9", "DA-12.1"),
)

HOUSE_RULES = (BIDS, FIRST_BID, FOLLOWERS, OFFERING, ENHANCE, REFILL, TREASURES, SECOND_ROUND, THIRD_ROUND)
"""The house rules in the order in which ``setup`` reads them."""


def enhance_dice(options: Mapping[str, Any]) -> list[int]:
    """DA-1.4, DA-19.5: Return the dice for Enhance, by their sides."""
    more = {SIDES[Die.D20]} if options[ENHANCE.name] != ENHANCE.default else set()
    return sorted({*components_of(options).enhance_dice, *more})


def refills(options: Mapping[str, Any]) -> bool:
    """DA-11.3, DA-19.6: Return whether empty spaces of the sorcerer are refilled."""
    return components_of(options).refill and options[REFILL.name] == REFILL.default


def facts(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return pairs of a heading and a value. The headings are the same for all components."""
    components = components_of(options)
    return [
        (_(COMPONENTS.title), _title(components, COMPONENTS.shown(options["components"]))),
        (_("Squares"), _squares(components)),
        (_("Prisoners"), str(len(components.prisoner_space))),
        (_("Trade lines"), str(len(components.trade))),
        (_("Dice for Enhance"), _dice(options)),
        (_("Sorcerer"), _refill(options)),
    ]


def at_table(options: Mapping[str, Any]) -> dict[str, str]:
    """DA-1.1, DA-1.4, DA-1.5, DA-10.1, DA-11.3: Return what the rulebook says of these components, by the names it uses."""
    components = components_of(options)
    lines = len(components.trade)
    return {
        "pieces": "built-in" if components is BUILT_IN else "own",
        "title": _title(components, COMPONENTS.shown(options["components"])),
        "dice": _dice(options),
        "squares": _squares(components),
        "lines": ngettext("{count} line", "{count} lines", lines).format(count=lines),
        "cards": "refilled" if refills(options) else "empty",
    }


def warnings(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the doubtful values of the components, each with what is wrong with it."""
    found = find_warnings(components_of(options), enhance_dice(options))
    return [(f"{COMPONENTS.name}.{path}", reason) for path, reason in found]


def _dice(options: Mapping[str, Any]) -> str:
    return listed([names.sided(sides) for sides in enhance_dice(options)]) or _("none")


def _refill(options: Mapping[str, Any]) -> str:
    return _("empty spaces are refilled") if refills(options) else _("empty spaces stay empty")


def _title(components: Components, shown: str) -> str:
    """Return the name that the document gives itself, and the first digits of its hash."""
    if components is BUILT_IN:
        return shown
    return f"{components.name} ({shown})" if components.name else shown


def _squares(components: Components) -> str:
    levels = components.levels_of_squares
    colours = (_("{count} yellow"), _("{count} blue"), _("{count} red"))
    counts = (levels.count(level) for level in range(len(LEVEL_NAMES)))
    return listed([text.format(count=count) for text, count in zip(colours, counts, strict=True) if count])


def points(end: State, _options: Mapping[str, Any]) -> tuple[int, ...]:
    """DA-13.2: Return the points of every seat."""
    return tuple(points_of(end, seat) for seat in range(end.players))


game = Game(
    name="dungeon-allies",
    title="Dungeon Allies",
    tagline=marked("Send your allies out as dice: to fight, train, trade and recruit. For 2 to 5."),
    version=2,
    min_players=2,
    max_players=SEATS,
    actions=ACTIONS,
    state=State,
    rules=rules,
    words=WORDS,
    events=WORDS.events,
    edition=edition,
    page=page,
    folder=Path(__file__).parent,
    options=(COMPONENTS, *HOUSE_RULES),
    points=points,
    facts=facts,
    at_table=at_table,
    warnings=warnings,
    greedy=heuristics.greedy,
    advice=ADVICE,
    statistics=STATISTICS,
    elements=ELEMENTS,
    goal=marked("Your goal: have the most points, in gold and cards, when the last monster is gone."),
    max_length=max_length,
    lessons=LESSONS,
)
