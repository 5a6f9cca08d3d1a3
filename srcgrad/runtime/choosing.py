"""Says where the choice of the vectors of equal eigenvalues or singular values may matter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from srcgrad.runtime.factors import are_tied, off_diagonal
from srcgrad.runtime.singular import vanish


def has_equal(values: Any) -> bool:
    """Say whether some eigenvalues are equal to rounding."""
    return bool(np.any(off_diagonal(are_tied(values))))


def has_equal_or_none(s: Any) -> bool:
    """Say whether some singular values are equal, or zero, to rounding."""
    return has_equal(s) or bool(np.any(vanish(s)))


def matters(grads: Any, saved: Any) -> bool:
    """Say whether gradients of factors depend on the choice, from what their rule saved."""
    if len(grads) == 3:
        return _of_vectors(grads) and has_equal_or_none(saved[1])
    return len(grads) == 2 and grads[1] is not None and has_equal(saved[-2])


def _of_vectors(grads: Any) -> bool:
    return grads[0] is not None or grads[2] is not None


def _by_adjoint(*args: Any) -> bool:
    return args[1] is not None and has_equal(args[2])


def _by_adjoint_of_pair(*args: Any) -> bool:
    return args[0][1] is not None and has_equal(args[2])


def _by_adjoint_of_svd(grads: Any, result: Any) -> bool:
    return _of_vectors(grads) and has_equal_or_none(result[1])


MEETING: Final[Mapping[str, Callable[..., bool]]] = MappingProxyType(
    {
        "eigh_back": _by_adjoint,
        "eig_back": _by_adjoint,
        "eigh_tridiagonal_back": _by_adjoint,
        "general_eigh_back": _by_adjoint_of_pair,
        "svd_back": _by_adjoint_of_svd,
        "eigh_push": lambda *args: has_equal(args[1]),
        "eig_push": lambda *args: has_equal(args[1]),
        "general_eigh_push": lambda *args: has_equal(args[3]),
        "svd_push": lambda *args: has_equal_or_none(args[2]),
    }
)
"""Functions that derivatives call, with whether the choice matters to a call of them."""
