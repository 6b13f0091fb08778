"""House rules of Dungeon Allies, and other readings of its printed rules. Ids are those of ``rulebook.md``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from meadhall.games.dungeon_allies.components import components_of
from meadhall.games.dungeon_allies.pieces import SIDES, Die
from meadhall.sdk import HouseRule, Origin, marked

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

HOUSE_RULES = (BIDS, FIRST_BID, FOLLOWERS, OFFERING, ENHANCE, REFILL, TREASURES)
"""The house rules in the order in which ``setup`` reads them."""


def enhance_dice(options: Mapping[str, Any]) -> list[int]:
    """DA-1.4, DA-19.5: Return the dice for Enhance, by their sides."""
    more = {SIDES[Die.D20]} if options[ENHANCE.name] != ENHANCE.default else set()
    return sorted({*components_of(options).enhance_dice, *more})


def refills(options: Mapping[str, Any]) -> bool:
    """DA-11.3, DA-19.6: Return whether empty spaces of the sorcerer are refilled."""
    return components_of(options).refill and options[REFILL.name] == REFILL.default
