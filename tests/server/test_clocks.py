"""The clocks of a match as a function of its entries, their times and the downtimes; and the choice of a clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from markupsafe import Markup

import meadhall
from games_for_tests.hoard.rules import BOAST, LOOK
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import BEAT_SECONDS, beats_of
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import Seat
from meadhall.server.hall.clocks import DAY, HOUR, SECONDS, TIME_UP, Clocks, check_clock, outages, running_seconds
from meadhall.server.hall.holidays import _ended, _within_limit
from meadhall.server.pages.clock import clock_views, filled, milliseconds
from meadhall.server.store.models import Clock, ClockKind, Entry, EntryKind
from meadhall.server.store.uptime import Downtime, Holiday
from server.people import HOARD

START = datetime(2026, 11, 26, 20, 0, tzinfo=UTC)
LIVE = Clock("seat", 300, 5)
PER_DECISION = Clock("decision", 60)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def down(began: float, ended: float) -> Downtime:
    return Downtime(at(began), at(ended))


class Play:
    """A match whose entries are made at chosen times."""

    def __init__(self, clock: Clock, *downtimes: Downtime, bot: bool = False) -> None:
        seats = [Seat("Ada"), Seat("Karl", "bot", "karl") if bot else Seat("Björn")]
        self.match = Match(meadhall.game(HOARD), seed=bytes(32), seats=seats, started=START, clock=clock.to_json())
        self.clocks = Clocks.of_start(clock, self.match, START, outages(downtimes))
        self.count = 0

    def act(self, seconds: float, action: int | None = None, **data: Any) -> None:
        seat = self.match.actor
        assert seat is not None
        played = self.match.legal()[0].action if action is None else action
        self.match.play(played, seat)
        self.follow(seconds, "action", seat, played, **data)

    def undo(self, seconds: float, seat: int, count: int = 1) -> None:
        self.match.undo(count, revealed=True)
        self.follow(seconds, "undo", seat, count)

    def follow(self, seconds: float, kind: EntryKind, seat: int = 0, value: int = 0, **data: Any) -> None:
        self.count += 1
        self.clocks = self.clocks.after(Entry(self.count, kind, seat, value, data, at(seconds)), self.match)


def test_a_seat_loses_the_time_of_its_decision_and_gains_the_increment() -> None:
    play = Play(LIVE)
    assert play.clocks.running == 0
    assert play.clocks.deadline == at(300)
    play.act(30, BOAST)
    assert play.clocks.running == 0, "a boast goes on with the turn"
    assert play.clocks.left_at(at(30)) == (275, 300)
    assert play.clocks.left_at(at(40)) == (265, 300)
    assert play.clocks.deadline == at(30 + 275)
    play.act(50, LOOK)
    play.act(60)
    assert play.match.actor == 1
    assert play.clocks.left[0] == 300 - 60 + 3 * 5
    assert play.clocks.deadline == at(360)
    assert [step.seconds for step in play.match.steps] == [30, 20, 10]


def test_every_decision_has_its_own_time_on_a_clock_per_decision() -> None:
    play = Play(PER_DECISION)
    play.act(50, BOAST)
    assert play.clocks.left_at(at(50)) == (60, 60)
    assert play.clocks.deadline == at(110)


def test_a_reserve_of_days_grows_back_to_what_it_was() -> None:
    play = Play(Clock("reserve", 3 * DAY, 4 * HOUR))
    play.act(DAY, BOAST)
    assert play.clocks.left_at(at(DAY)) == (2 * DAY + 4 * HOUR, 3 * DAY)
    play.act(DAY + HOUR, LOOK)
    play.act(DAY + 2 * HOUR)
    assert play.clocks.left[0] == 2 * DAY + 10 * HOUR
    assert play.match.actor == 1
    play.act(DAY + 3 * HOUR, BOAST)
    assert play.clocks.left[1] == 3 * DAY, "no more than at the beginning"


def test_what_has_passed_of_a_holiday_stays_also_when_its_guest_has_left() -> None:
    def days(first: int, last: int) -> Holiday:
        return Holiday(datetime(2027, 1, first, tzinfo=UTC), datetime(2027, 1, last, tzinfo=UTC))

    at = datetime(2027, 1, 10, tzinfo=UTC)
    assert _ended(days(5, 20), at) == days(5, 10)
    assert _ended(days(12, 20), at) == days(12, 12)
    assert _ended(days(5, 7), at) == days(5, 7)
    assert _within_limit([days(15, 31), days(3, 12)], [days(3, 12)], at) == [days(3, 12), days(15, 26)]


def test_the_clock_of_a_player_on_holiday_stands_and_the_other_runs() -> None:
    play = Play(Clock("slow", DAY))
    holiday: dict[str, Any] = {"from": at(HOUR).isoformat(), "until": at(HOUR + 10 * DAY).isoformat()}
    play.follow(60, "holiday", 0, **holiday)
    assert play.clocks.deadline == at(11 * DAY)
    assert play.clocks.left_at(at(5 * DAY)) == (DAY - HOUR, DAY)
    assert play.clocks.left_at(at(11 * DAY - 60)) == (60, DAY)
    play.follow(2 * DAY, "holiday", 0, **holiday | {"until": at(2 * DAY).isoformat()})
    assert play.clocks.deadline == at(3 * DAY - HOUR), "they have come back early"
    play.follow(2 * DAY, "holiday", 0, **holiday | {"until": holiday["from"]})
    assert play.clocks.deadline == at(DAY), "it was cancelled"
    play.follow(2 * DAY, "holiday", 1, **holiday)
    assert play.clocks.deadline == at(DAY), "the other player's own"


def test_a_late_action_leaves_nothing_but_the_increment() -> None:
    play = Play(LIVE)
    play.act(320, BOAST)
    assert play.clocks.left[0] == 5
    assert play.match.steps[0].seconds == 320


def test_time_stays_used_when_an_action_is_taken_back_and_the_increment_goes_with_it() -> None:
    play = Play(LIVE)
    for begin in range(0, 200, 20):
        play.act(begin + 10, BOAST)
        play.undo(begin + 20, seat=0)
    assert list(play.clocks.left) == [100, 300], "20 seconds each time, and nothing gained"
    assert play.clocks.running == 0
    assert [step.seconds for undone in play.match.undone for step in undone.steps] == [10] * 10


def test_the_seat_to_move_pays_for_the_time_until_others_take_back() -> None:
    play = Play(LIVE)
    play.act(10, BOAST)
    play.act(20, LOOK)
    play.act(30)
    assert play.match.actor == 1
    play.undo(70, seat=0, count=1)
    assert list(play.clocks.left) == [300 - 30 + 10, 260]
    assert play.clocks.running == 0
    assert play.clocks.deadline == at(70 + 280)


def test_a_seat_gains_no_time_by_taking_back_its_own_action_per_decision() -> None:
    play = Play(PER_DECISION)
    play.act(50, BOAST)
    play.undo(55, seat=0)
    assert play.clocks.deadline == at(55 + 10)
    play.act(60, BOAST)
    assert play.match.steps[0].seconds == 5
    assert play.clocks.deadline == at(120)


def test_a_decision_has_its_full_time_again_when_another_person_has_played_since() -> None:
    play = Play(PER_DECISION)
    played = len(play.match.steps)
    while play.match.actor == 0:
        played = len(play.match.steps)
        play.act(50)
    play.act(70)
    play.undo(80, seat=0, count=len(play.match.steps) - played)
    assert play.clocks.running == 0
    assert play.clocks.deadline == at(80 + 60)


def test_bots_have_no_clock_and_no_times() -> None:
    play = Play(LIVE, bot=True)
    while play.match.actor == 0:
        play.act(10)
    assert play.clocks.running is None
    assert play.clocks.deadline is None
    played = len(play.match.steps)
    play.act(99)
    assert play.match.steps[played].seconds is None
    assert play.clocks.left[1] == 300, "and gains nothing"


def test_a_hint_stops_no_clock() -> None:
    play = Play(LIVE)
    before = play.clocks
    play.follow(40, "hint", 0)
    assert play.clocks == before


def test_paused_clocks_stand_still_and_a_decision_goes_on_where_it_was() -> None:
    play = Play(LIVE)
    play.follow(40, "pause")
    assert play.clocks.running is None
    assert play.clocks.deadline is None
    assert play.clocks.left_at(at(1000)) == (260, 300)
    play.follow(1000, "resume")
    assert play.clocks.deadline == at(1260)
    play.act(1010, BOAST)
    assert play.match.steps[0].seconds == 50
    assert play.clocks.left[0] == 255


# ----------------------------------------------------------------------------------------------------------- while boards play


def test_the_time_of_a_decision_begins_when_the_boards_have_played_what_was_before_it() -> None:
    play = Play(PER_DECISION)
    play.act(10, BOAST, plays=3000)
    assert play.clocks.deadline == at(13 + 60)
    assert [play.clocks.left_at(at(seconds))[0] for seconds in (10, 12, 13, 14)] == [60, 60, 60, 59]
    assert play.clocks.still_until(at(12)) == at(13)
    assert play.clocks.still_until(at(13)) is None
    play.act(12, LOOK, plays=500)
    assert play.match.steps[-1].seconds == 0, "a player who skips the play has used no time"
    assert play.clocks.deadline == at(13.5 + 60), "and the other boards still play the first action"
    play.act(20)
    assert play.match.steps[-1].seconds == 6.5


def test_no_clock_stands_for_more_than_six_seconds_after_an_action() -> None:
    play = Play(PER_DECISION)
    play.act(10, BOAST, plays=14_000)
    assert play.clocks.deadline == at(16 + 60)
    play.act(12, LOOK, plays=4000)
    assert play.clocks.deadline == at(18 + 60), "also after several"


def test_actions_whose_plays_are_over_cost_nothing_more() -> None:
    """Bots wait until the boards have played the action before theirs."""
    play = Play(PER_DECISION)
    play.act(10, BOAST, plays=5000)
    play.act(15, LOOK, plays=2000)
    assert play.clocks.since == at(17)


def test_an_increment_is_not_lost_to_a_play() -> None:
    play = Play(Clock("seat", 180, 2))
    while play.match.actor == 0:
        play.act(play.clocks.since.timestamp() - START.timestamp(), plays=5000)
    assert play.clocks.left[0] == 180 + 2 * len(play.match.steps)


def test_an_action_that_was_taken_back_is_played_no_more() -> None:
    play = Play(PER_DECISION)
    play.act(10, BOAST, plays=5000)
    play.undo(11, seat=0)
    assert play.clocks.deadline == at(11 + 60 - 10)


def test_a_pause_while_boards_play_takes_no_time_and_gives_none() -> None:
    play = Play(LIVE)
    play.act(10, BOAST, plays=5000)
    play.follow(11, "pause")
    play.follow(12, "resume")
    assert play.clocks.deadline == at(15 + 295)
    play.follow(13, "pause")
    play.follow(100, "resume")
    assert play.clocks.deadline == at(100 + 295)


def test_a_downtime_while_boards_play_counts_once() -> None:
    play = Play(PER_DECISION, down(12, 100))
    play.act(10, BOAST, plays=5000)
    assert play.clocks.deadline == at(120 + 60)
    (began, ended), *_none = play.clocks.outages
    assert clock_views(play.clocks)[0].still == (milliseconds(began), milliseconds(ended)), "the page says that the clock stands"


def test_a_page_shows_the_full_time_while_boards_play_and_then_counts_down() -> None:
    play = Play(PER_DECISION)
    play.act(10, BOAST, plays=3000)
    shown = clock_views(play.clocks)[0]
    assert (shown.left, shown.deadline, shown.begins) == (60_000, milliseconds(at(73)), milliseconds(at(13)))
    assert shown.still is None, "without a sign that the clock stands"
    html = Markup("<!--left {0.deadline} {0.begins} live 0 0-->").format(shown)
    assert [filled(html, at(seconds)) for seconds in (10, 12, 13, 14)] == ["1:00", "1:00", "1:00", "0:59"]


def test_an_action_says_how_long_boards_play_it_where_a_live_clock_runs() -> None:
    match = meadhall.game("axes-and-allies").match(players=4, seed="mead")
    live, slow = (Clocks.of_start(clock, match, START) for clock in (PER_DECISION, Clock("slow", DAY)))
    action, other = match.legal()[0].action, Entry(1, "hint", 0, 1)
    assert live.with_play(other, match) == other
    match.play(action)
    entry = Entry(1, "action", 0, action)
    assert beats_of(match.view()) > 0
    assert live.with_play(entry, match).data == {"plays": round(1000 * BEAT_SECONDS * beats_of(match.view()))}
    assert slow.with_play(entry, match) == entry


# ------------------------------------------------------------------------------------------------------------------ downtimes


def test_a_downtime_and_twenty_seconds_are_added() -> None:
    play = Play(LIVE, down(100, 400))
    assert play.clocks.deadline == at(300 + 300 + 20)
    assert play.clocks.left_at(at(90))[0] == 210
    for seconds in (100, 250, 410, 420):
        assert play.clocks.left_at(at(seconds))[0] == 200, seconds
    assert play.clocks.left_at(at(430))[0] == 190
    assert play.clocks.still_until(at(410)) == at(420)
    assert play.clocks.still_until(at(420)) is None
    play.act(430, BOAST)
    assert play.match.steps[0].seconds == 110
    assert play.clocks.left[0] == 195


def test_a_decision_that_begins_right_after_a_downtime_has_its_full_time() -> None:
    play = Play(PER_DECISION, down(10, 100))
    play.act(105, BOAST)
    assert play.clocks.deadline == at(180)
    assert play.clocks.left_at(at(119))[0] == 60


def test_downtimes_before_a_decision_and_after_its_deadline_change_nothing() -> None:
    play = Play(PER_DECISION, down(-500, -100), down(60, 90))
    assert play.clocks.deadline == at(60)


def test_a_second_downtime_can_begin_before_the_pages_have_come_back() -> None:
    times = outages([down(200, 300), down(100, 190), down(310, 320), down(500, 600)])
    assert times == ((at(100), at(340)), (at(500), at(620)))
    assert running_seconds(at(0), at(700), times) == 700 - 240 - 120
    assert running_seconds(at(150), at(345), times) == 5
    assert running_seconds(at(10), at(0), times) == 0, "the clocks of two machines differ"


# ----------------------------------------------------------------------------------------------------------------- the choice


@pytest.mark.parametrize("kind", SECONDS)
def test_every_clock_on_offer_can_be_stored_and_read(kind: ClockKind) -> None:
    for seconds in SECONDS[kind]:
        clock = check_clock(kind, seconds)
        assert clock is not None
        assert Clock.of_json(clock.to_json()) == clock
        assert clock.time_up == TIME_UP[kind]
        assert (clock.increment > 0) == clock.is_of_seats == (kind in ("seat", "reserve"))
        assert clock.is_live == (kind in ("seat", "decision"))


@pytest.mark.parametrize(
    ("choice", "problem"),
    [
        (("hourglass",), "Possible are: none, seat, decision, slow, reserve."),
        (("seat", 200), "Possible seconds: 180, 300, 600, 1200."),
        (("seat", 180, 1), "Possible seconds: 0, 2, 3, 5, 10, 15, 30."),
        (("decision", 30, 5), "Possible seconds: 0."),
        (("reserve", None, 60), "Possible seconds: 0, 14400, 43200, 86400."),
        (("slow", 30), "Possible seconds: 86400, 259200, 604800."),
        (("seat", 180, 2, "explode"), "only this can happen: bot_decision, bot_seat, resign."),
        (("none", 180), "no times"),
    ],
)
def test_another_clock_is_refused_with_those_on_offer(choice: tuple[Any, ...], problem: str) -> None:
    with pytest.raises(BadSetup, match=problem.replace(".", r"\.")):
        check_clock(*choice)
