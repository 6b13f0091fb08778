"""A balance report in a separate process, for a hall: ``python -m meadhall.lab.balance.job``.

It reads a request as JSON, writes lines ``{"progress": …}``, and at last ``{"report": …}`` or ``{"error": …}``. With a language
in the request the report is a page, ``{"page": …}``. It has a low priority and leaves a core to the hall.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import Any

from meadhall.engine.compute.cores import leave_a_core
from meadhall.engine.errors import MeadhallError
from meadhall.engine.text.language import speak

NICENESS = 10
"""The priority: bots and pages go first, but a busy hall doesn't keep a report from ever ending."""


def say(what: dict[str, Any]) -> None:
    """Write a line."""
    sys.stdout.write(json.dumps(what, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Measure what the request asks for."""
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(NICENESS)
    leave_a_core()
    from meadhall.lab.balance.run import balance  # noqa: PLC0415 - after the priority is set

    request = json.load(sys.stdin)
    language = request.pop("language", "")
    speak(language)
    try:
        report = balance(**request, processes=1, progress=lambda done: say({"progress": round(done, 3)}))
    except MeadhallError as error:
        say({"error": str(error)})
    else:
        say({"page": report.to_html()} if language else {"report": report.to_dict()})


if __name__ == "__main__":
    main()
