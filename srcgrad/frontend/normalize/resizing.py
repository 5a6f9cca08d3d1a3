"""Knows what may get another length on the way: its `len` is not evaluated again later."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from types import FunctionType, MappingProxyType
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.operations import Reader
from srcgrad.ir.program import is_store, store_target
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import found_in, root_name, statements
from srcgrad.primitives.methods import KEEPING_LENGTH, OF_LISTS

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
