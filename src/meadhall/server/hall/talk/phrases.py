"""Preset phrases for the chat. They are stored by their keys, and each reader gets them in the language of their pages."""

from __future__ import annotations

from typing import Final

from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import marked

PHRASES: Final = {
    "hello": marked("Hello!"),
    "luck": marked("Good luck, have fun!"),
    "well": marked("Well played!"),
    "thanks": marked("Thank you!"),
    "sorry": marked("Sorry!"),
    "oops": marked("Oops …"),
    "wow": marked("By Odin's beard!"),
    "moment": marked("Let me think for a moment."),
    "wait": marked("I'll be right back."),
    "back": marked("I'm back."),
    "game": marked("Good game!"),
    "again": marked("Another one?"),
    "bye": marked("I have to go. Goodbye!"),
}
"""English texts by key. A key is never given another meaning: it stands in stored lines."""


def in_words(key: str) -> str:
    """Return a phrase in the current language. An unknown key, which a newer version may have stored, is its own text."""
    return _(PHRASES[key]) if key in PHRASES else key


def all_phrases() -> tuple[tuple[str, str], ...]:
    """Return all phrases as pairs of key and text in the current language."""
    return tuple((key, in_words(key)) for key in PHRASES)
