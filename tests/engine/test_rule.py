"""Rules are compiled or left as they are, and cached machine code is never stale."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from games_for_tests import least
from meadhall.engine.compile import mode, rule
from meadhall.engine.compile.mode import cache_root
from meadhall.engine.compile.rule import INTERPRETED, cache_folder, check_cache
from meadhall.engine.compiled import loops
from meadhall.engine.game import Game
from meadhall.engine.interface import GameRules
from meadhall.engine.laws.counterexample import compile_error
from meadhall.engine.state.events import NO_LOG_SHAPE


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


SUMS = "from meadhall.engine.compile.rule import rule\n\n@rule\ndef plus(a, b):\n    return a {sign} b\n"
RULES = """
from pathlib import Path
import numpy as np
from meadhall.engine.compile.rule import rule
from plug_in.sums import plus

VALUES = np.load(Path(__file__).with_name("values.npz"))["values"]

@rule
def answer(a):
    return plus(a, VALUES[0])
"""


@pytest.mark.slow("starts a compiler four times")
@pytest.mark.compiled
def test_machine_code_is_found_again_until_a_source_or_a_data_file_changes(tmp_path: Path) -> None:
    """A copy in another folder finds it, too."""

    def started(place: str) -> list[str]:
        code = "from plug_in.rules import answer; print(answer(40), len(answer.stats.cache_hits))"
        environment = {"PYTHONPATH": str(tmp_path / place), "MEADHALL_CACHE": str(tmp_path / "cache")}
        return run(code, MEADHALL_INTERPRET="0", PYTHONDONTWRITEBYTECODE="1", **environment).split()

    package = tmp_path / "here" / "plug_in"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "rules.py").write_text(RULES)
    (package / "sums.py").write_text(SUMS.format(sign="+"))
    np.savez(package / "values.npz", values=np.array([2]))

    assert started("here") == ["42", "0"]
    shutil.copytree(package, tmp_path / "there" / "plug_in")
    assert started("there") == ["42", "1"]
    (package / "sums.py").write_text(SUMS.format(sign="*"))
    assert started("here") == ["80", "0"]
    np.savez(package / "values.npz", values=np.array([3]))
    assert started("here") == ["120", "0"]


@pytest.mark.slow("starts a compiler twice")
@pytest.mark.compiled
def test_code_in_a_folder_that_can_not_be_written_is_read_and_only_compiling_is_refused(tmp_path: Path) -> None:
    """The folder may belong to another user, or be part of an image."""
    (tmp_path / "plug_in.py").write_text(
        "from meadhall.engine.compile.rule import rule\n\n@rule\ndef twice(k):\n    return 2 * k\n"
    )
    cold, warm = tmp_path / "cold", tmp_path / "warm"
    code = (
        "import plug_in\n"
        "from meadhall.engine.errors import NoCache\n"
        "try: print(plug_in.twice(4), sum(plug_in.twice.stats.cache_hits.values()))\n"
        "except NoCache as error: print(error)"
    )
    without_rights = [] if os.geteuid() else ["setpriv", "--bounding-set", "-dac_override"]

    def started(cache: Path, *before: str) -> str:
        environment = os.environ | {"PYTHONPATH": str(tmp_path), "MEADHALL_CACHE": str(cache), "MEADHALL_INTERPRET": "0"}
        done = subprocess.run([*before, sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    cold.mkdir(mode=0o555)
    assert started(cold, *without_rights).startswith(f"can't store machine code in {cold}")
    assert started(warm) == "8 0\n"
    for folder in (warm, *(path for path in warm.rglob("*") if path.is_dir())):
        folder.chmod(0o555)
    assert started(warm, *without_rights) == "8 1\n"
    for folder in (warm, *warm.rglob("*")):
        folder.chmod(0o755)  # so that pytest can remove it


@pytest.mark.compiled
def test_compiled_rules_check_their_bounds_if_asked_to(tmp_path: Path) -> None:
    (tmp_path / "plug_in.py").write_text(
        "from meadhall.engine.compile.rule import rule\n\n@rule\ndef write(row, k):\n    row[k] = 1\n"
    )
    code = (
        "import numpy as np; from meadhall.engine.compile import mode; mode.check_bounds()\n"
        "from plug_in import write\n"
        "try: write(np.zeros(8, np.int8)[:2], 2)\n"
        "except IndexError: print('refused')"
    )
    environment = {"PYTHONPATH": str(tmp_path), "MEADHALL_CACHE": str(tmp_path / "cache")}
    assert run(code, MEADHALL_INTERPRET="0", **environment) == "refused\n"


def test_code_that_checks_bounds_is_kept_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEADHALL_CACHE", str(tmp_path))
    folders = set()
    for checks in (False, True):
        monkeypatch.setattr(mode, "checks_bounds", checks)
        cache_folder.cache_clear()
        folders.add(cache_folder("meadhall.engine"))
    cache_folder.cache_clear()
    assert len(folders) == 2


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


@pytest.mark.parametrize("home", ["/dev/null", "{file}/home"], ids=["no folder", "below a file"])
def test_without_a_home_machine_code_goes_beside_the_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    (tmp_path / "file").touch()
    for name in ("MEADHALL_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", home.format(file=tmp_path / "file"))
    monkeypatch.setenv("MEADHALL_DATA", str(tmp_path / "data"))
    assert cache_root() == tmp_path / "data" / "cache"
    check_cache()
    monkeypatch.setenv("HOME", str(tmp_path))
    assert tmp_path / "data" not in cache_root().parents, "who has a home shares the folder among all halls"


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("meadhall.engine.state.chance", "meadhall.engine"),
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


@pytest.mark.compiled
def test_rules_can_be_made_in_several_threads() -> None:
    """A worker loads several games at once. Numba's settings belong to all threads."""

    def decorate(_number: int) -> None:
        for _ in range(50):
            rule.rule(lambda value: 2 * value)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(decorate, range(4)))
    finally:
        sys.setswitchinterval(before)


@rule.rule
def text_play(state: Any, _action: int, _log: Any) -> None:
    state.stones = "three"


def with_play(play: Any) -> Game:
    """Return the smallest game with another rule."""
    return replace(least.game, rules=cast("GameRules", SimpleNamespace(**{**vars(least.rules), "play": play})))


@pytest.mark.compiled
def test_a_rule_that_cannot_be_lowered_is_told_by_its_own_line() -> None:
    subject = with_play(text_play)
    with pytest.raises(Exception, match="Cannot cast") as found:
        loops(subject).play_one(subject.state.new(1), 0, np.zeros(NO_LOG_SHAPE, np.int32))
    assert f'{__file__}, line {text_play.py_func.__code__.co_firstlineno + 2}: `state.stones = "three"`: ' in compile_error(  # type: ignore[attr-defined]
        found.value
    )


def test_the_rules_of_a_single_module_are_no_relative_import() -> None:
    """With a name that begins with a dot, machine code of such a game could not be loaded from the cache."""

    def play(_state: Any, _action: int, _log: Any) -> None: ...

    play.__module__ = "alone"
    assert loops(with_play(play)).__name__.startswith("last-stone-loops-")
