"""Mirrors torch.autograd.functional: products with Jacobians and Hessians, and these themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.autograd import forward_ad
from srcgrad.autograd.at_once import columns_at_once, rows_at_once
from srcgrad.autograd.strictness import check_requires_grad, fill_in_zeros
from srcgrad.tape import functions
from srcgrad.tape.backward import grad
from srcgrad.tape.core import Core, make
from srcgrad.tape.modes import enable_grad, is_grad_enabled, set_grad_enabled

Tensors = tuple[Any, ...]


def _as_tuple(value: Any, what: str, name: str) -> tuple[bool, Tensors]:
    """Return whether `value` is a tuple, and it as one.

    Raises:
        TypeError: An entry is no tensor.
    """
    several = isinstance(value, tuple)
    values = value if several else (value,)
    for i, item in enumerate(values):
        if not isinstance(item, Core):
            place = f"value at index {i}" if several else f"given {what}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the "
                f"{place} has type {type(item)}."
            )
    return several, values


def _fresh(tensors: Tensors, create_graph: bool, need_graph: bool) -> Tensors:
    """Return new tensors of the same values: a closure over the old ones counts as constant."""
    return tuple(
        t.view_as(t) if create_graph and t.requires_grad else t.detach().requires_grad_(need_graph)
        for t in tensors
    )


def _finished(value: Any, create_graph: bool) -> Any:
    """Return results without history, unless it was asked for."""
    if isinstance(value, tuple):
        return tuple(_finished(item, create_graph) for item in value)
    return value if create_graph else value.detach()


def _unpacked(values: Tensors, several: bool) -> Any:
    return values if several else values[0]


def _check_v(v: Tensors, other: Tensors, several: bool) -> None:
    """Check that `v` has the shapes of `other`.

    Raises:
        RuntimeError: It has not.
    """
    if len(other) != len(v):
        if several:
            raise RuntimeError(
                f"v is a tuple of invalid length: should be {len(other)} but got {len(v)}."
            )
        raise RuntimeError("The given v should contain a single Tensor.")
    for i, (mine, theirs) in enumerate(zip(v, other, strict=True)):
        if mine.shape != theirs.shape:
            place = f"Entry {i} in " if several else ""
            raise RuntimeError(
                f"{place}v has invalid size: should be {list(theirs.shape)} but got "
                f"{list(mine.shape)}."
            )


def _grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Tensors | None = None,
    *,
    create_graph: bool = False,
    retain_graph: bool | None = None,
    batched: bool = False,
) -> Tensors:
    """Return gradients, with None for outputs that do not require grad."""
    given = (None,) * len(outputs) if grad_outputs is None else grad_outputs
    pairs = [
        (out, g)
        for out, g in zip(outputs, given, strict=True)
        if out is not None and out.requires_grad
    ]
    if not pairs:
        return (None,) * len(inputs)
    result: Tensors = grad(
        [out for out, _ in pairs],
        inputs,
        [g for _, g in pairs],
        allow_unused=True,
        create_graph=create_graph,
        retain_graph=retain_graph,
        is_grads_batched=batched,
    )
    return result


def _v_or_scalar(
    v: Any, other: Tensors, several: bool, name: str, what: str, create_graph: bool
) -> Tensors | None:
    """Return the vector of a product as a tuple; None if it may be left out."""
    if v is None:
        if len(other) != 1 or other[0].numel() != 1:
            raise RuntimeError(
                f"The vector v can only be None if {what} a single Tensor with a single element."
            )
        return None
    _, vs = _as_tuple(v, "v", name)
    vs = _fresh(vs, create_graph, need_graph=False)
    _check_v(vs, other, several)
    return vs


def vjp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return ``func(*inputs)`` and the product of `v` with its Jacobian.

    `v` has the shapes of the outputs and may be left out for one output of one element.

    Raises:
        RuntimeError: `v` does not fit, or with `strict` an output is independent of an input.
    """
    with enable_grad():
        many_in, ins = _as_tuple(inputs, "inputs", "vjp")
        ins = _fresh(ins, create_graph, need_graph=True)
        many_out, outs = _as_tuple(func(*ins), "outputs of the user-provided function", "vjp")
        check_requires_grad(outs, "outputs", strict)
        what = "the user-provided function returns"
        vs = _v_or_scalar(v, outs, many_out, "vjp", what, create_graph)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        products = _grad(outs, ins, vs, create_graph=create_graph)
        products = fill_in_zeros(products, ins, strict, create_graph, "back")
    return (
        _unpacked(_finished(outs, create_graph), many_out),
        _unpacked(_finished(products, create_graph), many_in),
    )


def jvp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return ``func(*inputs)`` and the product of its Jacobian with `v`, by running backward twice.

    `v` has the shapes of the inputs and may be left out for one input of one element.

    Raises:
        RuntimeError: `v` does not fit, or with `strict` an output is independent of an input.
    """
    with enable_grad():
        many_in, ins = _as_tuple(inputs, "inputs", "jvp")
        ins = _fresh(ins, create_graph, need_graph=True)
        what = "the input to the user-provided function is"
        vs = _v_or_scalar(v, ins, many_in, "jvp", what, create_graph)
        many_out, outs = _as_tuple(func(*ins), "outputs of the user-provided function", "jvp")
        check_requires_grad(outs, "outputs", strict)
        seeds = tuple(make(np.zeros_like(out._array), flag=True) for out in outs)
        pulled = _grad(outs, ins, seeds, create_graph=True)
        check_requires_grad(pulled, "grad_inputs", strict)
    products = _transposed(pulled, seeds, vs, create_graph)
    products = fill_in_zeros(products, outs, strict, create_graph, "back_trick")
    return (
        _unpacked(_finished(outs, create_graph), many_out),
        _unpacked(_finished(products, create_graph), many_out),
    )


def _transposed(pulled: Tensors, seeds: Tensors, vs: Tensors | None, create_graph: bool) -> Tensors:
    if vs is None:
        vs = tuple(None if g is None else make(np.ones_like(g._array)) for g in pulled)
    if not create_graph:
        return _grad(pulled, seeds, vs)
    with enable_grad():
        return _grad(pulled, seeds, vs, create_graph=True)


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """Return the Jacobian, of the shape of the output followed by that of the input.

    Tuples nest: outputs first, then inputs. ``strategy="forward-mode"`` needs `vectorize`.

    Raises:
        RuntimeError: With `strict`, an output is independent of an input.
        NotImplementedError: A combination that PyTorch does not offer either.
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your '
            "function "
            'has more outputs than inputs, "forward-mode" tends to be more performant. Otherwise, '
            'prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        return _forward_jacobian(func, inputs, create_graph, strict, vectorize)
    if vectorize and strict:
        raise RuntimeError(
            "srcgrad.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not "
            "supported together. Please either set `strict=False` or `vectorize=False`."
        )
    with enable_grad():
        many_in, ins = _as_tuple(inputs, "inputs", "jacobian")
        ins = _fresh(ins, create_graph, need_graph=True)
        many_out, outs = _as_tuple(func(*ins), "outputs of the user-provided function", "jacobian")
        check_requires_grad(outs, "outputs", strict)
        rows = tuple(
            rows_at_once(out, ins, create_graph)
            if vectorize and out.requires_grad and out.dtype.kind == "f"
            else _jacobian_of(out, ins, create_graph, strict)
            for out in outs
        )
    rows = _finished(rows, create_graph)
    return _unpacked(tuple(_unpacked(row, many_in) for row in rows), many_out)


def _jacobian_of(out: Any, ins: Tensors, create_graph: bool, strict: bool) -> Tensors:
    """Return the Jacobian of one output with respect to each input, row by row."""
    columns: list[list[Any]] = [[] for _ in ins]
    flat = functions.reshape(out, (-1,))
    for j in range(out.numel()):
        row = _grad((flat[j],), ins, retain_graph=True, create_graph=create_graph)
        for i, (part, item) in enumerate(zip(row, ins, strict=True)):
            columns[i].append(_row(part, item, i, create_graph, strict))
    return tuple(
        functions.reshape(functions.stack(column), (*out.shape, *item.shape))
        if column
        else make(np.zeros((*out.shape, *item.shape), item.dtype))
        for column, item in zip(columns, ins, strict=True)
    )


def _row(part: Any, item: Any, i: int, create_graph: bool, strict: bool) -> Any:
    if part is None:
        if strict:
            raise RuntimeError(
                f"Output of the user-provided function is independent of input {i}. This is not "
                "allowed in strict mode."
            )
        return make(np.zeros_like(item._array))
    if strict and create_graph and not part.requires_grad:
        raise RuntimeError(
            "The jacobian of the user-provided function is independent of input "
            f"{i}. This is not allowed in strict mode when create_graph=True."
        )
    return part


def _forward_jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool,
    strict: bool,
    vectorize: bool,
    *,
    recorded: bool = False,
) -> Any:
    """Return the Jacobian by columns: all at once, or one by one with dual numbers.

    Results that have to be `recorded` come one by one.
    """
    if create_graph:
        raise NotImplementedError(
            "srcgrad.autograd.functional.jacobian: `create_graph=True` and "
            '`strategy="forward-mode"` are not supported together (yet). Please either set '
            '`create_graph=False` or `strategy="reverse-mode"`.'
        )
    if strict:
        raise RuntimeError(
            'srcgrad.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are '
            "not supported together (yet). Please either set `strict=False` or "
            '`strategy="reverse-mode"`.'
        )
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian is only "
            "implemented "
            "for `vectorize=True`."
        )
    many_in, ins = _as_tuple(inputs, "inputs", "jacobian")
    found = None
    if not recorded and not any(item.requires_grad for item in ins):
        found = columns_at_once(func, _fresh(ins, create_graph=False, need_graph=True))
    if found is not None:
        return _unpacked(tuple(_unpacked(row, many_in) for row in found[0]), found[1])
    many_out = False
    columns: list[list[Any]] = []
    shapes: tuple[tuple[int, ...], ...] = ()
    for i, item in enumerate(ins):
        own: list[Any] = []
        for j in range(item.numel()):
            many_out, tangents = _column(func, ins, i, j)
            own.append(tangents)
            shapes = tuple(tangent.shape for tangent in tangents)
        columns.append(own)
    rows = tuple(
        tuple(
            functions.reshape(functions.stack([c[k] for c in own], -1), (*shape, *item.shape))
            for own, item in zip(columns, ins, strict=True)
        )
        for k, shape in enumerate(shapes)
    )
    return _unpacked(tuple(_unpacked(row, many_in) for row in rows), many_out)


def _column(func: Callable[..., Any], ins: Tensors, i: int, j: int) -> tuple[bool, list[Any]]:
    """Return the tangents of the outputs along element `j` of input `i`."""
    with forward_ad.dual_level():
        duals = []
        for k, item in enumerate(ins):
            tangent = np.zeros(item.shape, item.dtype)
            if k == i:
                tangent.reshape(-1)[j] = 1
            duals.append(forward_ad.make_dual(item, make(tangent)))
        several, outs = _as_tuple(func(*duals), "outputs", "jacobian")
        tangents = []
        for out in outs:
            primal, tangent = forward_ad.unpack_dual(out)
            tangents.append(make(np.zeros_like(primal._array)) if tangent is None else tangent)
    return several, tangents


def _scalar_output(func: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return `func`, checked to return one tensor of one element."""

    def checked(*inputs: Any) -> Any:
        several, outs = _as_tuple(func(*inputs), "outputs of the user-provided function", name)
        if several:
            raise RuntimeError(
                f"The function given to {name} should return a single Tensor"
                if name != "hessian"
                else "The function given to hessian should return a single Tensor"
            )
        if outs[0].numel() != 1:
            raise RuntimeError(
                f"The Tensor returned by the function given to {name} should contain "
                "a single element"
            )
        return functions.squeeze(outs[0]) if name == "hessian" else outs[0]

    return checked


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Return the Hessian of a function of one real output, nested input by input.

    Raises:
        RuntimeError: The function returns something else, or with `strict` does not depend on an
            input twice.
    """
    many_in, ins = _as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')
    scalar = _scalar_output(func, "hessian")
    forward = outer_jacobian_strategy == "forward-mode"

    def gradient(*xs: Any) -> Any:
        if forward:
            xs = tuple(x if x.requires_grad else _tracked(x) for x in xs)
        jac = jacobian(scalar, xs, create_graph=True, strict=False)
        if strict:
            check_requires_grad(jac, "jacobian", strict)
        return jac

    if forward:  # the result can be differentiated again, as PyTorch's is
        result = _forward_jacobian(gradient, ins, create_graph, strict, vectorize, recorded=True)
    else:
        result = jacobian(gradient, ins, create_graph, strict, vectorize)
    return _unpacked(tuple(_unpacked(row, many_in) for row in result), many_in)


def _tracked(x: Any) -> Any:
    """Return a dual tensor that a gradient can be asked for, with the same tangent."""
    primal, tangent = forward_ad.unpack_dual(x)
    twin = primal.detach().requires_grad_()
    return twin if tangent is None else forward_ad.make_dual(twin, tangent)


def vhp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return ``func(*inputs)`` and the product of `v` with its Hessian.

    Raises:
        RuntimeError: The function does not return one element, or `v` does not fit.
    """
    scalar = _scalar_output(func, "vhp")
    with enable_grad():
        many_in, ins = _as_tuple(inputs, "inputs", "vhp")
        ins = _fresh(ins, create_graph, need_graph=True)
        what = "the input to the user-provided function is"
        vs = _v_or_scalar(v, ins, many_in, "vhp", what, create_graph)
        out = scalar(*ins)
        check_requires_grad((out,), "outputs", strict)
        first = _grad((out,), ins, create_graph=True)
        check_requires_grad(first, "jacobian", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        if vs is None:
            vs = tuple(make(np.ones_like(x._array)) for x in ins)
        products = _grad(first, ins, vs, create_graph=create_graph)
        products = fill_in_zeros(products, ins, strict, create_graph, "double_back")
    return (
        _finished(out, create_graph),
        _unpacked(_finished(products, create_graph), many_in),
    )


def hvp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return ``func(*inputs)`` and the product of its Hessian with `v`, by running backward thrice.

    Raises:
        RuntimeError: The function does not return one element, or `v` does not fit.
    """
    scalar = _scalar_output(func, "hvp")
    with enable_grad():
        many_in, ins = _as_tuple(inputs, "inputs", "hvp")
        ins = _fresh(ins, create_graph, need_graph=True)
        what = "the input to the user-provided function is"
        vs = _v_or_scalar(v, ins, many_in, "hvp", what, create_graph)
        out = scalar(*ins)
        check_requires_grad((out,), "outputs", strict)
        first = _grad((out,), ins, create_graph=True)
        check_requires_grad(first, "jacobian", strict)
        seeds = tuple(make(np.zeros_like(x._array), flag=True) for x in ins)
        filled = tuple(
            make(np.zeros_like(x._array)) if g is None else g
            for g, x in zip(first, ins, strict=True)
        )
        second = _grad(filled, ins, seeds, create_graph=True)
        check_requires_grad(second, "hessian", strict)
    products = _transposed(second, seeds, vs, create_graph)
    products = fill_in_zeros(products, ins, strict, create_graph, "double_back_trick")
    return (
        _finished(out, create_graph),
        _unpacked(_finished(products, create_graph), many_in),
    )


__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
