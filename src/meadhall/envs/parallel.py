"""The environment of PettingZoo in which agents act at the same time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pettingzoo import ParallelEnv

from meadhall.engine.checks import quoted
from meadhall.engine.errors import BadSetup, MalformedAction
from meadhall.engine.game import Game
from meadhall.engine.match.deciders import is_simultaneous
from meadhall.envs.observation import Form
from meadhall.envs.render import MODES
from meadhall.envs.seats import Seats

Seen = dict[str, dict[str, Any]]


class MatchParallelEnv(Seats, ParallelEnv):  # type: ignore[misc]
    """A match as a parallel environment, see ``parallel_env``."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        if not is_simultaneous(self.game):
            raise BadSetup(f"in {self.game.title} seats never choose at the same time: use aec_env")
        name = f"meadhall_{self.game.name.replace('-', '_')}_v{self.game.version}"
        self.metadata = {"name": name, "render_modes": list(MODES)}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, Seen]:  # noqa: ARG002
        """Start a new match and return all observations and infos.

        Args:
            seed: the same seed gives the same match. None: the next match of the last seed, at first a random one.
            options: ignored. The options of the game belong to the environment.
        """
        self._start(seed)
        return self._observed(), {agent: {} for agent in self.agents}

    def _observed(self) -> Seen:
        return {agent: self._seen_by(agent) for agent in self.agents}

    def step(self, actions: Mapping[str, int]) -> tuple[Seen, dict[str, float], dict[str, bool], dict[str, bool], Seen]:
        """Play the actions of all seats that have to choose. Actions of other agents are ignored: their mask is zero.

        Returns:
            Observations, rewards, terminations, truncations and infos by agent.

        Raises:
            MalformedAction, IllegalAction: an action is missing or illegal. Nothing has changed.
        """
        before, chosen = self.match.copy(), self.match.deciders
        decisions = self._decisions[:]
        try:
            for seat in chosen:
                self._play(seat, self._action_of(seat, actions))
        except Exception:
            self.match, self._decisions = before, decisions
            raise
        over = self.match.over
        truncated = not over and self._truncated
        agents, payoffs = self.agents, self._payoffs()
        seen = self._observed()
        if over or truncated:
            self.agents = []
        return (
            seen,
            dict(zip(agents, payoffs, strict=False)),
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, truncated),
            {agent: {} for agent in agents},
        )

    def _action_of(self, seat: int, actions: Mapping[str, int]) -> int:
        agent = self.possible_agents[seat]
        if agent not in actions:
            raise MalformedAction(f"{agent} has to choose, but only these agents have: {quoted(', '.join(actions))}")
        return actions[agent]


def parallel_env(
    name: str | Game,
    players: int | None = None,
    *,
    observations: Form = "flat",
    render_mode: str | None = None,
    max_cycles: int | None = None,
    **options: Any,
) -> MatchParallelEnv:
    """Return a match as a parallel environment of PettingZoo, for games in which seats choose at the same time.

    In each step all seats that have to choose act. The action mask of the others is zero, and their actions are ignored. The rest
    is like ``aec_env``.

    Args:
        name: the game, or its name.
        players: the number of players; by default the smallest.
        observations: ``flat`` for one array, ``dict`` for an array per field.
        render_mode: ``ansi``, ``svg``, ``rgb_array`` or ``human``; None: ``render`` shows nothing.
        max_cycles: the largest number of decisions of a seat; then the match is truncated. None: no limit.
        options: the options of the game.

    Raises:
        BadSetup: an argument is invalid, or seats of this game never choose at the same time.
        NoEnvs: PettingZoo is not installed.

    Examples:
        >>> from meadhall.envs import parallel_env
        >>> parallel_env("viking-axes")
        Traceback (most recent call last):
        meadhall.engine.errors.BadSetup: in Viking Axes seats never choose at the same time: use aec_env
    """
    return MatchParallelEnv(name, players, options, observations, render_mode, max_cycles)
