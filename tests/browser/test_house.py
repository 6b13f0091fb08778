"""What a host tells everyone, in real browsers: at a table that is open, on the host's pages and on pages of errors."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from playwright.sync_api import Page, expect

from browser.looks import Looks
from browser.people import NewPerson
from browser.server import Hall
from meadhall.server.host_commands import carry_out
from meadhall.server.settings import Settings


def rest_of(page: Page) -> int:
    """Return how many pixels of a page are below its window."""
    return int(page.evaluate("document.documentElement.scrollHeight - innerHeight"))


def test_lines_of_the_host_reach_an_open_table_and_leave_its_board_in_view(new_person: NewPerson, hall: Hall) -> None:
    host, guest, looks = new_person(), new_person(timezone_id="Asia/Tokyo", viewport={"width": 1440, "height": 900}), Looks()
    settings = Settings(data=hall.data)
    host.ask("/account/new", name="Eir of the Hall", password="a shield wall in the rain")  # noqa: S106
    carry_out(settings, "role", person="Eir of the Hall", role="host")
    table = guest.open(f"/tables/{guest.ask('/tables', game='axes-and-allies', kind='bots', players=3).json()['id']}")
    assert rest_of(table) <= 0
    try:
        page = host.open("/host/switches")
        page.get_by_label("One line on all pages").fill("Cup on Saturday (https://example.org/cup), come!")
        page.get_by_role("button", name="Announce").click()
        expect(table.locator("#house-told")).to_contain_text("Cup on Saturday")
        expect(table.locator("#house-told a")).to_have_attribute("href", "https://example.org/cup")
        at = (datetime.now(UTC) + timedelta(hours=3)).replace(minute=30)
        until = (at + timedelta(hours=1)).isoformat()
        carry_out(settings, "maintenance", begins=at.isoformat(), until=until)
        expect(table.locator("#house-told time").first).to_contain_text(f"{at.astimezone(ZoneInfo('Asia/Tokyo')):%H:%M}")
        expect(table.locator(".told-line")).to_have_count(2)
        assert rest_of(table) <= 0, "the board makes room for both lines"
        (hall.data / "house").mkdir()
        (hall.data / "house" / "contact.md").write_text("Write to **Eir**.")
        guest.allow("status 404", "status of 404")
        looks.note("switches", host.open("/host/switches"))
        looks.note("contact", guest.open("/contact"))
        looks.note("404", guest.open("/nothing/here"))
        assert looks.found == []
        assert looks.inspector.found == []
    finally:
        carry_out(settings, "announce", text="")
        carry_out(settings, "maintenance")
