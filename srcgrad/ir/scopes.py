"""Resolves names to objects, and never writes to a namespace."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from types import CellType, FunctionType, ModuleType
from typing import Any, Final, cast

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.imports import imported
from srcgrad.ir.shims import handed_on
from srcgrad.ir.walk import found_in
from srcgrad.runtime.objects import held_attribute, hides_class
from srcgrad.runtime.reporters import is_reporter

MISSING: Final = object()


#: Among the globals of a generated function: which module they are of. Each function has its own.
SPACE_OF: Final = "__srcgrad_space_of__"


@dataclass(frozen=True, slots=True)
class Binding:
    """What a free name of a function meant when the function was compiled."""

    name: str
    value: Any
    holder: Mapping[str, Any] | CellType | type

    def current(self) -> Any:
        """Return what the name means now."""
        return self.reader()(self.name, MISSING)

    def is_same_as(self, other: Binding) -> bool:
        """Say whether another is of the same name in the same place."""
        return self.holder is other.holder and self.name == other.name

    def reader(self) -> Callable[[str, Any], Any]:
        """Return what takes the name and a default and returns what the name means now."""
        if isinstance(self.holder, type):
            return self._of_class
        return self._of_cell if isinstance(self.holder, CellType) else self.holder.get

    def _of_class(self, name: str, default: Any) -> Any:
        return getattr(self.holder, name, default)

    def _of_cell(self, _name: str, default: Any) -> Any:
        try:
            return cast("CellType", self.holder).cell_contents
        except ValueError:
            return default


def has_meaning(name: str, function: FunctionType) -> bool:
    """Say whether a name that is no variable of a function means something in it.

    >>> import fractions
    >>> has_meaning("math", fractions.Fraction.limit_denominator), has_meaning("m", has_meaning)
    (True, False)
    """
    outside = name in function.__globals__ or name in function.__code__.co_freevars
    return outside or hasattr(builtins, name)


@dataclass(slots=True)
class Scope:
    """The names of one function: which are local, and what the others mean.

    Attributes:
        local: The variables that the function has as it is written.
        asks_shims: Whether objects may be asked for the functions that they hand on to: for what
            is asked again at each call, or may be wrong once a program hands on to another library.
        nothing: The free names that mean nothing, so that to read one is a NameError.
        made: The variables that the compiler has made, whatever their names mean outside.
    """

    function: FunctionType
    local: frozenset[str]
    used: dict[str, Binding] = field(default_factory=dict)
    dotted: dict[tuple[str | type, str], Binding] = field(default_factory=dict)
    nothing: set[str] = field(default_factory=set)
    made: Set[str] = frozenset()
    asks_shims: bool = False

    def lookup(self, name: str) -> Any:
        """Return the object that a free name means, or MISSING."""
        if name in self.local:
            return MISSING
        if name not in self.used or self._is_made_since(name):
            binding = None if name in self.made else self._find(name)
            if binding is None:
                return MISSING
            self.used[name] = binding
        return self.used[name].value

    def _is_made_since(self, name: str) -> bool:
        """Say whether the compiler has made a variable of a name that was asked for before."""
        if name not in self.made:
            return False
        known = self.used[name]
        return known.name == name and known.holder is self.function.__globals__

    def resolve(self, node: Any) -> Any:
        """Return the object that a dotted name means, or MISSING if only the run tells."""
        kind = node.__class__
        if kind is gast.Name:
            return self.lookup(node.id)
        if kind is gast.Attribute:
            owner = self.resolve(node.value)
            if owner is MISSING:
                return MISSING
            if isinstance(owner, (ModuleType, type, np.ufunc)):
                value = attribute_of(owner, node.attr)
                if isinstance(owner, ModuleType) and node.attr in vars(owner):
                    key = (owner.__name__, node.attr)
                    if key not in self.dotted:
                        self.dotted[key] = Binding(node.attr, value, vars(owner))
                elif isinstance(owner, type) and value is not MISSING and not callable(value):
                    self.dotted.setdefault((owner, node.attr), Binding(node.attr, value, owner))
                return value
            if _is_distribution(owner) or is_reporter(owner):
                value = getattr(owner, node.attr, MISSING)
                return value if callable(value) else MISSING
            handed = handed_on(owner, node.attr) if self.asks_shims else None
            return MISSING if handed is None else handed
        return MISSING

    def _find(self, name: str) -> Binding | None:
        function = self.function
        free = function.__code__.co_freevars
        if name in free:
            cell = (function.__closure__ or ())[free.index(name)]
            value = Binding(name, None, cell).current()
            if value is not MISSING:
                return _told(Binding(name, value, cell))
        for names in (function.__globals__, vars(builtins)):
            value = names.get(name, MISSING)
            if value is not MISSING:
                return _told(Binding(name, value, names))
        return None


def _told(binding: Binding) -> Binding | None:
    """Return a binding of a value that can be asked what it is."""
    return None if hides_class(binding.value) else binding


def _is_distribution(owner: Any) -> bool:
    """Say whether an object is one that SciPy calls functions on, as in ``stats.norm.logpdf``."""
    return type(owner).__module__.startswith("scipy.stats.") and hasattr(owner, "rvs")


def is_library_method(value: Any) -> bool:
    """Say whether a value is a method of an object of SciPy, which writes into nothing given."""
    function = held_attribute(value, "__func__")
    return _is_distribution(getattr(value, "__self__", None)) and isinstance(function, FunctionType)


_BINDERS: Final = (
    *(gast.Global, gast.Nonlocal, gast.FunctionDef, gast.ClassDef, gast.Import, gast.ImportFrom),
    *(gast.MatchAs, gast.MatchStar, gast.MatchMapping, gast.ExceptHandler),
)
"""What binds names, or says whose they are, but for the names themselves."""
_CACHE: Final = type(functools.lru_cache(maxsize=1)(lambda: None))


def uncached(value: Any) -> Any:
    """Return the function behind `functools.lru_cache`, and anything else as it is."""
    return value.__wrapped__ if type(value) is _CACHE else value


def scope_of(
    function: FunctionType, tree: Any, *, with_imports: bool = False, shims: bool = False
) -> Scope:
    """Return the scope of a function, given its tree.

    `with_imports` makes the imports inside the function, so that what they bind is known; `shims`
    asks objects for the functions that they hand on to.
    """
    local: set[str] = set()
    declared: set[str] = set()
    used: dict[str, Binding] = {}
    for node in found_in(tree, gast.Name, *_BINDERS):
        if node.__class__ is gast.Name:  # most are
            if node.ctx.__class__ is not gast.Load:
                local.add(node.id)
        elif isinstance(node, (gast.Global, gast.Nonlocal)):
            declared.update(node.names)
        elif isinstance(node, (gast.FunctionDef, gast.ClassDef)) and node is not tree:
            local.add(node.name)
        elif isinstance(node, (gast.Import, gast.ImportFrom)):
            found = imported(node, function) if with_imports else {}
            names = {(alias.asname or alias.name).split(".")[0] for alias in node.names}
            local.update(names - set(found))
            for name, binding in found.items():
                if used.setdefault(name, Binding(*binding)).value is not binding[1]:
                    local.add(name)  # it means now this, now that
        elif isinstance(node, (gast.MatchAs, gast.MatchStar)) and node.name:
            local.add(node.name)
        elif isinstance(node, gast.MatchMapping) and node.rest:
            local.add(node.rest)
        elif isinstance(node, gast.ExceptHandler) and node.name:
            local.add(node.name if isinstance(node.name, str) else node.name.id)
    local -= declared
    used = {name: binding for name, binding in used.items() if name not in local}
    return Scope(function, frozenset(local), used, asks_shims=shims)


def attribute_of(owner: Any, name: str) -> Any:
    """Return an attribute of a module or a class, or MISSING.

    A module that is imported when it is first used raises what it likes if it cannot be.
    """
    try:
        return getattr(owner, name, MISSING)
    except RecursionError:  # of ours: see `deeply`
        raise
    except Exception:  # noqa: BLE001 - the run raises it, too, where it comes by
        return MISSING
