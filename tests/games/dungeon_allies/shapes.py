"""Components of other shapes: documents drawn at random within the bounds that the rules set (chapter 18)."""

from __future__ import annotations

import copy
import random
import tomllib
from typing import Any

import numpy as np

from meadhall.games.dungeon_allies.components import COLOUR_NAMES, COMPONENTS, ITEM_NAMES, LEVEL_NAMES, SKILL_NAMES

DATA: dict[str, Any] = tomllib.loads(COMPONENTS.file.read_text("utf-8"))
SQUARES = 28


def shaped(**changes: Any) -> dict[str, Any]:
    """Return the built-in components with other tables."""
    return copy.deepcopy(DATA) | changes


def squares(*counts: int) -> list[dict[str, str]]:
    """DA-1.5: Return squares with these counts by level."""
    return [{"level": level} for level, count in zip(LEVEL_NAMES, counts, strict=True) for _ in range(count)]


def drawn(number: int) -> dict[str, Any]:
    """Return the components of a number: every part that may have another shape has one, drawn at random."""
    draw = random.Random(f"shape {number}")
    first, second = sorted(draw.choice([0, 5, SQUARES, draw.randint(0, SQUARES)]) for _ in range(2))
    data = shaped(
        excursion_square=squares(first, second - first, SQUARES - second),
        prisoner_space=[
            {"name": f"Prisoner {space}", "offering": some_items(draw), "reward": some_items(draw)}
            for space in range(draw.choice([1, 8, draw.randint(1, 8)]))
        ],
        trade=trade_lines(draw, draw.randint(0, 5)),
        turn_order_space=[{"position": space, "crystals": some_items(draw)} for space in range(1, 6)],
    )
    data["dice"]["enhance_dice"] = draw.sample([4, 6, 8, 10, 12, 20], draw.choice([0, 6, draw.randint(0, 6)]))
    data["sorcerer"]["refill"] = draw.random() < 0.5
    for card in data["sorcerer_card"][:: draw.randint(1, 2)]:
        kinds = [kind for kind in every_kind(draw) if draw.random() < 0.2]
        card.update({"kind": "mixed", "scores": kinds})
        for key in ("weakness", "color", "per", "points"):
            card.pop(key, None)
    for monster in data["monster"]:
        for level in LEVEL_NAMES:
            monster[level] = {"target": draw.randint(0, 30), "gold": draw.randint(0, 9)}
    return data


def some_items(draw: random.Random) -> dict[str, int]:
    """Return an offering, a reward or a gift: some items, or none."""
    return {item: draw.randint(1, 3) for item in draw.sample(ITEM_NAMES, draw.choice([0, 1, 1, 2]))}


def trade_lines(draw: random.Random, count: int) -> list[dict[str, Any]]:
    """DA-10.2: Return linearly independent lines."""
    lines: list[dict[str, Any]] = []
    while len(lines) < count:
        sides = [{colour: draw.randint(1, 2) for colour in draw.sample(COLOUR_NAMES, draw.randint(0, 2))} for _ in range(2)]
        lines.append(dict(zip(("left", "right"), sides, strict=True)))
        vectors = [[line["right"].get(each, 0) - line["left"].get(each, 0) for each in COLOUR_NAMES] for line in lines]
        if np.linalg.matrix_rank(np.array(vectors)) < len(lines):
            lines.pop()
    return lines


def every_kind(draw: random.Random) -> list[dict[str, Any]]:
    """DA-13.2: Return every kind of points that a card can score."""
    tiles = [{"kind": "monster", "weakness": skill, "points": draw.randint(0, 4)} for skill in SKILL_NAMES]
    crystals = [
        {"kind": "crystal", "color": colour, "per": draw.randint(1, 4), "points": draw.randint(1, 4)} for colour in COLOUR_NAMES
    ]
    return [*tiles, *crystals, {"kind": "fixed", "points": draw.randint(0, 6)}]
