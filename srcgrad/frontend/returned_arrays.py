"""Says whether what a function returns is a number or an array, or what it was given."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from srcgrad.frontend.callees import is_library
from srcgrad.frontend.expand.scoping import parameters
from srcgrad.frontend.remembered import nothing_changes, tree_to_read
from srcgrad.ir import gast
from srcgrad.ir.jumps import falls_through
from srcgrad.ir.new_arrays import NewArrays
from srcgrad.ir.operations import Reader
from srcgrad.ir.scopes import scope_of
from srcgrad.ir.vocabulary import Vocabulary
from srcgrad.ir.walk import walk

_SCOPES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda, gast.ClassDef)


def returns_array(function: FunctionType, vocabulary: Vocabulary) -> bool:
    """Say whether what a function returns is surely calculated: an array or a number.

    >>> import numpy as np
    >>> from srcgrad.compiler.vocabulary import VOCABULARY
    >>> def payoff(s, k):
    ...     res = np.maximum(s - k, 0.0)
    ...     return res[None, :]
    >>> def same(s):
    ...     return s
    >>> def on_a_path(s, k):
    ...     if k > 0:
    ...         s = np.exp(s)
    ...     return s
    >>> [returns_array(f, VOCABULARY) for f in (payoff, same, on_a_path)]
    [True, False, False]
    """
    with nothing_changes() as memory:
        found: bool = memory.found(
            ("returns an array", id(vocabulary)), function, lambda: _is_array(function, vocabulary)
        )
        return found


def parameter_returned(function: FunctionType) -> str | None:
    """Return the parameter that a function hands back, the very object, whatever path it takes.

    >>> def scaled(values, a):
    ...     for k in range(len(values)):
    ...         values[k] = values[k] * a
    ...     return values
    >>> parameter_returned(scaled)
    'values'
    """
    with nothing_changes() as memory:
        found: str | None = memory.found(
            "returns a parameter", function, lambda: _parameter(function)
        )
        return found


def returns_of(function: FunctionType) -> tuple[Any, list[Any], list[Any]]:
    """Return the definition of a function, its nodes, and what it returns on each of its paths.

    Nothing is returned if that is not told, as by functions inside.
    """
    tree = None if is_library(function) else tree_to_read(function)
    if tree is None or not isinstance(tree.body, list):
        return None, [], []
    nodes = [node for line in tree.body for node in walk(line)]
    returned = [node.value for node in nodes if isinstance(node, gast.Return)]
    if any(isinstance(node, _SCOPES) for node in nodes) or falls_through(tree.body):
        return None, [], []
    return tree, nodes, returned


def _is_array(function: FunctionType, vocabulary: Vocabulary) -> bool:
    tree, nodes, returned = returns_of(function)
    if not returned:
        return False
    reader = Reader(scope_of(function, tree, with_imports=True, shims=True), vocabulary)
    arrays = NewArrays(reader, nodes, parameters(tree.args))
    return all(value is not None and arrays.is_calculated(value) for value in returned)


def _parameter(function: FunctionType) -> str | None:
    tree, nodes, returned = returns_of(function)
    names = {getattr(value, "id", "") for value in returned}
    if tree is None or len(names) != 1 or names.isdisjoint(parameters(tree.args)):
        return None
    (name,) = names
    bound = {n.id for n in nodes if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)}
    return None if name in bound else str(name)
