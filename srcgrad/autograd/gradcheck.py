"""Mirrors torch.autograd.gradcheck: compares gradients with finite differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from srcgrad.autograd import forward_ad
from srcgrad.tape.backward import grad
from srcgrad.tape.core import Core, make
from srcgrad.tape.undefined import undefined_grad


class GradcheckError(RuntimeError):
    """A gradient that differs from finite differences, or a backward that breaks a promise."""


def as_tuple(value: Any) -> tuple[Any, ...]:
    """Return one value, or a sequence of them, as a tuple."""
    if isinstance(value, tuple):
        return value
    return tuple(value) if isinstance(value, list) else (value,)


def _differentiable(value: Any) -> bool:
    return isinstance(value, Core) and value.requires_grad


def _check_inputs(inputs: tuple[Any, ...]) -> None:
    active = False
    for i, item in enumerate(inputs):
        if not _differentiable(item):
            continue
        active = True
        if item._data.dtype not in (np.float64, np.complex128):
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or "
                "complex. This check will likely fail if all the inputs are not of double "
                "precision "
                "floating point or complex. ",
                stacklevel=4,
            )
        if any(s == 0 and n > 1 for s, n in zip(item._data.strides, item.shape, strict=True)):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs "
                "that "
                "are non-overlapping to be able to compute the numerical gradients correctly. You "
                "should call .contiguous on the input before passing it to gradcheck."
            )
    if not active:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them "
            "have "
            "requires_grad=True."
        )


# -- finite differences ----------------------------------------------------------------------------


def _evaluate(func: Callable[..., Any], inputs: tuple[Any, ...]) -> list[Any]:
    outs = [out for out in as_tuple(func(*inputs)) if isinstance(out, Core)]
    return [np.array(out._data) for out in outs]


def _numerical_columns(
    func: Callable[..., Any], inputs: tuple[Any, ...], i: int, eps: float
) -> list[Any]:
    """Return d out / d input i for each output, of shape (elements in, elements out).

    A column for a complex element holds the derivative along 1 and that along the imaginary unit.
    """
    memory = inputs[i]._data
    steps = (1.0, 1j) if memory.dtype.kind == "c" else (1.0,)
    found: list[list[Any]] = []
    for index in np.ndindex(memory.shape):
        was = memory[index].copy()
        for step in steps:
            memory[index] = was + eps * step
            above = _evaluate(func, inputs)
            memory[index] = was - eps * step
            below = _evaluate(func, inputs)
            memory[index] = was
            slopes = [(a - b) / (2 * eps) for a, b in zip(above, below, strict=True)]
            found.append([np.asarray(slope).reshape(-1) for slope in slopes])
    if not found:
        outs = _evaluate(func, inputs)
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
    return tuple(make(col) for col in _numerical_columns(fn, inputs, input_idx, eps))


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
        make(_numerical_columns(fn, values, i, eps)[0])
        for i, item in enumerate(values)
        if _differentiable(item)
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
    diff = [item for item in as_tuple(inputs) if _differentiable(item)]
    first, sizes_ok, types_ok = _analytical_rows(diff, output)
    second, _, _ = _analytical_rows(diff, output)
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


# -- backward --------------------------------------------------------------------------------------


def _analytical_rows(inputs: list[Any], output: Any) -> tuple[list[Any], bool, bool]:
    """Return the rows of the Jacobian of `output` by backward: (elements out, elements in).

    For complex outputs there are two rows an element, for seeds 1 and the imaginary unit.
    """
    steps = (1.0, 1j) if output._data.dtype.kind == "c" else (1.0,)
    rows: list[list[Any]] = [[] for _ in inputs]
    sizes_ok = types_ok = True
    for index in np.ndindex(output.shape):
        for step in steps:
            seed = np.zeros(output.shape, output._data.dtype)
            seed[index] = step
            parts = grad(output, inputs, make(seed), retain_graph=True, allow_unused=True)
            for k, (part, item) in enumerate(zip(parts, inputs, strict=True)):
                if part is None:
                    rows[k].append(np.zeros(item.numel(), item._data.dtype))
                    continue
                sizes_ok = sizes_ok and part.shape == item.shape
                types_ok = types_ok and part.dtype == item.dtype
                rows[k].append(np.array(part._data).reshape(-1))
    return (
        [
            np.stack(row) if row else np.zeros((0, item.numel()))
            for row, item in zip(rows, inputs, strict=True)
        ],
        sizes_ok,
        types_ok,
    )


def _as_real_map(rows: Any, complex_out: bool, complex_in: bool) -> Any:
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


def _numerical_real_map(columns: Any, complex_out: bool) -> Any:
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


def _compare(
    analytical: Any, numerical: Any, out: int, inp: int, tolerances: tuple[float, float], mode: str
) -> None:
    rtol, atol = tolerances
    if np.allclose(analytical, numerical, rtol=rtol, atol=atol):
        return
    raise GradcheckError(
        f"Jacobian {mode}mismatch for output {out} with respect to input {inp},\n"
        f"numerical:{numerical}\nanalytical:{analytical}\n"
        + _worst_entry(analytical, numerical, rtol, atol)
    )


class _Check:
    """One run of gradcheck."""

    def __init__(
        self, func: Callable[..., Any], inputs: tuple[Any, ...], options: dict[str, Any]
    ) -> None:
        self.func = func
        self.inputs = inputs
        self.options = options
        self.active = [(i, x) for i, x in enumerate(inputs) if _differentiable(x)]
        self.diff = [x for _, x in self.active]
        self.outputs = [out for out in as_tuple(func(*inputs)) if isinstance(out, Core)]
        self.tolerances = options["rtol"], options["atol"]

    def run(self) -> None:
        """Do every check that is on."""
        numerical = {
            i: _numerical_columns(self.func, self.inputs, i, self.options["eps"])
            for i, _ in self.active
        }
        if not any(out.requires_grad for out in self.outputs):
            if any(np.any(col != 0) for cols in numerical.values() for col in cols):
                raise GradcheckError("Numerical gradient for function expected to be zero")
            return
        if self.options["check_backward_ad"]:
            self._backward(numerical)
        if self.options["check_forward_ad"]:
            self._forward(numerical)
        if self.options["check_backward_ad"]:
            self._check_scaling()
            if self.options["check_batched_grad"]:
                self._check_batched()
            if self.options["check_undefined_grad"]:
                self._check_undefined()

    def _backward(self, numerical: dict[int, list[Any]]) -> None:
        for k, out in enumerate(self.outputs):
            if not out.requires_grad:
                continue
            rows, sizes_ok, types_ok = _analytical_rows(self.diff, out)
            again, _, _ = _analytical_rows(self.diff, out)
            complex_out = out._data.dtype.kind == "c"
            if self.options["check_grad_dtypes"] and not types_ok:
                raise GradcheckError("Gradient has dtype mismatch")
            if not sizes_ok:
                raise GradcheckError("Analytical gradient has incorrect size")
            for (i, item), row, twice in zip(self.active, rows, again, strict=True):
                analytical = _as_real_map(row, complex_out, item._data.dtype.kind == "c")
                expected = _numerical_real_map(numerical[i][k], complex_out)
                _compare(analytical, expected, k, i, self.tolerances, "")
                self._check_repeats(row, twice)

    def _check_repeats(self, first: Any, second: Any) -> None:
        tolerance = self.options["nondet_tol"]
        if first.size and np.abs(first - second).max() > tolerance:
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and grad_output "
                "multiple times gives different values, although analytical gradient matches "
                f"numerical gradient.The tolerance for nondeterminism was {tolerance}."
            )

    def _forward(self, numerical: dict[int, list[Any]]) -> None:
        for i, item in self.active:
            columns = [_tangents(self.func, self.inputs, i, step) for step in _directions(item)]
            for k, out in enumerate(self.outputs):
                if not out.requires_grad or not columns:
                    continue
                analytical = np.stack([column[k] for column in columns])
                _compare(
                    _numerical_real_map(analytical, out._data.dtype.kind == "c"),
                    _numerical_real_map(numerical[i][k], out._data.dtype.kind == "c"),
                    k,
                    i,
                    self.tolerances,
                    "computed with forward mode ",
                )

    def _check_scaling(self) -> None:
        outs = [out for out in self.outputs if out.requires_grad]
        zeros = [make(np.zeros_like(out._data)) for out in outs]
        parts = grad(outs, self.diff, zeros, retain_graph=True, allow_unused=True)
        for part, item in zip(parts, self.diff, strict=True):
            if part is None:
                continue
            if np.any(part._data != 0):
                raise GradcheckError("backward not multiplied by grad_output")
            if part.dtype != item.dtype:
                raise GradcheckError("grad is incorrect type")
            if part.shape != item.shape:
                raise GradcheckError("grad is incorrect size")

    def _check_batched(self) -> None:
        for out in self.outputs:
            if not out.requires_grad:
                continue
            rng = np.random.default_rng(0)
            seeds = rng.standard_normal((2, *out.shape)).astype(out._data.dtype)
            options = {"retain_graph": True, "allow_unused": True}
            batched = grad(out, self.diff, make(seeds), is_grads_batched=True, **options)
            for n in range(2):
                single = grad(out, self.diff, make(seeds[n]), **options)
                for part, whole in zip(single, batched, strict=True):
                    if part is not None and not np.allclose(part._data, whole._data[n]):
                        raise GradcheckError("Batched gradient differs from single gradients")

    def _check_undefined(self) -> None:
        """Check that outputs whose gradient never comes do no harm."""
        nodes = [out for out in self.outputs if out.requires_grad]
        choices: list[set[int]] = [set(range(len(nodes)))]
        if len(nodes) > 1:
            choices += [{k} for k in range(len(nodes))]
        for undefined in choices:
            outs = [out for out in as_tuple(self.func(*self.inputs)) if _differentiable(out)]
            self._undefined_once(outs, undefined)

    def _undefined_once(self, outs: list[Any], undefined: set[int]) -> None:
        masked = [undefined_grad(out) if k in undefined else out for k, out in enumerate(outs)]
        zeros = [make(np.zeros_like(out._data)) for out in masked]
        try:
            parts = grad(masked, self.diff, zeros, allow_unused=True)
        except RuntimeError as error:
            _warn_undefined()
            raise GradcheckError(
                "Expected backward function to handle undefined output grads."
            ) from error
        if any(part is not None and np.any(part._data != 0) for part in parts):
            _warn_undefined()
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output grads are "
                "undefined or zero."
            )


def _warn_undefined() -> None:
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by "
        "default, but it may break existing callers of this function. If this is true for you, you "
        'can call this function with "check_undefined_grad=False" to disable the feature',
        stacklevel=2,
    )


def _directions(item: Any) -> Iterable[Any]:
    steps = (1.0, 1j) if item._data.dtype.kind == "c" else (1.0,)
    for index in np.ndindex(item.shape):
        for step in steps:
            direction = np.zeros(item.shape, item._data.dtype)
            direction[index] = step
            yield direction


def _tangents(
    func: Callable[..., Any], inputs: tuple[Any, ...], i: int, direction: Any
) -> list[Any]:
    with forward_ad.dual_level():
        values = list(inputs)
        values[i] = forward_ad.make_dual(inputs[i].detach(), make(direction))
        outs = [out for out in as_tuple(func(*values)) if isinstance(out, Core)]
        found = []
        for out in outs:
            tangent = forward_ad.unpack_dual(out).tangent
            data = np.zeros_like(out._data) if tangent is None else np.array(tangent._data)
            found.append(data.reshape(-1))
        return found


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Compare the gradients of `func` with finite differences; return True if they agree.

    Also checks that backward is deterministic, multiplies with the incoming gradient and copes with
    undefined ones. With `fast_mode` nothing is skipped: the arrays of tests are small.

    Raises:
        GradcheckError: They differ; the message names the worst entry.
        ValueError: No input requires grad.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError(
            "Expected at least one of check_forward_ad or check_backward_ad to be True"
        )
    if check_batched_grad and not check_backward_ad:
        raise AssertionError(
            "Setting check_batched_grad=True requires check_backward_ad to be True"
        )
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError(
            "Setting check_batched_forward_grad=True requires check_forward_ad to be True"
        )
    options = {
        "eps": eps,
        "atol": atol,
        "rtol": rtol,
        "nondet_tol": nondet_tol,
        "check_undefined_grad": check_undefined_grad,
        "check_grad_dtypes": check_grad_dtypes,
        "check_batched_grad": check_batched_grad,
        "check_forward_ad": check_forward_ad,
        "check_backward_ad": check_backward_ad,
    }
    values = as_tuple(inputs)
    _check_inputs(values)
    try:
        _Check(func, values, options).run()
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Compare second derivatives with finite differences of first ones.

    Raises:
        GradcheckError: They differ.
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError(
            "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True"
        )
    if check_undefined_grad and not check_rev_over_rev:
        raise AssertionError(
            "Setting check_undefined_grad=True requires check_rev_over_rev to be True"
        )
    if check_batched_grad and not check_rev_over_rev:
        raise AssertionError(
            "Setting check_batched_grad=True requires check_rev_over_rev to be True"
        )
    values = as_tuple(inputs)
    if grad_outputs is None:
        seeds = _random_seeds(func, values, gen_non_contig_grad_outputs)
    else:
        seeds = as_tuple(grad_outputs)
    active = [_differentiable(x) for x in values]

    def first_derivative(*args: Any) -> tuple[Any, ...]:
        xs = tuple(
            _tracked(x) if on else x for x, on in zip(args[: -len(seeds)], active, strict=True)
        )
        outs = [out for out in as_tuple(func(*xs)) if _differentiable(out)]
        wanted = [x for x, on in zip(xs, active, strict=True) if on]
        parts = grad(outs, wanted, args[-len(seeds) :], create_graph=True, allow_unused=True)
        return tuple(part for part in parts if part is not None)

    return gradcheck(
        first_derivative,
        values + seeds,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
    )


def _tracked(x: Any) -> Any:
    return x if x.requires_grad else _retracked(x)


def _retracked(x: Any) -> Any:
    """Return a dual tensor that a gradient can be asked for, with the same tangent."""
    primal, tangent = forward_ad.unpack_dual(x)
    twin = primal.detach().requires_grad_()
    return twin if tangent is None else forward_ad.make_dual(twin, tangent)


def _random_seeds(
    func: Callable[..., Any], values: tuple[Any, ...], strided: bool
) -> tuple[Any, ...]:
    rng = np.random.default_rng(1)
    seeds = []
    for out in as_tuple(func(*values)):
        if not _differentiable(out):
            continue
        data = rng.uniform(-1, 1, out.shape)
        if out._data.dtype.kind == "c":
            data = data + 1j * rng.uniform(-1, 1, out.shape)
        if strided and data.ndim:
            data = np.repeat(data, 2, axis=-1)[..., ::2]
        seed = make(data)
        seed._flag = True
        seeds.append(seed)
    return tuple(seeds)


__all__ = [
    "GradcheckError",
    "get_analytical_jacobian",
    "get_numerical_jacobian",
    "get_numerical_jacobian_wrt_specific_input",
    "gradcheck",
    "gradgradcheck",
]
