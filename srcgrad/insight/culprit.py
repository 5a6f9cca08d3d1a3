"""Finds the part of an expression that makes a NaN, by evaluating its parts again."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType
from typing import Any, Final

import numpy as np

from srcgrad.codegen.printer import to_source
from srcgrad.insight.finite import flaw_of

_METHODS: Final = {
    "T", "all", "any", "argmax", "argmin", "astype", "conj", "copy", "cumprod", "cumsum",
    "diagonal", "dot", "flatten", "imag", "max", "mean", "min", "ndim", "prod", "ravel", "real",
    "repeat", "reshape", "shape", "size", "squeeze", "std", "sum", "swapaxes", "take", "trace",
    "transpose", "var",
}  # fmt: skip
_PLAIN: Final = (
    ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.Tuple, ast.List, ast.Subscript,
    ast.Slice, ast.Starred, ast.Constant,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Culprit:
    """The smallest part of an expression that is not finite, and its operands by their text."""

    part: ast.expr
    operands: Mapping[str, Any]


def culprit_of(
    expression: ast.expr, variables: Mapping[str, Any], names: Mapping[str, Any]
) -> Culprit:
    """Return the part of an expression, which is not finite, whose own parts are.

    Parts that cannot be evaluated twice, such as those that take an entry off a list, are left out.

    >>> tree = ast.parse("2.0 * (1.0 / (x - x)) + x", mode="eval").body
    >>> found = culprit_of(tree, {"x": np.float64(3.0)}, {})
    >>> text_of(found.part), found.operands
    ('1.0 / (x - x)', {'1.0': 1.0, 'x - x': np.float64(0.0)})
    """
    values: dict[str, Any] = {}
    for part in _operands(expression):
        known, value = _evaluated(part, variables, names)
        if not known:
            continue
        if flaw_of(value) is not None and not isinstance(part, (ast.Name, ast.Constant)):
            return culprit_of(part, variables, names)
        values[text_of(part)] = value
    return Culprit(expression, values)


def text_of(node: ast.expr) -> str:
    """Return the text of an expression."""
    return to_source(ast.Module([ast.Expr(node)], [])).strip()


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the expressions whose values an expression works on."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and not _is_module(node.func):
            yield node.func.value
        yield from node.args
        yield from (item.value for item in node.keywords)
    elif isinstance(node, ast.Compare):
        yield node.left
        yield from node.comparators
    elif isinstance(node, ast.Subscript):
        yield node.value
    else:
        yield from (item for item in ast.iter_child_nodes(node) if isinstance(item, ast.expr))


def _is_module(func: ast.Attribute) -> bool:
    """Say whether an attribute looks like that of a module: ``np.sin``, ``np.linalg.norm``."""
    root: ast.expr = func
    while isinstance(root, ast.Attribute):
        root = root.value
    return isinstance(root, ast.Name) and root.id in ("np", "math", "scipy")


def _evaluated(
    node: ast.expr, variables: Mapping[str, Any], names: Mapping[str, Any]
) -> tuple[bool, Any]:
    if not _is_pure(node, {**names, **variables}):
        return False, None
    code = compile(ast.Expression(ast.fix_missing_locations(node)), "<part>", "eval")
    try:
        with np.errstate(all="ignore"):
            return True, eval(code, dict(names), dict(variables))  # noqa: S307 - our own text
    except Exception:  # noqa: BLE001 - it was evaluated before; a part without a value is left out
        return False, None


def _is_pure(node: ast.AST, names: Mapping[str, Any]) -> bool:
    """Say whether an expression may be evaluated once more without effects."""
    if isinstance(node, ast.Call):
        pure = _calls_pure(node, names) and not any(item.arg == "out" for item in node.keywords)
        parts: list[ast.AST] = [*node.args, *(item.value for item in node.keywords)]
        if isinstance(node.func, ast.Attribute) and not _is_module(node.func):
            parts.append(node.func.value)
        return pure and all(_is_pure(item, names) for item in parts)
    if isinstance(node, ast.Name):
        return node.id in names
    if isinstance(node, ast.Attribute):
        return _is_module(node) or _is_pure(node.value, names)
    if not isinstance(node, _PLAIN):
        return not isinstance(node, ast.expr)
    return all(_is_pure(item, names) for item in ast.iter_child_nodes(node))


def _calls_pure(node: ast.Call, names: Mapping[str, Any]) -> bool:
    func = node.func
    if isinstance(func, ast.Attribute):
        return ("random" not in text_of(func)) if _is_module(func) else func.attr in _METHODS
    if not isinstance(func, ast.Name):
        return False
    target = names.get(func.id, getattr(builtins, func.id, None))
    if isinstance(target, FunctionType):
        return target.__module__.startswith("srcgrad.runtime")
    return isinstance(target, (BuiltinFunctionType, np.ufunc)) or target in (float, abs, len)
