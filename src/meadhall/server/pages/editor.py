"""The model of the editor: a document of a question, what its changes mean, and the pieces as they will look."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final

import msgspec
import tomlkit
from markupsafe import Markup
from tomlkit.items import AoT, Table

from meadhall.engine.changes import Change, as_comment, document_changes
from meadhall.engine.errors import BadSetup
from meadhall.engine.form import DocumentForm, Group, table_of, without
from meadhall.engine.form import Table as Columns
from meadhall.engine.game import Game
from meadhall.engine.options import Document
from meadhall.engine.registry import game
from meadhall.server.hall.questions import options_of
from meadhall.server.pages.models import Refusal
from meadhall.server.pages.rulebook import figures_of_components
from meadhall.server.store.questions import Question, Variant
from meadhall.server.web.links import link

CAN_PRINT: Final = find_spec("typst") is not None
"""Whether what printing needs is installed."""

_PLACE = re.compile(r"""(?P<place>[a-z]\w*(?:\[\d+\]|\.\w+)*)(?: of (["']).*?(?:\2|…))?: (?P<reason>.+)""", re.DOTALL)


@dataclass(frozen=True)
class Section:
    """A list of the document: its numbers as a table, and the rest as a form."""

    group: Group
    table: Columns | None
    rest: Group
    is_open: bool


@dataclass(frozen=True)
class Note:
    """A sentence about a field."""

    text: str
    field: str  # "" if it is about none


@dataclass(frozen=True)
class EditorPage:
    """A document in the editor."""

    url: str
    question: Question
    variant: Variant
    subject: Game
    form: DocumentForm
    sections: tuple[Section, ...]
    usual: Mapping[str, str]  # the values of the built-in document by field
    values: Mapping[str, str]  # those that the last request has changed, by field
    redrawn: tuple[Section, ...]  # with other fields than before the last request
    changes: Sequence[Change]
    warnings: Sequence[Note]
    fault: Note | None  # why the document is invalid
    notice: Refusal | None  # why the last request was refused
    figures: Markup
    is_own: bool
    can_undo: bool
    can_report: bool
    can_print: bool

    def resets(self, change: Change) -> str:
        """Return what a button resets that undoes a change, "" for what the built-in document lacks.

        A piece that has become one of another kind is reset whole.
        """
        kinds = {field.name for field, _line in self.form.entries() if field.decides}
        known = all(name in self.usual for name in change.fields)
        return " ".join(name.rpartition(".")[0] if name in kinds else name for name in change.fields) if known else ""

    @property
    def marks(self) -> str:
        """Return what is wrong with fields, as JSON for the script: the id of the note by the name of the field."""
        found = {note.field: f"note-{number}" for number, note in enumerate(self.warnings)}
        return msgspec.json.encode(found | ({self.fault.field: "fault"} if self.fault else {})).decode()


def editor_url(question: Question, variant: Variant, option: Document[Any]) -> str:
    """Return the address of the editor of a document."""
    return link(f"/workshop/{question.id}/{variant.key}/{option.name}")


def data_of(option: Document[Any], variant: Variant | None) -> dict[str, Any]:
    """Return the data of a document in a variant, which may be invalid."""
    data = None if variant is None else variant.options.get(option.name)
    return option.data(option.default) if data is None else dict(data)


def editor_page(
    question: Question,
    variant: Variant,
    option: Document[Any],
    before: Mapping[str, Any] | None = None,
    opened: str = "",
    refusal: str = "",
    *,
    is_own: bool = True,
    can_undo: bool = False,
    reports: bool = True,
) -> EditorPage:
    """Return the editor with the document of a variant. Raises BadSetup if it is too long for a form.

    Args:
        question: the question.
        variant: one of its variants.
        option: the option with the document.
        before: the data before the last request; None for a whole page.
        opened: the name of the list that is unfolded.
        refusal: why the last request was refused.
        is_own: whether the guest may change it.
        can_undo: whether there is something to undo.
        reports: whether the hall makes reports.
    """
    subject, form = game(question.game), DocumentForm(option, data_of(option, variant))
    fault, chosen = None, None
    try:
        chosen = options_of(question, variant)
    except BadSetup as error:
        fault = _told(form, str(error).removeprefix(f"{option.name}: "))
    values, old = ({} if data is None else _values(DocumentForm(option, data)) for data in (option.data(option.default), before))
    new = _values(form)
    unlike = {name.partition(".")[0] for name in new.keys() ^ old.keys()} if before is not None else set()
    opened = opened or (fault.field.partition(".")[0] if fault else "")
    sections = tuple(_section(group, opened) for group in form.groups)
    return EditorPage(
        editor_url(question, variant, option),
        question,
        variant,
        subject,
        form,
        sections,
        values,
        {} if before is None else {name: value for name, value in new.items() if old.get(name) != value},
        tuple(each for each in sections if each.group.path in unlike),
        document_changes(option, form.data, option.data(option.default)),
        () if chosen is None or subject.warnings is None else _warnings(form, subject.warnings(chosen)),
        fault,
        Refusal("", refusal) if refusal else None,
        Markup("") if chosen is None else figures_of_components(subject.edition_for(chosen), chosen),
        is_own,
        can_undo,
        reports,
        reports and CAN_PRINT,
    )


def _values(form: DocumentForm) -> dict[str, str]:
    return {field.name: field.value for field, _line in form.entries()}


def _section(group: Group, opened: str) -> Section:
    table = table_of(group)
    shown = {field.name for _piece, fields in table.rows for field in fields if field} if table else set()
    return Section(group, table, without(group, shown), group.path == opened)


def _warnings(form: DocumentForm, found: Sequence[tuple[str, str]]) -> list[Note]:
    values = _values(form)
    notes = []
    for place, reason in found:
        option, _dot, field = place.partition(".")
        if option == form.option.name:
            notes.append(Note(f"{form.where(field)}, {values.get(field, '')}: {reason}", field))
    return notes


def _told(form: DocumentForm, text: str) -> Note:
    """Return an error of a document with the words of its place."""
    found = _PLACE.fullmatch(text)
    where = form.where(found["place"]) if found else ""
    if not found or not where:
        return Note(text, "")
    name = found["place"].replace("[", ".").replace("]", "")
    reason = form.expected(name) if "`" in found["reason"] else ""  # of the types, in words for programmers
    return Note(f"{where}: {reason or found['reason']}", name)


def toml_text(option: Document[Any], data: Mapping[str, Any]) -> bytes:
    """Return the data of a document as TOML: what differs from the built-in one, then a table for each piece.

    Its parts are in one line each.
    """
    text = tomlkit.document()
    loose = {name: value for name, value in data.items() if not isinstance(value, Mapping) and not _is_list_of_pieces(value)}
    for name, value in {**loose, **data}.items():  # TOML wants values before tables
        if isinstance(value, Mapping):
            text.add(name, _table(value))
        elif _is_list_of_pieces(value):
            text.add(name, AoT([_table(piece) for piece in value]))
        else:
            text.add(name, value)
    differs = as_comment(document_changes(option, data, option.data(option.default)))
    return f"{differs}{tomlkit.dumps(text)}".encode()


def _is_list_of_pieces(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(piece, Mapping) for piece in value)


def _table(piece: Mapping[str, Any]) -> Table:
    table = tomlkit.table()
    for name, value in piece.items():
        table.add(name, _inline(value))
    return table


def _inline(value: Any) -> Any:
    if isinstance(value, Mapping):
        inline = tomlkit.inline_table()
        inline.update({name: _inline(each) for name, each in value.items()})
        return inline
    return [_inline(each) for each in value] if isinstance(value, list) else value
