"""Options of browser contexts: a phone, a person who wants motion, and one whose browser installs the app."""

from __future__ import annotations

from typing import Any

PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}

MOVING: dict[str, Any] = {"reduced_motion": "no-preference"}
"""Everyone else prefers reduced motion: otherwise elements would be measured during their animations."""

INSTALLED: dict[str, Any] = {"service_workers": "allow"}
"""Pages have their service worker."""
