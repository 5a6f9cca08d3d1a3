"""Says which elements of its operands a function that selects uses: a `Mask` for each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.build import call, clone, constant, load
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, direct_names
from srcgrad.ir.walk import is_same
from srcgrad.runtime import compress, kept_if, kept_unless

PLAIN, CURVED, STEEP, STEEP_ITSELF, STEEP_AT_THE_EDGE = range(5)
"""How bad the derivative of a step can be: constant; any number; infinite at finite values.

A value is as bad as the worst step that it is made by; the last two kinds are
those of its last step alone: the last is infinite where values of it are all right.
"""

EVERYWHERE: Final = None
_MOST_PARTS: Final = 32


@dataclass(frozen=True, slots=True, eq=False)
class Mask:
    """The elements that are used: where a condition holds, or where it does not.

    Attributes:
        condition: An expression on names that are bound once.
        holds: Whether the elements are used where the condition holds.
        least: The kind of value from which on it matters.
        branch: The condition is one of Python's, which chose between two blocks.
        basic: The elements are those that slices and numbers read.
        parts: Of how many conditions it is made.
    """

    condition: Any
    holds: bool = True
    least: int = CURVED
    branch: bool = False
    basic: bool = False
    parts: int = 1

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Mask) or self.holds != other.holds:
            return False
        return is_same(self.condition, other.condition)

    __hash__ = None  # type: ignore[assignment]

    def of(self, value: Any) -> Any:
        """Return the expression that is `value` where elements are used, and 0 elsewhere."""
        zero = gast.Constant(0.0, None)  # of floats: NumPy converts no integer
        sides = (value, zero) if self.holds else (zero, value)
        return call("np.where", clone(self.condition), *sides)

    def of_number(self, value: Any) -> Any:
        """Return the same for a number and a condition of Python's."""
        condition: Any = clone(self.condition)
        if not self.holds:
            condition = gast.UnaryOp(gast.Not(), condition)
        return gast.IfExp(condition, value, gast.Constant(0.0, None))

    def truth(self) -> Any:
        """Return the mask as an expression of truth values."""
        condition = clone(self.condition)
        return condition if self.holds else call("np.logical_not", condition)

    @property
    def part(self) -> Any:
        """The same as a part of another mask's condition: into those nobody writes."""
        return self.condition if self.holds else call("np.logical_not", self.condition)


def both(first: Mask | None, second: Mask | None) -> Mask | None:
    """Return the elements that are in both masks; of very many, those that are in the last."""
    if first is EVERYWHERE or second is EVERYWHERE or first == second:
        return second if first is EVERYWHERE else first
    parts = first.parts + second.parts
    if parts > _MOST_PARTS:
        return second
    condition = call("np.logical_and", first.part, second.part)
    return Mask(condition, True, min(first.least, second.least), parts=parts)


def selects(operation: Operation, program: Program) -> bool:
    """Say whether an operation may use only some elements of an operand."""
    if operation.primal is None or operation.kind != "primitive":
        return False
    return program.reader.vocabulary.canonical_name(operation.primal) in SELECTORS


def takes_all(operation: Operation, program: Program) -> bool:
    """Say whether one of the selecting operations is a reduction that leaves no element out."""
    maker = SELECTORS[program.reader.vocabulary.canonical_name(operation.primal)]
    return maker is _reduced and not (_reduced(operation) or largest(operation, ""))


def _where(operation: Operation) -> list[tuple[str, Mask | None]]:
    if len(operation.args) != 3 or not isinstance(operation.args[0], gast.Name):
        return []
    condition, first, second = operation.args
    kept = [(name, Mask(condition, True)) for name in direct_names(first)]
    return [*kept, *((name, Mask(condition, False)) for name in direct_names(second))]


def as_where(operation: Operation) -> Operation:
    """Return ``kept_if(value, test)`` as the call of `np.where` that it stands for."""
    if operation.primal not in (kept_if, kept_unless) or len(operation.args) != 2:
        return operation
    value, test = operation.args
    ends = (value, constant(0.0)) if operation.primal is kept_if else (constant(0.0), value)
    return Operation(operation.kind, np.where, (test, *ends))


def _extreme(operation: Operation, sign: type[gast.cmpop]) -> list[tuple[str, Mask | None]]:
    if len(operation.args) != 2 or not all(_is_atom(arg) for arg in operation.args):
        return []
    first, second = operation.args
    pairs = ((first, second), (second, first))
    return [
        (name, Mask(gast.Compare(ours, [sign()], [theirs]), True, STEEP))
        for ours, theirs in pairs
        for name in direct_names(ours)
    ]


def _clip(operation: Operation) -> list[tuple[str, Mask | None]]:
    if operation.keywords or len(operation.args) != 3:
        return []
    if not all(_is_atom(arg) for arg in operation.args):
        return []
    value, low, high = operation.args
    condition = call("within", value, low, high)
    return [(name, Mask(condition, True, STEEP)) for name in direct_names(value)]


def _select(operation: Operation) -> list[tuple[str, Mask | None]]:
    displays = [arg for arg in operation.args[:2] if isinstance(arg, (gast.List, gast.Tuple))]
    if len(displays) != 2 or len(displays[0].elts) != len(displays[1].elts):
        return []
    found: list[tuple[str, Mask | None]] = []
    before: Mask | None = EVERYWHERE
    for condition, choice in zip(displays[0].elts, displays[1].elts, strict=True):
        if not isinstance(condition, gast.Name):
            return []
        mask = both(before, Mask(condition))
        found.extend((name, mask) for name in direct_names(choice))
        before = both(before, Mask(condition, holds=False))
    default = [*operation.args[2:3], *operation.keywords.values()]
    return [*found, *((name, before) for arg in default for name in direct_names(arg))]


def _getitem(operation: Operation) -> list[tuple[str, Mask | None]]:
    base, index = operation.args
    return [
        (name, Mask(call("picked", index, base), True, STEEP_ITSELF)) for name in direct_names(base)
    ]


def _reduced(operation: Operation) -> list[tuple[str, Mask | None]]:
    """A reduction of the elements where `where` holds."""
    where = operation.keywords.get("where")
    if not isinstance(where, gast.Name) or not operation.args:
        return []
    return [(name, Mask(where, True, STEEP)) for name in direct_names(operation.args[0])]


def largest(operation: Operation, target: str) -> list[tuple[str, Mask | None]]:
    """The largest or smallest elements, of all or along an axis, which are bound to `target`."""
    name = getattr(operation.primal, "__name__", "")
    if operation.primal in (np.fmax, np.fmin):
        return _extreme_number(operation, target)
    if name.removeprefix("nan").removeprefix("a") not in ("max", "min"):
        return []
    base, *rest = operation.args
    options = {**dict(zip(("axis",), rest, strict=False)), **operation.keywords}
    if len(rest) > 1 or options.keys() - {"axis", "keepdims"}:
        return []
    found: Any = load(target)
    axis = getattr(options.get("axis"), "value", None)
    if "axis" in options and not isinstance(axis, int) and not is_negative(options["axis"]):
        return []
    if "axis" in options and not getattr(options.get("keepdims"), "value", "keepdims" in options):
        found = call("np.expand_dims", found, clone(options["axis"]))
    chosen = gast.Compare(base, [gast.Eq()], [found])
    return [(item, Mask(chosen, True, STEEP_ITSELF)) for item in _named(base)]


def _extreme_number(operation: Operation, target: str) -> list[tuple[str, Mask | None]]:
    """The operands of `fmax` or `fmin` that it gave: the larger ones, or those beside a NaN."""
    return [
        (name, Mask(gast.Compare(load(name), [gast.Eq()], [load(target)]), True, STEEP))
        for operand in operation.args
        for name in _named(operand)
    ]


def is_negative(node: Any) -> bool:
    """Say whether an expression is the opposite of a constant."""
    constant = isinstance(node, gast.UnaryOp) and isinstance(node.operand, gast.Constant)
    return constant and isinstance(node.op, gast.USub)


def _numbers(operation: Operation) -> list[tuple[str, Mask | None]]:
    """A reduction of what is not NaN."""
    base = operation.args[0]
    return [(name, Mask(call("np.isnan", base), False, STEEP)) for name in _named(base)]


def _finite(operation: Operation) -> list[tuple[str, Mask | None]]:
    base = operation.args[0]
    return [(name, Mask(call("np.isfinite", base), True, STEEP)) for name in _named(base)]


def _taken(operation: Operation) -> list[tuple[str, Mask | None]]:
    base, *rest = operation.args
    chosen = call("taken", base, *rest)
    chosen.keywords = [gast.keyword(key, item) for key, item in operation.keywords.items()]
    return [(name, Mask(chosen, True, STEEP_ITSELF)) for name in _named(base)]


def _compressed(operation: Operation) -> list[tuple[str, Mask | None]]:
    """The elements of an array where a condition holds, along an axis if there is one."""
    is_method = operation.primal is compress
    condition, base, *rest = _turned(operation.args) if is_method else operation.args
    if operation.keywords.keys() - {"axis"} or len(rest) > 1:
        return []
    chosen = call("taken", base, call("np.flatnonzero", condition), *rest)
    chosen.keywords = [gast.keyword(key, item) for key, item in operation.keywords.items()]
    return [(name, Mask(chosen, True, STEEP_ITSELF)) for name in _named(base)]


def _turned(args: Sequence[Any]) -> list[Any]:
    return [args[1], args[0], *args[2:]]


def _chosen(operation: Operation) -> list[tuple[str, Mask | None]]:
    """The elements of the array that an array of numbers names."""
    if len(operation.args) != 2 or operation.keywords:
        return []
    number, choices = operation.args
    if not isinstance(choices, (gast.List, gast.Tuple)):
        return []
    found: list[tuple[str, Mask | None]] = []
    for place, choice in enumerate(choices.elts):
        here = call("np.equal", number, gast.Constant(place, None))  # it may be a list
        found.extend((name, Mask(here)) for name in _named(choice))
    return found


def _named(node: Any) -> list[str]:
    return [node.id] if isinstance(node, gast.Name) else []


def _triangle(operation: Operation) -> list[tuple[str, Mask | None]]:
    base, *rest = [*operation.args, *operation.keywords.values()]
    side = operation.primal.__name__
    ones = call("np.ones_like", base, dtype=load("bool"))
    mask = Mask(call(f"np.{side}", ones, *rest), True, STEEP)
    return [(name, mask) for name in direct_names(base)]


def _is_atom(node: Any) -> bool:
    return isinstance(node, (gast.Name, gast.Constant)) or (
        isinstance(node, gast.UnaryOp) and isinstance(node.operand, gast.Constant)
    )


SELECTORS: Final = {
    "numpy.where": _where,
    **dict.fromkeys(
        ["srcgrad.runtime.slopes.kept_if", "srcgrad.runtime.slopes.kept_unless"],
        lambda operation: _where(as_where(operation)),
    ),
    "numpy.maximum": lambda operation: _extreme(operation, gast.GtE),
    "numpy.minimum": lambda operation: _extreme(operation, gast.LtE),
    **dict.fromkeys(["numpy.fmax", "numpy.fmin"], _reduced),
    "numpy.clip": _clip,
    "numpy.select": _select,
    "numpy.triu": _triangle,
    "numpy.tril": _triangle,
    "srcgrad.runtime.indexing.getitem": _getitem,
    **dict.fromkeys([f"numpy.{name}" for name in ("sum", "mean", "prod", "max", "min")], _reduced),
    **dict.fromkeys([f"numpy.{name}" for name in ("amax", "amin", "std", "var")], _reduced),
    **dict.fromkeys(
        [f"numpy.nan{name}" for name in ("sum", "mean", "prod", "std", "var")], _numbers
    ),
    "numpy.nan_to_num": _finite,
    "numpy.take": _taken,
    "numpy.compress": _compressed,
    "numpy.extract": _compressed,
    "srcgrad.runtime.indexing.compress": _compressed,
    "numpy.choose": _chosen,
    **dict.fromkeys(["numpy.nanmax", "numpy.nanmin"], _reduced),
}
