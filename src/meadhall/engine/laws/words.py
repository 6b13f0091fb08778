"""How a violation of a law is told to people: a sentence for each law, and the errors of the compiler in short."""

from __future__ import annotations

import itertools
import linecache
import re

from meadhall.engine.text.language import marked

LAWS = {
    "compile": marked("The rules can be compiled."),
    "lessons": marked("The guided first game can be played as it is written, and cites rules of the rulebook."),
    "daily": marked("One player can play the puzzle of the day to its end, and it reports the figures that it declares."),
    "setup": marked("The seed alone determines the setup, which ends with a decision or the end."),
    "kind": marked("Players, the first turn, chance, hidden information, payoffs and length are as the game declares them."),
    "legal": marked("There is a legal action, the list is in ascending order, and it follows from what the seat to move knows."),
    "refusal": marked("Every other action is refused with a reason and a rule of the rulebook, and changes nothing."),
    "words": marked(
        "Every option and value has a name for people, and the rulebook says what it changes. "
        "Every legal action and every prompt has a text."
    ),
    "conceal": marked(
        "Concealed parts stay concealed. A redeal fills them with values that the viewer can't tell from the true ones."
    ),
    "simultaneous": marked("A choice made at the same time as others stays sealed, and the order of the choices doesn't matter."),
    "greedy": marked("The greedy player chooses a legal action."),
    "events": marked(
        "Equal actions give equal events, each with its declared arguments, at most six, a text and a rule of the rulebook."
    ),
    "step": marked("An action leads to a decision or the end, and to the same state with and without a log."),
    "reveals": marked("`reveals` rises with every random draw, and never falls."),
    "undo": marked("An undo restores the state, and is refused after something has been revealed."),
    "knowledge": marked("Hidden parts change nothing that a viewer sees until an event tells the viewer."),
    "redeal": marked("A redeal equals the true state only by chance."),
    "pages": marked(
        "Everyone at a table can be shown their page, pictures, the rulebook and the lesson, and can play every action."
    ),
    "termination": marked("Random play comes to an end."),
    "end": marked("Nothing can be played in a finished match, and its ending has a text and a rule of the rulebook."),
    "scores": marked("The payoffs are as the game declares them."),
    "copies": marked("A copy of a match has a state of its own."),
    "records": marked("A record of the match replays to the same record."),
}
"""Every law by its name, as a sentence for people (for gettext)."""

_PLACE = re.compile(r"^During: (?:typing of|lowering) .* at (?P<file>.+) \((?P<line>\d+)\)$", re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def compile_error(error: BaseException) -> str:
    """Return an error of Numba in short: the line of the rule, and the compiler's first sentence about it."""
    text = _COLOUR.sub("", str(error))
    said = [line.strip().removeprefix(">>> ") for line in text.splitlines() if not line.startswith("Failed in")]
    cause = itertools.takewhile(lambda line: not line.startswith(("There are", "During:", "File ")), said)
    place = _PLACE.search(text)  # the first place is the innermost
    line = (
        f"{place['file']}, line {place['line']}: `{linecache.getline(place['file'], int(place['line'])).strip()}`: "
        if place
        else ""
    )
    return line + " ".join(part for part in cause if part)
