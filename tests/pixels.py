"""Comparison of pictures."""

from __future__ import annotations

from io import BytesIO

import numpy as np
from PIL import Image


def difference(one: bytes, other: bytes) -> float:
    """Return the mean difference of two pictures in PNG of about the same size, 0 to 1. Texts in other fonts count little."""
    small = (Image.open(BytesIO(picture)).convert("RGB").resize((75, 50), Image.Resampling.BOX) for picture in (one, other))
    first, second = (np.asarray(picture, float) for picture in small)
    return float(np.abs(first - second).mean() / 255)
