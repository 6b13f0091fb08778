"""Games on paper: the pieces of each game, counted against the printed rules, where they lie on the sheets, and the command."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import meadhall
from games.dungeon_allies.shapes import shaped, squares
from games_for_tests.hoard import game as hoard
from meadhall.cli import main
from meadhall.engine.errors import how_to_install
from meadhall.engine.registry import registered
from meadhall.engine.text.language import speaking
from meadhall.games.dungeon_allies.components import ITEM_NAMES
from meadhall.pictures.print.document import game_pdf
from meadhall.pictures.print.sheets import PAPERS, BadPiece, Piece, printed_pieces, sheets
from meadhall.pictures.print.typst_text import markdown
from meadhall.server.pages.trial import try_pages

CONTENTS = {
    "axes-and-allies": "6 Axe; its back says that the player is dead, 15 Alliance of two players, 1 Die to fold and glue, "
    "1 Rolls to cross off, if you have no die",
    "axxa": "1 Board, 6 Piece with a 1, 6 Piece with a 2, 6 Piece with a 3, 6 Piece with a 4, 6 Piece with a 5, 6 Piece with a 6",
    "viking-axes": "30 Axe, 25 Double axe, 15 Triple axe, 10 One shield, 7 Two shields, 5 Three shields, 3 Four shields, "
    "15 Armory, 10 Wench",
    "dungeon-allies": "1 Board: Excursion, 1 Board: Turn order, 1 Board: Treasure, 1 Board: Trade, 16 Sorcerer card, "
    "28 Monster tile, 10 Character, 8 Follower, 24 Red crystal, 16 Blue crystal, 10 Yellow crystal, 6 Green crystal, "
    "4 White crystal, 60 Gold, 25 Dice token, 25 Die to place on the boards, 5 Shield of a player, for the turn order, "
    "1 Rolls to cross off, if you have no such dice",
}
"""The contents of each game by its printed rules, with the names that the hall gives the pieces."""


@cache
def pieces_of(name: str) -> tuple[Piece, ...]:
    game = meadhall.game(name)
    return printed_pieces(game, game.check_options({}), game.max_players)


@pytest.fixture(scope="module")
def card() -> Piece:
    return pieces_of("viking-axes")[0]


@pytest.mark.parametrize("name", CONTENTS)
def test_a_game_has_the_pieces_that_its_printed_rules_list(name: str) -> None:
    printed = Counter[str]()
    for piece in pieces_of(name):
        printed[piece.name] += piece.count
    assert ", ".join(f"{count} {title}" for title, count in printed.items()) == CONTENTS[name]


def test_fewer_players_need_fewer_pieces() -> None:
    game = meadhall.game("axes-and-allies")
    printed = Counter(piece.name.partition(" ")[0] for piece in printed_pieces(game, game.check_options({}), 3))
    assert (printed["Axe;"], printed["Alliance"]) == (3, 3)


@pytest.mark.parametrize("name", CONTENTS)
@pytest.mark.parametrize("paper", PAPERS)
def test_sheets_hold_every_piece_once_inside_the_paper_and_nothing_overlaps(name: str, paper: str) -> None:
    width, height, _name = PAPERS[paper]
    pieces = pieces_of(name)
    placed = Counter[str]()
    for sheet in sheets(pieces, PAPERS[paper]):
        places = [(x, y) for _piece, x, y in sheet.front]
        assert len(set(places)) == len(places)
        for piece, x, y in sheet.front:
            placed[piece.front] += 1
            assert x >= 5
            assert x + piece.size[0] <= width - 5
            assert y >= 5
            assert y + piece.size[1] <= height - 5
    assert placed == Counter({piece.front: piece.count for piece in pieces})


def test_the_back_of_a_piece_lies_behind_its_front_when_the_sheet_is_turned_around_its_long_edge(card: Piece) -> None:
    *_, sheet = sheets([replace(card, count=10)], PAPERS["a4"])
    (piece, x, y), (_back, behind, at) = sheet.front[0], sheet.back[0]
    assert len(sheet.front) == len(sheet.back) == 1
    assert (behind + piece.size[0], at) == (210 - x, y)


def test_a_piece_that_is_larger_than_the_paper_is_refused(card: Piece) -> None:
    with pytest.raises(BadPiece, match="Axe: 250 x 88 mm don't fit on a4"):
        list(sheets([replace(card, size=(250, 88))], PAPERS["a4"]))


def test_a_rulebook_keeps_its_text_and_draws_its_figures() -> None:
    drawn: list[str] = []

    def draw(svg: str, _size: tuple[float, float]) -> str:
        drawn.append(svg)
        return "[drawn]"

    text = '# A "title"\n\n- **AX-1** *all* `#code` and\n  more\n\n3. third\n\n'
    text += '![words](figure:turning "below")\n\n|a|b|\n|-|-|\n|1|2|\n'
    typst = markdown(text, "axxa", draw)
    assert '#heading(level: 1)[#"A \\"title\\""]' in typst
    assert '#strong[#"AX-1"]#" "#emph[#"all"]#" "#"#code"' in typst
    assert "enum.with(start: 3)" in typst
    assert "#table(columns: 2, " in typst
    assert '#figure(alt: "words", caption: [#"below"])[[drawn]]' in typst
    assert len(drawn) == 1


def test_the_printed_rolls_are_those_of_the_die_that_the_table_chose() -> None:
    axes = meadhall.game("axes-and-allies")
    *_, folded, usual = printed_pieces(axes, axes.check_options({}), 2)
    *_, rolls = printed_pieces(axes, axes.check_options({"sides": 12}), 2)
    assert (folded.name, rolls.name) == ("Die to fold and glue", usual.name)
    assert (">12</text>" in rolls.front, ">12</text>" in usual.front) == (True, False)
    assert "Die to fold and glue" not in [piece.name for piece in printed_pieces(axes, axes.check_options({"sides": 12}), 2)]


def test_pieces_are_those_of_the_components_of_the_variant() -> None:
    game = meadhall.game("dungeon-allies")
    document = shaped(
        excursion_square=squares(5, 5, 18),
        prisoner_space=[
            {"name": f"Prisoner {k} <龍> and so on and so on", "offering": {"red": k}, "reward": dict.fromkeys(ITEM_NAMES, 9)}
            for k in range(8)
        ],
        trade=[],
    )
    options = game.check_options({"components": document})
    pieces = printed_pieces(game, options, 2)
    trade = next(piece.front for piece in pieces if piece.name == "Board: Trade")
    assert re.findall(r"Prisoner \d", trade) == [f"Prisoner {k}" for k in range(8)]
    assert "&lt;龍&gt;" in trade
    monsters = [piece for piece in pieces if piece.name == "Monster tile"]
    assert len({piece.front for piece in monsters}) == 28
    assert {piece.size for piece in monsters} == {(42, 23.5)}
    assert game_pdf(game, options, 2, PAPERS["letter"], pieces).startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("name", "size", "reason"),
    [
        ("coin", "(0, 5)", "coin-hoard/printed.html: coin: the count must not be negative, and the size must be positive"),
        ("map", "(20, 400)", "map: 20 x 400 mm don't fit on a4"),
    ],
)
def test_a_check_of_a_game_finds_mistakes_in_its_printed_pieces(tmp_path: Path, name: str, size: str, reason: str) -> None:
    (tmp_path / "printed.html").write_text(f'{{% call piece("{name}", size={size}) %}}{{% endcall %}}')
    game = replace(hoard, name=f"{name}-hoard", folder=tmp_path, lessons=None)
    with registered(game), pytest.raises(BadPiece, match=reason):
        try_pages(game)


def test_a_figure_that_is_no_xml_is_printed_as_its_words(tmp_path: Path) -> None:
    (tmp_path / "figures.html").write_text("{% macro coins() %}one<br>two{% endmacro %}")
    with registered(replace(hoard, name="printed-hoard", folder=tmp_path)):
        typst = markdown("![two coins](figure:coins) ![a card](figure:card)", "printed-hoard", lambda svg, _size: svg)
    assert typst.split() == ['#emph[#"two', 'coins"]#"', '"#emph[#"a', 'card"]']


# ------------------------------------------------------------------------------------------------------------- the command


def test_the_command_writes_a_pdf_with_the_rulebook_and_the_sheets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "game.pdf"
    assert main(["print", "axxa", "--option", "mode=versus", "--paper", "letter", "--out", str(file)]) == 0
    assert capsys.readouterr().out.replace("\n", "").endswith("game.pdf: the rulebook and 37 pieces")
    pdf = file.read_bytes()
    assert pdf.startswith(b"%PDF-")
    fonts = set(re.findall(rb"/FontName/\w+\+([\w-]+)", pdf.replace(b" ", b"")))
    assert fonts == {b"Grenze-SemiBold", b"AlegreyaSans-Medium", b"AlegreyaSans-Bold"}
    assert len(re.findall(rb"/FontFile2", pdf)) == len(fonts)


def test_a_game_without_printed_pieces_gets_its_rulebook_and_a_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game.pdf"
    with speaking("de"):
        assert game_pdf(hoard, hoard.check_options({}), 2, PAPERS["a4"], ()).startswith(b"%PDF-")
    assert main(["print", "hoard", "--out", str(file)]) == 0
    assert "declares no pieces to print" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["chess"], "there is no game 'chess'"),
        (["axxa", "--option", "mode=alone"], "alone"),
        (["axxa", "--players", "9"], "1 to 6 players, not 9"),
        (["axxa", "--players", "1", "--option", "mode=versus"], "Two sides need at least 2 players"),
        (["axxa", "--paper", "a3"], "the paper must be a4 or letter, not 'a3'"),
        (["axxa", "--out", "/nowhere/at/all.pdf"], "/nowhere/at/all.pdf: No such file"),
    ],
)
def test_mistakes_are_refused_in_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], reason: str) -> None:
    assert main(["print", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert reason in err


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    assert main(["print", "axxa"]) == 2
    assert how_to_install("print") in capsys.readouterr().err
