"""Treats lists and dicts beside their tangents, whose zeros may be more than those of entries."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.operations import Reader
from srcgrad.transforms.tangent_rules import NoTangentError


def repeats_entries(value: Any) -> bool:
    """Say whether an expression is ``[row] * n``, of entries that may be written into."""
    if not isinstance(value, gast.BinOp) or not isinstance(value.op, gast.Mult):
        return False
    lists = [side for side in (value.left, value.right) if isinstance(side, gast.List)]
    return any(not isinstance(item, gast.Constant) for side in lists for item in side.elts)


def makes_missing_entries(value: Any, reader: Reader) -> bool:
    """Say whether a value is an empty dict that makes missing entries, or an empty deque.

    Raises:
        NoTangentError: They may be other than zero.
    """
    if not isinstance(value, gast.Call):
        return False
    maker = reader.scope.resolve(value.func)
    if maker is deque and not value.args:
        return True
    if maker not in (Counter, defaultdict, deque):
        return False
    makes = [reader.scope.resolve(item) for item in value.args]
    if makes not in ([], [float], [list]) or value.keywords:
        raise NoTangentError
    return True


def moved(value: Any, holder: Any, tangent: Callable[[Any], Any]) -> Any:
    """Return ``xs.append(v)`` and its like on the tangents that `holder` holds.

    >>> from srcgrad.codegen.printer import to_source
    >>> call = gast.parse("xs.insert(0, v)", mode="eval").body
    >>> to_source(moved(call, gast.parse("xs_dot", mode="eval").body, lambda item: item))
    'xs_dot.insert(0, v)'
    """
    attr = value.func.attr
    keeps = 1 if attr == "insert" else len(value.args) if attr in ("pop", "popleft") else 0
    args = [clone(item) if i < keeps else tangent(item) for i, item in enumerate(value.args)]
    return gast.Call(gast.Attribute(holder, attr, gast.Load()), args, [])
