"""Knows what may get another length on the way: its `len` is not evaluated again later."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from types import FunctionType, MappingProxyType
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.operations import Reader
from srcgrad.ir.program import is_store, store_target
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import found_in, names_bound, names_read, root_name, statements
from srcgrad.primitives.methods import KEEPING_LENGTH, OF_LISTS, SHAPERS

_HOLDING: Final = (gast.List, gast.Tuple, gast.Dict, gast.ListComp, gast.Call)
_KEEPING: Final = KEEPING_LENGTH.union(*map(dir, (frozenset, MappingProxyType, tuple, str)))


def resized(body: list[Any], known: Collection[str], reader: Reader) -> set[str]:
    """Return the names whose `len` is asked for, and may be another one later.

    Lists that grow are followed elsewhere, by all their names. Of what else has methods, is given
    to a function or stored into, as sets and dicts are, nobody knows the other names: then all
    that is not among the `known` arrays, lists and parameters may change.

    >>> from srcgrad.compiler.doctesting import reader_of
    >>> reader = reader_of()
    >>> reader.scope.local |= {"s", "t", "a"}
    >>> body = gast.parse("n = len(s) + len(a); t = s; k = t.pop()").body
    >>> resized(body, {"a"}, reader)
    {'s'}
    >>> resized(gast.parse("n = len(s); a.fill(1)").body, {"a"}, reader)
    set()
    """
    calls = [call for statement in body for call in found_in(statement, gast.Call)]
    asked = {name for call in calls for name in _asked(call)} - {*known, ""}
    if not asked:
        return asked
    changed = {name for call in calls for name in _changed(call, reader)}
    changed.update(name for statement in statements(body) for name in _stored(statement))
    return set() if changed <= {*known} else asked


def growing_parts(body: list[Any], arrays: Collection[str], reader: Reader) -> set[str] | None:
    """Return the counted lists that may grow or shrink by other names; None if none do.

    Those are put into other lists, or read out of such, under whatever name. Where that may be,
    what is read out in the middle of an expression may have another length later, too.

    >>> from srcgrad.compiler.doctesting import reader_of
    >>> body = gast.parse("u = [y]; c = u[0]; n = len(y); c.append(n); v.append(n)").body
    >>> sorted(growing_parts(body, set(), reader_of()))
    ['y']
    >>> growing_parts(gast.parse("c = []; c.append(1)").body, set(), reader_of()) is None
    True
    """
    calls = [call for statement in body for call in found_in(statement, gast.Call)]
    growing = {_grown(call) for call in calls} - {None}
    reached = (_held(body, reader) | _read_out(body)) - {*arrays} if growing else set()
    if "" not in growing and growing.isdisjoint(reached):
        return None
    runs = [n.iter for item in body for n in found_in(item, gast.For, gast.comprehension)]
    runs = [run for run in runs if reader.scope.resolve(getattr(run, "func", run)) is not range]
    counted = {name for run in runs for name in names_read(run)}
    return reached & counted.union(name for call in calls for name in _asked(call))


def _held(body: list[Any], reader: Reader) -> set[str]:
    """Return the names of what is put into lists and the like, given to functions, or renamed."""
    found: set[str] = set()
    for statement in body:
        for node in found_in(statement, *_HOLDING):
            items = [*getattr(node, "elts", ()), *getattr(node, "values", ())]
            items += [getattr(node, "elt", None)]
            items += node.args if isinstance(node, gast.Call) and _keeps(node, reader) else []
            found.update(item.id for item in items if isinstance(item, gast.Name))
    for item in statements(body):
        if isinstance(item, gast.Assign) and isinstance(item.value, gast.Name):
            found.update((item.value.id, *(n for part in item.targets for n in names_bound(part))))
    return found


def _read_out(body: list[Any]) -> set[str]:
    """Return the names of what is read, or unpacked, out of lists and the like."""
    found: set[str] = set()
    for statement in body:
        for node in found_in(statement, gast.Assign, gast.For, gast.comprehension):
            reads = isinstance(getattr(node, "value", None), gast.Subscript)
            for target in getattr(node, "targets", None) or [node.target]:
                whole = isinstance(node, gast.Assign) and isinstance(target, gast.Name)
                found.update(names_bound(target) if reads or not whole else ())
    return found


def _keeps(call: Any, reader: Reader) -> bool:
    """Say whether a call may keep what it is given, or give it back."""
    callee = reader.scope.resolve(call.func)
    return callee is MISSING or not (
        getattr(callee, "__module__", "") == "builtins" or reader.vocabulary.rule_for(callee)
    )


def _grown(call: Any) -> str | None:
    """Return the name of a list that a call makes longer or shorter; an empty one of a part."""
    if not isinstance(call.func, gast.Attribute) or call.func.attr not in SHAPERS:
        return None
    return getattr(call.func.value, "id", "")


def _asked(call: Any) -> Iterator[str]:
    """Yield the name whose length a call asks for."""
    if call.args and getattr(call.func, "id", "") == "len":
        yield getattr(call.args[0], "id", "")


def _changed(call: Any, reader: Reader) -> Iterator[str]:
    """Yield the name of what a call may lengthen or shorten; an empty one of all else."""
    callee = reader.scope.resolve(call.func)
    if callee is not MISSING:
        if not _keeps_lengths(callee, reader):
            yield ""
    elif isinstance(call.func, gast.Attribute):
        word, owner = call.func.attr, getattr(call.func.value, "id", "")
        followed = not owner and word in OF_LISTS  # a list that lies in another
        vocabulary = reader.vocabulary
        gives = word in vocabulary.methods or word in vocabulary.constant_methods
        if not (followed or gives or word in _KEEPING):
            yield owner
    else:
        yield ""


def _keeps_lengths(callee: Any, reader: Reader) -> bool:
    """Say whether a function makes nothing longer or shorter that it is given or reaches."""
    if isinstance(callee, type) or getattr(callee, "__module__", "") == "builtins":
        return True
    vocabulary = reader.vocabulary
    if vocabulary.rule_for(callee) or vocabulary.constant_reason(callee) is not None:
        return True
    return isinstance(callee, FunctionType) and vocabulary.how_written(callee) is None


def _stored(statement: Any) -> Iterator[str]:
    """Yield the names of what a statement stores into, or deletes entries of."""
    targets = statement.targets if isinstance(statement, gast.Delete) else []
    if is_store(statement):
        targets = [store_target(statement)]
    for target in targets:
        if isinstance(target, gast.Subscript):
            yield root_name(target) or ""
