"""``meadhall doctor``: real folders, databases, ports and proxies, each with something wrong."""

from __future__ import annotations

import json
import os
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest

from meadhall.cli import main
from meadhall.server import doctor
from meadhall.server.doctor import examine
from server.findings import the_only, troubles

Capture = pytest.CaptureFixture[str]


# ------------------------------------------------------------------------------------------------------------- settings, files


def test_a_new_hall_has_nothing_wrong_and_nothing_is_created(environment: dict[str, str]) -> None:
    found = list(examine(environment))
    assert troubles(found) == []
    assert {finding.check for finding in found} == {"settings", "folder", "cache", "port"}
    assert list(Path(environment["MEADHALL_DATA"]).iterdir()) == []


def test_the_command_tells_findings_in_words_or_as_json(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("MEADHALL_LANG", "de")
    assert main(["doctor"]) == 0
    assert "Die Halle kann geöffnet werden." in capsys.readouterr().out
    monkeypatch.setenv("MEADHALL_LANG", "en")
    assert main(["doctor", "--data", "/proc/nowhere"]) == 1
    out = capsys.readouterr().out
    assert "/proc can't be written" in out
    assert "choose another folder with MEADHALL_DATA" in out
    assert "1 thing is wrong." in out
    assert main(["doctor", "--json", "--data", "/proc/nowhere"]) == 1
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    assert all(set(each) == {"check", "status", "text", "advice"} for each in found)
    assert [each["check"] for each in found if each["status"] == "wrong"] == ["folder"]


def test_a_misspelt_setting_is_named(environment: dict[str, str]) -> None:
    the_only(examine(environment | {"MEADHALL_PROT": "80"}), "warning", "MEADHALL_PROT")


def test_a_setting_that_can_not_be_used_is_explained(environment: dict[str, str]) -> None:
    the_only(examine(environment | {"MEADHALL_PORT": "eighty"}), "wrong", "MEADHALL_PORT must be a number")


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such modes")
def test_a_folder_that_others_can_read_is_named(environment: dict[str, str]) -> None:
    folder = Path(environment["MEADHALL_DATA"])
    folder.chmod(0o755)
    finding = the_only(examine(environment), "warning", "other users")
    assert finding.advice == f"Run: chmod 700 {folder}"


def test_a_folder_that_can_not_be_written_is_wrong(environment: dict[str, str]) -> None:
    the_only(examine(environment | {"MEADHALL_DATA": "/proc/nowhere/hall"}), "wrong", "/proc can't be written")


# --------------------------------------------------------------------------------------------------------------------- network


def test_a_port_that_another_program_has_is_wrong(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", int(environment["MEADHALL_PORT"])))
        other.listen()
        monkeypatch.setattr(doctor, "_TIMEOUT", 0.5)
        the_only(examine(environment), "wrong", "can't listen on")


def test_little_free_space_is_told(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for free, status in ((100, "warning"), (10, "wrong")):
        usage = shutil.disk_usage(environment["MEADHALL_DATA"])._replace(free=free << 20)
        monkeypatch.setattr(shutil, "disk_usage", lambda _folder, usage=usage: usage)
        the_only(examine(environment), status, f"only {free} MB are free")
