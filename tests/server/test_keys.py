"""Private files, keys that can be replaced, and versions that never go back."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from meadhall.server.hall import daily_puzzle
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import models
from meadhall.server.store.store import Store
from server.halls import run_command
from server.manual_time import ManualTime
from server.matches import match_of
from server.people import AXES, Person, Program, open_hall

POSIX = pytest.mark.skipif(os.name != "posix", reason="other systems have no such modes")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def rotate(settings: Settings, *options: str) -> None:
    """Replace the keys with the real command."""
    command = [sys.executable, "-m", "meadhall.cli", "keys", "rotate", "--data", str(settings.data), *options]
    subprocess.run(command, check=True, capture_output=True, timeout=120)


# ---------------------------------------------------------------------------------------------------------------------- files


@POSIX
async def test_only_the_owner_can_read_a_new_database(settings: Settings) -> None:
    settings = replace(settings, data=settings.data / "hall")
    before = os.umask(0o022)
    try:
        async with Store.open(settings) as store:
            store.save_guest(models.Guest("a", "Astrid"))
            files = list(settings.data.iterdir())
            assert {path.name for path in files} >= {"meadhall.db", "meadhall.db-wal", "meadhall.db-shm", "meadhall.db.lock"}
            assert {path.name: mode(path) for path in files} == {path.name: 0o600 for path in files}
            assert mode(settings.data) == 0o700
    finally:
        os.umask(before)


@POSIX
async def test_the_files_of_an_older_hall_are_made_private(settings: Settings) -> None:
    async with Store.open(settings):
        pass
    for path in settings.data.iterdir():
        path.chmod(0o664)
    settings.data.chmod(0o755)
    async with Store.open(settings):
        assert {mode(path) for path in settings.data.iterdir()} == {0o600}
        assert mode(settings.data) == 0o700


@POSIX
async def test_a_folder_that_is_not_the_halls_own_keeps_its_mode(settings: Settings, tmp_path: Path) -> None:
    """The data folder has only a link to the database."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o755)
    (settings.data / "meadhall.db").symlink_to(folder / "meadhall.db")
    async with Store.open(settings):
        assert mode(folder) == 0o755
        assert mode(folder / "meadhall.db") == 0o600


# ----------------------------------------------------------------------------------------------------------------------- keys


async def name_of(person: Person) -> str:
    page = (await person.get("/settings")).text
    return page.partition('name="name"')[2].partition('value="')[2].partition('"')[0]


async def test_old_cookies_and_tokens_are_accepted_for_a_month_and_cookies_are_renewed(settings: Settings, at_once: None) -> None:
    async with open_hall(settings) as hall:
        person, late, program = hall.person(), hall.person(), await hall.program()
        for each, name in ((person, "Sigrun"), (late, "Latecomer")):
            await each.post("/settings", {"name": name})
        cookies, token = dict(person.http.cookies), program.http.headers["Authorization"]
        table = (await program.open(game=AXES, bots=["thrall"]))["id"]
    await asyncio.to_thread(rotate, settings)
    async with open_hall(settings) as hall:
        again = Person(hall.app)
        again.http.cookies.update(cookies)
        answer = await again.get("/settings")
        assert 'value="Sigrun"' in answer.text
        renewed = dict(answer.cookies)
        assert renewed
        assert renewed != cookies
        same = Program(hall.app, Authorization=token)
        assert (await same.read(f"/tables/{table}")).json()["you"] == 0
    later = ManualTime()
    await later.advance(timedelta(days=31).total_seconds())
    async with open_hall(settings, time=later) as hall:
        for kept, is_known in ((renewed, True), (dict(late.http.cookies), False)):
            person = Person(hall.app)
            person.http.cookies.update(kept)
            assert ((await name_of(person)) in ("Sigrun", "Latecomer")) == is_known
        assert (await Program(hall.app, Authorization=token).read(f"/tables/{table}")).status_code == 401


async def test_keys_that_are_replaced_at_once_log_everyone_out(settings: Settings, at_once: None) -> None:
    async with open_hall(settings) as hall:
        person, program = hall.person(), await hall.program()
        await person.post("/settings", {"name": "Sigrun"})
        cookies, token = dict(person.http.cookies), program.http.headers["Authorization"]
    await asyncio.to_thread(rotate, settings)
    await asyncio.to_thread(rotate, settings, "--now")
    async with open_hall(settings) as hall:
        again = Person(hall.app)
        again.http.cookies.update(cookies)
        assert await name_of(again) != "Sigrun"
        assert (await Program(hall.app, Authorization=token).read("/tables/x")).status_code == 401


async def test_a_new_key_of_the_daily_puzzles_counts_from_tomorrow_on(settings: Settings) -> None:
    today = daily_puzzle.today(Time())
    tomorrow = (Time().now() + timedelta(days=1)).date().isoformat()
    async with Store.open(settings) as store:
        before = [daily_puzzle.seed_of(store, day) for day in (today, tomorrow)]
    for _ in range(2):
        await asyncio.to_thread(rotate, settings)
    async with Store.open(settings) as store:
        after = [daily_puzzle.seed_of(store, day) for day in (today, tomorrow)]
    assert after[0] == before[0], "everyone gets the same deal today"
    assert after[1] != before[1]


# ------------------------------------------------------------------------------------------------------------------- versions


async def test_versions_never_go_back_after_a_restart_with_an_earlier_clock(
    settings: Settings, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_hall(settings) as hall:
        _, _, room = await hall.two_at(AXES)
        for _ in range(1000):
            room.publish()
        before, table = room.version, room.table.id
        assert match_of(room) is not None
    monkeypatch.setattr("time.time_ns", lambda: 0)
    monkeypatch.setattr("time.time", lambda: 0.0)
    async with open_hall(settings) as hall:
        assert (await hall.room(table)).version > before
        assert (await hall.room(table)).version < 2**53


async def test_beside_a_running_hall_the_host_is_told_to_stop_it(settings: Settings) -> None:
    async with Store.open(settings):
        refused = await asyncio.to_thread(run_command, settings, "keys", "rotate")
        assert refused.returncode != 0
        assert refused.stderr.endswith("meadhall.db; stop it first\n")
