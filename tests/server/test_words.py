"""The texts above the board: the headline of a finished match and the prompt."""

from __future__ import annotations

import pytest

from meadhall import game
from meadhall.engine.match import Result
from meadhall.server.pages.match import headline, match_page


@pytest.mark.parametrize(
    ("winners", "scores", "expected"),
    [
        ((1,), (0.0, 1.0, 0.0), "Björn wins"),
        ((0, 2), (0.5, 0.0, 0.5), "Astrid and Freydis win"),
        ((0, 1, 2), (1 / 3, 1 / 3, 1 / 3), "A draw"),
        ((0, 1, 2), (1.0, 1.0, 1.0), "Everyone wins"),
        ((), (0.0, 0.0, 0.0), "No winner"),
    ],
)
def test_a_draw_between_all_is_not_a_victory_of_all(winners: tuple[int, ...], scores: tuple[float, ...], expected: str) -> None:
    assert headline(("Astrid", "Björn", "Freydis"), Result(winners, scores, "DA-13.4")) == expected


def test_a_number_at_the_end_of_a_clause_does_not_begin_a_line() -> None:
    match = game("axes-and-allies").match(players=3, seed="prompt")
    page = match_page(match, match.view(match.actor), id="t", url="/tables/t", seats=())
    power = match.view().state.power
    assert f"power\N{NO-BREAK SPACE}{power}: " in page.prompt
    assert f"below\N{NO-BREAK SPACE}{power}. Attack" in page.prompt
