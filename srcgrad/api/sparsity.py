"""Finds which numbers of an input reach which numbers of an output, or reads what the user says.

A derivative is linear in its seed, so a seed with NaN in some places gives NaN wherever one of them
leads to, also where the factor on the way is zero at the moment. Blocks of places are tried first
and then parts of them; blocks that reach no output in common are tried in one seed. Where rows have
few entries, that takes a number of seeds that grows with the logarithm of the matrix's size.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from srcgrad.api.colouring import colour_columns
from srcgrad.errors import ArgumentError, NotDifferentiableError
from srcgrad.insight.switch import debug_nans

Products = Callable[[Any], Any]
"""From a matrix with a seed in each row to one with the derivative along it in each row."""

_PARTS: Final = 4
_SEEDS_AT_ONCE: Final = 256


@dataclass(frozen=True, slots=True)
class Pattern:
    """Where the entries of a sparse matrix are: by rows, and in each row by columns.

    >>> Pattern.of([[1, 0], [1, 1]])
    Pattern(shape=(2, 2), rows=array([0, 1, 1]), columns=array([0, 0, 1]))
    """

    shape: tuple[int, int]
    rows: Any
    columns: Any

    @staticmethod
    def of(given: Any) -> Pattern:
        """Return the pattern of the entries of a matrix that are not zero.

        Raises:
            ArgumentError: It is not a matrix.
        """
        if hasattr(given, "tocoo"):
            entries = given.tocoo()
            there = entries.data != 0
            return Pattern.made(entries.shape, entries.row[there], entries.col[there])
        matrix = np.asarray(given)
        if matrix.ndim != 2 or matrix.dtype.kind not in "biufc":
            raise ArgumentError(
                "sparsity= is neither a matrix nor 'detect'",
                hint="give an array or a matrix of scipy.sparse, with True where an entry may be",
            )
        return Pattern.made(matrix.shape, *np.nonzero(matrix))

    @staticmethod
    def made(shape: Any, rows: Any, columns: Any) -> Pattern:
        """Return the pattern with these entries, in any order and repeated or not."""
        height, width = (int(size) for size in shape)
        places = np.unique(np.asarray(rows, np.int64) * width + np.asarray(columns, np.int64))
        return Pattern((height, width), *np.divmod(places, max(1, width)))

    @staticmethod
    def full(shape: tuple[int, int]) -> Pattern:
        """Return the pattern of a matrix with every entry."""
        return Pattern(shape, *np.nonzero(np.ones(shape, bool)))

    @property
    def transposed(self) -> Pattern:
        """The pattern of the transpose."""
        return Pattern.made(self.shape[::-1], self.columns, self.rows)

    def __or__(self, other: Pattern) -> Pattern:
        """Return the pattern of what is in one of two."""
        rows = np.concatenate([self.rows, other.rows])
        return Pattern.made(self.shape, rows, np.concatenate([self.columns, other.columns]))


def detect(products: Products, inputs: int) -> Pattern | None:
    """Return the pattern of a derivative, with a column for each number that a seed holds.

    It holds for the way that the program takes at these arguments. None means that nothing can be
    said there: the program refuses NaN, or has derivatives that are not finite by themselves.
    """
    try:
        with np.errstate(all="ignore"), debug_nans(False):
            return _detected(products, inputs)
    except (ArithmeticError, ValueError):
        return None
    except NotDifferentiableError as refusal:  # what the tape says of such an error
        if not isinstance(refusal.__cause__, (ArithmeticError, ValueError)):
            raise
        return None


def _detected(products: Products, inputs: int) -> Pattern | None:
    seeds = np.zeros((2, inputs))
    seeds[1] = np.nan
    found = products(seeds)
    if not np.all(np.isfinite(found[0])):
        return None
    (rows,) = np.nonzero(np.isnan(found[1]))
    blocks = np.zeros_like(rows)
    outputs, width = found.shape[1], _PARTS ** math.ceil(math.log(max(1, inputs), _PARTS) + 1e-9)
    while width > 1:
        width //= _PARTS
        starts = (blocks[:, None] + width * np.arange(_PARTS)).ravel()
        rows = np.repeat(rows, _PARTS)
        inside = starts < inputs
        names, places = np.unique(starts[inside], return_inverse=True)
        possible = Pattern((outputs, len(names)), rows[inside], places)
        there = _reached(products, possible, names, (width, inputs))
        rows, blocks = possible.rows[there], names[possible.columns[there]]
    return Pattern.made((outputs, inputs), rows, blocks)


def _reached(products: Products, possible: Pattern, starts: Any, sizes: tuple[int, int]) -> Any:
    """Return for each entry of a pattern of blocks of inputs whether it is there.

    `starts` are the first places of the blocks, `sizes` their width and the number of inputs.
    """
    width, inputs = sizes
    colours = colour_columns(possible)
    there = np.zeros(len(possible.rows), bool)
    count = int(colours.max(initial=-1)) + 1
    for first in range(0, count, _SEEDS_AT_ONCE):
        seeds = np.zeros((min(_SEEDS_AT_ONCE, count - first), inputs))
        (tried,) = np.nonzero((colours >= first) & (colours < first + len(seeds)))
        places = starts[tried, None] + np.arange(width)
        lines = np.broadcast_to(colours[tried, None] - first, places.shape)
        inside = places < inputs
        seeds[lines[inside], places[inside]] = np.nan
        found = np.isnan(products(seeds))
        of_entries = colours[possible.columns] - first
        mine = (of_entries >= 0) & (of_entries < len(seeds))
        there[mine] = found[of_entries[mine], possible.rows[mine]]
    return there
