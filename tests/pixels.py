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


def changed(one: bytes, other: bytes, by: float = 0.05) -> float:
    """Return the share of 75 × 50 cells whose mean colour differs by more than ``by``, 0 to 1, in two pictures of one size."""
    pictures = [Image.open(BytesIO(picture)).convert("RGB") for picture in (one, other)]
    if pictures[0].size != pictures[1].size:
        return 1.0
    first, second = (np.asarray(each.resize((75, 50), Image.Resampling.BOX), float) for each in pictures)
    return float((np.abs(first - second).max(axis=2) > by * 255).mean())
