"""Hoard with named coins. The names are those of ``coins.toml`` or of an uploaded document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from games_for_tests import hoard
from games_for_tests.hoard import words as plain
from games_for_tests.hoard.rules import CARDS, State
from meadhall.sdk import PUBLIC, Document, Event as GameEvent, EventKind, Part, named

METALS = ("copper", "silver", "gold")


class Coin(msgspec.Struct, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=20)]
    metal: Literal["copper", "silver", "gold"]


class Coins(msgspec.Struct, forbid_unknown_fields=True):
    coin: list[Coin]
    schema: Any = 1
    mint: Any = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(coin.name for coin in self.coin)


def objections(coins: Coins) -> Iterator[tuple[str, str]]:
    if coins.schema != 1:
        yield "$.schema", f"1 is needed, not {coins.schema}"
    if len(coins.coin) != CARDS:
        yield f"$.coin[{len(coins.coin) - 1}]", f"{CARDS} coins are needed, not {len(coins.coin)}"
    for index, name in enumerate(coins.names):
        if name in coins.names[:index]:
            yield f"$.coin[{index}].name", f"{name} is there twice"


def codes(coins: Coins) -> tuple[int, ...]:
    return tuple(METALS.index(coin.metal) for coin in coins.coin)


class Words:
    """The words of Hoard with the names of these coins."""

    prompt = staticmethod(plain.prompt)
    ending = staticmethod(plain.ending)

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = ("unknown", *names)
        card = named(*self.names)
        self.events: dict[int, EventKind] = {
            kind: replace(each, arguments=tuple(card if argument is plain.card else argument for argument in each.arguments))
            for kind, each in plain.EVENTS.items()
        }

    def event(self, event: GameEvent, names: Sequence[str], viewer: int = PUBLIC, part: Part = Part.LINE) -> str:
        return self.events[event.kind].in_words(event.arguments, names, viewer, part)

    def action(self, state: State, action: int, names: Sequence[str]) -> str:
        return f"play {self.names[action + 1]}" if action < CARDS else plain.action(state, action, names)

    def refusal(self, state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
        rule, why = plain.refusal(state, action, names)
        return rule, f"You don't have {self.names[action + 1]}." if action < CARDS and rule else why


FILE = Path(__file__).with_name("coins.toml")
COINS = Document("coins", "The names of the coins.", FILE, Coins, objections, codes, title="Coins")

_words = cache(Words)


def edition(options: Mapping[str, Any]) -> tuple[Words, dict[int, EventKind]]:
    words = _words(COINS.of(options["coins"]).names)
    return words, words.events


def facts(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    chosen = COINS.of(options["coins"])
    return [("Coins", ", ".join(chosen.names)), ("Metals", ", ".join(METALS[code] for code in codes(chosen)))]


BUILT_IN = edition({"coins": COINS.default})

game = replace(
    hoard.game,
    name="coins",
    title="Coins",
    options=(*hoard.game.options, COINS),
    words=BUILT_IN[0],
    events=BUILT_IN[1],
    edition=edition,
    facts=facts,
)
