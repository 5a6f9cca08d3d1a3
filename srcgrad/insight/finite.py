"""Finds NaN and infinity in values, and describes values in a few words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

Bad = Literal["NaN", "infinite"]
_DEEPEST: Final = 3


@dataclass(frozen=True, slots=True)
class Flaw:
    """A NaN or an infinity in a value.

    Attributes:
        kind: Which; NaN before infinity, if a value has both.
        index: Where it is first, in an array; () in a number.
        shape: The shape of that array.
        count: How many there are.
        size: Of how many.
    """

    kind: Bad
    index: tuple[int, ...]
    shape: tuple[int, ...]
    count: int
    size: int

    def __str__(self) -> str:
        if not self.shape:
            return self.kind
        return f"{self.kind} at {shown_index(self.index)} ({self.count} of {self.size} entries)"


def flaw_of(value: Any) -> Flaw | None:
    """Return the first NaN, or else the first infinity, in a value or a shallow container.

    >>> print(flaw_of([1.0, np.array([2.0, np.inf, np.nan])]))
    NaN at [2] (1 of 3 entries)
    """
    found: Flaw | None = None
    for leaf in _leaves(value, _DEEPEST):
        flaw = _flaw(leaf)
        if flaw is not None and (found is None or flaw.kind == "NaN"):
            found = flaw
            if flaw.kind == "NaN":
                break
    return found


def _leaves(value: Any, depth: int) -> Iterator[Any]:
    if isinstance(value, (float, complex, np.ndarray, np.generic)):
        yield value
    elif depth and isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item, depth - 1)
    elif depth and isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item, depth - 1)


def _flaw(leaf: Any) -> Flaw | None:
    if type(leaf) is float:
        if math.isfinite(leaf):
            return None
        return Flaw("NaN" if math.isnan(leaf) else "infinite", (), (), 1, 1)
    array = np.asarray(leaf)
    if array.dtype.kind not in "fc" or np.isfinite(array).all():
        return None
    where, kind = np.isnan(array), "NaN"
    if not where.any():
        where, kind = np.isinf(array), "infinite"
    first = tuple(int(place) for place in np.argwhere(where)[0])
    return Flaw(
        "NaN" if kind == "NaN" else "infinite", first, array.shape, int(where.sum()), array.size
    )


def shown_index(index: tuple[int, ...]) -> str:
    """Return an index as it is written."""
    return f"[{', '.join(map(str, index))}]"


def number_at(value: Any, flaw: Flaw) -> Any:
    """Return the number of an operand at the place of a flaw in the result; None if there is none.

    >>> number_at(np.array([[1.0, 2.0]]), Flaw("NaN", (1, 1), (3, 2), 1, 6))
    2.0
    """
    if isinstance(value, (bool, int, float, complex)):
        return value
    if (
        not isinstance(value, (np.ndarray, np.generic))
        or np.asarray(value).dtype.kind not in "biufc"
    ):
        return None
    try:
        return np.broadcast_to(value, flaw.shape)[flaw.index].item()
    except ValueError:
        return None


def described(value: Any) -> str:
    """Return a value in a few words.

    >>> described(np.arange(5.0))
    'float64 array of shape (5,), from 0.0 to 4.0'
    >>> described(0.25)
    '0.25'
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        return _described_array(value)
    if isinstance(value, (list, tuple, dict)):
        return f"{type(value).__name__} of {len(value)}"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _described_array(value: np.ndarray) -> str:
    if value.size <= 4 and value.dtype.kind in "biufc":
        return f"{value.tolist()}" + ("" if value.ndim else f" ({value.dtype} array)")
    text = f"{value.dtype} array of shape {value.shape}"
    if not value.size or value.dtype.kind not in "biuf":
        return text
    finite = value[np.isfinite(value)]
    low, high = (finite.min(), finite.max()) if finite.size else (None, None)
    parts = [] if low is None else [f"all {low}" if low == high else f"from {low} to {high}"]
    nans, infinities = int(np.isnan(value).sum()), int(np.isinf(value).sum())
    parts += [f"{nans} NaN"] if nans else []
    parts += [f"{infinities} infinite"] if infinities else []
    return ", ".join([text, *parts])
