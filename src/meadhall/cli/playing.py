"""``meadhall play`` and ``meadhall learn``: a match in the terminal against bots, and the guided first game of a game.

In a match every action is typed in the same way in every position, so ``why`` works for any action, legal or not.
"""

from __future__ import annotations

import getpass
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from meadhall.bots import Bot, bot, hints
from meadhall.bots.ranks import HUSCARL, KARL
from meadhall.cli.console import EXISTING_FILE, console, name_and_value, print_prose, split_names, typed_line
from meadhall.cli.records import outcome, print_board, print_choices, print_events, print_hints, print_rules
from meadhall.engine.errors import BadSetup, IllegalAction, RecordError, Refused
from meadhall.engine.match.match import Match
from meadhall.engine.match.record import SUFFIX, dumps, read_records, replaced
from meadhall.engine.match.telling import Choices, answer_to, guided_match
from meadhall.engine.match.view import Seat, View
from meadhall.engine.registry import PlayableGame, game as find_game
from meadhall.engine.replay import replay
from meadhall.engine.rulebook import rule_sentence, rulebook_text
from meadhall.engine.state.chance import seed_from_text
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.lessons import LEARNER, Lesson

BOT_NAMES = ("Astrid", "Björn", "Sigrid", "Torsten", "Freydis", "Knut", "Gudrun")
LEFT = "left at the terminal"
"""The reason in the record of a match that was saved while it ran. It is data, so it is not translated."""


def play_match(
    game: Annotated[str, typer.Argument(help=_("Name of the game; `meadhall games` lists them."))] = "",
    players: Annotated[int | None, typer.Option(help=_("Number of players; by default the usual number for the game."))] = None,
    bots: Annotated[
        str | None, typer.Option(help=_("Bots for the other seats, in turn, e.g. karl,thrall; by default karl or huscarl."))
    ] = None,
    seed: Annotated[str | None, typer.Option(help=_("Any text; the same text gives the same dice."))] = None,
    seat: Annotated[int, typer.Option(help=_("Your seat, counted from 1."), min=1)] = 1,
    name: Annotated[str | None, typer.Option(help=_("Your name."))] = None,
    option: Annotated[list[str] | None, typer.Option(help=_("An option of the game as name=value; can be repeated."))] = None,
    resume: Annotated[Path | None, typer.Option(help=_("Continue a saved match."), **EXISTING_FILE)] = None,
) -> None:
    """Let a person play a match, a new one or a saved one. Raises typer.BadParameter."""
    if resume is not None:
        if (players, bots, seed, seat, name, option or None) != (None, None, None, 1, None, None):
            raise typer.BadParameter(_("With --resume the match continues unchanged; other options don't apply."))
        match = resumed_match(resume)
        if game not in ("", match.game.name):
            raise typer.BadParameter(_("{file} contains a match of {game}.").format(file=resume, game=match.game.name))
    elif game:
        subject = find_game(game)
        named = None if bots is None else split_names(bots)
        match = new_match(subject, players, named, seed, seat - 1, name, subject.read_options(name_and_value(option)))
    else:
        raise typer.BadParameter(_("Name a game, or a saved match with --resume."))
    Session(match).run()


def new_match(
    game: PlayableGame,
    players: int | None,
    bots: Sequence[str] | None,
    seed: str | None,
    seat: int,
    name: str | None,
    options: dict[str, Any],
) -> Match:
    """Start a match of a person on ``seat`` (from 0) against bots, which take the other seats in turn.

    By default the bots are karls, or in a game without heuristics huscarls.
    """
    count = game.check_players(game.default_players if players is None else players)
    if not 0 <= seat < count:
        raise BadSetup(_("There is no seat {seat}; the seats are 1 to {last}.").format(seat=seat + 1, last=count))
    if bots is None:
        bots = [HUSCARL.name if game.greedy is None else KARL.name]
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


def resumed_match(path: Path) -> Match:
    """Return the match of a record file, verified."""
    records = list(read_records(path))
    if len(records) != 1:
        raise RecordError(str(path), _("the file must contain one match to resume, not {count}").format(count=len(records)))
    return replay(records[0])


def hinted_information_sets(match: Match) -> set[bytes]:
    """Return the information sets in which a seat played with a hint, including undone actions."""
    steps = [*match.steps, *(step for undone in match.undone for step in undone.steps)]
    return {match.supposing(step.before).information_set(step.seat) for step in steps if step.hinted} | _hinted_before(match)


def _hinted_before(match: Match) -> set[bytes]:
    """Return the current information set if the last undone action was hinted. The undo may have added information."""
    last = match.undone[-1].steps if match.undone else ()
    just_undone = last and last[-1].n == match.next_number - 1
    return {match.information_set(last[0].seat)} if just_undone and last[0].hinted else set()


class Session:
    """A person at the terminal and their match."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.console = console()
        self.choices = Choices(match.game)
        self.persons = [seat for seat, who in enumerate(match.seats) if who.kind == "human"]
        if not self.persons:
            raise BadSetup(_("All seats of this match are bots."))
        self.bots: dict[int, Bot] = {
            seat: bot(match.game, who.bot, seed_from_text(f"{match.seed.hex()}/bot {seat}"))
            for seat, who in enumerate(match.seats)
            if who.bot is not None
        }
        self.viewer = self.persons[0]
        self.hinted = hinted_information_sets(match)
        self.open = True
        self.commands: dict[str, tuple[str, Callable[[str], None]]] = {
            "why": (_("why CHOICE: explain why you can't play it"), self.why),
            "rules": (_("rules [ID]: read the rulebook, or one rule"), self.rules),
            "hint": (_("hint: show the strongest bot's best moves; the record notes it"), self.hint),
            "undo": (_("undo: go back to your previous decision"), self.undo),
            "save": (_("save [FILE]: save the match; continue it later with --resume FILE"), self.save),
            "help": (_("help: this list"), self.help),
            "quit": (_("quit: leave the match"), self.quit),
        }

    # -------------------------------------------------------------------------------------------------------------- the match

    def run(self) -> None:
        """Play until the person leaves."""
        self.greet()
        while self.open:
            self.let_bots_play()
            self.show()
            self.ask()

    def greet(self) -> None:
        """Print the game and its goal, the players, and the commitment to the seed."""
        match = self.match
        self.say(match.game.title, style="bold")
        if goal := match.game.goal_of(match.options):
            self.say(goal)
        if match.game.lessons is not None and not match.steps:
            self.say(_("New here? Learn the game first: meadhall learn {game}").format(game=match.game.name), style="dim")
        self.say(", ".join(f"{who.name} ({who.bot})" if who.bot else who.name for who in match.seats))
        self.say(_("SHA-256 of the seed: {commitment}").format(commitment=match.commitment), style="dim")
        print_events(self.console, match, match.view(self.viewer).setup, seat=self.reader())
        self.say(_("Type help for a list of commands."), style="dim")

    def let_bots_play(self) -> None:
        """Let bots play until it is a person's turn or the match is over."""
        while (actor := self.match.actor) is not None and actor in self.bots:
            self.play(self.bots[actor].choose(self.match.view(actor)))
        if actor is not None:
            self.viewer = actor

    def play(self, action: int) -> None:
        """Play an action for the seat to move and print the events that the person may know."""
        number = self.match.next_number
        actor = self.match.actor
        hinted = actor in self.persons and self.match.information_set(actor) in self.hinted
        events = self.match.play(action, hinted=hinted)
        visible = [event for event in events if event.visible_to(self.viewer)]
        print_events(self.console, self.match, visible, number, self.reader())

    def reader(self) -> int | None:
        """Return the seat that texts call "you": the only person's; None if several persons share the terminal."""
        return self.viewer if len(self.persons) == 1 else None

    def show(self) -> None:
        """Print the board and the person's choices."""
        view = self.match.view(self.viewer)
        print_board(self.console, view)
        if self.match.over:
            self.say("\n" + outcome(self.match, self.reader()), style="bold")
            self.say(_("save, undo or quit?"), style="dim")
            return
        self.say(f"\n{view.prompt()}", style="bold")
        print_choices(self.console, self.choices.lines(view.actions()))

    def ask(self) -> None:
        """Read choices and commands until the position has changed."""
        position = (self.match.next_number, len(self.match.steps))
        while self.open and (self.match.next_number, len(self.match.steps)) == position:
            if line := typed_line(self.console, "> ", "quit"):
                self.execute(line)

    def execute(self, line: str) -> None:
        """Carry out a line, or print why it is refused."""
        word, _space, rest = line.partition(" ")
        try:
            if word in self.commands:
                self.commands[word][1](rest.strip())
            elif (action := self.choices.read(line)) is not None:
                self.play(action)
            else:
                self.say(
                    _("Type a choice from the list, or one of: {commands}.").format(commands=", ".join(self.commands)),
                    style="red",
                )
        except Refused as refused:
            self.explain(refused)
        except OSError as error:
            self.say(f"{error.filename}: {error.strerror}", style="red")

    # ----------------------------------------------------------------------------------------------------------- the commands

    def why(self, rest: str) -> None:
        """Print why an action can't be played, with the sentence of the rulebook."""
        asked = self.choices.read(rest)
        if asked is None:
            self.say(_("Add a choice, e.g. why {choice}.").format(choice=self.example()), style="red")
            return
        action = self.match.check(asked)
        text = self.match.game.words.action(self.match.view(self.viewer).state, action, self.match.names)
        self.say(_("You can play this: {action}.").format(action=text))

    def explain(self, refused: Refused) -> None:
        """Print a refusal with the sentence of the rulebook behind it."""
        print_prose(self.console, Text(str(refused), style="red"))
        if isinstance(refused, IllegalAction):
            self.quote(refused.rule)

    def quote(self, rule: str) -> bool:
        """Print a rule as it holds in this match. Return whether the rulebook has it."""
        sentence = rule_sentence(self.match.game, rule, self.match.options)
        if sentence:
            print_prose(self.console, Padding(Text(f"{rule} {sentence}", style="dim"), (0, 0, 0, 2)))
        return bool(sentence)

    def rules(self, rest: str) -> None:
        """Print the rulebook as it holds in this match, or one rule."""
        rule = rest.upper()
        if not rest:
            print_rules(self.console, rulebook_text(self.match.game, self.match.options))
        elif not self.quote(rule):
            self.say(_("There is no rule {rule}.").format(rule=rule), style="red")

    def hint(self, _rest: str) -> None:
        """Print the strongest bot's best actions with their chances, from the person's information."""
        view = self.match.view(self.viewer)
        if not view.legal:
            self.say(_("There is nothing to decide now."))
            return
        self.hinted.add(self.match.information_set(self.viewer))
        with self.console.status(_("The strongest bot is thinking …")):
            given = hints(view)
        print_hints(self.console, view, given, self.choices.written)

    def undo(self, _rest: str) -> None:
        """Return to the person's previous decision, even past revelations. Chance is drawn again."""
        own = [index for index, step in enumerate(self.match.steps) if step.seat in self.persons]
        self.match.undo(len(self.match.steps) - own[-1] if own else 0, revealed=True)
        self.hinted |= _hinted_before(self.match)
        self.say(_("Undone."))

    def save(self, rest: str) -> None:
        """Write the match record."""
        match = self.match
        path = Path(rest or f"{match.game.name}-{match.commitment[:8]}{SUFFIX}")
        if "\0" in rest:
            self.say(_("That is not a valid file name."), style="red")
            return
        record = match.record(legal=True, abandoned=None if match.over else LEFT)
        with replaced(path) as file:
            file.write(f"{dumps(record)}\n".encode())
        self.say(_("Saved as {path}.").format(path=path))

    def help(self, _rest: str) -> None:
        """Print the commands."""
        self.say(_("Type a choice as listed, e.g. {choice}.").format(choice=self.example()))
        for description, _command in self.commands.values():
            self.say(f"  {description}")

    def example(self) -> str:
        """Return an example of a choice."""
        return self.choices.written((*self.match.view(self.viewer).legal, 0)[0])

    def quit(self, _rest: str) -> None:
        """Leave the match."""
        self.open = False

    def say(self, text: str, style: str = "") -> None:
        """Print a line."""
        self.console.print(Text(text, style=style))


LEAVE = "quit"


def learn_game(game: Annotated[str, typer.Argument(help=_("Name of the game; `meadhall games` lists them."))]) -> None:
    """Lead a person through the lessons of a game. Raises BadSetup if the game has none."""
    subject = find_game(game)
    lessons = subject.lessons
    if lessons is None:
        raise BadSetup(_("{game} has no guided first game yet.").format(game=subject.title))
    out, choices, told = console(), Choices(subject), 0
    match = guided_match(subject)
    out.print(Text(subject.title, style="bold"))
    out.print(Text(_("{leave}: leave the lessons").format(leave=LEAVE), style="dim"))
    for number, (lesson, position) in enumerate(zip(lessons.lessons, lessons.positions, strict=True), 1):
        view = match.view_at(position, LEARNER)
        for step in view.steps[told:]:
            print_events(out, match, step.events, step.n, LEARNER)
        told = position
        print_board(out, view)
        rule = f" ({lesson.rule})" if lesson.rule else ""
        print_prose(out, Text(f"\n{number}/{len(lessons.lessons)} {_(lesson.words)}{rule}", style="bold"))
        if not _did(out, choices, view, lesson):
            return


def _did(out: Console, choices: Choices, view: View, lesson: Lesson) -> bool:
    """Wait until the learner has done what a lesson asks for, or has read it. Return whether they go on."""
    wanted = lesson.action
    if wanted is None:
        return typed_line(out, _("Enter: go on") + " ", LEAVE) != LEAVE
    print_choices(out, [(choices.written(wanted), view.game.words.action(view.state, wanted, view.names))])
    while (line := typed_line(out, "> ", LEAVE)) != LEAVE:
        try:
            action = choices.read(line)
        except Refused as refused:
            print_prose(out, Text(str(refused), style="red"))
            continue
        if action == wanted:
            return True
        if action is None:
            out.print(Text(_("Type a choice as listed, e.g. {choice}.").format(choice=choices.written(wanted)), style="red"))
        else:
            print_prose(out, Text(answer_to(view, action, wanted), style="red"))
    return False
