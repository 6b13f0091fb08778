"""The vector environment: many matches of one game that are stepped together, for learning.

It keeps the conventions of ``gymnasium.vector.VectorEnv``. A step is one compiled pass over the matches (``stepping.py``), on all
cores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import pairwise
from typing import Any, Literal

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from meadhall.engine.checks import Seed, as_integer, check_count, quoted
from meadhall.engine.compute.bulk import Floats
from meadhall.engine.compute.executors import cores
from meadhall.engine.errors import BadSetup, MalformedAction
from meadhall.engine.game import Game
from meadhall.engine.registry import game
from meadhall.envs.desks import (
    NO_KEY,
    announced,
    check_learner,
    compiled_policies,
    keys,
    make_desks,
    make_terms,
    opponents,
    refusal,
    stepping_of,
)
from meadhall.envs.observation import Form, Layout, Observation, check_form, layout
from meadhall.envs.stepping import EVERY_SEAT, told_fields

FEWEST = 128
"""The smallest number of matches that is worth a thread."""

Flags = npt.NDArray[np.bool_]
Step = tuple[Observation, Floats, Flags, Flags, dict[str, Any]]


class MatchVectorEnv(VectorEnv[Any, Any, Any]):
    """Many matches of one game, see ``vector_env``."""

    def __init__(
        self,
        subject: Game,
        num_envs: int,
        players: int,
        seat: int,
        bots: Sequence[Any],
        options: Mapping[str, Any],
        form: Form,
        autoreset: AutoresetMode,
        limit: int,
        illegal: Literal["lose", "raise"],
        threads: int,
        copy: bool,
    ) -> None:
        self.game = subject
        self.num_envs = num_envs
        self.players = players
        self.options = options
        self.form: Form = form
        self.copy = copy
        self.metadata = {"autoreset_mode": autoreset, "render_modes": []}
        self.single_action_space = gymnasium.spaces.Discrete(subject.actions)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.single_observation_space = self.layout.space(form)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._raises = illegal == "raise"
        self._threads = threads
        self._policies, self._rule = compiled_policies(subject, bots)
        if seat == EVERY_SEAT:
            self._policies, self._rule = compiled_policies(subject, ())
        self._terms = make_terms(subject, players, options, seat, self._policies, num_envs, limit, autoreset)
        self._desks = make_desks(subject, num_envs)
        self._ready = False
        self._prepare()

    @property
    def layout(self) -> Layout:
        """Return the fields of an observation."""
        return layout(self.game)

    def _prepare(self) -> None:
        """Make what a copy or pickle doesn't contain."""
        self._module = stepping_of(self.game, self._policies, self._rule)
        shards = max(1, min(self._threads, self.num_envs // FEWEST))
        self._shards = list(pairwise(self.num_envs * k // shards for k in range(shards + 1)))
        self._pool = ThreadPoolExecutor(shards - 1, "meadhall-env") if shards > 1 else None
        self._cells = tuple(self._desks.view(kind).reshape(self.num_envs, -1) for kind in (np.int8, np.int16, np.int32))
        self._told_type = np.dtype(told_fields(self.game.max_players), align=True)
        self._last = np.zeros((self.num_envs, self.layout.size if self.form == "flat" else 0), self.layout.flat_dtype)
        self._renew()
        self._begun: set[Any] = set()
        self._every = np.ones(self.num_envs, np.bool_)

    def _renew(self) -> None:
        """Make new arrays for the outputs of a step: it is faster to write into them than to copy them afterwards."""
        self._masks = np.empty((self.num_envs, self.game.actions), np.int8)
        self._told = np.empty(self.num_envs, self._told_type)
        self._seen = np.empty(self._last.shape, self._last.dtype)
        told = self._told.view(np.int8).reshape(self.num_envs, -1)
        self._outputs = (self._masks, told, self._seen, self._last), self._cells

    def __getstate__(self) -> dict[str, Any]:
        made = (
            "_module",
            "_begun",
            "_shards",
            "_pool",
            "_cells",
            "_told_type",
            "_last",
            "_masks",
            "_told",
            "_seen",
            "_outputs",
            "_every",
        )
        return {name: value for name, value in self.__dict__.items() if name not in made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

    def __repr__(self) -> str:
        return f"<MatchVectorEnv of {self.game.name}: {self.num_envs:,} matches of {self.players} players>"

    # ------------------------------------------------------------------------------------------------------------ interface

    def reset(
        self, *, seed: Seed | Sequence[Seed | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start new matches on all desks, or on those of the mask ``options["reset_mask"]``.

        Args:
            seed: with a seed, match i is game i of the bulk run with this seed; later matches in its place are games
                i + num_envs, i + 2 * num_envs … A list has a seed for each match. Without a seed the run goes on; the first reset
                draws a seed.
            options: ``reset_mask``, bool (num_envs,): the matches to reset; by default all.

        Raises:
            BadSetup: the seed or the mask is invalid.
        """
        chosen = self._chosen(options)
        self._take_keys(seed, chosen)
        self._run(self._module.start, chosen)
        return self._observation(), self._infos()

    def step(self, actions: npt.ArrayLike) -> Step:
        """Play one action of the learner in every match, and the bots' actions up to the learner's next decision.

        Returns:
            Observations; rewards, float64 (num_envs,), of the seats that acted; terminations and truncations, bool (num_envs,);
            infos.

        Raises:
            BadSetup: the number of actions differs from the number of matches, or the environment was never reset.
            MalformedAction: an action is no integer of the action space.
            IllegalAction: an action is illegal, and illegal actions raise. Nothing has changed.
        """
        chosen = self._checked(actions)
        self._run(self._module.advance, chosen)
        rewards, terminated, truncated = (self._told[name].copy() for name in ("reward", "terminated", "truncated"))
        return self._observation(), rewards, terminated, truncated, self._step_infos(terminated | truncated)

    def close_extras(self, **_arguments: Any) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    # --------------------------------------------------------------------------------------------------------------- inside

    def _run(self, loop: Any, argument: npt.NDArray[Any]) -> None:
        """Run a compiled loop over all matches, in several threads where that is worthwhile."""
        first, *others = self._shards
        if self.copy:
            self._renew()

        def run(shard: tuple[int, int]) -> None:
            loop(self._desks, self._terms, argument, *shard, *self._outputs)

        with nullcontext() if loop in self._begun else announced(self.game, loop):
            waiting = [self._pool.submit(run, shard) for shard in others] if self._pool else []
            run(first)
            for each in waiting:
                each.result()
        self._begun.add(loop)

    def _chosen(self, options: Mapping[str, Any] | None) -> Flags:
        """Return the mask of the matches to reset. Raises BadSetup."""
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return self._every
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise BadSetup(f"reset_mask is an array of {self.num_envs} booleans, of which at least one is True")
        return mask

    def _take_keys(self, seed: Any, chosen: Flags) -> None:
        """Give the chosen matches the keys of their run, and the numbers of their next games. Raises BadSetup."""
        if as_integer(seed) is not None:
            super().reset(seed=as_integer(seed))
        if isinstance(seed, list | tuple):
            if len(seed) != self.num_envs:
                raise BadSetup(f"a list of seeds has one for each of the {self.num_envs} matches, not {len(seed)}")
            for i in np.flatnonzero(chosen):
                if seed[i] is not None:
                    self._number(np.array([i]), keys(seed[i]))
                    self._desks["number"][i] = 0
        elif seed is not None:
            self._number(np.flatnonzero(chosen), keys(seed))
        keyless = chosen & (self._desks["key"] == NO_KEY)
        if keyless.any():
            self._number(np.flatnonzero(keyless), keys(None))
        self._ready = self._ready or not (self._desks["key"] == NO_KEY).any()

    def _number(self, chosen: npt.NDArray[np.intp], keys: tuple[int, int]) -> None:
        """Let these matches be games of a run, from the first on."""
        self._desks["number"][chosen] = chosen
        self._desks["key"][chosen], self._desks["bot_key"][chosen] = keys

    def _checked(self, actions: Any) -> npt.NDArray[np.int64]:
        """Return the actions as integers of the action space. Raises BadSetup, MalformedAction or IllegalAction."""
        if not self._ready:
            raise BadSetup("reset the environment before its first step")
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,):
            raise BadSetup(f"{self.num_envs} actions are needed, one per match; got shape {chosen.shape}")
        if chosen.dtype.kind not in "iu":
            raise MalformedAction(f"actions are integers, not {chosen.dtype}")
        chosen = chosen.astype(np.int64, copy=False)
        if self._raises:
            wrong = self._module.first_illegal(self._desks, chosen)
            if wrong >= 0:
                state = self.game.state.at(self._desks["state"], wrong)
                raise refusal(self.game, self.players, state, int(chosen[wrong]), f"match {wrong}: ")
        return chosen

    def _own(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return an output, or a copy of it."""
        return array.copy() if self.copy else array

    def _observation(self) -> Observation:
        return self._seen if self.form == "flat" else self._named("view")

    def _named(self, states: str) -> Observation:
        """Return concealed states of the desks as named arrays."""
        return {name: self._own(cells) for name, cells in self.layout.named(self._desks[states]).items()}

    def _infos(self) -> dict[str, Any]:
        """Return the infos of all matches: the legal actions and the seat that is asked."""
        infos: dict[str, Any] = {"action_mask": self._masks, "seat": self._told["viewer"].copy()}
        return infos | {f"_{name}": self._every for name in infos}

    def _step_infos(self, ended: Flags) -> dict[str, Any]:
        """Return the infos of a step, with the rewards of all seats and the last observations of matches that ended."""
        infos = self._infos()
        infos["rewards"], infos["_rewards"] = self._own(self._told["payoffs"][:, : self.players]), self._every
        infos["illegal"], infos["_illegal"] = self._told["illegal"].copy(), self._every
        if self.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP and ended.any():
            last = self._own(self._last) if self.form == "flat" else self._named("final")
            infos["final_obs"], infos["_final_obs"] = last, ended
        return infos


def vector_env(
    name: str | Game,
    num_envs: int = 1,
    *,
    players: int | None = None,
    seat: int | Literal["rotate"] | None = None,
    bots: Any = "thrall",
    observations: Form = "flat",
    autoreset: AutoresetMode | str = AutoresetMode.SAME_STEP,
    max_episode_steps: int | None = None,
    illegal: Literal["lose", "raise"] = "lose",
    threads: int | None = None,
    copy: bool = True,
    **options: Any,
) -> MatchVectorEnv:
    """Make an environment of many matches that are stepped together.

    A step plays one action in every match. By default the learner plays every seat (self-play): observation, mask and
    ``infos["seat"]`` are of the seat to move, and the reward is that of the seat that acted. With a ``seat`` the learner plays
    that seat against bots, which play within the step. If such a match is over before the learner's first decision, the learner
    still gets its reward: the mask allows every action, and the next step ignores the action and ends the match.

    ``infos`` has ``action_mask``, int8 (num_envs, actions), 1 where an action is legal, and ``seat``, int8 (num_envs,). After a
    step it also has ``rewards``, float64 (num_envs, players), of all seats; ``illegal``, bool (num_envs,); and where matches were
    reset, ``final_obs``: the last observations, of the matches that ``_final_obs`` marks. A reward is a payoff; it is 0 until the
    match is over.

    Args:
        name: the game, or its name.
        num_envs: the number of matches.
        players: the number of players; by default the smallest number.
        seat: the learner's seat; ``"rotate"`` for another seat in every match; None for every seat.
        bots: the policy of the other seats, or one for each, clockwise from the learner: ``thrall``, ``karl`` or a rule like
            ``Game.greedy``.
        observations: ``flat`` for one array, ``dict`` for an array per field, see ``layout``.
        autoreset: when a match that has ended is replaced: ``same_step`` (the observation is the first one of the next match),
            ``next_step`` (the next action is ignored) or ``disabled``.
        max_episode_steps: the number of the learner's decisions after which a match is truncated; by default no limit.
        illegal: ``lose`` ends the match of an illegal action with the smallest payoff for its seat; ``raise`` raises
            ``IllegalAction`` and plays no action of the step.
        threads: the number of threads; by default one per core.
        copy: whether outputs are copies. Without copies they are the environment's own memory, which the next step overwrites.
        options: options of the game.

    Raises:
        BadSetup: an argument is invalid.

    Examples:
        >>> env = vector_env("viking-axes", num_envs=4, players=3)
        >>> observations, infos = env.reset(seed=1)
        >>> actions = infos["action_mask"].argmax(axis=1)
        >>> observations, rewards, terminations, truncations, infos = env.step(actions)
        >>> rewards
        array([0., 0., 0., 0.])
    """
    subject = game(name)
    count, chosen = subject.check_setup(subject.min_players if players is None else players, options)
    learner = check_learner(seat, count)
    if illegal not in ("lose", "raise"):
        raise BadSetup(f"illegal actions lose or raise, not {quoted(illegal)}")
    return MatchVectorEnv(
        subject,
        check_count(num_envs, "matches"),
        count,
        learner,
        opponents(bots, count),
        chosen,
        check_form(observations),
        _check_mode(autoreset),
        0 if max_episode_steps is None else check_count(max_episode_steps, "steps"),
        illegal,
        cores() if threads is None else check_count(threads, "threads"),
        bool(copy),
    )


def _check_mode(mode: Any) -> AutoresetMode:
    """Return the autoreset mode. Raises BadSetup."""
    for known in AutoresetMode:
        if mode in (known, known.name.lower()):
            return known
    raise BadSetup(f"autoreset is {', '.join(known.name.lower() for known in AutoresetMode)}, not {quoted(mode)}")
