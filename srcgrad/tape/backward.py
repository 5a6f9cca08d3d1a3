"""Defines backward and grad: checks what users pass and runs the engine."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad.tape.batched import batched_grad
from srcgrad.tape.core import Core, edge_of, make
from srcgrad.tape.edges import GradientEdge, roots_of, unused, wanted_edges
from srcgrad.tape.engine import HoldingPass, Pass, cast_result, run_backward, warn_cycle
from srcgrad.tape.modes import STATE
from srcgrad.tape.node import Edge, Node


def as_tuple(values: Any) -> tuple[Any, ...]:
    """Return one tensor or edge, or several, as a tuple."""
    if isinstance(values, (Core, GradientEdge)):
        return (values,)
    return tuple(values)


def inputs_tuple(inputs: Any, name: str) -> tuple[Any, ...]:
    """Return `inputs`, which may be a dict, as a tuple.

    Raises:
        TypeError: Another kind of mapping.
        RuntimeError: There are none.
    """
    if type(inputs) is dict:
        values = tuple(inputs.values())
    elif isinstance(inputs, Mapping):
        raise TypeError(
            f"`inputs` argument to `{name}()` must be a dict, not {type(inputs).__name__}. Other "
            "Mapping types are not supported."
        )
    else:
        values = as_tuple(inputs)
    if not values:
        raise RuntimeError(f"`inputs` argument to `{name}()` cannot be empty.")
    return values


def _seed(out: Any, grad: Any, number: int) -> Any:
    """Return the gradient to start with at `out`, as a tensor.

    Raises:
        RuntimeError: It has another shape or kind than `out`, or is missing and `out` is no scalar.
        TypeError: It is no tensor.
    """
    shape, dtype = shape_and_dtype(out)
    if isinstance(grad, (np.ndarray, np.generic)) and not isinstance(grad, Core):
        grad = make(grad)
    if isinstance(grad, Core):
        if grad._array.shape != shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{number}] has a shape of "
                f"{list(grad._array.shape)} and output[{number}] has a shape of {list(shape)}."
            )
        if (grad._array.dtype.kind == "c") != (dtype.kind == "c"):
            raise RuntimeError(
                "For complex Tensors, both grad_output and output are required to have the same "
                f"dtype. Mismatch in dtype: grad_output[{number}] has a dtype of "
                f"{grad._array.dtype} and output[{number}] has a dtype of {dtype}."
            )
        return grad
    if grad is not None:
        raise TypeError(f"gradients can be either Tensors or None, but got {type(grad).__name__}")
    if isinstance(out, Core) and edge_of(out) is None:
        return None
    if int(np.prod(shape)) != 1:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    if dtype.kind != "f":
        raise RuntimeError(
            f"grad can be implicitly created only for real scalar outputs but got {dtype}"
        )
    return make(np.ones(shape, dtype))


def shape_and_dtype(out: Any) -> tuple[tuple[int, ...], Any]:
    """Return the shape and dtype of the tensor, or of the tensor that an edge was made from.

    Raises:
        RuntimeError: An edge that does not know them.
    """
    if isinstance(out, Core):
        return out._array.shape, out._array.dtype
    if not isinstance(out, GradientEdge):
        raise TypeError(f"expected a Tensor or a GradientEdge, but got {type(out).__name__}")
    if out.ownership_token is not None:
        return out.ownership_token  # type: ignore[no-any-return]
    if out.node._leaf:
        data = out.node.variable._array  # type: ignore[attr-defined]
        return data.shape, data.dtype
    raise RuntimeError(
        "this GradientEdge does not know the shape of its tensor; make it with get_gradient_edge"
    )


def seeds_for(outputs: Sequence[Any], grads: Any) -> list[Any]:
    """Return one starting gradient for each output.

    Raises:
        RuntimeError: The numbers differ, or a gradient does not fit.
    """
    if grads is None:
        given: tuple[Any, ...] = (None,) * len(outputs)
    elif isinstance(grads, (Core, np.ndarray, np.generic)):
        given = (grads,)
    else:
        given = tuple(grads)
    if len(given) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(given)} gradients")
    return [_seed(out, grad, i) for i, (out, grad) in enumerate(zip(outputs, given, strict=True))]


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Add the sum of the vector-Jacobian products of `tensors` to the ``.grad`` of leaves.

    Args:
        tensors: One tensor or `GradientEdge`, or several.
        grad_tensors: The vector for each; None stands for 1, for tensors of one element.
        retain_graph: Keep what nodes saved, for another pass. Defaults to `create_graph`.
        create_graph: Record the pass itself, for higher derivatives.
        grad_variables: The old name of `grad_tensors`.
        inputs: Accumulate into these tensors alone, which need not be leaves.

    Raises:
        RuntimeError: A tensor does not require grad, a gradient does not fit, the graph was freed,
            or a saved value was changed in place.
    """
    if grad_variables is not None:
        warnings.warn(
            "`grad_variables` is deprecated. Use `grad_tensors` instead.",
            FutureWarning,
            stacklevel=2,
        )
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                "`backward()`. Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    wanted: list[Edge] = []
    if inputs is not None:
        chosen = inputs_tuple(inputs, "backward")
        wanted = wanted_edges(chosen)
        for item in chosen:
            _retain(item)
    outputs = as_tuple(tensors)
    seeds = seeds_for(outputs, grad_tensors)
    roots = roots_of(outputs)
    if create_graph:
        warn_cycle()
    keep = create_graph if retain_graph is None else retain_graph
    starts = seeds if create_graph else [None if s is None else s._array for s in seeds]
    run_backward(roots, starts, keep=keep, create=create_graph, wanted=wanted)


def _retain(item: Any) -> None:
    """Let a computed tensor keep its gradient: it is one of the `inputs` of backward."""
    if isinstance(item, Core) and not item._flag:
        item.retain_grad()


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """Return the gradients of the sum of `outputs` with respect to `inputs`, as a tuple.

    Args:
        outputs: One tensor or `GradientEdge`, or several.
        inputs: The same; a dict of tensors gives a dict of gradients.
        grad_outputs: The vector of the vector-Jacobian product for each output.
        retain_graph: Keep what nodes saved, for another pass. Defaults to `create_graph`.
        create_graph: Record the pass itself, for higher derivatives.
        only_inputs: Deprecated and ignored.
        allow_unused: Give None for inputs that the outputs do not depend on, instead of raising.
        is_grads_batched: The first axis of each of `grad_outputs` counts vectors.
        materialize_grads: Give zeros for inputs that the outputs do not depend on.

    Raises:
        RuntimeError: As `backward`; or an input is not used in the graph of the outputs.
        ValueError: `materialize_grads` together with ``allow_unused=False``.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    allowed = materialize_grads if allow_unused is None else allow_unused
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To "
            "accumulate gradient for other parts of the graph, please use "
            "srcgrad.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    outs, chosen = as_tuple(outputs), inputs_tuple(inputs, "grad")
    keep = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        results = batched_grad(_grad_once, outs, chosen, grad_outputs, keep, create_graph, allowed)
    else:
        seeds = seeds_for(outs, grad_outputs)
        results = _grad_once(outs, chosen, seeds, keep, create_graph, allowed)
    if materialize_grads:
        results = _materialize(results, chosen, create_graph)
    return dict(zip(inputs, results, strict=True)) if type(inputs) is dict else tuple(results)


def grad_of_call(
    outputs: Sequence[Any], inputs: Sequence[Any], seeds: Sequence[Any], ends: frozenset[Node]
) -> list[Any]:
    """Return gradients through what was recorded last, recorded themselves; None for unused inputs.

    `ends` are the nodes of what it was computed from: below them lies the whole graph, through
    which no call is to look anew.
    """
    known = seeds_for(outputs, seeds)
    return _grad_once(outputs, inputs, known, True, True, True, ends=ends)


def exact_grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    *,
    retain_graph: bool = True,
    create_graph: bool = False,
) -> Sequence[Any]:
    """Return gradients, None for unused inputs, without NaN from what the outputs do not use.

    Where a gradient is NaN although the outputs are not, a second pass follows the masks of all
    selections, which is dear (see `selection`).
    """
    first: Sequence[Any] = grad(
        outputs,
        inputs,
        grad_outputs,
        retain_graph=True,
        create_graph=create_graph,
        allow_unused=True,
    )
    outs = as_tuple(outputs)
    if not any(map(_has_nan, first)) or any(map(_has_nan, outs)):
        return first
    seeds = seeds_for(outs, grad_outputs)
    if any(map(_has_nan, seeds)):
        return first
    chosen = as_tuple(inputs)
    found = _grad_once(outs, chosen, seeds, retain_graph, create_graph, True, careful=True)
    return found if _count_of_nan(found) < _count_of_nan(first) else first


def held_grad(outputs: Any, inputs: Any, grad_outputs: Any = None) -> Sequence[Any]:
    """Return gradients in which no step counts where it is infinitely steep: a guess."""
    outs = as_tuple(outputs)
    seeds = seeds_for(outs, grad_outputs)
    how: dict[str, Any] = {"careful": True, "kind": HoldingPass}
    return _grad_once(outs, as_tuple(inputs), seeds, True, False, True, **how)


def _has_nan(value: Any) -> bool:
    return _count_of_nan((value,)) > 0


def _count_of_nan(values: Iterable[Any]) -> int:
    arrays = [data for value in values if (data := getattr(value, "_array", None)) is not None]
    return sum(int(np.count_nonzero(np.isnan(data))) for data in arrays if data.dtype.kind in "fc")


def _materialize(results: list[Any], inputs: Sequence[Any], create: bool) -> list[Any]:
    filled = []
    for result, item in zip(results, inputs, strict=True):
        if result is None and not isinstance(item, Core):
            raise RuntimeError(
                "materialize_grads cannot be used when the given input is a GradientEdge"
            )
        zeros = result is None
        filled.append(make(np.zeros_like(item._array), flag=create) if zeros else result)
    return filled


def _grad_once(
    outputs: Sequence[Any],
    inputs: Sequence[Any],
    seeds: list[Any],
    keep: bool,
    create: bool,
    allow_unused: bool,
    *,
    careful: bool = False,
    ends: frozenset[Node] = frozenset(),
    kind: type[Pass] = Pass,
) -> list[Any]:
    roots, wanted = roots_of(outputs), wanted_edges(inputs)
    starts = seeds if create else [None if seed is None else seed._array for seed in seeds]
    found = run_backward(
        roots,
        starts,
        keep=keep,
        create=create,
        wanted=wanted,
        accumulates=False,
        ends=ends,
        careful=careful,
        kind=kind,
    )
    results: list[Any] = []
    for slot, item in enumerate(inputs):
        value = found.get(slot)
        if value is None:
            if not allow_unused:
                raise unused(slot)
            results.append(None)
            continue
        results.append(_finish(value, item, seeds, results))
    return results


def _finish(value: Any, item: Any, seeds: list[Any], results: list[Any]) -> Any:
    """Return the gradient as a tensor of its own memory, with the dtype of the input."""
    if isinstance(item, Core):
        shape, dtype = item._array.shape, item._array.dtype
    else:
        shape, dtype = np.shape(getattr(value, "_array", value)), None
    if isinstance(value, Core):
        return cast_result(value, dtype, shape)
    shared = [seed._array for seed in seeds if seed is not None]
    shared += [result._array for result in results if result is not None]
    if any(value is array for array in shared):
        value = np.array(value)
    return cast_result(value, dtype, shape)


__all__ = ["STATE", "GradientEdge", "backward", "grad"]
