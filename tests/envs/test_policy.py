"""A trained policy as a bot: it sees what it saw in its training, and nothing that its seat may not know."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from meadhall.bots.bot import NamedBot, read_declaration
from meadhall.engine.errors import BadSetup
from meadhall.engine.registry import game
from meadhall.envs.observation import observe, policy_bot


@pytest.mark.parametrize("form", ["flat", "dict"])
def test_a_policy_gets_the_observation_and_the_mask_of_its_seat(form: Any) -> None:
    match = game("viking-axes").match(players=3, seed="policy", variant="strategic")
    asked = []

    def policy(observation: Any, mask: Any) -> Any:
        asked.append((observation, mask))
        return np.array([np.flatnonzero(mask)[-1]])

    bot = policy_bot(policy, form)
    for _step in range(20):
        seat = match.actor
        assert seat is not None
        legal = [int(action) for action in match.legal()]
        expected = observe(match.game, match.states, seat, form)
        action = bot(match.view(seat))
        assert action == legal[-1]
        observation, mask = asked[-1]
        assert np.flatnonzero(mask).tolist() == legal
        np.testing.assert_equal(observation, expected)
        match.play(action)


chosen = policy_bot(lambda observation, mask: mask.argmax())


def test_a_policy_can_be_named() -> None:
    match = game("viking-axes").match(players=2, seed="policy")
    bot = NamedBot(match.game, read_declaration(f"ada={__name__}:chosen"))
    assert bot.choose(match.view(match.actor)) == match.legal()[0].action


def test_a_wrong_form_or_policy_is_refused() -> None:
    with pytest.raises(BadSetup):
        policy_bot(lambda observation, mask: 0, "square")  # type: ignore[arg-type]
    with pytest.raises(BadSetup):
        policy_bot(3)  # type: ignore[arg-type]
