"""Tables of win rates: the matches of a person by game, variant, number of players, or level of the bots."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Final

from meadhall.bots import RANKS
from meadhall.engine.game import Game
from meadhall.engine.match.view import bot_in_words
from meadhall.engine.options import Choice
from meadhall.engine.registry import game, game_names
from meadhall.engine.statistics import wilson
from meadhall.engine.text.language import gettext as _, ngettext
from meadhall.server.pages.clock import decimal
from meadhall.server.store.matches import MIXED
from meadhall.server.store.profiles import ResultGroup

LEFT, RIGHT = 158, 470
"""The plot in a picture that is 480 wide. Labels stand to its left. The template repeats these numbers."""

LEVELS: Final = {rank.name: place for place, rank in enumerate(RANKS, 1)}
"""The levels of bots, each with its place: 1 is the weakest."""


Key = tuple[tuple[Any, ...], str]
"""The order of a row in its table, and its label."""


def rate_tables(groups: Iterable[ResultGroup], subject: str = "") -> Iterator[dict[str, Any]]:
    """Yield the tables of a person's matches, of all games or of one."""
    known = [group for group in groups if group.game in game_names() and subject in ("", group.game)]
    if not subject:
        yield _table("by-game", _("By game"), _("Game"), known, _by_game)
    varied = [group for group in known if any(isinstance(option, Choice) for option in game(group.game).options)]
    yield _table("by-variant", _("By variant"), _("Variant"), varied, _by_variant)
    yield _table("by-players", _("By number of players"), _("Players"), known, _by_players)
    yield _table("by-bots", _("Against bots and people"), _("Opponents"), known, _by_bots)


def total(groups: Iterable[ResultGroup]) -> dict[str, Any] | None:
    """Return all matches of some groups that players win against each other, as one row; None without any."""
    rivals = [group for group in groups if group.game in game_names() and fair_share(group) is not None]
    return _row(_("All"), rivals) if rivals else None


def _table(id: str, title: str, heading: str, groups: Sequence[ResultGroup], key: Callable[[ResultGroup], Key]) -> dict[str, Any]:
    parts: dict[Key, list[ResultGroup]] = {}
    for group in groups:
        order, label = key(group)
        together = fair_share(group) is None
        if together and key is not _by_variant:  # the name of the variant says so
            label = _("{label}, together").format(label=label)
        parts.setdefault(((*order, together), label), []).append(group)
    rows = tuple(_row(label, parts[order, label]) for order, label in sorted(parts))
    said = _("{label}: won {rate} of {matches}")
    summary = "; ".join(said.format(**row) for row in rows)
    return {
        "id": id,
        "title": title,  # "By game"
        "heading": heading,  # of the first column: "Game"
        "summary": f"{title}. {summary}.",  # the chart in a sentence
        "rows": rows,
        "places": any(row["place"] for row in rows),  # whether a row has an average place
        "shared": any(row["shared"] for row in rows),  # whether a row has shared wins
    }


def _by_game(group: ResultGroup) -> Key:
    title = game(group.game).title
    return (title,), title


def _by_variant(group: ResultGroup) -> Key:
    subject = game(group.game)
    return (subject.title, group.variant), f"{subject.title}: {variant_in_words(subject, group.variant)}"


def _by_players(group: ResultGroup) -> Key:
    return (group.players,), ngettext("{count} player", "{count} players", group.players).format(count=group.players)


def _by_bots(group: ResultGroup) -> Key:
    if not group.bots:
        return (0,), _("alone") if group.players == 1 else _("people only")
    if group.bots == MIXED:
        return (len(LEVELS) + 2,), _("bots of several levels")
    return (LEVELS.get(group.bots, len(LEVELS) + 1),), bot_in_words(group.bots)


def _row(label: str, groups: Sequence[ResultGroup]) -> dict[str, Any]:
    matches, score, ranked = (sum(map(attrgetter(name), groups)) for name in ("matches", "score", "ranked"))
    rate = score / matches
    low, high = wilson(score, matches)
    expected = [(group.matches, share) for group in groups if (share := fair_share(group)) is not None]
    fair = sum(count * share for count, share in expected) / matches if len(expected) == len(groups) else None
    return {
        "label": label,
        "matches": matches,
        "won": sum(group.won for group in groups),
        "shared": sum(group.shared for group in groups),  # won together with a rival, or drawn
        "rate": _percent(rate),  # "54 %"
        "interval": f"{100 * low:.0f}–{_percent(high)}",  # "38–69 %"
        "fair": "" if fair is None else _percent(fair),  # "33 %"; "" where all players win or lose together
        # the average place, "1.8"; "" if these matches don't rank the players
        "place": decimal(sum(group.places for group in groups) / ranked) if ranked else "",
        # the average number of decisions in a match
        "decisions": f"{sum(group.decisions for group in groups) / matches:.0f}",
        "low": _x(low),  # the interval, the rate and the fair share in the chart, as x
        "middle": _x(rate),
        "high": _x(high),
        "chance": None if fair is None else _x(fair),
    }


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _x(share: float) -> float:
    return round(LEFT + (RIGHT - LEFT) * share, 1)


def fair_share(group: ResultGroup) -> float | None:
    """Return the share of matches that a player wins by chance alone; None where all players win or lose together."""
    subject = game(group.game)
    options = _options(subject, group.variant)
    if group.players == 1 or len(subject.parties(group.players, options)) == 1:
        return None
    return 1 / len(subject.parties(group.players, options))


def _options(subject: Game, variant: str) -> dict[str, Any]:
    stored = json.loads(variant)
    return {option.name: stored.get(option.name, option.default) for option in subject.options}


def variant_in_words(subject: Game, variant: str) -> str:
    """Return the choices of a match that are not the default: "Two sides · Corners don't count"; or the first default."""
    options = _options(subject, variant)
    choices = [option for option in subject.options if isinstance(option, Choice)]
    changed = [option.named(options[option.name]) for option in choices if options[option.name] != option.default]
    return " · ".join(changed or [option.label(option.default) for option in choices[:1]])
