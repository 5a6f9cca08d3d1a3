"""Sums of outer products are the same after their loop, whatever the trips write meanwhile."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
import pytest

from srcgrad.compiler.doctesting import parse, program_of, text
from srcgrad.optimizations.purity import Purity
from srcgrad.optimizations.sum_outers import OuterVectors, sum_outers
from srcgrad.runtime import copied, zeros_like

BODIES = {
    "a vector that is written later": """
        for h in reversed(steps):
            grad_w += np.outer(grad_y, h)
            grad_y += h
        """,
    "one that is written before, where it is made": """
        for h in reversed(steps):
            grad_z = zeros_like(h)
            grad_z[0] = grad_y[1]
            grad_w -= np.outer(grad_z, h)
            grad_y = grad_y + grad_z
        """,
    "a view of what is written later": """
        for h in reversed(steps):
            grad_z = grad_y[::-1]
            grad_w += np.outer(grad_z, h)
            grad_y[1:] *= 0.5
        """,
    "what was kept is written later": """
        for h in reversed(steps):
            grad_w += np.outer(grad_y, h)
            h *= 2.0
        """,
    "the same vectors for two matrices, of which one is bound in between": """
        for h in reversed(steps):
            grad_w += np.outer(grad_y, h)
            grad_y = grad_y * h
            grad_v += np.outer(grad_y, h) + grad_y[:, None]
            grad_v += np.outer(grad_y, h)
        """,
    "a branch": """
        for h in reversed(steps):
            if h[0] > 0:
                grad_w += np.outer(grad_y, h)
            else:
                grad_y = grad_y + h
                grad_w -= np.outer(h, grad_y)
        """,
    "loops in loops": """
        for h in reversed(steps):
            for x in reversed(steps):
                grad_w += np.outer(grad_y, x)
                grad_y = np.cos(grad_y) * h
            grad_w += np.outer(grad_y, h)
        """,
    "a sum that is read": """
        for h in reversed(steps):
            grad_w += np.outer(grad_y, h)
            grad_y = grad_w @ h
        """,
    "a sum with another name": """
        grad_v = grad_w
        for h in reversed(steps):
            grad_w += np.outer(grad_y, h)
            grad_y = grad_v @ h
        """,
    "no trips": """
        for h in reversed(none):
            grad_w += np.outer(grad_y, h)
        """,
}
STAYING = ("a sum that is read", "a sum with another name")


def ran(lines: str) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    names: dict[str, Any] = {name: rng.normal(size=(3, 3)) for name in ("grad_w", "grad_v")}
    names |= {"steps": [rng.normal(size=3) for _ in range(4)], "none": []}
    names |= {"grad_y": rng.normal(size=3), "np": np, "zeros_like": zeros_like, "copied": copied}
    exec(lines, names)
    return {name: names[name] for name in ("grad_w", "grad_v", "grad_y")}


@pytest.mark.parametrize("case", BODIES)
def test_the_sums_are_the_same(case: str) -> None:
    body = parse(textwrap.dedent(BODIES[case]))
    before = text(body)
    purity = Purity(program_of("def f(x): return x").reader, frozenset({"zeros_like", "copied"}))
    fresh = iter(range(99))
    known = OuterVectors(
        lambda name: name[-1] in "hxyz",
        lambda name: name[-1] in "wv",
        lambda name: False,
        lambda name: False,
        purity,
        lambda name: f"{name}_{next(fresh)}",
    )
    after = text(sum_outers(body, known))
    assert ("np.outer" in after) == (case in STAYING)
    expected = ran(before)
    for name, value in ran(after).items():
        np.testing.assert_allclose(value, expected[name], rtol=1e-12)
