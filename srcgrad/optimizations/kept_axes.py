"""Leaves out axes of a sum that are kept to be taken away by an index."""

from __future__ import annotations

from typing import Any

from srcgrad.analyses.constants import is_full_slice
from srcgrad.ir import gast
from srcgrad.ir.axes import axes_of


def without_kept_axes(value: Any, index: Any) -> Any:
    """Return what an index leaves of a sum, written as a sum; None if that is another thing.

    >>> from srcgrad.codegen.printer import to_source
    >>> for text in ["a.sum(axis=1, keepdims=True)[:, 0]", "(-a.sum(axis=0, keepdims=True))[0]"]:
    ...     node = gast.parse(text, mode="eval").body
    ...     print(to_source(without_kept_axes(node.value, node.slice)))
    a.sum(axis=1)
    -a.sum(axis=0)
    >>> node = gast.parse("a.sum(axis=1, keepdims=True)[0]", mode="eval").body
    >>> without_kept_axes(node.value, node.slice)
    """
    if isinstance(value, gast.UnaryOp):
        inner = without_kept_axes(value.operand, index)
        return None if inner is None else gast.UnaryOp(value.op, inner)
    if not isinstance(value, gast.Call) or getattr(value.func, "attr", "") != "sum" or value.args:
        return None
    given = {item.arg: item.value for item in value.keywords}
    keeps = getattr(given.pop("keepdims", None), "value", None) is True
    axes = axes_of(given["axis"]) if keeps and given.keys() == {"axis"} else None
    items = index.elts if isinstance(index, gast.Tuple) else [index]
    taken = tuple(place for place, item in enumerate(items) if _is_zero(item))
    rest = [item for place, item in enumerate(items) if place not in taken]
    if axes is None or taken != tuple(sorted(axes)) or not all(map(is_full_slice, rest)):
        return None
    keywords = [item for item in value.keywords if item.arg == "axis"]
    return gast.Call(value.func, [], keywords)


def _is_zero(node: Any) -> bool:
    return isinstance(node, gast.Constant) and type(node.value) is int and node.value == 0
