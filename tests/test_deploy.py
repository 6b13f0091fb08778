"""The files for hosts: every setting in them exists, and what the image is built from is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from meadhall.server.settings import Settings, known_variables

ROOT = Path(__file__).parent.parent
CONTAINERFILE = ROOT / "Containerfile"
COMPOSE = ROOT / "deploy" / "compose.yaml"

FILES = [CONTAINERFILE, *sorted(path for path in (ROOT / "deploy").rglob("*") if path.is_file())]
PAGES = sorted((ROOT / "docs" / "host").glob("*.md"))


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text("utf-8"))
    return found


@pytest.mark.parametrize("file", FILES + PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_setting_that_a_file_names_exists(file: Path) -> None:
    named = set(re.findall(r"\bMEADHALL_[A-Z_]*[A-Z]\b", file.read_text("utf-8")))
    assert named <= known_variables(), named - known_variables()


def test_every_setting_is_documented() -> None:
    text = (ROOT / "docs" / "host" / "settings.md").read_text("utf-8")
    missing = {name for name in known_variables() if f"`{name}`" not in text}
    assert not missing


def test_the_image_is_built_from_files_that_exist_and_are_not_ignored() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", CONTAINERFILE.read_text("utf-8"), re.MULTILINE)
    names = {name for line in copied for name in line.split()}
    examples = {"examples/bare", "examples/liars-dice", "examples/pig"}
    assert names == {"pyproject.toml", "uv.lock", "README.md", "LICENSE", "src", *examples}
    assert all((ROOT / name).exists() for name in names)
    let_through = {line[1:] for line in (ROOT / ".containerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    assert let_through == names


def test_the_image_has_the_version_of_uv_that_the_makefile_has() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert f"uv=={re.findall(r'^UV_VERSION := (.+)$', makefile, re.MULTILINE)[0]}" in CONTAINERFILE.read_text("utf-8")


def test_the_services_of_the_compose_file_fit_together(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert (
        COMPOSE.parent / services["hall"]["build"]["context"] / services["hall"]["build"]["dockerfile"]
    ).resolve() == CONTAINERFILE
    volumes = {volume.split(":")[0] for service in services.values() for volume in service.get("volumes", ())}
    assert volumes == set(compose["volumes"])
    for service in services.values():
        assert set(service.get("depends_on", ())) <= set(services)
    example = (COMPOSE.parent / "compose.env.example").read_text("utf-8")
    variables = set(re.findall(r"\$\{([A-Z_]+)", COMPOSE.read_text("utf-8")))
    assert variables == set(re.findall(r"^(?:# )?([A-Z_]+)=", example, re.MULTILINE))


def test_the_settings_of_the_compose_file_can_be_used(compose: dict[str, Any]) -> None:
    values = {"POSTGRES_PASSWORD": "0123abcd", "HALL_HOST": "hall.example.org", "MEADHALL_WORKERS": "2"}
    environment = {name: substituted(str(value), values) for name, value in compose["services"]["hall"]["environment"].items()}
    settings = Settings.from_environment(environment)
    assert settings.workers == 2
    assert not settings.embedded
    assert settings.url.host in compose["services"]
    assert settings.public_url == "https://hall.example.org"
    assert settings.proxies == compose["networks"]["default"]["ipam"]["config"][0]["subnet"]
    small = {name: substituted(str(value), {"POSTGRES_PASSWORD": "x"}) for name, value in environment_of(compose).items()}
    assert (Settings.from_environment(small).workers, Settings.from_environment(small).public_url) == (1, "")


def environment_of(compose: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = compose["services"]["hall"]["environment"]
    return found


def substituted(text: str, values: dict[str, str]) -> str:
    """Substitute variables as Compose does: ``${NAME}``, ``${NAME:-default}``, ``${NAME:+other}`` and ``${NAME:?error}``."""
    pattern = re.compile(r"\$\{([A-Z_]+)(?::([-+?])((?:[^{}]|\{[^{}]*\})*))?\}")

    def value(match: re.Match[str]) -> str:
        name, kind, other = match.groups()
        if kind == "+":
            return substituted(other, values) if values.get(name) else ""
        return values.get(name) or (other if kind == "-" else values[name])

    return pattern.sub(value, text)
