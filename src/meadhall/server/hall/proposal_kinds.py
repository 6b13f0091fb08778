"""The kinds of proposals. Each kind says when it makes sense, which seats it asks, what ends it, and how it is put into words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from meadhall.engine.errors import CannotUndo, Refused
from meadhall.engine.match.match import Match
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import Stale, WrongMoment
from meadhall.server.hall.clocks import Clocks
from meadhall.server.hall.stand_ins import as_played, check_not_out
from meadhall.server.store.models import EntryKind, TableRow

GIVEN_UP: Final = "the players gave up together"
"""Why a match ended that the players gave up together."""

What = Literal["take-back", "draw", "give-up", "pause"]
"""The names of the kinds: take back actions, end as a draw, lose together, pause the match."""


@dataclass(frozen=True)
class Proposer:
    """A player who wants to propose something in a running match.

    Attributes:
        to: for ``take-back`` the number of the first action that is taken back; None: the player's last one.
    """

    table: TableRow
    match: Match
    clocks: Clocks | None
    seat: int
    to: int | None = None


@dataclass(frozen=True)
class Addressed:
    """The seats that must agree to a proposal.

    Attributes:
        seat: the seat that proposes.
        to: for ``take-back`` the number of the first action that is taken back; 0 otherwise.
    """

    seat: int
    asked: frozenset[int]
    to: int = 0


@dataclass(frozen=True)
class Words:
    """The texts of a kind of proposals.

    Attributes:
        yours: what is proposed, for the seat that proposes it.
        theirs: the same, for all others.
        meaning: what happens if all agree.
        title: the heading of the offer.
        about: explains the offer.
        button: makes the proposal.
    """

    yours: str
    theirs: str
    meaning: str
    title: str
    about: str
    button: str


class Draft(Protocol):
    """The parts of a draft (``hall.state``) that proposals change."""

    def running_match(self) -> Match:
        """Return the match."""

    def add(self, kind: EntryKind, seat: int, value: int = 0) -> None:
        """Add a new entry."""

    def end(self) -> None:
        """End the table."""


@dataclass(frozen=True)
class Accepted:
    """A proposal to which all have agreed.

    Attributes:
        draft: the table and its match, to change.
        seat: the seat that proposed it.
        to: for ``take-back`` the number of the first action that is taken back.
    """

    draft: Draft
    seat: int
    to: int


class Kind:
    """A kind of proposals of the players.

    Attributes:
        what: its name.
        ended_by_play: whether a person declines it by playing on.
        takes_back: whether it takes back actions, and means nothing any more after an undo.
        bots_agree: whether bots agree at once. Otherwise they think about it.
        shows_itself: whether the page shows what was agreed for as long as it holds, so that it needs no notice.
    """

    what: What
    ended_by_play = False
    takes_back = False
    bots_agree = True
    shows_itself = False

    def check(self, proposer: Proposer) -> None:
        """Refuse what makes no sense at this table. Raises Refused."""

    def check_now(self, proposer: Proposer) -> None:
        """Refuse what makes sense at this table, but not now. Raises Refused."""

    def addressed(self, proposer: Proposer) -> Addressed:
        """Return the seats that must agree. Raises Refused if there is no such action."""
        return Addressed(proposer.seat, frozenset(range(proposer.match.players)) - {proposer.seat})

    def bots(self, proposer: Proposer) -> frozenset[int]:
        """Return the seats for which bots answer."""
        return frozenset(row.seat for row in proposer.table.seats if as_played(row, proposer.match).kind == "bot")

    def carry_out(self, accepted: Accepted) -> None:
        """Carry out the proposal. Raises Refused."""
        raise NotImplementedError

    def words(self) -> Words:
        """Return the texts in the language of the request."""
        raise NotImplementedError


class _TakeBack(Kind):
    what = "take-back"
    ended_by_play = takes_back = True

    def check_now(self, proposer: Proposer) -> None:
        check_not_out(proposer.match, proposer.seat)
        if not proposer.match.steps:
            raise CannotUndo(_("There is nothing to take back yet."))

    def addressed(self, proposer: Proposer) -> Addressed:
        found, steps = super().addressed(proposer), proposer.match.steps
        number = proposer.to
        if number is None:
            number = next((step.n for step in reversed(steps) if step.seat == found.seat), None)
        if number is None:
            raise CannotUndo(_("There is nothing to undo: you haven't decided anything yet."))
        if all(step.n != number for step in steps):
            raise Stale(_("The game has moved on. Look again, then choose."))
        return Addressed(found.seat, found.asked, number)

    def carry_out(self, accepted: Accepted) -> None:
        count = sum(step.n >= accepted.to for step in accepted.draft.running_match().steps)
        accepted.draft.add("undo", accepted.seat, count)

    def words(self) -> Words:
        return Words(
            _("You ask to take back actions."),
            _("{name} asks to take back actions."),
            _("Dice and cards fall differently afterwards. What was revealed stays known."),
            _("Take back"),
            _("Back to before a decision. Dice and cards fall differently afterwards."),
            _("Ask to take back"),
        )


class _Draw(Kind):
    what = "draw"
    ended_by_play = True
    bots_agree = False

    def check(self, proposer: Proposer) -> None:
        if proposer.match.is_cooperative:
            raise WrongMoment(_("All win or lose together here, so there is no draw. You can give up together."))

    def check_now(self, proposer: Proposer) -> None:
        check_not_out(proposer.match, proposer.seat)

    def addressed(self, proposer: Proposer) -> Addressed:
        found = super().addressed(proposer)
        return Addressed(found.seat, found.asked & frozenset(proposer.match.living))

    def carry_out(self, accepted: Accepted) -> None:
        accepted.draft.running_match().agree_to_draw()
        accepted.draft.end()

    def words(self) -> Words:
        return Words(
            _("You offer a draw."),
            _("{name} offers a draw."),
            _("The match ends. All who are still in the game share it equally."),
            _("Draw"),
            _("All who are still in the game share it equally."),
            _("Offer a draw"),
        )


class _GiveUp(Kind):
    what = "give-up"
    ended_by_play = True

    def check(self, proposer: Proposer) -> None:
        if not proposer.match.is_cooperative:
            raise WrongMoment(_("You play against each other here. Offer a draw, or resign."))

    def carry_out(self, accepted: Accepted) -> None:
        accepted.draft.running_match().abandon(GIVEN_UP)
        accepted.draft.end()

    def words(self) -> Words:
        ends = _("The match ends without a winner.")
        return Words(
            _("You propose to give up together."),
            _("{name} proposes to give up together."),
            ends,
            _("Give up together"),
            ends,
            _("Propose to give up"),
        )


class _Pause(Kind):
    what = "pause"
    shows_itself = True

    def check(self, proposer: Proposer) -> None:
        if proposer.clocks is None:
            raise WrongMoment(_("This table has no clock."))
        if proposer.clocks.pause is not None:
            raise WrongMoment(_("The match is already paused."))

    def carry_out(self, accepted: Accepted) -> None:
        accepted.draft.add("pause", accepted.seat)

    def words(self) -> Words:
        rests = _("The board and the clocks rest until one of you goes on.")
        return Words(
            _("You propose a pause."),
            _("{name} proposes a pause."),
            rests,
            _("Pause"),
            rests,
            _("Propose a pause"),
        )


KINDS: Final[Mapping[str, Kind]] = {kind.what: kind for kind in (_TakeBack(), _Draw(), _GiveUp(), _Pause())}
"""The kinds by their names."""


def kind_of(what: object) -> Kind:
    """Return the kind of that name. Raises Refused if there is none."""
    found = KINDS.get(what) if isinstance(what, str) else None
    if found is None:
        raise Refused(_("Nothing like this can be proposed. Possible are: {kinds}.").format(kinds=", ".join(KINDS)))
    return found
