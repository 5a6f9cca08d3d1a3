"""Says whether the values that a function returns together lie in memory of their own each."""

from __future__ import annotations

from types import FunctionType

from srcgrad.frontend.expand.scoping import parameters
from srcgrad.frontend.remembered import nothing_changes
from srcgrad.frontend.returned_arrays import returns_of
from srcgrad.ir.new_arrays import NewArrays
from srcgrad.ir.operations import Reader
from srcgrad.ir.scopes import scope_of
from srcgrad.ir.vocabulary import Vocabulary


def results_are_apart(function: FunctionType, vocabulary: Vocabulary) -> bool:
    r"""Say whether a function returns a tuple of names bound to new arrays, each by itself.

    So do the rows of a new array lie, where that is unpacked.

    >>> import numpy as np
    >>> from srcgrad.compiler.vocabulary import VOCABULARY
    >>> def both(x):
    ...     low, high = np.zeros(3), np.exp(x)
    ...     low[0] = x
    ...     return low, high - 1
    >>> def views(x):
    ...     low = np.zeros(3)
    ...     high = low[1:]
    ...     return low, high
    >>> def given(low, high, n):
    ...     if n > 0:
    ...         low = np.zeros(3)
    ...     return low, np.exp(high)
    >>> [results_are_apart(f, VOCABULARY) for f in (both, views, given)]
    [True, False, False]
    """
    with nothing_changes() as memory:
        found: bool = memory.found(
            ("results apart", id(vocabulary)), function, lambda: _found(function, vocabulary)
        )
        return found


def _found(function: FunctionType, vocabulary: Vocabulary) -> bool:
    tree, nodes, returned = returns_of(function)
    if not returned or None in returned:
        return False
    reader = Reader(scope_of(function, tree, with_imports=True, shims=True), vocabulary)
    return NewArrays(reader, nodes, parameters(tree.args)).are_apart(returned)
