"""Finds the arrays that are surely of integers, by which entries are read."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.program import Program, direct_names
from srcgrad.ir.walk import found_in, names_bound, statements
from srcgrad.primitives.record import UNKNOWN


def index_arrays(program: Program) -> frozenset[str]:
    """Return the names that are bound to arrays of integers, never of truths, on every path.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x):
    ...     i = np.floor(x).astype(int)
    ...     j = i + 1
    ...     m = j[1:]
    ...     k = x > 0
    ...     return np.sum(x[i] * x[j] * x[k] * x[m])
    ... ''')
    >>> sorted(index_arrays(program))
    ['i', 'j', 'm']
    """
    makers = _makers(program)
    found = _whole_outside(program, makers) | _given_as(program, "integers", makers)
    size = -1
    while size != (size := len(found)):
        found |= {
            name
            for name, made in makers.items()
            if all(_is_whole(statement, program, found) for statement in made)
        }
    return frozenset(found)


def masks(program: Program) -> frozenset[str]:
    """Return the names that may be bound to truths, by what is compared on some path.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x):
    ...     i = np.argsort(x)
    ...     k = np.isnan(x)
    ...     m = ~k & (x > 0)
    ...     return np.sum(x[i] * x[m])
    ... ''')
    >>> sorted(masks(program))
    ['k', 'm']
    """
    makers = _makers(program)
    found = _given_as(program, "truths", ())
    size = -1
    while size != (size := len(found)):
        found |= {
            name
            for name, made in makers.items()
            if any(item is not None and is_mask(item.value, program, found) for item in made)
        }
    return frozenset(found)


def compared(program: Program) -> frozenset[str]:
    """Return the names that are bound once, to truths, by what is compared.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x):
    ...     k = x > 0
    ...     i = 1 * (x > 0)
    ...     return np.sum(x[k] * x[i])
    ... ''')
    >>> sorted(compared(program))
    ['k']
    """
    makers = _makers(program).items()
    return frozenset(
        name
        for name, made in makers
        if len(made) == 1 and isinstance(getattr(made[0], "value", None), gast.Compare)
    )


def may_lack_axes(program: Program) -> bool:
    """Say whether a program makes arrays of what may be a number: as arrays, or in its shape.

    So does one that reduces what may be a vector along an axis.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> [
    ...     may_lack_axes(program_of(f"def f(x): y = {made}; y[x > 0] = 1.0; return np.sum(y)"))
    ...     for made in ("np.asarray(x * 2.0)", "np.zeros(x.shape)", "np.sum(x, 0)", "np.sum(x)")
    ... ]
    [True, True, True, False]
    """
    nodes = [node for line in program.body for node in found_in(line, gast.Call, gast.Assign)]
    return any(_may_lack_axes(node, program) for node in nodes)


def _may_lack_axes(made: Any, program: Program) -> bool:
    if isinstance(made, gast.Assign):
        return isinstance(made.targets[0], gast.Name) and _is_shape(made.value)
    if any(map(_is_shape, made.args)):
        return True  # whatever makes it
    if not made.args:
        return False
    operation = program.reader.read(made)
    if operation.kind == "user" or (
        operation.kind == "unknown" and isinstance(made.func, gast.Name)
    ):
        return True  # a function of the user's, or its half, may do so
    primal = operation.primal
    known = program.reader.vocabulary.primitive(primal) if primal is not None else UNKNOWN
    if known.shape == "reduced" and known.gives == "number" and _has_axis(made, known.axis):
        return True
    converts = known.gives == "array" and known.shape == "ranked" and known.dtype is not None
    return converts and not isinstance(made.args[0], (gast.List, gast.Tuple, gast.ListComp))


def _is_shape(node: Any) -> bool:
    return isinstance(node, gast.Attribute) and node.attr == "shape"


def is_mask(value: Any, program: Program, found: Collection[str]) -> bool:
    """Say whether an expression gives truths, or is an index with some, given names of truths."""
    if isinstance(value, gast.Compare):
        return True
    if isinstance(value, gast.Tuple):
        return any(is_mask(item, program, found) for item in value.elts)
    if isinstance(value, gast.Name):
        return value.id in found
    if isinstance(value, (gast.UnaryOp, gast.BinOp)):
        sides = [value.operand] if isinstance(value, gast.UnaryOp) else [value.left, value.right]
        return any(is_mask(side, program, found) for side in sides)
    if not isinstance(value, gast.Call):
        return False
    operation = program.reader.read(value)
    if operation.kind not in ("primitive", "constant"):
        return False
    known = program.reader.vocabulary.primitive(operation.primal)
    alone = len(operation.args) == 1 and not operation.keywords
    converts = alone and known.gives == "array" and known.may_view  # ``np.asarray(x > 1)``
    return known.kind == "truth" or (converts and is_mask(operation.args[0], program, found))


def _has_axis(made: Any, place: int) -> bool:
    """Say whether a call of a reduction tells an axis, so that only the run tells its shape."""
    told = [item.value for item in made.keywords if item.arg == "axis"] or made.args[place:]
    return bool(told) and not (isinstance(told[0], gast.Constant) and told[0].value is None)


def _makers(program: Program) -> dict[str, list[Any]]:
    """Return the statements that bind each name; None for a loop."""
    makers: dict[str, list[Any]] = {}
    for statement in statements(program.body):
        if isinstance(statement, gast.Assign):
            for target in statement.targets:
                for name in names_bound(target):
                    makers.setdefault(name, []).append(statement)
        elif isinstance(statement, gast.For):
            for name in names_bound(statement.target):
                makers.setdefault(name, []).append(None)
    return makers


def _whole_outside(program: Program, bound: Collection[str]) -> set[str]:
    """Return the names of arrays of outside that hold integers, as they do at each call."""
    names = {item.id for part in program.body for item in found_in(part, gast.Name)}
    outside = names.difference(bound, program.parameters)
    data = {name: program.reader.scope.lookup(name) for name in outside}
    return {
        name
        for name, value in data.items()
        if type(value) is np.ndarray and value.dtype.kind in "iu"
    }


def given_masks(program: Program) -> set[str]:
    """Return the parameters that are arrays of truths, and bound to nothing else."""
    given = "truths" in program.places.values()
    return _given_as(program, "truths", _makers(program)) if given else set()


def _given_as(program: Program, kind: str, bound: Collection[str]) -> set[str]:
    """Return the parameters that are arrays of a kind, but for some names."""
    return {name for name, own in program.places.items() if own == kind and name not in bound}


def _is_whole(statement: Any, program: Program, found: set[str]) -> bool:
    if statement is None or not isinstance(statement.targets[0], gast.Name):
        return False
    operation = program.operation(statement)
    value = statement.value
    if operation.kind == "copy":
        return value.id in found
    if isinstance(value, gast.BinOp):
        return is_index_array(value, found)
    if isinstance(value, gast.Subscript) and isinstance(value.slice, gast.Slice):
        return getattr(value.value, "id", "") in found
    if operation.primal is None:
        return False
    known = program.reader.vocabulary.primitive(operation.primal)
    if known.name == "srcgrad.runtime.creating.astype":
        kind = operation.args[1] if len(operation.args) == 2 else None
        return getattr(kind, "id", "") == "int" and program.reader.scope.lookup("int") is int
    if known.kind != "int":
        return False
    return bool(known.axes) or (known.gives == "array" and len(operation.args) == 1)


def is_index_array(node: Any, found: Collection[str]) -> bool:
    """Say whether an expression is an array of integers, given the names of some: ``i + 1`` is."""
    if isinstance(node, gast.Name):
        return node.id in found
    if not isinstance(node, gast.BinOp) or not isinstance(node.op, (gast.Add, gast.Sub)):
        return False
    sides = (node.left, node.right)
    arrays = [name in found for side in sides for name in direct_names(side)]
    constants = [type(getattr(s, "value", 0)) is int for s in sides if _is_constant(s)]
    plain = all(_is_constant(side) or isinstance(side, gast.Name) for side in sides)
    return plain and bool(arrays) and all(arrays) and all(constants)


def copies_out(parts: list[Any], program: Program, rank: Callable[[Any], int | None]) -> bool:
    """Say whether NumPy copies what an index takes: a part is an array of places with axes."""
    places = program.once(index_arrays) | given_masks(program)
    return any(is_index_array(part, places) and bool(rank(part)) for part in parts)


def _is_constant(node: Any) -> bool:
    return isinstance(node, gast.Constant)
