"""All checks, in the order of repairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from meadhall.engine.text.language import gettext as _
from meadhall.server.doctor import database, machine, network
from meadhall.server.doctor.findings import Finding
from meadhall.server.settings import BadSetting, Settings


def examine(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Check the hall that these environment variables describe. Nothing is changed."""
    yield from machine.check_variables(environment)
    try:
        settings = Settings.from_environment(environment)
    except BadSetting as error:
        yield Finding("settings", "wrong", str(error), _("Correct this setting; the other checks need it."))
        return
    yield from machine.check_folder(settings)
    yield from machine.check_files()
    yield from machine.check_compiled_rules()
    yield from database.check_database(settings)
    yield from database.check_clock()
    status = network.status_of(settings)
    yield from network.check_port(settings, status)
    yield from network.check_push(settings.public_url)
    if settings.public_url and status:
        yield from network.check_proxy(settings.public_url)
    elif settings.public_url:
        yield Finding(
            "proxy",
            "warning",
            _("no hall runs here, so {url} was not tried").format(url=settings.public_url),
            _("Start the hall and run this again."),
        )
