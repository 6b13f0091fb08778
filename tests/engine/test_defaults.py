"""A game needs a name, a state, the number of actions and four rules. Everything else has a default."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from games_for_tests import least
from games_for_tests.broken import Words
from games_for_tests.hoard import game as hoard
from games_for_tests.least import game
from meadhall import BadGame, IllegalAction, check_game, random_playouts, replay
from meadhall.bots import bot
from meadhall.engine.match.record import dumps, loads
from meadhall.engine.registry import registered
from meadhall.engine.rulebook import mark_rules, rule_ids, rulebook_text
from meadhall.engine.text.language import speaking
from meadhall.lab import simulate, tournament

RULES = ("setup", "legal", "play", "score")


def test_the_smallest_game_obeys_every_law() -> None:
    assert check_game(game, matches=3) > 5


def test_the_smallest_game_has_words_for_everything() -> None:
    match = game.match(seats=["Astrid", "Gorm"], seed="least")
    assert (game.title, game.version, game.min_players, game.max_players) == ("Last stone", 1, 2, 2)
    assert [action.text for action in match.legal()] == ["action 0", "action 1", "action 2"]
    assert match.view(0).prompt() == "It is your turn."
    assert match.view(1).prompt() == match.view().prompt() == "It is Astrid's turn."
    match.play(2)
    match.play(2)
    with pytest.raises(IllegalAction, match=r"^This isn't possible now\.$"):
        match.play(1)
    match.play(0)
    assert match.view(0).prompt() == "The match is over."
    assert match.outcome() == match.result()
    with speaking("de"):
        assert match.view().prompt() == "Die Partie ist zu Ende."


def test_the_log_of_a_game_without_events_tells_the_actions() -> None:
    match = game.match(seats=["Astrid", "Gorm"], seed="least")
    match.play(2)
    (step,) = match.view(1).steps
    assert match.steps[0].events == (), "the record holds no event that the rules don't have"
    assert [match.in_words(event) for event in step.events] == ["Astrid: action 2"]
    spoken = replace(game, words=Words(action=lambda _state, action, _names: f"take {action + 1}"))
    match = spoken.match(seats=["Astrid", "Gorm"], seed="least")
    match.play(2)
    assert [match.in_words(event) for event in match.view().steps[0].events] == ["Astrid: take 3"]


def test_a_record_of_the_smallest_game_replays() -> None:
    with registered(game):
        match = game.match(seed="least")
        while not match.over:
            match.play(match.legal()[0])
        record = match.record()
        assert replay(loads(dumps(record))).record() == record


def test_bots_simulations_and_bulk_runs_need_no_more() -> None:
    with registered(game):
        view = game.match(seed="least").view(0)
        assert {bot(game, name, b"seed").choose(view) for name in ("thrall", "search@20")} <= {0, 1, 2}
        assert random_playouts(game, 2, 10).games == 10
        assert simulate(game, games=4, seed=1, bots=["thrall", "thrall"]).games == 4
        assert tournament(game, ["thrall", "search@2"], games=4, seed=1).games == 4


def test_without_a_sketch_a_view_shows_the_fields_that_its_viewer_may_know() -> None:
    match = hoard.match(seats=["Astrid", "Gorm"], seed="fields")
    shown = {line.split("  ", 1)[0]: line.split("  ", 1)[1].strip() for line in match.view(0).sketch().splitlines()}
    own = [int(card) for card in match.state.hand[0][:2]]
    assert shown["hand"].startswith(f"Astrid {own[0]} {own[1]}")
    assert "Gorm 0 0" in shown["hand"], "the hand of the other seat is blank"
    assert "rng" not in shown
    assert "actor" not in shown


def test_own_words_are_kept_beside_defaults() -> None:
    words = Words(prompt=lambda _state, _names, _viewer: "Take!", sketch=lambda _state, _names: "o o o")
    view = replace(game, words=words).match().view(0)
    assert (view.prompt(), view.sketch()) == ("Take!", "o o o")
    assert view.actions()[0].text == "action 0"


def test_complete_words_are_used_as_they_are() -> None:
    assert replace(hoard, name="other").words is hoard.words


def test_an_event_kind_needs_a_name_only() -> None:
    kind = replace(hoard.events[1], name="attack_roll", text="", you=(), turn=None)
    assert kind.in_words((0, 5), ["Astrid"], values=["Astrid", 5]) == "attack roll: Astrid, 5"


def test_a_game_without_a_rulebook_has_a_page_that_says_so() -> None:
    assert rule_ids(game) == ()
    assert rulebook_text(replace(game, tagline="Take the last.")).split("\n\n")[:2] == ["# Last stone", "Take the last."]


@pytest.mark.parametrize("missing", RULES)
def test_a_game_that_lacks_a_rule_is_refused_when_it_is_declared(missing: str) -> None:
    rules = SimpleNamespace(**{name: getattr(least.rules, name) for name in RULES if name != missing})
    with pytest.raises(BadGame, match=f"the rules of last-stone lack {missing}"):
        replace(game, rules=rules)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "Last Stone"}, "lower-case letters"),
        ({"name": "../stone"}, "lower-case letters"),
        ({"actions": 0}, "0 actions"),
        ({"min_players": 0}, "0 to 2 players"),
        ({"min_players": 3}, "3 to 2 players"),
        ({"rules": SimpleNamespace(**vars(least.rules), conceal=least.score)}, "conceal but not redeal"),
    ],
)
def test_a_contradictory_declaration_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(BadGame, match=message):
        replace(game, **changes)


@pytest.mark.parametrize("rule", ["AA-3.2", "pig-1", "Règle-4.1.2", "three-in-a-row-12"])
def test_rule_ids_have_any_prefix(rule: str, tmp_path: Any) -> None:
    (tmp_path / "rulebook.md").write_text(
        f"# A game\n\n- **{rule}** The first rule, see **{rule}**.\n- **Note** nothing\n", "utf-8"
    )
    assert rule_ids(replace(game, folder=tmp_path)) == (rule,)
    marked = mark_rules(f"<li><strong>{rule}</strong> First, see <strong>{rule}</strong>, <strong>Note</strong></li>")
    assert f'<strong class="rule" id="{rule}">' in marked
    assert f'<a class="rule" href="#{rule}">' in marked
    assert "<strong>Note</strong>" in marked
