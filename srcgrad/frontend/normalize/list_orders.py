"""Writes lists that are sorted or reversed in place as new lists under the same names."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.frontend.apart import bound_pairs
from srcgrad.frontend.normalize.alone import Alone
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, load, subscript
from srcgrad.ir.displays import makes_list
from srcgrad.ir.operations import Reader
from srcgrad.ir.program import targets_of
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import blocks_of, names_bound, statements

_LISTS: Final = (list, sorted)


class ListOrders:
    """Rewrites one function body.

    What else reaches a list would not see the new one: it stays as it is then.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> reader = program_of("def f(x): return x").reader
    >>> reader.scope.local |= {"a", "b"}
    >>> body = parse('''
    ... a, b = [y, z], [y, z]
    ... first = b
    ... a.sort(key=f)
    ... a.reverse()
    ... b.sort()
    ... c = first[0] + a[0]
    ... ''')
    >>> print(text(ListOrders(body, [], reader).block(body)[2:]))
    a = sorted(a, key=f)
    a = a[::-1]
    b.sort()
    c = first[0] + a[0]
    """

    def __init__(self, body: list[Any], parameters: list[str], reader: Reader) -> None:
        self._reader = reader
        self._parameters = parameters
        every = list(statements(body))
        self._alone = Alone(body, parameters, reader) if any(map(_ordered, every)) else None
        self._values: dict[str, list[Any]] = {}
        for statement in every:
            for name, value in _bindings(statement):
                self._values.setdefault(name, []).append(value)

    def block(self, body: list[Any]) -> list[Any]:
        """Return a statement list with the new lists."""
        if self._alone is None:
            return body
        for statement in body:
            for part in blocks_of(statement):
                part[:] = self.block(part)
        return [self._rewritten(statement) for statement in body]

    def _rewritten(self, statement: Any) -> Any:
        ordered = _ordered(statement)
        if ordered is None or self._alone is None:
            return statement
        name = ordered.func.value.id
        given = [keyword.value for keyword in ordered.keywords]
        if not self._is_list(name) or not self._alone.at(statement, name, given):
            return statement
        if ordered.func.attr == "reverse":
            step = gast.UnaryOp(gast.USub(), gast.Constant(1, None))
            return assign(name, subscript(load(name), gast.Slice(None, None, step)), statement)
        made = call("sorted", load(name))
        made.keywords = list(map(clone, ordered.keywords))
        return assign(name, at(made, ordered), statement)

    def _is_list(self, name: str) -> bool:
        """Say whether a variable is bound to nothing but new lists."""
        values = self._values.get(name, [])
        return name not in self._parameters and bool(values) and all(map(self._makes_list, values))

    def _makes_list(self, value: Any) -> bool:
        if not isinstance(value, gast.Call):
            return makes_list(value)
        called = self._reader.scope.resolve(value.func)
        if called is MISSING:
            return getattr(value.func, "attr", "") == "tolist"
        return any(called is maker for maker in _LISTS)


def _ordered(statement: Any) -> Any:
    """Return the call of a statement ``name.sort(...)`` or ``name.reverse()``; else None."""
    call_: Any = getattr(statement, "value", None)
    func: Any = getattr(call_, "func", None)
    plain = isinstance(statement, gast.Expr) and isinstance(func, gast.Attribute)
    if not plain or not isinstance(func.value, gast.Name) or call_.args:
        return None
    return call_ if func.attr in ("sort", "reverse") else None


def _bindings(statement: Any) -> list[tuple[str, Any]]:
    """Return the names that a statement binds, each with what it is bound to, as far as shown."""
    if isinstance(statement, gast.AugAssign):
        return []
    value = getattr(statement, "value", None)
    pairs = [p for target in targets_of(statement) for p in bound_pairs(target, value)]
    return [
        (name, given if isinstance(target, gast.Name) else None)
        for target, given in pairs
        for name in names_bound(target)
    ]
