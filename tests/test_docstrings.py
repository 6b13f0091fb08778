"""Names in docstrings: every ``module.py`` is a file, and every ``dotted.name`` of our modules and classes leads to something."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import meadhall

SOURCE = Path(meadhall.__file__).parent
ROOT = Path(__file__).parents[1]
FILES = {file: file.relative_to(SOURCE.parent).with_suffix("").parts for file in sorted(SOURCE.rglob("*.py"))}
QUOTED = re.compile(r"``([^`\n]+)``")
FILE_NAME = re.compile(r"[a-z0-9_./-]*[a-z0-9_]\.(?:py|md|toml|html|js|css|po|npz|sql)")
DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


@cache
def members() -> dict[str, set[str]]:
    """Return the names in every module, package and class by its last name; of the same name, those of all together."""
    found: dict[str, set[str]] = {}
    for file, names in FILES.items():
        parts = names[:-1] if names[-1] == "__init__" else names
        found.setdefault(parts[-1], set()).update(defined_in(parsed(file)))
        if len(parts) > 1:
            found.setdefault(parts[-2], set()).add(parts[-1])
        classes = (node for node in ast.walk(parsed(file)) if isinstance(node, ast.ClassDef))
        for node in classes:
            found.setdefault(node.name, set()).update(defined_in(node), {base for each in node.bases for base in bases_of(each)})
    return found


def bases_of(base: ast.expr) -> Iterator[str]:
    """Yield the marks by which the members of a base class are looked up."""
    name = base.value if isinstance(base, ast.Subscript) else base
    yield f"<{name.id if isinstance(name, ast.Name) else getattr(name, 'attr', '')}>"


def defined_in(scope: ast.Module | ast.ClassDef) -> set[str]:
    found = set()
    for node in ast.walk(scope):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    return found


def leads_to(first: str, name: str) -> bool:
    """Return whether a module, package or class of ours called ``first``, or a base of it, has a member of this name."""
    known = members().get(first, set())
    return name in known or any(leads_to(mark[1:-1], name) for mark in known if mark.startswith("<") and mark != f"<{first}>")


@cache
def attributes() -> set[str]:
    """Return the names of members of all classes: a variable of an unknown type has one of them."""
    return {name for first, names in members().items() if first[:1].isupper() for name in names}


@cache
def variables_in(file: Path) -> set[str]:
    return {node.arg for node in ast.walk(parsed(file)) if isinstance(node, ast.arg)} | defined_in(parsed(file))


def wrong(file: Path, docstring: str) -> Iterator[str]:
    for quoted in QUOTED.findall(docstring):
        if FILE_NAME.fullmatch(quoted):
            if not any(f"/{known}".endswith(f"/{quoted}") for known in all_files()):
                yield quoted
        elif DOTTED.fullmatch(quoted):
            first, *rest = quoted.removeprefix("meadhall.").split(".")
            leads = all(map(leads_to, [first, *rest], rest)) or (first in variables_in(file) and rest[0] in attributes())
            if first in members() and not leads:
                yield quoted


@cache
def all_files() -> list[str]:
    folders = [SOURCE, *(ROOT / name for name in ("docs", "examples", "tests", "tools", "benchmarks", "deploy"))]
    return ["pyproject.toml", *(file.as_posix() for folder in folders for file in folder.rglob("*.*"))]


def docstrings(file: Path) -> Iterator[str]:
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


@pytest.mark.slow("reads all of src")
def test_every_name_in_a_docstring_leads_to_something() -> None:
    found = {f"{file.relative_to(SOURCE)}: {name}" for file in FILES for text in docstrings(file) for name in wrong(file, text)}
    assert found == set()


def test_a_name_that_has_moved_is_found() -> None:
    file = SOURCE / "engine" / "errors.py"
    for moved in ("knowledges.py", "registry.listenings", "meadhall.engine.nowhere", "Match.no_such_method"):
        assert list(wrong(file, f"See ``{moved}``.")) == [moved]
    for right in ("knowledge.py", "registry.listeners", "meadhall.engine.match", "Match.displayed", "np.zeros", "a.b"):
        assert not list(wrong(file, f"See ``{right}``."))
