"""Finds what binds variables of modules and classes by other ways than their names.

``setattr(settings, "units", v)`` and ``globals()["RATE"] = v`` are told by their texts; what is
written through a dict that was kept, or by `exec`, only the run tells.
"""

from __future__ import annotations

import copy
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from srcgrad.frontend.remembered import nothing_changes, tree_to_read
from srcgrad.ir import gast
from srcgrad.ir.scopes import MISSING, Scope, scope_of
from srcgrad.ir.walk import walk

ANY: Final = "*"
"""Stands for the owner of a variable, or for its name, where only the run tells."""
SOME_CLASS: Final = "*class"
"""Stands for the owner of a variable that is a class, where only the run tells which."""
UNSEEN: Final = (ANY, ANY)
"""Stands for variables that something binds by names which only the run tells."""

_SETTERS: Final = ("setattr", "delattr", "__setattr__", "__delattr__")
_SPACES: Final = ("globals", "vars", "__dict__")
_BINDERS: Final = frozenset((*_SETTERS, *_SPACES, "locals", "exec", "eval", "modules"))
_RECEIVER: Final = object()
"""Stands for what a method is called on."""
_LOOKING: Final = frozenset(("get", "items", "keys", "values", "copy"))


def bound_unseen(function: FunctionType) -> frozenset[tuple[Any, str]]:
    """Return the owners and names of variables that a function binds by other ways than names.

    ANY is in the place of an owner, or of a name, that only the run tells; of an owner that is
    surely a class, SOME_CLASS.

    >>> def f(x):
    ...     globals()["RATE"] = x
    ...     return vars(x).get("rate")
    >>> found = bound_unseen(f)
    >>> [name for _, name in found]
    ['RATE']
    """
    if _BINDERS.isdisjoint(_names(function.__code__)) or _is_of_fields(function):
        return frozenset()
    finder = _finder(function)
    return frozenset([UNSEEN]) if finder is None else frozenset(finder.found())


def bound_through(function: FunctionType, name: str) -> frozenset[tuple[Any, str]]:
    """Return the owners of an attribute that a function binds, by whatever expressions.

    >>> def f(x):
    ...     made = Exception()
    ...     made.rate = x.rate = 2.0
    >>> bound_through(f, "rate")
    frozenset({('*', 'rate')})
    """
    finder = _finder(function)
    return frozenset([(ANY, name)] if finder is None else finder.through(name))


def _finder(function: FunctionType) -> _Finder | None:
    """Return what goes through a function; None if its source is not known."""
    with nothing_changes() as memory:

        def find() -> _Finder | None:
            tree = tree_to_read(function)
            if tree is None:
                return None
            return _Finder(scope_of(function, tree, with_imports=True), tree)

        found: _Finder | None = memory.found("unseen", function, find)
        return found


def owner_of(holder: Any) -> Any:
    """Return what stands for a module or a class among variables."""
    return holder.__name__ if isinstance(holder, ModuleType) else id(holder)


def _is_of_fields(function: FunctionType) -> bool:
    """Say whether a function is a method that `dataclass` and its like have made."""
    name = function.__name__
    return function.__code__.co_filename.startswith("<") and name.startswith("__")


class _Finder:
    """Goes through the text of one function."""

    def __init__(self, scope: Scope, tree: Any) -> None:
        self._scope = scope
        self._nodes = list(walk(tree))
        self._above = {id(part): node for node in self._nodes for part in _parts(node)}
        self._made: dict[str, list[Any]] = defaultdict(list)
        for node in self._nodes:
            if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
                above = self._over(node)
                plain = isinstance(above, gast.Assign) and node in above.targets
                self._made[node.id].append(above.value if plain else None)
        args = [*tree.args.posonlyargs, *tree.args.args]
        names = scope.function.__qualname__.split(".")
        if args and len(names) > 1 and names[-2] != "<locals>":  # of a method: an object
            self._made[args[0].id].remove(None)
            self._made[args[0].id].append(_RECEIVER)

    def _over(self, node: Any) -> Any:
        """Return the node that a node is a part of."""
        return self._above.get(id(node))

    def found(self) -> Iterator[tuple[Any, str]]:
        """Yield the variables."""
        for node in self._nodes:
            if isinstance(node, gast.Name):
                yield from self._by_name(node)
            elif isinstance(node, gast.Attribute):
                yield from self._by_attribute(node)

    def through(self, name: str) -> Iterator[tuple[Any, str]]:
        """Yield the owners of an attribute that is bound."""
        for node in self._nodes:
            if isinstance(node, gast.Attribute) and node.attr == name:
                key = None if isinstance(node.ctx, gast.Load) else self._owner(node.value)
                if key is not None:
                    yield key, name

    def _by_name(self, node: Any) -> Iterator[tuple[Any, str]]:
        meaning = self._scope.lookup(node.id)
        call = self._over(node)
        is_called = isinstance(call, gast.Call) and call.func is node
        if _is_one(meaning, exec, eval, sys.modules):
            yield UNSEEN
        elif _is_one(meaning, setattr, delattr):
            known = is_called and len(call.args) >= 2
            yield from self._set(call.args[0], call.args[1]) if known else [UNSEEN]
        elif meaning is globals:
            space = self._scope.function.__globals__.get("__name__", ANY)
            yield from self._through(space, call) if is_called else [UNSEEN]
        elif _is_one(meaning, vars, locals):
            if not is_called:
                yield UNSEEN
            elif call.args:
                yield from self._of_space(call.args[0], call)

    def _by_attribute(self, node: Any) -> Iterator[tuple[Any, str]]:
        if node.attr == "__dict__":
            yield from self._of_space(node.value, node)
        elif node.attr == "modules" and self._scope.resolve(node) is sys.modules:
            yield from self._of_modules(node)
        elif node.attr in _SETTERS:
            call = self._over(node)
            args = call.args if isinstance(call, gast.Call) and call.func is node else []
            own = _is_one(self._scope.resolve(node.value), object, type) or len(args) > 2
            if len(args) < 2:
                yield UNSEEN
            else:  # ``object.__setattr__(self, name, value)``, or ``self.__setattr__(name, value)``
                yield from self._set(args[0], args[1]) if own else self._set(node.value, args[0])

    def _set(self, owner: Any, name: Any) -> Iterator[tuple[Any, str]]:
        """Yield what ``setattr(owner, name, v)`` binds."""
        said = name.value if isinstance(getattr(name, "value", None), str) else ANY
        key = self._owner(owner)
        if key is not None:
            yield key, said

    def _owner(self, node: Any) -> Any:
        """Return what stands for an owner; None for an object, which is no module and no class."""
        meaning = self._scope.resolve(node)
        if isinstance(meaning, (ModuleType, type)):
            return owner_of(meaning)
        if self._is_class_of_one(node):
            return SOME_CLASS
        return None if meaning is not MISSING or self._is_object(node) else ANY

    def _is_class_of_one(self, node: Any) -> bool:
        """Say whether a node is ``type(x)``, or ``self.__class__``."""
        if isinstance(node, gast.Attribute):
            return bool(node.attr == "__class__")
        asks = isinstance(node, gast.Call) and len(node.args) == 1 and not node.keywords
        return asks and _is_one(self._scope.resolve(node.func), type)

    def _is_object(self, node: Any) -> bool:
        """Say whether a name means nothing but the object of a method, or others made here."""
        made = self._made.get(getattr(node, "id", ""), [])
        return bool(made) and all(item is _RECEIVER or self._makes_object(item) for item in made)

    def _makes_object(self, value: Any) -> bool:
        if not isinstance(value, gast.Call):
            return False
        maker = self._scope.resolve(value.func)
        if isinstance(maker, type):
            return not issubclass(maker, (type, ModuleType))
        of_object = _is_one(maker, copy.copy, copy.deepcopy)  # noqa: TID251 - it is asked for
        return of_object and bool(value.args) and self._is_object(value.args[0])

    def _of_space(self, owner: Any, space: Any) -> Iterator[tuple[Any, str]]:
        key = self._owner(owner)
        if key is not None:
            yield from self._through(key, space)

    def _through(self, owner: Any, space: Any) -> Iterator[tuple[Any, str]]:
        """Yield what is bound through the dict of the names of an owner."""
        above = self._over(space)
        if isinstance(above, gast.Subscript) and above.value is space:
            if not isinstance(above.ctx, gast.Load):
                name = getattr(above.slice, "value", None)
                yield owner, name if isinstance(name, str) else ANY
        elif not (
            (isinstance(above, gast.Attribute) and above.attr in _LOOKING)
            or isinstance(above, gast.Compare)
        ):
            yield owner, ANY

    def _of_modules(self, node: Any) -> Iterator[tuple[Any, str]]:
        """Yield what is bound through ``sys.modules``: of a module there, attributes show that."""
        above = self._over(node)
        taken = isinstance(above, gast.Subscript) and isinstance(above.ctx, gast.Load)
        looked = isinstance(above, gast.Attribute) and above.attr in _LOOKING
        if not (taken or looked or isinstance(above, gast.Compare)):
            yield UNSEEN


def _is_one(value: Any, *others: Any) -> bool:
    """Say whether a value, of which nobody asks for equality, is one of some."""
    return any(value is other for other in others)


def _parts(node: Any) -> Iterator[Any]:
    for _, value in gast.iter_fields(node):
        yield from (value if isinstance(value, list) else [value])


@lru_cache(maxsize=4096)
def _names(code: CodeType) -> frozenset[str]:
    """Return the names of globals and attributes in some code."""
    inner = [_names(item) for item in code.co_consts if isinstance(item, CodeType)]
    return frozenset(code.co_names).union(*inner)
