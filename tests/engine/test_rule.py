"""Compiled and interpreted rules give the same results, and cached machine code is never stale."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from meadhall.engine import rule
from meadhall.engine.rule import INTERPRETED, cache_folder, cache_root

TESTS = Path(__file__).parents[1]
MATCHES = 72
BOTS = 8  # number of matches in which a bot chooses an action, too

DIGEST = f"""
import hashlib
from meadhall import game, game_names
from meadhall.bots import bot
from meadhall.engine.conformance import setups
from meadhall.engine.record.format import dumps
from games_for_tests import hoard
from datetime import UTC, datetime
seen = hashlib.sha256()
for subject in map(game, game_names()):
    kinds = list(setups(subject))
    for number in range({MATCHES}):
        players, options = kinds[number % len(kinds)]
        match = subject.match(players=players, seed=f"both ways {{number}}", **options)
        match.started = datetime(2026, 11, 21, tzinfo=UTC)
        if number < {BOTS}:
            for name in ("greedy", "search@5"):
                choice = bot(subject, name, b"a bot of a name").choose(match.view(match.actor))
                seen.update(choice.to_bytes(4, "big"))
        turn = number
        while not match.over:
            seen.update(match.states.tobytes() + match.view(number % players).states.tobytes())
            legal = match.view(match.actor).legal
            turn = turn * 1103515245 + 12345 & 0x7FFFFFFF
            match.play(legal[turn // 65536 % len(legal)])
        seen.update(match.states.tobytes() + dumps(match.record(legal=True)).encode())
print(seen.hexdigest())
"""


def digest(interpreted: bool) -> str:
    """Return a hash of all states, views, events and records of matches of every game, computed in a separate process."""
    return run(DIGEST, MEADHALL_INTERPRET="1" if interpreted else "0", PYTHONPATH=str(TESTS)).strip()


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.compiled
def test_compiled_and_interpreted_rules_give_the_same_states_events_and_records() -> None:
    assert digest(interpreted=True) == digest(interpreted=False)


SUMS = "from meadhall.engine.rule import rule\n\n@rule\ndef plus(a, b):\n    return a {sign} b\n"
USES = "from meadhall.engine.rule import rule\nfrom {package}.sums import plus\n\n@rule\ndef answer(a):\n    return plus(a, 2)\n"


@pytest.mark.compiled
def test_a_change_in_an_imported_file_recompiles_the_rule(tmp_path: Path) -> None:
    package = tmp_path / "plug_in"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "rules.py").write_text(USES.format(package="plug_in"))
    code = "from plug_in.rules import answer; print(answer(40), getattr(answer, 'stats', None) and len(answer.stats.cache_hits))"
    environment = {"PYTHONPATH": str(tmp_path), "MEADHALL_CACHE": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}

    (package / "sums.py").write_text(SUMS.format(sign="+"))
    first, second = (run(code, MEADHALL_INTERPRET="0", **environment).split() for _ in range(2))
    (package / "sums.py").write_text(SUMS.format(sign="*"))
    changed = run(code, MEADHALL_INTERPRET="0", **environment).split()

    assert first == ["42", "0"]
    assert second == ["42", "1"], "a second start must find the machine code of the first"
    assert changed == ["80", "0"]


TABLE = """
from pathlib import Path
import numpy as np
from meadhall.engine.rule import rule

VALUES = np.load(Path(__file__).with_name("values.npz"))["values"]

@rule
def value(place):
    return VALUES[place]
"""


@pytest.mark.compiled
def test_a_change_in_a_data_file_recompiles_the_rule(tmp_path: Path) -> None:
    package = tmp_path / "plug_in"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "table.py").write_text(TABLE)
    values = []
    for value in (1.0, 2.0):
        np.savez(package / "values.npz", values=np.array([value]))
        environment = {"PYTHONPATH": str(tmp_path), "MEADHALL_CACHE": str(tmp_path / "cache")}
        values.append(run("from plug_in.table import value; print(value(0))", MEADHALL_INTERPRET="0", **environment).strip())
    assert values == ["1.0", "2.0"]


@pytest.mark.compiled
def test_a_copy_in_another_folder_finds_the_same_machine_code(tmp_path: Path) -> None:
    hits = []
    for place in ("here", "there"):
        package = tmp_path / place / "plug_in"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "sums.py").write_text(SUMS.format(sign="+"))
        code = "from plug_in.sums import plus; plus(1, 2); print(len(plus.stats.cache_hits))"
        environment = {"PYTHONPATH": str(package.parent), "MEADHALL_CACHE": str(tmp_path / "cache")}
        hits.append(run(code, MEADHALL_INTERPRET="0", **environment).strip())
    assert hits == ["0", "1"]


def test_each_games_machine_code_has_its_own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEADHALL_CACHE", str(tmp_path))
    cache_folder.cache_clear()
    folders = {cache_folder(package) for package in ("meadhall.engine", "meadhall.games.axes_and_allies", "games_for_tests")}
    cache_folder.cache_clear()
    assert len(folders) == 3
    assert {folder.parent for folder in folders} == {tmp_path}


def test_machine_code_goes_to_the_users_cache_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEADHALL_CACHE", raising=False)
    assert cache_root().name == "meadhall"


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("meadhall.engine.chance", "meadhall.engine"),
        ("meadhall.games.axes_and_allies.rules", "meadhall.games.axes_and_allies"),
        ("plug_in.rules.small", "plug_in"),
        ("single", "single"),
    ],
)
def test_a_rule_depends_on_the_engine_and_on_its_own_package(module: str, package: str) -> None:
    assert rule.rules_package(module) == package


def test_a_package_without_files_depends_only_on_the_engine() -> None:
    assert rule._package_folder("no_such_package") is None


def test_a_game_in_a_single_file_depends_on_that_file() -> None:
    assert rule._package_folder(__name__) in (Path(__file__), None)
    assert rule._package_folder("hashlib") == Path(hashlib.__file__)


def test_interpreted_rules_are_the_original_functions() -> None:
    def plus(a: int, b: int) -> int:
        return a + b

    assert (rule.rule(plus) is plus) == INTERPRETED


IMPORT_IN_THREADS = """
import sys
from concurrent.futures import ThreadPoolExecutor
from meadhall.engine.rule import rule
sys.setswitchinterval(1e-6)

def decorate(number):
    def doubled(value):
        return 2 * value
    for _ in range(50):
        rule(doubled)

with ThreadPoolExecutor(4) as threads:
    list(threads.map(decorate, range(4)))
"""


def test_games_can_be_imported_in_several_threads(tmp_path: Path) -> None:
    """A worker loads several games at once. Numba's settings belong to all threads."""
    script = tmp_path / "decorate.py"
    script.write_text(IMPORT_IN_THREADS)
    run(
        f"import runpy; runpy.run_path({str(script)!r}, run_name='decorate')",
        MEADHALL_INTERPRET="0",
        MEADHALL_CACHE=str(tmp_path),
    )
