"""What the hall's pages are given: plain values, ready to be shown, holding nothing the viewer may not know.

The templates in ``templates/`` and every game's ``page.html`` are written against these classes and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from meadhall.engine.daily import Outcome

SeatKind = Literal["human", "bot", "open"]
TableStatus = Literal["gathering", "running", "over", "abandoned"]


@dataclass(frozen=True)
class Viewer:
    """Who looks at the page: the guest behind the cookie."""

    name: str  # "" until a name was given
    language: str  # "en", "de"
    theme: str  # "auto", "light", "dark"


@dataclass(frozen=True)
class GameTile:
    """A game in the hall: ``ready`` is False while its rules are still being compiled."""

    name: str  # "axes-and-allies"
    title: str
    tagline: str
    players: str  # "2-6"
    ready: bool
    guided: bool = False  # has a guided first game


@dataclass(frozen=True)
class TableCard:
    """One line in the hall's lists of tables."""

    url: str
    game: str
    title: str
    seats: tuple[SeatView, ...]
    status: TableStatus
    your_turn: bool
    note: str  # "Your turn", "Waiting for Björn", "2 of 4 seats taken", "Astrid won"


DailyState = Literal["new", "running", "over", "missed"]
"""Of a guest's attempt at a day's puzzle; missed: the day is over, and they did not finish within it."""


@dataclass(frozen=True)
class DailyStrip:
    """Today's puzzle, as the hall announces it."""

    game: str
    title: str
    date: str  # "21 November 2026"
    state: DailyState
    ready: bool


@dataclass(frozen=True)
class HallPage:
    tiles: tuple[GameTile, ...]
    daily: DailyStrip | None
    yours: tuple[TableCard, ...]
    open: tuple[TableCard, ...]
    watched: tuple[TableCard, ...]


@dataclass(frozen=True)
class SeatView:
    """A seat as everybody sees it. Its colour is ``seat-K`` (K = seat) in CSS, its crest the symbol ``crest-K``."""

    seat: int
    name: str  # "" for an open seat
    kind: SeatKind
    bot: str = ""  # the bot's rank, e.g. "jarl"
    you: bool = False
    active: bool = False  # this seat is to decide
    thinking: bool = False  # and is a bot, now
    out: bool = False  # has lost already
    winner: bool = False
    online: bool = True  # a person with the page open, or a bot


@dataclass(frozen=True)
class OptionChoice:
    value: str
    text: str
    chosen: bool


@dataclass(frozen=True)
class OptionView:
    """An option: choices; or a document, of which there are none."""

    name: str
    text: str  # a sentence that says what it changes
    choices: tuple[OptionChoice, ...] = ()
    template: str = ""  # where the built-in document is to be had
    own: str = ""  # the document in use, in a word; "" if it is the one built in


@dataclass(frozen=True)
class LobbyPage:
    """The table before the game. Only the host can change seats and options and start."""

    id: str
    url: str
    game: str
    title: str
    seats: tuple[SeatView, ...]
    host: bool
    seated: bool
    bots: tuple[tuple[str, str], ...]  # (rank, what it does) of every bot that can be seated, the weakest first
    options: tuple[OptionView, ...]
    min_players: int
    max_players: int
    can_start: bool
    start_refusal: str  # why it can't start yet, "" if it can
    invite_url: str  # absolute, to be sent to friends
    invite_qr: str  # an <svg> string of the same link
    public: bool  # listed among the open tables
    guided: bool = False  # the game has a guided first game
    notice: Refusal | None = None  # the last thing refused, to be shown once


@dataclass(frozen=True)
class Refusal:
    """Why something can't be done: the rule and the words."""

    rule: str
    text: str


@dataclass(frozen=True)
class Choice:
    """An action that the viewer could choose: legal when ``refusal`` is None."""

    action: int
    text: str
    refusal: Refusal | None = None


@dataclass(frozen=True)
class HintLine:
    """An action that the king considers, and how it would go on."""

    action: int
    text: str
    chance: str  # in words, "" where there is nothing to choose
    percent: int
    sure: bool  # exact, not estimated


@dataclass(frozen=True)
class HintView:
    """The hint that the viewer has asked for at this decision."""

    lines: tuple[HintLine, ...]  # the best first; none while it is being thought of
    chance_of: str  # "chance that you win"
    said: str  # all of it in a sentence


@dataclass(frozen=True)
class LogEntry:
    n: int  # the action it belongs to (0: the setup)
    index: int  # unique in the match, ascending with time
    kind: str  # the event's name, e.g. "killed"
    text: str
    rule: str  # "AA-3.2"
    rule_url: str  # the rulebook at that rule
    hinted: bool = False  # the first event of an action that was played with a hint


@dataclass(frozen=True, eq=False)
class LoggedStep:
    """What came of an action, the newest first: one object in all frames of a match, as long as it looks the same."""

    entries: tuple[LogEntry, ...]


@dataclass(frozen=True)
class ChartPoint:
    """A place in the drawing of a chart."""

    x: float
    y: float


@dataclass(frozen=True)
class ChartLine:
    """The chances of those who win or lose together."""

    seats: tuple[int, ...]
    name: str
    winner: bool
    path: str  # the line, as SVG has it
    crest: tuple[float, float]  # where it bears the crest of its first seat
    percents: tuple[str, ...]  # its chance in words, position by position
    heights: tuple[float, ...]  # its y, position by position


@dataclass(frozen=True)
class ChartMark:
    """A turning point: its number stands above the chart at ``label``, and belongs to ``point`` on a line."""

    number: int
    position: int  # after how many actions
    point: ChartPoint
    label: float
    seat: int  # of those whose chance it is about, the first
    name: str
    text: str  # what happened
    before: str
    after: str
    change: str  # "−31 %"
    rose: bool


@dataclass(frozen=True)
class ChartTick:
    """A number of actions at the foot of a chart."""

    x: float
    text: str


@dataclass(frozen=True)
class ChartView:
    """The chances through a match, drawn."""

    title: str
    about: str  # all of it in a sentence
    knowledge: str  # "public" or "everything"
    secrets: bool  # whether there is a choice between the two
    lines: tuple[ChartLine, ...]
    marks: tuple[ChartMark, ...]
    ticks: tuple[ChartTick, ...]
    columns: tuple[int, ...]  # the positions that can be chosen in the drawing, from left to right
    places: tuple[float, ...]  # the x of every position
    note: str  # how good the figures are


@dataclass(frozen=True)
class ChartPlace:
    """A chart where it stands: on a page of its own, at the end of a match, in a replay at one of its moments."""

    url: str  # the chart's own page
    replay: str  # "/tables/<id>/replay"
    knowledge: str
    view: ChartView | None = None  # None while it is being drawn
    percent: int = 0  # how far that is
    trouble: str = ""  # why there is none
    step: int | None = None  # the step that the replay shows
    seat: str = ""  # whose view it shows: "all" or a seat number
    kept: bool = False  # whether a page that has fetched it keeps it when its next frame comes


@dataclass(frozen=True)
class ResultView:
    headline: str  # "Astrid wins"
    how: str  # "the last one standing, after 23 decisions"
    rule: str
    rule_url: str
    winners: tuple[int, ...]


@dataclass(frozen=True)
class Device:
    """The private link that carries the viewer's seat to another device."""

    url: str
    qr: str  # an <svg> string


@dataclass(frozen=True)
class MatchPage:
    """A match for one viewer: while it runs, when it is over, or as one moment of a replay."""

    id: str
    url: str  # "/tables/<id>"
    game: str
    title: str
    seats: tuple[SeatView, ...]
    viewer: int | None  # the viewer's seat, None for a spectator
    status: TableStatus
    prompt: str  # what is to be decided and by whom, always
    your_turn: bool
    n: int  # the number the next action will have
    choices: tuple[Choice, ...]  # the viewer's, in ascending order; with refused ones; empty when it is not their turn
    log: tuple[LoggedStep, ...]  # newest first; in the public part of a live page, not in a seat's own
    picture: Any  # the board, as the game's page.py made it of what everybody knows; None on a seat's own page
    own: Any = None  # the seat's own part, as the game's page.py made it of what the seat knows
    whispers: tuple[LogEntry, ...] = ()  # what the viewer alone was told lately, newest first
    can_undo: bool = False
    can_resign: bool = False
    alone: bool = False  # nobody else but bots plays: who resigns gives the match up
    can_hint: bool = False
    hint: HintView | None = None
    thinking: str = ""  # which bot thinks now, in words
    notice: Refusal | None = None  # the last thing refused, to be shown once
    result: ResultView | None = None
    given_up: ResultView | None = None  # the same, without winners, of a match that nobody played to its end
    chart: ChartPlace | None = None
    device: Device | None = None
    commitment: str = ""
    watching: int = 0  # spectators
    rematch: str = ""  # where the rematch is, once somebody has asked for it
    daily: str = ""  # the day whose puzzle it is, e.g. "2026-11-21"


@dataclass(frozen=True)
class ReplayPage:
    """A match step by step: ``page`` shows the moment after action ``step``."""

    page: MatchPage
    base: str  # "/tables/<id>/replay" or "/replay/<key>": steps are base?step=K&seat=all|0|1…
    step: int  # position 0 (setup) … last
    last: int
    seat: str  # "all" or a seat number
    seat_choices: tuple[tuple[str, str], ...]
    verified: str  # "" or the sentence that says the dice were verified
    chart: ChartPlace | None = None


@dataclass(frozen=True)
class ChartPage:
    """A chart on a page of its own."""

    chart: ChartPlace
    game: str
    title: str
    headline: str  # "Astrid wins"
    how: str
    back: str  # where the match is


@dataclass(frozen=True)
class LessonPage:
    """A moment of a guided first game: ``page`` as everybody sees it, ``own`` the learner's part."""

    page: MatchPage
    own: MatchPage
    url: str  # "/learn/<game>": a step is url?step=K
    step: int  # 1 … last
    last: int
    words: str
    rule: str
    rule_url: str
    wanted: int | None  # the action to be chosen now, None if there is only something to read
    task: str  # it in words
    notice: str = ""  # the answer to another choice


@dataclass(frozen=True)
class FigureView:
    """One number of an attempt: "Triplets", 4, of 6."""

    title: str
    value: int
    most: int | None


@dataclass(frozen=True)
class AttemptView:
    """How somebody did."""

    url: str  # the replay
    place: int
    name: str
    won: bool
    you: bool
    figures: tuple[FigureView, ...]


@dataclass(frozen=True)
class Bar:
    """How many had this value; ``height`` is 1 for the highest bar of its plot."""

    value: int
    count: int
    height: float
    you: bool


@dataclass(frozen=True)
class Plot:
    """How one figure is distributed over all attempts of a day."""

    title: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class DailyPage:
    """A day's puzzle for one guest. How others did is here only once their own attempt or the day is over."""

    game: str
    title: str
    goal: str  # what is to be done
    date: str
    today: bool
    state: DailyState
    ready: bool
    guided: bool
    table: str  # the address of the guest's attempt, "" if there is none
    finished: int  # how many have finished it so far
    hours: int  # until the day is over
    mine: AttemptView | None
    best: tuple[AttemptView, ...]  # the best first
    plots: tuple[Plot, ...]
    outcome: Outcome | None  # what could have been made of the deal, if that is told
    looking: bool  # whether that is still being found out
    share: str  # to be sent to others; gives nothing away
    days: tuple[tuple[str, str, bool], ...]  # (address, date, whether it is this one), the newest first


@dataclass(frozen=True)
class VerifyPage:
    url: str
    title: str
    commitment: str
    seed: str  # "" while the match runs, or others still play from the same
    verified: bool
    text: str
    steps: int
    sealed: bool = False  # the seed waits for the end of the day


@dataclass(frozen=True)
class RulebookPage:
    game: str
    title: str
    html: str  # rendered from rulebook.md; every rule's heading or item has id="AA-3.2"
    contents: tuple[tuple[str, str], ...]  # (anchor, heading)
    guided: bool = False  # the game has a guided first game


@dataclass(frozen=True)
class ErrorPage:
    status: int
    title: str
    text: str
    rule: str = ""
    rule_url: str = ""
    back: str = "/"
