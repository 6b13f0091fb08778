"""The questions of guests in the workshop: the rights to read and to change them, and their limits."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, TypeAlias

import msgspec

from meadhall.bots import bot
from meadhall.engine.checks import is_unseen
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.engine.options import MAX_SIZE, Document, Option
from meadhall.engine.registry import game
from meadhall.engine.text.language import gettext as _, marked
from meadhall.lab.balance.own import checked_own
from meadhall.lab.entrants import kind_mask
from meadhall.server.errors import NotFound, NotYours, TooMany, WrongMoment
from meadhall.server.hall.orders import MOST_SECONDS, Orders
from meadhall.server.store import questions
from meadhall.server.store.models import Guest, new_id
from meadhall.server.store.questions import Content, Question, Variant
from meadhall.server.store.store import Store

Edit: TypeAlias = Callable[[Content], Content]
"""A change of what a question asks. It may raise BadSetup or NotFound."""

MOST_QUESTIONS: Final = 40
"""Questions of a guest."""
MOST_VARIANTS: Final = 6
LIMITS: Final = {
    "players": (1, 8, marked("numbers of players")),
    "variants": (1, MOST_VARIANTS, marked("variants")),
    "bots": (0, 3, marked("levels of bots")),
    "without": (0, 4, marked("kinds of actions")),
    "figures": (0, 8, marked("figures")),
    "seconds": (5, int(MOST_SECONDS), marked("seconds")),
}
"""The least and the most of each in a question."""
SEARCH: Final = "search@"
"""What the name of a bot begins with that searches so many steps before each move."""
LONGEST_NAME: Final = 80
LONGEST_FIGURE: Final = 200
MOST_SIZE: Final = 384 * 1024
"""The longest content of a question as JSON, in bytes."""


class Questions:
    """The questions of a hall. Every method raises DatabaseUnavailable while nothing can be stored."""

    def __init__(self, store: Store, orders: Orders) -> None:
        self._store = store
        self._orders = orders

    def create(self, guest: Guest, subject: Game, content: Content | None = None) -> Question:
        """Store a new question of a guest, who is stored already. Raises BadSetup, UnknownBot, TooMany.

        Without ``content`` it has the usual number of players and one variant, the printed rules.
        """
        if len(self.of(guest)) >= MOST_QUESTIONS:
            raise TooMany(_("You have {count} questions. Delete one first.").format(count=MOST_QUESTIONS))
        checked = check(subject, content or first_content(subject))
        question = Question(new_id(), guest.id, subject.name, checked, 0, self._store.time.now())
        self._store.transact(questions.add, question)
        return question

    def find(self, id: str) -> Question:
        """Return a question, for every guest who knows its id. Raises NotFound, UnknownGame."""
        question = self._store.transact(questions.find, id)
        if question is None:
            raise NotFound(_("There is no such question here. Its guest may have deleted it."))
        game(question.game)
        return question

    def own(self, guest: Guest, id: str) -> Question:
        """Return a question of this guest. Raises NotFound, UnknownGame, NotYours."""
        question = self.find(id)
        if question.guest != guest.id:
            raise NotYours(_("Only the guest who has asked this question can change it. Copy it to go on with it."))
        return question

    def of(self, guest: Guest) -> list[Question]:
        """Return the questions of a guest, those changed last first."""
        return self._store.transact(questions.of_guest, guest.id)

    def can_undo(self, question: Question) -> bool:
        """Return whether a change of a question can be undone."""
        return self._store.transact(questions.can_undo, question.id)

    def change(self, guest: Guest, id: str, edit: Edit) -> Question:
        """Change what a question of a guest asks, and return the question. Raises BadSetup, UnknownBot, NotFound, NotYours."""
        before = self.own(guest, id)
        after = check(game(before.game), edit(before.content))
        return before if after == before.content else self._store.transact(questions.save, before, after)

    def undo(self, guest: Guest, id: str) -> Question:
        """Undo the last change of a question, and return the question. Raises NotFound, NotYours, WrongMoment."""
        found = self._store.transact(questions.undo, self.own(guest, id))
        if found is None:
            raise WrongMoment(_("There is nothing to undo."))
        return found

    def copy(self, guest: Guest, id: str) -> Question:
        """Return a copy that belongs to this guest, who is stored already. Raises NotFound, TooMany."""
        source = self.find(id)
        return self.create(guest, game(source.game), source.content)

    def delete(self, guest: Guest, id: str) -> None:
        """Delete a question with its reports. Raises NotFound, NotYours."""
        self.own(guest, id)
        self._store.transact(questions.delete, id)
        self._orders.forget(id)


# -------------------------------------------------------------------------------------------------------------------- checking


def check(subject: Game, content: Content) -> Content:
    """Return the content of a question without what goes without saying. Raises BadSetup, UnknownBot.

    The data of documents aren't checked: a guest may save one that isn't valid yet.
    """
    for name, (least, most, what) in LIMITS.items():
        value = getattr(content, name)
        if not least <= (count := value if isinstance(value, int) else len(value)) <= most:
            message = _("Choose {least} to {most} {what}, not {count}.")
            raise BadSetup(message.format(least=least, most=most, what=_(what), count=count))
    kind_mask(subject, content.without)
    for name in content.bots:
        bot(subject, name)
    variants = tuple(_checked_variant(subject, each) for each in content.variants)
    if any(len({getattr(each, name) for each in variants}) < len(variants) for name in ("name", "key")):
        raise BadSetup(_("Two variants can't have the same name."))
    checked = Content(
        _checked_name(content.name),
        tuple(sorted({subject.check_players(count) for count in content.players})),
        variants,
        tuple(dict.fromkeys(content.bots)),
        tuple(dict.fromkeys(content.without)),
        tuple(dict.fromkeys(_checked_name(each, LONGEST_FIGURE) for each in content.figures)),
        content.seconds,
    )
    if len(msgspec.json.encode(checked)) > MOST_SIZE:
        raise BadSetup(_("This question is too long. Take a variant out first."))
    return checked


def _checked_name(text: str, longest: int = LONGEST_NAME) -> str:
    name = " ".join(text.split())
    if not name or len(name) > longest or not name.isprintable() or any(map(is_unseen, name)):
        raise BadSetup(_("A name has 1 to {most} visible characters.").format(most=longest))
    return name


def _checked_variant(subject: Game, variant: Variant) -> Variant:
    options = {}
    for name, value in variant.options.items():
        option = option_of(subject, name)
        checked = _checked_data(option, value) if isinstance(option, Document) else option.check(value)
        if checked is not None and checked != option.default:
            options[name] = checked
    return Variant(variant.key, _checked_name(variant.name), options)


def _checked_data(option: Document[Any], value: Any) -> Mapping[str, Any] | None:
    """Return the data of a document as a question keeps it, None for the built-in one."""
    if isinstance(value, Mapping) and "sha256" in value:
        value = value.get("data")
    if value is not None and not isinstance(value, Mapping):
        raise BadSetup(f"{option.name}: it must be a document, not {type(value).__name__}")
    if value is not None and len(msgspec.json.encode(value)) > MAX_SIZE:
        raise BadSetup(f"{option.name}: longer than {MAX_SIZE // 1024} KB")
    return None if value is None or value == option.data(option.default) else value


# ------------------------------------------------------------------------------------------------------------------------ uses


def option_of(subject: Game, name: str) -> Option:
    """Return the option of a game with this name. Raises BadSetup."""
    for option in subject.options:
        if option.name == name:
            return option
    raise BadSetup(_("{game} has no such option.").format(game=subject.title))


def options_of(question: Question, variant: Variant) -> dict[str, Any]:
    """Return the checked values of all options of a variant; options that don't apply have their default.

    Raises BadSetup, for example with the place that is wrong in a document.
    """
    return game(question.game).fitting_options(variant.options)


def request_of(question: Question, language: str) -> dict[str, Any]:
    """Return what the process of a report gets: all variants are played with the same deals. Raises BadSetup with the reason."""
    subject, content = game(question.game), question.content
    variants = {}
    for each in content.variants:
        try:
            variants[each.name] = options = options_of(question, each)
            for players in content.players:
                subject.check_setup(players, options)
        except BadSetup as error:
            raise BadSetup(f"{each.name}: {error}") from None
    counters = counters_of(content)
    checked_own([subject.edition_for(options) for options in variants.values()], max(content.players), counters, {})
    some = {"bots": content.bots, "without": content.without, "counters": counters}
    return {
        "name": subject.name,
        "players": content.players,
        "variants": variants,
        "seconds": float(content.seconds),
        "seed": question.id,
        "language": language,
        **{name: value for name, value in some.items() if value},
    }


def counters_of(content: Content) -> dict[str, str]:
    """Return the counters of a question by their names. One without a name is called as it says."""
    lines = [(line.partition(":"), line) for line in content.figures]
    return {name.strip(): text.strip() if colon else line for (name, colon, text), line in lines}


def is_current(question: Question, request: Mapping[str, Any]) -> bool:
    """Return whether a report with this request answers what the question asks now."""
    try:
        wanted = request_of(question, request.get("language", ""))
    except BadSetup:
        return False
    return bool(json.loads(json.dumps(wanted)) == request)


def first_content(subject: Game, *variants: Variant, players: int | None = None) -> Content:
    """Return what a new question asks: about these variants, or the printed rules."""
    name = _("A question about {game}").format(game=subject.title)
    return Content(name, (players or subject.default_players,), variants or (new_variant(_("As printed"), {}, ()),))


def new_variant(name: str, options: Mapping[str, Any], others: Collection[Variant]) -> Variant:
    """Return a variant with a name that none of the others has."""
    names = {each.name for each in others}
    free = next(each for each in (name, *(f"{name} {k}" for k in range(2, MOST_VARIANTS + 2))) if each not in names)
    return Variant(new_id()[:6], free, dict(options))
