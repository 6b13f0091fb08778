"""The LRU cache of bots."""

from __future__ import annotations

import itertools
import sys
import threading
import time

import pytest

import meadhall
from meadhall.engine.match.view import View
from meadhall.server.worker import bot_cache
from meadhall.server.worker.bot_cache import BotCache
from meadhall.server.worker.tasks import ChooseAction
from server import hoard_on_a_page


def a_view() -> View:
    match = meadhall.game("viking-axes").match(players=4, variant="strategic", seed="long")
    return match.view(match.actor)


def choose(bots: BotCache, table: str, name: str, view: View) -> None:
    ChooseAction(table, name, view).run(bots, lambda _done: None)


def test_bots_are_evicted_least_recently_used_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_cache, "_MAX_BOTS", 2)
    bots = BotCache()
    view = hoard_on_a_page.game.match(players=2, seed="cached").view(0)
    for table in "abc":
        choose(bots, table, "thrall", view)
    assert list(bots.bots) == [("b", 0), ("c", 0)]
    kept = bots.bots["c", 0]
    choose(bots, "c", "thrall", view)
    assert bots.bots["c", 0] is kept
    choose(bots, "c", "karl", view)
    assert bots.bots["c", 0] is not kept, "the seat has another bot now"
    bots.forget("c")
    assert list(bots.bots) == [("b", 0)]


def test_a_table_is_forgotten_while_other_bots_play() -> None:
    """Several threads change the cache at once."""
    bots, over, view = BotCache(), threading.Event(), a_view()

    def play() -> None:
        for k in itertools.count():
            if over.is_set():
                return
            choose(bots, f"table {k % 12}", "thrall", view)

    threads = [threading.Thread(target=play) for _ in range(3)]
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        ends = time.monotonic() + 2
        while time.monotonic() < ends:
            bots.forget("another table")
    finally:
        over.set()
        sys.setswitchinterval(usual)
    for thread in threads:
        thread.join()
    assert len(bots.bots) == 12


@pytest.mark.parametrize(("cores", "limit"), [(1, 24), (4, 24), (32, 3), (200, 1)])
def test_on_more_cores_fewer_bots_are_kept_because_each_has_a_tree_per_core(
    cores: int, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_cache, "cores", lambda: cores)
    bots, view = BotCache(), a_view()
    for k in range(30):
        choose(bots, f"table {k}", "thrall", view)
    assert list(bots.bots) == [(f"table {k}", view.viewer) for k in range(30 - limit, 30)]
