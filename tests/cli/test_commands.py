"""The command line: its output and its exit status, without tracebacks."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import meadhall
from meadhall.cli import main
from meadhall.cli.app import COMMANDS, Group
from meadhall.engine.match.record import read_records
from meadhall.engine.registry import GROUP
from meadhall.engine.text.language import gettext, speaking

GAME = "axes-and-allies"
RECORD = Path(__file__).parents[1] / "records" / GAME / "2-players-0.match.json"

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEADHALL_LANG", "en")


def refused(capture: Capture, *arguments: str) -> str:
    """Return the message of a refusal, which has one line on stderr, status 2 and nothing on stdout."""
    assert main([*arguments]) == 2
    out, err = capture.readouterr()
    assert out == ""
    assert err.startswith("meadhall: ")
    assert err.count("\n") == 1
    return err


def write_records(path: Path, count: int = 3) -> Path:
    meadhall.simulate(GAME, games=count, seed="records", players=3, out=path)
    return path


# ----------------------------------------------------------------------------------------------------------------- help


def test_every_command_shows_its_options_in_the_language_of_the_reader(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    for language in ("en", "de"):
        monkeypatch.setenv("MEADHALL_LANG", language)
        for name, entry in COMMANDS.items():
            below = [[name, each] for each in entry.commands] if isinstance(entry, Group) else []
            for command in ([name], *below):
                assert main([*command, "--help"]) == 0
                out = capsys.readouterr().out
                assert f"Usage: meadhall {' '.join(command)}" in out
                with speaking(language):
                    own = entry if len(command) == 1 else entry.commands[command[1]] if isinstance(entry, Group) else entry
                    assert gettext(own.help) in " ".join(out.split())


def test_the_list_of_commands_imports_none_of_them() -> None:
    script = "import sys; from meadhall.cli import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "tournament" in run.stdout
    loaded = [name for name in run.stderr.split() if name.startswith("meadhall.cli.")]
    assert sorted(loaded) == ["meadhall.cli.app", "meadhall.cli.console"]


# ------------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["dance"], "No such command"),
        (["simulate", "chess"], "there is no game 'chess'"),
        (["simulate", GAME, "--players", "9"], "2 to 6 players, not 9"),
        (["simulate", GAME, "--players", "two"], "--players"),
        (["simulate", GAME, "--games", "0"], "--games"),
        (["simulate", GAME, "--bots", "hal"], "no bot 'hal'"),
        (["simulate", GAME, "--bots", ""], "at least one"),
        (["simulate", GAME, "--bots", "random,random,random", "--players", "2"], "3 bots for 2 players"),
        (["simulate", GAME, "--option", "variant"], "name=value"),
        (["simulate", GAME, "--option", "variant=long"], "no option 'variant'"),
        (["simulate", GAME, "--games", "5", "--out", "/nowhere/at/all.jsonl"], "/nowhere/at/all.jsonl: No such file"),
        (["play"], "Name a game"),
        (["play", GAME, "--players", "7"], "2 to 6 players, not 7"),
        (["play", GAME, "--seat", "5"], "There is no seat 5"),
        (["play", GAME, "--bots", ","], "at least one bot"),
        (["play", GAME, "--bots", "hal"], "no bot 'hal'"),
        (["play", "--resume", "absent.match.json"], "does not exist"),
        (["verify", "absent.match.json"], "does not exist"),
        (["replay", "absent.match.json"], "does not exist"),
        (["warm", "chess"], "there is no game 'chess'"),
        (["serve", "--port", "0"], "--port"),
    ],
)
def test_mistakes_are_refused_in_one_line(capsys: Capture, arguments: list[str], reason: str) -> None:
    assert reason in refused(capsys, *arguments)


def test_an_error_in_a_separate_process_prints_no_traceback() -> None:
    run = subprocess.run([sys.executable, "-m", "meadhall.cli", "simulate", "chess"], capture_output=True, text=True, check=False)
    assert run.returncode == 2
    installed = ", ".join(sorted(entry.name for entry in entry_points(group=GROUP)))
    assert run.stderr == f"meadhall: there is no game 'chess'; the games are: {installed}\n"


@pytest.mark.parametrize("command", [("serve", "--no-browser"), ("simulate", GAME)])
def test_an_unusable_cache_folder_is_reported_at_once(tmp_path: Path, command: tuple[str, ...]) -> None:
    """This includes the hall: its pages need no machine code, but its bots do."""
    no_folder = tmp_path / "file"
    no_folder.write_text("", encoding="utf-8")
    settings = {"MEADHALL_CACHE": str(no_folder), "MEADHALL_DATA": str(tmp_path), "MEADHALL_INTERPRET": ""}
    arguments = [sys.executable, "-m", "meadhall.cli", *command]
    run = subprocess.run(arguments, capture_output=True, text=True, check=False, env=os.environ | settings)
    assert run.returncode == 2
    assert run.stderr == f"meadhall: can't store machine code in {no_folder}: File exists; set MEADHALL_CACHE to another folder\n"


@pytest.mark.parametrize("command", [("games",), ("verify", str(RECORD))])
def test_what_needs_no_compiler_works_without_a_folder_for_machine_code(tmp_path: Path, command: tuple[str, ...]) -> None:
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o555)
    settings = {"MEADHALL_CACHE": str(folder), "MEADHALL_INTERPRET": ""}
    without_rights = [] if os.geteuid() else ["setpriv", "--bounding-set", "-dac_override"]
    arguments = [*without_rights, sys.executable, "-m", "meadhall.cli", *command]
    run = subprocess.run(arguments, capture_output=True, text=True, check=False, env=os.environ | settings)
    assert (run.returncode, run.stderr) == (0, "")


def test_characters_that_the_terminal_lacks_become_question_marks() -> None:
    assert "ö" in RECORD.read_text(encoding="utf-8")
    arguments = [sys.executable, "-m", "meadhall.cli", "replay", str(RECORD)]
    run = subprocess.run(arguments, capture_output=True, check=False, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert (run.returncode, run.stderr) == (0, b"")
    assert b"Bj?rn" in run.stdout


def test_control_characters_are_not_printed(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "clear\x1b[2J.json"
    file.write_text("{}", encoding="utf-8")
    assert main(["verify", str(file)]) == 1
    assert "clear\N{REPLACEMENT CHARACTER}[2J.json" in capsys.readouterr().err


def test_too_little_memory_is_reported(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_much(*_given: object, **_more: object) -> None:
        raise MemoryError

    monkeypatch.setattr("meadhall.cli.simulate.simulate", too_much)
    assert "not enough memory" in refused(capsys, "simulate", GAME)


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{shlex.quote(sys.executable)} -m meadhall.cli simulate {GAME} --games 4 --json | head -n 1"
    run = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("{\n", "")


@pytest.mark.parametrize("arguments", [["games"], ["--help"]])
def test_the_exit_status_is_zero_when_the_pipe_is_closed(arguments: list[str]) -> None:
    """Rich and Typer notice the closed pipe first, while they write."""
    unread, out = os.pipe()
    os.close(unread)
    run = subprocess.run([sys.executable, "-m", "meadhall.cli", *arguments], stdout=out, stderr=subprocess.PIPE, check=False)
    os.close(out)
    assert (run.returncode, run.stderr) == (0, b"")


def test_closed_standard_streams_are_no_error() -> None:
    for arguments, closed in (
        ("--version", ">&-"),
        (f"verify {shlex.quote(str(RECORD))}", "2>&-"),
        (f"play {GAME} --players 2", "<&-"),
    ):
        command = f"{shlex.quote(sys.executable)} -m meadhall.cli {arguments} {closed}"
        run = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
        assert (run.returncode, run.stderr) == (0, ""), command


def test_input_that_is_not_utf_8_is_no_error() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "meadhall.cli", "play", GAME, "--players", "2"],
        input=b"att\xffck\nquit\n",
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONIOENCODING": "utf-8:strict"},
    )
    assert (run.returncode, run.stderr) == (0, b"")


def restore_control_c() -> None:
    """Restore the default handler of Ctrl-C, which shells disable for background processes."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_control_c_ends_the_command_without_a_message() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "meadhall.cli", "play", GAME, "--players", "3", "--seed", "hall"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=restore_control_c,  # noqa: PLW1509 no other thread of this process holds a lock
    ) as process:
        assert process.stdout is not None
        shown = ""
        while not (shown.endswith("\n> ") and "ally with" in shown):  # it waits for input
            letter = process.stdout.read(1)
            assert letter, shown
            shown += letter
        assert shown.startswith("Axes and Allies\n")
        process.send_signal(signal.SIGINT)
        _out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "")


# ------------------------------------------------------------------------------------------------------------------- output


def test_the_version_is_shown(capsys: Capture) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("meadhall 0.")


def test_without_a_command_the_help_is_shown(capsys: Capture) -> None:
    assert main([]) == 2
    out, err = capsys.readouterr()
    for command in ("serve", "play", "simulate", "verify", "replay", "analyse", "warm", "games"):
        assert command in out
    assert err == ""


def test_games_are_listed(capsys: Capture) -> None:
    assert main(["games"]) == 0
    out = capsys.readouterr().out
    assert GAME in out
    assert "2-6" in out
    for rank in ("thrall", "karl", "huscarl", "jarl", "king"):
        assert f"\n{rank} " in out


def test_warming_up_prints_the_games_that_are_ready(capsys: Capture) -> None:
    assert main(["warm", GAME]) == 0
    assert capsys.readouterr().out.startswith("Axes and Allies: ready after")


@pytest.mark.parametrize(("variable", "value"), [("MEADHALL_LANG", "de"), ("LC_ALL", "de_DE.UTF-8"), ("LANG", "de_AT")])
def test_the_environment_sets_the_language(capsys: Capture, monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    for name in ("MEADHALL_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, value)
    main(["--help"])
    assert "Den Server starten" in capsys.readouterr().out


# -------------------------------------------------------------------------------------------------------------------- simulations


def test_a_simulation_is_printed_as_a_table(capsys: Capture) -> None:
    assert main(["simulate", GAME, "--players", "3", "--bots", "karl,thrall", "--games", "6", "--seed", "s"]) == 0
    out = capsys.readouterr().out
    for part in ("karl", "thrall", "any bot", "6 games of", "seed s", "95 % intervals"):
        assert part in out


def test_a_simulation_can_be_printed_as_json(capsys: Capture) -> None:
    assert main(["simulate", GAME, "--bots", "karl,thrall", "--games", "4", "--seed", "s", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["games"] == 4
    assert found["by_bot"]["karl"]["share"] + found["by_bot"]["thrall"]["share"] == 4
    assert found["seed"] == "s"


def test_the_seed_determines_the_games(capsys: Capture) -> None:
    def wins() -> object:
        main(["simulate", GAME, "--games", "4", "--seed", "s", "--json"])
        return json.loads(capsys.readouterr().out)["by_seat"]

    assert wins() == wins()


def test_simulated_records_contain_the_legal_counts_and_verify(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    assert main(["simulate", GAME, "--players", "4", "--bots", "karl,thrall", "--games", "5", "--out", str(file)]) == 0
    records = list(read_records(file))
    assert len(records) == 5
    assert all(action["legal"] > 0 for record in records for action in record["actions"])
    assert {seat["bot"] for seat in records[0]["seats"]} == {"karl", "thrall"}
    capsys.readouterr()
    assert main(["verify", str(file)]) == 0
    assert capsys.readouterr().out == f"{file}: 5 records verified\n"


# ------------------------------------------------------------------------------------------------------------------------ records


def test_every_file_has_a_line_and_the_records_are_counted(capsys: Capture, tmp_path: Path) -> None:
    one, three = write_records(tmp_path / "one.jsonl", 1), write_records(tmp_path / "three.jsonl", 3)
    assert main(["verify", str(one), str(three)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{one}: 1 record verified",
        f"{three}: 3 records verified",
        "4 records verified",
    ]


def test_the_first_mistake_in_a_record_is_reported_with_its_place(capsys: Capture, tmp_path: Path) -> None:
    file = write_records(tmp_path / "games.jsonl")
    records = list(read_records(file))
    roll = records[1]["actions"][2]["events"][0]
    roll[-1] += 1
    file.write_text("\n".join(map(json.dumps, records)))
    assert main(["verify", str(file)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"meadhall: {file}: record 2: action 3: ")
    assert "recorded" in err
    assert "derived" in err


def test_a_file_may_be_named_like_a_place_in_a_record(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (record,) = list(read_records(write_records(tmp_path / "good", 1)))
    record["actions"][2]["events"][0][-1] += 1
    Path("action").write_text(json.dumps(record))
    assert main(["verify", "action"]) == 1
    assert capsys.readouterr().err.startswith("meadhall: action: action 3: ")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it contains no record"),
        ("{", "not JSON"),
        ("[]", "a JSON object was expected"),
        ('{"format": "chess"}', "'chess'"),
    ],
)
def test_a_file_without_a_record_is_refused(capsys: Capture, tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "some.match.json"
    file.write_text(text)
    assert main(["verify", str(file)]) == 1
    assert reason in capsys.readouterr().err
    assert reason in refused(capsys, "replay", str(file))


def test_an_incomplete_line_is_reported_with_its_number(capsys: Capture, tmp_path: Path) -> None:
    file = write_records(tmp_path / "games.jsonl")
    file.write_text(file.read_text()[:-40])
    assert main(["verify", str(file)]) == 1
    assert "line 3: not JSON" in capsys.readouterr().err


def test_a_replay_is_printed_in_words(capsys: Capture, tmp_path: Path) -> None:
    file = write_records(tmp_path / "games.jsonl", 2)
    assert main(["replay", str(file), "--tables"]) == 0
    out = capsys.readouterr().out
    for part in ("Axes and Allies", "all dice verified", "goes first", "attack", "the last one standing (AA-6.1)"):
        assert part in out
    assert out.count("wins: ") == 2
    assert "axe power" in out
