"""The names of guests and bots."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, strategies as st

from meadhall.engine.checks import check_line, is_shaping, is_unseen
from meadhall.engine.errors import BadSetup
from meadhall.server.hall.chat import clean_line
from meadhall.server.hall.people.names import GIVEN, NAME_LENGTH, any_name, bot_name, clean_name, unlike_others
from meadhall.server.store.lookalikes import look_alike


@given(st.text())
def test_a_clean_name_is_one_short_printable_line(text: str) -> None:
    name = clean_name(text)
    assert len(name) <= NAME_LENGTH
    assert name == name.strip()
    assert "  " not in name
    unseen = [place for place, char in enumerate(name) if is_unseen(char) or unicodedata.category(char) in ("Cs", "Co")]
    assert all(is_shaping(name, place) for place in unseen)
    assert check_line(name, "a name", NAME_LENGTH) == name, "records hold it"
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


@pytest.mark.parametrize(
    "name",
    [
        "\N{MAGE}\u200d\N{FEMALE SIGN}\ufe0f Eva",
        "\N{WOMAN}\N{EMOJI MODIFIER FITZPATRICK TYPE-3}\u200d\N{HEAVY BLACK HEART}\ufe0f\u200d\N{MAN}",
        "1\ufe0f\N{COMBINING ENCLOSING KEYCAP} Ada",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian: the first two letters end like a word
        "\u0dc1\u0dca\u200d\u0dbb\u0dd3",  # Sinhala "Sri": one sign of two letters
        "\u09b0\u200d\u09cd\u09af\u09be\u09ae",  # Bengali: the joiner stands before the virama
        "\u0915\u094d\u200c\u0937",  # Devanagari: the letters stay apart
    ],
)
def test_joiners_stay_where_they_shape_letters_and_emoji(name: str) -> None:
    assert clean_name(name) == name
    assert clean_line(name) == name, "the same as in the chat"
    assert check_line(name, "a name", NAME_LENGTH) == name, "and in records"
    bare = "".join(letter for letter in name if letter not in "\u200c\u200d\ufe0f")
    assert look_alike(name, bare), "a joiner makes no other name"


@pytest.mark.parametrize(
    "text",
    [
        *("A\u200dda", "A\u200cda", "\u200dAda", "Ada\u200d", "A\ufe0fda", "Ad\u200d\N{MAGE}", "\N{MAGE}\u200dAda"),
        *("\u0627\u200d\u0644", "\N{MAGE}\u200d\u200d\N{FEMALE SIGN}", "A\ufe0f\u200d\N{MAGE}", "\N{MAGE}\ufe0f\ufe0f"),
        "\u0410\u200c\u0434\u0430",
    ],
)
def test_joiners_that_shape_nothing_go(text: str) -> None:
    assert clean_name(text) == clean_line(text)
    assert not set(clean_name(text)) & set("\u200c\u200d")
    with pytest.raises(BadSetup, match="invisible"):
        check_line(text, "a name", NAME_LENGTH)


def test_a_long_name_is_cut_between_letters() -> None:
    family = "\N{WOMAN}\u200d\N{WOMAN}\u200d\N{GIRL}"
    assert clean_name(family * 6) == family * 4
    assert unlike_others(family * 4, [family * 4]) == f"{family * 4} 2"


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
