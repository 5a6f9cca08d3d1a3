"""Writes lists that are changed in place as a whole as new lists under the same names.

That is what sorts, reverses or empties them, and what takes sections out or puts others in their
place. A dict that is emptied is a new one, too. What takes one entry out of a list is a `pop`.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, Final

from srcgrad.frontend.normalize.alone import Alone
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, load, method, subscript
from srcgrad.ir.displays import integer_of, makes_list
from srcgrad.ir.operations import Reader
from srcgrad.ir.pairs import bound_pairs
from srcgrad.ir.program import targets_of
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import blocks_of, is_same, names_bound, statements

_LISTS: Final = (list, sorted)
_METHODS: Final = {"sort": 0, "reverse": 0, "clear": 0, "remove": 1}
"""The methods that are written anew, with how many arguments each takes by place."""


class NewContainers:
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
    ... del a[1:]
    ... c = first[0] + a[0]
    ... ''')
    >>> print(text(NewContainers(body, [], reader).block(body)[2:]))
    a = sorted(a, key=f)
    a = a[::-1]
    b.sort()
    a = a[:1]
    c = first[0] + a[0]
    """

    def __init__(self, body: list[Any], parameters: list[str], reader: Reader) -> None:
        self._reader = reader
        self._parameters = parameters
        every = list(statements(body))
        changes = any(_change(item)[0] for item in every)
        self._alone = Alone(body, parameters, reader) if changes else None
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
        name, how = _change(statement)
        if not name or self._alone is None:
            return statement
        made: Any = None
        if self._is_made(name, makes_list, _LISTS):
            if how in ("entry", "remove"):
                return _popped(statement, how)
            made = _new_list(statement, name, how)
        elif how == "clear" and self._is_made(name, _shows_dict, (dict,)):
            made = gast.Dict([], [])
        call_ = getattr(statement, "value", None)
        asked = [item.value for item in getattr(call_, "keywords", ())]
        if made is None or not self._alone.at(statement, name, asked):
            return statement
        return assign(name, at(made, statement), statement)

    def _is_made(
        self, name: str, shows: Callable[[Any], bool], makers: tuple[Callable[..., Any], ...]
    ) -> bool:
        """Say whether a variable is bound to nothing but new lists, or to nothing but new dicts."""

        def makes(value: Any) -> bool:
            if not isinstance(value, gast.Call):
                return shows(value)
            called = self._reader.scope.resolve(value.func)
            if called is MISSING:
                return list in makers and getattr(value.func, "attr", "") == "tolist"
            if list in makers and isinstance(called, FunctionType):
                return self._reader.vocabulary.returns_new_list(called)
            return any(called is maker for maker in makers)

        values = self._values.get(name, [])
        return name not in self._parameters and bool(values) and all(map(makes, values))


def _change(statement: Any) -> tuple[str, str]:
    """Return what a statement changes, and how; nothing of what does something else."""
    if isinstance(statement, gast.Expr):
        func: Any = getattr(statement.value, "func", None)
        word = func.attr if isinstance(func, gast.Attribute) else ""
        if _METHODS.get(word) != len(getattr(statement.value, "args", ())):
            return "", ""
        return getattr(func.value, "id", ""), word
    deletes = isinstance(statement, gast.Delete)
    if not isinstance(statement, (gast.Assign, gast.Delete)) or len(statement.targets) != 1:
        return "", ""
    (place,) = statement.targets
    name = getattr(place.value, "id", "") if isinstance(place, gast.Subscript) else ""
    if name and isinstance(place.slice, gast.Slice):
        return (name, "section") if place.slice.step is None else ("", "")
    return (name, "entry") if deletes else ("", "")


def _popped(statement: Any, how: str) -> Any:
    """Return a statement that takes an entry of a list out as a `pop`."""
    if how == "entry":
        (place,) = statement.targets
        taken = method(clone(place.value), "pop", clone(place.slice))
    else:
        owner, (value,) = statement.value.func.value, statement.value.args
        taken = method(clone(owner), "pop", method(clone(owner), "index", clone(value)))
    return at(gast.Expr(taken), statement)


def _new_list(statement: Any, name: str, how: str) -> Any:
    """Return what the list is after a statement, or None if that cannot be said."""
    if how == "section":
        return _joined(statement.targets[0], getattr(statement, "value", None))
    if how == "clear":
        return gast.List([], gast.Load())
    if how == "reverse":
        step = gast.UnaryOp(gast.USub(), gast.Constant(1, None))
        return subscript(load(name), gast.Slice(None, None, step))
    made = call("sorted", load(name))
    made.keywords = list(map(clone, statement.value.keywords))
    return made


def _shows_dict(value: Any) -> bool:
    return isinstance(value, (gast.Dict, gast.DictComp))


def _joined(place: Any, value: Any) -> Any:
    """Return a list with something else, or nothing, in the place of a section."""
    lower, upper = place.slice.lower, place.slice.upper
    if lower is not None and upper is not None and not _in_order(lower, upper):
        return None
    parts = []
    if lower is not None:
        parts.append(subscript(clone(place.value), gast.Slice(None, clone(lower), None)))
    if value is not None:
        parts.append(clone(value) if makes_list(value) else call("list", clone(value)))
    if upper is not None:
        parts.append(subscript(clone(place.value), gast.Slice(clone(upper), None, None)))
    joined = parts[0] if parts else gast.List([], gast.Load())
    for part in parts[1:]:
        joined = gast.BinOp(joined, gast.Add(), part)
    return joined


def _in_order(lower: Any, upper: Any) -> bool:
    """Say whether one bound surely is not behind the other: ``a[i:i]``, ``a[1:3]``."""
    if isinstance(lower, gast.Name) and is_same(lower, upper):
        return True
    first, last = integer_of(lower), integer_of(upper)
    if first is None or last is None:
        return False
    return first <= last and (first < 0) == (last < 0)


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
