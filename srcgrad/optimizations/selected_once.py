"""Writes two selections by one test as one: a sum of two, and one within another."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.analyses.text_calls import called
from srcgrad.ir import gast
from srcgrad.ir.walk import is_same
from srcgrad.optimizations.literals import number_of

_ARGUMENTS: Final = 3  # the test, and what is taken where it holds and where it does not


def selected_once(first: Any, second: Any) -> Any:
    """Return a sum of two selections by one test, each of zeros but where the other has them.

    >>> texts = ["np.where(t, 0.0, a); np.where(t, b, 0.0)", "np.where(t, a, 0); np.where(u, 0, b)"]
    >>> found = [selected_once(*(line.value for line in gast.parse(t).body)) for t in texts]
    >>> [item and gast.unparse(item) for item in found]
    ['np.where(t, b, a)', None]
    """
    both = (first, second)
    if not all(map(_is_selection, both)):
        return None
    zeros = [[number_of(part) == 0 for part in item.args[1:]] for item in both]
    if zeros not in ([[True, False], [False, True]], [[False, True], [True, False]]):
        return None
    if not is_same(first.args[0], second.args[0]):
        return None
    ours = 1 if zeros[0][1] else 2
    first.args[3 - ours] = second.args[3 - ours]
    return first


def selected_inside(node: Any) -> Any:
    """Return a selection without those of its parts that are by its own test.

    >>> text = "np.where(t, np.where(t, a, 0.0), np.where(u, b, 0.0))"
    >>> gast.unparse(selected_inside(gast.parse(text, mode="eval").body))
    'np.where(t, a, np.where(u, b, 0.0))'
    """
    for place in (1, 2) if _is_selection(node) else ():
        part = node.args[place]
        if _is_selection(part) and is_same(part.args[0], node.args[0]):
            node.args[place] = part.args[place]
    return node


def _is_selection(node: Any) -> bool:
    plain = isinstance(node, gast.Call) and called(node).name == "numpy.where"
    return plain and len(node.args) == _ARGUMENTS and not node.keywords
