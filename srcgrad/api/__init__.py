"""Offers derivatives of plain functions."""

from __future__ import annotations

from srcgrad.api.decorators import grad, value_and_grad
from srcgrad.api.gradient import Gradient

__all__ = ["Gradient", "grad", "value_and_grad"]
