"""Masks the adjoints of what a selection uses in part, where its region ends (see `Selection`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.analyses.gathering import begun
from srcgrad.analyses.selectors import Mask
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, load
from srcgrad.ir.walk import is_same, names_read
from srcgrad.runtime import kept_if, kept_unless
from srcgrad.transforms.sweep import Sweep


class Masking:
    """Gives the contributions of elementwise steps the masks that they need."""

    def __init__(self, sweep: Sweep) -> None:
        self._sweep = sweep
        self._selection = sweep.facts.selection

    def bound(self, statement: Any) -> list[Any]:
        """Return the statements that bind the masks of a step's operands."""
        done = [at(clone(item), statement) for item in self._selection.binds.get(id(statement), ())]
        for item in done:
            self._use_runtime(item.value)
        return done

    def begun(self, statement: Any) -> list[Any]:
        """Return the statements that begin to note which elements of values are used."""
        begins = self._selection.gathering.begins.get(id(statement), ())
        if begins:
            self._sweep.externals.use_numpy()
        return [at(begun(*names), statement) for names in begins]

    def unmasked(self, value: Any) -> Any:
        """Return a contribution as it is without masks, if there are any in the program."""
        return clone(value) if self._selection.masks and value is not None else None

    def within(self, statement: Any, targets: list[str], item: Any, value: Any) -> Any:
        """Return the contribution of a step to an operand, nothing where it is not used.

        Inside of a region it stays as it is, and that of the selection itself needs no mask yet.
        """
        masks = self._selection.masks
        name = getattr(item, "id", "")
        outer = masks.get(targets[0]) if len(targets) == 1 else None
        use = self._selection.of_operand(statement, name)
        continues = use is not None and masks.get(name) == use
        continues = continues and name not in self._selection.mutated
        if outer is None and not continues:
            return value
        primal = self._sweep.program.operation(statement).primal
        if continues and (primal is np.nan_to_num or self._fits(name, targets[0])):
            selects = primal in (np.where, np.nan_to_num, kept_if, kept_unless)
            masked = selects or _is_masked(value, use)
            return _unmasked(value) if masked else value
        if outer is None:
            return value
        if outer.branch and self._sweep.facts.shapes.is_number(load(targets[0])):
            return outer.of_number(value)
        return self._masked(value, outer)

    def _fits(self, name: str, target: str) -> bool:
        return self._sweep.facts.shapes.same(load(name), load(target))

    def _masked(self, value: Any, mask: Mask) -> Any:
        """Mask a value, before it is summed if it was broadcast."""
        self._use_runtime(mask.condition)
        if getattr(getattr(value, "func", None), "id", "") != "unbroadcast":
            return mask.of(value)
        value.args[0] = mask.of(value.args[0])
        return value

    def _use_runtime(self, expression: Any) -> None:
        for name in ("any_selected", "came_from", "picked", "places", "taken", "within"):
            if name in names_read(expression):
                self._sweep.externals.use_runtime(name)


def _unmasked(value: Any) -> Any:
    """Return what ``np.where(condition, value, 0)`` selects, without the zeros."""
    if getattr(getattr(value, "func", None), "id", "") == "unbroadcast":
        value = value.args[0]
    if len(value.args) == len(("grad", "test")):  # `kept_if` or `kept_unless`
        return value.args[0]
    _, first, second = value.args
    return second if isinstance(first, gast.Constant) else first


def _is_masked(value: Any, mask: Mask | None) -> bool:
    """Say whether a value is masked as it will be where the region ends."""
    if getattr(getattr(value, "func", None), "id", "") == "unbroadcast":
        value = value.args[0]
    func = getattr(value, "func", None)
    if (
        mask is None
        or getattr(func, "attr", "") != "where"
        or len(value.args) != len(("condition", "x", "y"))
    ):
        return False
    return is_same(value, mask.of(value.args[1 if mask.holds else 2]))
