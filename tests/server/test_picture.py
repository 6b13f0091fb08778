"""The end of a match as a picture: whose match has one, what it shows, and how many are drawn."""

from __future__ import annotations

import asyncio
import struct
import unicodedata
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

from meadhall import pictures
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import Seat
from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import speak
from meadhall.pictures.flat import flattened, without_uses
from meadhall.pictures.png import OTHER_LETTERS, _warn, drawable, has_font, png
from meadhall.server.errors import TooMany, WrongMoment
from meadhall.server.hall import daily_puzzle
from meadhall.server.hall.room import Room
from meadhall.server.ops.time import Time
from meadhall.server.pages import picture
from meadhall.server.pages.any_game import page_of
from meadhall.server.store.models import SeatRow, TableRow, new_link_token
from server.people import AXES, HOARD, OpenHall
from server.test_merging import table_with

LACKING = "\U0001e290"
"""A letter of the script Toto, which no usual font has."""


def size_of(drawn: bytes) -> tuple[int, ...]:
    """Return width and height of a PNG (RFC 2083, 4.1.1)."""
    assert drawn.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", drawn[16:24])


@pytest.mark.asyncio(loop_scope="module")
async def test_a_finished_match_has_a_picture_and_a_running_one_has_none(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(AXES)
    address = f"/tables/{room.table.id}/picture.png"
    assert (await host.get(address)).status_code == 409
    assert 'id="share-picture"' not in (await host.get(f"/tables/{room.table.id}")).text
    assert (await friend.ask(f"/tables/{room.table.id}/resign")).status_code == 200
    answer = await hall.person().get(address)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert size_of(answer.content) == (1200, 630)
    assert f"{address}?language=en&amp;version=" in (await host.get(f"/tables/{room.table.id}")).text
    assert (await host.get("/tables/nowhere/picture.png")).status_code == 404


def _written(text: str) -> str:
    style = 'y="24" font-size="20" font-family="Alegreya Sans"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="200" height="32"><text {style}>{text}</text></svg>'


def test_our_fonts_have_every_letter_for_which_no_other_font_is_looked_for() -> None:
    letters = {chr(code) for code in range(0x20, 0x30000)} - set(OTHER_LETTERS.findall("".join(map(chr, range(0x30000)))))
    for font in (Path(pictures.__file__).parent / "fonts").glob("*.ttf"):
        assert letters <= set(map(chr, TTFont(font).getBestCmap())), font.name


@pytest.mark.parametrize("name", ["Иван", "Ελένη", "נועה", "محمد", "สมชาย", "हिन्दी", "漢字", "🧙‍♀️"])
def test_a_picture_shows_each_letter_or_a_question_mark(name: str) -> None:
    """Never a box, and no letter keeps those after it away."""
    seen = [letter for letter in name if unicodedata.category(letter)[0] not in "CM"]
    for letter in seen:
        assert (png(_written(letter)) == png(_written("?"))) == (not has_font(letter))
    assert png(_written(f"{name} Я{LACKING} Eva")) == png(_written(f"{drawable(name)} {drawable('Я')}? Eva"))


def test_a_kind_of_letters_without_a_font_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    has_font.cache_clear()
    _warn.cache_clear()
    for _ in range(2):
        png(_written(LACKING + chr(ord(LACKING) + 1)))
    (line,) = caplog.messages
    assert "the letters called TOTO" in line
    assert "apt-get install" in line


@pytest.mark.asyncio(loop_scope="module")
async def test_only_a_finished_match_at_a_public_table_has_its_picture_in_previews(hall: OpenHall) -> None:
    for public in ("yes", "no"):
        host, friend = hall.person(), hall.person("10.0.0.2")
        table = await host.open(AXES)
        await host.ask(f"/tables/{table}/visibility", {"public": public})
        await friend.ask(f"/tables/{table}/seats", {"set": "sit"})
        await host.ask(f"/tables/{table}/start")

        async def preview(table: str = table) -> str:
            page = (await hall.person("10.0.0.3").get(f"/tables/{table}")).text
            return page.partition('property="og:image" content="')[2].partition('"')[0]

        assert "share.jpg" in await preview()
        await friend.ask(f"/tables/{table}/resign")
        assert ("picture.png" if public == "yes" else "share.jpg") in await preview()


@pytest.mark.asyncio(loop_scope="module")
async def test_a_puzzle_has_its_picture_after_its_day(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    room = await hall.played_out(HOARD)
    room.state.table = replace(room.table, daily=daily_puzzle.today(hall.store.time))
    with pytest.raises(WrongMoment):
        picture.check_picture(room)
    room.state.table = replace(room.table, daily="2026-01-01")
    picture.check_picture(room)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_picture_is_drawn_once_and_too_many_are_refused(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    room = await hall.played_out(AXES)
    drawn: list[str] = []
    draw = picture.as_png

    def counted(*arguments: Any) -> bytes:
        drawn.append("one")
        return draw(*arguments)

    monkeypatch.setattr(picture, "as_png", counted)
    monkeypatch.setattr(picture, "MAX_WAITING", 2)
    pictures = picture.Pictures()
    asked = [pictures.picture(room, "en") for _ in range(5)]
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert [isinstance(each, bytes) for each in found] == [True, True, False, False, False]
    assert {type(each) for each in found[2:]} == {TooMany}
    assert found[0] == found[1] == await pictures.picture(room, "en")
    assert len(drawn) == 1
    await pictures.picture(room, "de")
    assert len(drawn) == 2


def finished(name: str, names: list[str]) -> tuple[Match, TableRow]:
    """Return a match of people that has been played at random, and its table."""
    match = game(name).match(players=len(names), seed="picture", seats=[Seat(each, "human") for each in names])
    choices = Random(5)
    while not match.over:
        match.play(choices.choice(match.legal()).action)
    seats = tuple(SeatRow(k, "human", each, None, frozenset({each}), new_link_token()) for k, each in enumerate(names))
    table = TableRow(
        "a",
        name,
        1,
        match.options,
        "over",
        names[0],
        True,
        b"",
        Time().now(),
        seats,
        started_at=Time().now(),
        finished_at=Time().now(),
    )
    return match, table


@pytest.mark.parametrize("name", [name for name in game_names() if name != HOARD])
def test_the_picture_of_every_game_has_the_names_as_text(name: str) -> None:
    speak("en")
    names = ["<Ada & Bo>", "Łukasz", "Ærin", "Даша"][: game(name).max_players]
    names = names[: max(2, game(name).min_players)]
    svg = picture.svg(picture.picture_of(*finished(name, names)))
    assert "&lt;Ada &amp; Bo&gt;" in svg
    assert "var(--" not in svg
    assert "var(--" not in picture.styles(name).sheet
    assert "<use" not in without_uses(svg)
    assert size_of(picture.as_png(svg, name)) == (1200, 630)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_game_without_a_board_for_pictures_and_without_a_tile_has_a_picture(hall: OpenHall) -> None:
    room: Room = await hall.played_out(HOARD)
    assert size_of(await picture.Pictures().picture(room, "en")) == (1200, 630)


@pytest.mark.parametrize(
    ("name", "throw", "arrow"),
    [("axes-and-allies", "blow", 'class="trail"'), ("viking-axes", "story.throw", 'stroke-dasharray="2 12"')],
)
def test_the_picture_of_a_draw_has_no_crown_and_no_arrow_of_the_last_throw(name: str, throw: str, arrow: str) -> None:
    match, draw = game(name).match(players=3, seed="mead"), Random(3)
    while attrgetter(throw)(page_of(match.game).picture(match.view())) is None:
        match.play(draw.choice(match.legal()))
    match.agree_to_draw()
    shown = picture.svg(picture.picture_of(match, table_with("host", "a", "b", "c")))
    assert [sign for sign in (arrow, 'href="#i-crown"') if sign in shown] == []


def test_a_long_headline_gets_smaller_and_is_cut_at_last() -> None:
    assert picture.fitting("Ada wins") == (88, ("Ada wins",))
    size, lines = picture.fitting("Ragnhild die Weise and Sigurd Sigurdsson win")
    assert size < 88
    assert len(lines) > 1
    assert picture.fitting(" ".join(["Ragnhild"] * 20))[1][-1].endswith("…")


def test_a_property_of_a_class_makes_a_rule_for_each_class() -> None:
    sheet = ":root { --ink: light-dark(#fff, #000); } .seat-0 { --seat: #f00; } .seat-1 { --seat: #0f0; }"
    flat = flattened(
        [
            sheet,
            ".crest { color: var(--seat); }",
            "@media print { .x { fill: red } } p { fill: var(--ink); font: 700 20px/1 Grenze; }",
        ]
    )
    assert ".seat-0 .crest { color: #f00 }" in flat.sheet
    assert ".crest.seat-1 { color: #0f0 }" in flat.sheet
    assert "p { fill: #000; font-weight: 700; font-size: 20px; font-family: Grenze }" in flat.sheet
    assert "red" not in flat.sheet
    assert flattened(["p { fill: color-mix(in oklab, #ff0000 50%, black); }"]).sheet == "p { fill: #800000 }"


def test_a_reference_becomes_a_copy_in_its_place() -> None:
    symbol = '<symbol id="a" viewBox="0 0 2 2"><path id="p"/></symbol>'
    copied = without_uses(f'<svg xmlns="http://www.w3.org/2000/svg">{symbol}<use href="#a" x="3" width="9"/></svg>')
    assert '<g class="use"><svg viewBox="0 0 2 2" x="3" y="0" width="9"><path /></svg></g>' in copied
