"""The pictures of the documentation: matches of fixed seeds and decisions, on the pages that a reader would see.

All matches of the hall for them, ``pictured_hall.py``, have one seed.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, Final

from playwright.sync_api import Browser, Page

from browser.devices import PHONE
from browser.people import Person
from browser.table import open_table
from meadhall import Game
from meadhall.engine.registry import game
from meadhall.engine.state import chance
from meadhall.server.store.models import COLOURS, SIGNS

FOLDER: Final = Path(__file__).parents[2] / "docs" / "screenshots"
HALL: Final = Path(__file__).with_name("pictured_hall.py")
SEED: Final = chance.seed_from_text("pictures of the documentation")
NAMES: Final = ("Astrid", "Bjorn", "Freydis", "Ivar")


@dataclass(frozen=True)
class Picture:
    """A picture: the table of a game after some random decisions, as the player to move sees it.

    Attributes:
        game: its title.
        players: number of people at the table.
        decisions: number of decisions before the picture.
        device: options of the browser.
    """

    game: str
    players: int
    decisions: int
    device: dict[str, Any]

    @property
    def name(self) -> str:
        """The name of the game, and of the file."""
        return self.game.lower().replace(" ", "-")

    @property
    def file(self) -> Path:
        return FOLDER / f"{self.name}.png"


DESKTOP: Final[dict[str, Any]] = {"viewport": {"width": 1440, "height": 900}}

PICTURES: Final = (
    Picture("Dungeon Allies", 4, 30, DESKTOP),
    Picture("Axes and Allies", 4, 5, PHONE | {"device_scale_factor": 1}),
    Picture("Pig", 3, 41, DESKTOP),
)


def playable(picture: Picture) -> Game:
    """Return the game of a picture, also the example, which is not installed here."""
    example = HALL.parents[2] / "examples" / picture.name / "src"
    if not example.exists():
        return game(picture.name)
    if str(example) not in sys.path:
        sys.path.append(str(example))
    found: Game = import_module(picture.name).game
    return found


def drawn(browser: Browser, url: str, picture: Picture) -> Page:
    """Play the match of a picture in the hall at ``url``, and return its page, as the player to move sees it."""
    people = [Person(browser, url, color_scheme="light", **picture.device) for _ in range(picture.players)]
    for person, name, sign, colour in zip(people, NAMES, SIGNS, COLOURS, strict=False):
        person.ask("/settings", name=name, sign=sign, colour=colour)
    tables = open_table(*people, game=picture.game)
    match = playable(picture).match(players=picture.players, seed=SEED)
    draw = Random(picture.game)
    for _ in range(picture.decisions):
        assert match.actor is not None
        seat, action = match.actor, int(draw.choice(match.legal()))
        people[seat].ask(f"{tables[seat].path}/act", action=action)
        match.play(action)
    assert match.actor is not None
    table = tables[match.actor]
    table.page.reload()
    table.wait_for_game()
    assert table.my_turn
    table.page.evaluate("() => document.fonts.ready")
    for person in people:
        if person.page is not table.page:
            person.leave()
    return table.page
