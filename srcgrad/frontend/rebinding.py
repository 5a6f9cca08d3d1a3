"""Finds the variables of modules, classes and closures that a program binds anew while it runs.

Text reads such data where the function reads it, or once when it is loaded. What is bound anew in
between would be read too late, or too early.
"""

from __future__ import annotations

import builtins
import dis
from collections.abc import Iterable, Iterator
from functools import lru_cache
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.errors import MutationError
from srcgrad.frontend.refusals import Refusals
from srcgrad.frontend.unseen import ANY, SOME_CLASS, UNSEEN, bound_through, bound_unseen, owner_of
from srcgrad.ir.packages import is_library_name
from srcgrad.ir.reach import reached_functions, values_of
from srcgrad.ir.scopes import Scope
from srcgrad.ir.walk import names_read
from srcgrad.runtime.objects import field_names, is_plain_object

_FIXED: Final = (bool, int, float, complex, str, bytes, type(None), range)
_METHODS: Final = (FunctionType, staticmethod, classmethod)
_MOST: Final = 1000
"""So many parts of a list or a dict are looked at."""

Variable = tuple[Any, str]
"""A name in a module (by that module's name), in a class, or in a cell (by identity)."""


def rebound(function: FunctionType, given: Iterable[Any] = ()) -> frozenset[Variable]:
    """Return the variables outside that a function or what it reaches by name binds.

    So with what it is given: functions, and objects with methods. ANY is in the place of what only
    the run tells. The names that the function itself declares ``global`` are not among them:
    `own_globals` sees to them, or they are refused.
    """
    every = reached_functions(function, given)
    found: set[Variable] = set() if every.are_all else {UNSEEN}
    calls_itself = function.__name__ in function.__code__.co_names
    for reached in every.functions:
        values = values_of(reached)
        found.update(bound_unseen(reached))
        for kind, owner, name in _stores(reached.__code__):
            if kind == "name" and (reached is not function or calls_itself):
                found.add((_space(reached.__globals__), name))
            elif kind == "cell" and name in reached.__code__.co_freevars:
                place = reached.__code__.co_freevars.index(name)
                found.add((id((reached.__closure__ or ())[place]), ""))
            elif kind == "attribute":
                holder = values.get(owner)
                if isinstance(holder, (ModuleType, type)):
                    found.add((owner_of(holder), name))
                elif holder is None:  # it may be one of a module or a class
                    found.update(bound_through(reached, name))
    return frozenset(found)


def binds_outside(function: FunctionType) -> bool:
    """Say whether a function, or what it reaches by name, may bind any variable outside.

    >>> def count():
    ...     global COUNT
    ...     COUNT = 1
    >>> def double(n):
    ...     return 2 * n
    >>> binds_outside(count), binds_outside(double)
    (True, False)
    """
    every = reached_functions(function)
    return not every.are_all or any(map(_binds_outside, every.functions))


def binds_names(function: FunctionType) -> bool:
    """Say whether a function, or what it reaches by name, binds names of modules or of closures."""
    stores = (item for every in reached_functions(function).functions for item in _own(every))
    return any(kind in ("name", "cell") for kind, _, _ in stores)


def _own(reached: FunctionType) -> Iterator[tuple[str, str, str]]:
    """Yield what a function binds that is not of its own calls."""
    free = reached.__code__.co_freevars
    return (item for item in _stores(reached.__code__) if item[0] != "cell" or item[2] in free)


def _binds_outside(reached: FunctionType) -> bool:
    return bool(bound_unseen(reached)) or any(True for _ in _own(reached))


def refuse_rebound(
    scope: Scope, tree: Any, variables: frozenset[Variable], refusals: Refusals
) -> None:
    """Refuse a function that reads one of these variables while it runs.

    Its defaults were read before that, where it was defined.
    """
    name = _read(scope, variables, _only_defaults(tree)) if variables else None
    if name is not None:
        what = f"this reads `{name}`, which the program binds anew while it runs"
        hint = "hand it over as an argument, and return what is new"
        refusals.add(tree, what, hint, MutationError)


def is_rebound(scope: Scope, variables: frozenset[Variable]) -> bool:
    """Say whether one of these variables is among the names that were looked up in a scope."""
    return bool(variables) and (is_unseen(variables) or _read(scope, variables) is not None)


def is_unseen(variables: frozenset[Variable]) -> bool:
    """Say whether something is bound by a name that only the run tells."""
    return UNSEEN in variables or (SOME_CLASS, ANY) in variables


def may_be_bound(owner: Any, name: str, variables: frozenset[Variable]) -> bool:
    """Say whether the name of a module or a class may be one of these variables."""
    keys = [(owner, name), (owner, ANY), (ANY, name), UNSEEN]
    if not isinstance(owner, str):
        keys += [(SOME_CLASS, name), (SOME_CLASS, ANY)]
    return not variables.isdisjoint(keys)


def _only_defaults(tree: Any) -> frozenset[str]:
    """Return the names that the defaults and annotations of a function read, and nothing else."""
    inside = {name for item in tree.body for name in names_read(item)}
    return frozenset(names_read(tree.args)) - inside


def _read(
    scope: Scope, variables: frozenset[Variable], without: frozenset[str] = frozenset()
) -> str | None:
    for (owner, name), binding in scope.dotted.items():
        key = owner if isinstance(owner, str) else owner_of(owner)
        if _is_bound(key, name, binding.value, variables):
            return name
    for name, binding in scope.used.items():
        holder = binding.holder
        if name in without:
            continue
        if isinstance(holder, CellType):
            if (id(holder), "") in variables and not callable(binding.value):
                return name
        elif (
            isinstance(holder, dict)
            and holder is not vars(builtins)
            and _is_bound(_space(holder), binding.name, binding.value, variables)
        ):
            return name
    return None


def _is_bound(owner: Any, name: str, value: Any, variables: frozenset[Variable]) -> bool:
    """Say whether data of a user's module or class may be bound anew."""
    if callable(value) or isinstance(value, ModuleType):
        return False
    if isinstance(owner, str) and is_library_name(owner):
        return False
    if may_be_bound(owner, name, variables):
        return True
    return (SOME_CLASS, ANY) in variables and not _hangs_on_no_class(value)


def _hangs_on_no_class(value: Any, depth: int = 3) -> bool:
    """Say whether a value is the same whatever attributes classes get: a number, an array.

    So is an object whose class has nothing but methods.
    """
    if isinstance(value, np.ndarray):
        return not value.dtype.hasobject
    if type(value) in _FIXED or isinstance(value, (np.generic, np.dtype)):
        return True
    parts: Iterable[Any]
    if type(value) in (list, tuple, set, frozenset):
        parts = value
    elif type(value) is dict:
        parts = value.values()
    elif is_plain_object(value) and all(map(_has_methods_alone, type(value).__mro__[:-1])):
        parts = [getattr(value, name) for name in field_names(value)]
    else:
        return False
    few = depth > 0 and len(list(parts)) <= _MOST
    return few and all(_hangs_on_no_class(part, depth - 1) for part in parts)


def _has_methods_alone(kind: type) -> bool:
    names = (name for name in vars(kind) if not name.startswith("__"))
    return all(isinstance(vars(kind)[name], _METHODS) for name in names)


def _space(namespace: dict[str, Any]) -> Any:
    return namespace.get("__name__")


_STORING: Final = frozenset(
    dis.opmap[name] for name in ("STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR", "DELETE_ATTR")
)


@lru_cache(maxsize=4096)
def _stores(code: CodeType) -> tuple[tuple[str, str, str], ...]:
    """Return what some code binds: names of the module, of closures, and attributes.

    Those of the first parameter of a method are left out: that is an object.
    """
    found: list[tuple[str, str, str]] = []
    of_class = code.co_qualname.rpartition(".")[0]
    is_method = bool(of_class) and not of_class.endswith("<locals>") and code.co_argcount > 0
    receiver = code.co_varnames[0] if is_method else None
    before: tuple[str, str] = ("", "")
    stores = not _STORING.isdisjoint(code.co_code[::2])
    for item in dis.get_instructions(code) if stores else ():
        if item.opname == "STORE_GLOBAL":
            found.append(("name", "", item.argval))
        elif item.opname == "STORE_DEREF":
            found.append(("cell", "", item.argval))
        elif item.opname in ("STORE_ATTR", "DELETE_ATTR") and before != ("local", receiver):
            found.append(("attribute", before[1] if before[0] == "free" else "", item.argval))
        before = _loaded(item)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            found += _stores(inner)
    return tuple(found)


def _loaded(item: dis.Instruction) -> tuple[str, str]:
    """Return whether an instruction puts a free name's or a variable's value on top, and which."""
    if item.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF"):
        return "free", str(item.argval)
    if item.opname.startswith(("LOAD_FAST", "STORE_FAST_LOAD_FAST")):
        return "local", str(item.argval[-1] if isinstance(item.argval, tuple) else item.argval)
    return "", ""
