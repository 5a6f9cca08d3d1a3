"""Finds operators such as `|` that may join dicts or sets whose entries carry derivatives."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.program import Program
from srcgrad.ir.walk import found_in, names_bound, names_read, statements

_JOINING = (gast.BitOr, gast.BitAnd, gast.BitXor)


def bit_joins(program: Program, varied: Collection[str], outputs: Sequence[str]) -> list[Any]:
    """Return what joins varied values by `|` and its like, and is then used as a container.

    Of numbers these operators have no derivative, and those that carry one have no bits. So
    what varies there is a dict or a set, if it is no mask that lies beside numbers in a container:
    a mask is neither looped over nor asked for entries, and seldom returned.

    >>> from srcgrad.compiler.doctesting import program_of, text
    >>> program = program_of('''
    ... def f(x, own, other, mask):
    ...     both = own | other
    ...     within = mask | other
    ...     y = both["a"] * within
    ...     return y * x
    ... ''')
    >>> print(text(bit_joins(program, {"x", "own", "other", "mask", "y", "out"}, ("out",))))
    both = own | other
    """
    joins = [item for item in _assignments(program) if _joins(item.value, varied)]
    if not joins:
        return []
    used = {*outputs, *_used_as_containers(program)}
    size = -1
    while size != (size := len(used)):
        for item in _assignments(program):
            is_copy = isinstance(item.value, gast.Name) or _joins(item.value, varied)
            if is_copy and not used.isdisjoint(_targets(item)):
                used.update(names_read(item.value))
    return [item for item in joins if not used.isdisjoint(_targets(item))]


def _assignments(program: Program) -> Iterator[Any]:
    return (item for item in statements(program.body) if isinstance(item, gast.Assign))


def _joins(value: Any, varied: Collection[str]) -> bool:
    is_join = isinstance(value, gast.BinOp) and isinstance(value.op, _JOINING)
    return is_join and any(
        side.id in varied for side in (value.left, value.right) if isinstance(side, gast.Name)
    )


def _targets(assignment: Any) -> set[str]:
    return {name for target in assignment.targets for name in names_bound(target)}


def _used_as_containers(program: Program) -> Iterator[str]:
    """Yield the names that are looped over, or of which entries are read."""
    for statement in program.body:
        for node in found_in(statement, gast.Subscript, gast.For, gast.Starred):
            whole = node.iter if isinstance(node, gast.For) else node.value
            if isinstance(whole, gast.Name):
                yield whole.id
