"""The stage: what happens is seen in its order, and then comes the next decision."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.devices import MOVING
from browser.dungeon_table import deepest_last, highlighted, take_die
from browser.people import NewPerson, Person
from browser.table import open_table, whose_turn
from browser.test_chart import upload
from meadhall import replay
from meadhall.server.pages.stage_sounds import stage_sounds

RECORDS = Path(__file__).parents[1] / "records"

SHOWN = {
    "axes-and-allies": (
        ("3-players-0", "4-players-1"),
        {"attack", "killed", "missed", "allied", "voided", "limited", "power", "won"},
    ),
    "viking-axes": (
        ("3-players-standard-0", "4-players-strategic-0", "every-axe-in-front"),
        {"shuffled", "drew", "plays", "discards", "throws", "blocked", "hits", "shields_spent", "out", "places"}
        | {"cashes_in", "disarms", "skips", "turn_skipped", "won"},
    ),
    "axxa": (
        ("greedy-together-all-0", "greedy-versus-all-0", "2-players-together-all-0"),
        {"moved", "turned", "removed", "exposed", "paid", "stack_gone", "praise", "won", "lost", "side_won"},
    ),
    "dungeon-allies": (
        ("3-players-0", "2-players-0"),
        {"placed", "revealed", "rolled", "rerolled", "defeats", "fails", "hammers", "blesses", "trained", "loots", "frees"}
        | {"trades", "buys", "round", "turn_ended", "won"},
    ),
}
"""By game: records, and the kinds of events that must be seen."""

GAMES = {"axes-and-allies": "Axes and Allies", "viking-axes": "Viking Axes", "axxa": "AxxA", "dungeon-allies": "Dungeon Allies"}
OPTIONS = {"axxa": "mode=versus"}

WATCH = """() => {
  const number = line => +line.id.slice(4);
  const read = (lines = [...document.querySelectorAll("#log .line")], box = document.getElementById("prompt-words")) => ({
    playing: "playing" in document.documentElement.dataset,
    telling: document.getElementById("telling")?.textContent ?? "",
    covered: getComputedStyle(box).visibility === "hidden",
    prompt: box.textContent,
    address: document.getElementById("frame").dataset.url ?? document.getElementById("frame").dataset.version,
    board: (board => {
      board.querySelectorAll(".stage, [data-keep]").forEach(each => each.remove());
      return board.innerHTML;
    })(document.getElementById("board").cloneNode(true)),
    tools: document.getElementById("tools").textContent,
    log: lines.filter(line => !line.hidden && !line.closest(".turn").hidden).map(number).sort((a, b) => a - b),
    words: Object.fromEntries(lines.map(line => [number(line), line.querySelector(".says > span").textContent])),
    end: !!document.getElementById("end"),
  });
  window.seen = [read()];
  new MutationObserver(() => {
    const now = read();
    if (JSON.stringify(now) !== JSON.stringify(window.seen.at(-1))) window.seen.push(now);
  }).observe(document.body.parentElement, { subtree: true, childList: true, attributes: true, characterData: true });
}"""
"""Record what the page shows after every change."""

HEAR = """() => {
  window.heard = [];
  document.addEventListener("meadhall:sound", e => window.heard.push(e.detail));
}"""
"""Record the sounds."""

OFFERED = """() => Array.from(document.querySelectorAll(
  "#controls :is([name=action], [name=first], [type=radio]):not([aria-disabled=true], [disabled]), "
  + "#hints, #thinking, .plate-side > .chip, .rests, .tip"
)).filter(each => each.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
  .filter(each => !each.closest(".ahead, .early") && getComputedStyle(each).pointerEvents !== "none")
  .map(each => each.outerHTML.slice(0, 200))"""
"""What the page offers for a decision, or says about one, and can be seen and chosen."""


@cache
def steps_of(game: str, name: str) -> list[list[str]]:
    """Return the kinds of events of each step of a record."""
    match = replay(json.loads((RECORDS / game / f"{name}.match.json").read_text("utf-8")))
    return [[event.name for event in step.events] for step in match.steps]


def scenes(game: str) -> Iterator[tuple[str, int]]:
    """Yield few steps of records with all kinds of events, each as the record and the number of steps before it."""
    names, missing = SHOWN[game][0], set(SHOWN[game][1])
    every = [(set(kinds), name, k) for name in names for k, kinds in enumerate(steps_of(game, name))]
    while missing:
        found, name, k = max(every, key=lambda scene: (len(scene[0] & missing), -len(scene[0])))
        assert found & missing, missing
        missing -= found
        yield name, k


def check_order(seen: list[dict[str, Any]]) -> None:
    """Check a recording of one step: events are told in their order, and the decision and the end change after the last one."""
    before, after = seen[0], seen[-1]
    playing = [each for each in seen if each["playing"] and each["address"] == before["address"]]
    assert playing, "the stage has played"
    late = ("prompt", "tools", "end")
    for each in playing:
        assert {part: each[part] for part in late} == {part: before[part] for part in late}
        assert not each["telling"] or each["covered"], "one text at a time"
        if each["telling"]:
            assert each["words"][str(each["log"][-1])] == each["telling"]
        else:
            assert each["board"] == before["board"], "the board changes with events"
    told = [each["log"] for each in playing if each["telling"]]
    assert all(len(later) - len(earlier) in (0, 1) and later[: len(earlier)] == earlier for earlier, later in pairwise(told))
    assert told[-1][-len(after["log"]) :] == after["log"], "every event was told before the frame"
    changed = [each for each in seen if each["address"] == after["address"]]
    for part in (*late, "board", "log"):
        assert all(each[part] == after[part] for each in changed), f"{part} changes together with the rest"
    assert [after[part] for part in ("playing", "telling", "covered")] == [False, "", False]


def seen_on(page: Page) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.evaluate("window.seen")
    return found


@pytest.mark.parametrize("game", SHOWN)
def test_each_kind_of_event_is_told_in_its_order_and_the_decision_changes_after_the_last(
    new_person: NewPerson, game: str
) -> None:
    viewer = new_person(**MOVING)
    for path, step in open_scenes(viewer, game):
        page = viewer.open(f"{path}?step={step}")
        page.evaluate(WATCH)
        page.evaluate("document.documentElement.style.setProperty('--pace', 0.15)")
        page.locator("#step-on").click()
        page.wait_for_function("() => window.seen.length > 1 && !window.seen.at(-1).playing")
        check_order(seen_on(page))


def open_scenes(viewer: Person, game: str) -> Iterator[tuple[str, int]]:
    """Yield the scenes of a game, each as the address of its replay and the number of steps before it."""
    paths: dict[str, str] = {}
    for name, step in scenes(game):
        paths[name] = paths.get(name) or upload(viewer, f"{game}/{name}")
        yield paths[name], step


@pytest.mark.parametrize("game", SHOWN)
def test_an_event_sounds_once_when_it_is_not_played(new_person: NewPerson, game: str) -> None:
    """Animations are off, or a click skips the rest. The sounds of the end belong to no event."""
    still, moving = new_person(), new_person(**MOVING)
    for (path, step), (other, _step) in zip(open_scenes(still, game), open_scenes(moving, game), strict=True):
        heard: list[str] = []
        for viewer, address in ((still, path), (moving, other), (moving, other)):
            page = viewer.open(f"{address}?step={step}")
            page.evaluate(HEAR)
            page.evaluate("pace => document.documentElement.style.setProperty('--pace', pace)", PACES[len(heard)])
            page.locator("#step-on").click()
            if len(heard) == 2:
                expect(page.locator("html")).to_have_attribute("data-playing", "")
                page.locator("#prompt").click()
            expect(page.locator(f"#frame[data-url*='step={step + 1}&']")).to_be_attached()
            heard.append(page.evaluate("window.heard"))
        quiet, played, skipped = ([name for name in each if name not in {"victory", "loss"}] for each in heard)
        assert bool(quiet) == bool(played), (step, quiet, played)
        assert sorted(quiet) == sorted(set(quiet))
        assert sorted(skipped) == sorted(set(skipped))
        assert set(quiet) <= set(skipped)


PACES = (0, 0.05, 100)
"""No animation; a fast one; one that is skipped."""


@pytest.mark.parametrize("game", SHOWN)
def test_nothing_can_be_chosen_while_the_stage_plays(new_person: NewPerson, game: str) -> None:
    host, friend = new_person(**MOVING), new_person(**MOVING)
    players = open_table(host, friend, game=GAMES[game], option=OPTIONS.get(game, ""))
    offered = played = False
    for table in players:
        table.page.evaluate("document.documentElement.style.setProperty('--pace', 100)")  # longer than a test waits
    for _ in range(6):
        actor = whose_turn(players)
        if actor is None:
            break
        page, version = actor.page, actor.version
        offered |= bool(page.evaluate(OFFERED))
        if page.locator("#controls [name=plus]:not([disabled])").count():  # a die is chosen first
            take_die(page)
            page.locator(f"#to-{deepest_last(highlighted(page))}").click()
        else:
            page.locator(CHOICE).first.evaluate("choice => choice.click()")
        for table in players:
            table.page.wait_for_function(NEWS, arg=version)
            if table.page.evaluate("stage.isPlaying()"):
                played = True
                assert not table.page.evaluate(OFFERED)
                table.page.locator("#prompt").click()  # skips
        actor.wait_for_version(version + 1)
    assert offered
    assert played


NEWS = "was => stage.isPlaying() || +document.getElementById('frame').dataset.version > was"

CHOICE = "#controls button[name=action]:not([aria-disabled=true], .axxa-idle, [data-space='']), #controls .axxa-act"
"""A choice that is legal."""


def test_a_click_skips_and_does_nothing_else(new_person: NewPerson) -> None:
    """The skipping click lands on a button of the last decision. It must not play, and the next one must."""
    host, friend = new_person(**MOVING), new_person(**MOVING)
    players = open_table(host, friend, game="Axes and Allies")
    actor = whose_turn(players)
    assert actor is not None
    page, posted = actor.page, list[str]()
    page.on("request", lambda request: posted.append(request.url) if request.method == "POST" else None)
    page.evaluate(WATCH)
    page.evaluate("document.documentElement.style.setProperty('--pace', 100)")  # longer than a test waits
    attack = page.locator(".act.attack:not([aria-disabled])").first
    attack.click()
    page.wait_for_function("() => window.seen.at(-1).playing")
    version = actor.version
    attack.click(force=True)
    expect(page.locator("html")).not_to_have_attribute("data-playing", "")
    assert actor.version > version
    other = next(table for table in players if table is not actor)
    other.wait_for_version(actor.version)
    assert other.newest_event == actor.newest_event
    assert len(posted) == 1, "the click has only skipped"
    expect(page.locator(".stage > *")).to_have_count(0)


def test_sounds_are_loaded_after_the_first_click_and_have_captions(new_person: NewPerson) -> None:
    person = new_person(**MOVING)
    path = upload(person, "axes-and-allies/3-players-0")
    page, loaded = person.page, list[str]()
    page.on("request", lambda request: loaded.append(request.url) if "/sounds/" in request.url else None)
    person.open(path)
    assert not loaded
    page.get_by_role("button", name="Sound, captions and volume").click()
    page.get_by_label("Name each sound in a caption").check()
    page.wait_for_function("() => document.getElementById('sound-caption').textContent.includes('die on wood')")
    page.get_by_role("dialog", name="Sound").get_by_role("button", name="Close").click()
    page.locator("#step-on").click()
    page.wait_for_function("() => document.getElementById('sound-caption').textContent === '♪ an axe in the air'")
    names = {each.file for each in stage_sounds("axes-and-allies")}
    assert sorted(re.sub(r"^.*(?=sounds/)|\?.*$", "", url) for url in loaded) == sorted(names)
    person.open(f"{path}?step=1")
    expect(page.locator("[name=sound-captions]")).to_be_checked()


def test_one_click_on_the_loudspeaker_mutes_and_the_arrow_opens_its_sheet(new_person: NewPerson) -> None:
    person = new_person()
    page = person.open(upload(person, "axes-and-allies/3-players-0"))
    button, sheet = page.get_by_role("button", name="Sound", exact=True), page.get_by_role("dialog", name="Sound")
    for pressed in ("true", "false", "true", "false"):
        expect(button).to_have_attribute("aria-pressed", pressed)
        button.click()
        expect(sheet).to_be_hidden()
    button.click()
    page.reload()
    expect(button).to_have_attribute("aria-pressed", "false")
    button.press("ArrowDown")
    expect(sheet).to_be_visible()
    expect(sheet.get_by_label("Sounds of the board")).not_to_be_checked()
    sheet.get_by_label("Sounds of the board").check()
    for control in sheet.locator("label.check, input[type=range]").all():
        box = control.bounding_box()
        assert box
        assert box["height"] >= 44
    page.keyboard.press("Escape")
    expect(button).to_have_attribute("aria-pressed", "true")
    button.hover()
    page.mouse.down()
    page.wait_for_timeout(600)
    page.mouse.up()
    expect(sheet).to_be_visible()
    expect(button).to_have_attribute("aria-pressed", "true")


def test_a_tooltip_closes_by_escape_by_leaving_and_while_the_stage_plays(new_person: NewPerson) -> None:
    host, friend = new_person(**MOVING), new_person()
    players = open_table(host, friend, game="Dungeon Allies")
    page = players[0].page
    spot, tip = page.locator("#spot-0"), page.locator("#spot-0 > .tip")
    for leaving in (False, True):
        spot.click()
        expect(tip).to_be_visible()
        if leaving:
            page.locator(".bar .brand").hover()
        else:
            page.keyboard.press("Escape")
        expect(tip).to_be_hidden()
        expect(spot).to_be_focused()
    spot.hover()
    expect(tip).to_be_visible()
    page.evaluate("document.documentElement.dataset.playing = ''")
    expect(tip).to_be_hidden()
