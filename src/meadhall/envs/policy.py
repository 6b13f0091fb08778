"""A trained policy as a bot: it gets observations and masks as in its training, and plays at any table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall.engine.checks import quoted
from meadhall.engine.errors import BadSetup
from meadhall.engine.match.view import View
from meadhall.envs.observation import Form, Observation, check_form, observe

Policy = Callable[[Any, npt.NDArray[np.int8]], Any]
"""A function of an observation and a mask of the legal actions, which returns an action as a number or an array of one."""


def policy_bot(policy: Policy, form: Form = "flat") -> Callable[[View], int]:
    """Return a function from a view to an action that asks a policy: a bot for ``meadhall serve --bot NAME=module:function``.

    Args:
        policy: is called with the observation of the seat to move, as ``observe`` returns it, and with its mask: an array of int8
            with 1 for every legal action and 0 for the others.
        form: the form of the observation, ``"flat"`` or ``"dict"``, as in the training.

    Raises:
        BadSetup: there is no such form, or the policy is no function.

    Examples:
        >>> import meadhall
        >>> first = policy_bot(lambda observation, mask: mask.argmax())
        >>> match = meadhall.game("axes-and-allies").match(players=2, seed="example")
        >>> first(match.view(match.actor)) == match.legal()[0].action
        True
    """
    check_form(form)
    if not callable(policy):
        raise BadSetup(f"a policy must be a function of an observation and a mask, not {quoted(policy)}")

    def choose(view: View) -> int:
        observation: Observation = observe(view.game, view.states, view.viewer, form)
        mask = np.zeros(view.game.actions, np.int8)
        mask[list(view.legal)] = 1
        return int(np.asarray(policy(observation, mask)).item())

    return choose
