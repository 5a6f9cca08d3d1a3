"""Finds the entries of a sparse matrix from its products with few vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from srcgrad.api.colouring import colour_columns, colour_star, count_colours
from srcgrad.api.sparsity import Pattern

_TOLERANCE: Final = 0.4


@dataclass(frozen=True, slots=True)
class Compression:
    """The vectors to multiply a matrix with, and where each of its entries is in the products.

    Attributes:
        pattern: Where the entries are.
        by_rows: Whether the matrix is multiplied from the left.
        seeds: A vector in each row; the last is there to check the pattern.
        vectors: For each entry, the vector whose product holds it.
        places: For each entry, where it is in that.
    """

    pattern: Pattern
    by_rows: bool
    seeds: Any
    vectors: Any
    places: Any

    @property
    def count(self) -> int:
        """How many vectors are needed, without the one of the check."""
        return len(self.seeds) - 1

    @property
    def outputs(self) -> int:
        """How many numbers a product has."""
        return self.pattern.shape[1 if self.by_rows else 0]

    def entries(self, products: Any) -> Any:
        """Return the entries in the order of the pattern, from the product with each vector."""
        return products[self.vectors, self.places]

    def wrong(self, products: Any) -> int | None:
        """Return where the entries do not add up to the product with the last vector, or None.

        An entry that the pattern does not have is in that product, and not among the entries. What
        is not finite is not compared.
        """
        given, found = self.pattern.columns, self.pattern.rows
        if self.by_rows:
            given, found = found, given
        terms = self.entries(products) * self.seeds[-1, given]
        expected = np.zeros(self.outputs, terms.dtype)
        np.add.at(expected, found, terms)
        size = np.bincount(found, np.abs(terms), self.outputs)
        comparable = np.isfinite(size)
        precision = float(np.finfo(products.dtype).eps)
        largest = size[comparable].max(initial=0.0)
        allowed = precision**_TOLERANCE * size + 64 * precision * largest
        apart = ~(np.abs(products[-1] - expected) <= allowed) & comparable
        return int(np.argmax(apart)) if apart.any() else None


def by_columns(pattern: Pattern) -> Compression:
    """Return the products from the right that show all entries."""
    colours = colour_columns(pattern)
    seeds = _seeds(colours)
    return Compression(pattern, False, seeds, colours[pattern.columns], pattern.rows)


def by_rows(pattern: Pattern) -> Compression:
    """Return the products from the left that show all entries."""
    colours = colour_columns(pattern.transposed)
    return Compression(pattern, True, _seeds(colours), colours[pattern.rows], pattern.columns)


def by_symmetry(pattern: Pattern) -> Compression:
    """Return the products that show all entries of a symmetric matrix.

    An entry that is not alone in its place is read where it is reflected.
    """
    colours = colour_star(pattern)
    rows, columns = pattern.rows, pattern.columns
    vectors = colours[columns]
    _, which, counts = np.unique(
        rows * (count_colours(colours) + 1) + vectors, return_inverse=True, return_counts=True
    )
    alone = counts[which] == 1
    read = np.where(alone, vectors, colours[rows])
    return Compression(pattern, False, _seeds(colours), read, np.where(alone, rows, columns))


def _seeds(colours: Any) -> Any:
    """Return the sum of the unit vectors of each colour, and a vector without a pattern."""
    count = count_colours(colours)
    seeds = np.zeros((count + 1, len(colours)))
    seeds[colours, np.arange(len(colours))] = 1.0
    draw = np.random.default_rng(len(colours))
    seeds[-1] = draw.integers(9, 17, len(colours)) / 8 * draw.choice([-1.0, 1.0], len(colours))
    return seeds
