"""The state as Python's integers and lists, for what reads much of it: pages, and no rules."""

from __future__ import annotations

from typing import Any

from meadhall.sdk import States


class PlainState:
    """The fields of a state. Each is read from the array once; its cells are then found ten times as fast."""

    def __init__(self, states: States) -> None:
        self._states = states

    def __getattr__(self, name: str) -> Any:
        """Read a field."""
        value = self.__dict__[name] = self._states[name][0].tolist()
        return value
