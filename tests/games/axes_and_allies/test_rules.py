"""Axes and Allies, rule by rule."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from meadhall import IllegalAction, Match, MatchOver, game
from meadhall.engine.state.events import Event
from meadhall.games.axes_and_allies.exact import solver
from meadhall.games.axes_and_allies.rules import ALLY, ATTACK, SEATS

AA = game("axes-and-allies")


def matches(players: int, count: int = 60) -> Iterator[Match]:
    return (AA.match(players=players, seed=f"rule {number}") for number in range(count))


def at_choice(players: int = 3, **wanted: Any) -> Match:
    """Return a match whose first decision has these values in its state, e.g. ``power=1``."""
    for match in matches(players, 400):
        if all(getattr(match.state, name) == value for name, value in wanted.items()):
            return match
    raise AssertionError(f"no match begins with {wanted}")


def play_at_random(match: Match, seed: int = 1) -> Match:
    """Play the match to its end with pseudo-random actions."""
    turn = seed
    while not match.over:
        turn = turn * 1103515245 + 12345 & 0x7FFF_FFFF
        legal = match.legal()
        match.play(legal[turn // 65536 % len(legal)])
    return match


def steps(match: Match) -> list[tuple[Event, ...]]:
    return [match.setup, *(step.events for step in match.steps)]


def events(match: Match) -> list[Event]:
    return [event for step in steps(match) for event in step]


def named(match: Match, name: str) -> list[Event]:
    return [event for event in events(match) if event.name == name]


def order_rounds(match: Match) -> list[dict[int, int]]:
    """Return the rounds of order rolls: seat -> value."""
    rounds: list[dict[int, int]] = [{}]
    last = -1
    for event in match.setup:
        if event.name == "order_roll":
            seat, value = event.arguments
            if seat <= last:
                rounds.append({})
            rounds[-1][seat] = value
            last = seat
    return rounds


def others(match: Match) -> list[int]:
    return [seat for seat in range(match.players) if seat != match.actor]


def test_AA_1_1_the_highest_roll_goes_first() -> None:
    for match in matches(4):
        rolls = order_rounds(match)
        assert set(rolls[0]) == {0, 1, 2, 3}
        first = named(match, "first")[0].arguments[0]
        assert rolls[-1][first] == max(rolls[-1].values())


def test_AA_1_2_those_tied_for_the_highest_roll_again_until_one_is_highest() -> None:
    repeated = 0
    for match in matches(5, 100):
        rounds = order_rounds(match)
        for rolls, again in pairwise(rounds):
            assert set(again) == {seat for seat, value in rolls.items() if value == max(rolls.values())}
            assert len(again) > 1
            repeated += 1
        assert list(rounds[-1].values()).count(max(rounds[-1].values())) == 1
    assert repeated > 20


def test_AA_1_3_play_goes_clockwise_skipping_the_dead() -> None:
    for match in matches(5, 15):
        play_at_random(match)
        dead: set[int] = set()
        last = None
        for event in events(match):
            if event.name == "power":
                seat = event.arguments[0]
                if last is not None:
                    following = [(last + k) % 5 for k in range(1, 6)]
                    assert seat == next(other for other in following if other not in dead)
                last = seat
            elif event.name == "killed":
                dead.add(event.arguments[1])


def test_AA_1_4_order_rolls_go_in_ascending_seat_order_and_dice_in_the_order_of_their_events() -> None:
    for match in matches(6):
        for rolls in order_rounds(match):
            assert list(rolls) == sorted(rolls)


def test_AA_2_1_every_turn_begins_with_a_power_roll_that_counts_for_this_turn_only() -> None:
    for match in matches(3, 20):
        play_at_random(match)
        for before, step in zip([match.setup, *(step.events for step in match.steps)], match.steps, strict=False):
            seat, power = next(event.arguments for event in reversed(before) if event.name == "power")
            assert seat == step.seat
            assert AA.state.at(step.before).power == power


def test_AA_2_2_a_power_of_one_voids_every_alliance() -> None:
    voided = 0
    for match in matches(4, 30):
        play_at_random(match)
        for step in steps(match):
            for event, following in pairwise(step):
                assert (event.name == "power" and event.arguments[1] == 1) == (following.name == "voided")
        for earlier, later in pairwise(match.steps):
            if "voided" in [event.name for event in earlier.events]:
                standing = later.before["allied"][0]
                after_it = [event.name for event in earlier.events[[e.name for e in earlier.events].index("voided") :]]
                assert not standing.any()
                assert "allied" not in after_it
                voided += bool(earlier.before["allied"].any())
    assert voided > 5


def test_AA_2_3_power_is_rolled_before_the_decision() -> None:
    for match in matches(3):
        while not match.over:
            assert steps(match)[-1][-1].name in ("power", "voided")
            assert 1 <= match.state.power <= 6
            match.play(match.legal()[0])


def test_AA_3_1_attack_one_or_ally_with_one_and_no_pass() -> None:
    match = at_choice(players=4)
    legal = [action.action for action in match.legal()]
    assert legal == [ATTACK + seat for seat in others(match)] + [ALLY + seat for seat in others(match)]
    for action, why in ((ATTACK + (match.actor or 0), "yourself"), (ALLY + SEATS - 1, "no player in seat 6")):
        with pytest.raises(IllegalAction, match=why) as refused:
            match.play(action)
        assert refused.value.rule == "AA-3.1"


def test_AA_3_2_a_roll_below_the_power_kills_and_any_other_misses() -> None:
    seen = set()
    for match in matches(2, 300):
        power = match.state.power
        victim = others(match)[0]
        names = {event.name: event.arguments for event in match.play(ATTACK + victim)}
        roll = names["attack_roll"][1]
        assert ("killed" in names) == (roll < power)
        assert ("missed" in names) == (roll >= power)
        seen.add((power, roll))
    assert seen == {(power, roll) for power in range(1, 7) for roll in range(1, 7)}


def test_AA_3_2_an_ally_is_not_attacked() -> None:
    match = allied_with_next(players=3)
    friend = next(seat for seat in range(3) if match.state.allied[match.actor or 0, seat])
    with pytest.raises(IllegalAction, match="Allies can't attack each other") as refused:
        match.play(ATTACK + friend)
    assert refused.value.rule == "AA-3.2"


def allied_with_next(players: int) -> Match:
    """Return a match in which the seat to move has one ally."""
    for match in matches(players, 400):
        match.play(ALLY + others(match)[0])
        state: Any = match.state
        if match.actor is not None and sum(state.allied[match.actor, seat] for seat in range(players)) == 1:
            return match
    raise AssertionError("no match has an ally")


def test_AA_3_3_with_power_one_an_attack_may_be_declared_and_fails() -> None:
    match = at_choice(power=1)
    victim = others(match)[0]
    assert ATTACK + victim in [action.action for action in match.legal()]
    assert "missed" in [event.name for event in match.play(ATTACK + victim)]


def test_AA_3_4_an_alliance_binds_both_until_it_is_voided() -> None:
    bound = 0
    for match in matches(4):
        seat, partner = match.actor, others(match)[-1]
        happened = match.play(ALLY + partner)
        assert happened[0].to_list() == ["allied", seat, partner]
        state: Any = match.state
        voided = "voided" in [event.name for event in happened]
        assert state.allied[seat, partner] == state.allied[partner, seat] == (not voided)
        bound += not voided
    assert bound > 20


def test_AA_3_5_an_ally_cannot_be_allied_with_again() -> None:
    match = allied_with_next(players=3)
    friend = next(seat for seat in range(3) if match.state.allied[match.actor or 0, seat])
    with pytest.raises(IllegalAction, match="already your ally") as refused:
        match.play(ALLY + friend)
    assert refused.value.rule == "AA-3.5"


def test_AA_3_6_an_allys_ally_is_no_ally() -> None:
    chains = 0
    for match in matches(4):
        one, two = match.actor or 0, (match.actor or 0) + 1
        two, three = two % 4, (two + 1) % 4
        match.play(ALLY + two)
        match.play(ALLY + three)
        state: Any = match.state
        if state.allied[one, two] and state.allied[two, three]:
            assert not state.allied[one, three]
            assert not state.allied[three, one]
            assert match.actor == three
            assert ATTACK + one in [action.action for action in match.legal()]
            chains += 1
    assert chains > 20


def test_AA_4_1_a_player_allied_with_all_others_only_rolls() -> None:
    limited = 0
    for match in matches(3, 40):
        play_at_random(match)
        for step in steps(match):
            for event, following in pairwise(step):
                if following.name == "limited":
                    assert event.name == "power"
                    assert event.arguments[0] == following.arguments[0]
                    assert event.arguments[1] != 1
                    limited += 1
    assert limited > 10


def test_AA_4_1_only_the_living_count() -> None:
    """In a duel of two allies, both are limited until a one is rolled. The alliances of the dead don't matter."""
    duels = 0
    for match in matches(3, 50):
        play_at_random(match)
        for step in match.steps:
            state: Any = AA.state.at(step.before)
            if state.living == 2 and step.action >= ALLY and "limited" in [event.name for event in step.events]:
                duels += 1
    assert duels > 3


def test_AA_4_2_after_a_one_a_player_allied_with_everyone_has_a_choice() -> None:
    freed = 0
    for match in matches(2, 100):
        match.play(ALLY + others(match)[0])
        last = match.steps[-1].events
        assert last[-1].name == "voided"
        assert last[-2].to_list() == ["power", match.actor, 1]
        assert len(match.legal()) == 2
        freed += 1
    assert freed == 100


def test_AA_5_1_the_dead_cannot_be_chosen_and_take_no_turns() -> None:
    checked = 0
    for match in matches(4, 40):
        while not match.over:
            state: Any = match.state
            for seat in range(4):
                if not state.alive[seat]:
                    assert match.actor != seat
                    for action in (ATTACK + seat, ALLY + seat):
                        with pytest.raises(IllegalAction, match="is dead") as refused:
                            match.check(action)
                        assert refused.value.rule == "AA-5.1"
                        checked += 1
            match.play(match.legal()[0])
    assert checked > 50


def test_AA_6_1_the_last_living_player_has_just_killed_and_wins() -> None:
    for players in range(2, 7):
        for match in matches(players, 10):
            play_at_random(match)
            killed, won = match.steps[-1].events[-2:]
            result = match.result()
            assert result is not None
            assert killed.name == "killed"
            assert won.to_list() == ["won", killed.arguments[0]]
            assert result.winners == (killed.arguments[0],)
            assert sum(result.scores) == 1
            assert result.reason == "AA-6.1"
            assert len(named(match, "killed")) == players - 1
            with pytest.raises(MatchOver) as refused:
                match.play(0)
            assert refused.value.rule == "AA-6.1"


def survivors() -> Match:
    """Return a match of three in which one player has just been killed."""
    for match in matches(3, 20):
        while not match.over and match.state.living > 2:
            match.play(match.legal()[0].action)
        if not match.over:
            return match
    raise AssertionError("no duel")


def test_AA_6_1_two_survivors_who_always_ally_again_never_end_the_match() -> None:
    match = survivors()
    for _turn in range(1000):
        match.play(max(choice.action for choice in match.legal()))
    assert not match.over
    assert len(named(match, "killed")) == 1


def test_AA_6_1_a_match_ends_if_everyone_attacks_whenever_that_is_allowed() -> None:
    for players in range(2, 7):
        for match in matches(players, 5):
            for _turn in range(1000):
                if not match.over:
                    match.play(match.legal()[0])
            assert match.over


def test_AA_7_1_the_last_two_may_not_ally() -> None:
    """House rule. With three players all is as ever. The last two who allied earlier only roll, until a one."""
    limited = False
    for number in range(40):
        match = AA.match(players=3, seed=f"last two {number}", last_two="fight")
        while match.actor is not None:
            view, two = match.view(match.actor), match.state.living == 2
            target = int(match.legal()[0]) - ATTACK
            assert view.refusal(ALLY + target) == (("AA-7.1", "The last two may not ally.") if two else ("", ""))
            assert (int(match.legal()[-1]) < ALLY) == two == ("may not ally" in view.prompt())
            assert solver(view) is None, "the exact values are those of the printed rules"
            match.play(match.legal()[0] if two or match.state.power > 3 else match.legal()[-1])
            limited |= match.state.living == 2 and any(event.name == "limited" for event in match.steps[-1].events)
    assert limited


def test_nothing_is_hidden() -> None:
    for match in matches(4, 5):
        state = match.states
        state["rng"] = 0
        for viewer in range(-1, 4):
            assert match.view(viewer).states.tobytes() == state.tobytes()
        play_at_random(match)
        assert all(event.audience == -1 for event in events(match))


@pytest.mark.parametrize("numbers", [{"kills_on": 5}, {"sides": 10, "kills_on": 6}, {"sides": 4}])
def test_AA_7_2_AA_7_3_the_die_has_these_sides_and_a_high_roll_kills_at_any_power(numbers: dict[str, Any]) -> None:
    sides, always = numbers.get("sides", 6), numbers.get("kills_on", 0)
    rolls: dict[tuple[int, int], bool] = {}
    for seed in range(40):
        match = play_at_random(AA.match(players=3, seed=f"numbers {seed}", **numbers), seed)
        power = 0
        for event, after in pairwise(events(match)):
            if event.name == "power":
                power = event.arguments[1]
            if event.name == "attack_roll":
                rolls[power, event.arguments[1]] = after.name == "killed"
    assert {value for pair in rolls for value in pair} == set(range(1, sides + 1))
    assert all(kills == (value < power or 0 < always <= value) for (power, value), kills in rolls.items())


def test_a_player_is_told_on_which_rolls_the_axe_kills() -> None:
    """AA-7.3: exact play, known for the printed rules alone, says nothing then."""
    match = at_choice(power=2)
    high = AA.match(players=3, seed=match.seed, kills_on=5)
    assert (match.state.power, high.state.power) == (2, 2)
    assert "kills on a roll below 2" in match.view(match.actor).prompt()
    assert "kills on 1, 5–6" in high.view(high.actor).prompt()
    assert solver(match.view(match.actor)) is not None
    assert solver(high.view(high.actor)) is None
