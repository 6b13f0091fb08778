"""Texts in the language in force, and a translation for every text that is marked."""

from __future__ import annotations

import re
from pathlib import Path
from threading import Thread

import pytest
from babel.messages.catalog import Message

import translations
from meadhall import MalformedAction, game
from meadhall.engine.language import add_catalogues, current_language, gettext, grouped, ngettext, speaking

TRANSLATED = [part for part in translations.parts() if part.catalogues.exists()]
LANGUAGES = ["de"]


def test_english_is_the_language_unless_another_is_spoken() -> None:
    assert current_language() == "en"
    with speaking("de"):
        assert current_language() == "de"
        with speaking("tlh"):
            assert current_language() == "en"
        assert current_language() == "de"
    assert current_language() == "en"


def test_digits_are_grouped_as_the_language_does() -> None:
    assert (grouped(999), grouped(5367923)) == ("999", "5,367,923")
    with speaking("de"):
        assert grouped(5367923) == "5.367.923"


def test_another_thread_speaks_its_own_language() -> None:
    heard = []
    with speaking("de"):
        thread = Thread(target=lambda: heard.append(current_language()))
        thread.start()
        thread.join()
    assert heard == ["en"]


def test_what_has_no_translation_stays_as_it_is() -> None:
    with speaking("de"):
        assert gettext("no such message") == "no such message"
        assert [ngettext("{n} axe", "{n} axes", n) for n in (1, 2)] == ["{n} axe", "{n} axes"]


def test_refusals_are_in_the_language_in_force() -> None:
    match = game("axes-and-allies").match()
    with speaking("de"), pytest.raises(MalformedAction, match="ganze Zahl"):
        match.play("x")
    with pytest.raises(MalformedAction, match="integer"):
        match.play("x")


def test_a_catalogue_that_is_added_takes_part(tmp_path: Path) -> None:
    (tmp_path / "de.po").write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\nPlural-Forms: nplurals=2; plural=(n != 1);\\n"\n\n'
        'msgid "{n} mug"\nmsgid_plural "{n} mugs"\nmsgstr[0] "{n} Krug"\nmsgstr[1] "{n} Krüge"\n',
        encoding="utf-8",
    )
    add_catalogues(tmp_path)
    with speaking("de"):
        assert [ngettext("{n} mug", "{n} mugs", n) for n in (1, 2)] == ["{n} Krug", "{n} Krüge"]
        assert gettext("The match is over.") == "Die Partie ist zu Ende."


def test_engine_and_games_have_catalogues() -> None:
    games = {part.name for part in translations.parts() if "games" in part.folder.parts}
    assert games | {"engine"} <= {part.name for part in TRANSLATED}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", TRANSLATED, ids=lambda part: part.name)
def test_every_marked_message_is_translated(part: translations.Part, language: str) -> None:
    catalogue = translations.catalogue(part, language)
    missing = [where for message, where in translations.messages(part.folder).items() if not translated(catalogue.get(message))]
    assert missing == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", TRANSLATED, ids=lambda part: part.name)
def test_translations_have_the_places_of_the_originals_and_none_is_left_over(part: translations.Part, language: str) -> None:
    marked = translations.messages(part.folder)
    for message in translations.catalogue(part, language):
        if message.id:
            originals, strings = both(message)
            assert originals[0] in marked, f"{originals[0]!r} is no longer used"
            for string in strings:
                assert places(string) <= places(originals[-1]) | places(originals[0]), string
            assert places(strings[-1]) == places(originals[-1])


def translated(message: Message | None) -> bool:
    return message is not None and not message.fuzzy and all(both(message)[1])


def both(message: Message) -> tuple[list[str], list[str]]:
    """A message's originals and its translations: one of each, or as many as there are numbers."""
    return listed(message.id), listed(message.string)


def listed(texts: str | tuple[str, ...] | list[str] | None) -> list[str]:
    return [texts or ""] if isinstance(texts, str | None) else list(texts)


def places(text: str) -> set[str]:
    return set(re.findall(r"\{\w*\}|%\(\w+\)s", text))
