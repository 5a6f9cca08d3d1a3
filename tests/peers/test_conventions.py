"""Compares gradients at kinks, ties and singular points with PyTorch's, in both engines."""

from __future__ import annotations

import linecache
import warnings
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

torch = pytest.importorskip("torch")

pytestmark = [
    pytest.mark.peers,
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
]

CASES = [
    ("np.abs(x)", "x.abs()", [-1.0, 0.0, 2.0]),
    ("np.maximum(x, 1.0)", "torch.maximum(x, torch.ones_like(x))", [0.5, 1.0, 2.0]),
    ("np.minimum(x, 1.0)", "torch.minimum(x, torch.ones_like(x))", [0.5, 1.0, 2.0]),
    ("np.max(x)", "torch.amax(x)", [3.0, 1.0, 3.0]),
    ("np.min(x)", "torch.amin(x)", [1.0, 1.0, 3.0]),
    ("np.clip(x, 0.0, 1.0)", "x.clamp(0.0, 1.0)", [-1.0, 0.0, 0.5, 1.0, 2.0]),
    ("np.linalg.norm(x)", "torch.linalg.norm(x)", [0.0, 0.0]),
    ("np.linalg.norm(x, 1)", "torch.linalg.norm(x, 1)", [0.0, 2.0]),
    ("np.linalg.norm(x, 3)", "torch.linalg.norm(x, 3)", [0.0, 0.0]),
    ("np.linalg.norm(x, np.inf)", "torch.linalg.norm(x, float('inf'))", [2.0, -2.0]),
    ("np.std(x)", "x.std(correction=0)", [2.0, 2.0, 2.0]),
    ("x**0", "x**0", [0.0, 2.0]),
    ("x**2", "x**2", [0.0, 2.0]),
    ("np.prod(x)", "x.prod()", [0.0, 2.0, 3.0]),
    ("np.prod(x)", "x.prod()", [0.0, 0.0, 3.0]),
    ("np.cumprod(x)", "x.cumprod(0)", [2.0, 0.0, 3.0]),
    ("np.sinc(x)", "torch.sinc(x)", [0.0, 0.5]),
    ("np.sign(x) * x", "torch.sign(x) * x", [0.0, -2.0]),
    ("np.hypot(x, 0.0 * x)", "torch.hypot(x, 0.0 * x)", [2.0, -1.0]),
    ("np.logaddexp(x, x)", "torch.logaddexp(x, x)", [0.0, 1.0]),
    ("np.fmax(x, 1.0)", "torch.fmax(x, torch.ones_like(x))", [0.5, 2.0]),
    ("np.sort(x)", "x.sort().values", [2.0, 1.0, 3.0]),
    ("np.remainder(x, 2.0)", "torch.remainder(x, 2.0)", [7.5, -7.5]),
    ("np.fmod(x, 2.0)", "torch.fmod(x, 2.0)", [7.5, -7.5]),
    ("np.where(x > 0, x, 0.0)", "torch.where(x > 0, x, 0.0 * x)", [0.0, 1.0, -1.0]),
    ("np.nansum(x)", "torch.nansum(x)", [1.0, np.nan]),
    ("np.nan_to_num(x)", "torch.nan_to_num(x)", [1.0, np.nan, np.inf]),
    ("np.arctan2(x, 1.0)", "torch.atan2(x, torch.ones_like(x))", [0.0, 1.0]),
    ("np.copysign(x, -1.0)", "torch.copysign(x, -torch.ones_like(x))", [2.0, -3.0]),
    ("np.round(x) * x", "torch.round(x) * x", [2.4, -1.6]),
]


def ours(expression: str) -> Any:
    """Return the function of an expression, as source."""
    text = f"def loss(x):\n    return np.sum({expression})\n"
    file = f"<convention {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"np": np}
    exec(compile(text, file, "exec"), scope)
    return scope["loss"]


@pytest.mark.parametrize(("expression", "theirs", "values"), CASES, ids=lambda v: str(v)[:40])
def test_a_choice_is_that_of_torch(expression: str, theirs: str, values: list[float]) -> None:
    x = np.array(values)
    leaf = torch.tensor(x, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        eval(theirs, {"torch": torch, "x": leaf}).sum().backward()
    expected = leaf.grad.numpy()
    function = ours(expression)
    found = sg.grad(function, fallback="error")(x)
    tensor = sg.tensor(x, requires_grad=True)
    function(tensor).backward()
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(tensor.grad.numpy(), expected, rtol=1e-12, atol=1e-15)


COMPLEX = [
    ("np.abs(z) ** 2", "z.abs() ** 2"),
    ("np.real(z * z)", "(z * z).real"),
    ("np.imag(np.exp(z))", "z.exp().imag"),
    ("np.angle(z)", "z.angle()"),
    ("np.real(np.conj(z) * z * (1 + 2j))", "(z.conj() * z * (1 + 2j)).real"),
]


@pytest.mark.parametrize(("expression", "theirs"), COMPLEX)
def test_complex_gradients_are_those_of_torch(expression: str, theirs: str) -> None:
    z = np.array([3 + 4j, 0.5 - 1j])
    leaf = torch.tensor(z, requires_grad=True)
    eval(theirs, {"torch": torch, "z": leaf}).sum().backward()
    function = ours(expression.replace("z", "x"))
    expected = leaf.grad.numpy()
    np.testing.assert_allclose(sg.grad(function, fallback="error")(z), expected, rtol=1e-12)
    tensor = sg.tensor(z, requires_grad=True)
    function(tensor).backward()
    np.testing.assert_allclose(tensor.grad.numpy(), expected, rtol=1e-12)
