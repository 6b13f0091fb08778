"""Proposals of the people at a table to each other. Their state follows from the entries of the match and from nothing else.

A ``propose`` entry opens a proposal. Each ``agree`` or ``decline`` entry is a vote, ``withdraw`` comes from the proposer, and
``expire`` from the scheduler. Their ``value`` is the number of the proposal's entry. People know a proposal by another number,
which counts the proposals of the match: that of an entry would also count entries that are secret, such as hints. The proposal
is accepted when every seat that was asked has agreed. The last vote and its effect are stored in one transaction: a take-back is
an ``undo`` entry.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from meadhall.engine.text.language import gettext as _, ngettext
from meadhall.server.errors import NotSeated, Stale, TooMany, WrongMoment
from meadhall.server.hall.proposal_kinds import KINDS, Addressed, Kind, What
from meadhall.server.store.models import Entry, EntryKind

ENTRY_KINDS: Final[tuple[EntryKind, ...]] = ("propose", "agree", "decline", "withdraw", "expire")
"""The kinds of entries about proposals. They don't change the match itself."""

Ending = Literal["accepted", "declined", "withdrawn", "expired", "void"]
"""How a proposal ended. Void: it no longer makes sense, because the match has moved on."""

WAIT_DECISIONS: Final = 5
WAIT_TIME: Final = timedelta(minutes=10)
"""After a proposal without success, its seat may make the same proposal again after so many decisions, or after this time."""

SHOWN_DECISIONS: Final = 3
"""For so many decisions the page shows how the last proposal ended."""


@dataclass(frozen=True)
class Proposal:
    """A proposal and the votes so far.

    Attributes:
        entry: the number of its entry, which no person may see.
        number: the number of this proposal among those of the match.
        what: what is proposed.
        seat: the seat that proposes it.
        asked: the seats that must agree.
        agreed: those that have agreed.
        bots: the asked seats for which bots play.
        deputies: the asked seats for which bots play a single decision, because their time was up.
        until: when it expires, in UTC.
        to: for ``take-back`` the number of the first action that is taken back; 0 otherwise.
    """

    entry: int
    number: int
    what: What
    seat: int
    asked: frozenset[int]
    agreed: frozenset[int]
    bots: frozenset[int]
    until: datetime
    to: int = 0
    deputies: frozenset[int] = frozenset()

    @property
    def kind(self) -> Kind:
        """Its kind."""
        return KINDS[self.what]

    @property
    def waiting(self) -> frozenset[int]:
        """The seats that have not answered yet."""
        return self.asked - self.agreed


@dataclass(frozen=True)
class Closed:
    """A proposal that has ended.

    Attributes:
        ending: how.
        entry: the number of the entry that ended it, which no person may see.
        seat: the seat that declined it; None if no seat did.
        decisions: the number of decisions before its end.
    """

    proposal: Proposal
    ending: Ending
    entry: int
    seat: int | None
    decisions: int


@dataclass(frozen=True)
class Proposals:
    """The proposals of a match.

    Attributes:
        made: how many proposals there were.
        open: the open proposal.
        last: the proposal that ended last.
        decisions: the number of decisions so far. Decisions that were taken back count, too.
        take_backs: how often seats took back a decision alone after something was revealed.
        refused: when proposals last had no success, by who made them and what they were: the decisions before, and the time.
    """

    made: int = 0
    open: Proposal | None = None
    last: Closed | None = None
    decisions: int = 0
    take_backs: int = 0
    refused: Mapping[tuple[int, What], tuple[int, datetime]] = field(default_factory=dict)

    def follow(self, entry: Entry) -> Proposals:
        """Return the state after the next entry of the match."""
        after = self
        if entry.kind in ("action", "hinted"):
            after = replace(after, decisions=after.decisions + 1)
        if entry.kind == "undo" and entry.data:
            after = replace(after, take_backs=after.take_backs + 1)
        found = after.open
        if entry.kind == "propose" and (entry.data or {}).get("what") in KINDS:  # others are of older halls
            opened = _opened(entry, after.made + 1)
            return replace(after, made=opened.number, open=opened)._accepted_if_all_agree(entry)
        if found is None:
            return after
        match entry.kind:
            case "agree" if entry.value == found.entry:
                agreed = replace(found, agreed=found.agreed | {entry.seat})
                return replace(after, open=agreed)._accepted_if_all_agree(entry)
            case "decline" if entry.value == found.entry:
                return after._closed(entry, "declined", entry.seat)
            case "withdraw" if entry.value == found.entry:
                return after._closed(entry, "withdrawn")
            case "expire" if entry.value == found.entry:
                return after._closed(entry, "expired")
            case "action" | "hinted":
                return after._after_action(entry, found)
            case "undo" if found.kind.takes_back:
                return after._closed(entry, "void")
            case "stand_in" if (entry.data or {}).get("lasts") == "decision":
                return replace(after, open=replace(found, deputies=found.deputies | {entry.seat}))
            case "stand_in" if entry.seat == found.seat:
                return after._closed(entry, "withdrawn")
            case "stand_in":
                return replace(after, open=replace(found, bots=found.bots | {entry.seat}))
            case "return":
                return replace(after, open=replace(found, bots=found.bots - {entry.seat}))
        return after

    def _after_action(self, entry: Entry, found: Proposal) -> Proposals:
        """Return the state after an action. By playing on a person declines, and a proposer withdraws a take-back."""
        if entry.seat in found.deputies:
            return replace(self, open=replace(found, deputies=found.deputies - {entry.seat}))
        if found.kind.ended_by_play and entry.seat in found.waiting - found.bots:
            return self._closed(entry, "declined", entry.seat)
        if found.kind.takes_back and entry.seat == found.seat:
            return self._closed(entry, "withdrawn")
        return self

    def _accepted_if_all_agree(self, entry: Entry) -> Proposals:
        assert self.open is not None
        return self if self.open.waiting else self._closed(entry, "accepted")

    def _closed(self, entry: Entry, ending: Ending, seat: int | None = None) -> Proposals:
        found = self.open
        assert found is not None
        refused = self.refused
        if ending in ("declined", "withdrawn", "expired"):
            refused = {**refused, (found.seat, found.what): (self.decisions, entry.at)}
        return replace(self, open=None, last=Closed(found, ending, entry.number, seat, self.decisions), refused=refused)

    def accepted_by(self, entry: Entry) -> Proposal | None:
        """Return the proposal that this entry, the last one, has accepted; None if it has accepted none."""
        last = self.last
        is_accepted = self.open is None and last is not None and (last.entry, last.ending) == (entry.number, "accepted")
        return last.proposal if is_accepted and last is not None else None

    @property
    def recent(self) -> Closed | None:
        """The proposal that ended a few decisions ago, while none is open."""
        last = self.last
        is_recent = self.open is None and last is not None and self.decisions < last.decisions + SHOWN_DECISIONS
        return last if is_recent else None

    # --------------------------------------------------------------------------------------------------------- new entries

    def proposed(
        self,
        number: int,
        what: What,
        addressed: Addressed,
        bots: Set[int],
        at: datetime,
        time_limit: timedelta,
    ) -> Entry:
        """Return the entry of a new proposal. Bots agree at once, except to a draw, which they think about.

        Raises:
            WrongMoment: another proposal is open.
            TooMany: the same proposal had no success a moment ago.
        """
        self.check_new(what, addressed.seat, at)
        data: dict[str, Any] = {
            "what": what,
            "until": (at + time_limit).isoformat(),
            "asked": sorted(addressed.asked),
            "agreed": sorted(addressed.asked & bots if KINDS[what].bots_agree else ()),
            "bots": sorted(addressed.asked & bots),
        }
        return Entry(number, "propose", addressed.seat, addressed.to, data, at)

    def check_new(self, what: What, seat: int, at: datetime) -> None:
        """Refuse a proposal while another one is open, or soon after it had no success. Raises WrongMoment, TooMany."""
        if self.open is not None:
            raise WrongMoment(_("Another proposal is open. Wait until it is answered."))
        before = self.refused.get((seat, what))
        if before is None:
            return
        left = WAIT_DECISIONS - (self.decisions - before[0])
        if left > 0 and at < before[1] + WAIT_TIME:
            raise TooMany(
                ngettext(
                    "You have just proposed that. Wait for {count} more decision, or ten minutes.",
                    "You have just proposed that. Wait for {count} more decisions, or ten minutes.",
                    left,
                ).format(count=left)
            )

    def answered(self, number: int, proposal: int, seat: int, agrees: bool, at: datetime) -> Entry:
        """Return the entry of a seat's vote on a proposal. ``number``: of the new entry.

        Raises:
            Stale: that proposal is not open any more, or its time is up.
            NotSeated: the seat isn't asked, or has answered.
        """
        found = self._the_open(proposal)
        if at >= found.until:
            raise Stale(_("The time to answer is over."))
        if seat in found.agreed:
            raise WrongMoment(_("You have already agreed."))
        if seat not in found.asked:
            raise NotSeated(_("This proposal doesn't ask you."))
        return Entry(number, "agree" if agrees else "decline", seat, found.entry, at=at)

    def withdrawn(self, number: int, proposal: int, seat: int, at: datetime) -> Entry:
        """Return the entry with which a seat withdraws a proposal. Raises Stale, NotSeated."""
        found = self._the_open(proposal)
        if found.seat != seat:
            raise NotSeated(_("Only the player who proposed it can withdraw it."))
        return Entry(number, "withdraw", found.seat, found.entry, at=at)

    def expired(self, number: int, entry: int, at: datetime) -> Entry:
        """Return the entry that ends the proposal with that ``entry``: its time is up. Raises Stale."""
        if self.open is None or self.open.entry != entry:
            raise Stale(_("This proposal is not open any more."))
        return Entry(number, "expire", self.open.seat, entry, at=at)

    def _the_open(self, number: int) -> Proposal:
        if self.open is None or self.open.number != number:
            raise Stale(self._reason(number))
        return self.open

    def _reason(self, number: int) -> str:
        last = self.last
        if last is not None and last.proposal.number == number:
            reasons: Mapping[Ending, str] = {
                "accepted": _("Everyone has already agreed to this proposal."),
                "declined": _("This proposal was already declined."),
                "withdrawn": _("This proposal was withdrawn."),
                "expired": _("The time to answer is over."),
                "void": _("The match has moved on: this proposal means nothing any more."),
            }
            return reasons[last.ending]
        return _("This proposal is not open any more.")


def _opened(entry: Entry, number: int) -> Proposal:
    data = entry.data
    assert data is not None
    return Proposal(
        entry=entry.number,
        number=number,
        what=data["what"],
        seat=entry.seat,
        asked=frozenset(data["asked"]),
        agreed=frozenset(data["agreed"]),
        bots=frozenset(data["bots"]),
        until=datetime.fromisoformat(data["until"]),
        to=entry.value,
    )
