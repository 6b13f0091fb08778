"""``meadhall play``: a match in the terminal, a person against bots.

A choice is typed in the same way in every position: so ``why`` can be asked of any action.
"""

from __future__ import annotations

import getpass
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.padding import Padding
from rich.text import Text

from meadhall.bots import Bot, bot, hints
from meadhall.cli.choices import Choices
from meadhall.cli.console import console
from meadhall.cli.transcript import outcome, print_choices, print_events, print_hints, print_table
from meadhall.engine.chance import seed_from_text
from meadhall.engine.errors import BadSetup, IllegalAction, RecordError, Refused
from meadhall.engine.game import Game
from meadhall.engine.language import gettext as _
from meadhall.engine.match import Match
from meadhall.engine.record.format import SUFFIX, dumps, read_records
from meadhall.engine.record.replay import replay
from meadhall.engine.rulebook import rule_sentence
from meadhall.engine.view import Seat

BOT_NAMES = ("Astrid", "Björn", "Sigrid", "Torsten", "Freydis", "Knut", "Gudrun")
LEFT = "left at the terminal"
"""Why a match was given up that was saved while it ran. No text for people: it is the same in every language."""


def new_match(
    game: Game,
    players: int | None,
    bots: Sequence[str],
    seed: str | None,
    seat: int,
    name: str | None,
    options: dict[str, Any],
) -> Match:
    """A match of a person on ``seat`` (from 0) against bots, who fill the other seats cyclically."""
    count = game.check_players(max(game.min_players, min(game.max_players, 4)) if players is None else players)
    if not 0 <= seat < count:
        raise BadSetup(_("There is no seat {seat}; there are 1 to {last}.").format(seat=seat + 1, last=count))
    if not bots:
        raise BadSetup(_("Name at least one bot."))
    person = Seat(name or _user_name())
    names = iter(other for other in BOT_NAMES if other != person.name)
    others = [bots[k % len(bots)] for k in range(count - 1)]
    seats = [Seat(next(names), "bot", who) for who in others]
    return game.match(seed=seed, seats=[*seats[:seat], person, *seats[seat:]], **options)


def _user_name() -> str:
    try:
        return getpass.getuser().capitalize()
    except (OSError, KeyError):
        return _("Guest")


def replace_text(path: Path, text: str) -> None:
    """Write a file, or leave what is there as it was. Raises OSError."""
    target = path.resolve()
    if target.exists() and not target.is_file():  # a pipe or a device
        target.write_text(text, encoding="utf-8")
        return
    part = target.with_name(f".{target.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from None


def resumed_match(path: Path) -> Match:
    """The match in a record file, verified and ready to be played on."""
    records = list(read_records(path))
    if len(records) != 1:
        raise RecordError(str(path), _("one match can be resumed, not {count}").format(count=len(records)))
    return replay(records[0])


def hinted_sights(match: Match) -> set[bytes]:
    """What the seats saw where they played with a hint, also where they took it back."""
    steps = [*match.steps, *(step for undone in match.undone for step in undone.steps)]
    return {match.supposing(step.before).information_set(step.seat) for step in steps if step.hinted} | _hinted_before(match)


def _hinted_before(match: Match) -> set[bytes]:
    """What the actor sees now, if what was taken back last was played with a hint: they may know more of it by now."""
    last = match.undone[-1].steps if match.undone else ()
    back = last and last[-1].n == match.next_number - 1
    return {match.information_set(last[0].seat)} if back and last[0].hinted else set()


class Session:
    """A person at the terminal, and the match they play."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.console = console()
        self.choices = Choices(match.game)
        self.persons = [seat for seat, who in enumerate(match.seats) if who.kind == "human"]
        if not self.persons:
            raise BadSetup(_("Only bots sit at this table."))
        self.bots: dict[int, Bot] = {
            seat: bot(match.game, who.bot, seed_from_text(f"{match.seed.hex()}/bot {seat}"))
            for seat, who in enumerate(match.seats)
            if who.bot is not None
        }
        self.viewer = self.persons[0]
        self.hinted = hinted_sights(match)  # the positions in which a hint was asked for, as the person saw them
        self.open = True
        self.commands: dict[str, tuple[str, Callable[[str], None]]] = {
            "why": (_("why CHOICE: why it can't be played"), self.why),
            "hint": (_("hint: what a king would consider in your place; the record tells of it"), self.hint),
            "undo": (_("undo: back to your previous decision"), self.undo),
            "save": (_("save [FILE]: write the match record; play FILE on with --resume"), self.save),
            "help": (_("help: this list"), self.help),
            "quit": (_("quit: leave the table"), self.quit),
        }

    # -------------------------------------------------------------------------------------------------------- the course of it

    def run(self) -> None:
        """Until the person leaves."""
        self.greet()
        while self.open:
            self.let_bots_play()
            self.show()
            self.ask()

    def greet(self) -> None:
        """What is played, by whom, and the promise about the dice."""
        match = self.match
        self.say(match.game.title, style="bold")
        self.say(", ".join(f"{who.name} ({who.bot})" if who.bot else who.name for who in match.seats))
        self.say(_("SHA-256 of the seed: {commitment}").format(commitment=match.commitment), style="dim")
        print_events(self.console, match, match.view(self.viewer).setup)
        self.say(_("help lists what can be typed."), style="dim")

    def let_bots_play(self) -> None:
        """Until a person is to decide, or the match is over."""
        while (actor := self.match.actor) is not None and actor in self.bots:
            self.play(self.bots[actor].choose(self.match.view(actor)))
        if actor is not None:
            self.viewer = actor

    def play(self, action: int) -> None:
        """Play it for the actor, and tell what happened as far as the person may know."""
        number = self.match.next_number
        actor = self.match.actor
        hinted = actor in self.persons and self.match.information_set(actor) in self.hinted
        events = self.match.play(action, hinted=hinted)
        print_events(self.console, self.match, [event for event in events if event.visible_to(self.viewer)], number)

    def show(self) -> None:
        """The table, and what the person can do."""
        view = self.match.view(self.viewer)
        print_table(self.console, view)
        if self.match.over:
            self.say("\n" + outcome(self.match), style="bold")
            self.say(_("save, undo or quit?"), style="dim")
            return
        self.say(f"\n{view.prompt()}", style="bold")
        print_choices(self.console, self.choices.lines(view.actions()))

    def ask(self) -> None:
        """One line from the person: a choice or a command; questions until something has changed."""
        position = (self.match.next_number, len(self.match.steps))
        while self.open and (self.match.next_number, len(self.match.steps)) == position:
            try:
                line = self.console.input("> ").strip()
            except EOFError:
                self.say("")
                line = "quit"
            if line:
                self.obey(line)

    def obey(self, line: str) -> None:
        """Do what the line says, or say why not."""
        word, _space, rest = line.partition(" ")
        try:
            if word in self.commands:
                self.commands[word][1](rest.strip())
            elif (action := self.choices.read(line)) is not None:
                self.play(action)
            else:
                self.say(
                    _("A choice as it is listed, or one of: {commands}.").format(commands=", ".join(self.commands)), style="red"
                )
        except Refused as refused:
            self.explain(refused)
        except OSError as error:
            self.say(f"{error.filename}: {error.strerror}", style="red")

    # ----------------------------------------------------------------------------------------------------------- the commands

    def why(self, rest: str) -> None:
        """Why an action can't be played, and what the rulebook says of it."""
        asked = self.choices.read(rest)
        if asked is None:
            self.say(_("Say which, e.g. why {choice}.").format(choice=self.example()), style="red")
            return
        action = self.match.check(asked)
        text = self.match.game.words.action(self.match.view(self.viewer).state, action, self.match.names)
        self.say(_("Nothing forbids it: {action}.").format(action=text))

    def explain(self, refused: Refused) -> None:
        """A refusal in words, with the sentence of the rulebook that it rests on."""
        self.say(str(refused), style="red")
        sentence = rule_sentence(self.match.game, refused.rule) if isinstance(refused, IllegalAction) else ""
        if sentence:
            self.console.print(Padding(Text(f"{refused.rule} {sentence}", style="dim"), (0, 0, 0, 2)))

    def hint(self, _rest: str) -> None:
        """The king's best actions with their chances, from what the person knows."""
        view = self.match.view(self.viewer)
        if not view.legal:
            self.say(_("There is nothing to decide."))
            return
        self.hinted.add(self.match.information_set(self.viewer))
        with self.console.status(_("The king looks at your table …")):
            given = hints(view)
        print_hints(self.console, view, given, self.choices.written)

    def undo(self, _rest: str) -> None:
        """Back to the person's previous decision, whatever was revealed since; what chance then brings is new."""
        own = [index for index, step in enumerate(self.match.steps) if step.seat in self.persons]
        self.match.undo(len(self.match.steps) - own[-1] if own else 0, revealed=True)
        self.hinted |= _hinted_before(self.match)
        self.say(_("Taken back."))

    def save(self, rest: str) -> None:
        """Write the match record."""
        match = self.match
        path = Path(rest or f"{match.game.name}-{match.commitment[:8]}{SUFFIX}")
        if "\0" in rest:
            self.say(_("No file can be called that."), style="red")
            return
        record = match.record(legal=True, abandoned=None if match.over else LEFT)
        replace_text(path, dumps(record) + "\n")
        self.say(_("Saved as {path}.").format(path=path))

    def help(self, _rest: str) -> None:
        """The commands."""
        self.say(_("A choice is typed as it is listed, e.g. {choice}.").format(choice=self.example()))
        for description, _command in self.commands.values():
            self.say(f"  {description}")

    def example(self) -> str:
        """A choice that can be typed."""
        return self.choices.written((*self.match.view(self.viewer).legal, 0)[0])

    def quit(self, _rest: str) -> None:
        """Leave."""
        self.open = False

    def say(self, text: str, style: str = "") -> None:
        """Print a line."""
        self.console.print(Text(text, style=style))
