"""Stands for expressions of several steps that are known by their form.

They are ufuncs, as the analyses know those: what acts on each element and keeps the shape.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def _falling_logistic(x: float) -> float:
    return 1 / (1 + math.exp(x))


logistic: Final = np.frompyfunc(_logistic, 1, 1)
"""What ``1 / (1 + np.exp(-x))`` computes."""

falling_logistic: Final = np.frompyfunc(_falling_logistic, 1, 1)
"""What ``1 / (1 + np.exp(x))`` computes."""
