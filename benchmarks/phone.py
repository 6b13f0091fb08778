"""A game on a slow phone: what its page costs while a person plays, and what the hall sends.

    MEADHALL_CHROMIUM=/usr/bin/chromium .venv/bin/python benchmarks/phone.py [CHECKOUT [CHECKOUT]] [--games dungeon-allies …]
        [--seconds 45] [--rounds 1] [--slowdown 4]

Starts a hall for each checkout and plays against bots by random taps in a headless Chromium whose processor is slowed down, on a
screen of 390x844. Two checkouts take turns, so that both meet the same neighbours on a busy machine. ``tasks`` are those of the
page's main thread that take more than 50 ms of CPU time, which depends less on other programs than the time that passes, with the
``longest``. ``styles`` are the recalculations of style, ``large`` those of more than 1,000 elements. ``messages`` come from the
hall's stream, with the ``median`` of their size in bytes, uncompressed. ``nodes`` are the elements of the page at the end. A
script looks seven times a second whether the stage plays (``looks``), and whether an action can be chosen then (``live``).
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
os.environ["MEADHALL_INTERPRET"] = "1"

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright  # noqa: E402

from browser.server import Hall  # noqa: E402
from browser.table import Table, play_now  # noqa: E402

GAMES = {"axes-and-allies": "Axes and Allies", "axxa": "AxxA", "dungeon-allies": "Dungeon Allies", "viking-axes": "Viking Axes"}
BOT_PAUSE = 0.9
LONG = 50.0
"""Milliseconds of a task that a person can feel."""

LARGE = 1000
CATEGORIES = "devtools.timeline,disabled-by-default-devtools.timeline,toplevel"
SHOWN = "{opacityProperty: true, visibilityProperty: true}"

LISTEN = """{
  const fetched = window.fetch;
  window.cost = { messages: [], looks: 0, live: 0 };
  window.fetch = async (...request) => {
    const answer = await fetched(...request);
    if (!answer.headers.get("content-type")?.includes("event-stream")) return answer;
    const [body, same] = answer.body.tee();
    (async () => {
      let text = "";
      for await (const part of same.pipeThrough(new TextDecoderStream())) {
        const parts = (text + part).replaceAll("\\r", "").split("\\n\\n");
        text = parts.pop();
        for (const each of parts) if (each.includes("data:")) window.cost.messages.push(new Blob([each]).size);
      }
    })().catch(() => {});
    return new Response(body, answer);
  };
}"""
"""Note the size of each message of the stream."""

LOOK = """() => {
  Object.assign(window.cost, { messages: [], looks: 0, live: 0 });
  setInterval(() => {
    if (!document.querySelector("[data-playing], .stage .stage-piece")) return;
    window.cost.looks++;
    const isOff = each => each.disabled || each.ariaDisabled === "true" || each.closest("[inert]");
    const isLive = each => each.checkVisibility(SHOWN) && !isOff(each) && getComputedStyle(each).pointerEvents !== "none";
    window.cost.live += [...document.querySelectorAll("#controls button[name=action]")].some(isLive);
  }, 150);
}""".replace("SHOWN", SHOWN)

CHOICES = """() => {
  const found = [...document.querySelectorAll("#frame button[name=action], #controls label, #board label")]
    .filter(each => each.checkVisibility(SHOWN) && !each.disabled && each.ariaDisabled !== "true")
    .map(each => [each.tagName, each.getBoundingClientRect()]);
  const large = found.filter(([, box]) => box.width >= 4 && box.height >= 4);
  const buttons = large.filter(([tag]) => tag === "BUTTON");
  return (buttons.length ? buttons : large).map(([, box]) => [box.x + box.width / 2, box.y + box.height / 2]);
}""".replace("SHOWN", SHOWN)


@dataclass
class Cost:
    """What was counted while a person played."""

    taps: int
    tasks: int
    longest: int
    styles: int
    large: int
    layouts: int
    messages: int
    median: int
    nodes: int
    looks: int
    live: int


class Visitor:
    """A person with a phone, as far as ``play_now`` asks."""

    is_plain = False

    def __init__(self, browser: Browser, hall: Hall) -> None:
        phone: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
        self.context = browser.new_context(base_url=hall.url, device_scale_factor=2, locale="en-GB", **phone)
        self.context.add_init_script(LISTEN)
        self.page = self.context.new_page()

    def open(self, path: str) -> Page:
        self.page.goto(path)
        return self.page


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="*", type=Path, default=[ROOT])
    parser.add_argument("--games", nargs="+", choices=GAMES, default=["dungeon-allies", "viking-axes"])
    parser.add_argument("--seconds", type=float, default=45)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--slowdown", type=float, default=4)
    given = parser.parse_args()
    with ExitStack() as stack:
        halls = [opened(checkout.resolve(), stack) for checkout in given.checkouts]
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=os.environ.get("MEADHALL_CHROMIUM"), args=["--no-sandbox"])
        stack.callback(browser.close)
        print(f"{'game':16}", *(f"{each.name:>8}" for each in fields(Cost)), " checkout")
        for game in given.games:
            for seed in range(given.rounds):
                for checkout, hall in zip(given.checkouts, halls, strict=True):
                    cost = measured(browser, hall, game, seed, given.seconds, given.slowdown)
                    print(f"{game:16}", *(f"{each:8}" for each in astuple(cost)), f" {checkout}", flush=True)


def opened(checkout: Path, stack: ExitStack) -> Hall:
    """Start a hall with the code of a checkout and the pauses of a real one."""
    path = os.pathsep.join(map(str, (checkout / "src", checkout / "tests")))
    command = (sys.executable, checkout / "tests" / "browser" / "quick_hall.py")
    hall = Hall(Path(stack.enter_context(tempfile.TemporaryDirectory())), BOT_PAUSE, command, PYTHONPATH=path)
    hall.start()
    stack.callback(hall.stop)
    return hall


def measured(browser: Browser, hall: Hall, game: str, seed: int, seconds: float, slowdown: float) -> Cost:
    """Play a new match for some seconds, with the trace of the browser on."""
    visitor = Visitor(browser, hall)
    page, session = visitor.page, visitor.context.new_cdp_session(visitor.page)
    table = play_now(visitor, GAMES[game])  # type: ignore[arg-type]
    session.send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
    events = list[dict[str, Any]]()
    session.on("Tracing.dataCollected", lambda part: events.extend(part["value"]))
    session.send("Tracing.start", {"categories": CATEGORIES, "transferMode": "ReportEvents"})
    page.evaluate(LOOK)
    taps = played(table, random.Random(seed), seconds)
    found, nodes = page.evaluate("[window.cost, document.querySelectorAll('*').length]")
    finish(session, page)
    visitor.context.close()
    tasks, styles, layouts = read(events)
    long, large = sum(each > LONG for each in tasks), sum(each > LARGE for each in styles)
    sizes = found["messages"] or [0]
    median = round(statistics.median(sizes))
    stream = (len(sizes), median, nodes, found["looks"], found["live"])
    return Cost(taps, long, round(max(tasks)), len(styles), large, layouts, *stream)


def played(table: Table, draw: random.Random, seconds: float) -> int:
    """Tap whatever can be chosen, and return how often. A match that ended is not followed by another."""
    until, taps, page = time.monotonic() + seconds, 0, table.page
    while time.monotonic() < until:
        choices = page.evaluate(CHOICES) if not page.query_selector("[data-playing], #end") else []
        if choices:
            page.touchscreen.tap(*draw.choice(choices))
            taps += 1
        page.wait_for_timeout(700 if choices else 200)
    return taps


def finish(session: CDPSession, page: Page) -> None:
    """End the trace and wait for the rest of it."""
    done = list[bool]()
    session.on("Tracing.tracingComplete", lambda _: done.append(True))
    session.send("Tracing.end")
    while not done:
        page.wait_for_timeout(50)


def read(events: list[dict[str, Any]]) -> tuple[list[float], list[int], int]:
    """Return the milliseconds of each task of the main thread, the elements of each new style, and the number of layouts."""
    threads = Counter((each["pid"], each["tid"]) for each in events if each["name"] in ("UpdateLayoutTree", "Layout"))
    (main_thread, _), *_ = threads.most_common(1)
    mine = [each for each in events if (each["pid"], each["tid"]) == main_thread and each["ph"] == "X"]
    tasks = [each["tdur"] / 1000 for each in mine if each["name"].endswith("RunTask") and "tdur" in each]
    styles = [each["args"].get("elementCount", 0) for each in mine if each["name"] == "UpdateLayoutTree"]
    return tasks, styles, sum(each["name"] == "Layout" for each in mine)


if __name__ == "__main__":
    main()
