"""The figures of the rulebook list what is printed on the components in use."""

from __future__ import annotations

import re
import tomllib
from html import unescape
from typing import Any

from games.dungeon_allies.scenes import DA
from meadhall.engine.rulebook import rule_sentence
from meadhall.engine.text.language import speaking
from meadhall.games.dungeon_allies.components import COMPONENTS
from meadhall.games.dungeon_allies.names import BUILT_IN
from meadhall.server.pages.rulebook import rulebook_of_match, rulebook_page


def text(html: str) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", re.sub(r'<[^>]*aria-label="([^"]*)"[^>]*>', r" \1 ", html))))


def own_components(change: Any) -> dict[str, Any]:
    assert DA.folder is not None
    document = tomllib.loads((DA.folder / "components.toml").read_text(encoding="utf-8"))
    change(document)
    return DA.check_options({"components": document})


def test_the_rulebook_lists_gifts_prisoners_trade_lines_and_all_cards() -> None:
    words = text(rulebook_page("dungeon-allies", "en")["html"])
    assert "space 4 1 blue crystal" not in words.split("What each space")[0]
    assert re.search(r"1 blue crystal\s+space 4", words)
    for prisoner in BUILT_IN.prisoner_space:
        assert prisoner.name in words
    assert re.search(r"Imprisoned Oracle\s+1 white crystal\s+1 yellow crystal and 3 gold", words)
    assert re.search(r"1 yellow crystal and 1 green crystal\s+1 white crystal", words)
    for card in BUILT_IN.sorcerer_card:
        assert card.name in words


def test_the_lists_are_translated() -> None:
    words = text(rulebook_page("dungeon-allies", "de")["html"])
    with speaking("de"):
        names = [DA.page.components({"components": COMPONENTS.default})["prisoners"][k][0] for k in range(5)]  # type: ignore[union-attr]
    assert all(name in words for name in names)
    assert "Feld 4" in words


def test_the_rules_of_a_table_are_those_of_its_components() -> None:
    def change(document: dict[str, Any]) -> None:
        document["excursion_square"] = [{"level": "blue"}] * 28
        document["dice"]["enhance_dice"] = [20]
        document["sorcerer"]["refill"] = False
        document["trade"] = []

    own, built_in = own_components(change), DA.check_options({})
    said = {rule: rule_sentence(DA, rule, own) for rule in ("DA-1.1", "DA-1.4", "DA-1.5", "DA-4.5", "DA-10.1", "DA-11.3")}
    told = (
        "At this table the values are those of",
        "Dice for Enhance at this table: d20.",
        "At this table: 28 blue.",
        "one more die joins the fight (d20)",
        "The table has 0 lines.",
        "Empty spaces stay empty",
    )
    for (rule, sentence), what in zip(said.items(), told, strict=True):
        assert what in sentence, rule
    usual = ("this project's own", "d20 is not used", "twelve red", "refilled at the end")
    assert not [words for words in usual for sentence in said.values() if words in sentence]
    assert [words for words in usual if words in text(rulebook_page("dungeon-allies", "en")["html"])] == list(usual)
    assert "At this table: 8 yellow, 8 blue and 12 red." in rule_sentence(DA, "DA-1.5", built_in)
    rows = re.findall(r'<span class="da-row l(\d)">((?:<i></i>)*)', rulebook_of_match(DA, own, "en")["html"])
    assert [(level, row.count("<i>")) for level, row in rows] == [("0", 0), ("1", 28), ("2", 0)]
    assert "At this table: 28 blue" in text(rulebook_of_match(DA, own, "en")["html"])
    assert "At this table" not in rulebook_page("dungeon-allies", "en")["html"]


def test_own_components_are_listed_instead() -> None:
    def change(document: dict[str, Any]) -> None:
        document["prisoner_space"] = [{"name": "The Tall Tailor", "offering": {}, "reward": {"gold": 7}}]
        document["trade"] = []
        document["sorcerer_card"][0]["name"] = "Cloak of Buttons"
        document["turn_order_space"][0]["crystals"] = {"white": 2}

    words = text(rulebook_of_match(DA, own_components(change), "en")["html"])
    assert re.search(r"The Tall Tailor\s+nothing\s+7 gold", words)
    assert "Caged Goblin Cook" not in words.split("Example turn")[0]
    assert "These components have no lines: no trade is possible." in words
    assert "Cloak of Buttons" in words
    assert re.search(r"2 white crystals\s+2\s+space 1", words)
