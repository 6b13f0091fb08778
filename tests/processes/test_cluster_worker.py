"""Bots of a hall think on the nodes of a real Ray cluster, and on this machine while there is none."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

import meadhall
from meadhall.engine.errors import BadSetup
from meadhall.engine.match.view import View
from meadhall.server.hall.room import Room
from meadhall.server.settings import Settings
from meadhall.server.worker.client import NoNode
from meadhall.server.worker.cluster import ClusterWorker
from meadhall.server.worker.tasks import AnalyseMatch, ChooseAction, EvaluatePosition, FindHints, LoadRules, SolveDeal
from server.people import AXES, OpenHall, Program, open_hall, until

if TYPE_CHECKING:
    from lab.ray_nodes import Nodes

pytestmark = [
    pytest.mark.long,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray has no wheel for this platform"),
]

PATIENCE = 120.0
VIKINGS = "viking-axes"


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    from lab.ray_nodes import ray_nodes  # noqa: PLC0415 - every process that collects tests would import Ray

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COVERAGE_PROCESS_CONFIG", "")  # not of Ray's processes
        patch.setenv("MEADHALL_INTERPRET", "1")
        with ray_nodes() as nodes:
            yield nodes


@pytest_asyncio.fixture(loop_scope="module")
async def worker(nodes: Nodes) -> AsyncIterator[ClusterWorker]:
    worker = ClusterWorker(nodes.address)
    yield worker
    await worker.close()
    nodes.kill_all()


async def ready(worker: ClusterWorker, name: str = AXES) -> None:
    """Wait until a node can play a game."""
    async with asyncio.timeout(PATIENCE):
        while True:
            with suppress(NoNode):
                await worker.cluster.run(LoadRules(name))
                return
            await asyncio.sleep(0.1)


def a_view() -> View:
    match = meadhall.game(AXES).match(players=2, seed="thought about")
    return match.view(match.actor)


async def test_every_kind_of_task_runs_on_a_node(nodes: Nodes, worker: ClusterWorker) -> None:
    nodes.join()
    await ready(worker)
    await ready(worker, "axxa")
    there, view = worker.cluster, a_view()
    for name in ("thrall", "search@20", "jarl"):
        assert await there.run(ChooseAction("table", name, view)) in view.legal
    worker.forget("table")
    assert (await there.run(FindHints(view)))[0].action in view.legal
    payoffs = await there.run(EvaluatePosition(view, 0.05))
    assert len(payoffs) == 2
    with pytest.raises(BadSetup):
        await there.run(SolveDeal("axxa", bytes(32), {"mode": "none"}))

    match = meadhall.game(AXES).match(players=2, seed="thought about")
    while not match.over:
        match.play(match.legal()[0])
    reported: list[float] = []
    analysis = await there.run(AnalyseMatch(match.record(), "public"), reported.append)
    result = match.result()
    assert result is not None
    assert analysis.chances[-1] == result.scores
    assert reported == sorted(reported)


async def test_a_decision_whose_node_dies_is_made_by_another_and_without_nodes_by_this_machine(
    nodes: Nodes,
    worker: ClusterWorker,
    settings: Settings,
    at_once: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    monkeypatch.setenv("MEADHALL_BOTS", "noted=lab.bot_of_nodes:choose")
    monkeypatch.setenv("MEADHALL_TEST_NOTES", str(notes))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    by_name = {name: nodes.join(MEADHALL_TEST_NOTES=str(notes), MEADHALL_TEST_NODE=name) for name in ("one", "two")}
    await ready(worker, VIKINGS)

    def thought() -> list[str]:
        return [note.name.partition("-")[2] for note in sorted(notes.iterdir())]

    async with open_hall(settings, worker) as hall:
        person = await hall.program()
        room = await a_table_whose_bot_decides(hall, person)
        async with asyncio.timeout(PATIENCE):
            while not thought():
                await asyncio.sleep(0.05)
        nodes.kill(by_name.pop(thought()[0]))
        await bot_has_decided(room)
        first, second = thought()[:2]
        assert {first, second} == {"one", "two"}

        nodes.kill(by_name.pop(second))
        async with asyncio.timeout(PATIENCE):
            with suppress(NoNode):
                while True:  # the process on the killed node may still answer for a moment
                    await worker.cluster.run(LoadRules(VIKINGS))
                    await asyncio.sleep(0.05)
        await bot_has_decided(await a_table_whose_bot_decides(hall, person))
        assert thought()[-1] == "here"
    assert not [record.getMessage() for record in caplog.records if record.name == "meadhall.server.hall.bots"]


def actor(room: Room) -> int | None:
    assert room.match is not None
    return room.match.actor


async def bot_has_decided(room: Room) -> None:
    await until(room, lambda: actor(room) != 1)


async def a_table_whose_bot_decides(hall: OpenHall, person: Program) -> Room:
    room = await hall.room((await person.open(game=VIKINGS, players=2, bots=["noted"]))["id"])
    while actor(room) == 0:
        assert room.match is not None
        answer = await person.act(room.table.id, room.match.legal()[0].action)
        assert answer.status_code == 200, answer.text
    return room
