"""Gives a list and the array that is made of it names of their own."""

from __future__ import annotations

from typing import Any, Final

import gast

from srcgrad.frontend.normalize.writes import is_list
from srcgrad.ir.build import store
from srcgrad.ir.names import Namer
from srcgrad.ir.packages import package_of
from srcgrad.ir.scopes import MISSING, Scope
from srcgrad.ir.walk import blocks_of, found_in

_INNER: Final = (gast.FunctionDef, gast.Lambda, gast.ClassDef, gast.Global, gast.Nonlocal)
_NAMING: Final = (
    *_INNER,
    *(gast.AsyncFunctionDef, gast.alias, gast.ExceptHandler, gast.MatchAs, gast.MatchStar),
    *(gast.MatchMapping, gast.TypeAlias, gast.TypeVar, gast.TypeVarTuple, gast.ParamSpec),
)
"""What has names that are no variables of their own, as text."""
_MAKING_LISTS: Final = ("tolist", "split")


class Separation:
    """Writes ``xs = np.array(xs)``, where `xs` is a list, as ``xs_2 = np.array(xs)``.

    What follows reads the new name. In an inner block it is done where the name lives in that block
    alone and is bound anew each time.

    >>> from srcgrad.compiler.doctesting import program_of, text
    >>> print(text(program_of('''
    ... def f(x):
    ...     xs = [x, 2.0 * x]
    ...     xs = np.array(xs)
    ...     return np.sum(xs)
    ... ''').body))
    product = 2.0 * x
    xs = [x, product]
    xs_2 = np.array(xs)
    out = np.sum(xs_2)
    return out
    """

    def __init__(self, body: list[Any], scope: Scope, namer: Namer) -> None:
        self._body = body
        self._scope = scope
        self._namer = namer
        self._elsewhere = _named_in_functions(body)
        self.made: set[str] = set()

    def run(self) -> list[Any]:
        """Return the body of the function with the new names."""
        self._block(self._body)
        return self._body

    def _block(self, block: list[Any]) -> None:
        bound: dict[str, Any] = {}  # the last statement that binds a name to what does not read it
        for position, statement in enumerate(block):
            for part in blocks_of(statement):
                self._block(part)
            name = self._array_made(statement)
            before = bound.get(name)
            if before is not None and is_list(before.value) and self._lives_in(block, name):
                self._rename(block, position, name)
            target = _target_of(statement)
            if target and _binds(statement, target):
                bound[target] = statement

    def _array_made(self, statement: Any) -> str:
        """Return the name in ``xs = np.array(xs)`` or ``xs = np.sum(xs) / 2``, or nothing."""
        if not isinstance(statement, gast.Assign) or len(statement.targets) != 1:
            return ""
        (target,) = statement.targets
        if not isinstance(target, gast.Name) or not self._is_no_list(statement.value):
            return ""
        return target.id if _mentions(statement.value, target.id) else ""

    def _is_no_list(self, value: Any) -> bool:
        """Say whether a value is what NumPy makes, or was calculated or taken from that."""
        if isinstance(value, gast.BinOp):
            return self._is_no_list(value.left) or self._is_no_list(value.right)
        if isinstance(value, gast.UnaryOp):
            return True
        if isinstance(value, (gast.Attribute, gast.Subscript)):
            return self._is_no_list(value.value)
        if not isinstance(value, gast.Call):
            return False
        function = self._scope.resolve(value.func)
        if function is MISSING and isinstance(value.func, gast.Attribute):
            return value.func.attr not in _MAKING_LISTS and self._is_no_list(value.func.value)
        return package_of(function) == "numpy"

    def _lives_in(self, block: list[Any], name: str) -> bool:
        if name in self._elsewhere:
            return False
        if block is self._body:
            return True
        first = next(item for item in block if _mentions(item, name))
        inside = sum(_mentions(item, name) for item in block)
        return _binds(first, name) and inside == sum(_mentions(item, name) for item in self._body)

    def _rename(self, block: list[Any], position: int, name: str) -> None:
        fresh = self._namer.fresh(name)
        self.made.add(fresh)
        block[position].targets = [store(fresh)]
        for statement in block[position + 1 :]:
            if _binds(statement, name):
                return
            for node in found_in(statement, gast.Name):
                if node.id == name:
                    node.id = fresh


def _target_of(statement: Any) -> str:
    """Return the one name that a statement binds, or nothing."""
    if not isinstance(statement, gast.Assign) or len(statement.targets) != 1:
        return ""
    return getattr(statement.targets[0], "id", "")


def _binds(statement: Any, name: str) -> bool:
    """Say whether a statement binds a name to what does not read it."""
    return _target_of(statement) == name and not _mentions(statement.value, name)


def _mentions(tree: Any, name: str) -> int:
    """Count the places where a name stands."""
    return sum(node.id == name for node in found_in(tree, gast.Name))


def _named_in_functions(body: list[Any]) -> set[str]:
    """Return the names that inner functions and patterns know, which stay as they are."""
    found: set[str] = set()
    for statement in body:
        for node in found_in(statement, *_NAMING):
            found.update(
                text
                for text in (getattr(node, "name", None), getattr(node, "rest", None))
                if isinstance(text, str)
            )
            if isinstance(node, _INNER):
                found.update(getattr(node, "names", ()))
                found.update(n.id for n in found_in(node, gast.Name))
    return found
