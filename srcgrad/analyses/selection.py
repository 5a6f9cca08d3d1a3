"""Says of which values only some elements are used: the operands of `np.where` and its like.

What a selection leaves out contributes nothing to the result, whatever its derivative is:
``np.where(x > 0, np.sqrt(x), 0)`` has the gradient 0 at 0, although the square root has none there.
So the steps between a selection and what it was made of form a region: within it adjoints are
left as they are where nothing was selected, and where it ends they are masked.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Any, Final

import gast
import numpy as np

from srcgrad.analyses.activity import Activity
from srcgrad.analyses.shapes import Shapes
from srcgrad.ir.build import call, clone, load
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, direct_names, operand_names
from srcgrad.ir.walk import blocks_of, names_bound
from srcgrad.rules import steepness
from srcgrad.runtime import getitem

PLAIN, CURVED, STEEP, STEEP_ITSELF = range(4)
"""How bad the derivative of a step can be: constant; any number; infinite at finite values.

A value is as bad as the worst step that it is made by; the last kind asks for its last step alone.
"""

EVERYWHERE: Final = None


@dataclass(frozen=True, slots=True)
class Mask:
    """The elements that are used: where a condition holds, or where it does not.

    Attributes:
        condition: An expression on names that are bound once.
        holds: Whether the elements are used where the condition holds.
        least: The kind of value from which on it matters.
    """

    condition: Any
    holds: bool = True
    least: int = CURVED

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mask) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def key(self) -> tuple[str, bool]:
        """What makes two masks the same."""
        return gast.dump(self.condition), self.holds

    def of(self, value: Any) -> Any:
        """Return the expression that is `value` where elements are used, and 0 elsewhere."""
        zero = gast.Constant(0, None)
        sides = (value, zero) if self.holds else (zero, value)
        return call("np.where", clone(self.condition), *sides)

    def truth(self) -> Any:
        """Return the mask as an expression of truth values."""
        condition = clone(self.condition)
        return condition if self.holds else call("np.logical_not", condition)


class Selection:
    """The masks of the values that are used in part, and of the operands of each step.

    Attributes:
        masks: The regions: names whose adjoint is meaningless outside of their mask.

    >>> from srcgrad.analyses.activity import activity
    >>> from srcgrad.analyses.integers import Integers
    >>> from srcgrad.compiler.doctesting import program_of, text
    >>> program = program_of('''
    ... def f(x, y):
    ...     return np.where(x > 0, np.sqrt(x), y + 1)
    ... ''', "x", "y")
    >>> print(text(program.body))
    test = x > 0
    sqrt_x = np.sqrt(x)
    y_plus_1 = y + 1
    out = np.where(test, sqrt_x, y_plus_1)
    return out
    >>> shapes = Shapes(program, Integers(program))
    >>> found = Selection(program, activity(program, program.outputs), shapes, frozenset())
    >>> {name: text([gast.Expr(mask.of(load("g")))]) for name, mask in found.masks.items()}
    {'sqrt_x': 'np.where(test, g, 0)'}
    """

    def __init__(
        self, program: Program, activity: Activity, shapes: Shapes, mutated: Set[str]
    ) -> None:
        self._program = program
        self._active = activity.active
        self._shapes = shapes
        self._mutated = mutated
        self.masks: dict[str, Mask] = {}
        self._operands: dict[tuple[int, str], Mask | None] = {}
        self._levels: dict[str, int] = {}
        self._steep: set[str] = set()
        self._homes: dict[str, list[int]] = {}
        self._uses: dict[str, Mask | None] = {}
        self._misplaced: set[str] = set(program.outputs) | set(program.parameters)
        self._find_homes(program.body)
        if any(_selects(program.operation(s), program) for s in self._steps(program.body)):
            self._block(program.body)

    def of_operand(self, statement: Any, name: str) -> Mask | None:
        """Return the elements of an operand that a step uses towards the result."""
        return self._operands.get((id(statement), name))

    # -- where names are bound, and how steep what they are made of is

    def _steps(self, block: list[Any]) -> list[Any]:
        found: list[Any] = []
        for statement in block:
            if isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name):
                found.append(statement)
            for part in blocks_of(statement):
                found.extend(self._steps(part))
        return found

    def _find_homes(self, block: list[Any]) -> None:
        """Note the block that binds each name, and which names are read before or outside it."""
        for statement in block:
            if isinstance(statement, gast.Assign):
                operands = operand_names(
                    self._program.operation(statement), self._program.reader.vocabulary.getitem
                )
                for name in operands:
                    if self._homes.get(name) != [id(block)]:
                        self._misplaced.add(name)
                for target in statement.targets:
                    for name in names_bound(target):
                        self._homes.setdefault(name, []).append(id(block))
                self._note_level(statement)
            for part in blocks_of(statement):
                self._find_homes(part)

    def _note_level(self, statement: Any) -> None:
        operation = self._program.operation(statement)
        target = statement.targets[0]
        if not isinstance(target, gast.Name) or not self._each_element(operation):
            return
        below = [self._levels.get(name, PLAIN) for arg in operation.args for name in _names(arg)]
        own = self._level(operation)
        self._levels[target.id] = max([own, *below])
        if own == STEEP:
            self._steep.add(target.id)

    def _level(self, operation: Operation) -> int:
        primal, args = operation.primal, operation.args
        if primal in steepness.LINEAR:
            return PLAIN
        if primal is np.multiply and any(isinstance(arg, gast.Constant) for arg in args):
            return PLAIN
        if primal is np.divide and isinstance(args[1], gast.Constant):
            return PLAIN
        if primal is np.power and _number(args[1]) >= 1:
            return CURVED
        return STEEP if primal in steepness.STEEP else CURVED

    def _each_element(self, operation: Operation) -> bool:
        if operation.kind != "primitive" or operation.keywords:
            return False
        return steepness.acts_on_each_element(operation.primal)

    # -- uses, last step first

    def _block(self, block: list[Any]) -> None:
        for statement in reversed(block):
            for part in reversed(list(blocks_of(statement))):
                self._block(part)
            if isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name):
                self._step(statement, statement.targets[0].id)
            elif not isinstance(statement, gast.Return):
                self._use_all(statement)

    def _use_all(self, statement: Any) -> None:
        """Take what any other statement reads as used everywhere."""
        for node in gast.walk(statement) if not list(blocks_of(statement)) else ():
            if isinstance(node, gast.Name):
                self._uses[node.id] = EVERYWHERE

    def _step(self, statement: Any, target: str) -> None:
        if target not in self._active:
            return
        operation = self._program.operation(statement)
        whole = self._settle(target) if self._each_element(operation) else EVERYWHERE
        chosen = self._chosen(operation)
        names = operand_names(operation, self._program.reader.vocabulary.getitem)
        for name in dict.fromkeys(name for name in names if name in self._active):
            use = _both(whole, chosen.get(name, EVERYWHERE))
            if operation.primal not in _PICK:
                use = self._spread_back(use, name, target)
            self._operands[id(statement), name] = use
            known = name in self._uses
            self._uses[name] = _either(self._uses[name], use) if known else use

    def _settle(self, target: str) -> Mask | None:
        """Decide whether a value belongs to a region, now that all its uses are known."""
        mask = self._uses.get(target, EVERYWHERE)
        once = len(self._homes.get(target, ())) == 1 and target not in self._misplaced
        if mask is EVERYWHERE or not once or target in self._mutated:
            return EVERYWHERE
        level = STEEP_ITSELF if target in self._steep else self._levels.get(target, PLAIN)
        if level < mask.least:
            return EVERYWHERE
        self.masks[target] = mask
        return mask

    def _chosen(self, operation: Operation) -> dict[str, Mask | None]:
        """Return the elements of each operand that a selecting step uses."""
        reader = self._program.reader
        name = reader.vocabulary.canonical_name(operation.primal) if operation.primal else ""
        maker = _SELECTORS.get(name)
        if maker is None or operation.kind != "primitive":
            return {}
        found: dict[str, Mask | None] = {}
        index = operation.args[1:2]
        if operation.primal is reader.vocabulary.getitem and not self._picks(index[0]):
            return {}
        for operand, mask in maker(operation):
            both = _either(found[operand], mask) if operand in found else mask
            found[operand] = both if both is None or self._is_stable(both) else EVERYWHERE
        return found

    def _picks(self, index: Any) -> bool:
        """Say whether an index consists of arrays, which pick elements here and there."""
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        return all(isinstance(p, gast.Name) and not self._shapes.is_number(p) for p in parts)

    def _is_stable(self, mask: Mask) -> bool:
        """Say whether the backward pass finds a condition as it was."""
        names = [node.id for node in gast.walk(mask.condition) if isinstance(node, gast.Name)]
        parameters = self._program.parameters
        for name in names:
            bound = len(self._homes.get(name, ()))
            if name in self._mutated or bound > 1 or (bound and name in parameters):
                return False
        return True

    def _spread_back(self, mask: Mask | None, name: str, target: str) -> Mask | None:
        """Return the mask of an operand that was broadcast to the shape of a masked result."""
        if mask is EVERYWHERE or self._shapes.same(load(name), load(target)):
            return mask
        if self._shapes.same(mask.condition, load(name)):
            return mask
        if self._shapes.is_number(load(name)):
            return Mask(call("np.any", mask.truth()), True, mask.least)
        return Mask(call("any_selected", mask.truth(), load(name)), True, mask.least)


_PICK: Final = (getitem, np.triu, np.tril)


def _names(arg: Any) -> list[str]:
    return direct_names(arg)


def _number(node: Any) -> float:
    value = node.value if isinstance(node, gast.Constant) else None
    return float(value) if isinstance(value, (int, float)) else 0.0


def _both(first: Mask | None, second: Mask | None) -> Mask | None:
    """Return the elements that are in both masks."""
    if first is EVERYWHERE or second is EVERYWHERE or first == second:
        return second if first is EVERYWHERE else first
    condition = call("np.logical_and", first.truth(), second.truth())
    return Mask(condition, True, min(first.least, second.least))


def _either(first: Mask | None, second: Mask | None) -> Mask | None:
    """Return the elements that are in one of the masks."""
    if first is EVERYWHERE or second is EVERYWHERE or first == second:
        return first if first == second else EVERYWHERE
    if gast.dump(first.condition) == gast.dump(second.condition):
        return EVERYWHERE
    condition = call("np.logical_or", first.truth(), second.truth())
    return Mask(condition, True, min(first.least, second.least))


# --- what selects ---------------------------------------------------------------------------------


def _selects(operation: Operation, program: Program) -> bool:
    if operation.primal is None or operation.kind != "primitive":
        return False
    return program.reader.vocabulary.canonical_name(operation.primal) in _SELECTORS


def _where(operation: Operation) -> list[tuple[str, Mask | None]]:
    if len(operation.args) != 3 or not isinstance(operation.args[0], gast.Name):
        return []
    condition, first, second = operation.args
    kept = [(name, Mask(condition, True)) for name in _names(first)]
    return [*kept, *((name, Mask(condition, False)) for name in _names(second))]


def _extreme(operation: Operation, sign: type[gast.cmpop]) -> list[tuple[str, Mask | None]]:
    if len(operation.args) != 2 or not all(_is_atom(arg) for arg in operation.args):
        return []
    first, second = operation.args
    pairs = ((first, second), (second, first))
    return [
        (name, Mask(gast.Compare(ours, [sign()], [theirs]), True, STEEP))
        for ours, theirs in pairs
        for name in _names(ours)
    ]


def _clip(operation: Operation) -> list[tuple[str, Mask | None]]:
    if operation.keywords or len(operation.args) != 3:
        return []
    if not all(_is_atom(arg) for arg in operation.args):
        return []
    value, low, high = operation.args
    condition = call("within", value, low, high)
    return [(name, Mask(condition, True, STEEP)) for name in _names(value)]


def _select(operation: Operation) -> list[tuple[str, Mask | None]]:
    displays = [arg for arg in operation.args[:2] if isinstance(arg, (gast.List, gast.Tuple))]
    if len(displays) != 2 or len(displays[0].elts) != len(displays[1].elts):
        return []
    found: list[tuple[str, Mask | None]] = []
    before: Mask | None = EVERYWHERE
    for condition, choice in zip(displays[0].elts, displays[1].elts, strict=True):
        if not isinstance(condition, gast.Name):
            return []
        mask = _both(before, Mask(condition))
        found.extend((name, mask) for name in _names(choice))
        before = _both(before, Mask(condition, holds=False))
    default = [*operation.args[2:3], *operation.keywords.values()]
    return [*found, *((name, before) for arg in default for name in _names(arg))]


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


def _triangle(operation: Operation) -> list[tuple[str, Mask | None]]:
    base, *rest = [*operation.args, *operation.keywords.values()]
    side = operation.primal.__name__
    ones = call("np.ones_like", base, dtype=load("bool"))
    mask = Mask(call(f"np.{side}", ones, *rest), True, STEEP_ITSELF)
    return [(name, mask) for name in direct_names(base)]


def _is_atom(node: Any) -> bool:
    return isinstance(node, (gast.Name, gast.Constant)) or (
        isinstance(node, gast.UnaryOp) and isinstance(node.operand, gast.Constant)
    )


_SELECTORS: Final = {
    "numpy.where": _where,
    "numpy.maximum": lambda operation: _extreme(operation, gast.GtE),
    "numpy.minimum": lambda operation: _extreme(operation, gast.LtE),
    "numpy.fmax": lambda operation: _extreme(operation, gast.GtE),
    "numpy.fmin": lambda operation: _extreme(operation, gast.LtE),
    "numpy.clip": _clip,
    "numpy.select": _select,
    "numpy.triu": _triangle,
    "numpy.tril": _triangle,
    "srcgrad.runtime.indexing.getitem": _getitem,
    **dict.fromkeys([f"numpy.{name}" for name in ("sum", "mean", "prod", "max", "min")], _reduced),
    **dict.fromkeys([f"numpy.{name}" for name in ("amax", "amin", "std", "var")], _reduced),
}
