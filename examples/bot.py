"""A bot for the hall in forty lines: it opens a table for two, plays whatever is first to hand, and says who won.

    python examples/bot.py [http://127.0.0.1:8000] [axes-and-allies]

Everything it may know comes from the hall's JSON API, which ``/schema/openapi.json`` describes. Needs nothing but Python.
"""

import json
import sys
import urllib.request
from typing import Any

HALL = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000"
GAME = sys.argv[2] if len(sys.argv) > 2 else "axes-and-allies"
headers = {"Content-Type": "application/json"}


def ask(path: str, body: dict[str, Any] | None = None) -> Any:
    """GET, or POST when there is a body."""
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(HALL + path, data, headers)) as answer:
        return json.load(answer)


def play() -> str:
    """One match against the hall's strongest bot; the winner's name."""
    headers["Authorization"] = "Bearer " + ask("/api/v1/guests", {"name": "Firstling"})["token"]
    strongest = next(game for game in ask("/api/v1/games") if game["name"] == GAME)["bots"][-1]
    table = ask("/api/v1/tables", {"game": GAME, "players": 2, "bots": [strongest]})
    path = f"/api/v1/tables/{table['id']}"
    stream = urllib.request.urlopen(urllib.request.Request(HALL + path + "/events", headers=headers))
    for line in stream:
        if not line.startswith(b'data: {"id"'):  # only what says how the table is now
            continue
        table = json.loads(line.removeprefix(b"data: "))
        if table["result"] is not None:
            break
        if table["view"]["legal"]:
            ask(path + "/actions", {"action": table["view"]["legal"][0]["action"], "n": table["view"]["next"]})
    return ", ".join(table["seats"][seat]["name"] for seat in table["result"]["winners"])


if __name__ == "__main__":
    print(play(), "won")
