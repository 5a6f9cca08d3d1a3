"""Reads the indices of objects that say themselves what an index means."""

from __future__ import annotations

import copy
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import load
from srcgrad.ir.walk import walk, without_docstring


def spelled(index: Any) -> Any:
    """Return an index as an expression: ``a:b`` is written ``slice(a, b)``.

    >>> gast.unparse(spelled(gast.parse("A[1:, k]").body[0].value.slice))
    '(slice(1, None), k)'
    """
    if isinstance(index, gast.Tuple):
        return gast.Tuple([spelled(part) for part in index.elts], gast.Load())
    if not isinstance(index, gast.Slice):
        return index
    ends = [index.lower, index.upper, index.step]
    while ends[2:] and ends[-1] is None:
        ends.pop()
    parts = [gast.Constant(None, None) if part is None else part for part in ends]
    return gast.Call(load("slice"), parts, [])


def element_parts(index: Any) -> list[Any] | None:
    """Return the two parts of an index that names elements: none of them is a slice."""
    parts = getattr(index, "elts", None) or getattr(index, "values", None) or []
    return list(parts) if len(parts) == 2 and not any(map(_is_slice, parts)) else None


def _is_slice(part: Any) -> bool:
    made = isinstance(part, gast.Call) and getattr(part.func, "id", "") == "slice"
    nothing = isinstance(part, gast.Constant) and part.value in (None, ...)
    return made or nothing or isinstance(part, (gast.Slice, gast.List, gast.Starred))


def with_parts(tree: Any, count: int) -> Any | None:
    r"""Return a method whose index is unpacked at once, with so many indices as its parameters.

    None of other methods.

    >>> (method,) = gast.parse("def get(self, ij):\n    i, j = ij\n    return self.m[i][j]").body
    >>> print(gast.unparse(with_parts(method, 2)).strip())
    def get(self, i, j):
        return self.m[i][j]
    """
    body = without_docstring(tree.body)
    if len(tree.args.args) < 2 or len(body) < 2 or not isinstance(body[0], gast.Assign):
        return None
    target, name = body[0].targets[0], tree.args.args[1].id
    unpacks = isinstance(target, gast.Tuple) and getattr(body[0].value, "id", "") == name
    parts = [getattr(part, "id", "") for part in getattr(target, "elts", [])]
    reads = sum(isinstance(item, gast.Name) and item.id == name for item in walk(tree)) - 1
    others = {item.id for item in tree.args.args}
    if not unpacks or len(parts) != count or not all(parts) or others & set(parts) or reads != 1:
        return None
    made, args = copy.copy(tree), copy.copy(tree.args)
    first, _, *rest = args.args
    args.args = [first, *(gast.Name(part, gast.Param(), None, None) for part in parts), *rest]
    made.args, made.body = args, body[1:]
    return made
