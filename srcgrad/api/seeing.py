"""Says of the arguments of one call what a text may be made for: axes, lengths and integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import CodeType
from typing import Any, Final

from srcgrad.analyses.elements import ANY
from srcgrad.analyses.lengths import Places
from srcgrad.api.sharing import MOST_ELEMENTS, depth_of_numbers
from srcgrad.backends import is_plain_array
from srcgrad.compiler import Generated

_LONGEST_MADE_TWICE: Final = 400  # lines; longer texts are compiled once

_LONG: Final = 150  # lines of a function, whose text may be as long as that

_FEW_ELEMENTS: Final = 16  # of a list, which may have lengths of their own

_PLACES: Final = {"i": "integers", "u": "integers", "b": "truths"}
Seen = dict[str, "tuple[int, ...] | int"]


def gains_from_shapes(generated: Generated) -> bool:
    """Say whether a text would be plainer, and is short enough to be made once more, for shapes."""
    short = generated.source.count("\n") < _LONGEST_MADE_TWICE
    return generated.shape_blind and short and not generated.keep_complex


def is_long(function: Any) -> bool:
    """Say whether the text of a function may be too long to be made again for other shapes."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        return False
    lines = [line for *_, line in code.co_lines() if line is not None]
    return max(lines) - min(lines) > _LONG


def seen_of(arguments: Mapping[str, Any]) -> Seen:
    """Return the shapes of arrays and the values of integers, by the text that reads each.

    Numbers have the shape of no axes. What is neither is left out, and so are arrays without axes,
    which are numbers to some and arrays to others. Of lists and tuples, what all elements have in
    common is said: that they are numbers, or how many axes they have.

    >>> import numpy as np
    >>> seen_of({"x": np.ones((2, 3)), "n": 4, "p": {"w": np.ones(5), "b": 0.5}, "name": "a"})
    {'x': (2, 3), 'n': 4, "p['w']": (5,), "p['b']": ()}
    >>> seen_of({"counts": [1, 2.5], "layers": [(np.ones((2, 3)), np.ones(3))]})
    {'counts[*]': (), 'layers[*][0]': (-1, -1), 'layers[*][1]': (-1,)}
    >>> seen_of({"rows": [[1.0, 2.0], [3.0]], "pairs": [(1.0, 2.0)]})
    {'rows[*][*]': (), 'pairs[*][0]': (), 'pairs[*][1]': ()}
    >>> seen_of({"layer": (np.ones((2, 3)), np.ones(3), 0.5)})
    {'layer[0]': (2, 3), 'layer[1]': (3,), 'layer[2]': ()}
    """
    found: Seen = {}
    for name, value in arguments.items():
        _look(name, value, found)
    return found


def _look(text: str, value: Any, found: Seen) -> None:
    if is_plain_array(value) and value.ndim and value.dtype.kind in "fiub":
        kind = _PLACES.get(value.dtype.kind)
        found[text] = Places.of(value.shape, kind) if kind else value.shape
    elif type(value) is int:
        found[text] = value
    elif isinstance(value, float):
        found[text] = ()
    elif type(value) is dict:
        for key, item in value.items():
            if type(key) is str:
                _look(f"{text}[{key!r}]", item, found)
    elif type(value) in (list, tuple) and 0 < len(value) <= MOST_ELEMENTS and "[" not in text:
        _look_at_all(f"{text}{ANY}", value, found)
        if len(value) <= _FEW_ELEMENTS and not depth_of_numbers(value):
            for place, item in enumerate(value):
                _look(f"{text}[{place}]", item, found)


def _look_at_all(text: str, values: Sequence[Any], found: Seen) -> None:
    """Say what all elements of a list have in common."""
    first = values[0]
    if depth := depth_of_numbers(values):
        found[text + ANY * (depth - 1)] = ()
    elif all(type(item) is tuple and len(item) == len(first) for item in values):
        for position in range(len(first) if "[*][" not in text else 0):
            _look_at_all(f"{text}[{position}]", [item[position] for item in values], found)
    elif all(is_plain_array(item) and item.dtype.kind in "fiu" for item in values) and (
        first.ndim and all(item.ndim == first.ndim for item in values)
    ):
        found[text] = (-1,) * first.ndim
