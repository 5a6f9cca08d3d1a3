"""Writes what keeps an adjoint at some places by functions that are fast for many of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import call
from srcgrad.ir.program import bound_by, header_reads
from srcgrad.ir.walk import found_in, statements


def spell_selections(calls: Iterable[Any]) -> set[str]:
    """Replace ``np.where`` in place where it keeps an adjoint or leaves zeros; return by what.

    `calls` are those for adjoints.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... y = np.where(t, x, 0.0)
    ... grad_x = np.where(t, 2.0 * k, 0.0) + np.where(t, 0.0, grad_z)
    ... ''')
    >>> calls = calls_for_adjoints(body, lambda name: name.startswith("grad_"))
    >>> sorted(spell_selections(calls))
    ['kept_if', 'kept_unless']
    >>> print(text(body))
    y = np.where(t, x, 0.0)
    grad_x = kept_if(2.0 * k, t) + kept_unless(grad_z, t)
    """
    found: set[str] = set()
    for node in calls:
        spelled = _spelled(node)
        if spelled is not None:
            found.add(spelled.func.id)
            node.func, node.args = spelled.func, spelled.args
    return found


def calls_for_adjoints(body: list[Any], is_adjoint: Callable[[str], bool]) -> Iterator[Any]:
    """Yield the calls in statements that bind or read adjoints, which are none of the user's."""
    for statement in statements(body):
        value = getattr(statement, "value", None)
        calls = [] if value is None else found_in(value, gast.Call)
        if calls and any(map(is_adjoint, [*bound_by(statement), *header_reads(statement)])):
            yield from calls


def _spelled(node: Any) -> Any:
    """Return what is called instead of one call, or None."""
    func = node.func
    is_where = getattr(func, "attr", "") == "where" and getattr(func.value, "id", "") == "np"
    if not is_where or len(node.args) != len(("test", "a", "b")) or node.keywords:
        return None
    test, first, second = node.args
    for name, kept, other in (("kept_if", first, second), ("kept_unless", second, first)):
        value = getattr(other, "value", None)  # of integers, a selection may be an index
        is_zero = isinstance(other, gast.Constant) and type(value) is float and value == 0.0
        if is_zero and not isinstance(kept, gast.Constant):
            return call(name, kept, test)
    return None
