"""Numbers of actions in requests: which decision a player means.

A request names the number that its action would have. So an action that was meant for an earlier position is refused, and a
request that is repeated changes nothing. Where several seats choose at the same time, the choices of others don't outdate a
request.
"""

from __future__ import annotations

from typing import Any

from meadhall.engine.checks import as_integer
from meadhall.engine.match.match import Match
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import Stale


def is_current(match: Match, seat: int, number: int) -> bool:
    """Return whether an action with this number is meant for the decision that the seat has to make now."""
    if number == match.next_number:
        return True
    undone = {step.n for each in match.undone for step in each.steps}
    return match.decision_of(seat) < number < match.next_number and number not in undone


def check_number(match: Match, seat: int, number: int | None) -> None:
    """Check that an action with this number is meant for the pending decision of the seat. None always is. Raises Stale."""
    if number is not None and not is_current(match, seat, number):
        raise Stale(_("The game has moved on. Look again, then choose."))


def was_played(match: Match, seat: int, action: Any, number: int | None) -> bool:
    """Return whether the seat has played this action in the decision that the number means."""
    if number is None:
        return False
    position = next((k for k, step in enumerate(match.steps) if step.seat == seat and step.n >= number), None)
    if position is None or match.steps[position].action != as_integer(action):
        return False
    began = match.began(seat, position)
    return number > (match.steps[began - 1].n if began else 0)
