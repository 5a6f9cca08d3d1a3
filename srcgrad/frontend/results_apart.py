"""Says whether the values that a function returns together lie in memory of their own each."""

from __future__ import annotations

from types import FunctionType
from typing import Any, Final

from srcgrad.frontend.callees import is_library
from srcgrad.frontend.remembered import nothing_changes, tree_to_read
from srcgrad.ir import gast
from srcgrad.ir.operations import Reader, may_return_operand
from srcgrad.ir.pairs import pairs_up
from srcgrad.ir.scopes import scope_of
from srcgrad.ir.vocabulary import Vocabulary
from srcgrad.ir.walk import names_bound, walk

_SCOPES: Final = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda, gast.ClassDef)
_OTHERS: Final = (
    *(gast.For, gast.comprehension, gast.withitem, gast.NamedExpr, gast.AnnAssign),
    *(gast.ExceptHandler, gast.Match, gast.Import, gast.ImportFrom, gast.Global, gast.Nonlocal),
)
"""What may bind a name, but for assignments; nobody asks to what."""
_OF_NUMBERS: Final = (gast.Sub, gast.Div, gast.Pow, gast.MatMult)
"""Arithmetic that makes new arrays: no lists, which hold what they are made of."""


def results_are_apart(function: FunctionType, vocabulary: Vocabulary) -> bool:
    r"""Say whether a function returns a tuple of names bound to new arrays, each by itself.

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
    >>> results_are_apart(both, VOCABULARY), results_are_apart(views, VOCABULARY)
    (True, False)
    """
    with nothing_changes() as memory:
        found: bool = memory.found(
            ("results apart", id(vocabulary)), function, lambda: _found(function, vocabulary)
        )
        return found


def _found(function: FunctionType, vocabulary: Vocabulary) -> bool:
    if is_library(function):
        return False
    tree = tree_to_read(function)
    if tree is None:
        return False
    nodes = [node for line in tree.body for node in walk(line)]
    returned = [node.value for node in nodes if isinstance(node, gast.Return)]
    if any(isinstance(node, _SCOPES) for node in nodes) or not returned:
        return False
    return _Apart(Reader(scope_of(function, tree, with_imports=True), vocabulary), nodes).are(
        returned
    )


class _Apart:
    """Asks what the names of one function are bound to."""

    def __init__(self, reader: Reader, nodes: list[Any]) -> None:
        self._reader = reader
        self._bound: dict[str, list[Any]] = {}
        for node in nodes:
            for name, value in _bindings(node):
                self._bound.setdefault(name, []).append(value)
        self._asked: set[str] = set()
        self._numbers: set[str] = set()
        self._others: set[str] = set()
        self._open: set[str] = set()

    def are(self, returned: list[Any]) -> bool:
        """Say whether in each tuple no two values may share memory."""
        return all(isinstance(value, gast.Tuple) and self._is_apart(value) for value in returned)

    def _is_apart(self, value: Any) -> bool:
        names = [item.id for item in value.elts if isinstance(item, gast.Name)]
        return len(names) == len(set(names)) and all(map(self._is_new, value.elts))

    def _is_new(self, value: Any) -> bool:
        """Say whether an expression gives a new array, or a number; a name if it means one alone.

        What is bound to a name that means a new array is bound to no other name as well.
        """
        if isinstance(value, gast.Name):
            return value.id in self._asked or self._is_new_name(value.id)
        if isinstance(value, gast.Constant):
            return isinstance(value.value, (bool, int, float, complex))
        if isinstance(value, gast.UnaryOp):
            return isinstance(value.op, (gast.USub, gast.UAdd)) and self._is_new(value.operand)
        if isinstance(value, gast.BinOp):
            parts = value.left, value.right
            return isinstance(value.op, _OF_NUMBERS) or any(map(self._is_of_numbers, parts))
        return isinstance(value, gast.Call) and self._makes_array(value)

    def _is_new_name(self, name: str) -> bool:
        values = self._bound.get(name)
        if not values:
            return False
        self._asked.add(name)
        made = (value for value in values if value is not None)
        return None not in values and all(
            not isinstance(value, gast.Name) and self._is_new(value) for value in made
        )

    def _is_of_numbers(self, value: Any) -> bool:
        """Say whether an operand is an array or a broken number, with which no list is joined."""
        if isinstance(value, gast.Constant):
            return isinstance(value.value, (float, complex))
        if isinstance(value, gast.UnaryOp):
            return self._is_of_numbers(value.operand)
        if isinstance(value, gast.BinOp):
            parts = value.left, value.right
            return isinstance(value.op, gast.Div) or any(map(self._is_of_numbers, parts))
        if isinstance(value, gast.Name):
            return self._is_name_of_numbers(value.id)
        return isinstance(value, gast.Call) and self._makes_array(value)

    def _is_name_of_numbers(self, name: str) -> bool:
        """Say it of a name; while it is asked of one, that is taken for granted of it."""
        if name in self._open or name in self._numbers:
            return True
        if name in self._others:  # not even with all that was taken for granted
            return False
        self._open.add(name)
        values = self._bound.get(name, [None])
        found = all(value is not None and self._is_of_numbers(value) for value in values)
        self._open.discard(name)
        if found:
            self._numbers.add(name)
        else:
            self._others.add(name)
            self._numbers.clear()  # what was found of others may rest on it
        return found

    def _makes_array(self, call: Any) -> bool:
        operation = self._reader.read(call)
        if operation.primal is None or operation.kind not in ("primitive", "constant"):
            return False
        if any(self._reader.scope.resolve(node) is object for node in walk(call)):
            return False  # an array of objects holds what others hold
        known = self._reader.vocabulary.primitive(operation.primal)
        fresh = operation.kind == "constant" or not (
            known.may_view or may_return_operand(known, operation)
        )
        return fresh and known.name.startswith("numpy.") and known.gives in ("array", "number")


def _bindings(node: Any) -> list[tuple[str, Any]]:
    """Return the names that a node binds, with what to; None where nobody asks."""
    if isinstance(node, gast.Assign):
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, gast.Name):
            return [(target.id, node.value)]
        if len(node.targets) == 1 and pairs_up(target, node.value):
            pairs = zip(target.elts, node.value.elts, strict=True)
            return [
                (name, value if isinstance(item, gast.Name) else None)
                for item, value in pairs
                for name in names_bound(item)
            ]
        return [(name, None) for item in node.targets for name in names_bound(item)]
    if not isinstance(node, _OTHERS):
        return []
    names = set[str]()
    for part in _places(node):
        names |= {item.id for item in walk(part) if isinstance(item, gast.Name)}
    names |= {item for field in ("name", "names") for item in _texts(getattr(node, field, None))}
    return [(name, None) for name in names]


def _places(node: Any) -> list[Any]:
    """Return the expressions in which a node names what it binds; the whole of a `match`."""
    if isinstance(node, gast.Match):
        return [node]
    fields = (getattr(node, name, None) for name in ("target", "optional_vars"))
    return [item for item in fields if item is not None]


def _texts(value: Any) -> list[str]:
    """Return the names that a node holds as texts."""
    items = value if isinstance(value, list) else [value]
    found = [getattr(item, "asname", None) or getattr(item, "name", item) for item in items]
    return [str(getattr(item, "id", item)).partition(".")[0] for item in found if item is not None]
