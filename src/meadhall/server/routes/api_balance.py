"""Balance reports for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from litestar import delete, get, post

from meadhall.bots import bot
from meadhall.engine.registry import game
from meadhall.lab.entrants import kind_mask
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.orders import MOST_SECONDS, Order
from meadhall.server.routes.api_refusals import STRICT, refusals
from meadhall.server.store.models import Guest
from meadhall.server.web.request import AnyRequest, client_address

MOST_VARIANTS = 6


class NewBalance(msgspec.Struct, forbid_unknown_fields=True):
    """A report to make. ``variants``: the options of each variant by its name; the others are compared to the first.

    ``bots``: ``karl`` or ``thrall``. ``without``: kinds of actions whose worth is measured.
    """

    game: str
    players: Annotated[list[int], msgspec.Meta(min_length=1, max_length=8)]
    variants: Annotated[dict[str, dict[str, Any]], msgspec.Meta(max_length=MOST_VARIANTS)] = {}
    bots: Annotated[list[Literal["karl", "thrall"]], msgspec.Meta(max_length=2)] = []
    without: Annotated[list[str], msgspec.Meta(max_length=4)] = []
    precision: Annotated[float, msgspec.Meta(ge=0.005, le=0.5)] = 0.01
    depth: Literal["quick", "usual", "deep"] = "usual"
    seconds: Annotated[float, msgspec.Meta(gt=0, le=MOST_SECONDS)] = 60.0
    seed: Annotated[str, msgspec.Meta(min_length=1, max_length=100)] = "balance"


class BalanceInfo(msgspec.Struct):
    """A report: ``state`` is ``waiting``, ``running``, ``done`` or ``failed``; ``progress`` is the part that is done, 0 to 1.

    ``report`` is described on the page *Is my game fair?*.
    """

    id: str
    state: str
    progress: float
    report: dict[str, Any] | None = None
    error: str = ""


def _info(job: Order, answer: Mapping[str, Any]) -> BalanceInfo:
    return BalanceInfo(job.id, job.state, job.progress, answer.get("report"), answer.get("error", ""))


@post("/balance", status_code=202, responses=refusals(400, 401, 404, 413, 429))
async def start_balance(request: AnyRequest, data: Annotated[NewBalance, STRICT], hall: Hall, program: Guest) -> BalanceInfo:
    """Have a balance report made: fairness, length, choice, luck, use of actions and pieces, and differences of variants.

    The hall makes one report at a time; you may have one in its queue.
    """
    subject = game(data.game)
    wanted = {name: value for name, value in msgspec.structs.asdict(data).items() if value or name in ("seconds", "precision")}
    for players in data.players:
        for options in data.variants.values() or [{}]:
            subject.check_setup(players, options)
    for name in data.bots:
        bot(subject, name)
    kind_mask(subject, data.without)
    wanted["name"] = wanted.pop("game")
    return _info(hall.orders.start(program, client_address(request), "report", wanted), {})


@get("/balance/{id:str}", responses=refusals(400, 401, 404))
async def show_balance(hall: Hall, program: Guest, id: str) -> BalanceInfo:
    """Return a report of yours, or how far it is."""
    job = hall.orders.find(program, id)
    return _info(job, hall.orders.answer(job))


@delete("/balance/{id:str}", status_code=204, responses=refusals(400, 401, 404))
async def delete_balance(hall: Hall, program: Guest, id: str) -> None:
    """Delete a report of yours, and stop it if it is being made."""
    hall.orders.delete(program, id)


handlers = [start_balance, show_balance, delete_balance]
