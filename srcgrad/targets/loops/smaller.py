"""Cuts arguments down, so that NumPy can be asked soon whether a compiled function is right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

_LEAST: Final = 4  # entries that an axis keeps, if it has so many
_FEW: Final = 3  # trips, where a whole number says how many
_BY: Final = (2, 4, 8, 16, 32)


def smaller(args: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield arguments with the first entries of their arrays: as of equal lengths as before.

    First each length goes over one number, so that lengths that add up still do; then long ones are
    as they were ordered. Whole numbers that are lengths go with these, others are few.

    >>> [item.shape for item in next(smaller([np.ones((64, 16)), np.ones(64)]))]
    [(16, 4), (16,)]
    >>> list(smaller([np.ones(4), 2]))
    []
    """
    lengths = sorted({length for value in args for length in _lengths_in(value)})
    long = [length for length in lengths if length > _LEAST]
    ways: list[dict[int, int]] = []
    by = [n for n in _BY if all(length % n == 0 and length >= _LEAST * n for length in long)]
    if long and by:
        ways.append({length: length // by[-1] for length in long})
    if long:
        ways.append({length: _LEAST + place for place, length in enumerate(long)})
    for way in ways or [{}]:
        found = [_cut(value, way) for value in args]
        if way or any(new is not old for new, old in zip(found, args, strict=True)):
            yield found


def _lengths_in(value: Any) -> Iterator[int]:
    if type(value) is np.ndarray:
        yield from value.shape
    elif type(value) in (list, tuple):
        for item in value:
            yield from _lengths_in(item)
    elif type(value) is dict:
        yield from _lengths_in(list(value.values()))


def _cut(value: Any, lengths: Mapping[int, int]) -> Any:
    if type(value) is np.ndarray:
        if not set(value.shape) & lengths.keys():
            return value
        part = value[tuple(slice(lengths.get(length, length)) for length in value.shape)]
        columns = value.flags.f_contiguous and not value.flags.c_contiguous
        return np.array(part, order="F" if columns else "C")
    if type(value) in (list, tuple):
        return type(value)(_cut(item, lengths) for item in value)
    if type(value) is dict:
        return {key: _cut(item, lengths) for key, item in value.items()}
    if type(value) is int and value > _LEAST:
        return lengths.get(value, min(value, _FEW))
    return value
