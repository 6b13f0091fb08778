"""``meadhall tournament``: its output and its refusals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module

import pytest

import games_for_tests.hoard  # noqa: F401 (registers the game)
from meadhall.cli import main
from meadhall.lab import luck
from meadhall.lab.matches import Outcome, play_matches

GAME = "axes-and-allies"
SMALL = ["tournament", GAME, "--bots", "thrall,karl", "--games", "12", "--seed", "s", "--processes", "1"]

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEADHALL_LANG", "en")


def test_a_tournament_is_printed_as_two_tables(capsys: Capture) -> None:
    assert main([*SMALL, "--players", "3"]) == 0
    out = capsys.readouterr().out
    for part in (
        "Axes and Allies for 3",
        "thrall",
        "karl",
        "fair",
        "33.3 %",
        "rating",
        "ahead of the column",
        "12 games of",
        "seed s",
    ):
        assert part in out


def test_a_tournament_can_be_printed_as_json(capsys: Capture) -> None:
    assert main([*SMALL, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["bots"] == ["thrall", "karl"]
    assert found["standings"]["thrall"]["share"] + found["standings"]["karl"]["share"] == pytest.approx(1)
    assert found["ended"] == "complete"


def test_cooperative_games_have_no_fair_share_and_no_rating(capsys: Capture) -> None:
    together = ["--option", "mode=together", "--processes", "1"]
    assert main(["tournament", "hoard", "--bots", "thrall,karl", "--games", "4", "--seed", "s", *together]) == 0
    out = capsys.readouterr().out
    assert "Hoard for 2" in out
    assert "fair" not in out
    assert "rating" not in out


def test_options_of_the_game_are_read(capsys: Capture) -> None:
    options = ["--option", "mode=sides", "--players", "2"]
    assert main(["tournament", "hoard", "--bots", "thrall,karl", "--games", "2", "--processes", "1", "--json", *options]) == 0
    assert json.loads(capsys.readouterr().out)["scoring"] == "sides"


@pytest.mark.compiled
def test_luck_corrected_shares_are_printed(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(luck, "PLAYOUTS", 2)
    assert main([*SMALL[:5], "20", "--seed", "s", "--processes", "1", "--luck"]) == 0
    out = capsys.readouterr().out
    assert out.index("Corrected for luck") < out.index("explained by luck") < out.index("ahead of the column")


def test_too_few_games_show_no_luck_corrected_shares(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(luck, "PLAYOUTS", 2)
    assert main([*SMALL, "--luck"]) == 0
    rows = [line.split("│") for line in capsys.readouterr().out.splitlines() if "│" in line]
    assert [[cell.strip() for cell in row[1:-1]] for row in rows[2:4]] == [["thrall", "-", "-"], ["karl", "-", "-"]]


@pytest.mark.compiled
def test_a_tournament_can_end_once_the_order_is_significant(capsys: Capture) -> None:
    until_sure = ["--until-sure", "--processes", "1"]
    assert main(["tournament", GAME, "--bots", "thrall,karl", "--games", "3000", "--seed", "s", *until_sure]) == 0
    assert "The order was significant after" in capsys.readouterr().out


def test_control_c_shows_the_results_so_far(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object, **named: object) -> Iterator[Outcome]:
        for number, outcome in enumerate(play_matches(*arguments, **named)):  # type: ignore[arg-type]
            if number == 6:
                raise KeyboardInterrupt
            yield outcome

    monkeypatch.setattr(import_module("meadhall.lab.tournament"), "play_matches", interrupted)
    assert main(SMALL) == 130
    out, err = capsys.readouterr()
    assert "Interrupted after 6 of 12 games" in out
    assert err == ""


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["chess", "--bots", "thrall,karl"], "there is no game 'chess'"),
        ([GAME], "--bots"),
        ([GAME, "--bots", ""], "0 instead of at least 2"),
        ([GAME, "--bots", "karl"], "1 instead of at least 2"),
        ([GAME, "--bots", "karl,karl"], "named only once"),
        ([GAME, "--bots", "karl,hal"], "no bot 'hal'"),
        ([GAME, "--bots", "thrall,karl", "--players", "9"], "2 to 6 players, not 9"),
        ([GAME, "--bots", "thrall,karl", "--games", "0"], "--games"),
        ([GAME, "--bots", "thrall,karl", "--processes", "0"], "--processes"),
        ([GAME, "--bots", "thrall,karl", "--option", "variant"], "name=value"),
        ([GAME, "--bots", "thrall,karl", "--option", "variant=long"], "no option 'variant'"),
        (["axxa", "--bots", "thrall,karl", "--option", "mode=versus", "--players", "1"], "at least 2 players"),
        (["axxa", "--bots", "thrall,karl", "--option", "order=any", "--players", "2"], "order=any is only for mode=versus"),
    ],
)
def test_mistakes_are_refused_in_one_line(capsys: Capture, arguments: list[str], reason: str) -> None:
    assert main(["tournament", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("meadhall: ")
    assert err.count("\n") == 1
    assert reason in err
