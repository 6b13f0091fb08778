"""The rules, case by case: see ``cases.py``, which tells the cases anew."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from games.cases import SCENES, Case, cases
from meadhall import game
from meadhall.engine.rulebook import rule_ids

EVERY = [case for name in SCENES for case in cases(name)]


@pytest.mark.parametrize("case", EVERY, ids=lambda case: f"{case.game} {case.title.removeprefix('# ')}")
def test_a_case_happens_as_it_is_told(case: Case) -> None:
    assert case.told().splitlines() == [case.title, *case.lines], "tests/games/cases.py tells it anew"


@pytest.mark.parametrize("name", ["axes-and-allies", *SCENES])
def test_every_rule_is_cited_by_the_code_and_by_a_case_or_a_test(name: str) -> None:
    ids, folder = set(rule_ids(game(name))), game(name).folder
    assert folder is not None
    files = [*(folder / f"{each}.py" for each in ("rules", "state", "pieces")), *(folder / "rules").glob("*.py")]
    code = "".join(path.read_text("utf-8") for path in files if path.is_file())
    assert set(re.findall(r"[A-Z]{2}-\d+\.\d+", code)) == ids
    tests = (Path(__file__).parent / name.replace("-", "_")).glob("test_*.py")
    names = " ".join(re.findall(r"def test_(\w+)", "".join(path.read_text("utf-8") for path in tests)))
    named = {f"{prefix}-{chapter}.{rule}" for prefix, chapter, rule in re.findall(r"([A-Z]{2})_(\d+)_(\d+)", names)}
    titles = " ".join(case.title.partition(":")[0] for case in EVERY if case.game == name)
    assert named | set(re.findall(r"[A-Z]{2}-\d+\.\d+", titles)) == ids
