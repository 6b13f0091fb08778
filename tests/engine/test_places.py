"""Line numbers of paths in a TOML document, whatever its formatting."""

from __future__ import annotations

import pytest

from meadhall.engine.text.toml_lines import line_of, place_of

TEXT = """\
# [not.a.table]
title = "a [bracket] # and no comment"   # a comment with a ]

[supply]
  gold = 60
  [supply.crystals]
  red = 24
  "dark blue" = 1

[[monster]]
name = "rat"
yellow = { target = 2, gold = 1 }

[[monster]]
name = '''
[[monster]]
two lines'''
yellow.target = 3
yellow.gold = 1
[[monster.tooth]]
long = 1
[[monster.tooth]]
long = 2

[[monster]]
weights = [
  1,  # one, two
  2, [3,
  4],
  { gold = 5 },
]
[[monster.tooth]]
long = 3
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("$.title", 2),
        ("$.supply", 4),
        ("$.supply.gold", 5),
        ("$.supply.crystals", 6),
        ("$.supply.crystals.red", 7),
        ("$.supply.crystals.dark blue", 8),
        ("$.monster", 10),
        ("$.monster[0]", 10),
        ("$.monster[0].name", 11),
        ("$.monster[0].yellow.gold", 12),
        ("$.monster[1]", 14),
        ("$.monster[1].name", 15),
        ("$.monster[1].yellow", 18),
        ("$.monster[1].yellow.target", 18),
        ("$.monster[1].yellow.gold", 19),
        ("$.monster[1].tooth[1].long", 23),
        ("$.monster[2].weights", 26),
        ("$.monster[2].weights[0]", 27),
        ("$.monster[2].weights[1]", 28),
        ("$.monster[2].weights[2]", 28),
        ("$.monster[2].weights[3].gold", 30),
        ("$.monster[2].tooth[0].long", 33),
    ],
)
def test_the_line_of_a_path_is_found(path: str, line: int) -> None:
    assert line_of(TEXT, place_of(path)) == line
    assert line_of(TEXT.replace("\n", "\r\n"), place_of(path)) == line


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("$.monster[0].weakness", 10),
        ("$.monster[0].yellow.weakness", 12),
        ("$.supply.crystals.white", 6),
        ("$.monster[7].name", 0),
        ("$.absent", 0),
        ("$", 0),
    ],
)
def test_a_missing_path_has_the_line_of_its_nearest_parent(path: str, line: int) -> None:
    assert line_of(TEXT, place_of(path)) == line


def test_a_path_is_split_into_names_and_indexes() -> None:
    assert place_of("$.monster[3].yellow.target") == ("monster", 3, "yellow", "target")
    assert place_of("$") == ()
