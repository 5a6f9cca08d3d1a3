"""Leaves out what sets adjoints to zero that nothing reads any more."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from srcgrad.analyses.touched_elements import TouchedElements
from srcgrad.ir import gast
from srcgrad.ir.nodes import Blank, Comment
from srcgrad.ir.program import bound_by, header_reads, targets_of
from srcgrad.ir.walk import blocks_of, root_name, statements
from srcgrad.optimizations.movement import Movement
from srcgrad.optimizations.purity import Purity


def drop_last_clears(body: list[Any], purity: Purity, given: Collection[str]) -> list[Any]:
    """Return `body` without ``grad_y[i] = 0.0`` after the last read of what lies in that memory.

    Adjoints that are `given` to the function are memory of its caller's, which may read them.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> purity = Purity(program_of("def f(x): return x").reader, frozenset(["zeros_like"]))
    >>> body = parse('''
    ... grad_y = zeros_like(y)
    ... grad_z = grad_y[1:]
    ... grad_y[0] = 0.0
    ... grad_x = grad_z * k
    ... grad_y[1:] = 0.0
    ... return grad_x
    ... ''')
    >>> print(text(drop_last_clears(body, purity, ())))
    grad_y = zeros_like(y)
    grad_z = grad_y[1:]
    grad_y[0] = 0.0
    grad_x = grad_z * k
    return grad_x
    """
    if not any(purity.is_adjoint(_cleared(item)) for item in body):
        return body
    made = {name for item in statements(body) for name in bound_by(item)} - set(given)
    movement = Movement(body, purity)
    gone: set[int] = set()
    read: set[str] = set()
    for statement in reversed(body):
        name = _cleared(statement)
        ours = name in made and purity.is_adjoint(name)
        if ours and not movement.shares([name], read | set(given)):
            gone.add(id(statement))
        elif not isinstance(statement, (Comment, Blank)):
            read.update(n for item in statements([statement]) for n in header_reads(item))
    return [item for item in body if id(item) not in gone]


def drop_idle_clears(
    body: list[Any],
    is_array: Callable[[str], bool],
    look: Callable[[list[Any]], TouchedElements],
) -> list[Any]:
    """Return `body` without ``grad_y[i] = 0.0`` where nothing touches those elements any more.

    `is_array` says which names are surely those of arrays' adjoints, and `look` what touches them.

    >>> from srcgrad.analyses.sharing import Sharing
    >>> from srcgrad.compiler.doctesting import parse, text
    >>> def look(body):
    ...     sharing = Sharing(body, lambda node: True, is_array=lambda name: True)
    ...     return TouchedElements(body, (), lambda name: False, sharing)
    >>> body = parse('''
    ... grad_y = 2.0 * y
    ... for i in reversed(range(1, 9)):
    ...     grad_x[i] = grad_y[i]
    ...     grad_y[i] = 0.0
    ...     grad_y[i - 1] += x[i]
    ...     grad_y[i - 1] = 0.0
    ... ''')
    >>> print(text(drop_idle_clears(body, lambda name: True, look)))
    grad_y = 2.0 * y
    for i in reversed(range(1, 9)):
        grad_x[i] = grad_y[i]
        grad_y[i - 1] += x[i]
        grad_y[i - 1] = 0.0
    """
    clears = [item for item in statements(body) if is_array(_cleared(item))]
    if clears:
        touched = look(body)
        gone: set[int] = set()
        for item in reversed(clears):  # what is left out is no touch any more
            if touched.is_last(item, gone):
                gone.add(id(item))
        _leave_out(body, gone)
    return body


def _leave_out(block: list[Any], gone: set[int]) -> None:
    for statement in block:
        for part in blocks_of(statement):
            _leave_out(part, gone)
    block[:] = [item for item in block if id(item) not in gone]


def _cleared(statement: Any) -> str:
    """Return the name that a statement sets to zero in part, or an empty string."""
    if not isinstance(statement, gast.Assign) or getattr(statement.value, "value", None) != 0.0:
        return ""
    target = targets_of(statement)[0]
    entry = isinstance(target, gast.Subscript) and isinstance(target.value, gast.Name)
    name = root_name(target) or ""
    return name if entry else ""
