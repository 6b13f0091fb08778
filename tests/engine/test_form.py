"""A document as a form: fields for everything that can be changed, and the document with what a form says."""

from __future__ import annotations

from typing import Any

import pytest

from meadhall.engine.form import DocumentForm
from meadhall.engine.registry import game
from meadhall.engine.text.language import speaking
from meadhall.server.hall.lobby_changes import document_of
from meadhall.server.pages.workshop import toml_text, workshop_page

DUNGEON = game("dungeon-allies")
COMPONENTS = document_of(DUNGEON, "components")


def form(**changes: Any) -> DocumentForm:
    return DocumentForm(COMPONENTS, COMPONENTS.data(COMPONENTS.default) | changes)


def test_the_form_has_every_value_of_the_components_and_changes_nothing_by_itself() -> None:
    data = form().data
    names = {field.name: field.value for field, _line in form().entries()}
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
    lists = {group.path: (group.grows, group.shrinks) for group in form().groups}
    assert (lists["prisoner_space"], lists["monster"]) == ((True, True), (False, False))
    assert len(form().grown("trade")["trade"]) == 5
    assert form().shrunk("prisoner_space.4")["prisoner_space"] == form().data["prisoner_space"][:4]


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
    with speaking("en"):
        page = workshop_page(DUNGEON, COMPONENTS, form().changed({f"at-{field}": text}))
    assert page.fault is not None
    assert (page.fault.text, page.fault_at) == (sentence, field)
