"""Copies and pickles of matches, views, states, games, batches, bots and errors."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import meadhall
from games_for_tests.every import EVERY_GAME
from games_for_tests.nim import game as nim
from meadhall import Batch, Game, Match, UnknownGame, View
from meadhall.bots import Budget, SearchBot, bot
from meadhall.engine.errors import IllegalAction
from meadhall.engine.registry import registered

Copying = Callable[[Any], Any]


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


WAYS = pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])


def played(game: Game[Any], actions: int = 5, **options: Any) -> Match[Any]:
    match = game.match(players=3, seed="copies", **options)
    for _ in range(actions):
        match.play(match.legal()[-1])
    return match


@WAYS
@pytest.mark.parametrize("subject", EVERY_GAME, ids=lambda subject: subject.name)
def test_a_copied_match_goes_its_own_way(copied: Copying, subject: Game) -> None:
    match = played(subject)
    before, options, record = match.states.tobytes(), copy.deepcopy(match.options), match.record()
    twin = copied(match)
    assert twin.record() == record
    twin.play(twin.legal()[-1])
    twin.undo(revealed=True)
    twin.play(twin.legal()[-1])
    twin.options["more"] = 1
    twin.abandon("a test")
    assert (match.states.tobytes(), match.options, match.record()) == (before, options, record)
    match.play(match.legal()[-1])
    assert len(twin.steps) == len(match.steps)


@WAYS
def test_the_history_that_copies_share_can_not_be_written_to(copied: Copying) -> None:
    twin = copied(played(meadhall.game("axxa")))
    with pytest.raises(ValueError, match="read-only"):
        twin.steps[0].before["actor"] = 3


@WAYS
def test_a_copied_view_has_a_state_of_its_own(copied: Copying) -> None:
    view = played(meadhall.game("viking-axes")).view(0)
    actor, twin = view.state.actor, copied(view)
    assert isinstance(twin, View)
    assert (twin.to_dict(), twin.steps, twin.options) == (view.to_dict(), view.steps, view.options)
    twin.state.actor = actor + 1
    twin.states["reveals"] = 77
    twin.options["more"] = 1
    assert view.state.actor == actor
    assert view.states["reveals"][0] != 77
    assert "more" not in copied(view).options


@WAYS
def test_a_copied_state_has_fields_of_its_own(copied: Copying) -> None:
    state = played(meadhall.game("axes-and-allies")).state
    twin = copied(state)
    assert repr(twin) == repr(state)
    twin.power, twin.alive[0] = 9, 9
    assert state.power != 9
    assert state.alive[0] != 9


@WAYS
def test_a_copied_batch_goes_its_own_way(copied: Copying) -> None:
    batch = Batch("axes-and-allies", players=3, count=5, seed=1)
    before, twin = batch.states.tobytes(), copied(batch)
    assert twin.states.tobytes() == before
    twin.step(np.argmax(twin.legal_masks(), axis=1))
    assert batch.states.tobytes() == before != twin.states.tobytes()


@WAYS
@pytest.mark.parametrize("name", ["thrall", "karl", "search@4"])
def test_a_copied_bot_makes_the_same_choices_independently(copied: Copying, name: str) -> None:
    match = meadhall.game("viking-axes").match(players=3, seed="bots")
    original = bot(match.game, name, "a bot")

    def choices(player: Any) -> list[int]:
        trial = match.copy()
        for _ in range(6):
            if trial.actor is not None:
                trial.play(player.choose(trial.view(trial.actor)))
        return [step.action for step in trial.steps]

    original.choose(match.view(match.actor))
    one, other = copied(original), copied(original)
    expected = choices(one)
    assert choices(other) == expected
    assert choices(original) == expected


def test_a_pickled_search_keeps_its_tree_and_stays_small() -> None:
    match = meadhall.game("axes-and-allies").match(players=3, seed="a tree")
    player = SearchBot(match.game, "searching", Budget(iterations=30, trees=1), "a tree")
    player.choose(match.view(match.actor))
    data = pickle.dumps(player)
    assert len(data) < 50_000
    again = pickle.loads(data)
    assert again._search._trees[0].control[0] == player._search._trees[0].control[0] > 1


@WAYS
def test_a_copied_game_is_the_game_itself(copied: Copying) -> None:
    assert copied(meadhall.game("axxa")) is meadhall.game("axxa")


@WAYS
def test_an_edition_is_copied_with_its_words(copied: Copying) -> None:
    components = meadhall.game("dungeon-allies").options[0]
    data = components.check(components.file.read_text("utf-8").replace("Captive Miner", "Captive Kitten"))  # type: ignore[attr-defined]
    match = meadhall.game("dungeon-allies").match(players=2, seed="kittens", components=data)
    twin = copied(match)
    assert twin.game.words is match.game.words is not meadhall.game("dungeon-allies").words
    twin.options["components"]["data"].clear()
    assert match.options == {**match.options, "components": data}
    twin = copied(match)
    assert twin.record() == match.record()
    assert copied(match.view(0)).game.words is match.game.words


@pytest.mark.parametrize("made", [lambda: nim, nim.match, lambda: nim.match().view(0), lambda: bot(nim, "thrall")])
def test_what_belongs_to_an_unregistered_game_can_be_copied_but_not_pickled(made: Callable[[], Any]) -> None:
    value = made()
    assert type(copy.copy(value)) is type(copy.deepcopy(value)) is type(value)
    with pytest.raises(UnknownGame, match=r"nim can't be pickled: .*not registered"):
        pickle.dumps(value)


def test_a_pickle_is_refused_where_its_game_is_missing_or_has_other_rules() -> None:
    with registered(nim):
        data = pickle.dumps(nim.match(seed=1))
        assert pickle.loads(data).game is nim
    with pytest.raises(UnknownGame, match="no game 'nim'"):
        pickle.loads(data)
    with (
        registered(replace(nim, version=nim.version + 1)),
        pytest.raises(UnknownGame, match=r"pickled with version 1 .* has version 2"),
    ):
        pickle.loads(data)


def test_a_game_that_replaced_the_registered_one_is_not_pickled_as_that_one() -> None:
    with registered(nim):
        other = replace(nim, title="Another Nim")
        with pytest.raises(UnknownGame):
            pickle.dumps(other)


@WAYS
def test_a_copied_error_keeps_its_rule(copied: Copying) -> None:
    error = copied(IllegalAction("That is taken.", "AA-3.2"))
    assert (str(error), error.reason, error.rule) == ("That is taken. (AA-3.2)", "That is taken.", "AA-3.2")
