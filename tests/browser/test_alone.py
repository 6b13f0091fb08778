from __future__ import annotations

from browser.people import NewPerson
from browser.table import play_now


def test_a_match_against_bots_starts_with_two_clicks(new_person: NewPerson) -> None:
    table = play_now(new_person())
    table.play_on()
    assert table.headline.startswith(("You win", "You lost"))
