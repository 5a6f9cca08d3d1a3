"""Says which operands, and which entries of lists and dicts, are surely single numbers."""

from __future__ import annotations

from typing import Any

from srcgrad.transforms.sweep import Sweep


def is_number(sweep: Sweep, value: Any) -> bool:
    """Say whether an operand is a single number, by its shape or by its axes."""
    return sweep.facts.shapes.is_number(value) or sweep.facts.dimensions.rank(value) == 0


def keeps_number(sweep: Sweep, place: Any) -> bool:
    """Say whether all that may be kept at a place ``xs[k]`` are single numbers."""
    values = sweep.entries.at(place)
    return values is not None and all(is_number(sweep, value) for value in values)
