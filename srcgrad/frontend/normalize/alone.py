"""Says whether a variable is the only way to what it holds when a statement runs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, Final

from srcgrad.frontend.normalize.freshness import Freshness
from srcgrad.ir import gast
from srcgrad.ir.liveness import walk_live
from srcgrad.ir.operations import Reader
from srcgrad.ir.pairs import bound_pairs
from srcgrad.ir.program import bound_by
from srcgrad.ir.walk import names_bound, names_read, root_name, statements

_SHOWN: Final = (
    *(gast.List, gast.Dict, gast.Set, gast.Tuple),
    *(gast.ListComp, gast.DictComp, gast.SetComp),
)
_OF_ARRAYS: Final = (gast.Sub, gast.Div, gast.Pow, gast.MatMult)
"""Arithmetic that no list takes part in."""
_MAKERS: Final = (list, dict, set, sorted)


class Alone:
    """The variables of one function body.

    >>> from srcgrad.compiler.doctesting import parse, reader_of
    >>> body = parse('''
    ... a, b = np.zeros(3), [1.0]
    ... last = a[1]
    ... part = b
    ... a[0] = last
    ... b[0] = part[0]
    ... ''')
    >>> reader = reader_of()
    >>> reader.scope.local |= {"a", "b"}
    >>> alone = Alone(body, [], reader)
    >>> alone.at(body[3], "a", []), alone.at(body[3], "b", []), alone.at(body[2], "a", [])
    (True, False, False)
    """

    def __init__(
        self,
        body: list[Any],
        parameters: list[str],
        reader: Reader,
        makes: Callable[[Any], bool] | None = None,
    ) -> None:
        """Take note of a body, in which some statements say themselves that they make new memory.

        Of a parameter the first statement of the body may be a copy: from then on it is a variable.
        """
        self._statements = list(statements(body))
        self._parameters = set(parameters)
        self._reader = reader
        self._fresh = Freshness(body, parameters, reader)
        self._makes = makes or (lambda _: False)
        self._live: dict[int, frozenset[str]] = {}

        def visit(statement: Any, live: set[str]) -> None:
            self._live[id(statement)] = frozenset(live)

        walk_live(body, set(), visit)
        self._copied = set(_copied_first(body))

    def at(self, statement: Any, name: str, others: list[Any]) -> bool:
        """Say it of a variable at a statement, which is given `others`, too."""
        later = self._live[id(statement)].difference(bound_by(statement))
        apart = self._is_apart(statement, name, others)
        return apart and self._sharing(name).isdisjoint(later)

    def is_array_apart(self, statement: Any, name: str, others: list[Any]) -> bool:
        """Say whether a variable is an array made here, of which `others` have no part."""
        made = [s for s in self._statements if name in bound_by(s) and not self._makes(s)]
        return self._is_apart(statement, name, others) and all(map(self._makes_array, made))

    def _is_apart(self, statement: Any, name: str, others: list[Any]) -> bool:
        """Say whether a variable is made here, and neither `others` nor loops around have it."""
        loops = [item for item in self._statements if isinstance(item, gast.For)]
        around = [item.iter for item in loops if _holds(item, statement)]
        handed = [item for item in [*others, *around] if not self._fresh.is_new(item)]
        read = {n for item in handed for n in names_read(item)}
        return self._is_own(name) and read.isdisjoint({name, *self._sharing(name)})

    def _makes_array(self, statement: Any) -> bool:
        """Say whether a statement binds one name to a new array, or changes what it is bound to."""
        if isinstance(statement, gast.AugAssign):
            return True
        value = getattr(statement, "value", None)
        if isinstance(value, gast.BinOp):
            sides = value.left, value.right
            numbers = [s for s in sides if isinstance(getattr(s, "value", None), float)]
            return isinstance(value.op, _OF_ARRAYS) or bool(numbers)
        operation = self._reader.read(value) if isinstance(value, gast.Call) else None
        if operation is None or operation.kind not in ("primitive", "constant"):
            return False
        known = self._reader.vocabulary.primitive(operation.primal)
        return known.name.startswith("numpy.") and known.gives == "array"

    def is_attempted(self, statement: Any) -> bool:
        """Say whether an error of a statement may be caught here."""
        tries = (item for item in self._statements if isinstance(item, gast.Try))
        return any(_holds(item, statement) for item in tries)

    def _is_own(self, name: str) -> bool:
        """Say whether all that a variable is bound to is made for it."""
        if name not in self._reader.scope.local:
            return False
        if name in self._parameters and name not in self._copied:
            return False
        return all(self._binds_new(item, name) for item in self._statements)

    def _binds_new(self, statement: Any, name: str) -> bool:
        """Say whether a statement does not bind a variable, or to memory of its own."""
        if self._makes(statement) or isinstance(statement, gast.AugAssign):
            return True
        if isinstance(statement, gast.Assign):
            pairs = [
                p for target in statement.targets for p in bound_pairs(target, statement.value)
            ]
            whole = len(statement.targets) == 1
            return all(
                name not in names_bound(target)
                or (whole and isinstance(target, gast.Name) and self._is_new(value))
                for target, value in pairs
            )
        return name not in _bound(statement)

    def _is_new(self, value: Any) -> bool:
        if isinstance(value, gast.IfExp):
            return self._is_new(value.body) and self._is_new(value.orelse)
        return self._fresh.is_new(value) or makes_container(value, self._reader)

    def _sharing(self, name: str) -> set[str]:
        """Return the other names that may mean what a variable holds, hold it, or lie in it."""
        found = {name}
        size = 0
        while size < len(found):
            size = len(found)
            for statement in self._statements:
                found.update(self._handed_to(statement, found))
        return found - {name}

    def _handed_to(self, statement: Any, names: set[str]) -> Iterator[str]:
        """Yield the names to which a statement may hand what one of some `names` means."""
        if self._makes(statement):
            return
        value = getattr(statement, "value", None)
        if isinstance(statement, gast.Assign):
            for target in statement.targets:
                for part, given in bound_pairs(target, value):
                    if self._hands_on(given, names):
                        yield from _reached(part)
        elif isinstance(statement, gast.AugAssign):
            if self._hands_on(value, names):
                yield from _reached(statement.target)
        elif isinstance(statement, gast.Expr) and isinstance(value, gast.Call):
            keeps = any(self._hands_on(item, names) for item in value.args)
            owner = root_name(getattr(value.func, "value", value.func))
            if keeps and owner is not None:
                yield owner
        elif isinstance(statement, gast.For) and self._hands_on(statement.iter, names):
            yield from names_bound(statement.target)
        elif isinstance(statement, (gast.With, gast.AnnAssign)):
            yield from _bound(statement)

    def _hands_on(self, value: Any, names: set[str]) -> bool:
        return not self._fresh.is_new(value) and not names.isdisjoint(names_read(value))


def makes_container(value: Any, reader: Reader) -> bool:
    """Say whether an expression makes a new list, dict or set, by what it is."""
    if isinstance(value, gast.BinOp):
        return makes_container(value.left, reader) or makes_container(value.right, reader)
    called = reader.scope.resolve(value.func) if isinstance(value, gast.Call) else None
    if isinstance(called, FunctionType):
        return reader.vocabulary.returns_new_list(called)
    return isinstance(value, _SHOWN) or any(called is maker for maker in _MAKERS)


def _copied_first(body: list[Any]) -> Iterator[str]:
    """Yield the names that a body first binds to copies of what they hold: ``x = x.copy()``."""
    for statement in itertools.dropwhile(lambda item: isinstance(item, gast.If), body):
        value = getattr(statement, "value", None)
        if not isinstance(statement, gast.Assign) or not isinstance(value, gast.Call):
            return
        name = getattr(statement.targets[0], "id", None)
        owner = getattr(getattr(value.func, "value", None), "id", "")
        if name != owner or value.func.attr != "copy":
            return
        yield owner


def _reached(target: Any) -> list[str]:
    root = root_name(target)
    return [*names_bound(target), *([] if root is None else [root])]


def _bound(statement: Any) -> list[str]:
    """Return the names that a statement of another kind than an assignment binds."""
    parts = [getattr(statement, "target", None)]
    parts += [item.optional_vars for item in getattr(statement, "items", [])]
    return [name for part in parts if part is not None for name in names_bound(part)]


def _holds(outer: Any, statement: Any) -> bool:
    return any(item is statement for item in statements([outer]))
