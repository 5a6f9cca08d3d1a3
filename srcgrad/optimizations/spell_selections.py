"""Writes what keeps an adjoint at some places by functions that are fast for many of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from srcgrad.ir.build import call
from srcgrad.ir.walk import found_in, names_read, statements


def spell_selections(body: list[Any], is_adjoint: Callable[[str], bool]) -> set[str]:
    """Replace ``np.where`` in place where it keeps an adjoint or leaves zeros; return by what.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... y = np.where(t, x, 0.0)
    ... grad_x = np.where(t, grad_y * k, 0.0) + np.where(t, 0.0, grad_z)
    ... ''')
    >>> sorted(spell_selections(body, lambda name: name.startswith("grad_")))
    ['kept_if', 'kept_unless']
    >>> print(text(body))
    y = np.where(t, x, 0.0)
    grad_x = kept_if(grad_y * k, t) + kept_unless(grad_z, t)
    """
    found: set[str] = set()
    for statement in statements(body):
        value = getattr(statement, "value", None)
        for node in found_in(value, gast.Call) if value is not None else ():
            spelled = _spelled(node, is_adjoint)
            if spelled is not None:
                found.add(spelled.func.id)
                node.func, node.args = spelled.func, spelled.args
    return found


def _spelled(node: Any, is_adjoint: Callable[[str], bool]) -> Any:
    """Return what is called instead of one call, or None."""
    func = node.func
    is_where = getattr(func, "attr", "") == "where" and getattr(func.value, "id", "") == "np"
    if not is_where or len(node.args) != len(("test", "a", "b")) or node.keywords:
        return None
    test, first, second = node.args
    for name, kept, other in (("kept_if", first, second), ("kept_unless", second, first)):
        is_zero = isinstance(other, gast.Constant) and other.value == 0
        if is_zero and any(map(is_adjoint, names_read(kept))):
            return call(name, kept, test)
    return None
