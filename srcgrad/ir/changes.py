"""Knows the statements that change a list or dict in place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.walk import names_bound

_MAY_CHANGE: Final = frozenset({gast.Expr, gast.Assign})
_ARITIES: Final = {"append": (1,), "insert": (2,), "pop": (0, 1)}


@dataclass(slots=True)
class Change:
    """A call that puts an entry into a list, or takes one out of a list or dict.

    Attributes:
        name: The list or dict.
        method: ``append``, ``insert`` or ``pop``.
        index: The place or key, if it is given.
        value: The entry that is put in.
        target: The name that the entry taken out is bound to.
    """

    name: str
    method: str
    index: Any = None
    value: Any = None
    target: str | None = None


def change_of(statement: Any) -> Change | None:
    """Return what a statement of the program in normal form changes, or None.

    >>> from srcgrad.compiler.doctesting import parse
    >>> for line in parse("xs.append(v); y = xs.pop(0); x.sort(); a = b"):
    ...     change = change_of(line)
    ...     print(change and (change.name, change.method, change.target))
    ('xs', 'append', None)
    ('xs', 'pop', 'y')
    None
    None
    """
    if statement.__class__ not in _MAY_CHANGE:
        return None
    value = statement.value
    if value.__class__ is not gast.Call or not is_change(value):
        return None
    targets = names_bound(statement.targets[0]) if isinstance(statement, gast.Assign) else []
    name, method, args = value.func.value.id, value.func.attr, value.args
    if method == "pop":
        return Change(name, method, next(iter(args), None), None, next(iter(targets), None))
    index = args[0] if method == "insert" else None
    return Change(name, method, index, args[-1])


def is_change(node: Any) -> bool:
    """Say whether an expression is ``xs.append(v)``, ``xs.insert(i, v)`` or ``xs.pop(i)``."""
    if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Attribute):
        return False
    arity = _ARITIES.get(node.func.attr)
    if arity is None:
        return False  # as most
    return isinstance(node.func.value, gast.Name) and len(node.args) in arity and not node.keywords
