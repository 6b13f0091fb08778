"""A bot for the hall in fifty lines: it opens a table for two, always plays the first legal action, and prints the winner.

    python examples/bot.py [http://127.0.0.1:8000] [axes-and-allies]

It uses only the hall's JSON API, described at ``/schema/openapi.json``, and needs only Python's standard library.
"""

import json
import sys
import time
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError

HALL = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000"
GAME = sys.argv[2] if len(sys.argv) > 2 else "axes-and-allies"
SILENCE = 40  # seconds; the hall sends something every 15
headers = {"Content-Type": "application/json"}


def call(path: str, body: dict[str, Any] | None = None) -> Any:
    """Send a GET request, or a POST request if there is a body, and return the decoded response."""
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(HALL + path, data, headers), timeout=SILENCE) as response:
        return json.load(response)


def states(path: str) -> Iterator[Any]:
    """Yield the states of a table: asked for, then from a stream, again and again, because streams may break or fall silent."""
    while True:
        try:
            yield call(path)
            with urllib.request.urlopen(
                urllib.request.Request(HALL + path + "/events", headers=headers), timeout=SILENCE
            ) as stream:
                for line in stream:
                    if line.startswith(b'data: {"id"'):  # skip all lines but the states of the table
                        yield json.loads(line.removeprefix(b"data: "))
        except (OSError, HTTPException) as error:
            if isinstance(error, HTTPError) and error.code < 500:
                raise  # for example, the table is gone
        time.sleep(1)


def play() -> str:
    """Play one match against the hall's strongest bot and return the winner's name."""
    headers["Authorization"] = "Bearer " + call("/api/v1/guests", {"name": "Firstling"})["token"]
    strongest = next(game for game in call("/api/v1/games") if game["name"] == GAME)["bots"][-1]
    table = call("/api/v1/tables", {"game": GAME, "players": 2, "bots": [strongest]})
    path = f"/api/v1/tables/{table['id']}"
    for table in states(path):
        if table["result"] is not None:
            break
        if table["view"]["legal"]:
            call(path + "/actions", {"action": table["view"]["legal"][0]["action"], "n": table["view"]["next"]})
    return ", ".join(table["seats"][seat]["name"] for seat in table["result"]["winners"])


if __name__ == "__main__":
    print(play(), "won")
