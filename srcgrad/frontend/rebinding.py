"""Finds the variables of modules, classes and closures that a program binds anew while it runs.

Text reads such data where the function reads it, or once when it is loaded. What is bound anew in
between would be read too late, or too early.
"""

from __future__ import annotations

import dis
from functools import lru_cache
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, Final

from srcgrad.errors import MutationError
from srcgrad.frontend.refusals import Refusals
from srcgrad.ir.reach import reached_functions, values_of
from srcgrad.ir.scopes import Scope

Variable = tuple[Any, str]
"""A name in a module (by that module's name), in a class, or in a cell (by identity)."""

UNSEEN: Final[Variable] = ("*", "")
"""Stands for variables that something binds by names which only the run tells."""
_BINDERS: Final = frozenset(["setattr", "globals", "vars", "__dict__", "exec", "modules"])


def rebound(function: FunctionType) -> frozenset[Variable]:
    """Return the variables outside that a function or what it reaches by name binds.

    UNSEEN is among them if there may be others. The names that the function itself declares
    ``global`` are not: `own_globals` sees to them, or they are refused.
    """
    found: set[Variable] = set()
    calls_itself = function.__name__ in function.__code__.co_names
    for reached in reached_functions(function):
        values = values_of(reached)
        if not _BINDERS.isdisjoint(_names(reached.__code__)):
            found.add(UNSEEN)
        for kind, owner, name in _stores(reached.__code__):
            if kind == "name" and (reached is not function or calls_itself):
                found.add((_space(reached.__globals__), name))
            elif kind == "cell" and name in reached.__code__.co_freevars:
                place = reached.__code__.co_freevars.index(name)
                found.add((id((reached.__closure__ or ())[place]), ""))
            elif kind == "attribute":
                holder = values.get(owner)
                if isinstance(holder, (ModuleType, type)):
                    found.add((_owner(holder), name))
    return frozenset(found)


def refuse_rebound(
    scope: Scope, tree: Any, variables: frozenset[Variable], refusals: Refusals
) -> None:
    """Refuse a function that reads one of these variables."""
    name = _read(scope, variables) if variables else None
    if name is not None:
        what = f"this reads `{name}`, which the program binds anew while it runs"
        hint = "hand it over as an argument, and return what is new"
        refusals.add(tree, what, hint, MutationError)


def is_rebound(scope: Scope, variables: frozenset[Variable]) -> bool:
    """Say whether one of these variables is among the names that were looked up in a scope."""
    return bool(variables) and (UNSEEN in variables or _read(scope, variables) is not None)


def _read(scope: Scope, variables: frozenset[Variable]) -> str | None:
    for (owner, name), binding in scope.dotted.items():
        key = owner if isinstance(owner, str) else _owner(owner)
        if (key, name) in variables and not callable(binding.value):
            return name
    for name, binding in scope.used.items():
        holder = binding.holder
        key = (id(holder), "") if isinstance(holder, CellType) else None
        if key is None and isinstance(holder, dict):
            key = (_space(holder), binding.name)
        if key in variables and not callable(binding.value):
            return name
    return None


def _owner(holder: Any) -> Any:
    return holder.__name__ if isinstance(holder, ModuleType) else id(holder)


def _space(namespace: dict[str, Any]) -> Any:
    return namespace.get("__name__")


@lru_cache(maxsize=4096)
def _names(code: CodeType) -> frozenset[str]:
    """Return the names of globals and attributes in some code."""
    inner = [_names(item) for item in code.co_consts if isinstance(item, CodeType)]
    return frozenset(code.co_names).union(*inner)


@lru_cache(maxsize=4096)
def _stores(code: CodeType) -> tuple[tuple[str, str, str], ...]:
    """Return what some code binds: names of the module, of closures, and attributes of names."""
    found: list[tuple[str, str, str]] = []
    before = ""
    for item in dis.get_instructions(code):
        if item.opname == "STORE_GLOBAL":
            found.append(("name", "", item.argval))
        elif item.opname == "STORE_DEREF":
            found.append(("cell", "", item.argval))
        elif item.opname == "STORE_ATTR" and before:
            found.append(("attribute", before, item.argval))
        loads = item.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF")
        before = str(item.argval) if loads else ""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            found += _stores(inner)
    return tuple(found)
