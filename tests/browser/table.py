"""A page of a table: functions that read it and act on it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from playwright.sync_api import Locator, Page, expect

from browser.people import Person

PATIENCE = 30_000
"""Timeout in milliseconds for bots and streams on a slow machine."""

AXES_AND_ALLIES = "Axes and Allies"
VIKING_AXES = "Viking Axes"
STRATEGIC = "variant=strategic"
"""An option of Viking Axes: hands are secret."""

ALLY = 6
"""Axes and Allies: action k attacks seat k, action 6 + k allies with seat k."""

Act = Callable[[Locator], None]
Choose = Callable[[Sequence[int]], int]


class Table:
    """A page of a table. ``is_plain``: it runs without JavaScript."""

    def __init__(self, page: Page, is_plain: bool = False) -> None:
        self.page = page
        self.is_plain = is_plain
        self.frame = page.locator("#frame")
        self.prompt = page.locator("#prompt-words")
        self.acts = page.locator("#controls button[name=action]")
        self.choices = page.locator(
            "#controls button[name=action]:not([aria-disabled=true]), #controls select[name=action] > option"
        )
        self.refused = page.locator("#controls .spots:not(.waiting) .act[aria-disabled=true]:not([tabindex='-1'])")
        self.entries = page.locator("#log .line")
        self.notice = page.locator("#notices .notice")

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
    def newest_event(self) -> int:
        """The number of the newest event in the log."""
        return max(self.numbered_log, default=-1)

    @property
    def numbered_log(self) -> dict[int, str]:
        """The log by event number, the oldest first. The page shows only the newest events."""
        found: list[list[str]] = self.entries.evaluate_all(
            "all => all.map(each => [each.id.slice(4), each.querySelector('.says > span').textContent.trim()])"
        )
        return {int(number): words for number, words in sorted(found, key=lambda line: int(line[0]))}

    @property
    def events(self) -> list[int]:
        """The numbers of the events in the log. Everyone sees the same events, but reads "you" about themselves."""
        return list(self.numbered_log)

    @property
    def log(self) -> list[str]:
        """The texts of the log, the oldest first."""
        return list(self.numbered_log.values())

    def wait_for_game(self) -> None:
        """Wait for the game and for the scripts that handle keys."""
        expect(self.page.locator("#frame.game")).to_be_visible(timeout=PATIENCE)
        self.page.wait_for_load_state()

    @property
    def version(self) -> int:
        """The version of the table on this page. It grows with every change and is the same on every page."""
        return int(self.frame.get_attribute("data-version") or 0)

    def wait_for_version(self, version: int) -> None:
        """Wait until the page shows this version of the table or a later one."""
        self.page.wait_for_function("version => +document.getElementById('frame').dataset.version >= version", arg=version)

    def wait_for_event(self, number: int) -> None:
        """Wait until the log has event ``number`` or a later one."""
        expect(self.page.locator(f"#log-{number}")).to_be_attached(timeout=PATIENCE)

    def wait_for_turn(self) -> bool:
        """Wait for the turn of this page's player (True) or the end of the match (False).

        Bots may play among themselves for any time, as long as events arrive.
        """
        while not (self.my_turn or self.over):
            if self.is_plain:
                self.page.reload()  # it would reload by itself some seconds later
                continue
            newer = f"#log-{self.newest_event + 1}"
            expect(self.page.locator(f"#frame.yours, #frame.over, {newer}").first).to_be_attached(timeout=PATIENCE)
        return self.my_turn

    def expect_focus_in_place(self) -> None:
        """Expect the focus on the text of the prompt, one step before the tools, when the controls have gone."""
        expect(self.prompt.locator("xpath=ancestor::p")).to_be_focused()
        self.page.keyboard.press("Tab")
        expect(self.page.locator("#tools").locator("a, button").first).to_be_focused()

    def legal(self) -> list[int]:
        """Return the offered actions in ascending order."""
        found = [int(choice.get_attribute("value") or -1) for choice in self.choices.all()]
        dice = [int(die.get_attribute("value") or 0) for die in self.page.locator("#controls [name=plus]:not([disabled])").all()]
        for first in self.page.locator("#controls button[name=first]:not([aria-disabled=true])").all() if dice else ():
            found += [int(first.get_attribute("value") or 0) + die for die in dice]
        return sorted(found)

    def act(self, choose: Choose | None = None, by: Act | None = None) -> None:
        """Choose an action and wait until the hall has confirmed it."""
        number = self.page.locator("#controls input[name=n]").input_value()
        action = (choose or attack_first)(self.legal())
        (by or Locator.click)(self.page.locator(f"#act-{action}"))
        expect(self.page.locator(f"#controls input[name=n][value='{number}']")).to_have_count(0, timeout=PATIENCE)

    def play_on(self, choose: Choose | None = None, by: Act | None = None, before: Callable[[], None] = lambda: None) -> int:
        """Play to the end and return the number of decisions of this page's player."""
        decisions = 0
        while self.wait_for_turn():
            before()
            self.act(choose, by)
            decisions += 1
        return decisions


def attack_first(legal: Sequence[int]) -> int:
    """Choose the first action: an attack, if one is legal."""
    return legal[0]


def ally_first(legal: Sequence[int]) -> int:
    """Choose the last action: an alliance, if one is legal. It keeps the match going."""
    return legal[-1]


def open_table(
    host: Person,
    *friends: Person,
    bots: int = 0,
    rank: str = "thrall",
    game: str = AXES_AND_ALLIES,
    option: str = "",
    clock: str = "",
) -> list[Table]:
    """Open a table, seat friends and bots, start the match, and open its page for everyone. Return these pages.

    Requests do what the buttons of the lobby do. Tests of the lobby call ``fill_lobby``.
    """
    players = 1 + len(friends) + bots
    answer = host.ask("/tables", game=game.lower().replace(" ", "-"), kind="friends", players=str(max(players, 2)))
    path = f"/tables/{answer.json()['id']}"
    if players == 1:
        host.ask(f"{path}/size", players="1")
    if option:
        host.ask(f"{path}/options", **dict([option.split("=")]))
    if clock:
        host.ask(f"{path}/clock", clock=clock)
    for seat, friend in enumerate(friends, 1):
        friend.ask(f"{path}/seats", set="sit", seat=str(seat))
    for seat in range(1 + len(friends), players):
        host.ask(f"{path}/seats", set=f"bot:{rank}", seat=str(seat))
    host.ask(f"{path}/start")
    tables = [Table(person.open(path), person.is_plain) for person in (host, *friends)]
    for table in tables:
        table.wait_for_game()
    return tables


def fill_lobby(host: Person, *friends: Person, bots: int = 0, rank: str = "thrall", game: str = AXES_AND_ALLIES) -> list[Table]:
    """Open a table as the host and seat friends and bots, without starting."""
    tile(host.open("/"), game).get_by_role("button", name="With friends").click()
    size = host.page.locator(f"#size-{1 + len(friends) + bots}")
    if size.get_attribute("aria-pressed") == "false":
        size.click()
        expect(size).to_have_attribute("aria-pressed", "true")
    link = host.page.locator("#invite").input_value()
    for seat, friend in enumerate(friends, 1):
        friend.open(link)
        friend.page.locator(f"#sit-{seat}").click()
        expect(friend.page.locator(f"#leave-{seat}")).to_be_visible()
    for seat in range(1 + len(friends), 1 + len(friends) + bots):
        host.page.locator("#add-level").select_option(f"bot:{rank}")
        host.page.locator("#add-bot").click()
        expect(host.page.locator(f"#free-{seat}")).to_be_visible()
    if host.is_plain:
        host.page.reload()
    expect(host.page.locator("#start:not([aria-disabled])")).to_be_visible()
    return [Table(person.page, person.is_plain) for person in (host, *friends)]


def whose_turn(tables: Sequence[Table]) -> Table | None:
    """Return the page of the player to move, once all pages show the same version; None when the match is over.

    Events are not enough to compare pages, because some actions have none.
    """
    newest = max(table.version for table in tables)
    for table in tables:
        table.wait_for_version(newest)
    return next((table for table in tables if table.my_turn), None)


def table_with_refused_choice(host: Person, *friends: Person) -> Table:
    """Play Axes and Allies until the player to move has a choice that is refused, an ally, and return that player's page.

    No player attacks, so no player dies before.
    """
    players = open_table(host, *friends)
    while (actor := whose_turn(players)) is not None:
        if actor.refused.count():
            return actor
        actor.act(ally_first)
    raise AssertionError("the match ended although no player attacked")


def play_now(person: Person, game: str = AXES_AND_ALLIES) -> Table:
    """Start a match against bots with the button in the hall."""
    tile(person.open("/"), game).get_by_role("button", name="Play now").click()
    table = Table(person.page, person.is_plain)
    table.wait_for_game()
    return table


def tile(hall: Page, game: str) -> Locator:
    """Return the tile of a game on the hall's page."""
    return hall.locator(".tile", has=hall.get_by_role("heading", name=game, exact=True))


def resign_dialog(page: Page) -> Locator:
    """Open the question whether to resign, or to give up without other people, and return it."""
    page.locator("#tools").locator("#propose, #resign").first.click()
    dialog = page.locator("[popover]:popover-open")
    expect(dialog.locator("#resign-yes")).to_be_visible()
    return dialog


def resign(page: Page) -> None:
    """Resign the seat of this page."""
    resign_dialog(page).locator("#resign-yes").click()


def open_chat(page: Page) -> None:
    """Show the chat, which in a match is a tab beside the log."""
    page.evaluate("() => { document.getElementById('talk-panel').open = true; }")
