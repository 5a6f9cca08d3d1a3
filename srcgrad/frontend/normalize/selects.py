"""Writes `np.select` as the `np.where` in `np.where` that it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.build import at, clone
from srcgrad.ir.operations import Operation


def nested_where(value: Any, operation: Operation) -> Any:
    """Return a call of `np.select` as nested calls of `np.where`, or None for any other expression.

    >>> from srcgrad.compiler.doctesting import program_of, text
    >>> print(text(program_of('''
    ... def f(x):
    ...     return np.select([x < 0, x < 1], [-x, x], 1.0)
    ... ''').body))
    test = x < 0
    neg_x = -x
    test_2 = x < 1
    where = np.where(test_2, x, 1.0)
    out = np.where(test, neg_x, where)
    return out
    """
    if operation.primal is not np.select or not isinstance(value.func, gast.Attribute):
        return None
    known = dict(zip(("condlist", "choicelist", "default"), operation.args, strict=False))
    known.update(operation.keywords)
    conditions, choices = known.get("condlist"), known.get("choicelist")
    lists = (gast.List, gast.Tuple)
    if not isinstance(conditions, lists) or not isinstance(choices, lists):
        return None
    if len(conditions.elts) != len(choices.elts) or not conditions.elts:
        return None
    result = known.get("default", gast.Constant(0, None))
    for condition, choice in zip(reversed(conditions.elts), reversed(choices.elts), strict=True):
        where = gast.Attribute(clone(value.func.value), "where", gast.Load())
        result = at(gast.Call(where, [condition, choice, result], []), value)
    return result
