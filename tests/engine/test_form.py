"""A document as a form: fields for everything that can be changed, and the document with what a form says."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from meadhall.engine.errors import BadSetup
from meadhall.engine.form import DocumentForm
from meadhall.engine.registry import game
from meadhall.engine.text.language import speaking
from meadhall.server.hall.lobby_changes import document_of
from meadhall.server.pages.editor import editor_page, toml_text
from meadhall.server.store.questions import Content, Question, Variant

DUNGEON = game("dungeon-allies")
COMPONENTS = document_of(DUNGEON, "components")


def form(**changes: Any) -> DocumentForm:
    return DocumentForm(COMPONENTS, COMPONENTS.data(COMPONENTS.default) | changes)


def test_the_form_has_every_value_of_the_components_and_changes_nothing_by_itself() -> None:
    data = form().data
    names = {field.name: field.value for field in form().entries.values()}
    for index, monster in enumerate(data["monster"]):
        for level in ("yellow", "blue", "red"):
            for part in ("target", "gold"):
                assert names[f"monster.{index}.{level}.{part}"] == str(monster[level][part])
    assert form().changed({f"at-{name}": value for name, value in names.items()}) == data
    assert COMPONENTS.check(toml_text(COMPONENTS, data)) == COMPONENTS.default


def test_a_card_gets_the_fields_of_what_it_counts() -> None:
    card = "sorcerer_card.0"
    mixed = form().changed({f"at-{card}.kind": "mixed"})
    assert mixed["sorcerer_card"][0] == {"id": "staff_of_cinders", "name": "Staff of Cinders", "kind": "mixed", "scores": []}
    grown = DocumentForm(COMPONENTS, mixed).grown(f"{card}.scores")
    chosen = DocumentForm(COMPONENTS, grown).changed({f"at-{card}.scores.0.kind": "crystal"})
    (scored,) = chosen["sorcerer_card"][0]["scores"]
    assert (scored["kind"], set(scored)) == ("crystal", {"kind", "color", "per", "points"})
    COMPONENTS.check(chosen)


def test_values_that_the_rules_leave_open_can_be_changed_and_lists_within_their_sizes() -> None:
    changed = form().changed(
        {"at-sorcerer.refill": "false", "at-dice.enhance_dice": "4 20", "at-prisoner_space.0.reward.gold": "0"}
    )
    assert (changed["sorcerer"]["refill"], changed["dice"]["enhance_dice"]) == (False, [4, 20])
    assert changed["prisoner_space"][0]["reward"] == {}
    lists = {group.path: (group.grows, group.shrinks) for group in form().top.groups}
    assert (lists["prisoner_space"], lists["monster"]) == ((True, True), (False, False))
    assert len(form().grown("trade")["trade"]) == 5
    assert form().shrunk("prisoner_space")["prisoner_space"] == form().data["prisoner_space"][:4]


@pytest.mark.parametrize(
    ("field", "text", "sentence"),
    [
        ("monster.3.blue.gold", "100", "Moss Gremlin, blue, gold: a whole number from 0 to 99 is expected"),
        ("prisoner_space.0.name", " ", "Prisoners 1, name: a text of 1 to 60 characters is expected"),
        ("excursion_square.9.level", "yellow", "Squares 10, level: yellow after blue: the order is yellow, blue, red"),
        ("dice.enhance_dice", "7", "Dice for Enhance: expected a list of some of 4, 6, 8, 10, 12, 20, not [7]"),
        ("trade.0.right.gold", "1", "Trade lines 1, right side, gold: gold can't be traded, only crystals can"),
    ],
)
def test_an_error_names_its_place_in_words(field: str, text: str, sentence: str) -> None:
    variant = Variant("mine", "mine", {"components": form().changed({f"at-{field}": text})})
    question = Question("q", "ada", DUNGEON.name, Content("?", (2,), (variant,)), 0, datetime.now(UTC))
    with speaking("en"):
        page = editor_page(question, variant, COMPONENTS)
    assert page["fault"] == (field, sentence)


def column(data: dict[str, Any], name: str, path: str) -> list[Any]:
    steps = path.split(".")
    return [piece[steps[0]][steps[1]] if len(steps) == 2 else piece.get(path) for piece in data[name]]


def test_a_table_has_a_row_for_each_piece_and_a_column_for_each_number() -> None:
    tables = {group.path: table for group in form().top.groups if (table := form().table(group))}
    assert {name: len(table.rows) for name, table in tables.items()} == {
        "turn_order_space": 5,
        "prisoner_space": 5,
        "trade": 4,
        "monster": 28,
        "sorcerer_card": 16,
    }
    assert [*tables["monster"].columns.values()][:3] == ["yellow, target", "yellow, gold", "blue, target"]
    assert [*tables["sorcerer_card"].columns] == ["points", "per"]
    assert [field and field.value for field in tables["sorcerer_card"].rows[8][1]] == ["1", "3"]
    assert tables["sorcerer_card"].rows[0][1][1] is None


@pytest.mark.parametrize(
    ("step", "new"),
    [
        ("+1", lambda old: old + 1),
        (" - 2", lambda old: max(0, old - 2)),
        ("x1.5", lambda old: int(old * 1.5 + 0.5)),
        ("* 0,5", lambda old: int(old * 0.5 + 0.5)),
        ("= 7", lambda old: 7),
        ("x 50", lambda old: min(99, old * 50)),
    ],
)
def test_a_step_changes_a_column_within_the_bounds(step: str, new: Any) -> None:
    before = column(form().data, "monster", "yellow.target")
    assert column(form().stepped("monster", "yellow.target", step), "monster", "yellow.target") == list(map(new, before))
    some = column(form().stepped("monster", "yellow.target", step, {1, 30}), "monster", "yellow.target")
    assert some == [before[0], new(before[1]), *before[2:]]


def test_a_step_counts_what_a_piece_leaves_out_and_one_that_cant_be_read_is_refused() -> None:
    data = form().stepped("prisoner_space", "reward.white", "+1")
    assert [prisoner["reward"]["white"] for prisoner in data["prisoner_space"]] == [1] * 5
    assert form().stepped("sorcerer_card", "per", "+1")["sorcerer_card"][0] == form().data["sorcerer_card"][0]
    for step in ("1", "+", "+x", "--1", "x 1e9", "+1.", "= -3", "+99999"):
        with pytest.raises(BadSetup, match="A column is changed by"):
            form().stepped("monster", "yellow.target", step)


def test_parts_become_as_in_the_built_in_document() -> None:
    data = form().stepped("monster", "yellow.target", "+1")
    changed = DocumentForm(COMPONENTS, data | {"prisoner_space": data["prisoner_space"][:2]})
    assert changed.usual(["monster.3", "monster.4.yellow.target", "prisoner_space"]) == {
        **form().data,
        "monster": [*data["monster"][:3], *form().data["monster"][3:5], *data["monster"][5:]],
    }
    assert changed.usual([""]) == form().data
    mixed = form().changed({"at-sorcerer_card.13.kind": "mixed"})
    assert DocumentForm(COMPONENTS, mixed).usual(["sorcerer_card.13"]) == form().data
