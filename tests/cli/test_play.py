"""Playing in the terminal."""

from __future__ import annotations

import io
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import meadhall
from games_for_tests.hoard import game as hoard
from games_for_tests.hoard.rules import BOAST
from games_for_tests.least import game as least
from meadhall.bots import Budget, hints
from meadhall.cli import main, playing
from meadhall.engine.match.record import read_records
from meadhall.engine.match.telling import Choices
from meadhall.engine.registry import registered
from meadhall.engine.text.language import gettext, speaking

GAME = "axes-and-allies"

Capture = pytest.CaptureFixture[str]


class Terminal:
    """A person who types the given lines, and the output."""

    def __init__(self, capture: Capture, patch: pytest.MonkeyPatch) -> None:
        self._capture = capture
        self._patch = patch
        self.status: int | None = None

    def type(self, *lines: str, seed: str = "hall", arguments: tuple[str, ...] = ()) -> str:
        """Begin a match of three players, type the lines, and leave after the last one. Return the output.

        With the seed "hall" the person goes first, with an axe of power 1.
        """
        self._patch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        given = arguments or ("play", GAME, "--players", "3", "--seed", seed, "--name", "Ylva", "--bots", "karl,thrall")
        self.status = main([*given])
        shown = self._capture.readouterr()
        assert shown.err == ""
        return " ".join(shown.out.split())


@pytest.fixture
def terminal(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("MEADHALL_LANG", "en")
    monkeypatch.setenv("COLUMNS", "200")
    # a short search instead of the king's three seconds
    monkeypatch.setattr(playing, "hints", lambda view: hints(view, Budget(iterations=30, trees=1), b"a seed"))
    return Terminal(capsys, monkeypatch)


def saved(path: Path) -> dict[str, object]:
    return next(read_records(path))


def test_the_person_has_the_first_seat_and_bots_take_the_others_in_turn(terminal: Terminal) -> None:
    shown = terminal.type("quit")
    assert "Ylva, Astrid (karl), Björn (thrall)" in shown
    assert terminal.status == 0


def test_the_state_the_prompt_and_numbered_choices_are_shown(terminal: Terminal) -> None:
    shown = terminal.type("quit")
    assert "> Ylva axe power 1 Astrid Björn" in shown
    assert "Your axe has power 1" in shown
    assert "1 attack Astrid 2 attack Björn 7 ally with Astrid 8 ally with Björn" in shown


def test_a_number_plays_the_choice_and_the_bots_move(terminal: Terminal) -> None:
    shown = terminal.type("1", "quit")
    assert "1 You attack Astrid" in shown
    assert "2 Astrid" in shown


def test_the_end_of_the_input_leaves_the_table(terminal: Terminal) -> None:
    terminal.type()
    assert terminal.status == 0


def test_a_match_is_played_to_its_end(terminal: Terminal) -> None:
    """Every number is tried at every decision. Refusals change nothing, so the match comes to its end."""
    shown = terminal.type(*[str(action) for _ in range(60) for action in range(12)])
    assert "the last one standing (AA-6.1)" in shown
    assert "save, undo or quit?" in shown


def test_why_names_the_rule_and_the_rulebook_explains_it(terminal: Terminal) -> None:
    shown = terminal.type("why 0", "quit")
    assert "You can't choose yourself. (AA-3.1)" in shown
    assert shown.count("AA-3.1") == 2


def test_why_confirms_that_a_choice_is_legal(terminal: Terminal) -> None:
    assert "You can play this: attack Astrid." in terminal.type("why 1", "quit")


def test_why_reports_a_number_that_is_no_action(terminal: Terminal) -> None:
    assert "Action 99 is outside 0 to 11." in terminal.type("why 99", "quit")


def test_why_needs_a_number(terminal: Terminal) -> None:
    assert "Add a choice" in terminal.type("why", "quit")


def test_an_illegal_number_is_refused_with_the_reason(terminal: Terminal) -> None:
    assert "You can't choose yourself. (AA-3.1)" in terminal.type("0", "quit")


def test_a_match_opens_with_the_goal_and_a_hint_at_the_lessons(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "begun.match.json"
    shown = terminal.type("1", f"save {file}", "quit")
    assert meadhall.game(GAME).goal_of({"last_two": "ally"}) in shown
    assert "meadhall learn axes-and-allies" in shown
    assert "meadhall learn" not in terminal.type("quit", arguments=("play", "--resume", str(file)))


def test_the_rules_are_those_of_the_table(terminal: Terminal) -> None:
    sides = ("play", "axxa", "--players", "2", "--name", "Ylva", "--seed", "hall", "--option", "mode=versus")
    shown = terminal.type("rules ax-6.1", "rules", "rules ax-9", "why 3", "3", "quit", arguments=sides)
    assert "AX-6.1 Not at this table: two sides play against each other." in shown
    assert "all players have won" not in shown
    assert "Lost numbers are skipped, a house rule: if fewer than three" in shown
    assert "Any order, a house rule: a triplet" not in shown
    assert "Sides: Two sides (at this table)" in shown
    assert "Three 3s in a row, around a corner, diagonally, and in a bent line" in shown, "words stand in for a figure"
    assert '")' not in shown, "and nothing is left of its caption"
    assert "There is no rule AX-9." in shown
    assert "Type a choice from the list" in shown, "a number is no choice where choices have names"


@pytest.mark.parametrize("language", ["en", "de"])
def test_dungeon_allies_is_learnt_at_the_terminal(terminal: Terminal, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    monkeypatch.setenv("MEADHALL_LANG", language)
    game = meadhall.game("dungeon-allies")
    assert game.lessons is not None
    with speaking(language):
        typed = ["" if step.action is None else Choices(game).written(step.action) for step in game.lessons.lessons]
        said = [gettext(step.words) for step in game.lessons.lessons]
    shown = terminal.type("nonsense", *typed, arguments=("learn", "dungeon-allies"))
    assert terminal.status == 0
    assert [words in shown for words in said] == [True] * len(said)


def test_another_choice_than_the_lesson_asks_for_is_answered_as_on_the_page(terminal: Terminal) -> None:
    shown = terminal.type("", "", "2", "0", "quit", arguments=("learn", GAME))
    assert "Good idea, but for now: attack Björn." in shown
    assert "You can't choose yourself. For now: attack Björn." in shown
    assert "4/10" not in shown


def test_an_unknown_command_is_answered_with_a_list_of_commands(terminal: Terminal) -> None:
    assert "Type a choice from the list, or one of: why, rules, hint, undo, save, help, quit." in terminal.type(
        "dance", "", "quit"
    )


def test_help_lists_the_commands(terminal: Terminal) -> None:
    assert "undo: go back to your previous decision" in terminal.type("help", "quit")


def test_a_hint_shows_the_moves_to_type_and_their_chances(terminal: Terminal) -> None:
    shown = terminal.type("hint", "quit")
    assert re.search(r"input move your chance of winning ─+ [78] ally with (Astrid|Björn) \d+ %", shown)


def test_an_action_after_a_hint_is_marked_in_the_record_and_the_replay(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "hinted.match.json"
    terminal.type("7", "hint", "undo", "7", f"save {file}", "quit")
    record: Any = saved(file)
    own = [action for action in record["actions"] if action["seat"] == 0]
    assert [action.get("hinted") for action in own] == [None], "the hint was for the next decision"
    terminal.type("hint", "1", "undo", "7", f"save {file}", "quit")
    record = saved(file)
    hinted = [action["n"] for undone in record["undone"] for action in undone["actions"] if action.get("hinted")]
    assert hinted == [1], "the undone action of the person is marked"
    assert [action.get("hinted") for action in record["actions"]][:2] == [True, None], "it is the same decision as before"
    assert main(["verify", str(file)]) == 0
    replayed = terminal.type(arguments=("replay", str(file)))
    assert "Ylva: attack Astrid (undone) (with a hint)" in replayed
    assert "Ylva: ally with Astrid (with a hint)" in replayed
    assert replayed.count("(with a hint)") == 2


def test_a_hint_is_marked_after_its_action_is_undone_in_a_resumed_match(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "hinted.match.json"
    terminal.type("hint", "1", f"save {file}", "quit")
    terminal.type("undo", f"save {file}", "quit", arguments=("play", "--resume", str(file)))
    terminal.type("7", f"save {file}", "quit", arguments=("play", "--resume", str(file)))
    record: Any = saved(file)
    assert [action.get("hinted") for action in record["actions"]][:1] == [True]


@pytest.mark.compiled
def test_a_hint_is_marked_after_an_earlier_action_is_undone_and_repeated(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "hinted.match.json"
    alone = ("play", "axxa", "--players", "1", "--name", "Ylva", "--seed", "hall")
    terminal.type("c7 f5", "hint", "undo", "c7 f5", "leave", f"save {file}", "quit", arguments=alone)
    record: Any = saved(file)
    assert [action.get("hinted") for action in record["actions"]] == [None, True]


@pytest.mark.compiled
@pytest.mark.parametrize("resumed", [False, True])
def test_a_hint_is_marked_after_an_undo_that_leaves_more_known(terminal: Terminal, tmp_path: Path, resumed: bool) -> None:
    """The turned piece stays known after the undo, so the seat sees more of the same decision (AX-3.2)."""
    file = tmp_path / "hinted.match.json"
    alone = ("play", "axxa", "--players", "1", "--name", "Ylva", "--seed", "hall")
    begun = ("c7 f5", "hint", "turn", "undo")
    if resumed:
        terminal.type(*begun, f"save {file}", "quit", arguments=alone)
        terminal.type("leave", f"save {file}", "quit", arguments=("play", "--resume", str(file)))
    else:
        terminal.type(*begun, "leave", f"save {file}", "quit", arguments=alone)
    record: Any = saved(file)
    assert [action.get("hinted") for action in record["actions"]] == [None, True]
    assert main(["verify", str(file)]) == 0


def test_undo_returns_to_the_previous_decision_and_is_recorded(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "undone.match.json"
    shown = terminal.type("1", "undo", f"save {file}", "quit")
    assert "Undone." in shown
    record = saved(file)
    assert [undone["after"] for undone in record["undone"]] == [0]  # type: ignore[attr-defined]
    assert record["actions"] == []


def test_nothing_can_be_undone_before_the_first_decision(terminal: Terminal) -> None:
    assert "There is nothing to undo." in terminal.type("undo", "quit")


def test_a_saved_match_can_be_verified_replayed_and_resumed(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "half.match.json"
    assert f"Saved as {file}." in terminal.type("1", "undo", "7", f"save {file}", "quit")
    assert saved(file)["abandoned"] == "left at the terminal"
    assert main(["verify", str(file)]) == 0
    replayed = terminal.type(arguments=("replay", str(file)))
    assert "(undone)" in replayed
    assert "Given up: left at the terminal" in replayed
    again = terminal.type("quit", arguments=("play", "--resume", str(file)))
    assert "Ylva, Astrid (karl), Björn (thrall)" in again
    before, after = meadhall.replay(saved(file)), f"SHA-256 of the seed: {saved(file)['commitment']}"
    assert after in again
    assert [f"{choice.action} {choice.text}" in again for choice in before.legal()] == [True] * before.legal_count()


def test_a_finished_match_is_saved_with_its_result(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "whole.match.json"
    terminal.type(*[str(action) for _ in range(60) for action in range(12)], "hint", f"save {file}", "quit")
    record = saved(file)
    assert record["result"]
    assert "abandoned" not in record
    assert "the last one standing" in terminal.type("why 1", "quit", arguments=("play", "--resume", str(file)))


def test_save_chooses_a_file_name(terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    terminal.type("save", "quit")
    (file,) = tmp_path.iterdir()
    assert file.name.startswith("axes-and-allies-")
    assert file.name.endswith(".match.json")


def test_the_match_goes_on_after_a_save_fails(terminal: Terminal) -> None:
    shown = terminal.type("save /nowhere/at/all", "hint", "quit")
    assert "/nowhere/at/all: No such file or directory" in shown
    assert "your chance of winning" in shown


def test_a_failed_save_keeps_the_existing_file(terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "kept.match.json"
    file.write_text("before", encoding="utf-8")

    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        assert f"{file}: No space left on device" in terminal.type(f"save {file}", "quit")
    assert file.read_text(encoding="utf-8") == "before"
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_name_with_a_nul_character_is_refused(terminal: Terminal) -> None:
    assert "That is not a valid file name." in terminal.type("save a\0b", "quit")


def test_huge_numbers_are_refused(terminal: Terminal) -> None:
    shown = terminal.type("9" * 5000, "why " + "9" * 5000, "quit")
    assert shown.count("Action 999999999999… is outside 0 to") == 2


def test_an_edited_save_cannot_be_resumed(capsys: Capture, terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "edited.match.json"
    terminal.type("1", f"save {file}", "quit")
    record = saved(file)
    record["setup"][0][2] = 7  # type: ignore[index]
    file.write_text(json.dumps(record))
    assert main(["play", "--resume", str(file)]) == 2
    assert "meadhall: setup: order_roll(0, 7) recorded" in capsys.readouterr().err


def test_resuming_needs_a_file_with_one_match_of_a_person(capsys: Capture, terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    meadhall.simulate(GAME, games=2, out=file)
    assert main(["play", "--resume", str(file)]) == 2
    assert "the file must contain one match to resume, not 2" in capsys.readouterr().err
    meadhall.simulate(GAME, games=1, out=file)
    assert main(["play", "--resume", str(file)]) == 2
    assert "All seats of this match are bots." in capsys.readouterr().err


def test_a_match_of_another_game_cannot_be_resumed(capsys: Capture, terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "half.match.json"
    terminal.type(f"save {file}", "quit")
    assert main(["play", "axxa", "--resume", str(file)]) == 2
    assert "contains a match of axes-and-allies" in capsys.readouterr().err


@pytest.mark.parametrize(
    "chosen",
    [["--players", "5"], ["--seed", "z"], ["--bots", "nosuch"], ["--name", "X"], ["--seat", "2"], ["--option", "a=b"]],
)
def test_options_of_a_new_match_are_refused_when_resuming(
    capsys: Capture, terminal: Terminal, tmp_path: Path, chosen: list[str]
) -> None:
    file = tmp_path / "half.match.json"
    terminal.type(f"save {file}", "quit")
    assert main(["play", "--resume", str(file), *chosen]) == 2
    assert "other options don't apply" in capsys.readouterr().err


def test_another_seat_can_be_chosen(terminal: Terminal) -> None:
    shown = terminal.type("quit", arguments=("play", GAME, "--players", "3", "--name", "Ylva", "--seat", "3"))
    assert "Astrid (karl), Björn (karl), Ylva" in shown


@pytest.mark.compiled
def test_choices_are_listed_and_typed_in_the_notation_of_the_game(terminal: Terminal) -> None:
    alone = ("play", "axxa", "--players", "1", "--name", "Ylva", "--seed", "hall")
    shown = terminal.type("help", "C7-f5", "leave", "why pay b6", "pay d7", "hint", "quit", arguments=alone)
    assert "c7 f5 · e4 · b3 · d3 · c2" in shown
    assert "Type a choice as listed, e.g. c7 f5." in shown
    assert "1 You move the stack on c7 to f5" in shown
    assert "leave leave the 5 on top" in shown
    assert "pay f5 · d7 · e7" in shown
    assert "There is no stack on b6. (AX-5.2)" in shown
    assert "3 You pay the 3 on d7 · d7 now shows a 1" in shown
    assert "your chance of winning" in shown


def test_dice_of_dungeon_allies_are_placed_by_typing_the_space(terminal: Terminal) -> None:
    two = ("play", "dungeon-allies", "--players", "2", "--name", "Ylva", "--bots", "thrall", "--seed", "hall")
    shown = terminal.type("first", "D6-Y2", "why d6 y3", "why illuminate", "quit", arguments=two)
    assert "first give the d6 to" in shown
    assert "1 Excursion Y ????????; B ????????; R ????????????" in shown
    assert "d4, d6 Y1 · Y2 · Y3" in shown
    assert "You place the d6: Y2" in shown
    assert "Your d6 is already placed: Y2. (DA-3.1)" in shown
    assert "This costs 1 red crystal, and you don't have one. (DA-3.4)" in shown


def test_a_game_without_heuristics_is_played_against_huscarls(terminal: Terminal) -> None:
    with registered(replace(hoard, name="plain-hoard", greedy=None)):
        shown = terminal.type("hint", str(BOAST), "quit", arguments=("play", "plain-hoard", "--players", "3", "--name", "Ylva"))
    assert terminal.status == 0
    assert "Ylva, Astrid (huscarl), Björn (huscarl)" in shown


def test_the_smallest_game_is_played_with_default_words(terminal: Terminal) -> None:
    with registered(least):
        shown = terminal.type("1", "why 5", *"0" * 7, arguments=("play", "last-stone", "--bots", "thrall", "--name", "Ylva"))
    assert "stones 7 taken 0 winner 0" in shown
    assert "It is your turn." in shown
    assert "0 action 0 1 action 1" in shown
    assert re.search(r"You (win|lost): played to the end\.", shown), "as on the page"
