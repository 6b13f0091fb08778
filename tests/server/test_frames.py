"""Frames of a table: rendered once per version, seat and language."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from html import unescape

import pytest
from jinja2 import Environment
from markupsafe import Markup

from meadhall.engine.registry import game
from meadhall.engine.state.events import PUBLIC, Event, Part
from meadhall.engine.text.language import speaking
from meadhall.pictures.regions import Drawing
from meadhall.server.hall.room import Room
from meadhall.server.pages.frames import Frames
from meadhall.server.pages.models import MatchPage, Refusal
from meadhall.server.pages.regions import Frame, message
from meadhall.server.pages.templates import environment
from meadhall.server.store.models import Guest
from meadhall.server.web.links import Outside
from server.people import AXES, HOARD, OpenHall

FRAMES = Frames()

pytestmark = pytest.mark.asyncio(loop_scope="module")

OUTSIDE = Outside("http://hall.test")
SPECTATOR = Guest("x", "Spectator")


def player(room: Room, seat: int) -> Guest:
    """Return the guest on a seat."""
    (id,) = room.table.seats[seat].guests
    return Guest(id, room.table.seats[seat].name)


async def test_a_frame_is_drawn_once_for_a_version(hall: OpenHall) -> None:
    _host, _friend, room = await hall.two_at(HOARD)
    for guest in (player(room, 0), player(room, 1), SPECTATOR):
        first = FRAMES.frame(room, guest, OUTSIDE)
        assert FRAMES.frame(room, guest, OUTSIDE) is first
        room.publish()
        again = FRAMES.frame(room, guest, OUTSIDE)
        assert again.html == str(first.html).replace(f'data-version="{first.version}"', f'data-version="{again.version}"')
        assert json.loads(message(first, again)) == {"was": first.version, "version": again.version, "regions": {}}


async def test_equal_values_are_not_drawn_again_and_an_equal_drawing_is_no_news() -> None:
    drawing, drawn = Drawing(), list[int]()

    def draw() -> str:
        drawn.append(1)
        return '<p id="p">…</p>'

    first = drawing.region("p", (1, "a"), draw)
    assert drawing.region("p", (1, "a"), draw) is first
    assert len(drawn) == 1
    assert drawing.region("p", (2, "b"), draw) is first
    assert len(drawn) == 2


async def test_all_frames_have_the_same_public_part(hall: OpenHall) -> None:
    _host, _friend, room = await hall.two_at(HOARD)
    frames = [FRAMES.frame(room, guest, OUTSIDE).html for guest in (player(room, 0), player(room, 1), SPECTATOR)]
    public = {html.partition('<section id="board"')[2].partition('<details id="log"')[0] for html in frames}
    assert len(public) == 1


def log_of(html: str) -> str:
    """Return the words of the log."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html.partition('<details id="log"')[2])).split())


async def test_the_log_calls_its_reader_you_and_everyone_else_by_name(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(AXES)
    match = room.match
    assert match is not None
    actor = match.actor
    assert actor is not None
    other = 1 - actor
    await (host, friend)[actor].act(room.table.id, match.legal()[0].action)
    names = [row.name for row in room.table.seats]
    logs = [log_of(FRAMES.frame(room, guest, OUTSIDE).html) for guest in (player(room, actor), player(room, other), SPECTATOR)]
    assert f"You attack {names[other]}" in logs[0]
    assert "Your turn : power" in logs[0]
    assert names[actor] not in logs[0]
    assert f"{names[actor]} attacks you" in logs[1]
    assert "attack on you" in logs[1]
    assert f"{names[actor]} attacks {names[other]}" in logs[2]
    assert not {"you", "You", "your", "Your"} & set(logs[2].split())


async def test_the_log_of_a_seat_has_the_same_events_as_a_spectators(hall: OpenHall) -> None:
    room = await hall.played_out(HOARD)
    lines = [
        re.findall(r'id="log-(\d+)"', FRAMES.frame(room, guest, OUTSIDE).html)
        for guest in (player(room, 0), player(room, 1), SPECTATOR)
    ]
    assert lines[0] == lines[1] == lines[2]


async def test_each_event_is_told_once_for_each_wording(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    host, friend, room = await hall.two_at(AXES)
    told: Counter[tuple[int, int, Part]] = Counter()  # by the identity of the event: equal ones happen again
    tell = game(AXES).words.event

    def counted(event: Event, names: Sequence[str], viewer: int = PUBLIC, part: Part = Part.LINE) -> str:
        told[id(event), viewer, part] += 1
        return tell(event, names, viewer, part)

    shown: dict[str, Frame] = {}

    def draw() -> None:
        for guest in (player(room, 0), player(room, 1), SPECTATOR, player(room, 0)):
            frame = FRAMES.frame(room, guest, OUTSIDE)
            if guest.id in shown:
                message(shown[guest.id], frame)
            shown[guest.id] = frame

    draw()
    monkeypatch.setattr(game(AXES).words, "event", counted)
    for _ in range(3):
        match = room.match
        assert match is not None
        if match.actor is not None:
            await (host, friend)[match.actor].act(room.table.id, match.legal()[-1].action)
            draw()
    assert told
    assert set(told.values()) == {1}


async def test_every_language_has_its_frames(hall: OpenHall) -> None:
    _host, _friend, room = await hall.two_at(HOARD)
    assert "You are watching." in FRAMES.frame(room, SPECTATOR, OUTSIDE).html
    with speaking("de"):
        assert "Du schaust zu." in FRAMES.frame(room, SPECTATOR, OUTSIDE).html
    assert "You are watching." in FRAMES.frame(room, SPECTATOR, OUTSIDE).html


async def test_a_refusal_is_shown_once(hall: OpenHall) -> None:
    _host, _friend, room = await hall.two_at(HOARD)
    refused = FRAMES.frame(room, player(room, 0), OUTSIDE, Refusal("", "Not like this."))
    assert "Not like this." in refused.html
    assert isinstance(refused.page, MatchPage)
    assert "Not like this." not in FRAMES.frame(room, player(room, 0), OUTSIDE).html


async def test_a_frame_before_the_match_is_the_lobby(hall: OpenHall) -> None:
    room = await hall.room(await hall.person().open())
    frame = FRAMES.frame(room, SPECTATOR, OUTSIDE, Refusal("", "Not yet."))
    assert isinstance(frame.page, dict)
    assert frame.html.lstrip().startswith('<div id="frame" class="frame lobby')
    assert "Not yet." in frame.html
    assert f"{OUTSIDE.url}/tables/{room.table.id}" in frame.html


# --------------------------------------------------------------------------------------------------------------------- templates


TEMPLATE = """
{% macro button(text, class="", key=none) %}
<b class="{{ class }}"{% if key %} data-key="{{ key }}"{% endif %}>{{ text }}{{ caller() }}</b>
{% endmacro %}
{% macro plain(text, more="…") %}<i>{{ text }}{{ more }}</i>{% endmacro %}
{% macro any() %}{{ varargs | join("+") }}{{ kwargs.get("class") }}{% endmacro %}
{% for each in values %}
{{ plain(each) }}{{ plain(each, more=each) }}{{ plain(*[each, loop.index]) }}{{ any(each, 2, **{"class": each}) }}
{% call button(each, class="strong", key=loop.index) %}
{% set kept %}{{ each }}{% endset %}{{ plain(each) }}{{ kept }}{{ each ~ "<" }}
{% endcall %}
{% endfor %}
{{ range(3) | list }}{{ dict(a=1).get("a") }}
"""


async def test_templates_render_what_jinja_renders_without_the_shorter_code() -> None:
    usual = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    values = ("<a href='x'>", 'a & "b"', "plain", Markup("<u>"), 7, True, None, 1.5, ["<"], "ß…")
    assert (
        environment().from_string(TEMPLATE).render(values=values).split()
        == usual.from_string(TEMPLATE).render(values=values).split()
    )
