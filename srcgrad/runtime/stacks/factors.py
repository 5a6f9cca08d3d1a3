"""Puts off the factors that all rows of a stack have in common.

The tangent of an elementwise step is a tangent times a slope. Of a thousand seeds, that is a
thousand products; of the slopes of two steps in a row, the product is one array of the value's
shape. So a stack keeps its rows as they came and a factor beside them, until those are asked for:
``x_dot * a * b - x_dot * c`` becomes the rows of `x_dot` once times ``a * b - c``.

That changes nothing but the rounding as long as no array is written in place between a product and
the moment at which it is done. `puts_off` says whether that is so, and the text of a derivative is
asked for it (`writes_in_place`).
"""

from __future__ import annotations

import ast
import threading
from typing import Any, Final

import numpy as np

from srcgrad.parsing import parsed

_WRITERS: Final = frozenset(
    "accumulate add_at add_entries add_to_shadows copyto fill_diagonal on_tape place put "
    "put_along_axis putmask reverse_steps run_steps shadow_of complex_shadow_of shadow_of_view "
    "sort stacked".split()
)


class PutsOff(threading.local):
    """Whether the text that this thread runs lets factors be put off."""

    on = False


puts_off: Final = PutsOff()


def writes_in_place(text: str) -> bool:
    r"""Say whether a generated module may write into an array.

    >>> writes_in_place("def f(x, x_dot):\n    y = np.sin(x)\n    return y, x_dot * np.cos(x)")
    False
    >>> writes_in_place("def f(x, x_dot):\n    x_dot *= 2\n    return x, x_dot")
    True
    """
    return any(map(_may_write, ast.walk(parsed(text))))


def _may_write(node: ast.AST) -> bool:
    if isinstance(node, (ast.AugAssign, ast.Delete, ast.With, ast.Global, ast.Nonlocal)):
        return True
    if isinstance(node, (ast.Subscript, ast.Attribute)):
        return not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
        return name in _WRITERS or any(item.arg in ("out", None) for item in node.keywords)
    return False


def factor_for(stack: Any, value: Any) -> Any:
    """Return a value as a factor of a stack's rows, or None if it would change shape or type."""
    kind = type(value)
    if kind is float:
        return value
    if kind is not np.ndarray or value.dtype != stack.dtype:
        return None
    whole, part = stack.shape, value.shape
    if part == whole:
        return value
    if len(part) > len(whole):
        return None
    pairs = zip(part[::-1], whole[::-1], strict=False)
    return value if all(n in (1, length) for n, length in pairs) else None


def combined(ufunc: Any, one: Any, other: Any) -> Any:
    """Return the product, sum or difference of two factors; None stands for 1."""
    with np.errstate(all="ignore"):  # what is not finite is not used
        return ufunc(1.0 if one is None else one, 1.0 if other is None else other)


def is_finite(factor: Any) -> bool:
    """Say whether a factor is finite: else the rows are multiplied one factor at a time."""
    return bool(np.isfinite(factor).all())
