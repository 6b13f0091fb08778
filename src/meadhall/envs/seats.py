"""What the two environments of PettingZoo share: a match, and what each agent sees and gets."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding

from meadhall.engine.checks import check_count, quoted
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import SPECTATOR
from meadhall.engine.registry import game
from meadhall.engine.state.schema import copied
from meadhall.envs.observation import Form, check_form, layout, observe
from meadhall.envs.render import MODES, render

RENDER_MODES = ("human", *MODES)

Shown = npt.NDArray[np.uint8] | str | None


class Seats:
    """The seats of a match as agents: ``player_0`` has seat 0. An environment adds how they take turns.

    Attributes:
        match: the match that is being played. It has the record, the events and their texts.
        game: the game.
        players: the number of players.
        options: the checked options.
        render_mode: how ``render`` shows the match; None: not at all.
        max_cycles: the largest number of decisions of a seat before the match is truncated; None: no limit.
    """

    metadata: dict[str, Any]
    match: Match

    def __init__(
        self,
        name: str | Game,
        players: int | None,
        options: Mapping[str, Any],
        observations: Form,
        render_mode: str | None,
        max_cycles: int | None,
    ) -> None:
        self.game = game(name)
        self.players, self.options = self.game.check_setup(self.game.min_players if players is None else players, options)
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise BadSetup(f"the render mode must be one of {', '.join(RENDER_MODES)}, not {quoted(render_mode)}")
        self.render_mode = render_mode
        self.max_cycles = None if max_cycles is None else check_count(max_cycles, "cycles")
        self.possible_agents = [f"player_{seat}" for seat in range(self.players)]
        self.agents: list[str] = []
        self._form = check_form(observations)
        known = layout(self.game)
        seen = {"observation": known.space(self._form), "action_mask": spaces.MultiBinary(self.game.actions)}
        self._observation_spaces = {agent: spaces.Dict(seen) for agent in self.possible_agents}
        self._action_spaces = {agent: spaces.Discrete(self.game.actions) for agent in self.possible_agents}
        self.state_space = known.space("flat")
        self._generator, _ = seeding.np_random()

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations: ``observation`` and ``action_mask``."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's actions, the action numbers of the game."""
        return self._action_spaces[agent]

    def _start(self, seed: int | None) -> None:
        """Start a new match: the same one for the same seed, without a seed the next one of the last seed."""
        if seed is not None:
            self._generator, _ = seeding.np_random(seed)
        key = self._generator.bytes(32)
        self.match = Match(self.game, players=self.players, seed=key, options=self.options)
        self.agents = self.possible_agents[:]
        self._decisions = [0] * self.players

    def _seen_by(self, agent: str) -> dict[str, Any]:
        """Return the observation and action mask of an agent. The mask is zero unless the agent has to choose."""
        seat = self.possible_agents.index(agent)
        mask = np.zeros(self.game.actions, np.int8)
        mask[list(self.match.view(seat).legal)] = 1
        return {"observation": observe(self.game, self.match.states, seat, self._form), "action_mask": mask}

    def _play(self, seat: int, action: Any) -> None:
        self.match.play(int(action) if isinstance(action, np.integer) else action, seat)
        self._decisions[seat] += 1

    @property
    def _truncated(self) -> bool:
        """Return whether a seat with a pending choice has used up its decisions."""
        return self.max_cycles is not None and any(self._decisions[seat] >= self.max_cycles for seat in self.match.deciders)

    def _payoffs(self) -> list[float]:
        result = self.match.result()
        return [0.0] * self.players if result is None else list(result.scores)

    def state(self) -> npt.NDArray[Any]:
        """Return the complete state with everything hidden, for a critic that is trained with it. No agent may act on it."""
        everything = copied(self.match.states)
        everything["reveals"] = 0
        cells = [everything[field.name][0].ravel() for field in layout(self.game).fields[1:]]
        return np.concatenate([[SPECTATOR], *cells]).astype(self.state_space.dtype)

    def render(self) -> Shown:
        """Show the match as the seat to move may know it; at the end, and while several seats choose, as a spectator may.

        Returns:
            A text for ``ansi``, an SVG document for ``svg``, an array (height, width, 3) for ``rgb_array``; None for ``human``,
            which prints the text.
        """
        if self.render_mode is None:
            return None
        alone = len(self.match.deciders) == 1
        view = self.match.view(self.match.actor if alone else None)
        if self.render_mode == "human":
            sys.stdout.write(f"{render(view, 'ansi')}\n")
            return None
        return render(view, self.render_mode)  # type: ignore[call-overload, no-any-return]

    def close(self) -> None:
        """Do nothing: there is no window."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.game.name}: {self.players} players>"

    def __str__(self) -> str:
        return str(self.metadata["name"])
