"""The pictures of the documentation show today's pages."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from browser.pictured import FOLDER, HALL, PICTURES, Picture, drawn
from browser.server import Hall
from pixels import changed

ROOT = FOLDER.parents[1]

SAME = 0.01
"""The edges of letters change less of a page; a colour, a row of buttons or a size changes more."""


@pytest.fixture(scope="module")
def pictured_hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    hall = Hall(tmp_path_factory.mktemp("pictures"), command=(sys.executable, HALL))
    hall.start()
    yield hall
    hall.stop()


@pytest.mark.slow("starts a hall, and plays the matches of the pictures in it")
@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_a_picture_shows_todays_page(browser: Browser, pictured_hall: Hall, picture: Picture) -> None:
    page = drawn(browser, pictured_hall.url, picture)
    assert changed(page.screenshot(), picture.file.read_bytes()) < SAME, "take it anew: make screenshots"
    page.context.close()


def test_a_page_shows_each_picture_and_no_other() -> None:
    pages = [ROOT / "README.md", *FOLDER.parent.rglob("*.md")]
    shown = {name for page in pages for name in re.findall(r"screenshots/([\w-]+\.png)", page.read_text("utf-8"))}
    assert shown == {picture.file.name for picture in PICTURES} == {file.name for file in Path(FOLDER).iterdir()}
