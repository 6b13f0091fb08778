"""Rules on a GPU: every kernel compiles, the simulator plays the games of the CPU, and a missing GPU is told."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from meadhall import BadSetup, game, random_playouts
from meadhall.engine.compute.bulk import seed_number
from meadhall.engine.errors import how_to_install

needs_numba_cuda = pytest.mark.skipif(find_spec("numba_cuda") is None, reason="numba-cuda has wheels for Linux on x86-64 only")


def run(script: str, **variables: str) -> str:
    environment = {**os.environ, "COVERAGE_PROCESS_CONFIG": "", **variables}  # measured, the simulator takes minutes
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def simulated(script: str) -> Any:
    """Run a script in the simulator of numba-cuda, with interpreted rules, and return what it prints as JSON."""
    return json.loads(run(script, NUMBA_ENABLE_CUDASIM="1", MEADHALL_INTERPRET="1"))


CONSTANT_MEMORY = 1 << 16
"""Bytes of constant memory that a kernel can have. The compiler to PTX doesn't check it."""


@needs_numba_cuda
@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "players", "games", "options"),
    [
        ("axes-and-allies", 3, 1000, {}),
        pytest.param("viking-axes", 4, 1000, {"variant": "strategic"}, marks=pytest.mark.long),
        pytest.param("axxa", 2, 1000, {"mode": "versus"}, marks=pytest.mark.long),
        pytest.param("dungeon-allies", 3, 300, {}, marks=pytest.mark.long),
    ],
)
def test_kernels_compile_for_a_gpu_and_their_code_plays_the_games_of_the_cpu(
    name: str, players: int, games: int, options: dict[str, Any]
) -> None:
    from device_code import DeviceCode  # noqa: PLC0415 - needs numba-cuda
    from meadhall.engine.compute.gpu.compile import SIGNATURES, ptx  # noqa: PLC0415 - like above

    subject = game(name)
    for kernel in SIGNATURES:
        code = ptx(subject, kernel)
        constants = re.findall(r"\.const \.align \d+ \.b8 \S+?\[(\d+)\]", code)
        assert ".visible .entry" in code
        assert sum(map(int, constants)) < CONSTANT_MEMORY

    codes = subject.encode_options(subject.check_setup(players, options)[1])
    lengths, payoffs, taken = np.zeros(games, np.int32), np.zeros((games, players)), np.zeros(1, np.int64)
    run_playouts = DeviceCode(subject, "playouts")
    run_playouts(subject.state.new(1), players, codes, seed_number("device"), 0, taken, lengths, payoffs)
    here = random_playouts(subject, players, games, "device", **options)
    assert lengths.sum() == here.decisions
    assert payoffs.sum(axis=0) == pytest.approx(here.payoffs, abs=1e-9)


PLAYOUTS = """
import json
from meadhall.engine.compute import bulk
bulk.CHUNK = 16
found = []
for name, players, count, options in games:
    for place in ({"threads": 1}, {"device": "cuda"}):
        reports = []
        played = bulk.random_playouts(name, players, count, "any", progress=reports.append, **place, **options)
        found.append([played.games, played.decisions, [payoff.hex() for payoff in played.payoffs.tolist()], sum(reports)])
print(json.dumps(found))
"""


@needs_numba_cuda
@pytest.mark.parametrize(
    "games",
    [
        [("axes-and-allies", 3, 40, {})],
        pytest.param(
            [("viking-axes", 4, 20, {}), ("axxa", 2, 20, {"mode": "versus"}), ("dungeon-allies", 3, 3, {})],
            marks=pytest.mark.long,
        ),
    ],
    ids=["smallest", "others"],
)
def test_playouts_in_the_simulator_have_the_sums_of_the_cpu_to_the_last_bit(games: Any) -> None:
    found = simulated(f"games = {games}\n{PLAYOUTS}")
    assert found[::2] == found[1::2]
    assert all(decisions > games for games, decisions, *_ in found)


BATCHES = """
import copy, json, pickle
import numpy as np
from meadhall import BadSetup, Batch, MalformedAction
found = []
for name, players, steps, options in games:
    here = Batch(name, players, 5, "any", first=3, **options)
    there = Batch(name, players, 5, "any", first=3, device="cuda", **options)
    for step in range(steps):
        masks = here.legal_masks()
        actions = np.array([mask.nonzero()[0][(7 * step) % mask.sum()] if mask.any() else 0 for mask in masks])
        actions[step % 5] += step % 3 == 2
        pairs = [(masks, there.legal_masks()), (here.actors(), there.actors()), (here.deciders(), there.deciders())]
        pairs += [(here.legal_masks(0), there.legal_masks(seat=0)), (here.scores(), there.scores())]
        pairs += [(here.step(actions), there.step(there._storage.from_host(actions) if step % 2 else actions.tolist()))]
        pairs += [(here.states.view(np.uint8), there.states.view(np.uint8))]
        assert not any(isinstance(device, np.ndarray) for _host, device in pairs)
        found.append(all(np.array_equal(host, device.copy_to_host()) for host, device in pairs))
    assert repr(there) == repr(here)
    for twin in (copy.copy(there), pickle.loads(pickle.dumps(there))):
        assert twin.device == "cuda" and twin.states.copy_to_host().tobytes() == here.states.tobytes()
    fractions = there._storage.from_host(np.zeros(5))
    for wrong, error in (([0, 1], BadSetup), (["a"] * 5, MalformedAction), (fractions, MalformedAction)):
        try:
            there.step(wrong)
        except error:
            assert there.states.copy_to_host().tobytes() == here.states.tobytes()
        else:
            found.append(False)
print(json.dumps(found))
"""


@needs_numba_cuda
@pytest.mark.parametrize(
    "games",
    [
        [("axes-and-allies", 3, 30, {})],
        pytest.param(
            [("viking-axes", 3, 60, {"variant": "strategic"}), ("axxa", 1, 12, {}), ("dungeon-allies", 2, 20, {})],
            marks=pytest.mark.long,
        ),
    ],
    ids=["smallest", "others"],
)
def test_batches_in_the_simulator_have_the_states_of_the_cpu(games: Any) -> None:
    found = simulated(f"games = {games}\n{BATCHES}")
    assert all(found)
    assert len(found) == sum(steps for _, _, steps, _ in games)


NO_DEVICE = """
import meadhall
try:
    meadhall.random_playouts("axes-and-allies", 2, 10, "any", device="cuda")
except meadhall.NoDevice as error:
    print(error)
"""


@needs_numba_cuda
def test_without_a_gpu_the_error_gives_the_reason() -> None:
    hidden = {"CUDA_VISIBLE_DEVICES": "", "NUMBA_ENABLE_CUDASIM": "0"}
    assert "there is no CUDA device" in run(NO_DEVICE, MEADHALL_INTERPRET="0", **hidden)
    assert "unset MEADHALL_INTERPRET" in run(NO_DEVICE, MEADHALL_INTERPRET="1", **hidden)
    assert "set MEADHALL_INTERPRET=1" in run(NO_DEVICE, NUMBA_ENABLE_CUDASIM="1", MEADHALL_INTERPRET="0")


def test_without_numba_cuda_the_error_names_the_extra() -> None:
    hide = "import importlib.util as util\nfind = util.find_spec\n"
    hide += "util.find_spec = lambda name, *rest: None if name == 'numba_cuda' else find(name, *rest)\n"
    assert how_to_install("gpu") in run(hide + NO_DEVICE, MEADHALL_INTERPRET="1")


def test_an_unknown_device_is_refused() -> None:
    for device in ("gpu", "cuda:0", None, 1):
        with pytest.raises(BadSetup, match="device"):
            random_playouts("axes-and-allies", 2, 10, device=device)  # type: ignore[arg-type]


def test_threads_and_a_gpu_do_not_go_together() -> None:
    with pytest.raises(BadSetup, match="neither threads"):
        random_playouts("axes-and-allies", 2, 10, threads=2, device="cuda")


IMPORTS = """
import json, sys
import meadhall
meadhall.random_playouts("axes-and-allies", 2, 10, "any", threads=1)
unwanted = "numba_cuda", "numba.cuda", "cuda", "meadhall.engine.compute.gpu"
print(json.dumps([name for name in sys.modules if name.startswith(unwanted)]))
"""


def test_a_run_on_the_cpu_loads_nothing_of_the_gpu() -> None:
    assert json.loads(run(IMPORTS)) == ["meadhall.engine.compute.gpu", "meadhall.engine.compute.gpu.device"]
