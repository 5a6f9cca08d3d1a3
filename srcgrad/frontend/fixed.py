"""Says what nothing can be written into."""

from __future__ import annotations

import re
from collections.abc import Collection
from types import FunctionType
from typing import Any, Final

import numpy as np

from srcgrad.frontend.remembered import tree_to_read
from srcgrad.ir import gast
from srcgrad.ir.walk import found_in

_FIXED: Final = (int, float, complex, str, bytes, range, np.generic, np.dtype, slice, re.Pattern)


def never_changes(value: Any) -> bool:
    """Say whether nothing can be written into a value: a number, a text, or a tuple of such."""
    if isinstance(value, (tuple, frozenset)):
        return type(value) in (tuple, frozenset) and all(map(never_changes, value))
    return value is None or value is Ellipsis or isinstance(value, _FIXED)


def may_hand_out_defaults(function: FunctionType, origins: Collection[str]) -> bool:
    """Say whether what a function returns may lie in its defaults, where it may have kept it.

    It may return memory of the parameters that are its `origins`.

    >>> def cached(x, known={}):
    ...     known[x] = x * 2.0
    ...     return known[x]
    >>> def called(f, x, options={}):
    ...     return f(x, **options)
    >>> may_hand_out_defaults(cached, []), may_hand_out_defaults(called, ["x"])
    (True, False)
    """
    held = _held_defaults(function)
    return bool(held) and not held.isdisjoint({*origins, *_used_otherwise(function)})


def _held_defaults(function: FunctionType) -> set[str]:
    """Return the parameters whose defaults could be written into."""
    code, defaults = function.__code__, function.__defaults__ or ()
    named = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
    given = {**dict(zip(named, defaults, strict=True)), **(function.__kwdefaults__ or {})}
    return {n for n, v in given.items() if not (callable(v) or never_changes(v))}


def _used_otherwise(function: FunctionType) -> set[str]:
    """Return the names that a function does more with than to read entries and to spread them."""
    tree = tree_to_read(function)
    if tree is None:
        return set(function.__code__.co_varnames)
    spread = [item.value for item in found_in(tree, gast.keyword) if item.arg is None]
    read = [n.value for n in found_in(tree, gast.Subscript) if isinstance(n.ctx, gast.Load)]
    asked = [side for n in found_in(tree, gast.Compare) for side in (n.left, *n.comparators)]
    fine = set(map(id, (*spread, *read, *asked)))
    loads = (n for n in found_in(tree, gast.Name) if isinstance(n.ctx, gast.Load))
    return {node.id for node in loads if id(node) not in fine}
