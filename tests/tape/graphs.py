"""Says in short what the tape holds of a program: results, graph, and the graph of its pass.

Values are compared elsewhere; this is what they do not show: which nodes there are, where their
edges go, what they keep, and of what shape, kind and order in memory all of it is.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcgrad.tape import PlainRun, Tensor, exact_grad, run_plainly
from srcgrad.tape.lending import leaf_of
from srcgrad.tape.node import Node


def graph_of(function: Callable[..., Any], args: tuple[Any, ...], nums: tuple[int, ...]) -> str:
    """Return what the tape holds of a call of `function`, and of its gradient: a line for each."""
    run, output = recorded(function, args, nums)
    told = Graph()
    lines = ["result", *told.of(run.result), *(f"leaf {_tensor(t)}" for t in run.tracked)]
    if output is None:
        return "\n".join(lines)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        grads = exact_grad(output, run.tracked, create_graph=True)
    return "\n".join([*lines, "gradient", *told.of(list(grads))])


def recorded(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    nums: tuple[int, ...],
    start: Callable[[Any], Any] = leaf_of,
) -> tuple[PlainRun, Tensor | None]:
    """Return a call of `function` on the tape, and the number it gives, if that has a gradient."""
    signature = inspect.signature(function)
    bound = signature.bind(*args)
    bound.apply_defaults()
    names = [list(signature.parameters)[i] for i in nums]
    run = run_plainly(function, bound, names, start)
    found = (t for t in _tensors(run.result) if t.requires_grad and t.size == 1)
    return run, next(found, None)


class Graph:
    """Tells of each node once, under a number of its own."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._kept: list[Node] = []  # so that no other one gets the identity of one that has gone

    def of(self, value: Any) -> Iterator[str]:
        """Yield a line for each tensor in a value, and one for each node not told of before."""
        waiting: list[Node] = []
        for number, tensor in enumerate(_tensors(value)):
            node = tensor.grad_fn
            yield f"  {number}: {_tensor(tensor)} {self._called(node, waiting)}"
        while waiting:
            node = waiting.pop()
            edges = [f"{self._called(to, waiting)}.{place}" for to, place in node.next_functions]
            kept = _form(node.saved_tensors)
            options = {name: _form(v) for name, v in sorted(vars(node).items()) if name[0] != "_"}
            wants = "".join("01"[bool(wanted)] for wanted in node.needs_input_grad)
            counts = [then for then in node._versions if isinstance(then, int)]
            told = f"{' '.join(edges)} wants {wants} keeps {kept} {options} of {counts}"
            yield f"  {self._called(node, waiting)} -> {told}"

    def _called(self, node: Node | None, waiting: list[Node]) -> str:
        if node is None:
            return "-"
        if id(node) not in self._numbers:
            self._numbers[id(node)] = len(self._numbers)
            self._kept.append(node)
            waiting.append(node)
        return f"{node.name()}#{self._numbers[id(node)]}"


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))


def _tensor(value: Tensor) -> str:
    facts = [
        name
        for name, holds in (
            ("requires", value.requires_grad),
            ("leaf", value.is_leaf),
            ("view", value._is_view()),
            ("inference", value.is_inference()),
            (f"written {value._version}", value._version),
        )
        if holds
    ]
    data = value.detach().numpy()
    return f"{type(value).__name__} {_form(data)} strides {data.strides} {' '.join(facts)}"


def _form(value: Any) -> str:
    """Return the shape and kind of arrays in a value, and plain values as they are."""
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__}({', '.join(map(_form, value))})"
    if isinstance(value, dict):
        return f"dict({', '.join(f'{key}={_form(item)}' for key, item in value.items())})"
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{type(value).__name__} {value.dtype} {value.shape}"
    if isinstance(value, (bool, int, str, slice, type(None))):
        return repr(value)
    return type(value).__name__
