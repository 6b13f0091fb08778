from __future__ import annotations

from browser.people import Come
from browser.table import play_now


def test_a_guest_plays_a_match_against_bots_from_two_clicks(come: Come) -> None:
    table = play_now(come())
    table.play_on()
    assert "wins" in table.headline
