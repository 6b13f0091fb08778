"""Rules in two languages: which German sentence goes with which English one.

``rulebooks.txt`` has for each rule the digests of its sentences. After a change of both run
``.venv/bin/python tests/games/rulebooks.py``. It refuses a rule that has changed in one language only. Name its id if the other
sentence needs no change.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from meadhall.engine.rulebook import RULE_ID

ROOT = Path(__file__).parents[2]
PAIRS = Path(__file__).with_name("rulebooks.txt")

_RULE = re.compile(rf"^- \*\*({RULE_ID})\*\*(.*?)(?=^\S|^\s*\n|\Z)", re.MULTILINE | re.DOTALL)


def books() -> list[Path]:
    """Return the English rulebooks and rulings of all games and examples."""
    folders = (ROOT / "src" / "meadhall" / "games", ROOT / "examples")
    return [file for folder in folders for name in ("rulebook.md", "rulings.md") for file in sorted(folder.rglob(name))]


def german(book: Path) -> Path:
    """Return the German file of a rulebook."""
    return book.with_suffix(".de.md")


def sentences(file: Path) -> dict[str, str]:
    """Return the sentences of each rule of a file, without line breaks."""
    return {id: " ".join(text.split()) for id, text in _RULE.findall(file.read_text("utf-8"))}


def label(book: Path) -> str:
    """Return the name of a game's folder and of the file, for example ``axxa/rulebook``."""
    return f"{book.parent.name}/{book.stem}"


def pairs() -> dict[tuple[str, str], tuple[str, str]]:
    """Return the digests of the English and the German sentences of each rule, by file and id."""
    return {
        (label(book), id): (_digest(text), _digest(sentences(german(book)).get(id, "")))
        for book in books()
        for id, text in sentences(book).items()
    }


def kept() -> dict[tuple[str, str], tuple[str, str]]:
    """Return the digests when the two languages were last compared."""
    rows = [line.split() for line in PAIRS.read_text("utf-8").splitlines()]
    return {(book, id): (english, german) for book, id, english, german in rows}


def one_sided() -> list[str]:
    """Return the ids of rules that have changed in one language only since then."""
    before, now = kept(), pairs()
    return [key[1] for key, found in now.items() if _agreeing(found, before.get(key, found)) == 1]


def keep(reviewed: Iterable[str]) -> None:
    """Write the digests anew. Refuse rules that have changed in one language only and are not among ``reviewed``."""
    left = sorted(set(one_sided()) - set(reviewed))
    if left:
        sys.exit(
            f"changed in one language only: {' '.join(left)}. Change the other one, or name the rules that need no change there."
        )
    PAIRS.write_text("".join(f"{book} {id} {one} {other}\n" for (book, id), (one, other) in sorted(pairs().items())), "utf-8")


def _agreeing(found: tuple[str, str], before: tuple[str, str]) -> int:
    return sum(one == other for one, other in zip(found, before, strict=True))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


if __name__ == "__main__":
    keep(sys.argv[1:])
