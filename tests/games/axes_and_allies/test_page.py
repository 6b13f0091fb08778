"""What the board of Axes and Allies draws."""

from __future__ import annotations

import random

from meadhall import game
from meadhall.engine.match.match import Match
from meadhall.games.axes_and_allies.page import beats, picture

AA = game("axes-and-allies")


def allied_and_voided() -> Match:
    """Return a match whose last action made an alliance that a one voided at once."""
    draw = random.Random(5)
    while True:
        match = AA.match(players=3, seed=str(draw.random()))
        for _ in range(40):
            if match.actor is None:
                break
            match.play(draw.choice([action for action in match.legal() if "ally" in action.text] or match.legal()))
            names = [event.name for event in match.steps[-1].events]
            if names[0] == "allied" and "voided" in names:
                return match


def test_an_alliance_that_a_one_voids_at_once_is_drawn() -> None:
    match = allied_and_voided()
    view = match.view()
    drawn = picture(view)
    ally = next(animation for animation in drawn.animations if animation.kind == "ally")
    voided = next(animation for animation in drawn.animations if animation.kind == "voided")
    assert (ally.seat, ally.target) == view.steps[-1].events[0].arguments
    assert (min(ally.seat, ally.target or 0), max(ally.seat, ally.target or 0)) not in drawn.alliances
    assert ally.until == voided.beat > ally.beat


def test_the_power_is_rolled_after_the_last_attack() -> None:
    match = AA.match(players=4, seed="rolled")
    match.play(match.legal()[0])
    view = match.view()
    rolled = picture(view).rolled
    names = [event.name for event in view.steps[-1].events]
    assert rolled == beats(view)[names.index("power")] > beats(view)[names.index("attack_roll")]
