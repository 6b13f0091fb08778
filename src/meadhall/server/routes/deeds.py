"""The deeds at a table: all that changes its seats before the match, and the match itself."""

from __future__ import annotations

from typing import Final

from meadhall.bots.ranks import HUSCARL
from meadhall.engine.checks import quoted
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.engine.text.language import gettext as _
from meadhall.server.hall import changes
from meadhall.server.hall.consent.kinds import kind_of
from meadhall.server.hall.move import act
from meadhall.server.hall.seating import (
    Change,
    agreed,
    check_host,
    emptied,
    left_by,
    listed,
    resized,
    with_bot,
    with_options,
    without_seat,
)
from meadhall.server.hall.time.clock_choice import with_clock
from meadhall.server.pages.clock_choice import clock_of_form
from meadhall.server.routes.api_models import (
    ClockChoice,
    JoinTable,
    NewAction,
    NewProposal,
    ProposalAnswer,
    SeatChoice,
    clock_of,
)
from meadhall.server.routes.deed import Deeds, Visit
from meadhall.server.store.clock import Clock
from meadhall.server.web.forms import Form, action_number, integer

DEEDS: Final = Deeds()


def _seat(form: Form) -> int:
    """Return the seat of a form. Raises BadSetup."""
    seat = integer(form, "seat")
    if seat is None:
        raise BadSetup(_("Which seat?"))
    return seat


def _players(form: Form) -> int:
    """Return the number of players of a form. Raises BadSetup."""
    players = integer(form, "players")
    if players is None:
        raise BadSetup(_("How many players?"))
    return players


# ---------------------------------------------------------------------------------------------------------- before the match


@DEEDS.add("anyone", api="join", body=JoinTable)
async def join_table(visit: Visit, data: JoinTable) -> None:
    """Take a seat."""
    visit.hall.join(visit.room, visit.guest, data.seat)


@DEEDS.add("seated", api="leave")
async def leave_table(visit: Visit) -> None:
    """Leave your seat before the match. If you are the host, the next person becomes host."""
    visit.room.change_table(left_by(visit.guest))


@DEEDS.add("seated", api="ready")
async def agree_to_start(visit: Visit, is_ready: bool = True) -> None:
    """Agree that the match starts, also while you send no requests. A change of seats or options ends the agreement."""
    visit.room.change_table(agreed(visit.guest, is_ready))


@DEEDS.add("host", "close", api="close")
async def close_table(visit: Visit) -> None:
    """Close the table before the match. Only the table's host can."""
    visit.room.close_table()


@DEEDS.add("host", "clock", clock_of_form, "clock", ClockChoice)
async def set_clock(visit: Visit, data: ClockChoice | Clock | None) -> None:
    """Choose the clock before the match. Only the table's host can. The other players have to agree to the start again."""
    visit.arrange(with_clock(clock_of(data) if isinstance(data, ClockChoice) else data))


@DEEDS.add("host", "start", api="start")
async def start_match(visit: Visit) -> None:
    """Start the match. Only the table's host can.

    It waits for players who are away: without an open stream, without a request in the last 20 seconds, and not ready.
    """
    visit.room.start()


@DEEDS.add("anyone", "seats", dict)
async def change_seat(visit: Visit, form: Form) -> None:
    """Take or leave a seat; as the host also give it to a bot, free it, or remove it."""
    if form.get("name"):
        visit.guest = visit.sessions.save(visit.guest, name=form["name"])
    kind, _colon, rank = form.get("set", "").partition(":")
    match kind:
        case "sit":
            await join_table(visit, JoinTable(integer(form, "seat")))
        case "leave":
            await leave_table(visit)
        case "ready" | "unready":
            await agree_to_start(visit, kind == "ready")
        case _:
            change = _change_by_host(visit.room.game, kind, rank or HUSCARL.name, form)
            check_host(visit.room.table, visit.guest)
            visit.arrange(change)


def _change_by_host(subject: Game, kind: str, rank: str, form: Form) -> Change:
    seat = _seat(form)
    match kind:
        case "bot":
            return with_bot(subject, seat, rank)
        case "open":
            return emptied(seat)
        case "remove":
            return without_seat(subject, seat)
    raise BadSetup(_("A seat can be taken, left, opened, removed or given to a bot."))


@DEEDS.add("host", "size", _players)
async def change_size(visit: Visit, players: int) -> None:
    """Change the number of seats."""
    visit.arrange(resized(visit.room.game, players))


@DEEDS.add("host", "options", dict)
async def change_options(visit: Visit, form: Form) -> None:
    """Change options of the game."""
    visit.arrange(with_options(visit.room.game, form))


@DEEDS.add("host", "visibility", lambda form: form.get("public") == "yes")
async def change_visibility(visit: Visit, is_public: bool) -> None:
    """List the table in the hall, or take it off the list."""
    visit.arrange(listed(is_public))


# ------------------------------------------------------------------------------------------------------------- in the match


class _FormAction(NewAction):
    """An action of a form. Its script asks to be refused, ``unsure``, if the action can't be taken back."""

    is_sure: bool = True


def _action(form: Form) -> NewAction:
    return _FormAction(action_number(form), integer(form, "n"), form.get("sure") != "no")


@DEEDS.add("seated", "act", _action, "actions", NewAction, refusals=(422,))
async def play_action(visit: Visit, data: NewAction) -> None:
    """Play an action.

    If you have already played this action with this ``n``, nothing changes and the answer is the table as it is now. So you can
    repeat a request whose answer was lost.
    """
    act(visit.room, visit.guest, data.action, data.n, getattr(data, "is_sure", True))


@DEEDS.add("seated", "undo", lambda form: integer(form, "n"), "undo")
async def undo_action(visit: Visit, number: int | None = None) -> None:
    """Take back your last decision, and the actions of bots since then.

    It is refused with the reason if another person has moved since, or if anything was rolled, drawn or revealed.
    """
    visit.room.change(changes.take_back, visit.guest, number)


@DEEDS.add("seated", "resign", api="resign")
async def resign(visit: Visit) -> None:
    """Give up your seat.

    In a match of two players or sides, the other side wins. With more, a bot plays your seat to the end.
    """
    visit.room.change(changes.resign, visit.guest)


@DEEDS.add("seated", "stand-in", lambda form: SeatChoice(_seat(form)), "stand-in", SeatChoice)
async def let_bot_play(visit: Visit, data: SeatChoice) -> None:
    """Let a bot play for a player who is away, until that player returns.

    It is possible from the time on that the seat's ``replaceable`` says. If a bot plays there already, nothing changes.
    """
    visit.room.change(changes.let_bot_play, visit.room, visit.guest, data.seat)


@DEEDS.add("seated", "return", api="return")
async def take_back_seat(visit: Visit) -> None:
    """Take back your seat while a bot plays it, at any decision.

    If no bot plays it, nothing changes. It is refused after you have resigned.
    """
    visit.room.change(changes.take_back_seat, visit.guest)


# ---------------------------------------------------------------------------------------------------------------- proposals


def _proposal(form: Form) -> NewProposal:
    return NewProposal(kind_of(form.get("what", "")).what, integer(form, "to"), integer(form, "seat"))


def _answer(form: Form) -> ProposalAnswer:
    """Return the vote of a form. Raises BadSetup."""
    answer = form.get("answer", "")
    if answer not in ("agree", "decline"):
        raise BadSetup(_("An answer is agree or decline, not {what}.").format(what=quoted(answer)))
    return ProposalAnswer(integer(form, "proposal") or 0, "agree" if answer == "agree" else "decline")


@DEEDS.add("seated", "propose", _proposal, "proposals", NewProposal)
async def propose(visit: Visit, data: NewProposal) -> None:
    """Propose something to the others: take back actions, end as a draw, give up together, stop the clocks, take over a seat.

    One proposal is open at a time. Bots agree at once, but to a draw only if they don't expect to win. A person who plays on
    declines a take-back, a draw or giving up. What had no success can be proposed again five decisions or ten minutes later.
    """
    visit.room.consent.propose(visit.guest, data.what, data.to, data.seat)


@DEEDS.add("seated", "withdraw", lambda form: ProposalAnswer(integer(form, "proposal") or 0, "withdraw"))
@DEEDS.add("seated", "vote", _answer, "vote", ProposalAnswer)
async def answer_proposal(visit: Visit, data: ProposalAnswer) -> None:
    """Agree to the open proposal, decline it, or withdraw your own."""
    if data.answer == "withdraw":
        visit.room.consent.withdraw(visit.guest, data.proposal)
    else:
        visit.room.consent.answer(visit.guest, data.proposal, data.answer == "agree")


ACT: Final = next(deed for deed in DEEDS if deed.form == "act")
"""The deed of every move."""

routes: Final = [deed.for_forms() for deed in DEEDS if deed.form]
api_routes: Final = [deed.for_programs() for deed in DEEDS if deed.api]
