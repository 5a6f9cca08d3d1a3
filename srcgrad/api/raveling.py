"""Lays nested parameters out in one vector, as optimisers and solvers want them, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.api.structures import float_leaves, leaves_as_in, mapped
from srcgrad.runtime.copies import same_layout


class Raveling:
    """The layout of one structure of floats and float arrays.

    >>> layout = Raveling({"w": np.ones((2, 2)), "b": 0.5})
    >>> layout.size
    5
    >>> layout.back(np.arange(5.0))["b"]
    4.0
    """

    def __init__(self, like: Any) -> None:
        self._like = like
        self._shapes = [np.shape(leaf) for leaf in float_leaves(like)]
        sizes = [int(np.prod(shape, dtype=int)) for shape in self._shapes]
        self._ends = np.cumsum([0, *sizes])
        self.size = int(self._ends[-1])

    def flat(self, value: Any) -> Any:
        """Return the numbers of a structure like that of the layout, as one vector."""
        parts = [np.ravel(leaf) for leaf in leaves_as_in(self._like, value)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def back(self, vector: Any) -> Any:
        """Return the structure that a vector stands for; leaves keep their types."""
        places = iter(range(len(self._shapes)))

        def fill(leaf: Any) -> Any:
            place = next(places)
            part = vector[self._ends[place] : self._ends[place + 1]]
            if isinstance(leaf, np.ndarray):
                made = same_layout(leaf)
                made[...] = part.reshape(self._shapes[place])
                return made
            return type(leaf)(part[0])

        return mapped(fill, self._like, other=lambda leaf: leaf)
