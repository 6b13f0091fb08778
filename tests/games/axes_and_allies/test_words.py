"""The texts of Axes and Allies, in English and German."""

from __future__ import annotations

import pytest

from meadhall import game
from meadhall.engine.rulebook import rule_ids, rule_sentence, rulebook_text
from meadhall.engine.text.language import speaking

AA = game("axes-and-allies")
IDS = """AA-1.1 AA-1.2 AA-1.3 AA-1.4 AA-2.1 AA-2.2 AA-2.3 AA-3.1 AA-3.2 AA-3.3 AA-3.4 AA-3.5 AA-3.6
AA-4.1 AA-4.2 AA-5.1 AA-6.1 AA-7.1""".split()


def test_the_rulebook_explains_every_rule() -> None:
    assert list(rule_ids(AA)) == IDS
    assert all(len(rule_sentence(AA, rule)) > 30 for rule in IDS)


def test_an_unknown_rule_has_no_text() -> None:
    assert rule_sentence(AA, "AA-9.9") == ""


def test_the_german_rulebook_explains_the_same_rules() -> None:
    english = rulebook_text(AA)
    with speaking("de"):
        assert rulebook_text(AA) != english
        assert all(rule_sentence(AA, rule) for rule in IDS)
        assert "Ein Zug als Beispiel" in rulebook_text(AA)


@pytest.mark.parametrize(("language", "attack", "event"), [("en", "attack Björn", "Astrid"), ("de", "Björn angreifen", "Astrid")])
def test_actions_and_events_are_in_the_current_language(language: str, attack: str, event: str) -> None:
    match = AA.match(seats=["Astrid", "Björn"], seed="who begins")
    while match.actor != 0:
        match.play(match.legal()[0])
    with speaking(language):
        assert match.legal()[0].text == attack
        texts = [AA.words.event(happened, match.names) for happened in match.setup]
    assert any(event in words for words in texts)
    assert all(texts)


def test_prompts_explain_the_power() -> None:
    for number in range(40):
        match = AA.match(players=2, seed=str(number))
        power = match.state.power
        mine, theirs = match.view(match.actor).prompt(), match.view(1 - (match.actor or 0)).prompt()
        assert f"power {power}" in mine
        assert f"{match.names[match.actor or 0]}'s axe has power {power}" in theirs
        assert ("can't kill" in mine) == (power == 1)
