"""Gradients of sums over axes are broadcast by the text itself, which asks for no shape then."""

from __future__ import annotations

import importlib.util
import itertools
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same, numerical_gradient

BODIES = {
    "squares": "np.sum(np.sum(x * x, axis={axis}) ** 2)",
    "means": "np.sum(np.exp(np.mean(np.sin(x), axis={axis})) * 2.0)",
    "shares": "np.sum((np.exp(x) / np.sum(np.exp(x), axis={axis}, keepdims=True)) ** 2)",
    "centred": "np.mean(2.0 * ((x - np.mean(x, axis={axis}, keepdims=True)) ** 2 * x))",
    "two": "3.0 * np.sum(np.sum(x**3, axis={axis}) * np.sum(x, axis={axis}))",
    "pairs": "np.sum(np.sum((x[None] - x[:, None]) ** 2, axis={axis}) ** 3)",
}
SHAPES = ((3,), (2, 3), (3, 2, 2))
CASES = [
    (name, shape, axis)
    for name, shape in itertools.product(BODIES, SHAPES)
    for axis in range(-len(shape), len(shape))
]
HELPERS = ("expand_sum", "expand_mean", "unbroadcast", "zeros_like")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """Functions of one array each, with the axis written down."""
    file: Path = tmp_path_factory.mktemp("sums") / "programs_of_sums.py"
    functions = [
        f"def {named(name, axis)}(x):\n    return {body.format(axis=axis)}\n"
        for name, body in BODIES.items()
        for axis in range(-3, 3)
    ]
    file.write_text("\n\n".join(["import numpy as np\n", *functions]), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def named(name: str, axis: int) -> str:
    return f"{name}_{axis}".replace("-", "less_")


@pytest.mark.parametrize(("name", "shape", "axis"), CASES)
def test_the_text_is_short_and_right(
    programs: ModuleType, name: str, shape: tuple[int, ...], axis: int
) -> None:
    function = getattr(programs, named(name, axis))
    x = np.random.default_rng(len(shape)).normal(size=shape)
    gradient = sg.grad(function, fallback="error")
    assert_same(gradient(x), numerical_gradient(function, (x,), 0))
    assert not [helper for helper in HELPERS if helper in gradient.source]
    narrow = gradient(x.astype(np.float32))
    assert narrow.dtype == np.float32
    assert_same(narrow, gradient(x), 1e-4, 1e-4)
    with np.errstate(all="ignore"), warnings.catch_warnings():  # of means of nothing
        warnings.simplefilter("ignore")
        assert gradient(np.zeros((*shape[:-1], 0))).shape == (*shape[:-1], 0)


@pytest.mark.parametrize("name", BODIES)
def test_second_derivatives_agree_with_differences(programs: ModuleType, name: str) -> None:
    function: Any = getattr(programs, named(name, -1))
    x, v = np.random.default_rng(1).normal(size=(2, 2, 3))
    gradient, step = sg.grad(function), 1e-5
    expected = (gradient(x + step * v) - gradient(x - step * v)) / (2 * step)
    assert_same(sg.hvp(function, (x,), (v,)), expected, 1e-5, 1e-5)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("np.sum(w * x)", "np.full_like(x, w)"),
        ("np.sum(np.sin(w * x) / w)", " @ "),
        ("np.sum((x[:, None] * x * w) ** 2)", "dot_along("),
    ],
)
def test_what_is_added_up_is_small(
    text: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "small_sums.py").write_text(
        f"import numpy as np\n\n\ndef total(x, w):\n    return {text}\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    spec = importlib.util.spec_from_file_location("small_sums", tmp_path / "small_sums.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    args = np.array([0.3, 0.7]), 1.5
    gradient = sg.grad(module.total, (0, 1), fallback="error")
    for place, found in enumerate(gradient(*args)):
        assert_same(found, numerical_gradient(module.total, args, place))
    assert shown in gradient.source, gradient.source
