"""What the games say, in English and German: see ``spoken.py``, which writes the files anew."""

from __future__ import annotations

import pytest

from games.spoken import GAMES, examples, path, positions, spoken
from meadhall import game
from meadhall.engine.rulebook import rule_ids, rule_sentence, rulebook_text
from meadhall.engine.text.language import LANGUAGES, speaking


@pytest.mark.slow("plays matches of each game in all languages")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_a_game_says_what_its_file_has(name: str, language: str) -> None:
    assert spoken(name, language) == path(name, language).read_text("utf-8"), "tests/games/spoken.py writes the file anew"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_every_message_of_a_game_is_said(name: str, language: str) -> None:
    assert [message for message, example in examples(name, language).items() if example is None] == []


@pytest.mark.parametrize("name", GAMES)
def test_every_kind_of_event_happens(name: str) -> None:
    told = {event.kind for match, _ in positions(name) for step in match.steps for event in step.events}
    told |= {event.kind for match, _ in positions(name) for event in match.setup}
    assert told == game(name).events.keys()


@pytest.mark.parametrize("name", GAMES)
def test_the_rulebook_explains_the_same_rules_in_every_language(name: str) -> None:
    subject, english = game(name), rulebook_text(game(name))
    ids = list(rule_ids(subject))
    assert all(len(rule_sentence(subject, rule)) > 20 for rule in ids)
    assert rule_sentence(subject, f"{ids[0].partition('-')[0]}-99.9") == ""
    with speaking("de"):
        assert rulebook_text(subject) != english
        assert list(rule_ids(subject)) == ids
        assert all(len(rule_sentence(subject, rule)) > 20 for rule in ids)
