"""Finds which variables of a function are lists, and refuses those that are more than one thing.

What ``+``, ``*``, ``+=`` and a loop do depends on the kind of a value, which is told by name.
"""

from __future__ import annotations

from collections import defaultdict
from types import FunctionType
from typing import Any

from srcgrad.frontend.normalize.workspace import Workspace
from srcgrad.frontend.returned_iterators import makes_iterator
from srcgrad.ir import gast
from srcgrad.ir.build import load
from srcgrad.ir.packages import package_of
from srcgrad.ir.walk import found_in, names_bound, root_name, statements

_OTHERS = "a variable is a list in one place and something else in another"


def find_kinds(body: list[Any], work: Workspace) -> None:
    """Note the names that are lists, surely or by their use, and refuse those that change kind."""
    bindings = _bindings(body, work)
    given = work.arrays = _made_of_arguments(bindings, work)
    size = -1
    while size != (size := len(work.lists)):
        for name, values in bindings.items():
            if any(value is not None and work.is_list(value) for value in values):
                work.lists.add(name)
    _find_sure(bindings, work)
    _find_numbered(body, bindings, work)
    _find_unindexed(bindings, work)
    work.arrays = given | {
        n for n, values in bindings.items() if any(_of_numpy(v, work) for v in values)
    }
    counted = {n for n, values in bindings.items() if all(_counts(v, work) for v in values)}
    work.counted = counted.difference(_parameters(work))
    _find_parted(bindings, work)
    work.held.difference_update(bindings)
    for name in sorted(work.lists):
        other = next((v for v in bindings[name] if _is_other(v, work)), None)
        if other is not None and work.varies.of(load(name)):
            work.refusals.add(other, _OTHERS, "give the two values names of their own")


def _made_of_arguments(bindings: dict[str, list[Any]], work: Workspace) -> set[str]:
    """Return the arguments with derivatives, and what nothing but arithmetic with such is bound to.

    That an argument is a list, where arithmetic joins it, is asked of the call by `joins_of`.
    """
    given = {name for name in _parameters(work) if work.varies.of(load(name))}
    work.arrays = given.union(bindings).difference(_parameters(work), work.lists) | given
    work.arrays -= work.lists
    size = -1
    while size != (size := len(work.arrays)):
        for name in sorted(work.arrays):
            if not all(v is not None and work.is_array(v) for v in bindings.get(name, ())):
                work.arrays.discard(name)
    return work.arrays


def _find_parted(bindings: dict[str, list[Any]], work: Workspace) -> None:
    """Note the names of lists of parts of one array, as `np.split` gives them."""
    size = -1
    while size != (size := len(work.parted)):
        for name, values in bindings.items():
            if any(value is not None and _parts(value, work) for value in values):
                work.parted.add(name)


def _parts(value: Any, work: Workspace) -> bool:
    if isinstance(value, gast.Name):
        return value.id in work.parted
    if isinstance(value, gast.Subscript):
        return isinstance(value.slice, gast.Slice) and _parts(value.value, work)
    if not isinstance(value, gast.Call):
        return False
    callee = work.reader.scope.resolve(value.func)
    return work.reader.vocabulary.primitive(callee).is_split


def _find_numbered(body: list[Any], bindings: dict[str, list[Any]], work: Workspace) -> None:
    """Note the lists into which nothing is put but what arithmetic gives."""
    entries: dict[str, list[Any]] = defaultdict(list)
    for name in work.sure:
        for value in bindings[name]:
            parts = (
                [value.elt] if isinstance(value, gast.ListComp) else getattr(value, "elts", [None])
            )
            entries[name].extend(parts)
    for statement in body if entries else ():
        for node in found_in(statement, gast.Call, gast.Subscript):
            func = node.func if isinstance(node, gast.Call) else None
            if isinstance(func, gast.Attribute) and getattr(func.value, "id", "") in entries:
                appends = func.attr == "append" and len(node.args) == 1
                entries[func.value.id].append(node.args[0] if appends else None)
            if isinstance(node, gast.Subscript) and isinstance(node.ctx, gast.Store):
                entries.pop(root_name(node) or "", None)
    work.numbered = {
        name for name, parts in entries.items() if all(_counts(v, work) for v in parts)
    }


def _counts(value: Any, work: Workspace) -> bool:
    """Say whether a value is a number, or an array, by what has made it."""
    if isinstance(value, gast.Constant):
        return type(value.value) in (int, float)
    if isinstance(value, gast.Call):
        return _of_numpy(value, work) or work.reader.scope.resolve(value.func) in (abs, float)
    return isinstance(value, (gast.BinOp, gast.UnaryOp)) and not work.is_list(value)


def _find_unindexed(bindings: dict[str, list[Any]], work: Workspace) -> None:
    """Note the names of sets, which have no positions, and of iterators, which are used up."""
    for name, values in bindings.items():
        callees = [
            work.reader.scope.resolve(getattr(v, "func", v)) for v in values if v is not None
        ]
        if any(isinstance(v, (gast.Set, gast.SetComp)) for v in values) or any(
            callee is kind for callee in callees for kind in (set, frozenset)
        ):
            work.unordered.add(name)
        if any(isinstance(v, gast.GeneratorExp) for v in values) or any(
            makes_iterator(callee) for callee in callees
        ):
            work.used_up.add(name)


def _find_sure(bindings: dict[str, list[Any]], work: Workspace) -> None:
    """Leave the names all of whose bindings are lists, which may stem from each other."""
    work.sure = work.lists - set(_parameters(work))
    size = -1
    while size != (size := len(work.sure)):
        for name in sorted(work.sure):
            if not all(_may_be_joined(v, work) for v in bindings[name]):
                work.sure.discard(name)


def _parameters(work: Workspace) -> tuple[str, ...]:
    code = work.reader.scope.function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _may_be_joined(value: Any, work: Workspace) -> bool:
    """Say whether a value is a list, or None, which Python joins to nothing."""
    is_none = isinstance(value, gast.Constant) and value.value is None
    return value is not None and (is_none or work.is_surely_list(value))


def _bindings(body: list[Any], work: Workspace) -> dict[str, list[Any]]:
    """Return what is bound to each name; None for what is not told here."""
    found: dict[str, list[Any]] = defaultdict(list)
    for statement in statements(body):
        if isinstance(statement, gast.Assign):
            for target in statement.targets:
                _bind(target, _written_out(statement.value, target, work), found)
        elif isinstance(statement, gast.AugAssign) and isinstance(statement.target, gast.Name):
            name = statement.target.id
            found[name].append(gast.BinOp(load(name), statement.op, statement.value))
        elif isinstance(statement, gast.For):
            for name in names_bound(statement.target):
                found[name].append(None)
    return found


def _written_out(value: Any, target: Any, work: Workspace) -> Any:
    """Return a call that is taken apart as a tuple, if it returns lists in one: those are shown."""
    callee = work.reader.scope.resolve(value.func) if isinstance(value, gast.Call) else None
    if not isinstance(target, gast.Tuple) or not isinstance(callee, FunctionType):
        return value
    places = work.reader.vocabulary.lists_returned(callee)
    if not places or any(isinstance(item, gast.Starred) for item in target.elts):
        return value
    empty = gast.List([], gast.Load())
    return gast.Tuple(
        [empty if k in places else None for k in range(len(target.elts))], gast.Load()
    )


def _bind(target: Any, value: Any, found: dict[str, list[Any]]) -> None:
    if isinstance(target, gast.Name):
        found[target.id].append(value)
    elif isinstance(target, (gast.Tuple, gast.List)):
        known = isinstance(value, (gast.Tuple, gast.List)) and len(value.elts) == len(target.elts)
        for position, item in enumerate(target.elts):
            if isinstance(item, gast.Starred):
                _bind(item.value, gast.List([], gast.Load()), found)
            else:
                _bind(item, value.elts[position] if known else None, found)


def _is_other(value: Any, work: Workspace) -> bool:
    """Say whether a value is surely no list: a number, a dict or what NumPy returns."""
    if isinstance(value, gast.Constant):
        return type(value.value) in (int, float)
    if isinstance(value, (gast.Dict, gast.DictComp, gast.UnaryOp)):
        return True
    if isinstance(value, gast.BinOp) and not isinstance(value.op, (gast.Add, gast.Mult)):
        return True
    return _of_numpy(value, work)


def _of_numpy(value: Any, work: Workspace) -> bool:
    if not isinstance(value, gast.Call):
        return False
    callee = work.reader.scope.resolve(value.func)
    return package_of(callee) == "numpy"
