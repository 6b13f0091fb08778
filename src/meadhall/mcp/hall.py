"""Matches in a hall: the player is one of its guests and uses its JSON API.

A stream of events from each table of the player tells what happens. As long as it is open, the hall knows that the player is
here.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Literal

import httpx2
import numpy as np

from meadhall.engine.errors import IllegalAction, MeadhallError, Refused, UnknownGame
from meadhall.engine.game import Game
from meadhall.engine.match.view import SPECTATOR, Seat, View
from meadhall.engine.registry import game
from meadhall.engine.state.events import Event
from meadhall.mcp.answers import GameAnswer, SeatAnswer, TableAnswer
from meadhall.mcp.local import described, usual_bot
from meadhall.mcp.tables import NotPossible, Position

_TIMEOUT: Final = 30.0
_RETRY_DELAY: Final = 1.0
FINISHED: Final = ("over", "abandoned", "closed")
_SILENCE: Final = 40.0
"""Seconds without a byte after which a stream is opened again. The hall sends something at least every 15 seconds."""

_POLL: Final = 15.0
"""Seconds after which a player who waits asks for the table, because a proxy may hold streams back."""

_PLAYERS: Final[dict[str, Literal["bot", "person", "open"]]] = {"human": "person", "bot": "bot", "open": "open"}

_ARRIVAL: Final = 10.0
"""Seconds within which the stream tells what an own action did."""


class HallLost(MeadhallError):
    """The hall can't be reached, or answers with something unexpected."""


class HallTables:
    """The tables of a hall.

    Args:
        url: the hall's address, e.g. ``https://hall.example.org``.
        name: the player's name, for a new guest.
        token: the token of a guest or a session; "": become a new guest at the first request.
    """

    def __init__(self, url: str, name: str, token: str = "") -> None:
        self._url = url.rstrip("/")
        self._name = name
        self._token = token
        self._client = httpx2.AsyncClient(timeout=_TIMEOUT)
        self._entering = asyncio.Lock()
        self._streams: dict[str, _Stream] = {}

    # ------------------------------------------------------------------------------------------------------------- requests

    async def _ask(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request and return its answer. Raises Refused, NotPossible, HallLost."""
        try:
            answer = await self._client.request(method, f"{self._url}/api/v1{path}", json=body, headers=await self._credentials())
        except httpx2.TransportError as error:
            raise HallLost(f"the hall at {self._url} can't be reached: {error!r}") from error
        if answer.is_success:
            return _decoded(answer)
        raise _refusal(answer)

    async def close(self) -> None:
        """Close the streams and connections to the hall."""
        for stream in self._streams.values():
            await stream.close()
        await self._client.aclose()

    async def _credentials(self) -> dict[str, str]:
        async with self._entering:
            if not self._token:
                self._token = await self._become_guest()
        return {"Authorization": f"Bearer {self._token}"}

    async def _become_guest(self) -> str:
        try:
            answer = await self._client.post(f"{self._url}/api/v1/guests", json={"name": self._name})
        except httpx2.TransportError as error:
            raise HallLost(f"the hall at {self._url} can't be reached: {error!r}") from error
        if not answer.is_success:
            raise _refusal(answer)
        return str(_decoded(answer)["token"])

    # --------------------------------------------------------------------------------------------------------------- tables

    async def games(self) -> list[GameAnswer]:
        """Return the games of the hall that are installed here, too."""
        found = []
        for each in await self._ask("GET", "/games"):
            with suppress(UnknownGame):
                subject = game(each["name"])
                if subject.version == each["rules"]:
                    found.append(described(subject, each["bots"]))
        return found

    async def listed(self) -> tuple[list[TableAnswer], list[TableAnswer]]:
        """Return the player's tables, and the public ones with an open seat."""
        mine = [self._table_answer(each) for each in await self._ask("GET", "/tables")]
        others = [self._table_answer(each) for each in await self._ask("GET", "/tables/open")]
        return mine, [each for each in others if each.your_seat is None]

    async def open(
        self, game: str, players: int | None, bots: Sequence[str], open_seats: int, options: Mapping[str, Any], public: bool
    ) -> Position:
        """Open a table with bots and open seats. Without open seats the match starts at once."""
        subject = _installed(game)
        count = players if players is not None else len(bots) + 1 + open_seats if bots else subject.default_players
        filled = max(0, count - 1 - open_seats)
        if open_seats > count - 1 or len(bots) > filled:
            raise NotPossible(f"{count} seats are too few for you, {len(bots)} bots and {open_seats} open seats.")
        levels = [bots[k % len(bots)] if bots else usual_bot(subject) for k in range(filled)]
        body = {"game": game, "players": count, "options": dict(options), "bots": levels, "public": public}
        return await self._position(await self._ask("POST", "/tables", body))

    async def join(self, table: str, seat: int | None) -> Position:
        """Take a seat."""
        return await self._position(await self._ask("POST", f"/tables/{_id(table)}/join", {"seat": seat}))

    async def start(self, table: str) -> Position:
        """Start the match of the player's own table, or agree to the start of another."""
        try:
            return await self._position(await self._ask("POST", f"/tables/{_id(table)}/start"))
        except NotPossible:
            info = await self._ask("GET", f"/tables/{_id(table)}")
            if info["you"] is None or info["status"] != "gathering" or info["you"] == 0:
                raise
            return await self._position(await self._ask("POST", f"/tables/{_id(table)}/ready"))

    async def look(self, table: str, *, tell: bool = True) -> Position:
        """Return the table as the player may see it."""
        return await self._position(await self._ask("GET", f"/tables/{_id(table)}"), tell)

    async def act(self, table: str, action: int, number: int | None) -> Position:
        """Play an action."""
        info = await self._ask("POST", f"/tables/{_id(table)}/actions", {"action": action, "n": number})
        return await self._position(info)

    async def wait(self, table: str, seconds: float) -> Position:
        """Wait for the player's turn, the end of the match, or a number of seconds."""
        info = await self._ask("GET", f"/tables/{_id(table)}")
        while seconds > 0 and not _concerns(info):
            with suppress(TimeoutError):
                async with asyncio.timeout(min(seconds, _POLL)):
                    await self._stream(_id(table)).until_turn()
            seconds -= _POLL
            info = await self._ask("GET", f"/tables/{_id(table)}")
        return await self._position(info)

    async def resign(self, table: str) -> Position:
        """Give up the seat."""
        return await self._position(await self._ask("POST", f"/tables/{_id(table)}/resign"))

    # ------------------------------------------------------------------------------------------------------------- positions

    def _stream(self, table: str) -> _Stream:
        if table not in self._streams:
            self._streams[table] = _Stream(self._client, f"{self._url}/api/v1/tables/{table}/events", self._token)
        return self._streams[table]

    async def _position(self, info: dict[str, Any], tell: bool = True) -> Position:
        """Return a table with its events since the player looked last."""
        table = self._table_answer(info)
        view = _view_of(info)
        happened: list[str] = []
        if view is not None:
            stream = self._stream(info["id"])
            with suppress(TimeoutError):
                async with asyncio.timeout(_ARRIVAL):
                    await stream.until(lambda: stream.number >= view.next_number)
            happened = list(_in_words(stream.news(tell), view))
            if table.status in FINISHED:
                await stream.close()
        decided = info["result"] or info["awarded"]
        winners = [info["seats"][seat]["name"] for seat in decided["winners"]] if decided else []
        ended = ""
        if table.status in FINISHED and not info["result"]:
            ended = f"The match ended early: {info['awarded']['why']}." if info["awarded"] else "The match was given up."
        return Position(table, view, happened, winners, ended)

    def _table_answer(self, info: dict[str, Any]) -> TableAnswer:
        return TableAnswer(
            table=info["id"],
            game=info["game"],
            status=info["status"],
            options={name: str(value) for name, value in info["options"].items() if not isinstance(value, dict)},
            seats=[_seat_answer(seat) for seat in info["seats"]],
            your_seat=info["you"],
            watch=info["url"],
        )


class _Stream:
    """The events of a table, received in a separate task.

    Attributes:
        info: the table as it was told last.
        number: the number of the next action, as far as it was told.
    """

    def __init__(self, client: httpx2.AsyncClient, url: str, token: str) -> None:
        self._client = client
        self._url = url
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "text/event-stream"}
        self._steps: dict[int, dict[str, Any]] = {}
        self._told = 0
        self._changed = asyncio.Event()
        self.info: dict[str, Any] | None = None
        self.number = -1
        self._task = asyncio.create_task(self._listen())

    async def until(self, holds: Any) -> None:
        """Wait until a condition holds after an event."""
        while not holds() and not self._task.done():
            self._changed.clear()
            changed = asyncio.create_task(self._changed.wait())
            try:
                await asyncio.wait((changed, self._task), return_when=asyncio.FIRST_COMPLETED)
            finally:
                changed.cancel()

    async def until_turn(self) -> None:
        """Wait until the player has something to do, or nothing any more."""
        await self.until(lambda: self.info is not None and _concerns(self.info))

    def news(self, tell: bool) -> list[dict[str, Any]]:
        """Return the actions of which the player was not told yet. ``tell``: they are told now."""
        new = [self._steps[n] for n in sorted(self._steps) if n > self._told]
        if tell:
            self._told = max(self._steps, default=self._told)
        return new

    async def close(self) -> None:
        """Stop listening."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _listen(self) -> None:
        while True:
            headers = self._headers | ({"Last-Event-ID": str(max(self._steps))} if self._steps else {})
            timeout = httpx2.Timeout(_TIMEOUT, read=_SILENCE)
            with suppress(httpx2.TransportError):
                async with self._client.stream("GET", self._url, headers=headers, timeout=timeout) as answer:
                    if answer.is_client_error and answer.status_code != httpx2.codes.TOO_MANY_REQUESTS:
                        return  # the table is gone, or the player may not see it any more
                    async for name, data in _events(answer):
                        self._take(name, data)
            await asyncio.sleep(_RETRY_DELAY)

    def _take(self, name: str, data: Any) -> None:
        if name == "action":
            self._steps[data["n"]] = data
        elif name == "undo":
            for number in data["actions"]:
                self._steps.pop(number, None)
        elif name == "reload":
            self._steps.clear()
        elif name == "table":
            self.info = data
            self.number = data["view"]["next"] if data["view"] else -1
            self._changed.set()


async def _events(answer: httpx2.Response) -> AsyncIterator[tuple[str, Any]]:
    """Yield the server-sent events of a response."""
    name, data = "", []
    async for line in answer.aiter_lines():
        if line.startswith("event:"):
            name = line.removeprefix("event:").strip()
        elif line.startswith("data:"):
            data.append(line.removeprefix("data:").strip())
        elif not line:
            if data:
                yield name, json.loads("\n".join(data))
            name, data = "", []


# ------------------------------------------------------------------------------------------------------------------ reading


def _concerns(info: dict[str, Any]) -> bool:
    """Return whether the player has something to do at a table, or nothing any more."""
    return info["status"] in FINISHED or bool(info["view"] and info["view"]["legal"])


def _view_of(info: dict[str, Any]) -> View | None:
    """Return the view that the hall describes as JSON. Raises NotPossible if its game isn't installed here."""
    told = info["view"]
    if told is None:
        return None
    subject = _installed(info["game"])
    options = _options_of(subject, info["options"])
    states = np.zeros(1, subject.state.dtype)
    for name, value in told["state"].items():
        states[name] = value
    states["actor"] = -1 if told["actor"] is None else told["actor"]
    seats = tuple(Seat(each["name"] or "?", "human") for each in info["seats"])
    viewer = SPECTATOR if info["you"] is None else info["you"]
    legal = tuple(each["action"] for each in told["legal"])
    return View(subject.edition_for(options), options, seats, viewer, states, (), (), told["next"], legal)


def _options_of(subject: Game, told: dict[str, Any]) -> dict[str, Any]:
    """Return the options that the hall tells. Of a document it tells only the digest. Raises NotPossible for an uploaded one."""
    usual = subject.check_options({})
    for name, value in told.items():
        if isinstance(value, dict) and value["sha256"] != usual[name]["sha256"]:
            raise NotPossible("This table plays with uploaded components, which can't be told in words here.")
    return subject.check_options({name: value for name, value in told.items() if not isinstance(value, dict)})


def _installed(name: str) -> Game:
    try:
        return game(name)
    except UnknownGame:
        raise NotPossible(f"The game {name!r} isn't installed here, so its positions can't be told in words.") from None


def _in_words(steps: list[dict[str, Any]], view: View) -> Iterator[str]:
    """Yield the events of recorded actions in words, the player as "you"."""
    kinds = {kind.name: number for number, kind in reversed(view.game.events.items())}
    for step in steps:
        for name, *arguments in step["events"]:
            text = view.game.words.event(Event(kinds[name], name, tuple(arguments)), view.names, view.viewer)
            if text:
                yield text


def _seat_answer(seat: dict[str, Any]) -> SeatAnswer:
    player: Literal["you", "bot", "person", "open"] = "you" if seat["you"] else _PLAYERS[seat["kind"]]
    return SeatAnswer(seat=seat["seat"], name=seat["name"], player=player, bot=seat["bot"] or "")


def _id(table: str) -> str:
    """Return the id of a table, also from its address. Raises NotPossible for anything else."""
    found = table.strip().rstrip("/").rpartition("/")[2]
    if not found or not all(letter.isalnum() or letter in "-_" for letter in found):
        raise NotPossible(f"{table!r} is not the id of a table.")
    return found


def _decoded(answer: httpx2.Response) -> Any:
    try:
        return answer.json()
    except ValueError as error:
        raise HallLost(f"{answer.url} answered with something that isn't JSON: is there a hall?") from error


def _refusal(answer: httpx2.Response) -> MeadhallError:
    """Return what a refusal of the hall means."""
    try:
        told = answer.json()
        kind, why, rule = told["error"], str(told["reason"]), str(told.get("rule") or "")
    except (ValueError, KeyError, TypeError):
        return HallLost(f"{answer.url} answered with status {answer.status_code}: is there a hall?")
    if kind == "illegal":
        return IllegalAction(why, rule)
    if kind in ("malformed", "not-your-turn", "over", "stale"):
        return Refused(why, rule)
    return NotPossible(why)
