"""The golden records of AxxA cover every kind of match and every ending."""

from __future__ import annotations

from pathlib import Path

import pytest

from games.axxa.scenes import AXXA
from meadhall import Match, RecordError, replay
from meadhall.engine.laws.check_game import setups
from meadhall.engine.match.record import read_records
from meadhall.games.axxa.state import Ending

FOLDER = Path(__file__).parents[2] / "records" / AXXA.name


def golden() -> list[Match]:
    return [replay(record) for path in sorted(FOLDER.iterdir()) for record in read_records(path)]


@pytest.mark.compiled
def test_golden_records_cover_every_kind_of_match_and_every_ending() -> None:
    matches = golden()
    last = [match.steps[-1].events[-1] for match in matches]
    sides = {event.arguments[0] for event in last if event.name == "side_won"}
    assert len(matches) >= 20
    recorded = [(match.players, AXXA.recorded_options(match.options)) for match in matches]
    plain = [(players, options) for players, options in setups(AXXA) if len(AXXA.recorded_options(options)) == 3]
    assert all((players, AXXA.recorded_options(options)) in recorded for players, options in plain)
    assert any(len(options) == 6 for _, options in recorded), "one with all house rules"
    assert {Ending(match.state.ending) for match in matches} == set(Ending) - {Ending.NONE}
    assert {event.name for event in last} == {"won", "lost", "side_won", "drawn"}
    assert sides == {0, 1}


@pytest.mark.parametrize("name", ["4-players-versus-all-1", "2-players-together-orthogonal-0"])
def test_a_record_without_the_option_order_has_the_order_skip(name: str) -> None:
    """The option came later, without a new version of the rules."""
    (record,) = read_records(FOLDER / f"{name}.match.json")
    older = record | {"options": {key: value for key, value in record["options"].items() if key != "order"}}
    assert AXXA.recorded_options(replay(older).options) == record["options"]
    with pytest.raises(RecordError, match="every option with its checked value"):
        replay(record | {"options": {"mode": record["options"]["mode"], "order": "skip"}})
