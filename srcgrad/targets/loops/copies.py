"""Copies arguments so that what shares memory still does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from srcgrad.runtime.objects import field_names, is_plain_object, rebuilt


def copied(value: Any) -> Any:
    """Return nested containers and objects with copies of their arrays.

    Arrays of common memory, and lists and dicts under several names, are that again:

    >>> x = np.zeros(3)
    >>> one, part = copied((x, x[1:]))
    >>> part += 1.0
    >>> one
    array([0., 1., 1.])
    """
    arrays = list({id(item): item for item in _arrays_in(value)}.values())
    known = {id(item): copy for group in _groups(arrays) for item, copy in _together(group)}
    return _rebuilt(value, known)


def _arrays_in(value: Any) -> Iterator[Any]:
    if isinstance(value, np.ndarray):
        yield value
    elif type(value) in (list, tuple):
        for item in value:
            yield from _arrays_in(item)
    elif isinstance(value, dict):
        yield from _arrays_in(list(value.values()))
    elif is_plain_object(value):
        yield from _arrays_in([getattr(value, name) for name in field_names(value)])


def _groups(arrays: list[Any]) -> list[list[Any]]:
    """Return arrays by the memory that they lie in."""
    groups: list[list[Any]] = []
    end = 0
    for item in sorted(arrays, key=byte_bounds):
        low, high = byte_bounds(item)
        if groups and low < end:
            groups[-1].append(item)
        else:
            groups.append([item])
        end = max(end, high)
    return groups


def _together(group: list[Any]) -> list[tuple[Any, Any]]:
    """Return arrays of common memory, each with its copy."""
    if len(group) == 1 or any(item.dtype.hasobject for item in group):
        return [(item, item.copy()) for item in group]
    low = min(byte_bounds(item)[0] for item in group)
    memory = np.zeros(max(byte_bounds(item)[1] for item in group) - low, np.uint8)
    done = []
    for item in group:
        place = item.__array_interface__["data"][0] - low
        copy: Any = np.ndarray(item.shape, item.dtype, memory.data, place, item.strides)
        copy[...] = item
        done.append((item, copy))
    return done


def _rebuilt(value: Any, known: dict[int, Any]) -> Any:
    if isinstance(value, np.ndarray):
        return known[id(value)]
    if id(value) in known:
        return known[id(value)]
    if type(value) is tuple:
        return tuple(_rebuilt(item, known) for item in value)
    if type(value) is list:
        made: Any = [_rebuilt(item, known) for item in value]
    elif isinstance(value, dict):
        made = {key: _rebuilt(item, known) for key, item in value.items()}
    elif is_plain_object(value):
        fields = field_names(value)
        made = rebuilt(value, {n: _rebuilt(getattr(value, n), known) for n in fields})
    else:
        return value
    known[id(value)] = made
    return made
