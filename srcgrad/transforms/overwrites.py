"""Says whether a store may replace a value that carries a derivative.

Only then must the adjoint of that place be set to zero. Loops that fill a fresh array, each trip
its own element, never do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast

from srcgrad.analyses.activity import varied_names
from srcgrad.ir.changes import change_of
from srcgrad.ir.program import Program, is_store, store_target
from srcgrad.ir.walk import blocks_of, names_bound, statements


@dataclass(frozen=True, slots=True)
class _Place:
    """An index of the form ``variable + offset``; no variable for a constant."""

    variable: str | None
    offset: int


def overwrites_earlier(store: Any, program: Program) -> bool:
    """Say whether `store` may write where an earlier value with a derivative stands.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x):
    ...     y = np.zeros(4)
    ...     y[0] = x
    ...     for i in range(1, 4):
    ...         y[i] = y[i - 1] * x
    ...     y[2] = x
    ...     return np.sum(y)
    ... ''')
    >>> stores = [line for line in statements(program.body) if is_store(line)]
    >>> [overwrites_earlier(store, program) for store in stores]
    [False, True, True]
    """
    name = store_target(store).value.id
    if not _made_blank(name, program):
        return True
    loops = _loops_around(store, program.body)
    inside = [loop for loop in loops if not _binds(loop, name)]
    place = _place(store_target(store).slice)
    bounds = _lower_bounds(program)
    if place is None or not _distinct(place, inside, bounds, program):
        return True
    others = [s for s in statements(program.body) if is_store(s) and s is not store]
    for other in others:
        if names_bound(store_target(other).value) != [name]:
            continue
        theirs = _place(store_target(other).slice)
        if theirs is None or not _apart(place, theirs, bounds):
            return True
    return False


def _made_blank(name: str, program: Program) -> bool:
    """Say whether `name` is bound once, to an array or list of constants, and not reshaped."""
    if any(c.name == name for s in statements(program.body) if (c := change_of(s)) is not None):
        return False
    makers = [
        s
        for s in statements(program.body)
        if isinstance(s, gast.Assign) and name in [n for t in s.targets for n in names_bound(t)]
    ]
    if len(makers) != 1:
        return False
    return program.operation(makers[0]).kind == "constant" or _is_blank(makers[0].value)


def _is_blank(value: Any) -> bool:
    """Say whether an expression is ``[0.0, 1.0]``, ``[0.0] * n`` or ``{}``."""
    if isinstance(value, gast.BinOp) and isinstance(value.op, gast.Mult):
        value = value.left
    if isinstance(value, gast.Dict):
        return not value.keys
    return isinstance(value, gast.List) and all(isinstance(v, gast.Constant) for v in value.elts)


def _loops_around(wanted: Any, body: list[Any]) -> list[Any]:
    for statement in body:
        if statement is wanted:
            return []
        if isinstance(statement, (gast.For, gast.While)):
            if any(item is wanted for item in statements(statement.body)):
                return [statement, *_loops_around(wanted, statement.body)]
        else:
            for block in blocks_of(statement):
                if any(item is wanted for item in statements(block)):
                    return _loops_around(wanted, block)
    return []


def _binds(loop: Any, name: str) -> bool:
    return any(
        name in names_bound(target)
        for statement in statements(loop.body)
        if isinstance(statement, gast.Assign)
        for target in statement.targets
    )


def _place(index: Any) -> _Place | None:
    """Read ``i``, ``3``, ``i + 1`` or ``i - 1``."""
    if isinstance(index, gast.Constant) and type(index.value) is int and index.value >= 0:
        return _Place(None, index.value)
    if isinstance(index, gast.Name):
        return _Place(index.id, 0)
    if isinstance(index, gast.BinOp) and isinstance(index.left, gast.Name):
        offset = getattr(index.right, "value", None)
        if type(offset) is int and isinstance(index.op, (gast.Add, gast.Sub)):
            return _Place(index.left.id, offset if isinstance(index.op, gast.Add) else -offset)
    return None


def _distinct(place: _Place, loops: list[Any], bounds: dict[str, int], program: Program) -> bool:
    """Say whether every trip of the loops has its own place, counted from the start."""
    if not loops:
        return True
    if len(loops) > 1 or not isinstance(loops[0], gast.For):
        return False
    loop = loops[0]
    counts = isinstance(loop.iter, gast.Call) and (
        program.reader.scope.resolve(loop.iter.func) is range
    )
    over_keys = isinstance(loop.iter, gast.Name) and loop.iter.id in varied_names(program)
    if names_bound(loop.target) != [place.variable]:
        return False
    return over_keys or (counts and bounds.get(place.variable or "", -1) + place.offset >= 0)


def _lower_bounds(program: Program) -> dict[str, int]:
    """Return the least value of each counter of a `range` loop, where it is known."""
    bounds: dict[str, int] = {}
    for loop in statements(program.body):
        if not (isinstance(loop, gast.For) and isinstance(loop.iter, gast.Call)):
            continue
        if program.reader.scope.resolve(loop.iter.func) is not range:
            continue
        least = _least(loop.iter.args)
        if least is not None and isinstance(loop.target, gast.Name):
            bounds[loop.target.id] = least
    return bounds


def _least(args: list[Any]) -> int | None:
    """Return the least number of a `range` of such arguments."""
    start, stop, step = (_integer(item) for item in _completed(args))
    if step is None or not step:
        return None
    return start if step > 0 else (stop + 1 if stop is not None else None)


def _completed(args: list[Any]) -> list[Any]:
    """Return start, stop and step of a `range`."""
    given = [gast.Constant(0, None), *args] if len(args) == 1 else args
    return [*given, gast.Constant(1, None)][:3]


def _integer(node: Any) -> int | None:
    """Return the value of a literal integer."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        value = _integer(node.operand)
        return None if value is None else -value
    value = getattr(node, "value", None)
    return value if type(value) is int else None


def _apart(ours: _Place, theirs: _Place, bounds: dict[str, int]) -> bool:
    """Say whether two places surely differ; indices from the end count as unknown."""
    if ours.variable is None and theirs.variable is None:
        return ours.offset != theirs.offset
    if ours.variable is not None and theirs.variable is not None:
        return False
    moving, fixed = (ours, theirs) if ours.variable is not None else (theirs, ours)
    least = bounds.get(moving.variable or "")
    return least is not None and fixed.offset < least + moving.offset
