"""Runs expressions through both engines and compares with differences.

`expressions.txt` has one for each function, method and index form of NumPy that programs call. In
it, `x` and `y` are vectors of 4 numbers between 0.2 and 0.9, `u` is one with both signs, `m` a
matrix of 3 rows and 4 columns, `k` one of 3 times 3, `b` a stack of two of those, `c` a complex
vector, `t` a Python float. `I`, `M`, `V` and `V2` are constants: integers, truth values, and plain
vectors. A mark after an expression says which engine refuses it.
"""

from __future__ import annotations

import ast
import cmath
import linecache
import math
import operator
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import srcgrad as sg
from srcgrad.tape import strict_fallback

CONSTANTS: dict[str, Any] = {
    "np": np,
    "math": math,
    "cmath": cmath,
    "operator": operator,
    "I": np.array([2, 0, 1, 0]),
    "M": np.array([True, False, True, True]),
    "V": np.array([0.1, 0.7, -0.4, 1.3]),
    "V2": np.array([0.0, 0.4, 0.8, 1.1]),
}


def arguments() -> dict[str, Any]:
    """Return the values of the variables, each time the same."""
    rng = np.random.default_rng(11)
    return {
        "x": rng.uniform(0.2, 0.9, 4),
        "y": rng.uniform(0.2, 0.9, 4),
        "u": np.array([0.7, -0.3, -0.8, 0.4]),
        "m": rng.uniform(0.2, 0.9, (3, 4)),
        "k": rng.uniform(0.2, 0.9, (3, 3)) + np.diag([1.0, 2.0, 3.5]),
        "b": rng.uniform(0.2, 0.9, (2, 3, 3)) + np.diag([1.0, 2.0, 3.5]),
        "c": rng.uniform(0.2, 0.9, 4) + 1j * rng.uniform(0.2, 0.9, 4),
        "t": 0.6,
    }


FILE = Path(__file__).with_name("expressions.txt")
MARK = "  # refused by "


def listed() -> dict[str, str]:
    """Return the expressions of the list, each with the engines that refuse it."""
    lines = [line for line in FILE.read_text().splitlines() if line and not line.startswith("#")]
    return {line.partition(MARK)[0]: line.partition(MARK)[2] for line in lines}


@dataclass
class Probe:
    """An expression as a function of its variables that returns one number."""

    expression: str
    function: Callable[..., Any]
    args: list[Any]


def probe(expression: str) -> Probe:
    """Make the function of an expression: the sum of its elements, each with a weight."""
    values = arguments()
    names = {n.id for n in ast.walk(ast.parse(expression)) if isinstance(n, ast.Name)}
    used = [name for name in values if name in names]
    scope = dict(CONSTANTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = eval(expression, {**scope, **arguments()})
    shape = np.shape(result)
    scope["W"] = np.random.default_rng(5).uniform(0.5, 1.5, shape)
    total = (
        f"np.sum(np.real({expression}) * W)"
        if np.iscomplexobj(result)
        else (f"np.sum(({expression}) * W)" if shape else f"({expression}) * 1.3")
    )
    if np.iscomplexobj(result):
        scope["Z"] = scope["W"] * np.exp(
            0.4j * np.arange(max(1, np.size(result))).reshape(shape or ())
        )
        total = f"np.sum(np.real(({expression}) * Z))"
    source = f"def probe({', '.join(used)}):\n    return {total}\n"
    file = f"<checklist {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), scope)
    return Probe(expression, scope["probe"], [values[name] for name in used])


def differences(item: Probe) -> list[Any]:
    """Return the gradient of each argument by differences of fourth order."""
    grads = []
    for place, value in enumerate(item.args):
        flat = np.atleast_1d(np.array(value)).ravel()
        parts = [1.0, 1j] if np.iscomplexobj(flat) else [1.0]
        grad = np.zeros(flat.shape, complex if len(parts) > 1 else float)
        for i in range(flat.size):
            for unit in parts:
                grad[i] += unit * _slope(item, place, flat, i, unit)
        grads.append(grad.reshape(np.shape(value)))
    return grads


def _slope(item: Probe, place: int, flat: Any, i: int, unit: complex) -> float:
    def at(step: float) -> float:
        moved = flat.copy()
        moved[i] += unit * step
        shaped = moved.reshape(np.shape(item.args[place]))
        if isinstance(item.args[place], float):
            shaped = float(shaped)
        args = [np.copy(a) if isinstance(a, np.ndarray) else a for a in item.args]
        args[place] = shaped
        return float(np.real(item.function(*args)))

    h = 1e-4
    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)


def by_source(item: Probe) -> Any:
    """Return the gradients from generated source."""
    return sg.grad(item.function, tuple(range(len(item.args))), fallback="error")(*item.args)


def by_tape(item: Probe) -> list[Any]:
    """Return the gradients from the tape."""
    tensors = [sg.tensor(arg, requires_grad=True) for arg in item.args]
    with strict_fallback():
        output = item.function(*tensors)
    if not isinstance(output, sg.Tensor) or not output.requires_grad:
        return [np.zeros_like(arg) for arg in item.args]
    grads = sg.autograd.grad(output, tensors, allow_unused=True)
    return [
        np.zeros_like(arg) if grad is None else grad.detach().numpy()
        for arg, grad in zip(item.args, grads, strict=True)
    ]


def verdict(item: Probe, engine: Callable[[Probe], Any]) -> str:
    """Return "right", "wrong" or "refused: ..." for one engine."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = differences(item)
            found = engine(item)
        except Exception as error:  # noqa: BLE001 - whatever it says is the verdict
            return f"refused: {type(error).__name__}: {str(error).splitlines()[0][:150]}"
    for mine, theirs in zip(found, expected, strict=True):
        if np.shape(mine) != np.shape(theirs) or not np.allclose(mine, theirs, 1e-5, 1e-6):
            return f"wrong: {mine} not {theirs}".replace("\n", "")[:200]
    return "right"
