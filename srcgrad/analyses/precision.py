"""Finds updates in place of arrays that may not be what the sum or product by itself is."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from srcgrad.analyses.dimensions import Dimensions
from srcgrad.analyses.shapes import Shapes
from srcgrad.ir import gast
from srcgrad.ir.marks import GUARDED, IN_PLACE
from srcgrad.ir.program import Program, is_store, store_target
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import found_in, names_bound, names_read, statements


def mark_guarded(
    program: Program, shapes: Shapes, varied: frozenset[str], dimensions: Dimensions | None = None
) -> None:
    """Mark each ``x = x + v`` that stems from ``x += v`` and may differ from it.

    An update keeps the shape and the type of an array, and NumPy refuses what does not fit. They
    agree for numbers, and for arrays of floats by numbers or by what is made of the same arrays.
    Arrays without axes that are written as a whole (``x[...] = v``) must not become numbers.

    >>> from srcgrad.analyses.integers import Integers
    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x, y):
    ...     x *= np.sin(x)
    ...     x *= y
    ...     return x
    ... ''')
    >>> mark_guarded(program, Shapes(program, Integers(program)), frozenset(["x", "x_2"]))
    >>> [line.guarded for line in program.body[1:3]]
    [False, True]
    """
    updates = [item for item in statements(program.body) if _is_update(item)]
    if not updates:
        return
    sources = _Sources(program, shapes)
    wholes = _written_as_wholes(program)
    for statement in updates:
        value, new = statement.value, statement.targets[0]
        old = value.left
        fits = shapes.is_number(value.right) or (
            _keeps_shape(statement, shapes, dimensions)
            and sources.of(value.right) <= sources.of(old)
        )
        floats = not varied.isdisjoint(names_read(old))
        guarded = not shapes.is_number(old) and not (floats and fits)
        axes = dimensions.rank(new) if dimensions is not None else None
        may_be_number = not axes and program.namer.base(new.id) in wholes
        GUARDED.put(statement, guarded or may_be_number)


def _keeps_shape(statement: Any, shapes: Shapes, dimensions: Dimensions | None) -> bool:
    """Say whether ``x = x + v`` has the shape of `x`, as it surely has where ``x += v`` does."""
    old, right = statement.value.left, statement.value.right
    if dimensions is None or not dimensions.of(old):
        return shapes.same(old, statement.targets[0])
    return shapes.same(old, right) or _takes(dimensions, old, right)


def _is_update(statement: Any) -> bool:
    """Say whether a statement ``x = x + v`` stems from ``x += v``."""
    value = getattr(statement, "value", None)
    return bool(IN_PLACE.of(statement)) and isinstance(value, gast.BinOp)


def _written_as_wholes(program: Program) -> set[str]:
    """Return the variables that are written by ``x[...] = v``, which arrays without axes take."""
    targets = [store_target(item) for item in statements(program.body) if is_store(item)]
    names = (
        target.value.id
        for target in targets
        if isinstance(target.value, gast.Name) and _is_whole(target.slice)
    )
    return {program.namer.base(name) for name in names}


def _is_whole(index: Any) -> bool:
    if isinstance(index, gast.Tuple):
        return all(map(_is_whole, index.elts))
    return isinstance(index, gast.Constant) and index.value is Ellipsis


class _Sources:
    """Says from which arrays the types of a program's values come."""

    def __init__(self, program: Program, shapes: Shapes) -> None:
        self._scope = program.reader.scope
        self._shapes = shapes
        self._methods = program.reader.vocabulary.methods
        self._found: dict[str, set[str]] = defaultdict(set)
        for name in program.parameters:
            self._found[name] = set() if shapes.is_number(_load(name)) else {name}
        self._local = {n for s in statements(program.body) for n in _bound(s)}
        size = -1
        while size != (size := sum(map(len, self._found.values()))):
            for statement in statements(program.body):
                for name in _bound(statement):
                    self._found[name] |= self._of_bound(statement, name)

    def of(self, node: Any) -> set[str]:
        """Return the names of the arrays that an expression is made of, and marks of all else."""
        if self._shapes.is_number(node):
            return set()
        found: set[str] = set()
        for item in found_in(node, gast.Name, gast.Call):
            if isinstance(item, gast.Name):
                inside = item.id in self._found or item.id in self._local
                found |= self._found[item.id] if inside else self._of_outside(item)
            else:
                found |= self._of_call(item)
        return found

    def _of_outside(self, name: Any) -> set[str]:
        value = self._scope.resolve(name)
        return {name.id} if value is MISSING or hasattr(type(value), "dtype") else set()

    def _of_bound(self, statement: Any, name: str) -> set[str]:
        if self._shapes.is_number(_load(name)):
            return set()
        value = statement.iter if isinstance(statement, gast.For) else statement.value
        return self.of(value) or {"new"}

    def _of_call(self, call: Any) -> set[str]:
        """Return a mark of its own for a call whose result has a type by itself."""
        callee = self._scope.resolve(call.func)
        known = getattr(callee, "__module__", "") == "numpy" or isinstance(callee, np.ufunc)
        if callee is MISSING and isinstance(call.func, gast.Attribute):
            known = call.func.attr in self._methods and call.func.attr not in ("astype", "view")
        says_type = any(item.arg == "dtype" for item in call.keywords) or any(
            map(self._is_type, call.args)
        )
        return set() if known and not says_type else {f"call {id(call)}"}

    def _is_type(self, node: Any) -> bool:
        if isinstance(node, gast.Constant):
            return isinstance(node.value, str)
        return isinstance(self._scope.resolve(node), (type, np.dtype))


def _load(name: str) -> Any:
    return gast.Name(name, gast.Load(), None, None)


def _bound(statement: Any) -> list[str]:
    targets = statement.targets if isinstance(statement, gast.Assign) else []
    if isinstance(statement, gast.For):
        targets = [statement.target]
    return [name for target in targets for name in names_bound(target)]


def _takes(dimensions: Dimensions, old: Any, other: Any) -> bool:
    """Say whether one operand is surely broadcast to the axes of another."""
    ours, theirs = map(dimensions.of, (old, other))
    pairs = zip(reversed(ours or ()), reversed(theirs or ()), strict=False)
    known = ours is not None and theirs is not None and len(theirs) <= len(ours)
    return known and all(b == 1 or (b is not None and a == b) for a, b in pairs)
