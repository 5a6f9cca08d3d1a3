"""Says whether what a property gives stays the same as long as a program runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from srcgrad.by_text import BY_TEXT
from srcgrad.frontend.remembered import tree_to_read
from srcgrad.ir import gast
from srcgrad.ir.packages import is_library_name
from srcgrad.ir.reach import reached_functions
from srcgrad.ir.scopes import MISSING, Scope, scope_of
from srcgrad.ir.shims import handed_on
from srcgrad.ir.walk import root_name, walk
from srcgrad.primitives.methods import OF_LISTS, SHAPERS, WRITING

_BINDERS: Final = BY_TEXT - {"getattr", "import_module", "modules"}
_OF_DICTS: Final = SHAPERS - OF_LISTS - {"remove", "sort", "reverse"}
_DISPLAYS: Final = (gast.List, gast.Dict, gast.Set, gast.ListComp, gast.DictComp, gast.BinOp)


def stays(kind: type, function: Any, given: Iterable[Any]) -> bool:
    """Say whether a function puts nothing into objects of a class, nor into other things.

    What special methods of the class do to give what they are asked for counts for nothing: they
    fill what is empty. Others of its methods count if they are called by their names.

    >>> class Shelf:
    ...     def __init__(self):
    ...         self.held = {}
    ...     def __getitem__(self, name):
    ...         return self.held.setdefault(name, name)
    ...     def put(self, name):
    ...         self.held[name] = ""
    >>> def f(shelf):
    ...     return shelf["a"]
    >>> def g(shelf):
    ...     return shelf.put("a"), shelf["a"]
    >>> stays(Shelf, f, [Shelf()]), stays(Shelf, g, [Shelf()])
    (True, False)
    """
    running = _running([kind], function, given)
    return running is not None and not any(map(stores, running))


def leaves(
    names: Collection[str], kinds: Iterable[type], function: Any, given: Iterable[Any]
) -> bool:
    """Say whether a function binds none of some attributes and keys, whatever they are of.

    Methods of the classes `kinds` count if they are called by their names.
    """
    running = _running(kinds, function, given)
    return running is not None and not any(_binds(item, names) for item in running)


def _running(
    kinds: Iterable[type], function: Any, given: Iterable[Any]
) -> list[FunctionType] | None:
    """Return what may run with a function, of some classes only what is called by its name."""
    reached = reached_functions(function, given)
    if not reached.are_all:
        return None
    own = {name: item for kind in kinds for name, item in _methods(kind)}
    others = [item for item in reached.functions if item not in own.values()]
    named = {name for item in others for name in _names(item.__code__)}
    called = [item for name, item in own.items() if name in named and not _is_special(name)]
    for item in called:
        inner = set(_names(item.__code__)) - named
        named |= inner
        called += [own[name] for name in inner if name in own and not _is_special(name)]
    return [*others, *called]


def _binds(function: FunctionType, names: Collection[str]) -> bool:
    """Say whether a function may bind an attribute or a key that has one of some names."""
    tree = tree_to_read(function)
    if tree is None:
        return True
    nodes = list(walk(tree))
    places = [node for node in nodes if isinstance(node, gast.Attribute)]
    named = [node for node in places if node.attr in names]
    keyed = [n for n in nodes if isinstance(n, gast.Subscript) and _key_of(n) in names]
    changes = bool(named) and any(node.attr in _OF_DICTS for node in places)  # under any name
    binds = any(isinstance(node, gast.Name) and node.id in _BINDERS for node in nodes)
    return binds or changes or any(map(_is_bound, (*named, *keyed)))


def _key_of(place: Any) -> Any:
    key = getattr(place.slice, "value", None)
    return key if isinstance(key, str) else None


def _is_bound(place: Any) -> bool:
    return not isinstance(place.ctx, gast.Load)


def _methods(kind: type) -> Iterator[tuple[str, FunctionType]]:
    """Yield the methods and properties of a class, with those of the classes above it."""
    for base in reversed(kind.__mro__):
        for name, item in vars(base).items():
            for part in (item, *(getattr(item, key, None) for key in ("fget", "__func__"))):
                if isinstance(part, FunctionType):
                    yield name, part


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names in some code, and its texts: by those methods are asked for, too."""
    yield from code.co_names
    for item in code.co_consts:
        if isinstance(item, CodeType):
            yield from _names(item)
        elif isinstance(item, str):
            yield item


def stores(function: FunctionType) -> bool:
    """Say whether a function stores something in what it has not made itself."""
    tree = tree_to_read(function)
    if tree is None:
        return True
    scope = scope_of(function, tree, with_imports=True, shims=True)
    return _Stores(scope, tree, makes=tree.name == "__init__" or _sets_property(function)).any()


def _sets_property(function: FunctionType) -> bool:
    """Say whether a function sets a property: what sets one of an object that is there, stores."""
    owner: Any = function.__globals__
    for name in function.__qualname__.split(".")[:-1]:
        owner = (owner if isinstance(owner, dict) else vars(owner)).get(name)
        if not isinstance(owner, type):
            return False
    found = None if isinstance(owner, dict) else vars(owner).get(function.__name__)
    return isinstance(found, property) and function in (found.fset, found.fdel)


class _Stores:
    """Looks for the stores in one function."""

    def __init__(self, scope: Scope, tree: Any, *, makes: bool) -> None:
        self._scope = scope
        self._nodes = list(walk(tree))
        first = next((item.id for item in tree.args.args), "")
        self._receiver = first if makes else ""  # an object that is made
        self._made: dict[str, list[Any]] = defaultdict(list)
        plain = {
            id(node.targets[0]): node.value for node in self._nodes if isinstance(node, gast.Assign)
        }
        for node in self._nodes:
            if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
                self._made[node.id].append(plain.get(id(node)))

    def any(self) -> bool:
        """Say whether there is one."""
        return any(map(self._is_one, self._nodes))

    def _is_one(self, node: Any) -> bool:
        if isinstance(node, gast.Name):
            return node.id in _BINDERS
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute):
            writes = node.func.attr in WRITING and not self._is_of_library(node.func)
            return writes and not (self._is_fresh(node.func.value) or self._is_unbound(node.func))
        if not isinstance(node, (gast.Attribute, gast.Subscript)):
            return False
        if isinstance(node.ctx, gast.Load):
            return isinstance(node, gast.Attribute) and node.attr in _BINDERS
        if isinstance(node, gast.Attribute):
            return not self._receiver or root_name(node.value) != self._receiver
        return not self._is_fresh(node.value)

    def _is_of_library(self, func: Any) -> bool:
        """Say whether a method is a function of a library: of a module, or handed on to one."""
        owner = self._scope.resolve(func.value)
        return isinstance(owner, ModuleType) or handed_on(owner, func.attr) is not None

    def _is_fresh(self, place: Any) -> bool:
        """Say whether a place is a name of lists, dicts or arrays that are made here, alone."""
        made = self._made.get(place.id, []) if isinstance(place, gast.Name) else []
        return bool(made) and all(map(self._makes, made))

    def _is_unbound(self, place: Any) -> bool:
        """Say whether a place is in nothing, or None: a library that is not installed."""
        name = root_name(place)
        if name is None or name in self._scope.local:
            return False
        found = self._scope.lookup(name)
        return found is MISSING or found is None

    def _makes(self, value: Any) -> bool:
        if isinstance(value, gast.Call):
            callee = self._scope.resolve(value.func)
            kind = callee if isinstance(callee, type) else type(callee)
            return is_library_name(getattr(callee, "__module__", kind.__module__) or "")
        return isinstance(value, _DISPLAYS)
