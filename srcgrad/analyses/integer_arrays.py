"""Finds arrays of integers, which cut off what is stored in them."""

from __future__ import annotations

from typing import Any, Final

import gast
import numpy as np

from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, direct_names
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import names_bound, statements, walk

_OF_ARGUMENTS: Final = frozenset(["numpy.arange", "numpy.array", "numpy.full", "numpy.asarray"])
_ALIKE: Final = frozenset(
    f"numpy.{name}"
    for name in (
        "zeros_like ones_like empty_like copy reshape ravel transpose asarray sort flip squeeze"
    ).split()
)


def integer_arrays(program: Program) -> frozenset[str]:
    """Return the names that are bound to arrays of integers or truths on some path.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x):
    ...     a = np.arange(4)
    ...     b = a[1:]
    ...     c = np.zeros(4, dtype=int)
    ...     d = np.zeros(4)
    ...     a[0] = b[0] = c[0] = d[0] = x[0]
    ...     return np.sum(a * c * d)
    ... ''')
    >>> sorted(integer_arrays(program))
    ['a', 'b', 'c']
    """
    found: set[str] = set()
    size = -1
    while size != (size := len(found)):
        for statement in statements(program.body):
            if isinstance(statement, gast.Assign) and _is_whole(statement, program, found):
                found.update(name for target in statement.targets for name in names_bound(target))
    return frozenset(found)


def _is_whole(statement: Any, program: Program, found: set[str]) -> bool:
    operation = program.operation(statement)
    if operation.kind == "copy" or operation.primal is program.reader.vocabulary.getitem:
        return bool(operation.args) and not found.isdisjoint(direct_names(operation.args[0]))
    value = statement.value
    if not isinstance(value, gast.Call):
        return False
    callee = program.reader.scope.resolve(value.func)
    if callee is MISSING:
        return False
    name = program.reader.vocabulary.canonical_name(callee)
    given = {item.arg: item.value for item in value.keywords}
    if "dtype" in given:
        return name.startswith("numpy.") and _is_integer(given["dtype"], program)
    if name in _ALIKE and value.args and not found.isdisjoint(direct_names(value.args[0])):
        return True
    return name in _OF_ARGUMENTS and _has_integers(
        name, Operation("constant", None, (*value.args,))
    )


def _is_integer(node: Any, program: Program) -> bool:
    kind = program.reader.scope.resolve(node)
    kind = node.value if isinstance(node, gast.Constant) else kind
    try:
        return kind is not MISSING and np.dtype(kind).kind in "iub"
    except TypeError:
        return False


def _has_integers(name: str, operation: Operation) -> bool:
    """Say whether an array is made of integers that stand in the call."""
    args = operation.args[1:2] if name == "numpy.full" else operation.args
    plain = (gast.Constant, gast.List, gast.Tuple, gast.UnaryOp, gast.USub, gast.Load)
    nodes = [node for arg in args for node in walk(arg)]
    numbers = [node.value for node in nodes if isinstance(node, gast.Constant)]
    literal = all(isinstance(node, plain) for node in nodes)
    return literal and bool(numbers) and all(isinstance(item, int) for item in numbers)
