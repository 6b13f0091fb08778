"""What a report says is remarkable: the order of its sentences, what isn't shown to hold, and pieces by their names."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import meadhall
from meadhall.engine.text.display import Table
from meadhall.engine.text.language import speaking
from meadhall.lab import Balance, balance
from meadhall.lab.balance.definitions import DEFINITIONS
from meadhall.lab.balance.figures import Column, Figure, figures_of, flagged, surprise
from meadhall.lab.balance.findings import MOST_FINDINGS, findings, first_screen
from meadhall.lab.balance.in_words import piece_tables
from meadhall.lab.balance.measured import Cell, Measured

CARDS = range(20)


def figure(name: str, value: float, half: float) -> Figure:
    """Return a figure with an interval of this half width."""
    return Figure(name, value, value - half, value + half, 1000)


def places(*values: float, half: float) -> list[Figure]:
    """Return the figures of the places."""
    return [figure(f"place.{number}", value, half) for number, value in enumerate(values, 1)]


def made(
    figures: Mapping[str, Sequence[Figure]], differences: Sequence[Figure] = (), game: str = "dungeon-allies", **more: Any
) -> Measured:
    """Return a report with these figures by variant, and the differences of the second variant."""
    pages = flagged({each.name: each for each in page} for page in figures.values())
    [gaps] = flagged([{each.name: each for each in differences}], differences=True)
    subject = meadhall.game(game)
    options = more.get("options", {})
    cells = (
        Cell(variant, subject.default_players, "karl", 1000, 0, page, gaps if number else {}, ())
        for number, (variant, page) in enumerate(zip(figures, pages, strict=True))
    )
    return Measured(
        game=game,
        players=(subject.default_players,),
        variants={variant: subject.check_options(options) for variant in figures},
        bots=("karl",),
        seed="made",
        precision=0.01,
        depth="quick",
        limit=5000,
        ended="complete",
        seconds=1.0,
        cells=tuple(cells),
    )


def cards(**taken: float) -> list[Figure]:
    """Return how often the sorcerer cards are taken when they are shown: seven of ten times, apart from some."""
    return [figure(f"taken.card.{number}", taken.get(f"card_{number}", 0.7), 0.02) for number in CARDS]


def said(report: Measured) -> list[str]:
    """Return the sentences."""
    return [each.text for each in findings(report)]


def test_the_most_surprising_comes_first_and_the_first_screen_has_seven_sentences() -> None:
    crowd = [
        figure("forced", 0.75, 0.01),
        figure("shared", 0.35, 0.01),
        figure("kingmaking", 0.05, 0.001),
        figure("dead", 0.9, 0.01),
    ]
    crowd += [figure("comeback", 0.3, 0.01), figure("acquired.card.3", 0.0, 0.001), figure("runaway", 0.99, 0.001)]
    page = [*places(0.9, 0.8, 0.7, 1.6, half=0.03), *cards(card_14=0.05), figure("turns.median", 14, 0), *crowd]
    found = findings(made({"built-in": page}))
    assert [each.surprise for each in found] == sorted((each.surprise for each in found), reverse=True)
    assert "watches 90 %" in found[0].text  # 65 points beyond the tolerance
    assert "Silver Bell of Renown 5 % (3 % to 7 %)." in found[1].text
    assert "Place 4 in the order of the first turns wins 1.60 (1.57 to 1.63)" in found[3].text
    first, others = first_screen(found)
    assert len(first) == MOST_FINDINGS
    assert others
    assert [each for each in found if each in first] == first
    assert any("over after 14 turns with" in each.text for each in first), "what a reader always asks is on the first screen"


def test_a_wide_interval_surprises_less_than_a_narrow_one() -> None:
    narrow, wide = (surprise(figure("place.1", 1.5, half), (0.9, 1.1)) for half in (0.02, 0.2))
    assert narrow > wide > 0
    assert surprise(figure("place.1", 1.5, 0.3), (0.9, 1.1)) == 0


UNKNOWN = "No place in the order of the first turns is shown to be better or worse, but a place may win up to 11 % more"
EQUAL = "Every place in the order of the first turns is shown to win its equal share, within 4 %."
BETTER = "Place 1 in the order of the first turns wins 1.06 (1.04 to 1.08) times an equal share"


@pytest.mark.parametrize(
    ("values", "half", "sentence"),
    [((1.02, 0.98, 1, 1), 0.09, UNKNOWN), ((1.01, 0.99, 1, 1), 0.03, EQUAL), ((1.06, 0.98, 0.98, 0.98), 0.02, BETTER)],
)
def test_what_is_not_shown_is_said_as_not_shown(values: tuple[float, ...], half: float, sentence: str) -> None:
    [text] = said(made({"built-in": places(*values, half=half)}))
    assert sentence in text


def test_differences_of_variants_come_first_with_both_values() -> None:
    base = [*places(1.0, 1.0, 1.0, 1.0, half=0.02), figure("turns", 14, 0.1), figure("dead", 0.95, 0.01)]
    other = [*places(1.0, 1.0, 1.0, 1.0, half=0.02), figure("turns", 18, 0.1), figure("dead", 0.95, 0.01)]
    gaps = [figure("turns", 4, 0.2), figure("dead", 0.0, 0.01), figure("place.1", 0, 0.03)]
    report = made({"built-in": base, "mine": other}, gaps)
    assert (
        said(report)[0]
        == "mine instead of built-in (4 players): turns from 14.0 to 18.0, a difference of +4.00 (+3.80 to +4.20)."
    )
    same = made({"built-in": base, "mine": base}, gaps[1:])
    [text, *_more] = [each for each in said(same) if "differ" in each]
    assert text == "No difference between mine and built-in is shown. By place or together, wins may differ by up to 3 %."


def test_a_long_list_of_pieces_ends_with_how_many_are_left() -> None:
    for more, english, german in ((1, "and 1 other", "und 1 weiteres"), (2, "and 2 others", "und 2 weitere")):
        report = made({"built-in": cards(**{f"card_{number}": 0.1 for number in range(4 + more)})})
        assert f"{english}." in said(report)[0]
        with speaking("de"):
            assert f"{german}." in said(report)[0]


@pytest.mark.parametrize(
    ("value", "half", "sentence"),
    [
        (1.0, 0.0, "Leaving out “trade” changes nothing, because no bot ever chose it"),
        (0.8, 0.05, "Bots that never choose “trade” win 0.80 (0.75 to 0.85) times as often"),
        (0.97, 0.05, "Not shown to matter: “trade”"),
    ],
)
def test_what_was_left_out_is_told_in_any_case(value: float, half: float, sentence: str) -> None:
    [text] = said(made({"built-in": [figure("without.trade", value, half)]}))
    assert sentence in text


def test_the_share_of_solved_shuffles_has_the_bound_of_the_solver() -> None:
    page = [figure("won", 0.65, 0.02), figure("turns.median", 19, 0)]
    [text, _length] = sorted(said(made({"it": page}, game="axxa")), reverse=True)
    assert text.startswith("Matches that karl wins together: 65 % (63 % to 67 %) with 1 player. Better players may win more.")
    assert "the solver wins 99.8 %" in text
    moved = made({"it": page}, game="axxa", options={"triplets": "moved"})
    assert not any("the solver" in each for each in said(moved)), "nothing exact is known of this way to play"


def test_luck_and_skill_and_figures_of_ones_own_are_told() -> None:
    page = [
        figure("luck", 0.7, 0.05),
        figure("ladder.karl", 3.95, 0.02),
        figure("ladder.search@100", 1.2, 0.1),
        figure("own.kills", 2, 0),
    ]
    page[1] = replace(page[1], most=4.0)
    assert "not shown yet: 70 % (40 % to 100 %)" in said(made({"built-in": [figure("luck", 0.7, 0.3)]}))[0]
    own, luck, ladder = said(made({"built-in": page}))
    assert own == "You counted in a match: kills 2.00."
    assert "Luck decides 70 % (65 % to 75 %) of the results of equal, good players" in luck
    assert "karl 3.95 (3.93 to 3.97), nearly the most possible, a search of 100 steps 1.20 (1.10 to 1.30)." in ladder


def test_skill_of_variants_is_told_beside_each_other_and_as_a_difference() -> None:
    base, other = [figure("ladder.karl", 1.51, 0.02)], [figure("ladder.karl", 1.81, 0.02)]
    texts = said(made({"built-in": base, "mine": other}, [figure("ladder.karl", 0.3, 0.03)]))
    assert texts[0].startswith("mine instead of built-in (4 players): ladder: karl from 1.51 to 1.81, a difference of +0.30")
    assert texts[1].startswith("built-in and mine: one player of a level")
    assert texts[1].endswith(": karl 1.51 (1.49 to 1.53) and 1.81 (1.79 to 1.83).")


def test_always_is_not_told_where_it_only_mirrors_never() -> None:
    page = [figure("chosen.trade", 0.0, 0.001), figure("chosen.decline", 1.0, 0.001)]
    alone, both = ([replace(each, of=of) for each, of in zip(page, offers, strict=True)] for offers in ((500, 500), (500, 600)))
    assert said(made({"built-in": alone})) == ["Hardly ever chosen where offered: trade 0.0 % (-0.1 % to 0.1 %)."]
    assert len(said(made({"built-in": both}))) == 2


def test_never_in_a_few_matches_is_no_proof_of_never() -> None:
    few, many = (
        flagged([figures_of({"acquired.card.1": Column(np.zeros(count), np.full(count, 2.0))})])[0]["acquired.card.1"]
        for count in (10, 1000)
    )
    assert (few.high, few.warning, many.high, many.warning) == (0.15, "", 0.0015, "low")
    won = {f"dealt.card.{number}": Column(np.full(4, 2.0 * number), np.ones(4) * 2, most=2.0) for number in (0, 2)}
    never, always = figures_of(won).values()
    assert (never.low, never.high, always.low, always.high) == (0, 0.75, 1.25, 2)


def test_families_with_sentences_say_what_is_usual() -> None:
    for name, about in DEFINITIONS.items():
        if about.high or about.low:
            assert about.usual or about.tolerance, name


@pytest.fixture(scope="module")
def dungeon() -> Balance:
    """A report of a few matches of Dungeon Allies."""
    return balance("dungeon-allies", (3, 4), games=3, seed="mead", depth="quick", bots=["thrall"])


def test_every_piece_has_a_row_with_its_name_and_those_never_acquired_come_first(dungeon: Balance) -> None:
    subject, key = dungeon.subject, ("built-in", 3, "thrall")
    tables = {table.heads[0]: table for table in piece_tables(dungeon, key)}
    for kind in subject.elements.pieces:
        if kind.numbers is not None:
            names = [row[0] for row in tables[kind.text].rows]
            numbers = list(kind.numbers(dungeon.variants["built-in"]))
            assert len(names) == len(numbers)
            if kind.word is not None:
                assert set(names) == {kind.word(dungeon.variants["built-in"], number) for number in numbers}
    monsters = tables["monster"]
    column = monsters.heads.index("acquired")
    never = [row[column].startswith("0.00") for row in monsters.rows]
    assert True in never
    assert never == sorted(never, reverse=True)
    figures = dungeon.figures[key]
    seen = [name.removeprefix("taken.") for name in figures if name.startswith("taken.")]
    assert seen
    for name in seen:
        assert figures[f"taken.{name}"].value == pytest.approx(figures[f"acquired.{name}"].value / figures[f"shown.{name}"].value)


def test_the_table_names_pieces_in_words(dungeon: Balance) -> None:
    rows = {row["figure"]: row for row in dungeon.rows()}
    row = rows["acquired.card.14"]
    assert (row["kind"], row["name"], row["item"], row["family"]) == (
        "sorcerer card",
        "Silver Bell of Renown",
        "card.14",
        "acquired",
    )
    assert {key[0] for key in dungeon.figures} == {row["variant"] for row in rows.values()}
    assert sum(map(len, dungeon.figures.values())) == sum(1 for _row in dungeon.rows())


def test_a_misspelt_figure_is_answered_with_the_nearest(dungeon: Balance) -> None:
    with pytest.raises(KeyError, match=r"no figure plac; the nearest: place"):
        dungeon.figures["built-in", 3]["plac"]
    assert dungeon.examples[dungeon.cells[0].key[:2]] == dungeon.cells[0].examples
    with pytest.raises(KeyError, match=r"nothing for \('mine', 4\); the report has: \("):
        dungeon.examples["mine", 4]


def cells_of(report: Balance) -> Iterator[str]:
    """Yield every value of the tables of a report."""
    for part in report.displayed():
        if isinstance(part, Table):
            yield from (value for row in part.rows for value in row[1:] if value)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_terminal_of_any_width_cuts_no_value_and_breaks_none(dungeon: Balance, width: int) -> None:
    out = io.StringIO()
    Console(file=out, width=width).print(dungeon)
    lines = out.getvalue().replace("\N{NO-BREAK SPACE}", " ").splitlines()
    assert max(map(len, lines)) <= width
    told = "\n".join(lines)
    assert "…" not in told
    assert [value for value in cells_of(dungeon) if value.replace("\N{NO-BREAK SPACE}", " ") not in told] == []
