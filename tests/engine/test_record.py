"""Match records replay, and invalid records are refused with a place and a reason."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from games_for_tests.every import EVERY_GAME
from games_for_tests.hoard import game as hoard
from games_for_tests.hoard.rules import BOAST, LOOK
from meadhall import BadSetup, Game, Match, MeadhallError, RecordError, Seat, game, replay
from meadhall.engine.laws.counterexample import ConformanceError
from meadhall.engine.match import record as record_module
from meadhall.engine.match.record import dumps, loads, read_records
from meadhall.engine.options import Number

GOLDEN = sorted((Path(__file__).parents[1] / "records").glob("*/*.match.json"))
INSTALLED = [subject for subject in EVERY_GAME if subject is not hoard]
ENDINGS = {
    "axes-and-allies": {"AA-6.1"},
    "axxa": {"AX-6.1", "AX-6.2", "AX-7.2", "AX-7.3"},
    "dungeon-allies": {"DA-13.1", "DA-13.3"},
    "viking-axes": {"VA-7.1", "VA-7.2"},
}
"""The rules by which each game can end."""
STARTED = datetime(2026, 11, 21, 20, 0, tzinfo=UTC)


def finished(subject: Game = hoard, **options: Any) -> Match:
    """Return a finished match of two players with undone actions, a private event and a bot."""
    match = Match(subject, seats=[Seat("Astrid"), Seat("Karl", "bot", "karl")], seed="record", started=STARTED, options=options)
    if subject is hoard:
        match.play(BOAST)
        match.undo()
        match.play(LOOK)
        match.play(BOAST)
        match.undo(2, revealed=True)
    while not match.over:
        match.play(match.legal()[0])
    return match


RECORD = finished().record(legal=True)
LAST = len(RECORD["actions"]) - 1
WITHOUT_POINTS = {key: value for key, value in RECORD["result"].items() if key != "points"}


def changed(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(RECORD), **changes}


def refused(record: Any) -> RecordError:
    with pytest.raises(RecordError) as error:
        replay(record)
    assert error.value.place
    assert error.value.reason
    assert str(error.value) == f"{error.value.place}: {error.value.reason}"
    return error.value


# ----------------------------------------------------------------------------------------------------------------- replaying


@pytest.mark.compiled
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_golden_record_replays_byte_for_byte(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    match = replay(loads(text))
    assert dumps(match.record(legal=True)) + "\n" == text


def golden(subject: Game) -> list[Any]:
    return [loads(path.read_text(encoding="utf-8")) for path in GOLDEN if path.parent.name == subject.name]


@pytest.mark.parametrize("subject", INSTALLED, ids=lambda subject: subject.name)
def test_golden_records_cover_all_numbers_of_players_options_events_and_endings(subject: Game) -> None:
    records = golden(subject)
    happened = [
        event[0] for record in records for step in [{"events": record["setup"]}, *record["actions"]] for event in step["events"]
    ]
    assert {len(record["seats"]) for record in records} == set(range(subject.min_players, subject.max_players + 1))
    for option in subject.options:
        recorded = {option.shown(record["options"].get(option.name, option.default)) for record in records}
        values = (option.low, option.default, option.high) if isinstance(option, Number) else option.values
        assert recorded >= set(map(option.shown, values))
    assert set(happened) == {kind.name for kind in subject.events.values()}
    assert {record["result"]["reason"] for record in records} == ENDINGS[subject.name]
    assert any(record["undone"] for record in records)


@pytest.mark.parametrize("legal", [True, False])
def test_a_replayed_match_equals_the_original(legal: bool) -> None:
    match = finished()
    again = replay(loads(dumps(match.record(legal=legal))))
    assert again.record(legal=legal) == match.record(legal=legal)
    assert again.states.tobytes() == match.states.tobytes()
    assert again.undone == match.undone
    assert again.seats == match.seats


def test_progress_counts_every_action_including_undone_ones() -> None:
    counts: list[int] = []
    replay(RECORD, counts.append)
    assert sum(counts) == len(RECORD["actions"]) + sum(len(undone["actions"]) for undone in RECORD["undone"])


def test_a_record_has_the_fields_of_its_format() -> None:
    assert list(RECORD) == [
        "format",
        "game",
        "rules",
        "options",
        "seats",
        "started",
        "commitment",
        "seed",
        "complete",
        "setup",
        "actions",
        "undone",
        "result",
    ]
    assert RECORD["format"] == "meadhall-match/1"
    assert RECORD["rules"] == 3
    assert RECORD["options"] == {"hand": "few", "mode": "rivals"}
    assert RECORD["seats"] == [{"name": "Astrid", "kind": "human"}, {"name": "Karl", "kind": "bot", "bot": "karl"}]
    assert RECORD["started"] == "2026-11-21T20:00:00Z"
    assert RECORD["setup"][1][:2] == ["dealt", 0]
    assert RECORD["setup"][1][2].startswith("coin")
    assert list(RECORD["result"]) == ["winners", "scores", "points", "reason"]
    assert [undone["after"] for undone in RECORD["undone"]] == [0, 0]
    assert [action["n"] for undone in RECORD["undone"] for action in undone["actions"]] == [1, 2, 3]
    assert RECORD["actions"][0]["n"] == 4


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize("seat", [None, 0, 1])
def test_recorded_actions_equal_those_of_the_record(seat: int | None, sealed: bool) -> None:
    running = hoard.match(players=2, seed="x")
    running.play(LOOK)
    for match in (running, finished()):
        recorded = match.recorded(seat, sealed=sealed)
        assert recorded == match.record(seat, sealed=sealed)["actions"]
        first = recorded[0]["n"]
        assert match.recorded(seat, after=first, sealed=sealed) == recorded[1:]
        assert match.recorded(seat, after=first - 1, sealed=sealed) == recorded


def test_recorded_actions_contain_no_secrets() -> None:
    match = hoard.match(players=2, seed="x")
    match.play(LOOK)
    mine, theirs, watching = match.recorded(0), match.recorded(1), match.recorded()
    assert mine != theirs == watching
    while not match.over:
        match.play(match.legal()[-1])
    assert match.recorded(1, sealed=True)[0] == theirs[0], "other guests may still play with the same seed"
    assert match.recorded(1)[0] == mine[0]


def test_an_abandoned_match_replays_to_its_last_action() -> None:
    match = hoard.match(players=2, seed="x")
    match.play(LOOK)
    record = match.record(abandoned="supper")
    again = replay(record)
    assert (again.over, again.abandoned) == (False, "supper")
    assert again.record() == record


@pytest.mark.parametrize(("players", "mode"), [(2, "rivals"), (4, "sides")])
def test_a_resignation_in_a_match_of_two_sides_awards_the_win_to_the_other(players: int, mode: str) -> None:
    match = hoard.match(players=players, seed="x", mode=mode)
    award = match.resign(1)
    assert award.winners == tuple(range(0, players, 2))
    assert (match.result(), match.outcome(), match.ended) == (None, award, True)
    record = match.record()
    assert record["awarded"] == {"winners": list(award.winners), "scores": [1, 0] * (players // 2), "why": "resignation"}
    assert (record["result"], record["abandoned"]) == (None, "Player 2 resigned")
    again = replay(loads(dumps(record)))
    assert again.outcome() == award
    assert again.record() == record
    match.play(BOAST)
    assert "awarded" not in match.record(), "playing resumes the match"


@pytest.mark.parametrize(("players", "mode", "share"), [(2, "rivals", 0.5), (3, "rivals", 1 / 3), (4, "sides", 0.5)])
def test_an_agreed_draw_is_shared_by_all_parties(players: int, mode: str, share: float) -> None:
    match = hoard.match(players=players, seed="x", mode=mode)
    award = match.agree_to_draw()
    assert award.winners == tuple(range(players))
    assert award.scores == pytest.approx([share] * players)
    record = match.record()
    assert (record["awarded"]["why"], record["result"], record["abandoned"]) == (
        "agreement",
        None,
        "the players agreed to a draw",
    )
    again = replay(loads(dumps(record)))
    assert again.outcome() == award
    assert again.record() == record


def test_who_has_dropped_out_has_no_part_in_an_agreed_draw() -> None:
    match = game("axes-and-allies").match(players=4, seed="x")
    while len(match.living) == 4:
        match.play(match.legal()[0])
    living = match.living
    assert len(living) == 3
    award = match.agree_to_draw()
    assert award.winners == living
    assert award.scores == pytest.approx([1 / 3 if seat in living else 0.0 for seat in range(4)])
    assert replay(loads(dumps(match.record()))).outcome() == award


def test_players_who_win_together_cannot_draw() -> None:
    with pytest.raises(BadSetup, match="can't draw"):
        hoard.match(players=2, seed="x", mode="together").agree_to_draw()


@pytest.mark.parametrize(("players", "mode"), [(3, "rivals"), (2, "together")])
def test_only_a_match_of_two_sides_can_be_resigned(players: int, mode: str) -> None:
    match = hoard.match(players=players, seed="x", mode=mode)
    with pytest.raises(BadSetup, match="two players or sides"):
        match.resign(0)
    assert match.abandoned is None


@pytest.mark.parametrize(
    ("award", "reason"),
    [
        ({"why": "boredom"}, "not for 'boredom'"),
        ({"winners": [1]}, "highest score"),
        ({"winners": [0, 0]}, "highest score"),
        ({"winners": [7]}, "highest score"),
        ({"scores": [1]}, "2 scores"),
        ({"scores": [2, -1]}, "from 0 to 1"),
        ({"scores": [1, 1], "winners": [0, 1]}, "add up to 1"),
    ],
)
def test_an_award_that_does_not_fit_the_match_is_refused(award: dict[str, Any], reason: str) -> None:
    match = hoard.match(players=2, seed="x")
    match.resign(1)
    record = match.record()
    record["awarded"].update(award)
    error = refused(record)
    assert (error.place, reason in error.reason) == ("awarded", True), error


def test_a_match_that_was_not_given_up_has_no_award() -> None:
    error = refused(changed(awarded={"winners": [0], "scores": [1, 0], "why": "time"}))
    assert error.place == "awarded"


def test_only_actions_taken_after_a_hint_are_marked() -> None:
    match = hoard.match(players=2, seed="hinted")
    match.play(BOAST, hinted=True)
    match.undo()
    match.play(LOOK)
    match.play(BOAST, hinted=True)
    record = match.record(abandoned="enough")
    (undone,) = record["undone"]
    assert [action.get("hinted") for action in (*undone["actions"], *record["actions"])] == [True, None, True]
    again = replay(loads(dumps(record)))
    assert dumps(again.record()) == dumps(record)
    assert [step.hinted for step in match.view(1).steps] == [False, True], "hints are public"
    assert [action.get("hinted") for action in match.record(1)["actions"]] == [None, True], "also while the match runs"


def test_the_mark_of_a_hint_must_be_a_boolean() -> None:
    record = changed()
    record["actions"][0]["hinted"] = "a little"
    assert refused(record).place == "actions[0].hinted"
    record["actions"][0]["hinted"] = False
    assert replay(record).record(legal=True) == RECORD


# ------------------------------------------------------------------------------------------------------------------ refusing


def test_a_record_that_names_a_house_rule_at_its_default_is_refused() -> None:
    record = finished(game("axes-and-allies"), last_two="fight").record()
    assert replay(record).record() == record
    usual = finished(game("axes-and-allies")).record()
    assert "last_two" not in usual["options"]
    with pytest.raises(RecordError, match=r"options\.last_two: 'ally' is the default, and a record names a house rule only"):
        replay({**usual, "options": {"last_two": "ally"}})


@pytest.mark.parametrize(
    ("changes", "place", "reason"),
    [
        ({"format": "meadhall-match/2"}, "format", "this program reads meadhall-match/1"),
        ({"game": "chess"}, "game", "no game 'chess'"),
        ({"rules": 2}, "rules", "recorded with version 2; this program plays version 3"),
        ({"options": {}}, "options", "every option"),
        ({"options": {"hand": "few", "mode": "x"}}, "setup", "not 'x'"),
        ({"seats": []}, "setup", "2 to 4 players"),
        ({"seats": [{"name": "A", "kind": "cat"}] * 2}, "seats[0]", "not 'cat'"),
        ({"seats": [{"name": "A", "kind": "human", "bot": "b"}] * 2}, "seats[0]", "a person's seat must not"),
        ({"seats": [{"name": "A"}]}, "seats[0]", "kind"),
        ({"seats": [{"name": "A", "kind": "human", "bot": None}] * 2}, "seats[0].bot", "got `null`"),
        ({"started": "yesterday"}, "started", "not a time like"),
        ({"started": "2026-1-1T1:1:1Z"}, "started", "not a time like"),
        ({"started": "٢٠٢٦-11-21T20:00:00Z"}, "started", "not a time like"),
        ({"rules": "\ud800"}, "record", "not valid Unicode"),
        ({"abandoned": "\udc00"}, "record", "not valid Unicode"),
        ({"\ud800": 1}, "record", "not valid Unicode"),
        ({"rules": 10**5000}, "record", "JSON can't represent"),
        ({"rules": {1, 2}}, "record", "JSON can't represent"),
        ({"seats": [{"name": "A\x1b[2J", "kind": "human"}] * 2}, "seats[0]", "must not contain control characters"),
        ({"commitment": "0" * 64}, "commitment", "SHA-256"),
        ({"seed": "xyz"}, "seed", "hexadecimal"),
        ({"seed": "00" * 31}, "seed", "32 bytes"),
        ({"seed": RECORD["seed"].upper()}, "seed", "lower-case"),
        ({"seed": None}, "seed", "got `null`"),
        ({"complete": False}, "complete", "filtered"),
        ({"colour": "red"}, "record", "unknown field"),
        ({"clock": {"seconds": 60}}, "clock", "an object with a kind"),
        ({"clock": {"kind": "seat", "seconds": -1}}, "clock", "a number of seconds"),
        ({"clock": {"kind": "seat", "text\n": 1}}, "clock", "control characters"),
        ({"clock": {"kind": "seat", **{f"n{k}": k for k in range(10)}}}, "clock", "at most 10 values"),
        ({"clock": None}, "clock", "got `null`"),
        ({"actions": [{**RECORD["actions"][0], "seconds": -1}, *RECORD["actions"][1:]]}, "actions[0].seconds", ">= 0"),
        ({"setup": []}, "setup", "nothing recorded"),
        ({"setup": [*RECORD["setup"], ["starts", 0]]}, "setup", "starts(0) recorded, nothing derived"),
        ({"setup": [[], *RECORD["setup"][1:]]}, "setup", "an empty event recorded"),
        ({"undone": []}, "actions[0].n", "4 instead of 1"),
        ({"actions": RECORD["actions"][::-1]}, "actions[1].n", "but the numbers must ascend"),
        ({"actions": RECORD["actions"][:-1]}, "result", "not ended"),
        ({"result": None}, "result", "missing"),
        ({"abandoned": "tired"}, "abandoned", "played to its end"),
        ({"abandoned": None}, "abandoned", "got `null`"),
        ({"result": {**RECORD["result"], "points": None}}, "result.points", "got `null`"),
        ({"result": {**RECORD["result"], "winners": []}}, "result, winners", "recorded"),
        ({"result": {**RECORD["result"], "scores": [0.5, 0.5]}}, "result, scores", "derived"),
        ({"result": {**RECORD["result"], "points": [0, 0]}}, "result, points", "derived"),
        ({"result": WITHOUT_POINTS}, "result, points", "None recorded"),
        ({"result": {**RECORD["result"], "reason": "HO-1.1"}}, "result, reason", "HO-1.1 recorded, HO-3.1 derived"),
    ],
)
def test_an_invalid_record_is_refused_with_place_and_reason(changes: dict[str, Any], place: str, reason: str) -> None:
    error = refused(changed(**changes))
    assert error.place == place
    assert reason in error.reason


def test_a_changed_event_is_refused_with_the_recorded_and_the_derived_event() -> None:
    record = changed()
    event = record["actions"][0]["events"][0]
    event[1] = 1 - event[1]
    error = refused(record)
    assert error.place == "action 4"
    assert error.reason == f"played(1, {event[2]}) recorded, played(0, {event[2]}) derived"


def test_true_is_not_one_in_an_event() -> None:
    record = changed()
    event = next(event for action in record["actions"] for event in action["events"] if event[1:2] == [1])
    event[1] = True
    assert "recorded" in refused(record).reason


def test_a_changed_action_is_refused() -> None:
    for field, value, reason in (("action", 99, "outside"), ("seat", 1, "turn"), ("legal", 9, "9 legal actions recorded")):
        record = changed()
        record["actions"][0][field] = value
        error = refused(record)
        assert error.place == "action 4"
        assert reason in error.reason


def test_a_record_without_its_seed_is_refused() -> None:
    record = changed()
    del record["seed"]
    assert str(refused(record)) == "seed: missing: this record can be read but not replayed"


@pytest.mark.parametrize("field", ["text", "hinted", "legal"])
def test_an_optional_field_of_an_action_must_not_be_null(field: str) -> None:
    record = changed()
    record["actions"][2][field] = None
    error = refused(record)
    assert error.place == f"actions[2].{field}"
    assert "got `null`" in error.reason


@pytest.mark.parametrize(
    ("index", "number", "place", "reason"),
    [
        (3, 3, "actions[3].n", "3 after 6, but the numbers must ascend"),
        (3, 6, "actions[3].n", "6 after 6, but the numbers must ascend"),
        (0, 3, "undone[1].actions[1].n", "3 instead of 4"),
        (LAST, 1000, f"actions[{LAST}].n", "1000 instead of"),
    ],
)
def test_a_number_out_of_order_is_refused_with_its_place(index: int, number: int, place: str, reason: str) -> None:
    record = changed()
    record["actions"][index]["n"] = number
    error = refused(record)
    assert error.place == place
    assert error.reason.startswith(reason)


def test_a_missing_number_is_reported_at_the_following_action() -> None:
    record = changed()
    del record["actions"][1]
    assert str(refused(record)).startswith("actions[1].n: 6 instead of 5")


def test_undone_actions_that_were_never_last_are_refused() -> None:
    record = finished().record()
    record["undone"][1]["after"] = 7
    assert refused(record).place == "undone"


def test_the_record_of_an_unfinished_match_needs_a_reason() -> None:
    record = hoard.match(players=2, seed="x").record(abandoned="supper")
    del record["abandoned"]
    assert "given up" in refused(record).reason


def test_refusals_do_not_repeat_long_parts_of_a_record() -> None:
    assert len(str(refused(changed(seed="x" * 10_000, commitment="y" * 10_000, game="z" * 10_000)))) < 500
    record = changed()
    record["actions"][0]["events"][0] = ["\x1b[2J", "long" * 1000]
    reason = refused(record).reason
    assert len(reason) < 500
    assert reason.isprintable()


@pytest.mark.parametrize("record", [None, [], "text", 7])
def test_a_value_that_is_no_record_is_refused(record: Any) -> None:
    assert "object was expected" in refused(record).reason


Path_ = tuple[Any, ...]


def places(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """Yield the path of every value in a JSON document."""
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from places(inner, (*path, index))


SMALL = finished(game("axes-and-allies")).record(legal=True)
PLACES = [place for place in places(SMALL) if place]
FREE = {"text", "name", "bot", "started", "abandoned"}  # free texts, which a replay doesn't check
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(0, 3), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=1),
)


def corrupted(record: Any, place: Path_, how: str, junk: Any) -> Any:
    """Return a copy of the record in which the value at ``place`` is dropped, altered, or has a new neighbour."""
    copied = copy.deepcopy(record)
    inner = copied
    for step in place[:-1]:
        inner = inner[step]
    if how == "drop":
        del inner[place[-1]]
    elif how == "alter":
        inner[place[-1]] = junk
    elif isinstance(inner, list):
        inner.insert(place[-1], junk)
    else:
        inner[f"{place[-1]}x"] = junk
    return copied


@given(st.sampled_from(PLACES), st.sampled_from(["drop", "alter", "add"]), JUNK)
def test_a_corrupted_record_is_refused_or_replays_the_same(place: Path_, how: str, junk: Any) -> None:
    record = corrupted(SMALL, place, how, junk)
    try:
        again = replay(json.loads(json.dumps(record)))
    except RecordError as error:
        assert error.place
        assert error.reason
        return
    kept = again.record(legal=True)
    assert FREE & set(place) or place[-1] == "legal" or kept == SMALL == loads(dumps(record)), (place, how, junk)
    assert [action["events"] for action in kept["actions"]] == [action["events"] for action in SMALL["actions"]]
    assert kept["result"] == SMALL["result"]
    assert kept["setup"] == SMALL["setup"]


# --------------------------------------------------------------------------------------------------------------------- files


def test_a_file_contains_one_record_or_one_per_line(tmp_path: Path) -> None:
    one, two = tmp_path / "one.match.json", tmp_path / "two.jsonl"
    for encoding in ("utf-8", "utf-8-sig"):
        one.write_text(json.dumps(RECORD, indent=2), encoding)
        two.write_text(f"{dumps(RECORD)}\n\n{dumps(SMALL)}\n", encoding)
        assert list(read_records(one)) == [RECORD]
        assert list(read_records(two)) == [RECORD, SMALL]
        assert loads(one.read_bytes()) == RECORD


@pytest.mark.parametrize(
    ("content", "place", "reason"),
    [
        (b"", "file", "empty"),
        (b"{", "file", "not JSON"),
        (b"[]", "file", "object was expected"),
        (b"{}\n{\n", "file, line 2", "not JSON"),
        (b"{}\n[]\n", "file, line 2", "object was expected"),
        (b"\xff", "file", "not UTF-8"),
        (b"[" * 100_000, "file", "not JSON"),
        (b'{"rules": 7, "rules": 1}', "file", "'rules' occurs twice"),
        (b'{\n"rules": 7,\n"rules": 1}', "file", "'rules' occurs twice"),
        (b'{}\n{"seats": [{"name": "A", "name": "B"}]}', "file, line 2", "'name' occurs twice"),
        (b'{}\n\n{"a": 1,, "b": 2}\n', "file, line 3", "line 3, column 9 can't be read"),
        (b'{"a": 1,, "b": 2}\n{}', "file, line 1", "line 1, column 9 can't be read"),
        (b'{\n"a": 1,\n"b": [1, 2,, 3]\n}\n', "file", "line 3, column 12 can't be read"),
        (b'{"a": 1,\n"b": 2}\n}\n', "file", "line 3, column 1: text follows the record"),
        (b'{\n"a": {"c": 1}},\n"b": 2\n}\n', "file", "line 2, column 15: text follows the record"),
        (b'{\n"a": {"c": 1},\n"b": 2\n', "file", "ends too early"),
    ],
)
def test_an_invalid_file_is_refused(tmp_path: Path, content: bytes, place: str, reason: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(RecordError) as error:
        list(read_records(path))
    assert error.value.place == str(tmp_path / place)
    assert reason in error.value.reason


def test_only_line_feeds_end_lines(tmp_path: Path) -> None:
    record = Match(hoard, seats=["Astrid", "Karl"], seed="lines").record(abandoned="never begun")
    records = [record | {"abandoned": f"never{separator}begun"} for separator in "\u2028\u2029"]
    file = tmp_path / "two.jsonl"
    file.write_text("\r\n".join(map(dumps, records)), encoding="utf-8", newline="")
    assert list(read_records(file)) == records


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="No such file"):
        list(read_records(tmp_path / "nowhere"))


def test_duplicate_names_are_found_in_linear_time() -> None:
    compared = 0

    class Name(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

    pairs = [(Name(k % 999), 0) for k in range(1000)]
    with pytest.raises(ValueError, match="'0' occurs twice"):
        record_module._named_once(list(pairs))
    assert compared < 10_000


@pytest.mark.parametrize("error", [RecordError("action 3", "hits(0, 2)"), ConformanceError("determinism", "hoard", "differs")])
def test_errors_can_be_pickled_and_copied(error: MeadhallError) -> None:
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"seats": [{"name": "x" * 61, "kind": "human"}, {"name": "B", "kind": "human"}]}, "seats[0].name"),
        ({"seats": [{"name": "A\u202eB", "kind": "human"}, {"name": "B", "kind": "human"}]}, "seats[0]"),
        ({"seats": [{"name": "A\u200bB", "kind": "human"}, {"name": "B", "kind": "human"}]}, "seats[0]"),
        ({"seats": [{"name": "A", "kind": "bot", "bot": "x" * 61}, {"name": "B", "kind": "human"}]}, "seats[0].bot"),
        ({"abandoned": "x" * 201}, "abandoned"),
        ({"abandoned": "it's\u2066 late"}, "abandoned"),
    ],
)
def test_texts_that_are_too_long_or_invisible_are_refused_with_their_place(change: dict[str, Any], place: str) -> None:
    record = game("axes-and-allies").match(players=2, seed="any").record(abandoned="it's late")
    replay(record | {"seats": [{"name": "x" * 60, "kind": "human"}, {"name": "🪓", "kind": "human"}]})
    with pytest.raises(RecordError) as refused:
        replay(record | change)
    assert str(refused.value).startswith(place)


def test_the_clock_and_the_seconds_of_a_record_are_kept_and_verified_with_it() -> None:
    clock = {"kind": "seat", "seconds": 300, "increment": 2.5, "time_up": "resign"}
    match = Match(hoard, seed=bytes(32), clock=clock)
    match.play(match.legal()[0], seconds=12.3)
    match.play(match.legal()[0])
    match.note_seconds(0.04)
    record = loads(dumps(match.record(abandoned="tired")))
    assert record["clock"] == clock
    assert [action["seconds"] for action in record["actions"]] == [12.3, 0.0]
    assert replay(record).record() == record
