"""Options: choices, and documents, whose mistakes are reported with their lines."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games_for_tests.coins import COINS, FILE, Coins, game as coins
from games_for_tests.hoard import game as hoard
from meadhall import BadSetup, Match
from meadhall.engine.errors import RecordError
from meadhall.engine.laws.check_game import setups
from meadhall.engine.laws.declaration_laws import options_have_names, rulebook_knows_options
from meadhall.engine.laws.knowledge import Broken
from meadhall.engine.match.record import dumps, loads
from meadhall.engine.options import CACHE_SIZE, MAX_DOTS, MAX_SIZE, Choice, Document, HouseRule, Number, Origin
from meadhall.engine.registry import game as find, registered
from meadhall.engine.replay import replay
from meadhall.engine.rulebook import rule_sentence
from meadhall.engine.text.language import speaking

BUILT_IN = FILE.read_text("utf-8")
RENAMED = BUILT_IN.replace('"sovereign"', '"pistole"')


@pytest.fixture(autouse=True)
def registered_coins() -> Iterator[None]:
    """Register the game for these tests only; in a hall it would be an extra tile."""
    with registered(coins):
        yield


def objected(value: Any) -> str:
    """Return the reason why a document is refused."""
    with pytest.raises(BadSetup) as error:
        COINS.check(value)
    assert "\n" not in str(error.value)
    return str(error.value)


# ----------------------------------------------------------------------------------------------------------------- choices


def test_a_choice_accepts_only_its_values() -> None:
    speed = Choice("speed", {"slow": "as always", "fast": "in haste"})
    assert (speed.default, speed.usage) == ("slow", "slow|fast")
    assert [speed.encode(speed.check(value)) for value in speed.values] == [(0,), (1,)]
    assert speed.read("fast") == speed.shown("fast") == "fast"
    for value in ("faster", 1, None, ["fast"]):
        with pytest.raises(BadSetup, match="speed must be one of slow, fast, not"):
            speed.check(value)


def test_people_read_names_in_their_language_and_a_check_demands_them() -> None:
    bare, named = (
        Choice("variant", {"strategic": "A sentence."}),
        Choice("variant", {"strategic": ("Hidden hands", "A sentence.")}),
    )
    titled = Choice("variant", {"strategic": ("Hidden hands", "A sentence.")}, title="Cards")
    with speaking("de"):
        assert find("viking-axes").options[0].label("strategic") == "Verdeckte Handkarten"
    assert (bare.label("strategic"), named.label("strategic"), named.label("gone")) == ("strategic", "Hidden hands", "gone")
    for option, fault in ((bare, "option variant has no title"), (named, "option variant has no title"), (titled, None)):
        subject = replace(coins, options=(option,))
        with pytest.raises(Broken, match=fault) if fault else nullcontext():
            options_have_names(subject)
    with pytest.raises(Broken, match="value strategic of option variant has no name"):
        options_have_names(replace(coins, options=(Choice("variant", {"strategic": "A sentence."}, title="Cards"),)))


def test_a_check_demands_that_the_rulebook_says_in_every_language_what_an_option_changes(tmp_path: Path) -> None:
    values = {"lost": (Origin.PRINTED, "Bids are lost", "…"), "back": (Origin.HOUSE, "Losing bids come back", "…")}
    bids = HouseRule("bids", values, title="Bids", rules=("c-9", "c-2"))
    text = "- **c-2** A bid is {bids=?,lost: lost}{bids=back: returned}.\n- **c-9** *Back*{bids=?,back: , a house rule}.\n"
    subject = replace(coins, options=(bids,), folder=tmp_path)
    for english, german, fault in (
        (text, text, None),
        (text, text.replace("{bids=?,lost: lost}{bids=back: returned}", "lost"), r"\(de\) .* option bids lacks c-2"),
        (text.replace("{bids=?,back: , a house rule}", ""), text, r"\(en\) .* option bids lacks c-9"),
        (text + "- **c-3** {bids=back: More.}\n", text, r"\(en\) .* option bids lacks c-3"),
        (text, text.replace("bids=back", "bids=bakc"), r"\(de\) asks for bids=bakc"),
        (text.replace("bids=back", "bid=back"), text, r"\(en\) asks for bid=back"),
    ):
        (tmp_path / "rulebook.md").write_text(english, encoding="utf-8")
        (tmp_path / "rulebook.de.md").write_text(german, encoding="utf-8")
        with pytest.raises(Broken, match=fault) if fault else nullcontext():
            rulebook_knows_options(subject)
    (tmp_path / "rulebook.md").write_text(text, encoding="utf-8")
    told = [rule_sentence(subject, "c-2", options) for options in (None, {"bids": "lost"}, {"bids": "back"})]
    assert told == ["A bid is lost.", "A bid is lost.", "A bid is returned."]


SIDES = Number("sides", "So many sides.", 6, (4, 12), title="Sides", rules=("c-1", "c-2"))


def test_a_number_of_the_rules_is_an_integer_within_its_bounds() -> None:
    assert [SIDES.check(value) for value in (6, "8", np.int64(4), "12")] == [6, 8, 4, 12]
    for wrong in (3, 13, "3", "six", "", "5.5", 5.0, True, None, [6], "9" * 5000):
        with pytest.raises(BadSetup, match="option sides must be a number from 4 to 12, not"):
            SIDES.check(wrong)
    with pytest.raises(ValueError, match="is 3, which is not from 4 to 12"):
        Number("sides", "So many sides.", 3, (4, 12), title="Sides")
    assert (list(SIDES.encode(8)), SIDES.read("8"), SIDES.shown(8)) == ([8], "8", "8")
    with speaking("de"):
        assert SIDES.explained(8).endswith("Eine Hausregel. Gedruckt: 6.")


def test_the_rulebook_shows_the_number_that_is_played(tmp_path: Path) -> None:
    subject = replace(coins, options=(SIDES,), folder=tmp_path)
    text = "- **c-1** {sides} sides{sides=?: , or others}{sides=other: , not six}.\n"
    text += "- **c-2** {sides=?,printed: Usual}{sides=other: Other} dice.\n"
    for language in ("", ".de"):
        (tmp_path / f"rulebook{language}.md").write_text(text, encoding="utf-8")
    rulebook_knows_options(subject)
    told = [rule_sentence(subject, "c-1", options) for options in (None, {"sides": 6}, {"sides": 9})]
    assert told == ["6 sides, or others.", "6 sides.", "9 sides, not six."]
    (tmp_path / "rulebook.md").write_text(text.replace("=other: , not six", "=9: , not six"), encoding="utf-8")
    with pytest.raises(Broken, match=r"\(en\) asks for sides=9"):
        rulebook_knows_options(subject)


# --------------------------------------------------------------------------------------------------------- contents of records


def test_the_built_in_document_is_recorded_as_its_hash() -> None:
    assert set(COINS.default) == {"sha256"}
    for value in (BUILT_IN, BUILT_IN.encode(), FILE, COINS.default, BUILT_IN.replace("\n", "\r\n"), "# mine\n" + BUILT_IN):
        assert COINS.check(value) == COINS.default
    assert COINS.of(COINS.default).names[-1] == "sovereign"


def test_an_uploaded_document_is_recorded_as_its_hash_and_its_data() -> None:
    value = COINS.check(RENAMED)
    written = json.dumps(value["data"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert value["sha256"] == hashlib.sha256(written.encode()).hexdigest()
    assert value["data"]["coin"][-1] == {"name": "pistole", "metal": "gold"}
    assert COINS.of(value).names[-1] == "pistole"
    assert COINS.check(value) == COINS.check(value["data"]) == value


def test_changing_a_record_or_the_given_data_does_not_change_the_match() -> None:
    data = COINS.check(RENAMED)["data"]
    for value in (COINS.default, data):
        match = coins.match(players=2, seed="x", coins=value)
        before = dumps(match.record())
        match.record()["options"]["coins"]["sha256"] = "0" * 64
        data["coin"][0]["name"] = "button"
        assert dumps(match.record()) == before
    assert coins.match(players=2, seed="x").options["coins"] == COINS.default


def test_the_hash_depends_on_content_and_not_on_formatting() -> None:
    value = COINS.check(RENAMED)
    data = json.loads(json.dumps(value["data"]))
    backwards = {key: data[key] for key in reversed(data)}
    assert COINS.check(backwards)["sha256"] == value["sha256"]
    assert COINS.check(RENAMED.replace("Ribe", "Århus"))["sha256"] != value["sha256"]


def test_a_byte_order_mark_is_ignored() -> None:
    assert COINS.check("\ufeff".encode() + BUILT_IN.encode()) == COINS.default


def test_the_short_form_of_a_document_is_the_start_of_its_hash() -> None:
    value = COINS.check(RENAMED)
    assert COINS.shown(value) == value["sha256"][:8]
    assert COINS.shown(COINS.default) == "built in"


def test_rules_get_the_codes_of_a_document_after_those_of_the_other_options() -> None:
    options = coins.check_options(
        {"hand": "many", "coins": BUILT_IN.replace('"farthing"\nmetal = "copper"', '"a"\nmetal = "gold"')}
    )
    assert coins.encode_options(options).tolist() == [1, 0, 2, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2]


def test_a_match_uses_the_names_of_its_document() -> None:
    match = Match(coins, players=2, seed="names", options={"coins": RENAMED})
    assert match.game.words is coins.edition_for(match.options).words
    assert coins.edition_for(match.options | {"coins": COINS.default}) is coins
    while not match.over:
        match.play(match.legal()[0])
    text = dumps(match.record())
    assert "pistole" in text
    assert "sovereign" not in text


@pytest.mark.parametrize("text", [BUILT_IN, RENAMED], ids=["built in", "uploaded"])
def test_a_record_with_a_document_replays(text: str) -> None:
    match = Match(coins, players=3, seed="record", options={"coins": text})
    draw = random.Random(1)
    while not match.over:
        match.play(draw.choice(match.legal()))
    record = match.record()
    assert record["options"]["coins"] == COINS.check(text)
    assert ("data" in record["options"]["coins"]) == (text != BUILT_IN)
    again = replay(loads(dumps(record)))
    assert again.record() == record


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda value: value.pop("data"), "its data is missing"),
        (lambda value: value.update(sha256="0" * 64), "the data's hash is"),
        (lambda value: value["data"]["coin"][0].update(name="doit"), "the data's hash is"),
        (lambda value: value.update(path="/etc/passwd"), "must hold sha256 and data, not sha256, data, path"),
        (lambda value: value["data"]["coin"].pop(), "12 coins are needed, not 11"),
        (lambda value: value.update(data=None), "expected `object`, got `null`"),
    ],
)
def test_a_record_with_a_manipulated_document_is_refused(change: Any, reason: str) -> None:
    record = json.loads(dumps(Match(coins, players=2, seed="x", options={"coins": RENAMED}).record(abandoned="x")))
    change(record["options"]["coins"])
    with pytest.raises(RecordError, match=reason):
        replay(record)


def test_a_record_must_not_contain_the_data_of_the_built_in_document() -> None:
    record = json.loads(dumps(Match(coins, players=2, seed="x").record(abandoned="x")))
    record["options"]["coins"]["data"] = json.loads(json.dumps(COINS._data(BUILT_IN)))
    with pytest.raises(RecordError, match="every option with its checked value: hand, mode, coins"):
        replay(record)


# ---------------------------------------------------------------------------------------------------------------- mistakes


GROAT = '[[coin]]\nname = "groat"\nmetal = "silver"\n'
DOIT = '[[coin]]\nname = "doit"\nmetal = "gold"\n'


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("schema = 1", "schema = 2", "schema: 1 is needed, not 2"),
        ("schema = 1", "schema = 1\nking = 3", "object contains unknown field `king`"),
        ("[mint]", "[[king]]\n[mint]", "object contains unknown field `king`"),
        ("[mint]", "[king.of]\n[mint]", "object contains unknown field `king`"),
        ('"groat"', '"penny"', "coin[3].name: penny is there twice"),
        ('"groat"', "4", "coin[3].name: expected `str`, got `int`"),
        ('"groat"', '""', "coin[3].name: expected `str` of length >= 1"),
        ('name = "groat"\n', "", "coin[3]: object missing required field `name`"),
        ('"gold"', '"iron"', "coin[8].metal of 'mark': invalid enum value 'iron'"),
        ('metal = "gold"', 'metall = "gold"', "coin[8] of 'mark': object contains unknown field `metall`"),
        ('"gold"', '"gold"\nedge.milled = true', "coin[8] of 'mark': object contains unknown field `edge`"),
        (GROAT, "", "coin[10] of 'sovereign': 12 coins are needed, not 11"),
        (GROAT, GROAT + DOIT, "coin[12] of 'sovereign': 12 coins are needed, not 13"),
        ("schema = 1", "schema = 1 2", "not TOML: line 2, column 12 can't be read"),
        ("schema = 1", "schema = 1\nschema = 1", "not TOML: line 3 sets a value again"),
        ('"groat"', '"groat', "not TOML: line 20, column 14 can't be read"),
    ],
)
def test_a_mistake_is_reported_with_its_path_and_the_name_of_its_entry(old: str, new: str, message: str) -> None:
    assert objected(BUILT_IN.replace(old, new, 1)) == f"coins: {message}"


def test_a_mistake_in_a_file_or_in_bytes_is_reported_alike(tmp_path: Path) -> None:
    text = BUILT_IN.replace('"groat"', "4")
    path = tmp_path / "my.toml"
    path.write_text(text, "utf-8")
    assert objected(path) == objected(text.encode()) == objected(text)


def test_a_mistake_in_data_is_reported_with_its_path() -> None:
    data = COINS._data(BUILT_IN)
    data["coin"][3]["name"] = 4
    assert objected(data) == "coins: coin[3].name: expected `str`, got `int`"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("", "object missing required field `coin`"),
        (b"schema = 1\n\n\xff", "line 3: not text in UTF-8"),
        (Path("/nowhere/at/all.toml"), "/nowhere/at/all.toml can't be read: No such file or directory"),
        (Path("/"), "/ can't be read: Is a directory"),
        ("# mine\nschema = 1979-05-27", "coins: schema: 1979-05-27 is neither text nor a number"),
        ("# mine\nschema = nan", "coins: schema: nan is neither text nor a number"),
        (r'city = "\u001b[31mred"', r"coins: city: '\x1b[31mred' can't be printed"),
        ('"a\\nb" = 1', r"coins: 'a\nb' can't be a name"),
        ({1: 2, "coin": []}, "coins: 1 can't be a name"),
        (Path("a\0b"), r"'a\x00b' is not a valid file name"),
        (7, "it must be a document, not int"),
        (None, "it must be a document, not NoneType"),
        (["coin"], "it must be a document, not list"),
        ({"coin": [{"name": "\ud800", "metal": "gold"}]}, r"coin[0].name: '\ud800' can't be printed"),
    ],
    ids=str,
)
def test_an_invalid_document_is_refused(value: Any, reason: str) -> None:
    assert reason in objected(value)


def test_a_huge_number_in_a_document_is_refused() -> None:
    for huge in (
        {"coin": [], "weight": 10**5000},
        f"schema = {'9' * 5000}",
        f"schema = [-{'9_' * 5000}9]",
        f"schema = 0x{'f' * 5000}",
    ):
        assert "a number with thousands of digits" in objected(huge)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("#\n" * MAX_SIZE, "longer than 128 KB"),
        ({"coin": [], "mint": "x" * MAX_SIZE}, "longer than 128 KB"),
        (f"[mint]\n{'x.' * MAX_DOTS}x.x = 1", f"line 2: more than {MAX_DOTS} dots"),
        ("x = " + "[\n" * 10_000 + "]\n" * 10_000, "nested too deeply"),
    ],
    ids=["long text", "long data", "deep keys", "deep"],
)
def test_a_document_that_would_take_long_to_parse_is_refused(value: Any, reason: str) -> None:
    assert reason in objected(value)


def test_reading_an_endless_file_stops_at_the_size_limit() -> None:
    assert "longer than 128 KB" in objected(Path("/dev/zero"))


def test_only_a_path_object_makes_it_read_a_file(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text(RENAMED, "utf-8")
    for value in (str(path), str(path).encode(), {"path": str(path)}, {"data": str(path), "sha256": ""}):
        objected(value)
    assert COINS.check(COINS.read(str(path)))["data"]["coin"][-1]["name"] == "pistole"


def test_the_cache_of_documents_is_limited() -> None:
    option = Document("coins", "", FILE, Coins, lambda _coins: (), lambda coins: (len(coins.names[0]),))
    values = [
        option.check(BUILT_IN.replace("farthing", "x" * (1 + k % 20)).replace("Ribe", str(k))) for k in range(2 * CACHE_SIZE)
    ]
    assert len(option._cache) <= CACHE_SIZE
    assert [option.encode(value) for value in values] == [(1 + k % 20,) for k in range(2 * CACHE_SIZE)]


# --------------------------------------------------------------------------------------------------------- on a command line


def test_options_are_read_from_command_line_texts(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text(RENAMED, "utf-8")
    assert coins.read_options({"hand": "many", "coins": str(path)}) == {
        "hand": "many",
        "mode": "rivals",
        "coins": COINS.check(RENAMED),
    }
    assert coins.read_options({}) == {"hand": "few", "mode": "rivals", "coins": COINS.default}
    with pytest.raises(BadSetup, match="no option 'speed'; its options: hand, mode"):
        hoard.read_options({"speed": "fast"})


def test_a_record_names_a_house_rule_only_where_it_holds_and_lacks_it_otherwise() -> None:
    axes = find("axes-and-allies")
    assert axes.match(players=2).record()["options"] == {}, "as before there was a house rule"
    assert axes.match(players=2, last_two="fight").record()["options"] == {"last_two": "fight"}


def test_a_match_with_another_number_of_the_rules_is_recorded_and_replayed() -> None:
    axes = find("axes-and-allies")
    match = axes.match(players=3, seed="numbers", sides=12, kills_on="6")
    while not match.over:
        match.play(match.legal()[-1 if len(match.steps) % 3 else 0])
    record = json.loads(json.dumps(match.record()))
    assert record["options"] == {"sides": 12, "kills_on": 6}
    assert replay(record).result() == match.result()
    with pytest.raises(RecordError, match="from 4 to 12, not 20"):
        replay({**record, "options": {"sides": 20}})


def test_house_rules_and_bounds_of_numbers_are_tried_one_by_one_and_all_together() -> None:
    axes = find("axes-and-allies")
    tried = [axes.recorded_options(options) for _, options in setups(axes, 3)]
    assert tried[:5] == [{}, {"last_two": "fight"}, {"sides": 4}, {"sides": 12}, {"kills_on": 6}]
    assert tried[5:] == [{"last_two": "fight", "sides": sides, "kills_on": 6} for sides in (4, 12)]
    assert all(options["sides"] == 8 for _, options in setups(axes, 3, {"sides": 8, "kills_on": 2}))
    allies = find("dungeon-allies")
    changed = [len(allies.recorded_options(options)) - 1 for _, options in setups(allies, 2)]
    assert sorted(changed) == [0, *[1] * 10, 9, 9], "seven house rules, two numbers with three bounds that aren't printed"
    assert [options["order"] for _, options in setups(find("axxa"), 2) if options["worth"] == "number"] == ["skip", "skip"]
