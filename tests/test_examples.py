"""The examples in docstrings run and print what they say, and every public function has one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import meadhall.bots
import meadhall.envs
import meadhall.lab
import meadhall.sdk
from meadhall.engine.compile.rule import INTERPRETED

ROOT = Path(__file__).parent.parent
DIRECTIVE = re.compile(r"^::: (\S+)$", re.MULTILINE)
pytestmark = pytest.mark.skipif(not INTERPRETED, reason="compiled rules have no docstrings of their own")

PACKAGES = (meadhall, meadhall.bots, meadhall.envs, meadhall.lab, meadhall.sdk)

LONG = {
    "meadhall.engine.laws.check_game.check_game",
    "meadhall.lab.tuning.result.Tuning",
    "meadhall.lab.tuning.run.tune",
}
"""Examples that take seconds: matches with every number of players, and a large library. Other tests call the same functions."""


def resolved(path: str) -> Any:
    """Return the object of a dotted path, as a page of the reference names it."""
    parts = path.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for name in parts[end:]:
            found = getattr(found, name)
        return found
    raise ModuleNotFoundError(path)


def public() -> dict[str, Any]:
    """Return the functions and classes that the reference lists, and those that the packages export, by their full names."""
    named = [
        path for page in sorted((ROOT / "docs" / "reference").glob("*.md")) for path in DIRECTIVE.findall(page.read_text("utf-8"))
    ]
    found = [resolved(path) for path in named] + [getattr(package, name) for package in PACKAGES for name in package.__all__]
    return {f"{each.__module__}.{each.__qualname__}": each for each in found if inspect.isroutine(each) or inspect.isclass(each)}


def functions(of: Any) -> Iterator[Any]:
    """Yield an object if it is a function, or the public functions that a class defines."""
    if inspect.isroutine(of):
        yield of
    elif not getattr(of, "_is_protocol", False):
        for name, value in vars(of).items():
            function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
            if inspect.isfunction(function) and not name.startswith("_"):
                yield function


def examples(of: Any) -> str:
    """Return the code of the examples in a docstring."""
    return "".join(example.source for example in doctest.DocTestParser().get_examples(inspect.getdoc(of) or ""))


def without_example(of: Any) -> list[str]:
    """Return the public functions that neither their own examples nor those of their class call."""
    shared = examples(of) if inspect.isclass(of) else ""
    return [
        f"{each.__module__}.{each.__qualname__}"
        for each in functions(of)
        if not examples(each) and not re.search(rf"\.{each.__name__}\(", shared)
    ]


def test_every_public_function_has_an_example() -> None:
    assert not [name for each in public().values() for name in without_example(each)]


@pytest.mark.parametrize("long", [False, pytest.param(True, marks=pytest.mark.long)])
def test_the_examples_print_what_they_say(long: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    tried: set[str] = set()
    for name, each in public().items():
        for test in finder.find(each, name, module=sys.modules[each.__module__]):
            if test.examples and test.name not in tried and (test.name in LONG) == long:
                tried.add(test.name)
                runner.run(test)
    assert tried
    assert not runner.failures
