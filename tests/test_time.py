"""No test waits for time to pass, and the hall reads no clock but the one that it was given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
HALL = TESTS.parent / "src/meadhall/server"

WAIT_FOR_PROCESSES = {
    "forked.py",
    "lab/test_ray.py",
    "language_models/test_command.py",
    "midnight.py",
    "proxies.py",
    "server/test_admission.py",
    "server/test_bots.py",
}
"""Files that wait for other processes, beside the folders for that; and the bots, which still sleep."""

CLOCKS = re.compile(
    r"\btime\.(time|monotonic)\b|\bmonotonic\(|\bdatetime\.now\(|\basyncio\.sleep\((?!0\))|\bloop(\(\))?\.(time|call_later|call_at)\("
)
"""What reads the machine's clocks or waits for them."""


def sleeps(file: Path) -> Iterator[int]:
    """Yield the lines of a file that sleep for a while."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "sleep":
            owner = node.func.value
            for_a_while = not (node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value == 0)
            if isinstance(owner, ast.Name) and owner.id in ("time", "asyncio") and for_a_while:
                yield node.lineno


def test_no_test_in_this_process_sleeps() -> None:
    files = [path for path in TESTS.rglob("*.py") if path.relative_to(TESTS).parts[0] not in ("processes", "browser", "chaos")]
    found = [
        f"{name}:{line}"
        for path in files
        if (name := path.relative_to(TESTS).as_posix()) not in WAIT_FOR_PROCESSES
        for line in sleeps(path)
    ]
    assert found == [], "wait for an event (server/waiting.py), or advance the time of the hall (server/manual_time.py)"


def test_the_hall_reads_no_other_clock_than_its_own() -> None:
    found = [
        f"{path.relative_to(HALL)}:{number}: {line.strip()}"
        for folder in ("hall", "pages", "routes", "web", "store")
        for path in (HALL / folder).rglob("*.py")
        # sockets, and a lock that another program holds on the file
        if path.name not in ("connections.py", "store.py", "monitoring.py", "listener.py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if CLOCKS.search(line)
    ]
    assert found == []
