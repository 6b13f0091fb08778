"""People read an option and its values in words; the command line, the API and records name them by their ids."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest

from games_for_tests.every import EVERY_GAME
from games_for_tests.hoard import game as hoard
from meadhall import Game
from meadhall.cli import main
from meadhall.engine.game import Choice
from meadhall.engine.match.record import dumps, loads
from meadhall.engine.options import Document, HouseRule, Number, Option
from meadhall.engine.rulebook import rulebook_text
from meadhall.engine.text.language import LANGUAGES, gettext, speaking
from meadhall.server.settings import Settings
from meadhall.server.store import tables
from server.people import OpenHall, Person, open_hall
from server.rows import save

INSTALLED = [subject for subject in EVERY_GAME if subject is not hoard]
for_every_game = pytest.mark.parametrize("subject", INSTALLED, ids=lambda subject: subject.name)

Names = dict[str, list[str]]


def named_values(option: Option) -> list[str]:
    """Return the ids of the values of an option; a document and a number have none."""
    return list(option.values) if isinstance(option, Choice) and not isinstance(option, Number) else []


def names_of(subject: Game) -> Names:
    """Return the names of the options and of their values."""
    return {option.name: named_values(option) for option in subject.options}


def words_of(subject: Game) -> list[tuple[str, list[str]]]:
    """Return the names of the options and of their values for people, in the current language."""
    return [(gettext(option.title), list(map(option.label, named_values(option)))) for option in subject.options]


@for_every_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rulebook_lists_and_mentions_options_by_their_words(subject: Game, language: str) -> None:
    with speaking(language):
        text, words = rulebook_text(subject), words_of(subject)
        unmentioned = {option.label(option.default) for option in subject.options if isinstance(option, HouseRule)}
        unmentioned.add(gettext("Corners count"))
        numbers = {gettext(option.title): str(option.default) for option in subject.options if isinstance(option, Number)}
    prose, _, listed = text.rpartition("\n## ")
    named = re.findall(r"^- \*(.+?)(?:: (.+?))?\*", listed, re.MULTILINE)
    if words:
        assert named == [(title, label) for title, labels in words for label in labels or [numbers.get(title, "")]]
    mentioned = " ".join(prose.split())
    missing = {label for _, labels in words for label in labels if f"*{label}*" not in mentioned}
    assert missing <= unmentioned, "the rules say what each value changes"


@for_every_game
@pytest.mark.asyncio(loop_scope="module")
async def test_the_lobby_shows_every_option_and_value_in_words(hall: OpenHall, subject: Game, at_once: None) -> None:
    host = hall.person()
    table = await host.open(subject.name, max(2, subject.min_players))
    for language in LANGUAGES:
        await host.post("/settings", {"language": language})
        page = unescape((await host.get(f"/tables/{table}")).text)
        with speaking(language):
            documents = {gettext(option.title) for option in subject.options if isinstance(option, Document)}
            words = sorted(words_of(subject), key=lambda named: named[0] in documents)  # documents come last
        assert re.findall(r'<b class="option-name">(.*?)</b>', page) == [title for title, _ in words]
        shown = re.findall(
            r'<input type="radio" name="(\w+)" value="(\w+)"[^>]*><span><b class="option-value">(.+?)</b> (.*?)</span>', page
        )
        values = [(name, value) for name, values in names_of(subject).items() for value in values]
        assert [(name, value) for name, value, _, _ in shown] == values
        assert [label for _, _, label, _ in shown] == [label for _, labels in words for label in labels]
        assert all(len(text) > 10 for *_, text in shown)
        fields = re.findall(r'<input type="number" id="number-\w+" name="(\w+)" min="(\d+)" max="(\d+)" value="(\d+)"', page)
        numbers = [option for option in subject.options if isinstance(option, Number)]
        assert fields == [(each.name, str(each.low), str(each.high), str(each.default)) for each in numbers]


@pytest.mark.asyncio(loop_scope="module")
async def test_a_host_changes_a_number_of_the_rules_within_its_bounds(hall: OpenHall, at_once: None) -> None:
    host = hall.person()
    table = await host.open("axes-and-allies", 2)
    await host.post(f"/tables/{table}/options", {"last_two": "ally", "sides": "8", "kills_on": "5"})
    for wrong in ("3", "13", "six", "", "5.5"):
        refused = await host.post(f"/tables/{table}/options", {"sides": wrong})
        assert "from 4 to 12" in refused.text
    page = await visible(host, f"/tables/{table}")
    assert "Sides of the die: 8 · Roll that always kills: 5" in page
    assert "a roll of 5 or more kills" in await visible(host, f"/tables/{table}/rules")
    (told,) = (each for each in (await (await hall.program()).read("/games")).json() if each["name"] == "axes-and-allies")
    (sides,) = (option["number"] for option in told["options"] if option["name"] == "sides")
    assert (sides["default"], sides["minimum"], sides["maximum"]) == (6, 4, 12)


@pytest.mark.asyncio(loop_scope="module")
async def test_people_read_no_ids_of_options_values_and_levels(hall: OpenHall, at_once: None) -> None:
    host = hall.person()
    await host.post("/settings", {"language": "de"})
    table = await host.open("axxa", 3)
    await host.ask(f"/tables/{table}/seats", {"seat": "1", "set": "bot:jarl"})
    await host.post(f"/tables/{table}/options", {"mode": "versus", "touching": "orthogonal", "order": "strict"})
    lobby, rules = f"/tables/{table}", f"/tables/{table}/rules"
    pages = {path: await visible(host, path) for path in (lobby, rules)}
    await host.ask(f"/tables/{table}/visibility", {"public": "yes"})
    quick = await host.post("/quick", {"game": "viking-axes", "seats": "2", "option-variant": "strategic"})
    pages |= {name: await visible(host, path) for name, path in (("/", "/"), ("quick", quick.headers["location"]))}
    pages["open"] = await visible(hall.person(**{"Accept-Language": "de"}), "/")
    ids = re.compile(
        r"\b(together|versus|touching|orthogonal|strict|skip|variant|standard|strategic|thrall|karl|huscarl|jarl|king)\b"
    )
    for path, text in pages.items():
        assert not ids.findall(text), path
    for words, path in (
        ("Huskarl", "/"),
        ("Verdeckte Handkarten", "quick"),
        ("Zwei Parteien · Ecken zählen nicht", "open"),
        ("Jarl", lobby),
        ("an diesem Tisch: Keine Zahl entfällt", rules),
    ):
        assert words in pages[path], (words, path)


async def visible(person: Person, path: str) -> str:
    """Return what people read on a page, without scripts and styles."""
    page = re.sub(r"(?s)<(script|style|svg).*?</\1>", "", (await person.get(path)).text.partition("<main")[2])
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


@for_every_game
@pytest.mark.asyncio(loop_scope="module")
async def test_the_api_and_the_command_line_name_every_option_and_value(
    hall: OpenHall, subject: Game, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = (await (await hall.program()).read("/games")).json()
    (found,) = (each for each in answer if each["name"] == subject.name)
    assert {option["name"]: list(option.get("values") or []) for option in found["options"]} == names_of(subject)
    needed = {option["name"]: option["only_with"] for option in found["options"]}
    assert needed == {option.name: dict([option.only_with]) if option.only_with else None for option in subject.options}
    assert main(["games"]) == 0
    listed = capsys.readouterr().out
    for option in subject.options:
        assert f"{option.name}={'|'.join(named_values(option)) or option.usage}" in listed


@for_every_game
def test_a_record_holds_every_option_by_its_name(subject: Game) -> None:
    options = names_of(subject)
    chosen = {option.name: option.tried[-1] for option in subject.options if isinstance(option, Choice)}
    match = subject.match(players=max(2, subject.min_players), seed="names", **chosen)
    record = loads(dumps(match.record(abandoned="only the names")))
    assert list(record["options"]) == list(options)
    assert {name: record["options"][name] for name in chosen} == chosen


@pytest.mark.asyncio(loop_scope="module")
async def test_an_option_that_needs_another_one_can_be_chosen_only_with_it(hall: OpenHall, at_once: None) -> None:
    """A choice that no longer applies gets its default, also from a form without scripts, which sends everything."""
    host = hall.person()
    table = await host.open("axxa", 3)

    async def page_after(**options: str) -> str:
        answer = await host.post(f"/tables/{table}/options", options)
        assert answer.status_code in (200, 303)
        return unescape((await host.get(f"/tables/{table}")).text)

    page = (await host.get(f"/tables/{table}")).text
    assert re.search(r'id="option-order" disabled><legend>.*only with Two sides', page)
    assert re.search(r'id="option-order" ><legend>', await page_after(mode="versus"))
    await page_after(order="any")
    assert (await hall.room(table)).table.options["order"] == "any"
    await page_after(mode="together", touching="all", order="any")
    assert (await hall.room(table)).table.options["order"] == "skip"
    program = await hall.program()
    answer = await program.post("/tables", {"game": "axxa", "players": 2, "options": {"order": "strict"}})
    assert (answer.status_code, answer.json()["error"]) == (400, "bad-setup")
    assert "order=strict is only for mode=versus" in answer.text


@pytest.mark.asyncio(loop_scope="module")
async def test_a_match_that_was_stored_before_an_option_existed_has_its_default(settings: Settings, at_once: None) -> None:
    async with open_hall(settings) as before:
        host = before.person()
        answer = await host.ask("/tables", {"game": "axxa", "players": "1"})
        table = answer.json()["id"]
        await host.act(table, (await before.room(table)).match.legal()[0].action)  # type: ignore[union-attr]
        stored = before.store.transact(tables.find, table)
        assert stored is not None
        older = {name: value for name, value in stored.options.items() if name != "order"}
        assert older != stored.options
        save(before.store, replace(stored, options=older))
    async with open_hall(settings) as after:
        match = (await after.room(table)).match
        assert match is not None
        assert len(match.steps) == 1
        assert match.options["order"] == "skip"
