"""Writes the numbers of a module that a function binds anew, such as counters, as its variables.

Each new value is handed to the module at once, so that it is there whatever follows.
"""

from __future__ import annotations

import sys
from types import CellType, FunctionType
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, load
from srcgrad.ir.jumps import inner_blocks
from srcgrad.ir.reach import seen_elsewhere
from srcgrad.ir.scopes import Binding
from srcgrad.ir.walk import walk

_NUMBERS: Final = (int, float)
_INNER: Final = (gast.FunctionDef, gast.Lambda, gast.ClassDef)


def name_own_globals(tree: Any, function: FunctionType) -> dict[str, Binding]:
    """Rewrite a function that declares numbers ``global``; return the names of modules in use.

    What is no number, or is seen by other functions that run meanwhile, is left as it is.
    """
    module = sys.modules.get(function.__globals__.get("__name__", ""))
    declared = [item for item in tree.body if isinstance(item, gast.Global)]
    if not declared or module is None or vars(module) is not function.__globals__:
        return {}
    taken = {node.id for node in walk(tree) if isinstance(node, gast.Name)}
    taken |= {*function.__code__.co_names, *function.__code__.co_varnames}
    seen = seen_elsewhere(function)
    bound: dict[str, Binding] = {}
    for statement in declared:
        for name in list(statement.names):
            if seen is None or name in seen or not _is_renamed(tree, name, function):
                continue
            own = _fresh(f"own_{name.lower()}", taken)
            holder = _fresh(module.__name__.rpartition(".")[2], taken - bound.keys())
            bound[holder] = Binding(holder, module, CellType(module))
            taken.add(own)
            _rename(tree, name, own, holder)
            tree.body.insert(0, at(assign(own, load(name)), statement))
            statement.names.remove(name)
    tree.body[:] = [s for s in tree.body if not isinstance(s, gast.Global) or s.names]
    return bound


def _is_renamed(tree: Any, name: str, function: FunctionType) -> bool:
    """Say whether a name is a number which only plain assignments bind."""
    value = function.__globals__.get(name)
    if type(value) not in _NUMBERS:
        return False
    inner = [node for node in walk(tree) if isinstance(node, _INNER) and node is not tree]
    if any(isinstance(n, gast.Name) and n.id == name for node in inner for n in walk(node)):
        return False
    stored = [
        node
        for node in walk(tree)
        if isinstance(node, gast.Name) and node.id == name and not isinstance(node.ctx, gast.Load)
    ]
    plain = [node for statement in walk(tree) for node in _targets(statement) if node.id == name]
    return bool(stored) and len(stored) == len(plain)


def _targets(statement: Any) -> list[Any]:
    """Return the names that a plain assignment binds, one by one."""
    if isinstance(statement, gast.AugAssign):
        return [statement.target] if isinstance(statement.target, gast.Name) else []
    if isinstance(statement, gast.Assign):
        return [target for target in statement.targets if isinstance(target, gast.Name)]
    return []


def _rename(tree: Any, name: str, own: str, holder: str) -> None:
    for node in walk(tree):
        if isinstance(node, gast.Name) and node.id == name:
            node.id = own
    _hand_on(tree.body, name, own, holder)


def _hand_on(block: list[Any], name: str, own: str, holder: str) -> None:
    """Put after each assignment of a variable one to the name in its module."""
    for place in reversed(range(len(block))):
        statement = block[place]
        for inner in inner_blocks(statement):
            _hand_on(inner, name, own, holder)
        if any(target.id == own for target in _targets(statement)):
            target = gast.Attribute(load(holder), name, gast.Store())
            block.insert(place + 1, at(gast.Assign([target], load(own), None), statement))


def _fresh(wish: str, taken: set[str]) -> str:
    name, number = wish, 1
    while name in taken:
        number += 1
        name = f"{wish}_{number}"
    return name
