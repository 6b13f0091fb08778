"""The open proposal as a table's page shows it, and the page that offers proposals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from meadhall.engine.errors import MeadhallError
from meadhall.engine.match.match import Match
from meadhall.engine.match.step import Step
from meadhall.engine.text.language import gettext as _, listed, ngettext
from meadhall.server.errors import reason_of
from meadhall.server.hall.proposal_kinds import Kind
from meadhall.server.hall.proposals import Closed, Proposal
from meadhall.server.hall.room import Room
from meadhall.server.hall.stand_ins import is_out, persons_playing
from meadhall.server.hall.table_tools import table_tools
from meadhall.server.pages.clock import moment
from meadhall.server.pages.models import Option, ProposalView
from meadhall.server.store.models import Guest
from meadhall.server.web.links import link

DECISIONS_SHOWN = 20
"""Number of decisions that a form offers to take back. With the API, any decision can be named."""


# ------------------------------------------------------------------------------------------------------------------- banner


def proposal_view(room: Room, match: Match, viewer: int | None) -> ProposalView | None:
    """Return the open proposal as a seat or a spectator sees it, or how the last one ended a few decisions ago."""
    proposals = room.consent.proposals
    found = proposals.open
    if found is not None and room.table.status == "running" and not match.over:
        answers = tuple((match.names[seat], seat in found.agreed) for seat in sorted(found.asked))
        text, asks = asked(match, found, viewer), viewer in found.waiting
        clocks, about = room.running_clocks, found.kind.words().meaning
        if clocks is not None and clocks.pause is None:
            meanwhile = _("Until all have answered, the clocks run.")
            about = f"{about} {meanwhile}"
        return ProposalView(found.number, text, about, answers, moment(found.until), asks, viewer == found.seat)
    recent = proposals.recent
    if recent is None or (recent.ending == "accepted" and recent.proposal.kind.shows_itself):
        return None
    return ProposalView(recent.proposal.number, ended(match, recent, viewer))


def asked(match: Match, proposal: Proposal, viewer: int | None) -> str:
    """Say a proposal in a sentence, with the action that would be taken back."""
    taken = [step for step in match.steps if step.n >= proposal.to] if proposal.kind.takes_back else []
    if taken:
        return _asked_to_take_back(match, proposal, taken, viewer)
    return _in_short(match, proposal, viewer)


def _asked_to_take_back(match: Match, proposal: Proposal, taken: Sequence[Step], viewer: int | None) -> str:
    words = {"name": match.names[proposal.seat], "action": match.action_in_words(taken[0], viewer), "count": len(taken)}
    words["player"] = match.names[taken[0].seat]
    if viewer == proposal.seat:
        message = ngettext(
            "You ask to take back the last action: {player}, “{action}”.",
            "You ask to take back the last {count} actions, from here on: {player}, “{action}”.",
            len(taken),
        )
    else:
        message = ngettext(
            "{name} asks to take back the last action: {player}, “{action}”.",
            "{name} asks to take back the last {count} actions, from here on: {player}, “{action}”.",
            len(taken),
        )
    return message.format(**words)


def _in_short(match: Match, proposal: Proposal, viewer: int | None) -> str:
    words = proposal.kind.words()
    text = words.yours if viewer == proposal.seat else words.theirs
    return text.format(name=match.names[proposal.seat])


def ended(match: Match, closed: Closed, viewer: int | None) -> str:
    """Say how a proposal ended."""
    what = _in_short(match, closed.proposal, viewer)
    if closed.ending == "declined" and closed.seat is not None:
        if viewer == closed.seat:
            return _("You declined: {what}").format(what=what)
        return _("{name} declined: {what}").format(name=match.names[closed.seat], what=what)
    return {
        "accepted": _agreed(match, closed.proposal),
        "declined": _("Declined: {what}"),
        "withdrawn": _("Withdrawn: {what}"),
        "expired": _("Not answered in time: {what}"),
        "void": _("No longer open: {what}"),
    }[closed.ending].format(what=what)


def _agreed(match: Match, proposal: Proposal) -> str:
    """Say what has happened because all have agreed."""
    if not proposal.kind.takes_back:
        return proposal.kind.words().about
    steps = next((each.steps for each in reversed(match.undone) if each.steps[0].n == proposal.to), ())
    names = {match.names[step.seat] for step in steps}
    if len(names) == 1:
        message = ngettext(
            "Taken back: the last action of {name}.", "Taken back: the last {count} actions of {name}.", len(steps)
        )
        return message.format(name=names.pop(), count=len(steps))
    message = ngettext("Taken back: the last action.", "Taken back: the last {count} actions.", len(steps))
    return message.format(count=len(steps))


# --------------------------------------------------------------------------------------------------------------------- offers


def propose_page(room: Room, guest: Guest, note: str) -> dict[str, Any]:
    """Return what a guest can propose at a table now. ``note``: what they have noted there."""
    seat, match, table = room.table.seat_of(guest.id), room.match, room.table
    offers: tuple[dict[str, Any], ...] = ()
    nothing = ""
    if match is None:
        nothing = _("The match has not begun yet.")
    elif table.status != "running" or match.over:
        nothing = _("The match is over.")
    elif table.daily is not None:
        nothing = _("In the puzzle of the day nothing can be proposed: everyone plays the same deal, once.")
    else:
        agrees = table_tools(table).proposals
        found_offers = [each for each in room.consent.offers(guest) if agrees or each[0].what == "pause"]
        offers = tuple(_offer(room, match, kind, seat, refusal) for kind, refusal in found_offers)
    found = room.consent.proposals.open
    shown = None if match is None or found is None else proposal_view(room, match, seat)
    resigns = match is not None and seat is not None and not nothing and not is_out(match, seat) and can_resign(room, match, seat)
    return {
        "url": link(f"/tables/{table.id}"),
        "title": room.game.title,
        "offers": offers,
        "seated": seat is not None,
        "nothing": nothing,  # why there is nothing to propose; "" if there is something
        "open": shown,
        "note": note,  # the viewer's own
        # what a resignation of the viewer means; "" if they can't resign
        "resign_words": resign_words(room, match, seat) if match is not None and seat is not None and resigns else "",
    }


def _offer(room: Room, match: Match, kind: Kind, seat: int | None, refusal: MeadhallError | None) -> dict[str, Any]:
    words, ask = kind.words(), _("All the others must agree.")
    asks = table_tools(room.table).proposals
    return {
        "what": kind.what,  # a kind of proposals
        "title": words.title,
        "about": f"{words.about} {ask}" if asks else words.about,
        "button": words.button,
        # those that can be taken back, with the ones after it
        "decisions": _decisions(match, seat) if kind.takes_back else (),
        "refusal": "" if refusal is None else reason_of(refusal),  # why not now
    }


def _decisions(match: Match, seat: int | None) -> tuple[Option, ...]:
    """Return the latest decisions, the last one first. The viewer's own last one is chosen, if it is among them."""
    latest = match.steps[-DECISIONS_SHOWN:]
    own = next((step.n for step in reversed(latest) if step.seat == seat), latest[-1].n if latest else 0)
    return tuple(
        Option(str(step.n), f"{match.names[step.seat]}: {match.action_in_words(step, seat)}", step.n == own)
        for step in reversed(latest)
    )


def can_resign(room: Room, match: Match, seat: int) -> bool:
    """Return whether a seat that is not out can resign: it has not done so, and the match is running."""
    stand_in = match.stand_ins.get(seat)
    return room.table.status == "running" and (stand_in is None or stand_in.lasts != "end")


def resign_words(room: Room, match: Match, seat: int) -> str:
    """Say what a resignation of a seat means."""
    if room.table.daily:
        return _("You have only one try. Your result so far counts.")
    if room.has_two_sides:
        (winners,) = (party for party in match.parties if seat not in party)
        names = listed([match.names[winner] for winner in winners])
        return ngettext("{names} wins the match.", "{names} win the match.", len(winners)).format(names=names)
    if persons_playing(room.table, match) == [seat]:
        return _("Only bots would be left, so the match ends without a winner.")
    return _("A bot plays your seat to the end.")


def own_take_back(room: Room, match: Match, seat: int) -> int | None:
    """Return the number of the decision for which a seat can ask where it can't undo it alone; None if it can't ask."""
    if room.table.daily is not None or room.consent.proposals.open is not None:
        return None
    return next((step.n for step in reversed(match.steps) if step.seat == seat), None)
