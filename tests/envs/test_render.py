"""What environments show of a match: text, the page's picture, its pixels, and never what is hidden."""

from __future__ import annotations

import os
import re
import sys
import xml.etree.ElementTree as ET
from random import Random
from typing import Any

import numpy as np
import pytest

from meadhall.engine.errors import BadSetup, how_to_install
from meadhall.engine.laws.knowledge import redealt
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import SPECTATOR, View, concealed
from meadhall.engine.registry import game
from meadhall.engine.text.language import speak
from meadhall.envs.render import NoPixels, render
from meadhall.games.viking_axes.state import card_title
from meadhall.pictures import png
from pixels import difference

GAMES = ("axes-and-allies", "axxa", "dungeon-allies", "viking-axes")
VARIANTS: list[tuple[str, int, dict[str, Any]]] = [
    ("axes-and-allies", 4, {}),
    ("axxa", 2, {"mode": "versus"}),
    ("dungeon-allies", 3, {}),
    ("viking-axes", 4, {"variant": "strategic"}),
]

PLAIN = set(
    "fill fill-opacity fill-rule stroke stroke-width stroke-linecap stroke-linejoin stroke-dasharray stroke-opacity opacity "
    "visibility "
    "color stop-color stop-opacity font-family font-size font-weight letter-spacing text-anchor display overflow filter".split()
)
"""Properties of plain SVG that the pictures use."""


def played(name: str, players: int, steps: int, **options: Any) -> Match:
    match = game(name).match(players=players, seed="render", **options)
    choices = Random(11)
    for _step in range(steps):
        if match.over:
            break
        match.play(choices.choice(match.legal()).action)
    return match


@pytest.mark.parametrize(("name", "players", "options"), VARIANTS, ids=GAMES)
def test_the_picture_of_a_seat_and_of_a_spectator_is_a_whole_document_in_plain_svg(
    name: str, players: int, options: dict[str, Any]
) -> None:
    match = played(name, players, 12, **options)
    for viewer in (SPECTATOR, 0, players - 1):
        drawn = render(match.view(viewer), "svg")
        root = ET.fromstring(drawn)  # noqa: S314 - we have made it
        assert root.tag.endswith("svg")
        assert "var(--" not in drawn
        assert "<use" not in drawn
        assert "light-dark" not in drawn
        for name_of_player in match.names:
            assert name_of_player in drawn
    styles = "".join(re.findall(r"<style>(.*?)</style>", drawn, re.DOTALL))
    assert set(re.findall(r"[{;] ?([\w-]+):", styles)) <= PLAIN
    assert not re.search(r"\dcq|calc\(|display: (?!none)", styles)
    assert difference(by_cairo(drawn), png(drawn, width=150)) < 0.04


def by_cairo(drawn: str) -> bytes:
    """Draw a picture with another renderer."""
    try:
        import cairosvg  # noqa: PLC0415 - it looks for the library Cairo of the system
    except OSError:
        assert "CI" not in os.environ, "apt-get install libcairo2"
        pytest.skip("Cairo is not installed")
    pixels: bytes = cairosvg.svg2png(bytestring=drawn.encode(), output_width=150)
    return pixels


@pytest.mark.parametrize(("name", "players", "options"), VARIANTS, ids=GAMES)
def test_pixels_have_one_size_from_the_set_up_to_the_end(name: str, players: int, options: dict[str, Any]) -> None:
    begun, ended = played(name, players, 0, **options), played(name, players, 3000, **options)
    assert ended.over
    first, last = (render(match.view(0), "rgb_array", width=200) for match in (begun, ended))
    assert first.shape == last.shape
    assert first.shape[1:] == (200, 3)
    assert first.dtype == np.uint8
    assert np.any(first != last)
    assert first.std() > 10, "the picture is not empty"
    dark = render(begun.view(0), "rgb_array", width=200, theme="dark")
    assert dark.mean() < first.mean()


@pytest.mark.parametrize(("name", "players", "options"), VARIANTS, ids=GAMES)
def test_what_is_hidden_changes_no_picture(name: str, players: int, options: dict[str, Any]) -> None:
    match = played(name, players, 15, **options)
    for viewer in range(players):
        view = match.view(viewer)
        other = match.supposing(redealt(match.game, view.states, viewer, Random(viewer)))
        assert concealed(match.game, other.states, viewer).tobytes() == view.states.tobytes()
        assert render(other.view(viewer), "ansi") == render(view, "ansi")
        assert render(other.view(viewer), "svg") == render(view, "svg")


def test_a_seat_sees_its_own_hand_and_a_spectator_sees_none() -> None:
    match = played("viking-axes", 3, 6, variant="strategic")
    for seat in range(3):
        hand = match.view(seat).states["hand"][0, seat].tolist()
        held = [card_title(kind) for kind, count in enumerate(hand) for _copy in range(count)]
        assert held
        assert texts(match.view(seat))[-len(held) :] == held
        assert texts(match.view(SPECTATOR))[-len(held) :] != held


def texts(view: View) -> list[str]:
    """Return the texts of a picture without the numbers on cards."""
    return re.findall(r"<text[^>]*>([^<\d][^<]+)</text>", render(view, "svg"))


def test_text_has_the_sketch_and_the_prompt() -> None:
    match = played("axes-and-allies", 3, 0)
    text = render(match.view(0))
    assert "Player 1" in text
    assert match.view(0).prompt() in text
    ended = played("axes-and-allies", 3, 3000)
    assert ended.game.words.ending(ended.state)[1] in render(ended.view(0))


def test_pictures_speak_the_current_language() -> None:
    match = played("axes-and-allies", 3, 0)
    english = render(match.view(0), "svg")
    speak("de")
    try:
        assert render(match.view(0), "svg") != english
    finally:
        speak("en")


def test_names_are_escaped() -> None:
    match = game("viking-axes").match(players=2, seed="x", seats=['<b>&"', "Łukasz"])
    ET.fromstring(render(match.view(0), "svg"))  # noqa: S314 - we have made it
    assert "&lt;b&gt;&amp;" in render(match.view(0), "svg")


def test_a_bad_mode_theme_or_width_is_refused() -> None:
    view = played("axes-and-allies", 2, 0).view(0)
    cases: tuple[dict[str, Any], ...] = ({"mode": "human"}, {"mode": "svg", "theme": "blue"}, {"mode": "rgb_array", "width": 0})
    for arguments in cases:
        with pytest.raises(BadSetup):
            render(view, **arguments)


def test_pixels_without_pillow_name_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["meadhall.envs.render"], "find_spec", lambda name: None if name == "PIL" else name)
    with pytest.raises(NoPixels, match=f"Pillow.*{re.escape(how_to_install('envs'))}"):
        render(played("axes-and-allies", 2, 0).view(0), "rgb_array")
