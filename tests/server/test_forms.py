"""Reading the forms of pages."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from meadhall.engine.errors import BadSetup, MalformedAction
from meadhall.server.web.forms import action_number, integer, safe_path


def test_an_integer_is_read_or_refused() -> None:
    assert integer({"n": " 12 "}, "n") == 12
    assert integer({"n": ""}, "n") is None
    assert integer({}, "n") is None
    with pytest.raises(BadSetup, match="n must be an integer, not 'x'"):
        integer({"n": "x"}, "n")


@pytest.mark.parametrize("text", ["", "x", "1.5", "0x1", "1e3"])
def test_an_action_that_is_not_an_integer_is_malformed(text: str) -> None:
    with pytest.raises(MalformedAction, match="An action must be an integer"):
        action_number({"action": text})


@given(st.text())
def test_a_safe_path_stays_in_the_hall(text: str) -> None:
    path = safe_path(text)
    assert path.startswith("/")
    assert not path.startswith(("//", "/\\"))
    assert "\n" not in path
    assert "\r" not in path
