"""Game: the declaration of a game.

A game is a package that defines one ``Game`` and names it in the entry-point group ``meadhall.games``; no other file has to
change. Its rules are plain functions on its state (see ``GameRules``); its texts are in a module of words (see ``GameWords``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt

from meadhall.engine.checks import as_integer, quoted
from meadhall.engine.errors import BadGame, BadSetup
from meadhall.engine.interface import (
    GameRules,
    GameWords,
    NoEvents,
    check_name,
    check_rules,
    complete_words,
    conceals,
    own_words,
    title_of,
)
from meadhall.engine.kind import SHARES, Declared, Information, Kind, Parties, PayoffRange, Payoffs, declared
from meadhall.engine.options import Choice as Choice, Document as Document, HouseRule, Option
from meadhall.engine.report_terms import Elements
from meadhall.engine.search_settings import Advice, Solver
from meadhall.engine.state.events import EventKind
from meadhall.engine.state.schema import S
from meadhall.engine.statistics import NOTHING, Statistics
from meadhall.engine.text.language import gettext
from meadhall.engine.text.lessons import Daily, Lessons


class Scoring(Enum):
    """How the seats compete, which determines the sum of the payoffs."""

    RIVALS = "rivals"  # each seat for itself: the payoffs sum to 1
    TOGETHER = "together"  # cooperative: all payoffs are 1 or all are 0
    SIDES = "sides"  # two sides, whose seats alternate, or ``Game.sides``: the payoffs of one member of each side sum to 1
    POINTS = "points"  # points or chips within ``Game.payoffs``: more is better, and the seats with the most win

    @property
    def is_shared(self) -> bool:
        """Return whether payoffs are shares of a win, 0 to 1."""
        return self is not Scoring.POINTS


class GamePage(Protocol):
    """The module that turns a view into the values that the game's ``page.html`` draws.

    If a step is not shown for the sum of the ``beats`` of its events, the module also has ``beats(view)``. It returns how many
    beats the last step takes, and must depend on nothing but a spectator's view.

    If a waiting seat can choose its next action ahead, the module also has ``ahead(view)``. It returns those actions with their
    words, in the current language: ``{3: "attack Gorm"}``. They should be actions that nothing hidden can change. What isn't
    legal when the seat's decision begins is dropped.
    """

    def picture(self, view: Any) -> Any:
        """Return the values of the board, from a spectator's view (in a replay also from a seat's view)."""

    def own(self, view: Any) -> Hashable:
        """Return the values of a seat's private part: its hand and its controls.

        While the seat waits, equal values must mean an equal picture, because the server compares them before it redraws.
        """

    def offered(self, view: Any) -> Iterable[int]:
        """Return the actions that ``page.choices`` has for the seat to move, in this order.

        Illegal ones that deserve an explanation come with the reason against them. A legal one that is left out needs another
        control, for example a list made from ``own``.
        """


BEAT_SECONDS = 0.28
"""The length of a beat of a board's animation at normal speed (``--step`` in the styles)."""


@runtime_checkable
class ComponentsPage(Protocol):
    """The functions that the page module adds if options change the components. The rulebook then lists those in use."""

    def components(self, options: Mapping[str, Any]) -> Any:
        """Return the components of a match with these options, for the figures of the rulebook."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Game(Generic[S]):
    """The declaration of a game. ``PlayableGame`` adds how its matches start.

    An edition (see ``edition``) of a match is a second declaration with other words.

    A game needs ``name``, ``state``, ``actions`` and, of its rules, ``setup``, ``legal``, ``play`` and ``score``. Everything else
    has a default. Raises BadGame if a part is missing, or if parts contradict each other.

    A game doesn't change, so a copy is the game itself. A pickle contains its name, version and, for an edition, the options;
    only a registered game can be pickled.

    Attributes:
        name: its name in records and addresses, e.g. ``"viking-axes"``.
        title: its name for people; by default made from its name.
        tagline: a sentence that describes it.
        version: the version of its rules. It rises with every change that could change a replay.
        min_players: the smallest number of players.
        max_players: the largest number of players; by default the smallest.
        actions: size of the action space; an action is an integer from 0 to ``actions - 1``.
        state: the class of its states.
        rules: the rule functions (usually a module).
        words: its texts (usually a module); missing functions get defaults.
        events: every kind of event by its number. The log of a game without events tells the actions.
        folder: the folder of its templates, rulebook and catalogues; None if it has none.
        page: the functions behind its page (usually its module ``page``); None for a page made from its words.
        options: the options of a match.
        greedy: the heuristic player, a rule ``greedy(state, legal, count, rng) -> action``. ``state`` is concealed for its actor,
            ``legal[:count]`` are the legal actions, ``rng`` is a generator of two words for the player's own draws. None if there
            is no heuristic player.
        advice: parameters and rules for a search.
        recall: ``recall(before, action, after)`` marks in ``before`` what players saw in an action that is undone. None if the
            game forgets it, or has nothing to remember.
        solver: solves the decisions that can be solved exactly; None if there is no solver.
        scoring: how the seats compete, or a function of the options that returns it.
        payoffs: the range of the payoffs if the scoring is ``POINTS``. It may depend on players and options.
        sides: ``sides(players, options, state)`` returns the seats that win together, one tuple for each side, for example
            ``((0,), (1, 2))``. With ``state`` None it returns None if these options let the sides be decided in play. Otherwise
            ``state`` is a position, which may be concealed: a seat is alone while its side isn't decided or not known. By default
            the scoring says which seats win together.
        points: ``points(state, options)`` returns every seat's points in a finished state, or None if the game counts no points
            with these options.
        places: ``places(match)`` returns every seat's place in a finished match, 1 for the winners; None if the points rank the
            players, or nothing does.
        is_out: ``is_out(state, seat)`` returns whether the player on a seat has dropped out and can't win any more; None if no
            player drops out before the end.
        objection: ``objection(players, options)`` returns why they don't go together, "" if they do.
        edition: ``edition(options)`` returns the words and the kinds of events of a match, for a game whose options change the
            names of things. The game with these is called an edition.
        facts: ``facts(options)`` returns what players should know before a match with these options, in the current language:
            pairs of a heading and a value, with the same headings for all options. None if the options say it all.
        warnings: ``warnings(options)`` returns values of these checked options that the rules allow but that are hardly meant,
            in the current language: pairs of a place, the name of an option and the path in its document with dots between them
            (``"components.monster.3.red.target"``), and a sentence. None if the game never warns.
        statistics: the counters of simulations.
        elements: the kinds of actions and pieces, and what else reports of the laboratory name.
        lessons: the guided first game; None if there is none.
        daily: the puzzle of the day; None if the game has none.
        goal: the goal of a player in one sentence, which a match opens with; a message for gettext, or a function of the
            options that returns it; "" for none.
        at_table: ``at_table(options)`` returns names that the rulebook of a table uses besides those of the options, each with
            what it stands for, in the current language: ``{"dice": "d4 and d6"}``. None if it uses none.
        usual_players: the number of seats that the hall offers first; None for four, or as many as the game allows.
        chance: whether chance decides anything, see ``Kind``. This and the next two may depend on players and options.
        information: ``"perfect"`` or ``"imperfect"``, see ``Kind``; None: imperfect if the rules have ``conceal``.
        max_length: an upper bound of the number of decisions of a match; None if there is none.
        origin: of an edition: its game and options; None for a game itself.
    """

    name: str
    title: str = ""
    tagline: str = ""
    version: int = 1
    min_players: int = 2
    max_players: int = 0
    actions: int
    state: type[S]
    rules: GameRules
    words: GameWords | ModuleType = None  # type: ignore[assignment]  # __post_init__ completes it
    events: dict[Any, EventKind] = field(default_factory=NoEvents)  # the keys are often an IntEnum
    folder: Path | None = None
    page: GamePage | None = None
    options: tuple[Option, ...] = ()
    greedy: Any = None
    advice: Advice = field(default_factory=Advice)
    recall: Callable[[Any, int, Any], None] | None = None
    solver: Solver | None = None
    scoring: Scoring | Callable[[Mapping[str, Any]], Scoring] = Scoring.RIVALS
    payoffs: Declared[PayoffRange] = SHARES
    sides: Callable[[int, Mapping[str, Any], Any], Parties | None] | None = None
    points: Callable[[Any, Mapping[str, Any]], tuple[int, ...] | None] | None = None
    places: Callable[[Any], tuple[int, ...]] | None = None
    is_out: Callable[[Any, int], bool] | None = None
    objection: Callable[[int, Mapping[str, Any]], str] | None = None
    edition: Callable[[Mapping[str, Any]], tuple[GameWords, dict[int, EventKind]]] | None = None
    facts: Callable[[Mapping[str, Any]], Sequence[tuple[str, str]]] | None = None
    warnings: Callable[[Mapping[str, Any]], Sequence[tuple[str, str]]] | None = None
    statistics: Statistics = NOTHING
    elements: Elements = field(default_factory=Elements)
    lessons: Lessons | None = None
    daily: Daily | None = None
    goal: str | Callable[[Mapping[str, Any]], str] = ""
    at_table: Callable[[Mapping[str, Any]], Mapping[str, str]] | None = None
    usual_players: int | None = None
    chance: Declared[bool] = True
    information: Declared[Information | None] = None
    max_length: Declared[int | None] = None
    origin: tuple[Game[S], Mapping[str, Any]] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        check_name(self.name)
        check_rules(self.name, self.rules)
        most = self.max_players or self.min_players
        if not 1 <= self.min_players <= most:
            raise BadGame(f"{self.name} is declared for {self.min_players} to {most} players")
        if self.actions < 1:
            raise BadGame(f"{self.name} is declared with {self.actions} actions; an action is an integer below that")
        kinds = self.events or NoEvents()
        parts = {
            "title": self.title or title_of(self.name),
            "max_players": most,
            "events": kinds,
            "words": complete_words(self.words, self.rules, self.actions, kinds),
        }
        for part, value in parts.items():
            object.__setattr__(self, part, value)

    def file(self, name: str) -> Path | None:
        """Return the path of a file in the game's folder, which may lack it; None if the game has no folder.

        Examples:
            >>> import meadhall
            >>> meadhall.game("axxa").file("rulebook.md").name
            'rulebook.md'
        """
        return None if self.folder is None else self.folder / name

    def goal_of(self, options: Mapping[str, Any]) -> str:
        """Return the goal of a player under the options of a match, in the current language.

        Examples:
            >>> import meadhall
            >>> match = meadhall.game("axes-and-allies").match(players=3, seed="mead")
            >>> match.game.goal_of(match.options)
            'Your goal: be the last one alive. Attack, or ally with a player until a one ends every alliance.'
        """
        return gettext(self.goal if isinstance(self.goal, str) else self.goal(options)) if self.goal else ""

    @property
    def default_players(self) -> int:
        """Return the number of seats that the hall offers first."""
        return self.usual_players if self.usual_players is not None else max(self.min_players, min(4, self.max_players))

    def __repr__(self) -> str:
        return f"<Game {self.name}: {self.title}, {self.min_players} to {self.max_players} players>"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        return self

    def scoring_of(self, options: Mapping[str, Any]) -> Scoring:
        """Return how the seats compete under these options.

        Examples:
            >>> import meadhall
            >>> axxa = meadhall.game("axxa")
            >>> axxa.scoring_of(axxa.check_options({"mode": "versus"}))
            <Scoring.SIDES: 'sides'>
        """
        return self.scoring if isinstance(self.scoring, Scoring) else self.scoring(options)

    def parties(self, players: int, options: Mapping[str, Any], state: Any = None) -> Parties:
        """Return the seats that win or lose together, as one tuple per party.

        Args:
            players: the number of players.
            options: the checked options.
            state: the position, for a game whose sides are decided in play. Without it, all seats of such a game are alone.

        Examples:
            >>> import meadhall
            >>> axxa = meadhall.game("axxa")
            >>> axxa.parties(4, axxa.check_options({"mode": "versus"}))
            ((0, 2), (1, 3))
        """
        if self.sides is not None:
            return self.sides(players, options, state) or tuple((seat,) for seat in range(players))
        count = {Scoring.TOGETHER: 1, Scoring.SIDES: 2}.get(self.scoring_of(options), players)
        return tuple(tuple(range(first, players, count)) for first in range(count))

    def payoffs_of(self, players: int, options: Mapping[str, Any]) -> PayoffRange:
        """Return the range of the payoffs with this number of players and these checked options.

        Examples:
            >>> import meadhall
            >>> meadhall.game("axxa").payoffs_of(2, {"mode": "together"}).largest
            1.0
        """
        return declared(self.payoffs, players, options) if not self.scoring_of(options).is_shared else SHARES

    def decides_sides_in_play(self, players: int, options: Mapping[str, Any]) -> bool:
        """Return whether the sides are decided in play with this number of players and these checked options.

        Examples:
            >>> import meadhall
            >>> meadhall.game("axxa").decides_sides_in_play(2, {"mode": "versus"})
            False
        """
        return self.sides is not None and self.sides(players, options, None) is None

    def needs_shares(self, players: int, options: Mapping[str, Any]) -> bool:
        """Return whether payoffs differ from shares of a win, see ``shares``.

        Examples:
            >>> import meadhall
            >>> meadhall.game("axxa").needs_shares(2, {"mode": "versus"})
            False
        """
        return not self.scoring_of(options).is_shared or self.decides_sides_in_play(players, options)

    def shares(self, payoffs: npt.NDArray[np.float64], options: Mapping[str, Any]) -> npt.NDArray[np.float64]:
        """Return what finished matches are worth as shares of a win, 0 to 1, whatever their payoffs count.

        Payoffs that are shares stay as they are. Of points, the parties with the most share 1 equally, and each seat of a party
        has the share of its party. If all seats are one party, the share is the place of the payoff within its range. If the
        sides are decided in play, the winning seats share 1 equally.

        Args:
            payoffs: float64 (matches, players).
            options: the checked options of the matches.

        Examples:
            >>> import numpy as np
            >>> import meadhall
            >>> meadhall.game("viking-axes").shares(np.array([[1.0, 0.0]]), {"variant": "standard"})
            array([[1., 0.]])
        """
        players = payoffs.shape[1]
        if not self.needs_shares(players, options):
            return payoffs
        parties, given = self.parties(players, options), self.payoffs_of(players, options)
        if len(parties) == 1:
            return (payoffs - given.smallest) / given.span
        best = payoffs == payoffs.max(axis=1, keepdims=True)
        winning = best[:, [party[0] for party in parties]].sum(axis=1, keepdims=True)
        shared: npt.NDArray[np.float64] = best / winning
        return shared

    def kind_of(self, players: int | None = None, options: Mapping[str, Any] | None = None) -> Kind:
        """Return the kind of the game: chance, information, payoffs, sides, length.

        Args:
            players: the number of players; None: the smallest.
            options: the options by name; those that are missing have their defaults.

        Raises:
            BadSetup: the game can't be set up with them.

        Examples:
            >>> import meadhall
            >>> kind = meadhall.game("axes-and-allies").kind_of(players=3)
            >>> kind.information, kind.payoffs, kind.sides, kind.max_length
            ('perfect', 'constant-sum', ((0,), (1,), (2,)), None)
        """
        count, chosen = self.check_setup(self.min_players if players is None else players, options or {})
        given = self.payoffs_of(count, chosen)
        told: Information | None = self.information(count, chosen) if callable(self.information) else self.information
        return Kind(
            players=count,
            chance=declared(self.chance, count, chosen),
            information=told or ("imperfect" if conceals(self.rules) else "perfect"),
            dynamics="simultaneous" if hasattr(self.rules, "deciders") else "sequential",
            payoffs=self._payoff_sum(count, chosen),
            smallest=given.smallest,
            largest=given.largest,
            sides=None if self.decides_sides_in_play(count, chosen) else self.parties(count, chosen),
            max_length=declared(self.max_length, count, chosen),
        )

    def _payoff_sum(self, players: int, options: Mapping[str, Any]) -> Payoffs:
        """Return how payoffs add up. Of shares of 1 each seat gets the whole share of its party."""
        parties, given = self.parties(players, options), self.payoffs_of(players, options)
        if len(parties) == 1:
            return "identical"
        if not self.scoring_of(options).is_shared:
            return "general-sum" if given.total is None else "constant-sum" if given.total else "zero-sum"
        equal = len({len(party) for party in parties}) == 1
        return "constant-sum" if equal and not self.decides_sides_in_play(players, options) else "general-sum"

    def check_players(self, players: Any) -> int:
        """Return the number of players as an ``int``. Raises BadSetup if the game doesn't allow it.

        Examples:
            >>> import meadhall
            >>> meadhall.game("viking-axes").check_players(5)
            5
            >>> meadhall.game("viking-axes").check_players(8)
            Traceback (most recent call last):
                ...
            meadhall.engine.errors.BadSetup: Viking Axes is for 2 to 7 players, not 8
        """
        count = as_integer(players)
        if count is None:
            raise BadSetup(f"the number of players must be an integer, not {quoted(players)}")
        if not self.min_players <= count <= self.max_players:
            raise BadSetup(f"{self.title} is for {self.min_players} to {self.max_players} players, not {quoted(count)}")
        return count

    def check_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return every option with its checked value, including defaults.

        Raises:
            BadSetup: an option or a value is unknown, or a value is not allowed together with that of another option.

        Examples:
            >>> import meadhall
            >>> meadhall.game("viking-axes").check_options({"variant": "strategic"})
            {'variant': 'strategic', 'armory': 'after', 'hits': 10, 'hits_of_two': 15, 'hand': 2}
            >>> meadhall.game("axxa").check_options({"mode": "solo"})
            Traceback (most recent call last):
                ...
            meadhall.engine.errors.BadSetup: option mode must be one of together, versus, not 'solo'
        """
        if not isinstance(options, Mapping):
            raise BadSetup(f"options must be given by name, not as {quoted(options)}")
        known = {option.name: option for option in self.options}
        for name in options:
            if name not in known:
                names = ", ".join(known) or "none"
                raise BadSetup(f"{self.title} has no option {quoted(name)}; its options: {names}")
        chosen = {name: option.check(options.get(name, option.default)) for name, option in known.items()}
        for option in self.options:
            if option.only_with and chosen[option.name] != option.default and not applies(option, chosen):
                other, value = option.only_with
                raise BadSetup(
                    f"{option.name}={option.shown(chosen[option.name])} is only for {other}={value}; "
                    f"with {other}={chosen[other]}, {option.name} must be {option.shown(option.default)}"
                )
        return chosen

    def fitting_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return checked values of all options; those that don't apply to the others get their defaults. Raises BadSetup.

        Examples:
            >>> import meadhall
            >>> meadhall.game("axxa").fitting_options({"mode": "together", "order": "any"})["order"]
            'skip'
        """
        fitting = {option.name: option.default for option in self.options} | dict(options)
        for option in self.options:
            if not applies(option, fitting):
                fitting[option.name] = option.default
        return self.check_options(fitting)

    def recorded_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return checked options as a record names them: without the house rules that don't hold.

        Examples:
            >>> import meadhall
            >>> axes = meadhall.game("axes-and-allies")
            >>> axes.recorded_options({"last_two": "ally"}), axes.recorded_options({"last_two": "fight"})
            ({}, {'last_two': 'fight'})
        """
        usual = {option.name: option.default for option in self.options if isinstance(option, HouseRule)}
        return {name: value for name, value in options.items() if name not in usual or value != usual[name]}

    def read_options(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """Parse and check options from a command line. Raises BadSetup.

        Examples:
            >>> import meadhall
            >>> meadhall.game("viking-axes").read_options({"variant": "strategic"})
            {'variant': 'strategic', 'armory': 'after', 'hits': 10, 'hits_of_two': 15, 'hand': 2}
        """
        known = {option.name: option for option in self.options}
        return self.check_options({name: known[name].read(text) if name in known else text for name, text in texts.items()})

    def check_setup(self, players: Any, options: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the checked number of players and options. Raises BadSetup if the game can't be set up with them.

        Examples:
            >>> import meadhall
            >>> meadhall.game("viking-axes").check_setup(3, {"variant": "strategic"})
            (3, {'variant': 'strategic', 'armory': 'after', 'hits': 10, 'hits_of_two': 15, 'hand': 2})
        """
        count, chosen = self.check_players(players), self.check_options(options)
        objection = self.objection(count, chosen) if self.objection else ""
        if objection:
            raise BadSetup(objection)
        return count, chosen

    def edition_for(self, options: Mapping[str, Any]) -> Game[S]:
        """Return the edition of the game for these checked options: the game with their words and kinds of events.

        Examples:
            >>> import meadhall
            >>> game = meadhall.game("dungeon-allies")
            >>> game.edition_for(game.check_options({})) is game
            True
        """
        if self.edition is None:
            return self
        words, events = self.edition(options)
        if words is own_words(self.words):
            return self
        edition = replace(self, words=words, events=events)
        object.__setattr__(edition, "origin", (self if self.origin is None else self.origin[0], options))
        return edition

    def encode_options(self, options: Mapping[str, Any]) -> npt.NDArray[np.int64]:
        """Return the integers of all options in order, as ``setup`` receives them.

        Examples:
            >>> import meadhall
            >>> game = meadhall.game("viking-axes")
            >>> game.encode_options(game.check_options({"variant": "strategic"}))
            array([ 1,  0, 10, 15,  2])
        """
        values = [code for option in self.options for code in option.encode(options[option.name])]
        return np.array(values, np.int64)


def applies(option: Option, options: Mapping[str, Any]) -> bool:
    """Return whether an option can have values besides its default, given the values of all options."""
    return option.only_with is None or options[option.only_with[0]] == option.only_with[1]


def beats_of(view: Any) -> int:
    """Return how many beats the board takes to show the view's last step.

    It is 0 for a page that shows all at once, before the first action, and after an undo, which shows an old step again.
    """
    if not view.steps or view.next_number != view.steps[-1].n + 1:
        return 0
    beats, kinds = getattr(view.game.page, "beats", None), view.game.events
    return int(beats(view)) if beats else sum(kinds[event.kind].beats for event in view.steps[-1].events if event.kind in kinds)


def ahead_of(view: Any) -> Mapping[int, str]:
    """Return the actions that the view's seat can choose ahead, with their words; none if the game doesn't declare any."""
    ahead = getattr(view.game.page, "ahead", None)
    return ahead(view) if ahead else {}
