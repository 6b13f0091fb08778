"""The names of guests and bots."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from meadhall.server.hall.names import NAME_LENGTH, any_name, bot_name, clean_name


@given(st.text())
def test_a_clean_name_is_one_short_printable_line(text: str) -> None:
    name = clean_name(text)
    assert len(name) <= NAME_LENGTH
    assert name == name.strip()
    assert "  " not in name
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") for char in name)
    assert clean_name(name) == name


def test_names_given_by_the_hall_are_clean() -> None:
    assert all(clean_name(any_name()) for _ in range(100))
    assert len({bot_name(seat) for seat in range(7)}) == 7
