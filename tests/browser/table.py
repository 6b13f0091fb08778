"""A table as one person sees it: what a test reads there, and how it acts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from playwright.sync_api import Locator, Page, expect

from browser.people import Person

PATIENCE = 30_000
"""Milliseconds for what bots and streams may take on a slow machine."""

AXES_AND_ALLIES = "Axes and Allies"

ALLY = 6
"""Axes and Allies: action k attacks seat k, action 6 + k allies with seat k."""

Act = Callable[[Locator], None]
Choose = Callable[[Sequence[int]], int]


class Table:
    """A page of a table."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.frame = page.locator("#frame")
        self.prompt = page.locator("#prompt-words")
        self.acts = page.locator("#controls button[name=action]")
        self.choices = page.locator(
            "#controls button[name=action]:not([aria-disabled=true]), #controls select[name=action] > option"
        )
        self.refused = page.locator("#controls.controls .spots:not(.waiting) button[name=action][aria-disabled=true]")
        self.entries = page.locator("#log .entries > [id^=log-]")
        self.notice = page.locator("#prompt .notice")

    @property
    def path(self) -> str:
        """The address of the table within the hall."""
        found = re.search(r"/tables/[^/?#]+", self.page.url)
        assert found, self.page.url
        return found[0]

    @property
    def my_turn(self) -> bool:
        return "yours" in self._state

    @property
    def over(self) -> bool:
        return "over" in self._state

    @property
    def _state(self) -> list[str]:
        return (self.frame.get_attribute("class") or "").split()

    @property
    def headline(self) -> str:
        return self.page.locator("#end-title").inner_text()

    @property
    def news(self) -> int:
        """The number of the newest event told."""
        return int((self.entries.first.get_attribute("id") or "log--1").removeprefix("log-"))

    @property
    def story(self) -> dict[int, str]:
        """The events told by their numbers, all of one moment, the oldest first. The page shows only the newest of many."""
        found: list[list[str]] = self.entries.evaluate_all(
            "all => all.map(each => [each.id.slice(4), each.firstElementChild.textContent.trim()])"
        )
        return {int(number): words for number, words in found[::-1]}

    @property
    def told(self) -> list[str]:
        """The same without the numbers."""
        return list(self.story.values())

    def wait_for_game(self) -> None:
        """Until the game is there, and the scripts that listen to keys."""
        expect(self.page.locator("#frame.game")).to_be_visible(timeout=PATIENCE)
        self.page.wait_for_load_state()

    @property
    def moment(self) -> int:
        """Which state of the table is shown: a later one has a higher number, on everybody's page the same."""
        return int(self.frame.get_attribute("data-version") or 0)

    def wait_for_moment(self, moment: int) -> None:
        """Until this state of the table is shown here, or a later one."""
        self.page.wait_for_function("moment => +document.getElementById('frame').dataset.version >= moment", arg=moment)

    def wait_for_news(self, number: int) -> None:
        """Until event ``number`` is told here, or a later one."""
        expect(self.page.locator(f"#log-{number}")).to_be_attached(timeout=PATIENCE)

    def wait_for_turn(self) -> bool:
        """Until something is to be decided here (True), or the match is over (False).

        Bots may play among themselves for as long as they like, if only something happens.
        """
        while not (self.my_turn or self.over):
            newer = f"#log .entries > :first-child:not(#log-{self.news})"
            expect(self.page.locator(f"#frame.yours, #frame.over, {newer}").first).to_be_attached(timeout=PATIENCE)
        return self.my_turn

    def has_kept_the_place(self) -> None:
        """Where one played is nothing left to do: the focus is on the words that say why, and one step before what is next."""
        expect(self.prompt.locator("xpath=ancestor::p")).to_be_focused()
        self.page.keyboard.press("Tab")
        expect(self.page.locator("#tools").locator("a, button").first).to_be_focused()

    def legal(self) -> list[int]:
        """The actions that are offered, ascending."""
        return sorted(int(choice.get_attribute("value") or -1) for choice in self.choices.all())

    def act(self, choose: Choose | None = None, by: Act | None = None) -> None:
        """Choose, and wait until the move is confirmed."""
        number = self.page.locator("#controls input[name=n]").input_value()
        action = (choose or attack_first)(self.legal())
        (by or Locator.click)(self.page.locator(f"#act-{action}"))
        expect(self.page.locator(f"#controls input[name=n][value='{number}']")).to_have_count(0, timeout=PATIENCE)

    def play_on(self, choose: Choose | None = None, by: Act | None = None, before: Callable[[], None] = lambda: None) -> int:
        """Play to the end; how many decisions were ours."""
        decisions = 0
        while self.wait_for_turn():
            before()
            self.act(choose, by)
            decisions += 1
        return decisions


def attack_first(legal: Sequence[int]) -> int:
    """The first action: an attack, when one is allowed."""
    return legal[0]


def ally_first(legal: Sequence[int]) -> int:
    """The last action: an alliance, when one is allowed. It keeps a match going."""
    return legal[-1]


def keep_going(tables: Sequence[Table]) -> Choose:
    """Ally until everybody has had a decision, then attack: no match ends before."""
    still = {id(table) for table in tables}

    def choose(legal: Sequence[int]) -> int:
        still.difference_update(id(table) for table in tables if table.my_turn)
        return ally_first(legal) if still else attack_first(legal)

    return choose


def open_table(
    host: Person, *friends: Person, bots: int = 0, rank: str = "karl", game: str = AXES_AND_ALLIES, option: str = ""
) -> list[Table]:
    """A table opened by the host from the hall; friends come by its link and sit down, bots take further seats; it begins."""
    tables = gather(host, *friends, bots=bots, rank=rank, game=game, option=option)
    host.page.locator("#start").click()
    for table in tables:
        table.wait_for_game()
    return tables


def gather(
    host: Person, *friends: Person, bots: int = 0, rank: str = "karl", game: str = AXES_AND_ALLIES, option: str = ""
) -> list[Table]:
    """The same, before the host begins. ``option``: the sentence of an option that is not the default."""
    tile(host.open("/"), game).get_by_role("button", name="With friends").click()
    size = host.page.locator(f"#size-{1 + len(friends) + bots}")
    if size.get_attribute("aria-pressed") == "false":
        size.click()
        expect(size).to_have_attribute("aria-pressed", "true")
    if option:
        host.page.get_by_label(option).check()
        expect(host.page.get_by_label(option)).to_be_checked()
    link = host.page.locator("#invite").input_value()
    for seat, friend in enumerate(friends, 1):
        friend.open(link)
        friend.page.locator(f"#sit-{seat}").click()
        expect(friend.page.locator(f"#leave-{seat}")).to_be_visible()
    for seat in range(1 + len(friends), 1 + len(friends) + bots):
        host.page.locator(f"#bot-{seat}-{rank}").click()
        expect(host.page.locator(f"#free-{seat}")).to_be_visible()
    expect(host.page.locator("#start:not([aria-disabled])")).to_be_visible()
    return [Table(person.page) for person in (host, *friends)]


def whose_turn(tables: Sequence[Table]) -> Table | None:
    """The table of the one who is to decide, once all pages show the same moment; None when the match is over.

    What has happened does not tell: some actions make no news.
    """
    newest = max(table.moment for table in tables)
    for table in tables:
        table.wait_for_moment(newest)
    return next((table for table in tables if table.my_turn), None)


def at_plain_turn(plain: Table, others: Sequence[Table]) -> None:
    """Let the others play until it is the turn of somebody without JavaScript, whose page looks again by itself."""
    while (actor := whose_turn(others)) is not None:
        actor.act(ally_first)
    expect(plain.page.locator("#frame.yours")).to_be_attached(timeout=PATIENCE)


def somebody_bound(host: Person, *friends: Person) -> Table:
    """A moment of Axes and Allies at which somebody who is to decide sees a choice that is refused: whom they are allied with.

    As nobody strikes, nobody falls before it has come.
    """
    players = open_table(host, *friends)
    while (actor := whose_turn(players)) is not None:
        if actor.refused.count():
            return actor
        actor.act(ally_first)
    raise AssertionError("somebody has won where nobody strikes")


def play_now(person: Person, game: str = AXES_AND_ALLIES) -> Table:
    """From the hall to the first decision against bots."""
    tile(person.open("/"), game).get_by_role("button", name="Play now").click()
    table = Table(person.page)
    table.wait_for_game()
    return table


def tile(hall: Page, game: str) -> Locator:
    """The part of the hall's page that is about a game."""
    return hall.locator(".tile", has=hall.get_by_role("heading", name=game, exact=True))
