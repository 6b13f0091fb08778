"""The stage: the board changes with each event, so nothing new comes when a play ends but the viewer's next decision."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

from browser.devices import MOVING
from browser.people import NewPerson, Person
from browser.table import Table

PLAYERS = {"axes-and-allies": 4, "axxa": 2, "dungeon-allies": 3, "viking-axes": 3}
MOST = {"axes-and-allies": 20, "axxa": 30, "dungeon-allies": 45, "viking-axes": 30}
"""Actions of a match in the short run."""

OPTIONS = {"axxa": {"mode": "versus"}, "viking-axes": {"variant": "strategic"}}

LATE = re.compile(r"prompt(-\w+)?|notices|tools|(hint|undo)-form|frame|spectators|end|devices|log-earlier|(named|timed)-\d+")
"""Regions that change when a play has ended: the next decision, and what happens beside the match."""

WATCH = """() => {
  document.documentElement.style.setProperty("--pace", 0.01);
  window.late = [];
  window.played = 0;
  const take = stage.take;
  stage.take = news => {
    const kinds = news.events().map(event => event.kind), showAll = news.showAll.bind(news);
    news.showAll = () => {
      const before = new Map([...news.parts.keys()].map(id => [id, document.getElementById(id)?.outerHTML]));
      showAll();
      if (kinds.length && !news.whole) for (const [id, html] of before) {
        if (document.getElementById(id)?.outerHTML !== html) window.late.push([id, kinds.join(" ")]);
      }
      window.played = news.version;
    };
    return take(news);
  };
}"""
"""Note which regions change at the end of a play, and after which events."""


@pytest.mark.parametrize("matches", [1, pytest.param(300, marks=pytest.mark.long)])
@pytest.mark.parametrize("game", sorted(PLAYERS))
def test_nothing_new_comes_when_a_play_ends(new_person: NewPerson, game: str, matches: int) -> None:
    watcher = new_person(**MOVING)
    programs = [Program(watcher, name) for name in ("Ada", "Bo", "Cleo", "Dag")[: PLAYERS[game]]]
    draw, late = random.Random(game), set[tuple[str, str]]()
    for number in range(matches):
        host, *others = programs
        options = OPTIONS.get(game, {}) if number % 2 == 0 else {}
        new = host.ask("POST", "tables", {"game": game, "players": len(programs), "options": options, "public": True})
        id = new["id"]
        for other in others:
            other.ask("POST", f"tables/{id}/join", {})
        host.ask("POST", f"tables/{id}/start", {})
        table = Table(watcher.open(f"/tables/{id}"))
        table.wait_for_game()
        table.page.evaluate(WATCH)
        for _ in range(MOST[game] if matches == 1 else 10_000):
            actor = host.ask("GET", f"tables/{id}")["view"]["actor"]
            if actor is None:
                break
            view = programs[actor].ask("GET", f"tables/{id}")["view"]
            played = table.page.evaluate("window.played")
            action = draw.choice(programs[actor].ask("GET", f"tables/{id}/legal"))["action"]
            programs[actor].ask("POST", f"tables/{id}/actions", {"action": action, "n": view["next"]})
            table.page.wait_for_function("played => window.played > played && !stage.isPlaying()", arg=played)
        late |= set(news_of(table))
    assert not late, "\n".join(sorted({f"{region} after {kinds}" for region, kinds in late}))


class Program:
    """A guest that plays by the API."""

    def __init__(self, person: Person, name: str) -> None:
        self._api = f"{person.hall.rstrip('/')}/api/v1"
        self._requests = person.context.request
        self._headers: dict[str, str] = {}
        self._headers = {"Authorization": f"Bearer {self.ask('POST', 'guests', {'name': name})['token']}"}

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Send a request, and return the answer."""
        answer = self._requests.fetch(f"{self._api}/{path}", method=method, data=body, headers=self._headers)
        assert answer.ok, answer.text()
        return answer.json()


def news_of(table: Table) -> Iterator[tuple[str, str]]:
    """Yield the regions that came late, each with the kinds of events of its play."""
    for region, kinds in table.page.evaluate("window.late"):
        if not LATE.fullmatch(region):
            yield region, kinds
