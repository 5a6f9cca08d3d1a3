"""Says what of the body of a `try` may raise what its handlers wait for."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.marks import OF_ERRORS
from srcgrad.ir.operations import Reader
from srcgrad.ir.walk import blocks_of, statements

_Kinds = tuple[type[BaseException], ...] | None  # None: anything

_USUAL: Final = (
    *(TypeError, AttributeError, NameError, FloatingPointError, OverflowError, MemoryError),
    *(RuntimeError, Warning),
)
"""What arithmetic may raise whatever its operands."""

_UNFIT: Final = (*_USUAL, ValueError)
"""What it may raise with operands whose shapes do not fit, or an array that is asked for truth."""

_DIVIDED: Final = (*_UNFIT, ZeroDivisionError)


class Caught:
    """The body of one `try`, and what its handlers may catch of it; without any, all is caught.

    >>> from srcgrad.compiler.doctesting import parse, reader_of, text
    >>> (attempt,) = parse('''
    ... try:
    ...     b = a[0]
    ...     for i in range(3):
    ...         a = a * 0.5
    ... except ValueError:
    ...     pass
    ... ''')
    >>> caught = Caught(attempt.handlers, reader_of(), {"a"})
    >>> [caught.may_come_from(item) for item in attempt.body]
    [True, False]
    >>> ends = caught.ends(attempt.body)
    >>> print(text([item for item in statements(attempt.body) if id(item) in ends]))
    b = a[0]
    for i in range(3):
        a = a * 0.5
    a = a * 0.5
    """

    def __init__(self, handlers: list[Any], reader: Reader, varies: Collection[str]) -> None:
        self._scope = reader.scope
        self._varies = varies
        kinds = [kind for handler in handlers for kind in _listed(handler.type)]
        self._waits = [
            BaseException if kind is None else self._scope.resolve(kind) for kind in kinds
        ]
        self._waits = self._waits or [BaseException]

    def ends(self, body: list[Any], *, later: bool = False) -> set[int]:
        """Return the statements of a body after which nothing is caught that its rest may raise.

        `later` says that something may be that follows the body.
        """
        found: set[int] = set()
        for statement in reversed(body):
            if not later:
                found.add(id(statement))
            again = isinstance(statement, (gast.For, gast.While, gast.Try, gast.With))
            inside = later or (again and self.may_come_from(statement))
            for part in blocks_of(statement):
                found |= self.ends(part, later=inside)
            later = later or self.may_come_from(statement)
        return found

    def may_come_from(self, statement: Any) -> bool:
        """Say whether a handler may catch what a statement raises, inner blocks included."""
        return any(self._may_catch(self._raised(item)) for item in statements([statement]))

    def _may_catch(self, kinds: _Kinds) -> bool:
        if kinds is None or not all(isinstance(wait, type) for wait in self._waits):
            return kinds != ()
        return any(issubclass(a, b) or issubclass(b, a) for a in kinds for b in self._waits)

    def _raised(self, node: Any) -> _Kinds:
        """Return what a statement may raise itself."""
        if isinstance(node, (gast.Pass, gast.Break, gast.Continue, gast.Try)):
            return ()
        if isinstance(node, gast.With):
            return () if OF_ERRORS.of(node) else None
        if isinstance(node, gast.Assign) and all(isinstance(t, gast.Name) for t in node.targets):
            return self._of(node.value)
        if isinstance(node, gast.If) and isinstance(node.test, (gast.Name, gast.Constant)):
            return ()
        if isinstance(node, (gast.If, gast.While)):
            return _all(self._of(node.test), _UNFIT)
        if isinstance(node, gast.For) and isinstance(node.target, gast.Name):
            varies = getattr(node.iter, "id", None) in self._varies  # an array, or a list of such
            return _USUAL if varies else self._of_range(node.iter)
        return None

    def _of_range(self, node: Any) -> _Kinds:
        is_range = isinstance(node, gast.Call) and self._scope.resolve(node.func) is range
        if not is_range or len(node.args) > 2:
            return None
        return _all(_USUAL, *[self._of(item) for item in node.args])

    def _of(self, node: Any) -> _Kinds:
        """Return what an expression may raise."""
        if isinstance(node, (gast.Name, gast.Constant)):
            return ()
        if isinstance(node, (gast.List, gast.Tuple)):
            return _all(*map(self._of, node.elts))
        if isinstance(node, gast.UnaryOp):
            own = _UNFIT if isinstance(node.op, gast.Not) else _USUAL
            return _all(own, self._of(node.operand))
        if isinstance(node, gast.Compare) and len(node.ops) == 1:
            right = node.comparators[0]
            asks = isinstance(node.ops[0], (gast.In, gast.NotIn))
            if isinstance(node.ops[0], (gast.Is, gast.IsNot)):
                return _all(self._of(node.left), self._of(right))
            fits = _is_number(node.left) or _is_number(right)
            own = _USUAL if fits else _UNFIT
            return None if asks else _all(own, self._of(node.left), self._of(right))
        if isinstance(node, gast.BinOp):
            return _all(_of_operator(node), self._of(node.left), self._of(node.right))
        if isinstance(node, gast.Call) and not node.keywords and len(node.args) == 1:
            callee = self._scope.resolve(node.func)
            if callee is len or isinstance(callee, np.ufunc):
                return _all(_USUAL, self._of(node.args[0]))
        return None


def _of_operator(node: Any) -> _Kinds:
    fits = _is_number(node.left) or _is_number(node.right)
    if isinstance(node.op, (gast.Add, gast.Sub, gast.Mult)):
        return _USUAL if fits else _UNFIT
    by_number = _is_number(node.right) and node.right.value != 0
    return _USUAL if isinstance(node.op, gast.Div) and by_number else _DIVIDED


def _is_number(node: Any) -> bool:
    return isinstance(node, gast.Constant) and type(node.value) in (int, float)


def _all(*kinds: _Kinds) -> _Kinds:
    if any(kind is None for kind in kinds):
        return None
    return tuple(item for kind in kinds for item in kind or ())


def _listed(kind: Any) -> list[Any]:
    return list(kind.elts) if isinstance(kind, gast.Tuple) else [kind]
