"""Options of browser contexts: a phone, and a person who prefers reduced motion."""

from __future__ import annotations

from typing import Any

PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
    "reduced_motion": "reduce",  # otherwise elements would be measured during their animations
}

STILL: dict[str, Any] = {"reduced_motion": "reduce"}
