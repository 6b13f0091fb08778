"""Broken variants of Hoard. Each breaks one law of ``check_game``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Annotated, Any

import numpy as np

from games_for_tests.hoard import game as hoard, rules, words
from games_for_tests.hoard.rules import BOAST, CARDS, DRAW, LOOK, SEATS, SIDES, TOGETHER, UNKNOWN, Event, State
from meadhall.sdk import (
    Daily,
    Elements,
    EventKind,
    Figure,
    Figures,
    Game,
    Grid,
    Lesson,
    Lessons,
    Part,
    Row,
    append_argument,
    below,
    emit,
    number,
    record,
    rule,
    shuffle,
)

RULES = {name: getattr(rules, name) for name in ("setup", "legal", "play", "conceal", "redeal", "score")}
WORDS = {name: getattr(words, name) for name in ("action", "event", "refusal", "prompt", "ending")}


@dataclass(frozen=True)
class Broken:
    """A game, the law that it breaks, and a part of the expected error message."""

    game: Game
    law: str
    message: str


BROKEN: dict[str, Broken] = {}


def broken(law: str, message: str, parts: dict[str, Any] | None = None, **changes: Any) -> Callable[[Any], Any]:
    """Register Hoard with one function replaced. The last word of the decorated function's name is the replaced one's name."""

    def register(function: Any) -> Any:
        name = function.__name__.replace("_", "-")
        part = function.__name__.rpartition("_")[2]
        add(law, message, name, {part: function, **(parts or {})}, **changes)
        return function

    return register


class Words(SimpleNamespace):
    """A namespace that hashes by identity, as a module does."""

    __hash__ = object.__hash__  # type: ignore[assignment]  # SimpleNamespace has none


def add(law: str, message: str, name: str, parts: dict[str, Any], **changes: Any) -> None:
    own_rules = {part: function for part, function in parts.items() if part in RULES}
    own_words = {part: function for part, function in parts.items() if part in WORDS}
    others = {part: function for part, function in parts.items() if part not in RULES and part not in WORDS}
    game = replace(
        hoard,
        name=f"broken-{name}",
        rules=SimpleNamespace(**{**RULES, **own_rules}) if own_rules else rules,
        words=Words(**{**WORDS, **own_words}) if own_words else words,
        **{**others, **changes},
    )
    BROKEN[name] = Broken(game, law, message)


# ------------------------------------------------------------------------------------------- the declaration, and the names

add("kind", "doesn't declare who has the first turn", "orderless", {}, elements=Elements())
add("kind", "which the game declares for the first order, was not told", "silent-order", {}, elements=Elements(first_order=99))


@broken("compile", "`state.turnz += 1`: the state has no field turnz; did you mean turns?")
@rule
def misspelt_field_play(state: Any, action: int, log: Grid) -> None:
    rules.play(state, action, log)
    state.turnz += 1


@rule
def read_wrongly(position: Any) -> Any:
    return position.turms + 1


@broken("compile", "`return position.turms + 1`: the state has no field turms; did you mean turns?")
@rule
def misspelt_field_elsewhere_score(state: State, out: Any) -> None:
    if read_wrongly(state):
        rules.score(state, out)


@broken("compile", "there is no CARTS; did you mean CARDS?")
@rule
def misspelt_name_legal(state: State, out: Row) -> Any:
    return rules.legal(state, out) + (CARTS - CARDS)  # type: ignore[name-defined]  # noqa: F821


# ------------------------------------------------------------------------------------------------------------- legal lists


@broken("legal", "not in ascending order")
@rule
def descending_legal(state: State, out: Row) -> int:
    count = rules.legal(state, out)
    for k in range(count // 2):
        kept = out[k]
        out[k] = out[count - 1 - k]
        out[count - 1 - k] = kept
    return count


@broken("refusal", "is illegal, but the refusal has no text")
@rule
def too_narrow_legal(state: State, out: Row) -> int:
    kept = 0
    for k in range(rules.legal(state, out)):
        if out[k] != DRAW:
            out[kept] = out[k]
            kept += 1
    return kept


@broken("legal", "is legal, but `refusal` returns")
@rule
def too_wide_legal(state: State, out: Row) -> int:
    count = rules.legal(state, out)
    if state.boasted:
        out[count] = BOAST
        count += 1
    return count


@broken("legal", "but from the actor's concealed state")
@rule
def all_seeing_legal(state: State, out: Row) -> int:
    count = rules.legal(state, out)
    following = (state.actor + 1) % state.players
    return count - 1 if count > 1 and state.hand[following, 0] > CARDS // 2 else count


@broken("legal", "has no legal action")
@rule
def empty_legal(state: State, out: Row) -> int:
    return 0 if state.turns > 0 else rules.legal(state, out)


@broken("legal", "changed the state")
@rule
def writing_legal(state: State, out: Row) -> int:
    state.turns += 1
    return rules.legal(state, out)


@broken("legal", "outside 0 to")
@rule
def outside_legal(state: State, out: Row) -> int:
    count = rules.legal(state, out)
    out[count] = rules.ACTIONS
    return count + 1


# ---------------------------------------------------------------------------------------------------------------- refusals


@broken("refusal", "which the rulebook lacks")
def unknown_rule_refusal(state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
    rule_id, why = words.refusal(state, action, names)
    return ("HO-9.9" if rule_id else ""), why


@broken("refusal", "the refusal has no text")
def wordless_refusal(state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
    return words.refusal(state, action, names)[0], ""


# --------------------------------------------------------------------------------------------------- concealing, redealing


@rule
def conceal_deck(state: State, seat: int) -> None:
    for k in range(state.left):
        if k < state.left - 1 or seat < 0 or not state.looked[max(seat, 0)]:
            state.deck[k] = UNKNOWN


@rule
def conceal_hands(state: State, seat: int) -> None:
    for other in range(state.players):
        if other != seat:
            for k in range(state.cards[other]):
                state.hand[other, k] = UNKNOWN


@broken("knowledge", "hand")
@rule
def open_hands_conceal(state: State, seat: int) -> None:
    conceal_deck(state, seat)


@broken("knowledge", "is hidden, but redeals for viewer")
@rule
def open_deck_conceal(state: State, seat: int) -> None:
    conceal_hands(state, seat)


@broken("knowledge", "that no event reports")
@rule
def new_cards_shown_conceal(state: State, seat: int) -> None:
    conceal_deck(state, seat)
    for other in range(state.players):
        if other != seat:
            for k in range(min(state.cards[other], 2)):
                state.hand[other, k] = UNKNOWN


@broken("conceal", "concealing twice")
@rule
def counting_conceal(state: State, seat: int) -> None:
    rules.conceal(state, seat)
    state.turns += 1


@broken("conceal", "changes `reveals`")
@rule
def rewriting_conceal(state: State, seat: int) -> None:
    rules.conceal(state, seat)
    state.reveals = 0


@broken("conceal", "concealing again changes fields: hand")
@rule
def own_hand_redeal(state: State, seat: int) -> None:
    rules.redeal(state, seat)
    if seat >= 0 and state.cards[seat] > 1:
        kept = state.hand[seat, 0]
        state.hand[seat, 0] = state.hand[seat, 1]
        state.hand[seat, 1] = kept


@broken("conceal", "concealing again changes fields: deck")
@rule
def forgetful_redeal(state: State, seat: int) -> None:
    rules.redeal(state, seat)
    shuffle(state.rng, state.deck, state.left)


@record
class Remembering(State):
    """A state whose setup copies the hands to a field that `conceal` doesn't conceal."""

    memory: Annotated[Grid, np.int8, SEATS, CARDS]


@rule
def remember(state: Remembering, players: int, options: Any, log: Grid) -> None:
    rules.setup(state, players, options, log)
    for seat in range(SEATS):
        for k in range(CARDS):
            state.memory[seat, k] = state.hand[seat, k]


@broken("redeal", "equal the true `hand` more often", {"setup": remember}, state=Remembering)
@rule
def truth_revealing_redeal(state: Remembering, seat: int) -> None:
    if state.turns == 0 and below(state.rng, 2) == 0:
        for other in range(state.players):
            for k in range(state.cards[other]):
                state.hand[other, k] = state.memory[other, k]
    rules.redeal(state, seat)


# ------------------------------------------------------------------------------------------------------------------ events


@broken("knowledge", "about `hand`, but their redeals don't keep it")
@rule
def openly_dealing_setup(state: State, players: int, options: Any, log: Grid) -> None:
    rules.setup(state, players, options, log)
    for k in range(state.cards[0]):
        emit(log, Event.DEALT, 0, state.hand[0, k])


@broken("knowledge", "reveals something to viewer -1")
@rule
def hidden_card_revealing_play(state: State, action: int, log: Grid) -> None:
    seat = state.actor
    held = state.cards[seat]
    rules.play(state, action, log)
    if action == DRAW and state.cards[seat] > held:
        emit(log, Event.GOT, state.hand[seat, held])


@broken("knowledge", "`reveals` has not risen")
@rule
def peeking_for_free_play(state: State, action: int, log: Grid) -> None:
    before = state.reveals
    rules.play(state, action, log)
    if action == LOOK:
        state.reveals = before


@broken("knowledge", "that it was legal")
@rule
def showing_a_card_for_free_play(state: State, action: int, log: Grid) -> None:
    before = state.reveals
    rules.play(state, action, log)
    if action < DRAW:
        state.reveals = before


@broken("reveals", "random numbers were drawn")
@rule
def rolling_play(state: State, action: int, log: Grid) -> None:
    rules.play(state, action, log)
    if action == BOAST:
        below(state.rng, 6)


@broken("reveals", "`reveals` fell")
@rule
def hiding_play(state: State, action: int, log: Grid) -> None:
    rules.play(state, action, log)
    if action == BOAST:
        state.reveals -= 1


@broken("events", "of kind 99, which the game doesn't declare")
@rule
def undeclared_play(state: State, action: int, log: Grid) -> None:
    rules.play(state, action, log)
    emit(log, 99)


@broken("events", "the event boasted has 7 arguments; an event has at most 6")
@rule
def endlessly_talkative_play(state: State, action: int, log: Grid) -> None:
    rules.play(state, action, log)
    if action == BOAST:
        emit(log, Event.BOASTED, 0)
        for k in range(6):
            append_argument(log, k)


@broken("legal", "IndexError")
@rule
def overflowing_play(state: State, action: int, log: Grid) -> None:
    rules.play(state, action, log)
    state.pile[state.turns] += 1


@broken("events", "should have 1 arguments")
@rule
def talkative_play(state: State, action: int, log: Grid) -> None:
    rules.play(state, action, log)
    if action == BOAST:
        emit(log, Event.BOASTED, 0, 1, 2)


def with_event(kind: EventKind) -> dict[str, Any]:
    return {"events": {**words.EVENTS, Event.BOASTED: kind}}


add("events", "which the rulebook lacks", "unruly-event", {}, **with_event(EventKind("boasted", (number,), "HO-9.9", "{0}")))
add("events", "declared without folder=", "folderless", {}, folder=None)
add(
    "events",
    "can't be written as JSON",
    "unwritable-event",
    {},
    **with_event(EventKind("boasted", ((lambda value: (value,)),), "HO-2.4", "")),
)
add("events", "ValueError", "misnamed-event", {}, **with_event(EventKind("boasted", (("few", "many").index,), "HO-2.4", "")))
BROKEN["misnamed-event"] = replace(BROKEN["misnamed-event"], law="legal")


@broken("events", "has no text")
def wordless_event(event: Any, names: Sequence[str], viewer: int, part: Part = Part.LINE) -> str:
    return ""


@broken("step", "without a log")
@rule
def log_dependent_play(state: State, action: int, log: Grid) -> None:
    rules.play(state, action, log)
    if log.shape[0] > 0:
        state.turns += 1


@broken("step", "`actor` is 9")
@rule
def missing_actor_play(state: State, action: int, log: Grid) -> None:
    rules.play(state, action, log)
    state.actor = 9


@broken("setup", "`players` is")
@rule
def too_few_players_setup(state: State, players: int, options: Any, log: Grid) -> None:
    rules.setup(state, players, options, log)
    state.players = 1


# -------------------------------------------------------------------------------------------------- words, scores, endings


@broken("words", "has no text")
def wordless_action(state: State, action: int, names: Sequence[str]) -> str:
    return " "


@broken("words", "is empty")
def wordless_prompt(state: State, names: Sequence[str], viewer: int) -> str:
    return ""


@broken("end", "which the rulebook lacks")
def unruly_ending(state: State) -> tuple[str, str]:
    return "HO-9.9", "over"


@broken("end", "the ending of the match has no text")
def wordless_ending(state: State) -> tuple[str, str]:
    return "HO-3.1", ""


@broken("scores", "declared as rivals")
@rule
def generous_score(state: State, out: Any) -> None:
    for seat in range(state.players):
        out[seat] = 1.0


@broken("scores", "declared as together")
@rule
def unequal_score(state: State, out: Any) -> None:
    rules.score(state, out)
    if state.mode == TOGETHER:
        out[0] = 1.0
        out[1] = 0.0


@broken("scores", "declared as sides")
@rule
def sideless_score(state: State, out: Any) -> None:
    rules.score(state, out)
    if state.mode == SIDES:
        for seat in range(state.players):
            out[seat] = 1.0


def numpy_points(state: State, options: Any) -> Any:
    return tuple(np.array([1, 2, 3, 4])[: state.players])


def too_many_points(state: State, options: Any) -> Any:
    return (1,) * 9


add("records", "TypeError", "numpy-points", {}, points=numpy_points)
add("scores", "points", "too-many-points", {}, points=too_many_points)


@broken("greedy", "greedy chooses")
@rule
def cheating_greedy(state: State, legal: Row, count: int, rng: Row) -> int:
    return LOOK if state.left > 0 else BOAST


@broken("termination", "has not ended")
@rule
def endless_play(state: State, action: int, log: Grid) -> None:
    state.boasted = not state.boasted
    state.reveals += 1
    emit(log, Event.BOASTED, state.actor)


# ------------------------------------------------------------------------------------------------------------------- lessons


add("kind", "declared without chance", "chance-denied", {}, chance=False)
add("kind", "declared with perfect information", "hiding-denied", {}, information="perfect")
add("termination", "declared with at most 2", "length-denied", {}, max_length=2)


def add_lessons(name: str, message: str, *lessons: Lesson) -> None:
    all_lessons = Lessons(
        seed="lessons", players=("Ada", "Bo"), lessons=(Lesson("Draw.", action=DRAW), *lessons, Lesson("Well done."))
    )
    add("lessons", message, name, {}, lessons=all_lessons)


add_lessons("illegal-lesson", "IllegalAction", Lesson("Boast twice.", before=(DRAW, BOAST), action=BOAST))
add_lessons("foreign-lesson", "not the learner's turn", Lesson("Draw again.", action=DRAW))
add_lessons("ruleless-lesson", "lesson 2 cites rule 'XX-9.9'", Lesson("Cards have values.", rule="XX-9.9"))
add_lessons("wordless-lesson", "lesson 2 has no words", Lesson(" "))
add(
    "lessons",
    "the last lesson asks for an action",
    "unfinished-lessons",
    {},
    lessons=Lessons(seed="lessons", players=("Ada", "Bo"), lessons=(Lesson("Draw.", action=DRAW),)),
)


# --------------------------------------------------------------------------------------------------------- the puzzle of the day


def add_daily(name: str, message: str, figures: tuple[Figure, ...], measure: Callable[[Any], Figures], **changes: Any) -> None:
    daily = Daily("Lay out coins.", figures, measure, lambda measured: tuple(measured.values()), {"mode": "together"})
    add("daily", message, name, {}, daily=daily, **{"min_players": 1, **changes})


def coins(match: Any) -> Figures:
    return {"coins": int(match.state.pile[0])}


add_daily("crowded-daily", "BadSetup", (Figure("coins", "Coins"),), coins, min_players=2)
add_daily("unnamed-daily", "measures ['coins']", (Figure("cards", "Cards"),), coins)
add_daily("boundless-daily", "its maximum is 3", (Figure("coins", "Coins", most=3),), coins)
add_daily("numpy-daily", "not an integer", (Figure("coins", "Coins"),), lambda match: {"coins": match.states["pile"][0, 0]})
