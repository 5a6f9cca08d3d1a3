"""Takes a tangent by adjoints where equal eigenvalues leave that of vectors open.

Which vectors equal eigenvalues or singular values get depends on the direction, so their tangents
are NaN. A loss that does not depend on the choice has a derivative all the same, which its adjoints
tell: the tangent of each number of the result is its gradient times the direction.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from srcgrad.api.pullback import adjoints_of
from srcgrad.errors import UnsupportedError

_PUSHES: Final = ("eigh_push(", "eig_push(", "svd_push(")
_MOST: Final = 256  # numbers of a result, each of which takes a backward pass


@functools.lru_cache(maxsize=256)
def may_mix(source: str) -> bool:
    """Say whether a generated text has tangents of eigenvectors or singular vectors."""
    return any(name in source for name in _PUSHES)


def kept(arguments: Mapping[str, Any], tangents: Sequence[Any]) -> dict[str, Any] | None:
    """Return the arguments as they are now, for `by_adjoints`; None if it is not for them."""
    real = all(_is_real(item) for item in tangents)
    if not real or not all(isinstance(v, np.ndarray) or _is_plain(v) for v in arguments.values()):
        return None
    return {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in arguments.items()}


def by_adjoints(
    f: Callable[..., Any],
    names: Sequence[str],
    arguments: dict[str, Any],
    tangents: Sequence[Any],
    pushed: tuple[Any, Any],
) -> Any:
    """Return the tangent of a result by its adjoints if it is NaN and they tell it."""
    value, tangent = pushed
    lost = _is_real(value) and _is_real(tangent) and np.isnan(tangent).any()
    if not lost or not np.isfinite(value).all() or np.size(value) > _MOST:
        return tangent
    try:
        again, pull = adjoints_of(f, tuple(names))(arguments)
    except UnsupportedError:
        return tangent
    if not np.array_equal(again, value):
        return tangent  # it draws at random, say
    found = [_along(pull(seed), tangents) for seed in _seeds(value)]
    return np.reshape(np.array(found, np.result_type(tangent)), np.shape(tangent))[()]


def _seeds(value: Any) -> list[Any]:
    if not np.ndim(value):
        return [np.ones_like(value)[()]]
    units = np.eye(np.size(value), dtype=np.result_type(value))
    return [np.reshape(unit, np.shape(value)) for unit in units]


def _along(grads: Sequence[Any], tangents: Sequence[Any]) -> Any:
    return sum(np.sum(grad * tangent) for grad, tangent in zip(grads, tangents, strict=True))


def _is_real(value: Any) -> bool:
    return isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") == "f"


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str, np.generic))
