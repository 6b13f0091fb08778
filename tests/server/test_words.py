"""The texts above the board: the headline of a finished match and the prompt."""

from __future__ import annotations

import pytest

from meadhall import game
from meadhall.engine.match.step import Result
from meadhall.engine.match.telling import headline, your_headline
from meadhall.engine.text.language import speaking
from meadhall.server.pages.match import match_page


@pytest.mark.parametrize(
    ("winners", "scores", "expected"),
    [
        ((1,), (0.0, 1.0, 0.0), "Björn wins"),
        ((0, 2), (0.5, 0.0, 0.5), "Astrid and Freydis win"),
        ((0, 1, 2), (1 / 3, 1 / 3, 1 / 3), "A draw"),
        ((0, 1, 2), (1.0, 1.0, 1.0), "Everyone wins"),
        ((), (0.5, 0.5, 0.5), "A draw"),
        ((), (0.0, 0.0, 0.0), "No winner"),
    ],
)
def test_a_draw_between_all_is_not_a_victory_of_all(winners: tuple[int, ...], scores: tuple[float, ...], expected: str) -> None:
    assert headline(("Astrid", "Björn", "Freydis"), Result(winners, scores, "DA-13.4")) == expected


@pytest.mark.parametrize(
    ("winners", "scores", "place", "expected", "german"),
    [
        ((0,), (1.0, 0.0, 0.0), 1, "You win", "Du gewinnst"),
        ((1,), (0.0, 1.0, 0.0), 3, "You lost, 3rd of 3", "Du hast verloren, Platz 3 von 3"),
        ((1,), (0.0, 1.0, 0.0), None, "You lost", "Du hast verloren"),
        ((0, 2), (0.5, 0.0, 0.5), 1, "You win, together with Freydis", "Du gewinnst, zusammen mit Freydis"),
        ((0, 1, 2), (1 / 3, 1 / 3, 1 / 3), 1, "A draw", "Unentschieden"),
        (
            (0, 1, 2),
            (1.0, 1.0, 1.0),
            None,
            "You win, together with Björn and Freydis",
            "Du gewinnst, zusammen mit Björn und Freydis",
        ),
        ((), (0.0, 0.0, 0.0), None, "You lost", "Du hast verloren"),
        ((), (0.5, 0.5, 0.5), None, "A draw", "Unentschieden"),
    ],
)
def test_a_player_reads_how_the_match_ended_for_them(
    winners: tuple[int, ...], scores: tuple[float, ...], place: int | None, expected: str, german: str
) -> None:
    names, result = ("Astrid", "Björn", "Freydis"), Result(winners, scores, "DA-13.4")
    assert your_headline(names, result, 0, place) == expected
    with speaking("de"):
        assert your_headline(names, result, 0, place) == german


def test_the_loser_of_two_reads_no_place() -> None:
    assert your_headline(("Astrid", "Björn"), Result((1,), (0.0, 1.0), "AA-6.1"), 0, 2) == "You lost"


def test_only_the_page_of_a_player_says_you_win() -> None:
    match = game("axes-and-allies").match(seats=["Astrid", "Björn", "Freydis"], seed="end")
    while match.actor is not None:
        match.play(next((action for action in match.legal() if action.text.startswith("attack")), match.legal()[0]))
    places = match.places()
    assert places is not None
    assert sorted(places) == [1, 2, 3]
    killed = [event.arguments[1] for step in match.steps for event in step.events if event.name == "killed"]
    assert [places[seat] for seat in killed] == [3, 2]
    winner = places.index(1)

    def prompt(reader: int | None) -> str:
        return match_page(match, match.view(reader), id="t", url="/tables/t", seats=(), reader=reader).prompt

    assert prompt(winner) == "You win."
    assert prompt(killed[0]) == "You lost, 3rd of\N{NO-BREAK SPACE}3."
    assert prompt(None) == f"{match.names[winner]} wins."


def test_a_number_at_the_end_of_a_clause_does_not_begin_a_line() -> None:
    match = game("axes-and-allies").match(players=3, seed="prompt")
    page = match_page(match, match.view(match.actor), id="t", url="/tables/t", seats=())
    power = match.view().state.power
    assert f"power\N{NO-BREAK SPACE}{power}: " in page.prompt
    assert f"below\N{NO-BREAK SPACE}{power}. Attack" in page.prompt
