"""Says which of the values that a function returns together carry no derivative: sizes and such."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from types import FunctionType
from typing import Any, Final

from srcgrad.frontend.callees import is_library
from srcgrad.frontend.remembered import nothing_changes, tree_to_read
from srcgrad.ir import gast
from srcgrad.ir.operations import Reader
from srcgrad.ir.scopes import scope_of
from srcgrad.ir.vocabulary import Vocabulary
from srcgrad.ir.walk import walk

_UNASKED: Final = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda, gast.ClassDef, gast.Match)


def counted_results(function: FunctionType, vocabulary: Vocabulary) -> frozenset[int]:
    r"""Return the positions of results that are constants, or sizes of what there is.

    >>> import numpy as np
    >>> from srcgrad.compiler.vocabulary import VOCABULARY
    >>> def checked(x):
    ...     x = np.atleast_1d(x)
    ...     rows = x.shape[0]
    ...     if rows == 1:
    ...         return x[0], 1, x[0]
    ...     return x, rows, np.size(x)
    >>> def counted(x, n):
    ...     n = 1 if n is None else n
    ...     return x, n
    >>> [sorted(counted_results(f, VOCABULARY)) for f in (checked, counted)]
    [[1], []]
    """
    with nothing_changes() as memory:
        found: frozenset[int] = memory.found(
            ("counted results", id(vocabulary)), function, lambda: _found(function, vocabulary)
        )
        return found


def _found(function: FunctionType, vocabulary: Vocabulary) -> frozenset[int]:
    if is_library(function):
        return frozenset()
    tree = tree_to_read(function)
    if tree is None:
        return frozenset()
    nodes = [node for line in tree.body for node in walk(line)]
    returned = [node.value for node in nodes if isinstance(node, gast.Return)]
    tuples = all(isinstance(value, gast.Tuple) for value in returned)
    sizes = {len(value.elts) for value in returned} if tuples else set()
    if len(sizes) != 1 or any(isinstance(node, _UNASKED) for node in nodes):
        return frozenset()
    code = function.__code__
    given = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    reader = Reader(scope_of(function, tree, with_imports=True), vocabulary)
    counts = _Counts(reader, nodes, given)
    return frozenset(
        place
        for place in range(sizes.pop())
        if all(counts.is_one(value.elts[place]) for value in returned)
    )


class _Counts:
    """Tells constants and sizes in one function from what may vary."""

    def __init__(self, reader: Reader, nodes: list[Any], given: Iterable[str]) -> None:
        self._reader = reader
        self._bound: dict[str, list[Any]] = defaultdict(list)
        self._stored = Counter(given)
        for node in nodes:
            if isinstance(node, gast.Assign) and all(
                isinstance(t, gast.Name) for t in node.targets
            ):
                for target in node.targets:
                    self._bound[target.id].append(node.value)
            if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store):
                self._stored[node.id] += 1

    def is_one(self, node: Any, *, named: bool = True) -> bool:
        """Say whether an expression is a constant or a size, or a name of nothing else."""
        if isinstance(node, gast.Constant):
            return True
        if isinstance(node, gast.Name):
            values = self._bound[node.id] if named else []
            plain = bool(values) and len(values) == self._stored[node.id]  # bound by nothing else
            return plain and all(self.is_one(value, named=False) for value in values)
        if isinstance(node, gast.Subscript):
            return self.is_one(node.value, named=named)
        if isinstance(node, gast.Attribute):
            return bool(self._reader.constant_attribute(node))
        return isinstance(node, gast.Call) and self._reader.read(node).kind == "constant"
