"""Says which functions the variables of a function hold, of those that hold nothing else."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from types import FunctionType
from typing import Any, Final

import numpy as np

from srcgrad.frontend.apart import names_captured
from srcgrad.ir import gast
from srcgrad.ir.packages import package_of
from srcgrad.ir.scopes import MISSING, Scope, uncached

ELSEWHERE: Final = "*"
"""Stands for memory that a function reaches without being given it: globals and closures."""
OUTPUTS: Final = frozenset(["out", "output"])
"""What functions of libraries call the array that they write into."""
_DEFINING: Final = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)


def functions_held(
    nodes: Sequence[Any], given: Collection[str], scope: Scope
) -> dict[str, list[Any]]:
    """Return the functions that each variable may be that is bound to functions by name alone.

    Parameters, the `given`, are bound by the caller. `np.float64` stands for any type of numbers.

    >>> import numpy as np
    >>> from srcgrad.ir.scopes import scope_of
    >>> def f(x, g):
    ...     if np.ndim(x):
    ...         h = k = np.sum
    ...     else:
    ...         h, k = np.abs, g
    ...     m = np.sin if np.ndim(x) else np.cos
    ...     return h(x) + k(x) + m(x)
    >>> from srcgrad.frontend.source import find_source
    >>> tree = find_source(f).tree
    >>> held = functions_held(list(gast.walk(tree)), ["x", "g"], scope_of(f, tree))
    >>> sorted(held), [item.__name__ for item in held["m"]]
    (['m'], ['sin', 'cos'])
    """
    bound = Counter(given)
    values: dict[str, list[Any]] = defaultdict(list)
    for node in nodes:
        if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
            bound[node.id] += 1
        elif isinstance(node, gast.Assign):
            for target in node.targets:
                if isinstance(target, gast.Name):
                    values[target.id].append(node.value)
        elif isinstance(node, _DEFINING):
            bound[node.name] += 1
        elif isinstance(node, gast.alias):
            bound[node.asname or node.name.partition(".")[0]] += 1
        elif isinstance(node, gast.Match):
            bound.update(names_captured(node))
    plain = {name: found for name, found in values.items() if len(found) == bound[name]}
    held: dict[str, list[Any]] = {}
    for name, found in plain.items():
        ways = [item for value in found for item in _ways(value)]
        functions = [
            np.float64 if is_type_of_numbers(item, plain, scope) else uncached(scope.resolve(item))
            for item in ways
        ]
        if all(map(is_function, functions)):
            held[name] = functions
    return held


def is_type_of_numbers(value: Any, plain: dict[str, list[Any]], scope: Scope) -> bool:
    """Say whether an expression is ``x.dtype.type``, or that of a variable that holds a dtype."""
    if not isinstance(value, gast.Attribute) or value.attr != "type":
        return False
    found = plain.get(value.value.id, []) if isinstance(value.value, gast.Name) else [value.value]
    return bool(found) and all(_is_dtype(item, scope) for item in found)


def _is_dtype(value: Any, scope: Scope) -> bool:
    if isinstance(value, gast.Call):
        return scope.resolve(value.func) is np.dtype
    return isinstance(value, gast.Attribute) and value.attr == "dtype"


def calls_back(callee: Any, call: Any) -> bool:
    """Say whether a builtin is given a function that may write into what it gets."""
    given = [item.value for item in call.keywords if item.arg == "key"]
    if callee in (map, filter):
        given += call.args[:1]
    return not all(isinstance(item, gast.Lambda) for item in given)


def makers_of(kind: type[BaseException]) -> list[FunctionType]:
    """Return the functions in Python that make an exception; the others only keep what they get."""
    return [item for item in (kind.__init__, kind.__new__) if isinstance(item, FunctionType)]


def _ways(value: Any) -> list[Any]:
    """Return the expressions of which a conditional one gives one."""
    if isinstance(value, gast.IfExp):
        return [*_ways(value.body), *_ways(value.orelse)]
    return [value]


def is_function(value: Any) -> bool:
    """Say whether a value that a scope tells is something to be called."""
    return value is not MISSING and callable(value)


def given_to(function: FunctionType, call: Any, names: frozenset[str]) -> list[Any]:
    """Return the operands of a call that are bound to the parameters `names`; all if in doubt."""
    if not names - {ELSEWHERE}:
        return []
    code = function.__code__
    plain = not any(isinstance(item, gast.Starred) for item in call.args)
    plain = plain and all(item.arg for item in call.keywords)
    operands = [*call.args, *[item.value for item in call.keywords]]
    if not plain or len(call.args) > code.co_argcount:
        return operands
    bound = list(zip(code.co_varnames, call.args, strict=False))
    bound += [(item.arg, item.value) for item in call.keywords]
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return [value for name, value in bound if name in names or name not in known]


def is_library(function: FunctionType) -> bool:
    """Say whether a function is of NumPy or SciPy, whose code is deep and known to be clean."""
    return package_of(function) in ("numpy", "scipy")


def all_parameters(function: FunctionType) -> frozenset[str]:
    """Return the names of the parameters of a function, but for starred ones."""
    code = function.__code__
    return frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def makes_exception(func: Any, scope: Scope) -> bool:
    """Say whether ``super().__init__`` is that of one of Python's own exceptions."""
    above = isinstance(func.value, gast.Call) and scope.resolve(func.value.func)
    kind = scope.lookup("__class__")  # the cell that `super` reads
    if above is not super or func.attr != "__init__" or not isinstance(kind, type):
        return False
    init = getattr(super(kind, kind), "__init__", None)
    return issubclass(kind, BaseException) and not isinstance(init, FunctionType)
