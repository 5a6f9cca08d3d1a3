"""Computes Jacobians by finite differences and by backward, and compares them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.tape.backward import grad
from srcgrad.tape.core import Core, make


class GradcheckError(RuntimeError):
    """A gradient that differs from finite differences, or a backward that breaks a promise."""


def as_tuple(value: Any) -> tuple[Any, ...]:
    """Return one value, or a sequence of them, as a tuple."""
    if isinstance(value, tuple):
        return value
    return tuple(value) if isinstance(value, list) else (value,)


def differentiable(value: Any) -> bool:
    """Return whether `value` is a tensor that requires grad."""
    return isinstance(value, Core) and value.requires_grad


def evaluate(func: Callable[..., Any], inputs: tuple[Any, ...]) -> list[Any]:
    """Return the outputs of `func` as arrays."""
    outs = [out for out in as_tuple(func(*inputs)) if isinstance(out, Core)]
    return [np.array(out._array) for out in outs]


def numerical_columns(
    func: Callable[..., Any], inputs: tuple[Any, ...], i: int, eps: float
) -> list[Any]:
    """Return d out / d input i for each output, of shape (elements in, elements out).

    A column for a complex element holds the derivative along 1 and that along the imaginary unit.
    """
    memory = inputs[i]._array
    steps = (1.0, 1j) if memory.dtype.kind == "c" else (1.0,)
    found: list[list[Any]] = []
    for index in np.ndindex(memory.shape):
        was = memory[index].copy()
        for step in steps:
            memory[index] = was + eps * step
            above = evaluate(func, inputs)
            memory[index] = was - eps * step
            below = evaluate(func, inputs)
            memory[index] = was
            slopes = [(a - b) / (2 * eps) for a, b in zip(above, below, strict=True)]
            found.append([np.asarray(slope).reshape(-1) for slope in slopes])
    if not found:
        outs = evaluate(func, inputs)
        return [np.zeros((0, out.size)) for out in outs]
    return [np.stack([row[k] for row in found]) for k in range(len(found[0]))]


def get_numerical_jacobian_wrt_specific_input(
    fn: Callable[..., Any],
    input_idx: int,
    inputs: tuple[Any, ...],
    outputs: Any = None,
    eps: float = 1e-6,
    input: Any = None,
    is_forward_ad: bool = False,
) -> tuple[Any, ...]:
    """Return the numerical Jacobians of all outputs with respect to one input."""
    return tuple(make(col) for col in numerical_columns(fn, inputs, input_idx, eps))


def get_numerical_jacobian(
    fn: Callable[..., Any],
    inputs: Any,
    target: Any = None,
    eps: float = 1e-3,
    grad_out: float = 1.0,
) -> list[Any]:
    """Return the numerical Jacobian of one output; deprecated, as PyTorch's is.

    Raises:
        ValueError: `grad_out` is not 1.
    """
    _deprecated("get_numerical_jacobian")
    if grad_out != 1.0:
        raise ValueError(
            "Expected grad_out to be 1.0. get_numerical_jacobian no longer supports values of "
            "grad_out != 1.0."
        )
    values = as_tuple(inputs)
    return [
        make(numerical_columns(fn, values, i, eps)[0])
        for i, item in enumerate(values)
        if differentiable(item)
    ]


def get_analytical_jacobian(
    inputs: Any, output: Any, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[Any, ...]:
    """Return Jacobians by backward, and whether they repeat, fit and have the right types.

    Deprecated, as PyTorch's is.

    Raises:
        ValueError: `grad_out` is not 1.
    """
    _deprecated("get_analytical_jacobian")
    if grad_out != 1.0:
        raise ValueError(
            "Expected grad_out to be 1.0. get_analytical_jacobian no longer supports values of "
            "grad_out != 1.0."
        )
    diff = [item for item in as_tuple(inputs) if differentiable(item)]
    first, sizes_ok, types_ok = analytical_rows(diff, output)
    second, _, _ = analytical_rows(diff, output)
    repeats = all(
        np.allclose(a, b, rtol=0, atol=nondet_tol) for a, b in zip(first, second, strict=True)
    )
    return tuple(make(a.T) for a in first), repeats, sizes_ok, types_ok


def _deprecated(name: str) -> None:
    warnings.warn(
        f"`{name}` was part of PyTorch's private API and not meant to be exposed. We are "
        "deprecating "
        "it and it will be removed in a future version. If you have a specific use for this or "
        "feature request for this to be a stable API, please file us an issue.",
        FutureWarning,
        stacklevel=3,
    )


def analytical_rows(inputs: list[Any], output: Any) -> tuple[list[Any], bool, bool]:
    """Return the rows of the Jacobian of `output` by backward: (elements out, elements in).

    For complex outputs there are two rows an element, for seeds 1 and the imaginary unit.
    """
    steps = (1.0, 1j) if output._array.dtype.kind == "c" else (1.0,)
    rows: list[list[Any]] = [[] for _ in inputs]
    sizes_ok = types_ok = True
    for index in np.ndindex(output.shape):
        for step in steps:
            seed = np.zeros(output.shape, output._array.dtype)
            seed[index] = step
            parts = grad(output, inputs, make(seed), retain_graph=True, allow_unused=True)
            for k, (part, item) in enumerate(zip(parts, inputs, strict=True)):
                if part is None:
                    rows[k].append(np.zeros(item.numel(), item._array.dtype))
                    continue
                sizes_ok = sizes_ok and part.shape == item.shape
                types_ok = types_ok and part.dtype == item.dtype
                rows[k].append(np.array(part._array).reshape(-1))
    return (
        [
            np.stack(row) if row else np.zeros((0, item.numel()))
            for row, item in zip(rows, inputs, strict=True)
        ],
        sizes_ok,
        types_ok,
    )


def as_real_map(rows: Any, complex_out: bool, complex_in: bool) -> Any:
    """Return what backward gave as a real matrix (elements in, elements out).

    A gradient is conj(d out / d x) applied to the seed, so its real part is the sensitivity of
    Re(conj(seed) * out) to the real part of the input, and its imaginary part that to the other.
    """
    rows = np.asarray(rows)
    if complex_in:
        wide = np.empty((rows.shape[0], 2 * rows.shape[1]))
        wide[:, 0::2], wide[:, 1::2] = rows.real, rows.imag
        rows = wide
    return np.real(rows).T


def numerical_real_map(columns: Any, complex_out: bool) -> Any:
    """Return finite differences as a real matrix in the same order."""
    if not complex_out:
        return np.real(columns)
    wide = np.empty((columns.shape[0], 2 * columns.shape[1]))
    wide[:, 0::2], wide[:, 1::2] = columns.real, columns.imag
    return wide


def _worst_entry(analytical: Any, numerical: Any, rtol: float, atol: float) -> str:
    """Return a line that names the entry that differs most."""
    excess = np.abs(analytical - numerical) - (atol + rtol * np.abs(numerical))
    i, j = np.unravel_index(int(np.argmax(np.nan_to_num(excess, nan=np.inf))), excess.shape)
    return (
        f"worst entry: element {i} of the input, element {j} of the output: numerical "
        f"{numerical[i, j]:.8g}, analytical {analytical[i, j]:.8g}\n"
    )


def compare(
    analytical: Any, numerical: Any, out: int, inp: int, tolerances: tuple[float, float], mode: str
) -> None:
    """Check that two Jacobians agree.

    Raises:
        GradcheckError: They do not; the message names the worst entry.
    """
    rtol, atol = tolerances
    if np.allclose(analytical, numerical, rtol=rtol, atol=atol):
        return
    raise GradcheckError(
        f"Jacobian {mode}mismatch for output {out} with respect to input {inp},\n"
        f"numerical:{numerical}\nanalytical:{analytical}\n"
        + _worst_entry(analytical, numerical, rtol, atol)
    )
