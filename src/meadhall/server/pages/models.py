"""The models of the pages: plain values, ready to be shown. They contain nothing that the viewer may not know.

The templates in ``templates/`` and every game's ``page.html`` use these classes, and those of modules with a page for themselves,
such as ``person.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from meadhall.engine.interface import GameWords
from meadhall.engine.match.step import Lasting
from meadhall.engine.state.events import Event
from meadhall.server.hall.move import NO_UNDO, UndoOffer
from meadhall.server.hall.table_tools import TableTools
from meadhall.server.store.models import Crest, SeatKind, TableStatus
from meadhall.server.web.links import Closed

# ----------------------------------------------------------------------------------------------------------------------- forms


@dataclass(frozen=True)
class Option:
    """A value that a field of a form offers."""

    value: str
    text: str
    chosen: bool


@dataclass(frozen=True)
class OptionGroup:
    """Options that belong together, for example those of one game."""

    title: str  # "" for options without a group
    options: tuple[Option, ...]


# ----------------------------------------------------------------------------------------------------------------------- hall


@dataclass(frozen=True)
class Viewer:
    """The guest looking at the page."""

    name: str  # "" before the guest has chosen one
    language: str  # "en", "de"
    theme: str  # "auto", "light", "dark"
    motion: str = "auto"  # speed of animations: "auto" (as the system prefers), "slow", "normal", "fast", "off"
    confirm: str = "slow"  # where a page asks before a decision that can't be taken back: "slow", "always", "never"
    onward: str = "stay"  # where a page goes after a decision at a slow table: "stay", "next"
    person: str = ""  # the guest's public id; "" before something of the guest is stored
    sounds: str = ""  # the kinds of events that make a sound, separated by spaces
    notices: str = ""  # the kinds of events that an open page shows as a notification
    volume: int = 60  # of the sounds, in percent
    has_account: bool = False
    device: str = ""  # the id of the session or device; changes when the browser signs in
    crest: Crest | None = None
    word: str = ""  # what the page says once, such as "You are signed out."
    role: str = ""  # "helper", "host"
    has_cookies: bool = True  # False: the browser has come from a page of the hall, but keeps no cookie


@dataclass(frozen=True)
class Moment:
    """A time: for machines, and in words in UTC."""

    iso: str  # "2026-11-26T14:05:00Z"
    words: str  # "26 Nov 2026, 14:05 UTC"


@dataclass(frozen=True)
class TableCard:
    """One line in the hall's lists of tables."""

    url: str
    game: str
    title: str
    seats: tuple[SeatView, ...]
    marks: tuple[Crest, ...]  # of the seats
    status: TableStatus
    your_turn: bool
    note: str  # "Your turn", "Waiting for Björn", "2 of 4 seats taken", "Astrid wins"
    ended: Moment | None = None
    left: str = ""  # the time that the guest has for this turn: "2 days 3 h"; "" without a clock
    waits: str = ""  # of an open table: "Astrid waits, open for 3 minutes"
    noted: bool = False  # whether the guest has a note there


@dataclass(frozen=True)
class SharedLink:
    """An address for another person or device."""

    url: str  # absolute
    qr: str  # the same as an <svg> string
    closed: Closed  # why only this machine can open it; "" if others can


# ---------------------------------------------------------------------------------------------------------------------- lobby


@dataclass(frozen=True)
class ClockView:
    """The clock of a seat. Times are in milliseconds, those of the day by the hall's clock.

    If the clock runs, its time is up at ``deadline``, and it counts down from ``begins`` on. That is later than now while
    the boards play.
    """

    slow: bool
    left: int  # the time left when the clock began to run, or stopped
    deadline: int | None  # None if the clock doesn't run
    begins: int
    short: int  # from here on the time is short
    paused: bool = False
    still: tuple[int, int] | None = None  # when it stands before the deadline, in a holiday or an outage: from and until
    until: Moment | None = None  # the deadline of a slow clock in words


@dataclass(frozen=True)
class SeatView:
    """A seat as every viewer sees it. Its mark is drawn with the CSS class ``seat-K`` and the symbol ``shield-K`` (K = seat)."""

    seat: int
    name: str  # "" for an open seat
    kind: SeatKind
    bot: str = ""  # the bot's level in words, e.g. "Jarl"
    strength: int = 0  # the bot's or stand-in's level: its place among the levels, 1 is the weakest; 0: no level
    you: bool = False
    active: bool = False  # the seat to move
    thinking: bool = False  # the seat to move, and a bot
    winner: bool = False
    away_since: int | None = None  # of a person without an open page, in milliseconds by the hall's clock
    is_slow: bool = False  # the clock of the table is slow, so that players come and go
    online: bool = True  # a person with an open page, or a bot
    ready: bool = False  # a person who agrees to a start while away
    clock: ClockView | None = None  # of a person in a running match with a clock
    holiday: str = ""  # of a person at a table with a slow clock: "1 – 8 Dec"; now or later
    stand_in: str = ""  # the level of the bot that plays for this person, in words, e.g. "Jarl"
    person: str = ""  # address that leads to the person's profile; "" for a bot, and in a replay


# ---------------------------------------------------------------------------------------------------------------------- match


@dataclass(frozen=True)
class Refusal:
    """Why something isn't possible: the rule, and the words for people."""

    rule: str
    text: str
    action: int | None = None  # the action that was tried, if it was one, so that the board can answer in its place
    asks: bool = False  # whether the player can try it again


@dataclass(frozen=True)
class Choice:
    """An action that the page offers to the viewer; legal if ``refusal`` is None."""

    action: int
    text: str
    refusal: Refusal | None = None


@dataclass(frozen=True)
class HintLine:
    """An action that the king considers, and its chance."""

    action: int
    text: str
    chance: str  # in words; "" if there is only one action
    percent: int
    sure: bool  # exact, not estimated


@dataclass(frozen=True)
class HintView:
    """The hint that the viewer has requested for this decision."""

    lines: tuple[HintLine, ...]  # best first; empty during the search
    chance_of: str  # "your chance of winning"
    summary: str  # the whole hint in a sentence


@dataclass(frozen=True)
class LogEntry:
    """An event in words."""

    n: int  # number of its step (0: the setup)
    index: int  # unique in the match, ascending with time
    kind: str  # name of the event, e.g. "killed"
    event: str  # the same with its arguments, for the stage, e.g. "killed 0 2"
    text: str
    rule: str  # "AA-3.2"
    rule_url: str  # the rulebook at that rule
    hinted: bool = False  # the first event of an action that was played with a hint
    title: str = ""  # its words as the title of the turn that it begins, if they differ from its text
    brief: str = ""  # its words in the summary of its turn; "" if the summary leaves it out


@dataclass(frozen=True)
class LoggedEvent:
    """A public event in the log."""

    n: int  # number of its step (0: the setup)
    index: int  # unique in the match, ascending with time
    event: Event
    rule: str
    readers: frozenset[int]  # the seats whose words for it can differ from a spectator's
    hinted: bool = False  # the first event of an action that was played with a hint


@dataclass(frozen=True)
class LoggedTurn:
    """A turn in the log: public events only."""

    game: str
    words: GameWords
    names: tuple[str, ...]
    events: tuple[LoggedEvent, ...]
    begun: bool  # whether its first event begins a turn; otherwise it is the set-up
    seat: int | None  # whose turn it is
    readers: frozenset[int]  # the seats whose words differ from a spectator's

    @property
    def span(self) -> tuple[int, int]:
        """The indices of its first and last event."""
        return self.events[0].index, self.events[-1].index


@dataclass(frozen=True)
class TurnInWords:
    """A turn of the log for one reader."""

    title: str
    entries: tuple[LogEntry, ...]  # the oldest first
    single: bool  # it is one line, and the title is the same
    hinted: bool  # an action was played with a hint


@dataclass(frozen=True)
class ResultView:
    headline: str  # "Astrid wins"
    how: str  # "the last one standing, after 23 decisions"
    rule: str
    rule_url: str
    winners: tuple[int, ...]


@dataclass(frozen=True)
class StandInView:
    """The bot that plays for the viewer."""

    bot: str  # its level in words, e.g. "Jarl"
    lasts: Lasting


@dataclass(frozen=True)
class ProposalView:
    """The open proposal, or how the last one ended, for one viewer."""

    number: int
    text: str  # "Astrid offers a draw."
    about: str = ""  # its effect
    answers: tuple[tuple[str, bool], ...] = ()  # of each seat that was asked: the name, and whether it has agreed
    until: Moment | None = None  # None if it has ended
    asks_you: bool = False
    is_yours: bool = False


@dataclass(frozen=True)
class Rematch:
    """The table of a rematch."""

    url: str
    waiting: str  # who waits there for the viewer: "Bjorn waits for you in the rematch."; "" if no other player does


@dataclass(frozen=True)
class AbsentView:
    """A player who is away. Times are in milliseconds by the hall's clock."""

    seat: int
    name: str
    since: int
    due: int  # from here on the others may let a bot play


@dataclass(frozen=True)
class OutView:
    """The possible actions of a player who has dropped out of a match that goes on."""

    is_alone: bool  # only bots play on
    is_skipped: bool  # they play without pauses
    again: bool  # the player can play again before the end


@dataclass(frozen=True)
class PauseView:
    """The pause of a match. The prompt says who has paused it."""

    since: Moment
    url: str  # of the table, for a viewer who can go on; "" for a spectator


@dataclass(frozen=True)
class MatchPage:
    """A match for one viewer: while it runs, at its end, or at one step of a replay."""

    id: str
    url: str  # "/tables/<id>"
    game: str
    title: str
    seats: tuple[SeatView, ...]
    viewer: int | None  # the viewer's seat; None for a spectator
    status: TableStatus
    prompt: str  # the question to the seat to move, or the result
    your_turn: bool
    n: int  # number of the next action
    choices: tuple[Choice, ...]  # those that the game's page offers, with refused ones; empty if it is not the viewer's turn
    log: tuple[LoggedTurn, ...]  # newest first; empty in the private part of a live page
    picture: Any  # the board, from the game's page.py and public knowledge; None in the private part of a live page
    own: Any = None  # the private part of the seat, from the game's page.py and the seat's knowledge
    private_events: tuple[LogEntry, ...] = ()  # the latest events that only the viewer knows, newest first
    tools: TableTools | None = None  # of the table; None in a replay
    undo: UndoOffer = NO_UNDO  # the decision that the viewer can take back alone
    can_resign: bool = False
    goal: str = ""  # what the viewer plays for, until their first decision
    lesson_minutes: int = 0  # of the guided first game, in the viewer's first match of this game; 0 otherwise
    resign_words: str = ""  # what a resignation of the viewer means
    ahead: tuple[Choice, ...] = ()  # what the viewer, who waits, can choose for their next decision
    intended: int | None = None  # which of these is chosen
    can_hint: bool = False
    hint: HintView | None = None
    stand_in: StandInView | None = None  # the bot that plays for the viewer
    out: OutView | None = None  # the viewer has dropped out of the match, which goes on
    paused: PauseView | None = None
    absent: tuple[AbsentView, ...] = ()  # for whom the viewer may let a bot play, now or later
    thinking: str = ""  # which bot is thinking, in words
    notice: Refusal | None = None  # the refusal of the last request, shown once
    result: ResultView | None = None
    given_up: ResultView | None = None  # instead of a result, of a match that was given up
    chart: ChartPart | None = None
    device: dict[str, Any] | None = None  # the private link that carries the viewer's seat to another device
    commitment: str = ""
    spectators: int = 0
    rematch: Rematch | None = None  # if a player has opened it
    stronger: str = ""  # the level of bots above the one that the viewer has played with; "" if there is none
    daily: str = ""  # the day if it is a daily puzzle, e.g. "2026-11-21"
    daily_ends: str = ""  # the end of that day for machines
    daily_ended: bool = False
    devices: int = 0  # the number of devices that hold the viewer's seat
    proposal: ProposalView | None = None  # the open one, or the one that has just ended
    take_back: int | None = None  # the number of the viewer's last decision, which they can ask to take back
    share: str = ""  # address of the picture of the end; "" while there is none
    preview: bool = False  # whether messengers may show that picture for a link to the table
    marks: tuple[Crest, ...] = ()  # of the seats; empty: each seat has its own


# --------------------------------------------------------------------------------------------------------- chart and replay


@dataclass(frozen=True)
class ChartLine:
    """The chances of the seats that win or lose together."""

    seats: tuple[int, ...]
    name: str
    winner: bool
    path: str  # the line as an SVG path
    crest: tuple[float, float]  # where the crest of its first seat stands on it
    percents: tuple[str, ...]  # its chance in words, by position
    heights: tuple[float, ...]  # its y, by position


@dataclass(frozen=True)
class ChartMark:
    """A turning point: its number stands above the chart at ``label``, and its ``point`` lies on a line."""

    number: int
    position: int  # after how many actions
    point: tuple[float, float]
    label: float
    seat: int  # the first seat of the line
    name: str
    text: str  # what happened
    before: str
    after: str
    change: str  # "−31 %"
    rose: bool


@dataclass(frozen=True)
class ChartView:
    """The chances through a match, with all coordinates."""

    title: str
    summary: str  # the chart in a sentence
    knowledge: str  # "public" or "everything"
    has_secrets: bool  # whether the two kinds of knowledge differ
    lines: tuple[ChartLine, ...]
    marks: tuple[ChartMark, ...]
    ticks: tuple[tuple[float, int], ...]  # numbers of actions on the x axis: where, and the number
    columns: tuple[int, ...]  # the positions that can be tapped, from left to right
    places: tuple[float, ...]  # the x of every position
    note: str  # how exact the figures are


@dataclass(frozen=True)
class ChartPart:
    """A chart as a part of a page: its own page, the end of a match, or one step of a replay."""

    url: str  # the chart's own page
    replay: str  # "/tables/<id>/replay"
    knowledge: str
    view: ChartView | None = None  # None until the analysis is done
    percent: int = 0  # progress of the analysis
    error: str = ""  # why there is no chart
    step: int | None = None  # the step that the replay shows
    seat: str = ""  # whose view it shows: "all" or a seat number
    kept: bool = False  # whether later frames leave it unchanged in a page that has fetched it


# ---------------------------------------------------------------------------------------------------------------- other pages
