"""Lets the backward pass ask for no more of the forward pass than it needs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from srcgrad.ir.names import Namer
from srcgrad.optimizations.add_to_originals import OriginalAdjoints
from srcgrad.optimizations.cut_in_two import cut_in_two
from srcgrad.optimizations.purity import Purity
from srcgrad.optimizations.zeros_of_numbers import zeros_of_numbers
from srcgrad.transforms.sweep import Facts


def ask_for_less(
    body: list[Any], facts: Facts, namer: Namer, purity: Purity, parameters: Collection[str]
) -> None:
    """Rewrite what a derivative asks of all of a value, if a part or the length of it will do."""
    cut_in_two(body)
    OriginalAdjoints(body, namer, purity.of, facts.shapes.same).run()
    zeros_of_numbers(body, facts.shapes.is_number, facts.integers.of, parameters)
