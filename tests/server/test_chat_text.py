"""What a line of chat keeps of a text, and how long it is."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, strategies as st

from meadhall.engine.checks import is_unseen
from meadhall.server.errors import BadLine
from meadhall.server.hall.chat import LONGEST_LINE, clean_line

FAMILY = "\N{WOMAN}\u200d\N{WOMAN}\u200d\N{GIRL}"
FLAG = "\N{REGIONAL INDICATOR SYMBOL LETTER D}\N{REGIONAL INDICATOR SYMBOL LETTER E}"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("  Skal,\n\tBjo\u0308rn!  ", "Skal, Björn!"),
        ("a\u202eb\u2066c\u200fd\u200be\ufefff", "abcdef"),  # bidirectional and invisible characters
        ("bell\a \x1b[31mred", "bell [31mred"),
        (f"{FAMILY} {FLAG} \N{HEAVY BLACK HEART}\ufe0f", f"{FAMILY} {FLAG} \N{HEAVY BLACK HEART}\ufe0f"),
        (
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        ),  # Persian needs it
        ("\u200d\u200dx\u200d", "x"),
        ("z" + "\u0322" * 50 + "!", "z" + "\u0322" * 4 + "!"),
        ("https://example.org/<b>", "https://example.org/<b>"),
    ],
)
def test_what_is_kept(text: str, kept: str) -> None:
    assert clean_line(text) == kept


@pytest.mark.parametrize("letter", ["x", FAMILY, FLAG, "\u0915\u094d\u0937\u093f"])
def test_letters_count_as_people_count_them(letter: str) -> None:
    assert len(clean_line(letter * 300)) == 300 * len(letter)
    assert clean_line("x" * (LONGEST_LINE - 1) + letter)
    with pytest.raises(BadLine, match="501"):
        clean_line("x" * LONGEST_LINE + letter)


@given(st.text(max_size=60))
def test_a_line_shows_nothing_unseen_and_stays_the_same_if_it_is_cleaned_again(text: str) -> None:
    try:
        line = clean_line(text)
    except BadLine:
        return
    assert clean_line(line) == line
    assert not [letter for letter in line if unicodedata.category(letter)[0] == "C" and letter not in "\u200c\u200d"]
    assert not [letter for letter in line if is_unseen(letter) and letter not in "\u200c\u200d\ufe0e\ufe0f"]
    assert line.encode()
