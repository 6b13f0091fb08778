"""Named bots: functions and classes of other modules next to the levels."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from meadhall.bots import BadAnswer, BadBot, NamedBot, UnknownBot, bot, bot_names, ranks
from meadhall.bots.bot import _MOST_CALLS, VARIABLE, Declaration, declared_bots, read_declaration, resolved
from meadhall.engine.match.view import View
from meadhall.engine.registry import game

AXES = "axes-and-allies"


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return an importable module for bots."""
    made = ModuleType("bots_of_mine")
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def name_bots(monkeypatch: pytest.MonkeyPatch, *declarations: str) -> None:
    monkeypatch.setenv(VARIABLE, " ".join(declarations))


def test_a_function_of_a_view_plays_under_its_name(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module.last = lambda view: view.legal[-1]
    name_bots(monkeypatch, "ada=bots_of_mine:last")
    match = game(AXES).match(players=2, seed="named", seats=["Björn", "Ada"])
    assert "ada" in bot_names(match.game)
    assert ranks(match.game)[-1].name == "ada"
    player = bot(match.game, "ada")
    assert (player.name, player.choose(match.view(match.actor))) == ("ada", match.legal()[-1].action)


def test_a_class_is_asked_with_an_object_for_each_seat(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Counting:
        def __init__(self, subject: Any) -> None:
            self.game, self.asked = subject.name, 0

        def choose(self, view: View) -> int:
            self.asked += 1
            seen.append((self.game, self.asked))
            return view.legal[0]

    seen: list[tuple[str, int]] = []
    module.Counting = Counting
    name_bots(monkeypatch, "ada=bots_of_mine:Counting")
    match = game(AXES).match(players=2, seed="named")
    one, other = bot(match.game, "ada"), bot(match.game, "ada")
    for player in (one, one, other):
        player.choose(match.view(match.actor))
    assert seen == [(AXES, 1), (AXES, 2), (AXES, 1)]


def test_a_bot_for_one_game_is_unknown_in_others(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module.first = lambda view: view.legal[0]
    name_bots(monkeypatch, f"{AXES}/ada=bots_of_mine:first", "viking-axes/ada=bots_of_mine:first")
    assert isinstance(bot(game(AXES), "ada"), NamedBot)
    with pytest.raises(UnknownBot):
        bot(game("axxa"), "ada")


@pytest.mark.parametrize("answer", [-1, 999, None, "attack", 0.0, True])
def test_an_answer_that_is_no_legal_action_is_refused(answer: object, module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module.wrong = lambda view: answer
    name_bots(monkeypatch, "ada=bots_of_mine:wrong")
    match = game(AXES).match(players=2, seed="named")
    with pytest.raises(Exception, match=r"answered|integer|outside"):
        bot(match.game, "ada").choose(match.view(match.actor))


def test_an_action_of_the_game_that_is_not_legal_now_is_refused(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module.wrong = lambda view: next(action for action in range(view.game.actions) if action not in view.legal)
    name_bots(monkeypatch, "ada=bots_of_mine:wrong")
    match = game(AXES).match(players=2, seed="named")
    with pytest.raises(BadAnswer, match="which is not a legal action"):
        bot(match.game, "ada").choose(match.view(match.actor))


def test_a_bot_that_changes_its_view_changes_nothing(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def spoil(view: View) -> int:
        view.states["actor"] = 1
        return view.legal[0]

    module.spoil = spoil
    name_bots(monkeypatch, "ada=bots_of_mine:spoil")
    match = game(AXES).match(players=2, seed="named")
    view = match.view(match.actor)
    before = view.states.tobytes()
    bot(match.game, "ada").choose(view)
    assert view.states.tobytes() == before


def test_calls_that_never_return_hold_a_limited_number_of_threads(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ended, entered = threading.Event(), threading.Semaphore(0)

    def endless(view: View) -> int:
        entered.release()
        ended.wait()
        return view.legal[0]

    module.endless = endless
    name_bots(monkeypatch, "ada=bots_of_mine:endless")
    match = game(AXES).match(players=2, seed="named")
    view = match.view(match.actor)
    waiting = [threading.Thread(target=bot(match.game, "ada").choose, args=(view,)) for _ in range(_MOST_CALLS)]
    for thread in waiting:
        thread.start()
        entered.acquire()
    with pytest.raises(BadAnswer, match="have not returned"):
        bot(match.game, "ada").choose(view)
    ended.set()
    for thread in waiting:
        thread.join()
    assert bot(match.game, "ada").choose(view) == view.legal[0]


@pytest.mark.parametrize(
    "text",
    [
        "ada",
        "ada=",
        "ada=module",
        "Ada=m:f",
        "ada=m:",
        "karl=m:f",
        "thrall=m:f",
        "nowhere/ada=m:f",
        "a b=m:f",
        "ada=m:f()",
        "=m:f",
    ],
)
def test_a_declaration_that_can_not_be_read_is_refused(text: str) -> None:
    with pytest.raises(BadBot):
        read_declaration(text)


def test_a_declaration_names_a_game_a_module_and_a_function() -> None:
    assert read_declaration("axxa/deep-axe_2=pack.mod:Class.method") == Declaration(
        "deep-axe_2", "pack.mod", "Class.method", "axxa"
    )


@pytest.mark.parametrize("second", ["ada=other:f", f"{AXES}/ada=other:f"])
def test_two_bots_of_one_name_are_refused(second: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name_bots(monkeypatch, "ada=bots_of_mine:first", second)
    with pytest.raises(BadBot, match="two bots"):
        declared_bots()


def test_a_bot_that_can_not_be_loaded_says_why(module: Any) -> None:
    module.number = 3
    module.NoBot = type("NoBot", (), {})
    for function in ("missing", "number", "NoBot"):
        with pytest.raises(BadBot, match=re.escape(f"bots_of_mine:{function}")):
            resolved(Declaration("ada", "bots_of_mine", function))
    with pytest.raises(BadBot, match="No module named"):
        resolved(Declaration("ada", "no_such_module_anywhere", "f"))


def test_the_command_refuses_a_bot_that_can_not_be_loaded(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "meadhall.cli", "serve", "--data", str(tmp_path), "--bot", "ada=no_such_module_anywhere:f"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ended.returncode == 2
    assert "no_such_module_anywhere" in ended.stderr
    assert not list(tmp_path.iterdir())
