"""Information states: everything that a seat has seen of a match, as text with perfect recall."""

from __future__ import annotations

from collections.abc import Sequence

from meadhall.engine.match.view import View, VisibleStep
from meadhall.engine.state.events import Event
from meadhall.engine.state.schema import States, field_names


def information_state(view: View) -> str:
    """Return the information state of a view: everything that its viewer has seen since the setup, and sees now.

    The viewer can't tell two positions with the same text apart, not even with a perfect memory. The first line names the viewer.
    The second has the events of the setup. Then each step has a line: the seat, its action, and the events that the viewer was
    told. The last lines are the fields of the state as the viewer knows it; fields that are zero are left out. The text doesn't
    depend on the language, and changes only with the version of the game's rules.

    Args:
        view: the match as a seat or a spectator may know it.

    Examples:
        >>> import meadhall
        >>> from meadhall.envs import information_state
        >>> match = meadhall.game("viking-axes").match(players=2, seed="example")
        >>> events = match.play(match.legal()[0])
        >>> for line in information_state(match.view(0)).splitlines()[:3]:
        ...     print(line)
        viewer: seat 0
        setup: shuffled(120) starts(1) drew(1,axe2)
        seat 1, action 0: throws(1,0,2) hits(0,2) drew(0,shield3) places(0,shield3) drew(1,axe2)
    """
    viewer = "a spectator" if view.viewer < 0 else f"seat {view.viewer}"
    steps = map(_step_in_text, view.steps)
    return "\n".join((f"viewer: {viewer}", _line("setup:", view.setup), *steps, fields_in_text(view.states)))


def _step_in_text(step: VisibleStep) -> str:
    action = "a sealed action" if step.action < 0 else f"action {step.action}"
    return _line(f"seat {step.seat}, {action}:", step.events)


def _line(title: str, events: Sequence[Event]) -> str:
    return " ".join([title, *(str(event).replace(" ", "") for event in events)])


def fields_in_text(states: States, names: Sequence[str] | None = None) -> str:
    """Return the fields of a state (an array of one), a line each. Fields that are zero, and ``reveals``, are left out.

    Args:
        states: the state, concealed for its reader.
        names: the fields; None: all.
    """
    row, wanted = states[0], field_names(states.dtype) if names is None else names
    shown = [name for name in wanted if name != "reveals" and row[name].any()]
    return "\n".join(f"{name}: {' '.join(map(str, row[name].ravel().tolist()))}" for name in shown)
