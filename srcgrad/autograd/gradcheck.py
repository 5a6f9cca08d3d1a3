"""Mirrors torch.autograd.gradcheck: compares gradients with finite differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from srcgrad.autograd import forward_ad
from srcgrad.autograd.jacobians import (
    GradcheckError,
    analytical_rows,
    as_real_map,
    as_tuple,
    compare,
    differentiable,
    get_analytical_jacobian,
    get_numerical_jacobian,
    get_numerical_jacobian_wrt_specific_input,
    numerical_columns,
    numerical_real_map,
)
from srcgrad.tape.backward import grad
from srcgrad.tape.core import Core, make
from srcgrad.tape.undefined import undefined_grad


def _check_inputs(inputs: tuple[Any, ...]) -> None:
    active = False
    for i, item in enumerate(inputs):
        if not differentiable(item):
            continue
        active = True
        if item._array.dtype not in (np.float64, np.complex128):
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or "
                "complex. This check will likely fail if all the inputs are not of double "
                "precision "
                "floating point or complex. ",
                stacklevel=4,
            )
        if any(s == 0 and n > 1 for s, n in zip(item._array.strides, item.shape, strict=True)):
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


class _Check:
    """One run of gradcheck."""

    def __init__(
        self, func: Callable[..., Any], inputs: tuple[Any, ...], options: dict[str, Any]
    ) -> None:
        self.func = func
        self.inputs = inputs
        self.options = options
        self.active = [(i, x) for i, x in enumerate(inputs) if differentiable(x)]
        self.diff = [x for _, x in self.active]
        self.outputs = [out for out in as_tuple(func(*inputs)) if isinstance(out, Core)]
        self.tolerances = options["rtol"], options["atol"]

    def run(self) -> None:
        """Do every check that is on."""
        numerical = {
            i: numerical_columns(self.func, self.inputs, i, self.options["eps"])
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
            rows, sizes_ok, types_ok = analytical_rows(self.diff, out)
            again, _, _ = analytical_rows(self.diff, out)
            complex_out = out._array.dtype.kind == "c"
            if self.options["check_grad_dtypes"] and not types_ok:
                raise GradcheckError("Gradient has dtype mismatch")
            if not sizes_ok:
                raise GradcheckError("Analytical gradient has incorrect size")
            for (i, item), row, twice in zip(self.active, rows, again, strict=True):
                analytical = as_real_map(row, complex_out, item._array.dtype.kind == "c")
                expected = numerical_real_map(numerical[i][k], complex_out)
                compare(analytical, expected, k, i, self.tolerances, "")
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
                compare(
                    numerical_real_map(analytical, out._array.dtype.kind == "c"),
                    numerical_real_map(numerical[i][k], out._array.dtype.kind == "c"),
                    k,
                    i,
                    self.tolerances,
                    "computed with forward mode ",
                )

    def _check_scaling(self) -> None:
        outs = [out for out in self.outputs if out.requires_grad]
        zeros = [make(np.zeros_like(out._array)) for out in outs]
        parts = grad(outs, self.diff, zeros, retain_graph=True, allow_unused=True)
        for part, item in zip(parts, self.diff, strict=True):
            if part is None:
                continue
            if np.any(part._array != 0):
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
            seeds = rng.standard_normal((2, *out.shape)).astype(out._array.dtype)
            options = {"retain_graph": True, "allow_unused": True}
            batched = grad(out, self.diff, make(seeds), is_grads_batched=True, **options)
            for n in range(2):
                single = grad(out, self.diff, make(seeds[n]), **options)
                for part, whole in zip(single, batched, strict=True):
                    if part is not None and not np.allclose(part._array, whole._array[n]):
                        raise GradcheckError("Batched gradient differs from single gradients")

    def _check_undefined(self) -> None:
        """Check that outputs whose gradient never comes do no harm."""
        nodes = [out for out in self.outputs if out.requires_grad]
        choices: list[set[int]] = [set(range(len(nodes)))]
        if len(nodes) > 1:
            choices += [{k} for k in range(len(nodes))]
        for undefined in choices:
            outs = [out for out in as_tuple(self.func(*self.inputs)) if differentiable(out)]
            self._undefined_once(outs, undefined)

    def _undefined_once(self, outs: list[Any], undefined: set[int]) -> None:
        masked = [undefined_grad(out) if k in undefined else out for k, out in enumerate(outs)]
        zeros = [make(np.zeros_like(out._array)) for out in masked]
        try:
            parts = grad(masked, self.diff, zeros, allow_unused=True)
        except RuntimeError as error:
            _warn_undefined()
            raise GradcheckError(
                "Expected backward function to handle undefined output grads."
            ) from error
        if any(part is not None and np.any(part._array != 0) for part in parts):
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
    steps = (1.0, 1j) if item._array.dtype.kind == "c" else (1.0,)
    for index in np.ndindex(item.shape):
        for step in steps:
            direction = np.zeros(item.shape, item._array.dtype)
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
            data = np.zeros_like(out._array) if tangent is None else np.array(tangent._array)
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
    _check_switches(
        check_fwd_over_rev, check_rev_over_rev, check_undefined_grad, check_batched_grad
    )
    values = as_tuple(inputs)
    seeds = (
        _random_seeds(func, values, gen_non_contig_grad_outputs)
        if grad_outputs is None
        else as_tuple(grad_outputs)
    )
    first_derivative = _first_derivative(func, [differentiable(x) for x in values], len(seeds))
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


def _check_switches(forward: bool, reverse: bool, undefined: bool, batched: bool) -> None:
    """Check that the switches of gradgradcheck go together.

    Raises:
        AssertionError: They do not.
    """
    if not (forward or reverse):
        raise AssertionError(
            "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True"
        )
    for on, name in ((undefined, "check_undefined_grad"), (batched, "check_batched_grad")):
        if on and not reverse:
            raise AssertionError(f"Setting {name}=True requires check_rev_over_rev to be True")


def _first_derivative(
    func: Callable[..., Any], active: list[bool], count: int
) -> Callable[..., tuple[Any, ...]]:
    """Return a function of inputs and `count` seeds that gives the gradients of `func`."""

    def derivative(*args: Any) -> tuple[Any, ...]:
        xs = tuple(_tracked(x) if on else x for x, on in zip(args[:-count], active, strict=True))
        outs = [out for out in as_tuple(func(*xs)) if differentiable(out)]
        wanted = [x for x, on in zip(xs, active, strict=True) if on]
        parts = grad(outs, wanted, args[-count:], create_graph=True, allow_unused=True)
        return tuple(part for part in parts if part is not None)

    return derivative


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
        if not differentiable(out):
            continue
        data = rng.uniform(-1, 1, out.shape)
        if out._array.dtype.kind == "c":
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
