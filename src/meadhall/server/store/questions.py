"""Queries about questions: what a guest of the workshop wants to know of a game, and the ways of playing that are compared."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Self

import msgspec

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound
from meadhall.server.store.database import Db, Row, as_json, in_utc

KEPT_FOR: Final = timedelta(days=730)
"""How long a question is kept after its last change."""

MOST_PASTS: Final = 30
"""Changes of a question that can be undone."""


class Variant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the ways of playing that a question compares.

    Attributes:
        key: names it in addresses. It stays when the variant is renamed.
        name: its name for people, and in reports.
        options: the values of the options that differ from the default. That of a document is its data, which may be invalid
            while a guest works on it.
    """

    key: str
    name: str
    options: dict[str, Any] = {}


class Content(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a question asks. ``hall.questions`` says what is allowed.

    Attributes:
        name: what the guest wants to know, in words.
        players: the numbers of players.
        variants: the ways of playing. A report compares the others with the first.
        bots: the levels that play; empty for those that a report takes by itself.
        without: kinds of actions whose worth is measured.
        figures: counters over named events, as texts.
        seconds: the time limit of a report. With the start of its process, the default makes a minute.
    """

    name: str
    players: tuple[int, ...]
    variants: tuple[Variant, ...]
    bots: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    seconds: int = 50

    def variant(self, key: str) -> Variant:
        """Return the variant with this key. Raises NotFound."""
        for each in self.variants:
            if each.key == key:
                return each
        raise NotFound(_("There is no such variant. It may have been taken out."))

    def with_option(self, key: str, option: str, value: Any) -> Self:
        """Return the content with another value of an option in one variant; None stands for the default. Raises NotFound.

        Examples:
            >>> before = Content("Who wins?", (2,), (Variant("a", "as printed"),))
            >>> before.with_option("a", "mode", "versus").variants[0].options
            {'mode': 'versus'}
        """
        options = self.variant(key).options | {option: value}
        return self.with_variant(key, options={name: kept for name, kept in options.items() if kept is not None})

    def with_variant(self, key: str, **values: Any) -> Self:
        """Return the content with other values of the attributes of a variant."""
        changed = (msgspec.structs.replace(each, **values) if each.key == key else each for each in self.variants)
        return msgspec.structs.replace(self, variants=tuple(changed))


@dataclass(frozen=True)
class Question:
    """A question of a guest.

    Attributes:
        id: its id. Who knows it may read the question, and copy it.
        guest: the id of the guest to whom it belongs.
        game: the name of the game.
        content: what it asks.
        revision: the number of its changes.
        changed_at: when it was changed last.
    """

    id: str
    guest: str
    game: str
    content: Content
    revision: int
    changed_at: datetime


def add(db: Db, question: Question) -> None:
    """Store a new question."""
    db.insert("questions", {**vars(question), "content": as_json(question.content)})


def find(db: Db, id: str) -> Question | None:
    """Return a question, None if there is none with this id."""
    row = db.one("SELECT * FROM questions WHERE id = ?", id)
    return None if row is None else _question(row)


def of_guest(db: Db, guest: str) -> list[Question]:
    """Return the questions of a guest, those changed last first."""
    return [_question(row) for row in db.rows("SELECT * FROM questions WHERE guest = ? ORDER BY changed_at DESC", guest)]


def save(db: Db, before: Question, content: Content) -> Question:
    """Store other content of a question, and keep what it was before for ``undo``. Return the question."""
    past = zlib.compress(msgspec.json.encode(before.content), 1)
    db.insert("question_pasts", {"question": before.id, "revision": before.revision, "content": past})
    oldest = "SELECT revision FROM question_pasts WHERE question = ? ORDER BY revision DESC LIMIT -1 OFFSET ?"
    db.run(f"DELETE FROM question_pasts WHERE question = ? AND revision IN ({oldest})", before.id, before.id, MOST_PASTS)
    return _store(db, before, content)


def undo(db: Db, before: Question) -> Question | None:
    """Store the content that a question had before its last change, and return the question; None if it is not known."""
    newest = "SELECT max(revision) FROM question_pasts WHERE question = ?"
    past = db.one(
        f"DELETE FROM question_pasts WHERE question = ? AND revision = ({newest}) RETURNING content", before.id, before.id
    )
    return None if past is None else _store(db, before, msgspec.json.decode(zlib.decompress(past["content"]), type=Content))


def can_undo(db: Db, id: str) -> bool:
    """Return whether a change of a question can be undone."""
    return bool(db.value("SELECT EXISTS (SELECT 1 FROM question_pasts WHERE question = ?)", id))


def delete(db: Db, id: str) -> None:
    """Delete a question."""
    db.run("DELETE FROM questions WHERE id = ?", id)


def _store(db: Db, before: Question, content: Content) -> Question:
    after = replace(before, content=content, revision=before.revision + 1, changed_at=db.now())
    change = "UPDATE questions SET content = ?, revision = ?, changed_at = ? WHERE id = ?"
    db.run(change, as_json(content), after.revision, after.changed_at, after.id)
    return after


def _question(row: Row) -> Question:
    content = msgspec.json.decode(row["content"], type=Content)
    return Question(**{**dict(row), "content": content, "changed_at": in_utc(row["changed_at"])})
