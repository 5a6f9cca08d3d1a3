"""Offers derivatives of plain functions."""

from __future__ import annotations

from srcgrad.api.compiled import Compiled, compile  # noqa: A004 - the name that users know
from srcgrad.api.decorators import grad, value_and_grad
from srcgrad.api.gradient import Gradient
from srcgrad.api.pushforward import jvp

__all__ = ["Compiled", "Gradient", "compile", "grad", "jvp", "value_and_grad"]
