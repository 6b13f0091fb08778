"""Warnings about components, against all dice that the rules let into a fight."""

from __future__ import annotations

from itertools import chain, combinations
from typing import Any

import pytest

from meadhall import game
from meadhall.games.dungeon_allies.components import COMPONENTS
from meadhall.games.dungeon_allies.pieces import CRYSTALS, DICE, FIGHT_DICE, NONE, SIDES, Item, Phase, Target
from meadhall.games.dungeon_allies.rules.excursion import can_bless, can_enhance, total

DA = game("dungeon-allies")


def subsets(items: Any) -> Any:
    return chain.from_iterable(combinations(items, size) for size in range(1, len(items) + 1))


def highest_totals(options: dict[str, Any]) -> dict[int, int]:
    """Return the highest total by the number of dice, over all allies, all dice of Enhance and all dice blessed, by the rules."""
    state: Any = DA.match(seed="dice", **options).state
    best: dict[int, int] = {}
    state.actor, state.square, state.phase = 0, 0, Phase.PREP
    state.crystals[0] = CRYSTALS
    state.rolled[:] = SIDES
    for allies in subsets(range(DICE)):
        state.ally[0] = [0 if die in allies else NONE for die in range(DICE)]
        for fighting in subsets(allies):
            state.place[0] = [Target.SQUARE if die in fighting else NONE for die in range(DICE)]
            state.extra[:] = state.blessed[:] = False
            free = [die for die in range(FIGHT_DICE) if can_enhance(state, die)]
            for more in chain([()], subsets(free)):
                state.extra[:] = [die in more for die in range(FIGHT_DICE)]
                state.blessed[:] = False
                for die in range(FIGHT_DICE):
                    state.blessed[die] = can_bless(state, die)
                    state.rolled[die] = SIDES[die] if die in (*fighting, *more) else 0
                dice = len(fighting) + len(more)
                best[dice] = max(best.get(dice, 0), int(total(state)))
    assert state.crystals[0, Item.YELLOW] >= max(best)
    return best


def warned(target: int, options: dict[str, Any]) -> str:
    """Return the warning about a target on a red square, "" for none."""
    data = COMPONENTS.data(DA.check_options(options)["components"])
    data["monster"][3]["red"]["target"] = target
    found = dict(DA.warnings(DA.check_options({**options, "components": data}))) if DA.warnings else {}
    assert found.keys() <= {"components.monster.3.red.target"}
    return found.get("components.monster.3.red.target", "")


@pytest.mark.parametrize("enhance", ["built-in", "house rule", "own"])
def test_a_target_is_said_to_be_out_of_reach_only_if_no_dice_reach_it(enhance: str) -> None:
    data = COMPONENTS.data(COMPONENTS.default)
    data["dice"]["enhance_dice"] = [4, 20]
    ways: dict[str, dict[str, Any]] = {"built-in": {}, "house rule": {"enhance": "d20"}, "own": {"components": data}}
    options = ways[enhance]
    best = highest_totals(options)
    most, most_of_two = max(best.values()), best[2]
    assert (most, most_of_two) == ((80, 44) if enhance == "built-in" else (120, 64))
    assert [warned(target, options)[:6] for target in (2, most_of_two)] == ["", ""]
    assert str(most_of_two) in warned(most_of_two + 1, options)
    assert "pair" in warned(min(most, 99), options)
    assert most >= 99 or "Hammer" in warned(most + 1, options)
    assert warned(1, options) == "every roll beats it."


def test_pieces_that_no_player_can_use_are_named() -> None:
    assert DA.warnings is not None
    assert list(DA.warnings(DA.check_options({}))) == []
    data = COMPONENTS.data(COMPONENTS.default)
    data["prisoner_space"][4]["offering"]["white"] = 5
    data["sorcerer_card"][12]["per"] = 5
    for monster in data["monster"]:
        monster["weakness"] = "water" if monster["weakness"] == "fire" else monster["weakness"]
    assert dict(DA.warnings(DA.check_options({"components": data}))) == {
        "components.prisoner_space.4.offering.white": "there are only 4 of these crystals.",
        "components.sorcerer_card.12.per": "it never scores: there are only 4 of these crystals.",
        "components.sorcerer_card.0.weakness": "it never scores: no monster has this weakness.",
    }
