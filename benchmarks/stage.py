"""The plays of the stage on a slow phone: long tasks of the browser, and the properties that are animated.

    MEADHALL_CHROMIUM=/usr/bin/chromium .venv/bin/python benchmarks/stage.py [GAME …] [--slowdown 4]

Plays steps of recorded matches in a headless Chromium whose processor is slowed down, on a screen of 390x844, until each kind of
event of the browser test (``tests/browser/test_stage.py``) has been seen. The trace of the browser has every task of the page's
main thread, with its CPU time, which depends less on other programs than the time that passes. ``tasks`` are those over 50 ms
from the first event to the next frame. Without a GPU the browser also draws with the processor, but on other threads.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
os.environ["MEADHALL_INTERPRET"] = "1"

from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402

from browser.server import QUICK, Hall  # noqa: E402
from browser.test_stage import RECORDS, SHOWN, scenes, steps_of  # noqa: E402

LONG = 50.0
"""Milliseconds of a task that a person can feel."""

NOTE = """() => {
  const animate = Element.prototype.animate;
  window.animated = new Set();
  Element.prototype.animate = function (frames, options) {
    for (const frame of [frames].flat()) for (const name of Object.keys(frame)) window.animated.add(name);
    return animate.call(this, frames, options);
  };
  new MutationObserver(() => performance.mark("playing" in document.documentElement.dataset ? "stage plays" : "stage ends"))
    .observe(document.documentElement, { attributeFilter: ["data-playing"] });
}"""
STILL = {"easing", "offset", "composite"}


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=list(SHOWN))
    parser.add_argument("--slowdown", type=float, default=4)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        hall = Hall(Path(folder), command=QUICK)
        hall.start()
        browser = playwright.chromium.launch(executable_path=os.environ.get("MEADHALL_CHROMIUM"), args=["--no-sandbox"])
        try:
            print(f"{'events':70} {'seconds':>8} {'tasks':>6} {'longest':>8}")
            for game in arguments.games:
                measure(browser, hall, game, arguments.slowdown)
        finally:
            browser.close()
            hall.stop()


def measure(browser: Browser, hall: Hall, game: str, slowdown: float) -> None:
    """Print a line for each play of a game."""
    context = browser.new_context(
        base_url=hall.url, viewport={"width": 390, "height": 844}, device_scale_factor=2, locale="en-GB"
    )
    page, animated = context.new_page(), set[str]()
    for name, step in scenes(game):
        page.goto("/replay")
        page.locator("#record").set_input_files(RECORDS / game / f"{name}.match.json")
        page.get_by_role("button", name="Watch").click()
        page.wait_for_url(re.compile("/replay/"))
        page.goto(f"{page.url.partition('?')[0]}?step={step}")
        page.evaluate(NOTE)
        events = traced(page, slowdown)
        animated |= set(page.evaluate("[...window.animated]"))
        began, ended, tasks = read(events)
        during = [length for start, length in tasks if began <= start <= ended]
        kinds = ", ".join(dict.fromkeys(steps_of(game, name)[step]))
        long = sum(length > LONG for length in during)
        print(
            f"{f'{game}: {kinds}':70.70} {(ended - began) / 1000:8.1f} {long:6} {max(during, default=0):6.0f}ms",
            flush=True,
        )
    print(f"{game} animates {', '.join(sorted(animated - STILL))}")
    context.close()


def traced(page: Page, slowdown: float) -> list[dict[str, Any]]:
    """Play a step with the trace on, and return the events of the trace."""
    session = page.context.new_cdp_session(page)
    found: list[dict[str, Any]] = []
    done: list[bool] = []
    session.on("Tracing.dataCollected", lambda part: found.extend(part["value"]))
    session.on("Tracing.tracingComplete", lambda _: done.append(True))
    session.send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
    session.send("Tracing.start", {"categories": "toplevel,blink.user_timing", "transferMode": "ReportEvents"})
    page.locator("#step-on").click()
    page.wait_for_function("() => performance.getEntriesByName('stage ends').length", timeout=120_000)
    session.send("Tracing.end")
    while not done:
        page.wait_for_timeout(50)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    session.detach()
    return found


def read(events: list[dict[str, Any]]) -> tuple[float, float, list[tuple[float, float]]]:
    """Return when the stage played and ended, and the tasks of the page's main thread, in milliseconds."""
    marks = {each["name"]: each for each in events if each["name"] in ("stage plays", "stage ends")}
    thread = (marks["stage plays"]["pid"], marks["stage plays"]["tid"])
    tasks = [
        (each["ts"] / 1000, each["tdur"] / 1000)
        for each in events
        if each["name"] in ("ThreadControllerImpl::RunTask", "RunTask")
        and (each["pid"], each["tid"]) == thread
        and "tdur" in each
    ]
    return marks["stage plays"]["ts"] / 1000, marks["stage ends"]["ts"] / 1000, tasks


if __name__ == "__main__":
    main()
