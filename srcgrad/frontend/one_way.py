"""Says whether objects whose fields are written, and their arrays, are reached in one way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from types import (
    BuiltinFunctionType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, Final

import numpy as np

from srcgrad.frontend.source import Entry, Path
from srcgrad.runtime.objects import held_by

_MOST: Final = 20_000
"""Values that are looked through: whoever reaches more may reach anything."""
_NEVER_CHANGED: Final = frozenset((str, bytes, bool, int, float, complex, type(None))).union(
    (FunctionType, staticmethod, classmethod, property, ModuleType, BuiltinFunctionType),
    (WrapperDescriptorType, MemberDescriptorType, GetSetDescriptorType, MethodDescriptorType),
)
"""The types of what is no memory, and leads to none; most of what a class holds is of these."""


def is_reached_twice(
    first: Any, path: Path, fields: Collection[Any] | None, others: Iterable[Any]
) -> bool:
    """Say whether what stands on a path from a value is in several places, or memory is.

    The memory are arrays, lists and dicts in `fields` of the object at its end, or under these keys
    of a dict or list, or that is one of these itself, and what is in those; `others` are what may
    be reached beside the value.

    >>> from types import SimpleNamespace
    >>> model = SimpleNamespace(h=np.ones(3), u=np.ones(3))
    >>> is_reached_twice(model, (), ["h"], [np.ones(3)])
    False
    >>> [is_reached_twice(model, (), ["h"], [item]) for item in (model, [model], model.h[1:])]
    [True, True, True]
    >>> is_reached_twice(model, (), [], [model.h])
    False
    >>> model.rows = [model.u]
    >>> is_reached_twice(model, (), ["rows"], [])
    True
    """
    chain = [first]
    for step in path:
        last = chain[-1]
        chain.append(last[step.key] if isinstance(step, Entry) else getattr(last, step))
    held = chain[-1:] if fields is None else [_under(chain[-1], name) for name in fields]
    mine = list(_slots(held))
    arrays = [item for item in mine if isinstance(item, np.ndarray)]
    slots = Counter[int]()
    for count, item in enumerate(_slots([first, *others])):
        slots[id(item)] += 1
        if count > _MOST:
            return True
        if isinstance(item, np.ndarray) and any(
            item is not array and np.may_share_memory(item, array) for array in arrays
        ):
            return True
    return any(slots[id(item)] > 1 for item in [*chain, *mine])


def _under(value: Any, name: Any) -> Any:
    """Return a field of an object, or an entry of a dict, list or tuple; None if it has none."""
    if type(value) is dict:
        return value.get(name)
    if type(value) in (list, tuple):
        return value[name] if name < len(value) else None
    return getattr(value, name, None)


def _slots(values: Iterable[Any]) -> Iterator[Any]:
    """Yield values and all that they hold, as often as something holds it."""
    waiting, met = list(values), set[int]()
    while waiting:
        value = waiting.pop()
        if type(value) in _NEVER_CHANGED or isinstance(value, np.generic):
            continue
        yield value
        if id(value) not in met:
            met.add(id(value))
            waiting += held_by(value)
