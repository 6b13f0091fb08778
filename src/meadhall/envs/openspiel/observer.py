"""Observer: what a seat sees of an OpenSpiel state, as a tensor and as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyspiel

from meadhall.engine.match.view import SPECTATOR
from meadhall.engine.state.schema import field_names
from meadhall.envs.information import fields_in_text, information_state
from meadhall.envs.observation import layout, observe

if TYPE_CHECKING:
    from meadhall.envs.openspiel.game import MeadhallState
    from meadhall.envs.openspiel.position import Position, Setting


class Observer:
    """What a player sees, in the form of OpenSpiel's observers.

    With perfect recall the text is the information state, and there is no tensor: no array is long enough for every match.
    Otherwise it is the position: all of it, its public part, or its private part. The private part has the fields in which the
    player sees more than a spectator.

    Attributes:
        tensor: the flat observation of ``meadhall.envs``, float32; None with perfect recall.
        dict: the fields of ``tensor`` by name.
    """

    def __init__(self, setting: Setting, kind: Any, parameters: Mapping[str, Any] | None) -> None:
        if parameters:
            raise ValueError(f"observations have no parameters, but these were given: {parameters}")
        self._kind = kind or pyspiel.IIGObservationType(perfect_recall=False)
        self._setting = setting
        self.tensor: npt.NDArray[np.float32] | None = None
        self.dict: dict[str, npt.NDArray[np.float32]] = {}
        if not self._kind.perfect_recall:
            known = layout(setting.game)
            tensor = self.tensor = np.zeros(known.size, np.float32)
            self.dict = {field.name: tensor[field.cells].reshape(field.shape) for field in known.fields}

    def set_from(self, state: MeadhallState, player: int) -> None:
        """Write what the player sees to ``tensor``."""
        if self.tensor is not None:
            game, viewer = self._setting.game, player if self._shows_private else SPECTATOR
            self.tensor[:] = np.asarray(observe(game, state.position.states, viewer))

    @property
    def _shows_private(self) -> bool:
        return bool(self._kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER)

    def string_from(self, state: MeadhallState, player: int) -> str:
        """Return what the player sees as text."""
        position = state.position
        if self._kind.perfect_recall:
            return information_state(position.view(player if self._shows_private else SPECTATOR))
        parts = []
        if self._kind.public_info:
            parts.append(fields_in_text(position.concealed(SPECTATOR)))
        if self._kind.private_info != pyspiel.PrivateInfoType.NONE:
            everyone = self._kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS
            parts += (self._private(position, seat) for seat in (range(self._setting.players) if everyone else (player,)))
        return "\n".join(part for part in parts if part)

    def _private(self, position: Position, seat: int) -> str:
        """Return the fields in which a seat sees more than a spectator; nothing in a game of perfect information."""
        if self._setting.kind.information == "perfect":
            return ""
        public, own = position.concealed(SPECTATOR), position.concealed(seat)
        names = [name for name in field_names(own.dtype) if own[name].tobytes() != public[name].tobytes()]
        return f"seat {seat}\n{fields_in_text(own, names)}".rstrip()
