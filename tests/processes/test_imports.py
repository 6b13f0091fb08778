"""Modules that a hall doesn't load, and the library without the packages of extras."""

from __future__ import annotations

import subprocess
import sys

from meadhall.engine.errors import how_to_install


def test_a_hall_loads_neither_pydantic_nor_anything_of_development_mode() -> None:
    code = "import sys; import meadhall.server.run; from meadhall.server.app import build_app; build_app(1); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "meadhall.server.app" in loaded
    assert "pydantic" not in loaded, "it takes 12 MB"
    assert not [name for name in loaded if name.startswith("meadhall.server.dev")]


WITHOUT_EXTRAS = """
import sys
from importlib.metadata import packages_distributions, requires
from packaging.requirements import Requirement

needed = {"meadhall"}
waiting = [Requirement("meadhall")]
while waiting:
    for text in requires(waiting.pop().name) or ():
        found = Requirement(text)
        name = found.name.lower().replace("_", "-").replace(".", "-")
        if name not in needed and (found.marker is None or found.marker.evaluate({"extra": ""})):
            needed.add(name)
            waiting.append(found)

foreign = {
    module
    for module, names in packages_distributions().items()
    if not needed & {name.lower().replace("_", "-").replace(".", "-") for name in names}
}


class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in foreign:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Missing())
import importlib.util, pkgutil
known = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name.partition(".")[0] in foreign else known(name, package)

import meadhall, meadhall.bots, meadhall.engine, meadhall.games, meadhall.lab
from meadhall.cli import main

for package in (meadhall.engine, meadhall.games, meadhall.bots, meadhall.lab):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
match = meadhall.game("axes-and-allies").match(players=2)
from meadhall.envs import observe, render
print(observe(match.game, match.states, 0).shape[0] > 20, bool(render(match.view(0))), {"litestar", "jinja2"} <= foreign)
for draw in (lambda: render(match.view(0), "svg"), lambda: __import__("meadhall.envs", fromlist=["vector_env"]).vector_env):
    try:
        draw()
    except meadhall.MeadhallError as error:
        print(error)
print(main(["simulate", "axes-and-allies", "--games", "2"]))
for command in ("serve", "doctor", "chat show", "people list", "backup x"):
    print(main(command.split()))
"""


def test_the_library_works_without_the_packages_of_extras_and_the_commands_of_a_hall_say_what_to_install() -> None:
    run = subprocess.run([sys.executable, "-c", WITHOUT_EXTRAS], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    first, picture, vector, *_, simulated, serve, doctor, chat, people, backup = run.stdout.splitlines()
    assert first.split() == ["True"] * 3
    assert picture == f"pictures need Jinja, which is not installed: {how_to_install('envs')}"
    assert vector == f"vector_env needs gymnasium, which is not installed: {how_to_install('envs')}"
    assert (simulated, serve, doctor, chat, people, backup) == ("0", *["2"] * 5)
    told = f"meadhall: A hall needs packages that are not installed: {how_to_install('hall')}"
    assert run.stderr.splitlines() == [told] * 5
