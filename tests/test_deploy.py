"""The files for hosts: every setting in them exists, and what the image is built from is there."""

from __future__ import annotations

import importlib
import re
import socket
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest
import yaml
from prometheus_client import REGISTRY

from meadhall.server.settings import Settings, known_variables
from proxies import installed

ROOT = Path(__file__).parent.parent
CONTAINERFILE = ROOT / "Containerfile"
ALERTS = ROOT / "deploy" / "prometheus-alerts.yml"
DASHBOARD = ROOT / "deploy" / "grafana-dashboard.json"
COMPOSE = ROOT / "deploy" / "compose.yaml"

FILES = [CONTAINERFILE, *sorted(path for path in (ROOT / "deploy").rglob("*") if path.is_file())]
PAGES = sorted((ROOT / "docs" / "host").glob("*.md"))


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text("utf-8"))
    return found


def test_every_metric_that_alerts_and_the_dashboard_name_exists() -> None:
    """Also those that the documentation lists."""
    importlib.import_module("meadhall.server.app")
    known = {
        sample
        for family in REGISTRY.collect()
        for name in (f"{family.name}_total" if family.type == "counter" else family.name,)
        for sample in ((name,) if family.type != "histogram" else (name, f"{name}_bucket", f"{name}_count", f"{name}_sum"))
    }
    page = ROOT / "docs" / "host" / "monitoring.md"
    texts = [ALERTS.read_text("utf-8"), DASHBOARD.read_text("utf-8"), page.read_text("utf-8")]
    texts[2] = "".join(re.findall(r"(?m)^\| `meadhall_.*", texts[2]))
    for text in texts:
        named = set(re.findall(r"\bmeadhall_[a-z_]+\b", text))
        assert named
        assert named <= known, named - known


def test_prometheus_reads_the_alert_rules_and_they_fire(tmp_path: Path) -> None:
    promtool = installed("promtool", "prometheus")
    subprocess.run([promtool, "check", "rules", ALERTS], check=True)
    scenario = {
        "rule_files": [str(ALERTS)],
        "evaluation_interval": "1m",
        "tests": [
            {
                "interval": "1m",
                "input_series": [
                    {"series": f"{name}{{instance='hall',{labels}}}", "values": values}
                    for name, labels, values in (
                        ("meadhall_database_up", "", "1x10 0x200"),
                        ("meadhall_game_ready", "game='axxa'", "0x210"),
                        ("meadhall_transactions_total", "outcome='no database'", "0x10 0+60x200"),
                        ("meadhall_last_backup_timestamp_seconds", "", "-200000x210"),
                        ("meadhall_failed_sign_ins_total", "way='password'", "0+20x210"),
                        ("meadhall_push_messages_total", "outcome='refused'", "0+5x210"),
                        ("meadhall_push_messages_total", "outcome='sent'", "0x210"),
                        ("meadhall_requests_error_total", "", "0+60x210"),
                    )
                ],
                "alert_rule_test": [
                    {"alertname": name, "eval_time": time, "exp_alerts": []}
                    for name, time in (("HallDatabaseAway", "9m"), ("HallNotStoring", "9m"), ("HallGameNotReady", "9m"))
                ],
                "promql_expr_test": [
                    {
                        "expr": f"count(ALERTS{{alertname='{name}',alertstate='firing'}})",
                        "eval_time": "3h",
                        "exp_samples": [{"value": 1}],
                    }
                    for name in (
                        *("HallDatabaseAway", "HallGameNotReady", "HallNotStoring", "HallBackupOld"),
                        *("HallSignInsFail", "HallPushFails", "HallErrors"),
                    )
                ],
            }
        ],
    }
    file = tmp_path / "scenario.yml"
    file.write_text(yaml.safe_dump(scenario))
    subprocess.run([promtool, "test", "rules", file], check=True)


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
    assert names == {"pyproject.toml", "uv.lock", "README.md", "LICENSE", "src", "deploy/healthcheck.py", *examples}
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
    assert volumes - {"./Caddyfile"} == set(compose["volumes"])
    for service in services.values():
        assert set(service.get("depends_on", ())) <= set(services)
    example = (COMPOSE.parent / "compose.env.example").read_text("utf-8")
    variables = set(re.findall(r"\$\{([A-Z_]+)", COMPOSE.read_text("utf-8")))
    assert variables == set(re.findall(r"^(?:# )?([A-Z_]+)=", example, re.MULTILINE))


def test_images_are_named_by_their_digest_and_containers_are_limited(compose: dict[str, Any]) -> None:
    ours = compose["services"]["hall"]["image"]
    images = {service["image"] for service in compose["services"].values()} - {ours}
    images |= set(re.findall(r"^FROM (\S+)", CONTAINERFILE.read_text("utf-8"), re.MULTILINE))
    assert all(re.fullmatch(r"docker\.io/library/[a-z]+:[0-9.]+(-slim)?@sha256:[0-9a-f]{64}", image) for image in images), images
    assert all({"mem_limit", "pids_limit"} <= service.keys() for service in compose["services"].values())
    assert "USER 10001:10001" in CONTAINERFILE.read_text("utf-8"), "an engine sees that it isn't root"


def test_rules_are_compiled_before_the_hall_is_replaced_and_backups_are_written(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert services["hall"]["depends_on"]["rules"] == {"condition": "service_completed_successfully"}
    assert services["rules"]["command"] == "warm"
    assert set(services["rules"]["volumes"]) <= set(services["hall"]["volumes"])
    assert services["backup"]["environment"] == services["hall"]["environment"]
    assert "meadhall backup" in services["backup"]["entrypoint"][-1]
    assert "./Caddyfile:/etc/caddy/Caddyfile:ro" in services["proxy"]["volumes"]
    assert all(f"{{${name}:" in (COMPOSE.parent / "Caddyfile").read_text("utf-8") for name in services["proxy"]["environment"])


class _Hall(BaseHTTPRequestHandler):
    """A hall that is ready every other time."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(200 if len(self.asked) % 2 else 503)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@pytest.mark.parametrize("kind", ["port", "socket"])
def test_the_health_check_asks_at_the_port_or_socket_of_the_settings(kind: str, tmp_path: Path) -> None:
    """The hall is ready at first, then it isn't, then it is gone."""

    class OnSocket(HTTPServer):
        address_family = socket.AF_UNIX

        def server_bind(self) -> None:
            self.socket.bind(str(tmp_path / "hall.sock"))

    server = OnSocket("", _Hall) if kind == "socket" else HTTPServer(("127.0.0.1", 0), _Hall)  # type: ignore[arg-type]
    given = {"MEADHALL_SOCKET": str(tmp_path / "hall.sock")} if kind == "socket" else {"MEADHALL_PORT": str(server.server_port)}
    given["MEADHALL_HOST"] = "0.0.0.0"  # noqa: S104 - as in the image

    def check() -> int:
        command = [sys.executable, "-I", str(ROOT / "deploy" / "healthcheck.py")]
        return subprocess.run(command, env=given, capture_output=True, check=False).returncode

    _Hall.asked.clear()
    with server:
        serving = Thread(target=server.serve_forever, daemon=True)
        serving.start()
        assert (check(), check()) == (0, 1)
        server.shutdown()
        serving.join()
    assert _Hall.asked == ["/health/ready"] * 2
    assert check() == 1


def test_the_settings_of_the_compose_file_can_be_used(compose: dict[str, Any]) -> None:
    values = {"HALL_HOST": "hall.example.org"}
    environment = {name: substituted(str(value), values) for name, value in compose["services"]["hall"]["environment"].items()}
    settings = Settings.from_environment(environment)
    assert settings.public_url == "https://hall.example.org"
    assert settings.proxies == compose["networks"]["default"]["ipam"]["config"][0]["subnet"]
    small = {name: substituted(str(value), {}) for name, value in environment_of(compose).items()}
    assert Settings.from_environment(small).public_url == ""


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
