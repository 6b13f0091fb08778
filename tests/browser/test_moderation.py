"""Order among strangers in real browsers: from a report to the log, as all five who are concerned see it."""

from __future__ import annotations

from playwright.sync_api import expect

from browser.devices import PHONE
from browser.looks import Looks
from browser.people import NewPerson, Person
from browser.server import Hall
from meadhall.server.host_commands import carry_out
from meadhall.server.settings import Settings

RUDE = "Your ship smells of herring"
ELSEWHERE = {"extra_http_headers": {"X-Forwarded-For": "198.51.100.7"}}
"""The network of the villain. Everyone else in these tests comes from another one."""


def rude_table(villain: Person, victim: Person) -> str:
    """Let a villain be rude to a victim at a table, and return its path."""
    villain.ask("/settings", name="Villain")
    table = f"/tables/{villain.ask('/tables', game='axes-and-allies', kind='friends', players=3).json()['id']}"
    victim.ask(f"{table}/seats", set="sit")
    victim.ask(f"{table}/chat", text="Shall we begin?")
    villain.ask(f"{table}/chat", text=RUDE)
    return table


def with_role(person: Person, hall: Hall, role: str) -> Person:
    """Give a person an account, named by their role, and the role."""
    person.ask("/account/new", name=f"The {role} of the hall", password="a shield wall in the rain")  # noqa: S106
    carry_out(Settings(data=hall.data), "role", person=f"The {role} of the hall", role=role)
    return person


def test_a_report_leads_to_a_case_a_closing_a_newcomer_and_the_log(new_person: NewPerson, hall: Hall) -> None:
    host, helper = with_role(new_person(), hall, "host"), with_role(new_person(**PHONE), hall, "helper")
    villain, victim, looks = new_person(**ELSEWHERE), new_person(**PHONE, java_script_enabled=False), Looks()
    table = rude_table(villain, victim)

    page = victim.open(f"{table}/chat")
    page.get_by_role("link", name="Report this line").click()
    expect(page.locator("blockquote")).to_have_text(RUDE)
    page.get_by_label("Insult or hate").check()
    page.get_by_label("What should the helpers know?").fill("I only asked.")
    page.get_by_role("button", name="Report to the helpers").click()
    expect(page.locator("#toast")).to_have_text("Thank you. The helpers of this hall will look at it.")

    looks.note("report", villain.open(f"/report?of=seat:{table.removeprefix('/tables/')}:1"))
    page = host.open("/")
    page.get_by_role("link", name="The host's room").click()
    case = page.locator(".case")
    expect(case).to_contain_text(RUDE)
    expect(case).to_contain_text("I only asked.")
    case.get_by_text("The lines around").click()
    expect(case.locator(".around")).to_contain_text("Shall we begin?")
    looks.note("cases", page)
    there = helper.open("/host")
    case = there.locator(".case")
    case.get_by_label("Reason").fill("No herring here")
    expect(case.get_by_role("button", name="Shut out for good")).to_have_count(0)
    case.get_by_role("button", name="Shut out for a week").tap()
    expect(there.locator("#main")).to_contain_text("shut out for a week")

    villain.allow("status 403", "status of 403")
    expect(villain.open("/").locator("#main")).to_contain_text("Reason: No herring here")
    newcomer = new_person(**ELSEWHERE)
    newcomer.allow("status 403", "status of 403")
    there = newcomer.open("/")
    looks.note("at the door", there)
    there.get_by_label("Who are you?").fill("The sister")
    there.get_by_role("button", name="Ask to come in").click()
    expect(there.locator("#main")).to_contain_text("You have asked.")

    page.get_by_role("link", name="New guests").click()
    expect(page.locator(".person-met")).to_contain_text("The sister")
    looks.note("new guests", page)
    page.get_by_role("button", name="Admit").click()
    expect(page.locator(".person-met")).to_have_count(0)
    expect(newcomer.open("/").get_by_role("heading", level=1)).to_have_text("Come in. The fire is lit.")

    page.get_by_role("link", name="The log").click()
    for row, (who, deed) in enumerate((("host", "admit"), ("helper", "week"), ("command", "role"), ("command", "role"))):
        expect(page.locator("tbody tr").nth(row).locator("code")).to_have_text(deed)
        expect(page.locator("tbody tr").nth(row).locator("th")).to_contain_text(who)
    looks.note("log", page)
    page = victim.open("/")
    expect(page.locator("#told")).to_contain_text("Something was done about what you have reported.")
    page.get_by_role("button", name="Understood").click()
    expect(page.locator("#told")).to_have_count(0)
    assert looks.found == [], "\n".join(looks.found)
    assert looks.inspector.found == []
