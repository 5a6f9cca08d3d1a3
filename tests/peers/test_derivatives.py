"""Compares Jacobians, Hessians and products with them with JAX's, on random programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg

jax = pytest.importorskip("jax")

pytestmark = [pytest.mark.peers, pytest.mark.slow]

STEPS = [
    "np.sin(a) * b",
    "np.tanh(a @ w) + b",
    "a * np.exp(-b * b)",
    "np.where(a > 0.1, a * b, a - b)",
    "np.cumsum(a) / 3.0 + b",
    "np.sqrt(1.0 + a * a)",
    "a[::-1] * b + a[k]",
    "np.logaddexp(a, b)",
    "a - np.mean(b)",
    "np.maximum(a, b) * np.outer(a, b).sum(axis=0)",
]


def written(seed: int, tmp_path: Any) -> tuple[Any, Any]:
    """Write a random program over NumPy, and return it and the same over JAX's."""
    rng = np.random.default_rng(seed)
    steps = [
        f"    {name} = {step}" for name, step in zip("ababa", rng.choice(STEPS, 5), strict=True)
    ]
    head = ["def program(x, w, k):", "    a, b = x, np.cos(x)"]
    text = "\n".join([*head, *steps, "    return a * b", ""])
    functions = []
    for module in ("numpy", "jax.numpy"):
        path = tmp_path / f"program_{module.replace('.', '_')}.py"
        path.write_text(f"import {module} as np\n\n\n{text}", encoding="utf-8")
        scope: dict[str, Any] = {}
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), scope)
        functions.append(scope["program"])
    return functions[0], functions[1]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_a_random_program_has_the_derivatives_that_jax_finds(seed: int, tmp_path: Any) -> None:
    jax.config.update("jax_enable_x64", True)
    ours, theirs = written(seed, tmp_path)
    rng = np.random.default_rng(seed)
    x, along = rng.normal(size=(2, 6))
    rest = rng.normal(size=(6, 6)) / 3, rng.integers(0, 6, 6)

    def close(found: Any, expected: Any) -> None:
        np.testing.assert_allclose(found, np.asarray(expected), rtol=1e-8, atol=1e-9)

    expected = jax.jacfwd(theirs)(x, *rest)
    for make in (sg.jacfwd, sg.jacrev):
        close(make(ours)(x, *rest), expected)
        close(make(ours, sparsity="detect")(x, *rest).toarray(), expected)

    def loss(x: Any, w: Any, k: Any) -> Any:
        return np.sum(ours(x, w, k) ** 2)

    second = jax.hessian(lambda x: (theirs(x, *rest) ** 2).sum())(x)
    close(sg.hessian(loss)(x, *rest), second)
    close(sg.hessian(loss, sparsity="detect")(x, *rest).toarray(), second)
    close(sg.hvp(loss, (x, *rest), (along, None, None)), second @ along)
