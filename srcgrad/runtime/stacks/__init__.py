"""Carries many seeds through one run of a derivative: arrays with an axis that the text ignores."""

from __future__ import annotations

from srcgrad.runtime.stacks import functions, products
from srcgrad.runtime.stacks.core import (
    CannotStackError,
    Stack,
    Units,
    holds_stack,
    refusals,
    refuse,
)
from srcgrad.runtime.stacks.factors import puts_off, writes_in_place
from srcgrad.runtime.stacks.making import TAKES_STACKS, array_of, by_rows, copied_rows, stacked

assert functions  # they fill the table of handlers
assert products

__all__ = [
    "TAKES_STACKS",
    "CannotStackError",
    "Stack",
    "Units",
    "array_of",
    "by_rows",
    "copied_rows",
    "holds_stack",
    "puts_off",
    "refusals",
    "refuse",
    "stacked",
    "writes_in_place",
]
