"""Rulebooks agree with their translation, and with the words and rules that cite them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from games.rulebooks import ROOT, books, german, kept, label, one_sided, pairs, sentences

OPTION = re.compile(r"\{(\w+)=")
EACH = pytest.mark.parametrize("book", books(), ids=label)


def test_no_sentence_of_a_rule_has_changed_in_one_language_only() -> None:
    assert one_sided() == []
    assert kept() == pairs(), "compare the sentences, then: .venv/bin/python tests/games/rulebooks.py"


@EACH
def test_both_languages_have_the_same_rules_in_the_same_order_about_the_same_options(book: Path) -> None:
    english, translated = sentences(book), sentences(german(book))
    assert list(english) == list(translated) != []
    for id, text in english.items():
        assert set(OPTION.findall(text)) == set(OPTION.findall(translated[id])), id


@EACH
def test_both_languages_have_the_same_figures(book: Path) -> None:
    first, second = (re.findall(r"\(figure:(\w+)", file.read_text("utf-8")) for file in (book, german(book)))
    assert first == second


@pytest.mark.parametrize("example", ["pig", "liars-dice"])
def test_the_words_and_rules_of_a_tutorial_cite_its_rulebook_and_all_of_it(example: str) -> None:
    (folder,) = (path.parent for path in (ROOT / "examples" / example / "src").rglob("words.py"))
    rules = set(sentences(folder / "rulebook.md"))
    prefix = next(iter(rules)).partition("-")[0]
    cited = {file.name: set(re.findall(rf"\b{prefix}-\d+(?:\.\d+)*", file.read_text("utf-8"))) for file in folder.glob("*.py")}
    for name, ids in cited.items():
        assert ids <= rules, name
    assert cited["words.py"]
    assert cited["words.py"] | cited["rules.py"] == rules
