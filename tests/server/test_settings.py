"""Settings from environment variables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from meadhall.engine.errors import how_to_install
from meadhall.server import settings as settings_module
from meadhall.server.settings import BadSetting, Settings


def test_the_defaults_are_for_use_on_one_machine() -> None:
    settings = Settings.from_environment({})
    assert (settings.host, settings.port, settings.browser) == ("127.0.0.1", 8000, True)
    assert settings.data.name == "meadhall"


def test_everything_can_be_set_by_the_environment() -> None:
    settings = Settings.from_environment(
        {
            "MEADHALL_HOST": "0.0.0.0",  # noqa: S104
            "MEADHALL_PORT": "9000",
            "MEADHALL_DATA": "/srv/hall",
            "MEADHALL_NO_BROWSER": "1",
            "MEADHALL_BOT_PAUSE": "0.25",
            "MEADHALL_REQUESTS_PER_MINUTE": "7",
            "MEADHALL_STREAMS_PER_CLIENT": "9",
            "MEADHALL_CONNECTIONS_PER_CLIENT": "90",
            "MEADHALL_PROXIES": "10.0.0.1",
            "MEADHALL_SOCKET": "/run/hall.sock",
            "MEADHALL_URL": "https://example.org/hall/",
        }
    )
    assert settings == Settings(
        host="0.0.0.0",  # noqa: S104
        port=9000,
        data=Path("/srv/hall"),
        browser=False,
        bot_pause=0.25,
        requests_per_minute=7,
        streams_per_client=9,
        connections_per_client=90,
        proxies="10.0.0.1",
        socket=Path("/run/hall.sock"),
        public_url="https://example.org/hall",
    )
    assert settings.database == Path("/srv/hall/meadhall.db")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MEADHALL_PORT", "eighty"),
        ("MEADHALL_PORT", "-1"),
        ("MEADHALL_PORT", "80.5"),
        ("MEADHALL_BOT_PAUSE", "soon"),
        ("MEADHALL_BOT_PAUSE", "-0.1"),
        ("MEADHALL_BOT_PAUSE", "nan"),
        ("MEADHALL_BOT_PAUSE", "inf"),
        ("MEADHALL_REQUESTS_PER_MINUTE", "many"),
        ("MEADHALL_URL", "hall.example.org"),
        ("MEADHALL_URL", "ftp://hall.example.org/"),
        ("MEADHALL_URL", "https:///hall/"),
        ("MEADHALL_URL", "https://hall.example.org:x/"),
        ("MEADHALL_URL", "https://hall.example.org:70000/"),
        ("MEADHALL_URL", "https://user@hall.example.org/"),
        ("MEADHALL_URL", "https://[::1/"),
        ("MEADHALL_URL", "https://hall.example.org/?a=b"),
        ("MEADHALL_URL", "https://hall.example.org/#top"),
        ("MEADHALL_URL", "https://hall.example.org/a b/"),
        ("MEADHALL_URL", "https://hall.example.org//hall/"),
        ("MEADHALL_URL", "https://hall.example.org/../hall/"),
        ("MEADHALL_URL", "https://hall.example.org/hall;a/"),
        ("MEADHALL_CLUSTER", "local"),
        ("MEADHALL_CLUSTER", "10.0.0.1"),
        ("MEADHALL_CLUSTER", "http://10.0.0.1:6379"),
        ("MEADHALL_PROXIES", "nginx"),
        ("MEADHALL_PROXIES", "10.0.0.1,"),
        ("MEADHALL_PROXIES", "10.0.0.1/33"),
        ("MEADHALL_PROXIES", "*,10.0.0.1"),
    ],
)
def test_a_bad_setting_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(BadSetting, match=name):
        Settings.from_environment({name: value})


@pytest.mark.parametrize(
    ("given", "host", "authority"),
    [
        ("::1", "::1", "[::1]:8000"),
        ("[::1]", "::1", "[::1]:8000"),
        ("[fe80::1%eth0]", "fe80::1%eth0", "[fe80::1%eth0]:8000"),
        ("127.0.0.1", "127.0.0.1", "127.0.0.1:8000"),
        ("hall.example", "hall.example", "hall.example:8000"),
    ],
)
def test_an_ipv6_address_can_be_given_with_and_without_brackets(given: str, host: str, authority: str) -> None:
    settings = Settings.from_environment({"MEADHALL_HOST": given})
    assert (settings.host, settings.authority) == (host, authority)


@pytest.mark.parametrize("host", ["[::1]:8000", "localhost:8000", "[localhost]", "::1]", "[127.0.0.1]", "1::2::3"])
def test_a_host_with_a_port_or_wrong_brackets_is_refused(host: str) -> None:
    with pytest.raises(BadSetting, match=r"MEADHALL_HOST .* without a port"):
        Settings.from_environment({"MEADHALL_HOST": host})


def test_a_cluster_without_ray_is_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings_module, "find_spec", lambda _name: True)
    for address in ("auto", "10.0.0.1:6379", "ray://hall.example:10001"):
        assert Settings.from_environment({"MEADHALL_CLUSTER": address}).cluster == address
    monkeypatch.setattr(settings_module, "find_spec", lambda _name: None)
    with pytest.raises(BadSetting, match=re.escape(how_to_install("hall,cluster"))):
        Settings.from_environment({"MEADHALL_CLUSTER": "auto"})


def test_proxies_can_be_given_in_brackets() -> None:
    assert Settings.from_environment({"MEADHALL_PROXIES": "[::1],10.0.0.0/8"}).proxies == "::1,10.0.0.0/8"


@pytest.mark.parametrize(
    ("given", "kept", "sub_path"),
    [
        ("", "", ""),
        ("https://hall.example.org", "https://hall.example.org", ""),
        ("https://hall.example.org/", "https://hall.example.org", ""),
        ("https://Hall.Example.org:443/", "https://hall.example.org", ""),
        ("http://hall.example.org:80/hall", "http://hall.example.org/hall", "/hall"),
        ("https://example.org:8443/games/hall/", "https://example.org:8443/games/hall", "/games/hall"),
        ("http://[2001:DB8::1]:8000/", "http://[2001:db8::1]:8000", ""),
        ("https://methalle.köln/~hall/", "https://methalle.xn--kln-sna/~hall", "/~hall"),
    ],
)
def test_the_public_address_is_written_in_one_way(given: str, kept: str, sub_path: str) -> None:
    settings = Settings.from_environment({"MEADHALL_URL": given})
    assert (settings.public_url, settings.sub_path) == (kept, sub_path)


def test_a_network_of_proxies_may_be_named_by_any_address_in_it() -> None:
    assert Settings.from_environment({"MEADHALL_PROXIES": " 10.1.2.3/8, 0:0::1 "}).proxies == "10.0.0.0/8,::1"
    assert Settings.from_environment({"MEADHALL_PROXIES": "*"}).proxies == "*"
