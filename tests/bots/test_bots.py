"""Bots choose a legal action from a view."""

from __future__ import annotations

import pickle
import random
from dataclasses import replace

import pytest

from games_for_tests.every import EVERY_GAME
from games_for_tests.hoard import game as hoard
from meadhall import Game, game
from meadhall.bots import Budget, UnknownBot, bot, bot_names, hints
from meadhall.engine.laws.knowledge import redealt, without_chance
from sizes import sized

AA = game("axes-and-allies")


@pytest.mark.parametrize("subject", EVERY_GAME, ids=lambda subject: subject.name)
@pytest.mark.parametrize("name", ["thrall", "karl"])
def test_a_bot_plays_legally_from_its_view_to_the_end(subject: Game, name: str) -> None:
    for seed in range(sized(1, 3)):
        match = subject.match(players=3, seed=str(seed))
        players = [bot(subject, name) for _ in range(3)]
        while match.actor is not None:
            view = match.view(match.actor)
            shown = view.states.tobytes()
            chosen = players[match.actor].choose(view)
            assert chosen in view.legal
            assert view.states.tobytes() == shown
            match.play(chosen)


@pytest.mark.compiled
@pytest.mark.parametrize("subject", EVERY_GAME, ids=lambda subject: subject.name)
def test_no_bot_or_hint_of_any_game_depends_on_hidden_parts(subject: Game) -> None:
    """Compare a match with another that has the same view of the seat but other hidden parts."""
    options = {"variant": "strategic"} if subject.name == "viking-axes" else {}
    iterations, positions = 100, sized(3, 8)
    draw, seed, differing = random.Random("redeal"), b"a seed of a bot.", 0
    for number in range(positions):
        match = subject.match(players=3, seed=f"hidden {number}", **options)
        for _ in range(8 * number):
            if match.actor is not None:
                match.play(bot(match.game, "karl", seed).choose(match.view(match.actor)))
        actor = match.actor
        if actor is None:
            continue
        view = match.view(actor)
        supposed = redealt(match.game, view.states, actor, draw)
        other = match.supposing(supposed).view(actor)
        differing += without_chance(supposed).tobytes() != without_chance(match.states).tobytes()
        for name in ("thrall", "karl", f"search@{iterations}"):
            assert bot(match.game, name, seed).choose(view) == bot(match.game, name, seed).choose(other)
        budget = Budget(iterations=iterations, trees=1)
        assert hints(view, budget, seed) == hints(other, budget, seed)
    assert (differing > 0) == (subject.name != "axes-and-allies"), "only Axes and Allies hides nothing"


def test_a_view_sent_to_another_process_contains_nothing_hidden() -> None:
    match = hoard.match(players=2, seed="x")
    match.play(match.legal()[0])
    hidden = match.states
    hidden["hand"][0][1][:2] = hidden["hand"][0][1][:2][::-1].copy()
    sent = [pickle.dumps(each.view(0)) for each in (match, match.supposing(hidden))]
    assert sent[0] == sent[1]
    seen, there = match.view(0), pickle.loads(sent[0])
    assert there.states.tobytes() == seen.states.tobytes()
    assert (there.steps, there.setup, there.legal, there.names) == (seen.steps, seen.setup, seen.legal, seen.names)
    assert there.next_number == seen.next_number == 2


def test_bots_with_equal_seeds_choose_the_same_actions() -> None:
    view = AA.match(players=6, seed="many choices").view
    seats = [seat for seat in range(6) if view(seat).legal]
    first, again, other = (
        [bot(AA, "thrall", seed).choose(view(seats[0])) for seed in seeds]
        for seeds in (
            [bytes([k] * 16) for k in range(9)],
            [bytes([k] * 16) for k in range(9)],
            [bytes([k] * 16) for k in range(9, 18)],
        )
    )
    assert first == again
    assert first != other


def test_bot_names_start_with_the_weakest_and_include_greedy_only_if_the_game_has_it() -> None:
    assert bot_names(AA) == ["thrall", "karl", "huscarl", "jarl", "king"]
    assert bot_names(replace(AA, greedy=None)) == ["thrall", "huscarl", "jarl", "king"]


def test_an_unknown_bot_is_refused_with_a_list_of_known_bots() -> None:
    with pytest.raises(UnknownBot, match="no bot 'earl'; it has: thrall, karl, huscarl"):
        bot(AA, "earl")
