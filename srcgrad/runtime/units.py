"""Makes the directions in which a Jacobian is taken column by column."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.errors import UnsupportedError


def unit_vectors(x: Any) -> Any:
    """Return arrays like x, stacked: for each number of x one that is 1 there and 0 elsewhere.

    >>> unit_vectors(np.array([2.0, 3.0]))
    array([[1., 0.],
           [0., 1.]])

    Raises:
        UnsupportedError: x is a container.
    """
    if isinstance(x, (dict, list, tuple)):
        raise UnsupportedError(
            "the derivative of a Jacobian by a container, taken inside of a function",
            hint="give the function the entries of the container as arguments of their own",
        )
    kind = getattr(x, "dtype", None) or np.result_type(x)
    return np.eye(np.size(x), dtype=kind).reshape(np.size(x), *np.shape(x))
