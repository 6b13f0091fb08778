"""Hoard with a page, to test the hall with hidden cards, options and an action that can be undone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from games_for_tests import hoard
from server.hoard_on_a_page import page

game = replace(hoard.game, folder=Path(__file__).parent, page=page)
