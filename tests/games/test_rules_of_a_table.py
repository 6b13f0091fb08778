"""The rules of a table agree with its options: for every value and in every language."""

from __future__ import annotations

import itertools
import re
from typing import Any, NamedTuple

import pytest

from games_for_tests.every import EVERY_GAME
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.engine.options import Choice, Number
from meadhall.engine.registry import game
from meadhall.engine.rulebook import conditions, rule_sentence, rulebook_text, rulings
from meadhall.engine.text.language import LANGUAGES, speaking


class Told(NamedTuple):
    """What a table with these options says of a rule, and what a table with the defaults says: in English and in German."""

    game: str
    options: dict[str, Any]
    rule: str
    usual: tuple[str, str]
    here: tuple[str, str]


class Argued(NamedTuple):
    """What the reason for our reading of a rule says with the defaults, and not with these options: in English and in German."""

    game: str
    options: dict[str, str]
    rule: str
    usual: tuple[str, str]


VERSUS = {"mode": "versus"}
ANY = VERSUS | {"order": "any"}
AA, AX, VA, DA = "axes-and-allies", "axxa", "viking-axes", "dungeon-allies"
FIGHT, MOVED, NUMBER = {"last_two": "fight"}, {"triplets": "moved"}, VERSUS | {"worth": "number"}
STRATEGIC, BEFORE = {"variant": "strategic"}, {"armory": "before"}
TOLD = [
    Told(
        AA,
        FIGHT,
        "AA-3.1",
        ("You do exactly one", "Du tust genau eines"),
        ("are alive, you attack", "nur noch zwei, so greifst du an"),
    ),
    Told(
        AA,
        FIGHT,
        "AA-6.1",
        ("rules that out", "schließt das aus"),
        ("the last two can't", "nur die letzten zwei können es nicht"),
    ),
    Told(AA, FIGHT, "AA-7.1", ("isn't in force", "gilt an diesem Tisch nicht"), ("neither may declare", "darf keine der beiden")),
    Told(
        AA,
        {"sides": 8},
        "AA-3.2",
        ("six misses only on a six", "sechs verfehlt nur bei"),
        ("8 misses only on 8", "8 verfehlt nur bei 8"),
    ),
    Told(
        AA,
        {"kills_on": 5},
        "AA-3.2",
        ("power one never kills", "Stärke eins tötet also nie"),
        ("5 or more kills", "5 oder mehr tötet"),
    ),
    Told(VA, {"hits": 7}, "VA-1.2", ("Ten hits", "zehn Treffern"), ("stays at 7", "bleibt es bei 7")),
    Told(VA, {"hits_of_two": 9}, "VA-3.7", ("your fifteenth", "dem fünfzehnten"), ("hit 9", "Treffer 9")),
    Told(VA, STRATEGIC | {"hand": 4}, "VA-2.3", ("Not at this table", "Nicht an diesem"), ("back to 4", "wieder 4")),
    Told(AX, {"payment": 2}, "AX-5.1", ("with one piece", "mit einem Stein"), ("2 pieces", "2 Steinen")),
    Told(DA, {"round_two": 5}, "DA-12.1", ("the eighth tile", "dem achten"), ("5 tiles", "5 Plättchen")),
    Told(DA, {"round_three": 20}, "DA-12.1", ("the sixteenth", "dem sechzehnten"), ("20 are gone", "mit 20 Runde 3")),
    Told(AX, VERSUS, "AX-1.3", ("The first seat starts", "Der erste Platz beginnt"), ("A random seat starts", "wird ausgelost")),
    Told(
        AX,
        VERSUS,
        "AX-6.1",
        ("all players have won", "so habt ihr alle gewonnen"),
        ("Not at this table", "Nicht an diesem Tisch"),
    ),
    Told(AX, VERSUS, "AX-6.2", ("All players have lost", "Ihr habt verloren"), ("Not at this table", "Nicht an diesem Tisch")),
    Told(AX, VERSUS, "AX-4.2", ("been removed yet is the", "noch fehlt, ist an"), ("been skipped", "übersprungen wurde")),
    Told(AX, VERSUS, "AX-7.2", ("Not at this table", "Nicht an diesem Tisch"), ("more triplets wins", "mit mehr Drillingen")),
    Told(AX, VERSUS, "AX-7.3", ("Not at this table", "Nicht an diesem Tisch"), ("is skipped at once", "sofort übersprungen")),
    Told(AX, {"touching": "orthogonal"}, "AX-4.1", ("or at a corner", "oder an einer Ecke"), ("doesn't count", "zählt nicht")),
    Told(
        AX,
        VERSUS | {"order": "strict"},
        "AX-7.3",
        ("Not at this", "Nicht an"),
        ("nothing is skipped", "Nichts wird übersprungen"),
    ),
    Told(AX, ANY, "AX-4.2", ("in the order of their", "Die Zahlen kommen"), ("of any number", "Drillinge jeder Zahl")),
    Told(AX, ANY, "AX-4.3", ("of the current number", "der aktuellen Zahl"), ("of any number", "einer beliebigen Zahl")),
    Told(AX, ANY, "AX-4.4", ("next number becomes", "Dann ist die nächste"), ("another triplet on", "Liegt noch ein Drilling")),
    Told(AX, ANY, "AX-5.3", ("of the current number", "der aktuellen Zahl"), ("", "")),
    Told(AX, {"directions": "any"}, "AX-2.2", ("never diagonally", "nie schräg"), ("or along diagonals", "oder schräg")),
    Told(AX, MOVED, "AX-4.3", ("doesn't have to", "muss nicht dabei"), ("must include the stack", "muss dabei sein")),
    Told(AX, MOVED, "AX-4.4", ("or there all along", "oder schon länger"), ("if it includes", "dazugehört")),
    Told(AX, MOVED, "AX-5.3", ("move, it counts", "noch da, so"), ("includes the stack", "gehört der gezogene Stapel dazu")),
    Told(AX, ANY | MOVED, "AX-7.3", ("Not at this", "Nicht an diesem"), ("and the others wait", "und die übrigen warten")),
    Told(
        AX, NUMBER, "AX-7.2", ("Not at this table", "Nicht an diesem Tisch"), ("side with more points wins", "mit mehr Punkten")
    ),
    Told(
        VA, STRATEGIC, "VA-1.3", ("Not at this table", "Nicht an diesem Tisch"), ("Each player is dealt", "Alle bekommen vor dem")
    ),
    Told(VA, STRATEGIC, "VA-2.1", ("you must play it", "so musst du"), ("joins your hand", "auf deine Hand")),
    Told(VA, STRATEGIC, "VA-2.4", ("places shields", "legt Schilde aus"), ("", "")),
    Told(VA, STRATEGIC, "VA-5.2", ("is discarded", "wird abgelegt"), ("can't be played", "nicht spielen")),
    Told(VA, STRATEGIC, "VA-6.3", ("she is discarded", "Sie wird abgelegt"), ("can't be played", "Man kann sie nicht spielen")),
    Told(VA, BEFORE, "VA-5.3", ("at most once a turn", "höchstens einmal im"), ("before you draw", "ehe du die erste Karte")),
    Told(DA, {"bids": "returned"}, "DA-8.2", ("never refunded", "nie erstattet"), ("gold back at once", "sofort zurück")),
    Told(
        DA,
        {"first_bid": "one"},
        "DA-8.1",
        ("bids nothing", "bietet nichts"),
        ("the first at least one", "der erste mindestens eins"),
    ),
    Told(
        DA,
        {"first_bid": "one"},
        "DA-3.3",
        ("can outbid the", "Gebot überbieten kannst"),
        ("at least one gold", "mindestens ein Gold"),
    ),
    Told(
        DA,
        {"followers": "characters"},
        "DA-8.3",
        ("followers included", "Anhänger eingeschlossen"),
        ("two characters", "beiden eigenen Figuren"),
    ),
    Told(
        DA, {"followers": "characters"}, "DA-8.4", ("smallest die is a d4", "kleinster ein W4"), ("no such die", "Gibt es keinen")
    ),
    Told(
        DA,
        {"offering": "placed"},
        "DA-3.3",
        ("don't have the offering", "Gabe noch nicht"),
        ("have the whole offering", "die ganze Gabe hast"),
    ),
    Told(
        DA,
        {"offering": "placed"},
        "DA-9.1",
        ("or to decline", "oder verzichten"),
        ("when you place the die", "wenn du den Würfel setzt"),
    ),
    Told(DA, {"enhance": "d20"}, "DA-1.4", ("d10 and d12.", "W10 und W12."), ("and d20", "und W20")),
    Told(DA, {"enhance": "d20"}, "DA-4.5", ("and d12)", "und W12)"), ("and d20", "und W20")),
    Told(
        DA,
        {"refill": "never"},
        "DA-11.3",
        ("are refilled", "werden am Ende des Zuges aufgefüllt"),
        ("stay empty", "bleiben die ganze Partie leer"),
    ),
    Told(DA, {"refill": "never"}, "DA-12.2", ("cards are refilled", "Karten werden nachgelegt"), ("", "")),
    Told(
        DA,
        {"treasures": "one"},
        "DA-3.3",
        ("without a die. 4.", "ohne Würfel. 4."),
        ("no die on a treasure", "noch keinen Würfel auf einem Schatz"),
    ),
    Told(DA, {"treasures": "one"}, "DA-6.2", ("for all your spaces", "für all deine Felder"), ("", "")),
    Told(
        DA,
        {"treasures": "one"},
        "DA-19.7",
        ("isn't in force", "gilt an diesem Tisch nicht"),
        ("can't place another", "setzt im selben Zug keinen zweiten"),
    ),
]
ARGUED = [
    Argued(AX, {"directions": "any"}, "AX-2.2", ("We read that as along rows", "als waagerecht")),
    Argued(AX, {"touching": "orthogonal"}, "AX-4.1", ("has the option", "wählt die Option")),
    Argued(AX, MOVED, "AX-4.3", ("is part of it. Where", "dazugehört. Machen")),
    Argued(AX, MOVED, "AX-4.4", ("is treated like", "gilt wie")),
    Argued(AX, NUMBER, "AX-7.2", ("so that is a draw", "ist es unentschieden")),
    Argued(VA, STRATEGIC, "VA-2.4", ("a shield must be placed", "muss ein Schild")),
    Argued(VA, BEFORE, "VA-5.3", ("comes after the first", "kommt nach der ersten")),
    Argued(DA, {"bids": "returned"}, "DA-8.2", ("none is refunded", "wird keines erstattet")),
    Argued(DA, {"followers": "characters"}, "DA-8.3", ("We count followers", "Wir zählen Anhänger")),
    Argued(DA, {"offering": "placed"}, "DA-9.1", ("you may decline", "darfst du ablehnen")),
    Argued(DA, {"enhance": "d20"}, "DA-1.4", ("Your own components", "Eigene Komponenten")),
    Argued(DA, {"refill": "never"}, "DA-11.3", ("can't be meant", "gemeint sein")),
    Argued(DA, {"treasures": "one"}, "DA-3.3", ("dice on several", "Würfel auf mehreren")),
]


def named(told: Told | Argued) -> str:
    return f"{told.rule} {','.join(f'{name}={value}' for name, value in told.options.items())}"


@pytest.mark.parametrize("told", TOLD, ids=named)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_says_what_holds_in_place_of_what_usually_holds(told: Told, language: str) -> None:
    subject, k = game(told.game), list(LANGUAGES).index(language)
    with speaking(language):
        usual, here = (rule_sentence(subject, told.rule, subject.check_options(options)) for options in ({}, told.options))
    assert told.usual[k] in usual
    assert told.usual[k] not in here
    assert told.here[k] in here
    assert not told.here[k] or told.here[k] not in usual


@pytest.mark.parametrize("argued", ARGUED, ids=named)
@pytest.mark.parametrize("language", LANGUAGES)
def test_our_readings_argue_for_nothing_that_does_not_hold_at_the_table(argued: Argued, language: str) -> None:
    subject, k = game(argued.game), list(LANGUAGES).index(language)
    with speaking(language):
        usual, here = (rulings(subject, subject.check_options(options)).get(argued.rule, "") for options in ({}, argued.options))
    assert argued.usual[k] in usual
    assert argued.usual[k] not in here


def test_every_value_of_every_option_is_read() -> None:
    read = {(told.game, name, value) for told in TOLD for name, value in told.options.items()}
    for name in (AA, AX, VA, DA):
        for option in (each for each in game(name).options if isinstance(each, Choice)):
            assert {(name, option.name, value) for value in option.values if value != option.default} <= read or (
                isinstance(option, Number) and (name, option.name) in {each[:2] for each in read}
            )


@pytest.mark.parametrize("subject", [each for each in EVERY_GAME if each.options], ids=lambda subject: subject.name)
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_table_has_a_rule_without_words_or_a_condition_among_them(subject: Game, language: str) -> None:
    with speaking(language):
        for options in (None, *tables_of(subject)):
            text = rulebook_text(subject, options)
            prose = text.partition("\n## Opt")[0].replace("\n", " ")
            assert not re.findall(r"[{}]| [.,;]|\.\.(?!\.)|\w\(|[a-zß)][.;:][A-ZÄÖÜ]", prose)
            assert not re.findall(r"^- \*\*\S+\*\*\s*\n(?=\n|- )", text, re.MULTILINE)
            assert not re.findall(r"\n +\n", text), "an empty line ends an item"
            assert not [reason for reason in rulings(subject, options).values() if re.search(r"[{}]", reason)]


def tables_of(subject: Game) -> list[dict[str, Any]]:
    """Return every combination of values that the game allows; a document is the built-in one."""
    choices = [option for option in subject.options if isinstance(option, Choice)]
    tables = []
    for values in itertools.product(*(option.tried for option in choices)):
        try:
            tables.append(subject.check_options({option.name: value for option, value in zip(choices, values, strict=True)}))
        except BadSetup:
            continue
    return tables


@pytest.mark.parametrize("subject", [each for each in EVERY_GAME if each.options], ids=lambda subject: subject.name)
def test_the_rulebook_depends_on_the_same_values_in_every_language(subject: Game) -> None:
    found = []
    for language in LANGUAGES:
        with speaking(language):
            found.append(conditions(subject))
    assert all(each == found[0] for each in found)


@pytest.mark.parametrize(
    ("name", "options", "usual", "here"),
    [
        (AX, NUMBER, ("more triplets", "mehr Drillinge"), ("more points", "mehr Punkten")),
        (AA, FIGHT, ("Attack, or ally with a player until", "mit jemandem, bis"), ("more than two", "mehr als zwei")),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_goal_is_what_holds_at_the_table(
    name: str, options: dict[str, str], usual: tuple[str, str], here: tuple[str, str], language: str
) -> None:
    subject, k = game(name), list(LANGUAGES).index(language)
    with speaking(language):
        goal = subject.goal_of(subject.check_options(options))
        usual_goal = subject.goal_of(subject.check_options({"mode": "versus"} if name == AX else {}))
    assert usual[k] in usual_goal
    assert usual[k] not in goal
    assert here[k] in goal


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_two_sides_mean_holds_for_every_worth_of_a_triplet(language: str) -> None:
    (mode,) = (option for option in game(AX).options if option.name == "mode")
    assert isinstance(mode, Choice)
    with speaking(language):
        assert (
            mode.explained("versus")
            == {"en": "Two sides compete for the triplets.", "de": "Zwei Parteien spielen um die Drillinge."}[language]
        )
