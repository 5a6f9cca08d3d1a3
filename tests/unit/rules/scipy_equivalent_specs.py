"""Calls of SciPy's functions that are written out with others: at least one line for each."""

from __future__ import annotations

from scipy import ndimage

from tests.unit.rules.opspec import A, OpSpec, S, op


def scipy_equivalents() -> list[OpSpec]:
    return [*images()]


def images() -> list[OpSpec]:
    return [
        op(ndimage.rotate, A(5, 4), S(20.0, 30.0)),
        op(ndimage.rotate, A(4, 2, 3), S(20.0, 30.0), axes=(0, -1), reshape=False, mode="mirror"),
    ]
