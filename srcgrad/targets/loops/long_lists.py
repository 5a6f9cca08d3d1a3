"""Lists of numbers, or of tuples of them, that parts take as arrays: what other parts have kept.

A list goes to Numba item by item, and as a tuple it would be compiled anew for each length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad.targets.loops.kind import Items, Many
from srcgrad.targets.loops.words import either, held

SHORT = 4  # lists of anything that go as tuples
_NOTHING = "nothing"


def kind_of_list(value: Any, words: Mapping[type, str]) -> Any:
    """Return the kind of a list of numbers; None for other values.

    >>> words = {float: "float", np.float64: "float64", int: "int"}
    >>> kind_of_list([(1.0, 2), (np.float64(3.0), 4)], words)
    (<class 'list'>, Ellipsis, ('float64', 'int'))
    """
    if type(value) is not list or not value:
        return None
    if type(value[0]) is not tuple:
        word = _word(set(map(type, value)), words)
        return word and (list, ..., word)
    sizes = {len(item) if type(item) is tuple else -1 for item in value}
    if len(sizes) != 1 or sizes <= {0, -1}:
        return None
    found = []
    for part in zip(*value, strict=True):
        types = set(map(type, part))
        is_nothing = types == {tuple} and not any(part)
        found.append(_NOTHING if is_nothing else _word(types, words))
    return (list, ..., tuple(found)) if all(found) and set(found) != {_NOTHING} else None


def _word(types: set[type], words: Mapping[type, str]) -> str | None:
    whole: str | None = None
    for item in types:
        word = words.get(item)
        if word is None:
            return None
        whole = word if whole is None else either(whole, word)
        if whole is None:
            return None
    return whole


def is_many(kind: Any) -> bool:
    """Say whether a kind is that of such a list."""
    return bool(kind[0] is list and kind[1] is ...)


def described_many(kind: Any) -> Many:
    """Return it as `kinds` has it."""
    words = kind[2]
    if type(words) is str:
        return Many(words)
    return Many(Items(tuple(Items(()) if word == _NOTHING else word for word in words)))


def into_arrays(kind: Any) -> Callable[[Sequence[Any]], Any]:
    """Return what makes an array of such a list, or one for each number of its items."""
    words = kind[2]
    if type(words) is str:
        return lambda value: np.array(value, held(words))

    def arrays(value: Sequence[Any]) -> Any:
        parts = zip(*value, strict=True)
        return tuple(
            () if word == _NOTHING else np.array(part, held(word))
            for part, word in zip(parts, words, strict=True)
        )

    return arrays
