"""Kinds of actions, as reports and the command line name them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from meadhall.engine.checks import quoted
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.engine.report_terms import MOST_KINDS, ActionKind
from meadhall.engine.text.language import gettext as _


def action_kinds(subject: Game) -> tuple[ActionKind, ...]:
    """Return the kinds of actions that a game declares; else every action is a kind, if there are not too many."""
    if subject.elements.actions:
        return subject.elements.actions
    if subject.actions > MOST_KINDS:
        return ()
    return tuple(
        ActionKind(f"action_{k}", _("action {number}").format(number=k), range(k, k + 1)) for k in range(subject.actions)
    )


def kinds_by_action(subject: Game) -> npt.NDArray[np.int64]:
    """Return the index of the kind of each action, int64 (actions,); -1 for an action of no kind."""
    found = np.full(subject.actions, -1, np.int64)
    for number, kind in enumerate(action_kinds(subject)):
        found[kind.actions.start : kind.actions.stop] = number
    return found


def kind_mask(subject: Game, names: Iterable[str]) -> int:
    """Return these kinds of actions as a mask of bits. Raises BadSetup."""
    known = [kind.name for kind in action_kinds(subject)]
    for name in names:
        if name not in known:
            listed = ", ".join(known) or "none"
            raise BadSetup(f"{subject.title} has no kind of action {quoted(name)}; its kinds: {listed}")
    return sum(1 << known.index(name) for name in dict.fromkeys(names))
