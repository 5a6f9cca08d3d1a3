"""Parts of complex arrays that are written in place, where long chains are looked through."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg


def imaginary(c):
    kept = 0.0
    for v in c:
        kept = kept + v * v
    t = c * (1.0 + 0.5j)
    t.real[...] *= kept
    d = t.imag
    d += kept
    return np.sum(t.imag**2)


def both(c):
    kept = 0.0
    for v in c:
        kept = kept + v * v
    t = c * (1.0 + 0.5j)
    t.real[...] *= kept
    d = t.imag
    d += np.maximum(kept, c)
    return np.sum(np.abs(t) ** 2)


def first_imaginary(c):
    kept = sum(u * v for u, v in zip(c, c, strict=True))
    t = c * (1.0 + 0.5j)
    d = t.imag
    d *= kept
    t.real[1:] += kept
    return np.sum(np.abs(t[1:]) ** 2) + t.imag[0]


@pytest.mark.parametrize("f", [imaginary, both, first_imaginary])
@pytest.mark.parametrize("n", [2, 7, 9, 20])
def test_both_parts_keep_their_gradients(f, n):
    c = np.random.default_rng(n).normal(size=n)
    want = [(f(c + e) - f(c - e)) / 2e-6 for e in np.eye(n) * 1e-6]
    np.testing.assert_allclose(sg.grad(f, backend="tape")(c), want, rtol=1e-6, atol=1e-5)
