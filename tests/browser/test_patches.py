"""A page that was patched through a match shows what a page shows that is loaded now."""

from __future__ import annotations

import random

import pytest
from playwright.sync_api import Page, expect

from browser.people import NewPerson
from browser.table import PATIENCE, VIKING_AXES, Table, open_table, whose_turn

GAMES = ("Axes and Allies", "AxxA", "Dungeon Allies", VIKING_AXES)
MOVES = 6

DIFFERENCES = r"""
async () => {
  const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  const ours = new Set(["data-htmx-powered", "open", "tabindex", "data-version"]);  // of the page's scripts
  const found = [];
  const text = node => node.nodeType === Node.TEXT_NODE ? node.data.replace(/\s+/g, " ").trim() : "";
  const copied = ".tip[aria-hidden]";  // a script shows a tip of another place there
  const parts = node => [...node.childNodes].filter(each => each.matches?.(`:not(${copied})`) || text(each));
  const name = node => node.nodeType === Node.TEXT_NODE ? `"${text(node)}"` : node.outerHTML.slice(0, 120);
  const compare = (shown, loaded) => {
    if (shown.nodeType !== loaded.nodeType || text(shown) !== text(loaded) || shown.nodeName !== loaded.nodeName) {
      found.push(`${name(shown)} instead of ${name(loaded)}`);
      return;
    }
    if (shown.nodeType !== Node.ELEMENT_NODE || shown.hasAttribute("data-keep")) return;
    for (const { name: attribute, value } of loaded.attributes) {
      if (!ours.has(attribute) && shown.getAttribute(attribute) !== value) {
        found.push(`${attribute}="${shown.getAttribute(attribute)}" instead of "${value}" in ${name(loaded)}`);
      }
    }
    const [here, there] = [parts(shown), parts(loaded)];
    if (here.length !== there.length) found.push(`${here.map(name)} instead of ${there.map(name)}`);
    else here.forEach((each, k) => compare(each, there[k]));
  };
  compare(document.getElementById("frame"), page.getElementById("frame"));
  return found;
}
"""
"""Compares the page with the same page loaded now, and returns the differences. Scripts may have added attributes."""


def expect_as_loaded(page: Page) -> None:
    """Expect the page to equal a page that is loaded now: at the end of a match both have its chart."""
    expect(page.locator("[id^=chart-wait-]")).to_have_count(0, timeout=PATIENCE)
    assert page.evaluate(DIFFERENCES) == []


PLAY = """
random => {
  const form = document.getElementById("controls");
  const chosen = [...form.querySelectorAll("button[name=action]:not([aria-disabled=true], .axxa-idle)")];
  if (chosen.length) form.requestSubmit(chosen[Math.floor(random * chosen.length)]);
  else form.requestSubmit();
}
"""
"""Plays a legal action, wherever on the board its button is."""


def play(table: Table, draw: random.Random) -> None:
    before = table.version
    table.page.evaluate(PLAY, draw.random())
    table.wait_for_version(before + 1)


@pytest.mark.parametrize("game", GAMES)
def test_a_patched_page_equals_a_loaded_one(new_person: NewPerson, game: str) -> None:
    """Two players and a spectator, whose connection is lost for a move."""
    host, friend, visitor = new_person(), new_person(), new_person()
    visitor.allow("net::ERR_INTERNET_DISCONNECTED", "net::ERR_NETWORK")
    players = open_table(host, friend, game=game)
    watching = Table(visitor.open(players[0].path))
    watching.wait_for_game()
    draw = random.Random(game)
    for move in range(MOVES):
        actor = whose_turn(players)
        if actor is None:
            break
        visitor.context.set_offline(move == MOVES // 2)
        play(actor, draw)
    visitor.context.set_offline(False)
    whose_turn([*players, watching])
    for table in (*players, watching):
        expect_as_loaded(table.page)
