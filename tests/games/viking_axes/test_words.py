"""The texts of Viking Axes, in English and German."""

from __future__ import annotations

import pytest

from games.viking_axes.scenes import CARDS, VA, scene
from meadhall import Match
from meadhall.engine.rulebook import rule_sentence, rulebook_text
from meadhall.engine.text.language import speaking
from meadhall.games.viking_axes.state import COPIES, KINDS, Act, Card, Due, card_phrase, card_title

NAMES = ("Astrid", "Björn", "Cnut", "Dagmar")
HANDS = {0: ["axe1", "shield3", "armory"], 1: ["axe3", "axe3"], 2: ["armory", "shield4"]}


def sketch(match: Match, viewer: int) -> list[str]:
    return VA.words.sketch(match.view(viewer).state, NAMES[: match.players]).splitlines()  # type: ignore[union-attr, no-any-return]


# ----------------------------------------------------------------------------------------------------------------- rulebook


def test_the_text_of_a_rule_ends_with_its_list_item() -> None:
    assert rule_sentence(VA, "VA-3.5").endswith("the hits are counted beside it.")
    assert rule_sentence(VA, "VA-4.1").endswith("so it can always be played.")


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_rulebook_lists_the_number_of_cards_of_each_kind(language: str) -> None:
    with speaking(language):
        cells = [cell.strip() for line in rulebook_text(VA).splitlines() if line.startswith("|") for cell in line.split("|")]
        assert [cells[cells.index(card_title(kind)) + 1] for kind in range(KINDS)] == [str(number) for number in COPIES]


# ------------------------------------------------------------------------------------------------------------------- actions


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_kind_of_card_has_its_own_title_and_phrase(language: str) -> None:
    with speaking(language):
        assert len({card_title(kind) for kind in range(KINDS)}) == len({card_phrase(kind) for kind in range(KINDS)}) == KINDS
        assert all(card_title(kind)[0].isupper() and card_phrase(kind) not in CARDS for kind in range(KINDS))


# ------------------------------------------------------------------------------------------------------------------- prompts


def prompts(match: Match) -> tuple[str, str]:
    """Return the prompts of the seat to move and of another seat."""
    return VA.words.prompt(match.view(0).state, NAMES, 0), VA.words.prompt(match.view(1).state, NAMES, 1)


def rules(match: Match) -> list[tuple[str, str]]:
    return [(event.name, VA.events[event.kind].rule_of(event.arguments)) for event in match.steps[-1].events]


def test_placing_and_discarding_cite_the_rule_of_the_card() -> None:
    """An armory discarded, one placed, a wench without a target, and the hand of a player dropping out."""
    match = scene("armory", then=["wench", "axe1"], due={1: Due.TURN, 2: Due.TURN})
    match.play(Act.DRAW)
    assert rules(match) == [("discards", "VA-5.1"), ("drew", "VA-2.1"), ("discards", "VA-6.3"), ("drew", "VA-2.1")]
    match = scene("armory", then=["shield2"])
    match.play(Act.PLACE)
    assert rules(match) == [("places", "VA-5.1"), ("drew", "VA-2.1"), ("places", "VA-4.1"), ("drew", "VA-2.1")]
    match = scene(hits={1: 9}, hands={0: ["axe1", "axe1", "axe1"], 1: ["axe3", "shield1"], 2: ["axe1", "axe1"]})
    match.play(Act.PLAY + Card.AXE)
    match.play(Act.THROW + 1)
    assert rules(match).count(("discards", "VA-3.7")) == 2


def test_only_its_owner_learns_that_no_card_of_a_hand_can_be_played() -> None:
    hands = {0: ["wench", "wench", "armory"], 1: ["axe3", "axe3"], 2: ["armory", "shield4"]}
    match = scene(hands=hands, front={0: ["armory"]}, due={1: Due.TURN, 2: Due.TURN})
    assert prompts(match) == ("You can't play any of your cards. Discard one.", "Astrid is choosing a card to play.")
    assert prompts(scene(hands=HANDS))[1] == prompts(match)[1]
    assert match.view(0).refusal(Act.DISCARD + Card.WENCH) == ("", "")
    assert match.view(0).refusal(Act.DISCARD + Card.ONE_SHIELD) == ("VA-2.3", "You don't hold the card “One shield”.")


# -------------------------------------------------------------------------------------------------------------- the terminal


def test_the_sketch_shows_hits_shields_and_armories() -> None:
    match = scene(
        "axe1",
        players=4,
        front={1: ["shield2", "shield4", "armory"]},
        lying={1: ["axe1"]},
        hits={0: 3},
        out=[2],
        due={3: Due.SKIP},
    )
    assert sketch(match, 0) == [
        "draw pile 115, discarded 0",
        "> Astrid  [xxx.......]  3/10",
        "  Björn   [..........]  0/10  shields 5/6; armory",
        "  Cnut    [xxxxxxxxxx] 10/10  out",
        "  Dagmar  [..........]  0/10  misses the next turn",
    ]


def test_hits_above_the_limit_are_counted_but_have_no_notches() -> None:
    match = scene("axe3", players=2, hits={1: 14})
    match.play(Act.THROW + 1)
    assert sketch(match, 0)[2] == "  Björn   [xxxxxxxxxxxxxxx] 17/15  out"
    assert ">" not in "".join(sketch(match, 0))


def test_the_sketch_shows_a_hand_only_to_its_owner() -> None:
    match = scene(hands=HANDS)
    assert sketch(match, 0)[1].endswith("in hand: Axe, Three shields, Armory")
    assert sketch(match, 0)[2].endswith("2 cards in hand")
    assert sketch(match, 1)[1].endswith("3 cards in hand")
    assert sketch(match, 1)[2].endswith("in hand: Triple axe, Triple axe")
    assert [line[-15:] for line in sketch(match, -1)[1:]] == ["3 cards in hand", "2 cards in hand", "2 cards in hand"]
    match.play(Act.PLAY + Card.AXE)
    assert sketch(match, 1)[1].endswith("2 cards in hand")
