"""Positions of Dungeon Allies in which it says what seldom occurs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from games.dungeon_allies.scenes import A, B, bid, bless, enhance, go, place, scene, send
from games.dungeon_allies.shapes import DATA, shaped
from games.dungeon_allies.test_refusals import DECISIONS
from meadhall import Match, replay
from meadhall.games.dungeon_allies.pieces import TRAINER_SPACES, Act
from meadhall.games.dungeon_allies.state import MAX_TURNS

RECORDS = Path(__file__).parents[2] / "records" / "dungeon-allies"


def scenes() -> Iterator[Match]:
    """Yield the positions."""
    for record in ("level-draw", "last-turn-0"):
        yield replay(json.loads((RECORDS / f"{record}.match.json").read_text("utf-8")))
    for decision in DECISIONS.values():
        yield decision()
    for answer in (Act.BUY, Act.DECLINE):
        buying = DECISIONS[Act.BUY.phase]()
        buying.play(answer)
        yield buying
    yield scene(followers=0)
    yield with_fields(scene(), trainees=TRAINER_SPACES)
    yield with_fields(scene(gold={A: 99}), bidder=B, bid=60)
    yield placed(scene(), (A, 4, "turn_order"), (B, 4, "trade"))
    yield placed(scene(), (A, 4, "tavern"))
    yield placed(scene(), (A, 4, "tavern"), (B, 4, "trade"))
    raised = placed(scene(gold={A: 9, B: 3}), (A, 4, "tavern"), (B, 4, "tavern"))
    raised.play(bid(2))
    raised.play(place(6, "tavern"))
    yield raised
    enhanced = scene({A: {4: "water", 6: "fire"}}, crystals={A: "YYGGW"}, monsters={9: (9, 1, "water")})
    send(enhanced, (A, 4, "square:9"), (B, 4, "trade"), (A, 6, "square:9"), (B, 6, "trade"))
    enhanced.play(bless(6))
    enhanced.play(enhance(12))
    yield enhanced
    yield placed(scene(crystals={A: "RRB"}), (A, 4, "trade"), (B, 4, "treasure:1"), (A, 6, "trade"), (B, 6, "treasure:2"))
    everywhere = ((A, 4, "trade"), (B, 4, "treasure:1"), (A, 6, "treasure:2"), (B, 6, "treasure:3"))
    yield placed(scene(crystals={A: "RRRRYG", B: "B" * 16}), *everywhere)
    yield scene({A: {4: "water", 6: "fire", 8: "nature", 10: "melee", 12: "armor"}})
    yield with_fields(scene(crystals={A: "R"}), seen=1 << 1)
    last = scene(turn=MAX_TURNS, gold={B: 3})
    go(last)
    yield last
    yield from with_other_components()
    yield placed(scene(crystals={A: "RR"}, components=shaped(trade=DATA["trade"][:1])), *everywhere)


def with_other_components() -> Iterator[Match]:
    """Yield positions with fewer prisoners and lines, a prisoner without a reward, and a card without points."""
    cards = [DATA["sorcerer_card"][0] | {"id": "blank", "kind": "mixed", "scores": []}, *DATA["sorcerer_card"][1:]]
    for key in ("weakness", "points"):
        cards[0].pop(key, None)
    for offering in ({"red": 1}, {"green": 2}, {"white": 2}):
        prisoners = [{"name": "Miser", "offering": offering, "reward": {}}]
        components = shaped(prisoner_space=prisoners, trade=DATA["trade"][:1], sorcerer_card=cards)
        match = scene(crystals={A: "R"}, components=components)
        yield match.copy()
        yield placed(match, (A, 4, "prisoner:1"), (B, 4, "treasure:1"), (A, 6, "treasure:2"), (B, 6, "treasure:3"))


def placed(match: Match, *dice: tuple[int, int, str]) -> Match:
    """Return the match after some placements."""
    send(match, *dice)
    return match


def with_fields(match: Match, **fields: Any) -> Match:
    """Return a match with other values of some fields."""
    states = match.states
    for name, value in fields.items():
        states[name][0] = value
    return match.supposing(states)
