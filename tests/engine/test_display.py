"""Readable forms: one line as ``repr``, rich text in a terminal, HTML in a notebook."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

import meadhall
from meadhall import Batch, Seat, simulate
from meadhall.engine.compiled import loops
from meadhall.engine.text.language import speaking
from meadhall.lab import tournament

NAMES = [Seat("[bold]Astrid", "human"), Seat("<b>Björn</b>", "human"), Seat("Karl", "bot", "karl")]


def match_of_three() -> meadhall.Match[Any]:
    return meadhall.game("viking-axes").match(seed="shown", seats=NAMES, variant="strategic")


def in_terminal(value: Any) -> str:
    console = Console(file=io.StringIO(), width=160)
    console.print(value)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_match_says_what_it_is_and_whose_turn_it_is() -> None:
    match = match_of_three()
    assert match.actor is not None
    assert repr(match) == f"<Match of viking-axes: 3 players, 0 actions, {match.names[match.actor]} to move>"
    match.abandon("enough")
    assert repr(match) == "<Match of viking-axes: 3 players, 0 actions, given up>"


def test_a_view_names_its_viewer() -> None:
    match = match_of_three()
    assert "for Karl:" in repr(match.view(2))
    assert "for a spectator:" in repr(match.view())


def test_a_state_shows_its_fields_in_one_line() -> None:
    state = meadhall.game("axes-and-allies").match(players=2, seed="s").state
    assert repr(state).startswith("State(reveals=")
    assert f"power={state.power}" in repr(state)
    assert "rng" not in repr(state)
    assert "\n" not in repr(meadhall.game("dungeon-allies").match().state)


def test_a_batch_counts_its_matches() -> None:
    batch = Batch("axes-and-allies", players=3, count=2000, seed="s")
    assert repr(batch) == "<Batch of axes-and-allies: 2,000 matches of 3 players, 0 over>"
    with speaking("de"):
        assert "2.000 Partien" in in_terminal(batch)


def test_reports_show_their_tables() -> None:
    report = simulate("axes-and-allies", ["thrall"], games=1000, players=3, seed="s")
    assert repr(report).startswith("<Report of axes-and-allies: 1,000 games of 3 players; thrall 33.")
    assert "win rates with 95 % intervals" in in_terminal(report)
    assert "<table>" in report._repr_html_()
    with speaking("de"):
        assert "1.000 Partien" in in_terminal(report)
        assert "33,3 % (" in in_terminal(report)
    compared = tournament("axes-and-allies", ["thrall", "karl"], games=4, seed="s")
    assert repr(compared).startswith("<Tournament of axes-and-allies: 4 games of 2 players; thrall ")
    assert "<table>" in compared._repr_html_()


def test_names_are_shown_as_they_are() -> None:
    match = match_of_three()
    for shown in (match, match.view(0)):
        assert "[bold]Astrid" in in_terminal(shown)
        assert "&lt;b&gt;Björn" in shown._repr_html_()
        assert "<b>" not in shown._repr_html_()


@pytest.mark.parametrize("name", ["viking-axes", "dungeon-allies", "axxa"])
def test_hidden_cards_change_nothing_that_is_shown(name: str) -> None:
    options = {"variant": "strategic"} if name == "viking-axes" else {}
    match = meadhall.game(name).match(players=2, seed="hidden", **options)
    states = match.view(0).states.copy()
    states["rng"] = (1, 2)
    loops(match.game).redeal_one(states, 0)
    other = match.supposing(states)
    assert repr(other.state) != repr(match.state)
    for one, two in ((match.view(0), other.view(0)), (match.view(), other.view()), (match, other)):
        assert (repr(one), in_terminal(one), one._repr_html_()) == (repr(two), in_terminal(two), two._repr_html_())
        assert match.seed.hex() not in repr(one) + in_terminal(one) + one._repr_html_()
    assert in_terminal(match.view(0).state) == in_terminal(other.view(0).state)


def test_a_seat_sees_its_own_hand_and_no_other_one() -> None:
    match = match_of_three()
    hands = [in_terminal(match.view(seat)) for seat in range(3)]
    assert len(set(hands)) == 3
    assert len({in_terminal(match.view().state), in_terminal(match.view(0).state), in_terminal(match.state)}) == 3


def test_a_finished_match_shows_its_result() -> None:
    match = meadhall.game("axes-and-allies").match(players=2, seed="end")
    while not match.over:
        match.play(match.legal()[0])
    assert "over>" in repr(match)
    assert "score" in in_terminal(match)
