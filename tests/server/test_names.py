"""The names of guests and bots."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meadhall.engine.checks import is_unseen
from meadhall.server.hall.people.names import GIVEN, NAME_LENGTH, any_name, bot_name, clean_name, unlike_others
from meadhall.server.store.lookalikes import look_alike


@given(st.text())
def test_a_clean_name_is_one_short_printable_line(text: str) -> None:
    name = clean_name(text)
    assert len(name) <= NAME_LENGTH
    assert name == name.strip()
    assert "  " not in name
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") for char in name)
    assert not any(map(is_unseen, name))
    assert clean_name(name) == name


def test_names_given_by_the_hall_are_clean() -> None:
    assert all(clean_name(any_name()) for _ in range(100))
    assert len({bot_name(seat) for seat in range(7)}) == 7
    assert {any_name(GIVEN[1:]) for _ in range(10)} == {GIVEN[0]}, "the others belong to accounts"
    assert any_name(GIVEN) not in GIVEN


@pytest.mark.parametrize(
    ("name", "other", "alike"),
    [
        ("Astrid", "\N{CYRILLIC CAPITAL LETTER A}strid", True),
        ("Asta", "\N{CYRILLIC CAPITAL LETTER A}\N{CYRILLIC SMALL LETTER DZE}t\N{CYRILLIC SMALL LETTER A}", True),
        ("Ivar", "lvar", True),
        ("Ivar", "ivar", True),
        ("Mom", "Morn", True),
        ("Finn", "Fínn", True),
        ("O1", "0l", True),
        ("Tove", "To ve", True),
        ("Astrid", "As\N{MIDDLE DOT}trid", True),
        ("Astrid", "As'trid", True),
        ("Astrid", "\N{LATIN LETTER SMALL CAPITAL A}s\N{LATIN LETTER SMALL CAPITAL T}r\N{LATIN LETTER SMALL CAPITAL I}d", True),
        ("Astrid", "As\N{DEVANAGARI VOWEL SIGN AI}trid", True),
        ("Olaf", "0laf", True),
        ("OLAF", "olaf", True),
        ("Ingrid", "1NGRID", True),
        ("Karl", "\N{CYRILLIC SMALL LETTER KA}arl", True),
        ("Tom", "\N{CYRILLIC SMALL LETTER TE}\N{CYRILLIC SMALL LETTER O}\N{CYRILLIC SMALL LETTER EM}", True),
        ("राम", "रमा", False),
        ("Lia", "Ila", False),
        ("Liv", "Lin", False),
        ("...", "!!!", False),
        ("Astrid", "Astrid 2", False),
        ("Karl 2", "Karl 3", False),
        ("Liv", "Leif", False),
    ],
)
def test_names_that_look_alike_are_recognised(name: str, other: str, alike: bool) -> None:
    assert look_alike(name, other) == look_alike(other, name) == alike


def test_no_letter_of_a_name_carries_many_marks() -> None:
    for mark in ("\N{COMBINING ACUTE ACCENT}", "\N{DEVANAGARI VOWEL SIGN AI}", "\N{COMBINING ENCLOSING CIRCLE}"):
        assert len(clean_name("Ax" + 23 * mark)) == 6, unicodedata.name(mark)
    assert clean_name("\N{COMBINING DIAERESIS}Ada \N{COMBINING DIAERESIS}") == "Ada", "a mark stands on a letter"


@pytest.mark.parametrize("letter", "\u200b\u202e\u2066\ufeff\u00ad\u3164\u034f\ufe0f\u2028\x07\U000e0061")
def test_names_have_no_invisible_or_bidirectional_characters(letter: str) -> None:
    assert is_unseen(letter)
    assert letter not in clean_name(f"As{letter}trid")


def test_names_of_all_scripts_are_visible() -> None:
    assert not any(map(is_unseen, "Åse Þórr Ἀθηνᾶ Игорь שרה علي 太郎 김철수 अर्जुन 🪓"))


def test_names_that_look_alike_get_numbers_however_many_there_are() -> None:
    assert unlike_others("Ada", {"Bo"}) == "Ada"
    assert unlike_others("Ada", {"Bo", "ada"}) == "Ada 2"
    taken: set[str] = set()
    for _ in range(12):
        taken.add(unlike_others("A" * NAME_LENGTH, taken))
    assert len(taken) == 12
    assert max(map(len, taken)) <= NAME_LENGTH
