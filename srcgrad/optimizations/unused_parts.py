"""Calls what is bound and never read `_`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import at
from srcgrad.ir.program import binds_name
from srcgrad.ir.walk import blocks_of, names_bound, names_read, nodes_in, statements, walk


def name_unused_parts(
    body: list[Any],
    is_temporary: Callable[[str], bool],
    is_adjoint: Callable[[str], bool] = lambda _: False,
) -> None:
    """Write ``_, grad_b = both`` where nothing reads `grad_a` of ``grad_a, grad_b = both``.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse("a, b = f(x); return b")
    >>> name_unused_parts(body, lambda name: True)
    >>> print(text(body))
    _, b = f(x)
    return b

    What is computed only because it may raise an error, or takes an entry out of a list, is kept:

    >>> body = parse("top = xs.pop(); rest = 6 // n; return xs")
    >>> name_unused_parts(body, lambda name: True)
    >>> print(text(body))
    xs.pop()
    _ = 6 // n
    return xs
    >>> body = parse("grad_a = v[1:]; grad_a += 1.0; return v")
    >>> name_unused_parts(body, lambda name: True)
    >>> print(text(body[:1]))
    grad_a = v[1:]

    Where `y` has an entry, its adjoint has one:

    >>> body = parse("y_0 = y[0]; grad_y_0 = grad_y[0]; y_0[1] = 0.0; return y")
    >>> name_unused_parts(body, lambda name: True, lambda name: name.startswith("grad_"))
    >>> print(text(body))
    y_0 = y[0]
    y_0[1] = 0.0
    return y
    """
    read: set[str] = set()
    bound: list[str] = []
    for statement in statements(body):
        if binds_name(statement):  # as most do
            read.update(names_read(statement.value))
            bound.append(statement.targets[0].id)
            continue
        for part in _read_parts(statement):
            read.update(names_read(part))
        if isinstance(statement, gast.AugAssign):
            read.update(names_bound(statement.target))
        for target in getattr(statement, "targets", []):
            bound.extend(names_bound(target))
    if "_" in read:
        return
    _leave_out_names(body, read, is_adjoint)
    for statement in statements(body):
        target = statement.targets[0] if isinstance(statement, gast.Assign) else None
        if isinstance(target, (gast.Tuple, gast.List)):
            for node in walk(target):
                unused = isinstance(node, gast.Name) and node.id not in read
                if unused and bound.count(node.id) == 1 and is_temporary(node.id):
                    node.id = "_"


def _leave_out_names(block: list[Any], read: set[str], is_adjoint: Callable[[str], bool]) -> None:
    """Let values that nothing reads be bound to `_`, or to nothing if they are calls.

    Whether a `try` has failed is not told, if nothing asks:

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... failed = False
    ... try:
    ...     y.name = "depth"
    ... except AttributeError:
    ...     failed = True
    ... return y
    ... ''')
    >>> _leave_out_names(body, {"y"}, lambda name: False)
    >>> print(text(body))
    try:
        y.name = "depth"
    except AttributeError:
        pass
    return y
    """
    for place, statement in reversed([*enumerate(block)]):
        for part in blocks_of(statement):
            _leave_out_names(part, read, is_adjoint)
        target = statement.targets[0] if isinstance(statement, gast.Assign) else None
        if not isinstance(target, gast.Name) or target.id in read or len(statement.targets) > 1:
            continue
        if isinstance(statement.value, gast.Call):
            block[place] = at(gast.Expr(statement.value), statement)
        elif isinstance(statement.value, gast.Constant):
            block[place : place + 1] = [] if len(block) > 1 else [at(gast.Pass(), statement)]
        elif is_adjoint(_entry_of(statement.value)) and len(block) > 1:
            del block[place]
        else:
            target.id = "_"


def _entry_of(value: Any) -> str:
    """Return the name of what an expression reads an entry of, at a place that is no call's."""
    base = value.value if isinstance(value, gast.Subscript) else None
    plain = base is not None and not any(isinstance(n, gast.Call) for n in walk(value.slice))
    return getattr(base, "id", "") if plain else ""


def _read_parts(statement: Any) -> list[Any]:
    """Return the expressions of a statement itself, without those of inner blocks."""
    return [node for node in nodes_in(statement) if not isinstance(node, gast.stmt)]
