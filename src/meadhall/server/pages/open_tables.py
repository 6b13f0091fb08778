"""The model of the list of open tables, with its filter."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import listed, ngettext
from meadhall.server.hall.choices import TableFilter, changed_choices, choices_of, variant
from meadhall.server.pages.clock_words import clock_in_words
from meadhall.server.pages.models import FilterField, OpenTables, Option, OptionGroup, TableCard
from meadhall.server.store.models import TableRow
from meadhall.server.web.links import link

_MOST_FREE: Final = 4
"""The largest number of free seats that the filter offers."""


def open_tables(cards: Sequence[TableCard], chosen: TableFilter) -> OpenTables:
    """Return the list of open tables with its filter, whose choices the address keeps."""
    given = {
        "game": chosen.game,
        "variant": chosen.variant,
        "clock": chosen.clock,
        "free": str(chosen.free) if chosen.free > 1 else "",
    }
    query = urlencode({name: value for name, value in given.items() if value})
    return OpenTables(
        cards=tuple(cards),
        filters=(_games(chosen), _variants(chosen), _clock(chosen), _free(chosen)),
        is_filtered=chosen.is_set,
        url=link("/") + (f"?{query}" if query else ""),
    )


def _games(chosen: TableFilter) -> FilterField:
    values = tuple(Option(name, game(name).title, name == chosen.game) for name in game_names() if game(name).max_players > 1)
    return FilterField("game", _("Game"), (OptionGroup("", (Option("", _("All games"), not chosen.game), *values)),))


def _variants(chosen: TableFilter) -> FilterField:
    """Return the values of the options of the chosen game, or of all games, each game with its own group."""
    groups = [OptionGroup("", (Option("", _("All variants"), not chosen.variant),))]
    for name in [chosen.game] if chosen.game else game_names():
        values = tuple(
            Option(code, option.label(value), code == chosen.variant)
            for option in choices_of(game(name))
            for value in option.values
            for code in (variant(option.name, value),)
        )
        if values:
            groups.append(OptionGroup(game(name).title, values))
    return FilterField("variant", _("Variant"), tuple(groups))


def _clock(chosen: TableFilter) -> FilterField:
    titles = {"": _("With or without"), "none": _("No clock"), "live": _("Live"), "slow": _("Slow (days)")}
    values = tuple(Option(clock, title, clock == chosen.clock) for clock, title in titles.items())
    return FilterField("clock", _("Clock"), (OptionGroup("", values),))


def _free(chosen: TableFilter) -> FilterField:
    values = tuple(
        Option(
            str(free) if free > 1 else "",
            ngettext("At least {count} seat", "At least {count} seats", free).format(count=free) if free > 1 else _("Any number"),
            free == chosen.free,
        )
        for free in range(1, _MOST_FREE + 1)
    )
    return FilterField("free", _("Free seats"), (OptionGroup("", values),))


def who_waits(table: TableRow, at: datetime) -> str:
    """Say who waits at an open table, for how long the table has been open, and which options are not the default."""
    names = [seat.name for seat in table.seats if seat.kind == "human"]
    age = age_in_words((at - table.created_at).total_seconds())
    text = ngettext("{names} waits, open {age}", "{names} wait, open {age}", len(names))
    clock = [clock_in_words(table.clock)] if table.clock is not None else []
    return " · ".join([text.format(names=listed(names), age=age), *changed_choices(table), *clock])


def age_in_words(seconds: float) -> str:
    """Say how long something has lasted, roughly: "since a moment ago", "for 3 minutes"."""
    minutes, hours, days = int(seconds // 60), int(seconds // 3600), int(seconds // 86400)
    if minutes < 1:
        return _("for less than a minute")
    if hours < 1:
        return ngettext("for {count} minute", "for {count} minutes", minutes).format(count=minutes)
    if days < 1:
        return ngettext("for {count} hour", "for {count} hours", hours).format(count=hours)
    return ngettext("for {count} day", "for {count} days", days).format(count=days)
