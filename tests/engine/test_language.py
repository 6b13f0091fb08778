"""Texts in the current language, and a translation for every marked text."""

from __future__ import annotations

import re
from pathlib import Path
from threading import Thread

import pytest
from babel.messages.catalog import Message

import translations
from meadhall import MalformedAction, game
from meadhall.engine.text.language import (
    add_catalogues,
    current_language,
    decimal,
    gettext,
    grouped,
    ngettext,
    percent,
    percent_with_interval,
    speaking,
)

TRANSLATED = [part for part in translations.packages() if part.catalogues.exists()]
LANGUAGES = ["de"]


def test_english_is_the_default_language() -> None:
    assert current_language() == "en"
    with speaking("de"):
        assert current_language() == "de"
        with speaking("tlh"):
            assert current_language() == "en"
        assert current_language() == "de"
    assert current_language() == "en"


def test_digit_grouping_follows_the_language() -> None:
    assert (grouped(999), grouped(5367923)) == ("999", "5,367,923")
    with speaking("de"):
        assert grouped(5367923) == "5.367.923"


def test_the_language_is_set_per_thread() -> None:
    languages = []
    with speaking("de"):
        thread = Thread(target=lambda: languages.append(current_language()))
        thread.start()
        thread.join()
    assert languages == ["en"]


def test_a_message_without_translation_is_returned_unchanged() -> None:
    with speaking("de"):
        assert gettext("no such message") == "no such message"
        assert [ngettext("{n} axe", "{n} axes", n) for n in (1, 2)] == ["{n} axe", "{n} axes"]


def test_refusals_are_in_the_current_language() -> None:
    match = game("axes-and-allies").match()
    with speaking("de"), pytest.raises(MalformedAction, match="ganze Zahl"):
        match.play("x")
    with pytest.raises(MalformedAction, match="integer"):
        match.play("x")


def test_messages_of_an_added_catalogue_are_translated(tmp_path: Path) -> None:
    (tmp_path / "de.po").write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\nPlural-Forms: nplurals=2; plural=(n != 1);\\n"\n\n'
        'msgid "{n} mug"\nmsgid_plural "{n} mugs"\nmsgstr[0] "{n} Krug"\nmsgstr[1] "{n} Krüge"\n',
        encoding="utf-8",
    )
    add_catalogues(tmp_path)
    with speaking("de"):
        assert [ngettext("{n} mug", "{n} mugs", n) for n in (1, 2)] == ["{n} Krug", "{n} Krüge"]
        assert gettext("The match is over.") == "Die Partie ist zu Ende."


def test_the_engine_and_every_game_have_catalogues() -> None:
    assert translations.parts() == TRANSLATED


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", TRANSLATED, ids=lambda part: part.name)
def test_every_marked_message_is_translated(part: translations.Part, language: str) -> None:
    catalogue = translations.catalogue(part, language)
    missing = [where for message, where in translations.messages(part.folder).items() if not translated(catalogue.get(message))]
    assert missing == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", TRANSLATED, ids=lambda part: part.name)
def test_translations_have_the_original_placeholders_and_no_unused_messages(part: translations.Part, language: str) -> None:
    marked = translations.messages(part.folder)
    for message in translations.catalogue(part, language):
        if message.id:
            originals, strings = both(message)
            assert originals[0] in marked, f"{originals[0]!r} is no longer used"
            for string in strings:
                assert placeholders(string) <= placeholders(originals[-1]) | placeholders(originals[0]), string
            assert placeholders(strings[-1]) == placeholders(originals[-1])


def translated(message: Message | None) -> bool:
    return message is not None and not message.fuzzy and all(both(message)[1])


def both(message: Message) -> tuple[list[str], list[str]]:
    """Return a message's originals and its translations: one each, or one for each plural form."""
    return listed(message.id), listed(message.string)


def listed(texts: str | tuple[str, ...] | list[str] | None) -> list[str]:
    return [texts or ""] if isinstance(texts, str | None) else list(texts)


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{\w*\}|%\(\w+\)s", text))


def test_numbers_follow_the_language() -> None:
    figures = 3000, 1234.56, 0.3687
    with speaking("en"):
        assert grouped(figures[0]) == "3,000"
        assert decimal(figures[1], 1) == "1,234.6"
        assert percent(figures[2]) == "36.9 %"
        assert percent_with_interval(0.5, 0.25, 0.75) == "50.0 % (25.0-75.0)"
    with speaking("de"):
        assert grouped(figures[0]) == "3.000"
        assert decimal(figures[1], 1) == "1.234,6"
        assert percent(figures[2]) == "36,9 %"
        assert percent_with_interval(0.5, 0.25, 0.75) == "50,0 % (25,0-75,0)"


def test_zeros_at_the_end_can_be_left_out() -> None:
    assert (decimal(2.0, 1), decimal(2.0, 1, exactly=False), decimal(2.5, 1, exactly=False)) == ("2.0", "2", "2.5")
    assert decimal(1234.4, 0) == "1,234"


@pytest.mark.parametrize("number", [0, 7, -7, 999, -999, 1000, -1000, 12_345])
def test_small_integers_are_written_alike_in_every_language(number: int) -> None:
    assert int(grouped(number).replace(",", "")) == number
