"""Changes of options in words: the same in page, report, file and command."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from meadhall.engine.changes import as_comment, changes
from meadhall.engine.form import scaled
from meadhall.engine.options import Document
from meadhall.engine.registry import game
from meadhall.engine.text.language import speaking

DUNGEON = game("dungeon-allies")
COMPONENTS: Any = next(option for option in DUNGEON.options if isinstance(option, Document))


def told(change: Callable[[Any], None], language: str = "en", **options: str) -> list[str]:
    data = COMPONENTS.data(COMPONENTS.default)
    change(data)
    with speaking(language):
        return list(map(str, changes(DUNGEON, DUNGEON.check_options({**options, "components": data}))))


def every(pieces: str, path: str, new: Callable[[int], int]) -> Callable[[Any], None]:
    """Return the change of a number of all pieces."""

    def change(data: Any) -> None:
        for piece in data[pieces]:
            *steps, last = path.split(".")
            for step in steps:
                piece = piece[step]  # noqa: PLW2901 - the part that has the number
            piece[last] = new(piece[last])

    return change


def king(data: Any) -> None:
    data["monster"][0]["yellow"]["target"] = 99


def test_a_single_change_names_piece_and_number() -> None:
    assert told(king) == ["Cellar Rat King, yellow, target: 2 → 99"]
    assert told(king, "de") == ["Kellerrattenkönig, gelb, nötig: 2 → 99"]
    assert told(lambda data: None, bids="returned") == ["Bids: All bids are lost → Losing bids come back"]
    with speaking("en"):
        assert as_comment(changes(DUNGEON, {})) == ""


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (every("sorcerer_card", "points", lambda points: points + 4), "Every sorcerer card, points: +4"),
        (every("monster", "red.target", lambda target: scaled(target, Fraction(3, 2))), "Every monster, red, target: × 1.5"),
        (every("monster", "yellow.gold", lambda gold: 3), "Every monster, yellow, gold: → 3"),
    ],
)
def test_a_change_of_a_whole_column_is_one_sentence(change: Callable[[Any], None], sentence: str) -> None:
    assert told(change) == [sentence]


def test_a_change_of_most_pieces_names_the_others_and_one_of_a_few_their_names() -> None:
    def most(data: Any) -> None:
        every("sorcerer_card", "points", lambda points: points + 4)(data)
        data["sorcerer_card"][0]["points"] -= 4
        data["sorcerer_card"][3]["points"] += 1
        for number in (4, 5, 6):
            data["monster"][number]["blue"]["gold"] += 2

    assert told(most) == [
        "Gutter Lizard, Barrow Hound and Thorn Sprite, blue, gold: +2",
        "Every sorcerer card except Staff of Cinders and Alchemist's Rod, points: +4",
        "Alchemist's Rod, points: 2 → 7",
    ]


def test_pieces_that_come_and_go_and_parts_that_a_document_leaves_out() -> None:
    def prisoners(data: Any) -> None:
        data["prisoner_space"][4:] = []
        data["trade"].append({"left": {"red": 3}, "right": {"gold": 0, "white": 2}})
        del data["excursion_square"], data["dice"], data["supply"]
        data["sorcerer"]["refill"] = False

    assert told(prisoners) == [
        "Refill at the sorcerer: yes → no",
        "Imprisoned Oracle: taken away",
        "Trade lines 5: new (left side, red 3; right side, white 2)",
    ]


def test_what_a_card_counts_is_a_change_too() -> None:
    def mixed(data: Any) -> None:
        data["sorcerer_card"][13] = {**data["sorcerer_card"][13], "kind": "mixed", "scores": [{"kind": "fixed", "points": 3}]}
        del data["sorcerer_card"][13]["points"]

    assert told(mixed) == [
        "Wayfarer's Staff, counts: itself → several things",
        "Wayfarer's Staff, what it counts 1: new (points 3; counts itself)",
    ]
