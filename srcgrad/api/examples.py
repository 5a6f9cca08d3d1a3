"""Takes batches apart into examples, and puts the results of examples together."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentError
from srcgrad.tape import Tensor
from srcgrad.transforms.batching.facts import Fact


def axes_by_name(
    in_axes: Any, signature: inspect.Signature, arguments: Mapping[str, Any], given: set[str]
) -> dict[str, Any]:
    """Return the axis of the examples in each argument, with one for each part of containers.

    Raises:
        ArgumentError: There are axes for parameters that there are not, or none for one.
    """
    names = list(signature.parameters)
    if isinstance(in_axes, tuple | list):
        if len(in_axes) > len(names):
            raise ArgumentError(
                f"in_axes has {len(in_axes)} entries for {len(names)} parameters",
                hint="give one for each",
            )
        told = dict(zip(names, in_axes, strict=False))
    elif isinstance(in_axes, dict):
        if in_axes.keys() - set(names):
            raise ArgumentError(
                f"in_axes names {sorted(in_axes.keys() - set(names))}, which are no parameters",
                hint=f"the parameters are {names}",
            )
        told = dict(in_axes)
    else:
        told = {name: in_axes for name in names if name in given}
    missing = [name for name in names if name in given and name not in told]
    if missing and not isinstance(in_axes, dict):
        raise ArgumentError(f"in_axes says nothing of `{missing[0]}`", hint="give one for each")
    return {name: _filled(told.get(name), value, name) for name, value in arguments.items()}


def _filled(axis: Any, value: Any, where: str) -> Any:
    """Return an axis for each part of a value, counted from the front."""
    if axis is None:
        return None
    if isinstance(value, Tensor):
        value = value.detach().numpy()
    if isinstance(value, dict):
        parts = axis if isinstance(axis, dict) else dict.fromkeys(value, axis)
        if isinstance(axis, dict) and axis.keys() != value.keys():
            raise ArgumentError(f"in_axes has other keys than `{where}`", hint="give one for each")
        return {key: _filled(parts[key], item, f"{where}[{key!r}]") for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        same = isinstance(axis, (list, tuple))
        entries: Any = axis if same else [axis] * len(value)
        if len(entries) != len(value):
            raise ArgumentError(f"in_axes has another length than `{where}`", hint="give one each")
        found = [
            _filled(p, v, f"{where}[{i}]")
            for i, (p, v) in enumerate(zip(entries, value, strict=True))
        ]
        return tuple(found)
    if isinstance(axis, bool) or not isinstance(axis, int):
        raise ArgumentError(f"in_axes={axis!r} for `{where}`", hint="give a number or None")
    rank = np.ndim(value) if isinstance(value, np.ndarray) else 0
    if not -rank <= axis < rank:
        raise ArgumentError(
            f"`{where}` has no axis {axis} along which there could be examples",
            hint=f"give None for what all examples share: in_axes={{{where!r}: None}}",
        )
    return axis % rank


def count_of_examples(arguments: Mapping[str, Any], axes: Mapping[str, Any]) -> int:
    """Return how many examples there are.

    Raises:
        ArgumentError: There are none, or arguments have different numbers of them.
    """
    counts: dict[str, int] = {}
    for name, value in arguments.items():
        _count(value, axes[name], name, counts)
    if not counts:
        raise ArgumentError("in_axes is None for all arguments", hint="give 0 for one of them")
    (first, count), *rest = counts.items()
    for name, other in rest:
        if other != count:
            raise ArgumentError(
                f"`{first}` has {count} examples and `{name}` has {other}",
                hint="give arrays with as many examples each, or in_axes=None for what is shared",
            )
    return count


def _count(
    value: Any, axis: Any, where: str, counts: dict[str, int], places: dict[str, int] | None = None
) -> None:
    if axis is None:
        return
    if isinstance(axis, int):
        counts[where] = int(value.shape[axis])
        if places is not None:
            places[where] = axis
        return
    keys = axis if isinstance(axis, dict) else range(len(axis))
    for key in keys:
        _count(value[key], axis[key], f"{where}[{key!r}]", counts, places)


def count_text(arguments: Mapping[str, Any], axes: Mapping[str, Any]) -> str:
    """Return the expression of how many examples there are in arguments.

    >>> count_text({"w": {"a": np.ones((2, 3))}}, {"w": {"a": 1}})
    "w['a'].shape[1]"
    """
    counts: dict[str, int] = {}
    places: dict[str, int] = {}
    for name, value in arguments.items():
        _count(value, axes[name], name, counts, places)
    (name, axis) = next(iter(places.items()))
    return f"{name}.shape[{axis}]"


def conditions_on(value: Any, axis: Any, where: str, *, exactly: bool) -> list[str]:
    """Return what a text over a batch takes for granted of the arrays in an argument.

    >>> conditions_on({"w": np.ones((2, 3))}, 0, "p", exactly=False)
    ["p['w'].ndim == 2"]
    >>> conditions_on(np.ones((5, 3)), 0, "x", exactly=True)
    ['x.shape[1:] == (3,)']
    """
    if isinstance(value, (dict, list, tuple)):
        keys = list(value) if isinstance(value, dict) else range(len(value))
        inner = axis if isinstance(axis, (dict, list, tuple)) else dict.fromkeys(keys, axis)
        parts = [(f"{where}[{key!r}]", value[key], inner[key]) for key in keys]
        return [c for w, v, a in parts for c in conditions_on(v, a, w, exactly=exactly)]
    if not isinstance(value, np.ndarray):
        return []
    if not exactly:
        return [f"{where}.ndim == {value.ndim}"]
    if axis is None:
        return [f"{where}.shape == {value.shape}"]
    one = value.shape[:axis] + value.shape[axis + 1 :]
    before = f"{where}.shape[:{axis}] + " if axis else ""
    return [f"{before}{where}.shape[{axis + 1}:] == {one}"]


def put_in_place(fact: Fact, value: Any, axis: Any, where: str) -> Fact:
    """Return what is known of one example of an argument."""
    if axis is None:
        return fact
    if isinstance(axis, int):
        rank = value.ndim - 1
        return replace(fact, kind="array" if rank else "number", batched=True, rank=rank)
    keys = list(axis) if isinstance(axis, dict) else range(len(axis))
    items = tuple(
        put_in_place(item, value[key], axis[key], where)
        for item, key in zip(fact.items or (), keys, strict=True)
    )
    return replace(fact, items=items)


def examples(arguments: Mapping[str, Any], axes: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Return the arguments of one example; of no examples, one of zeros."""
    return {name: _example(value, axes[name], number) for name, value in arguments.items()}


def _example(value: Any, axis: Any, number: int) -> Any:
    if axis is None:
        return value
    if isinstance(axis, int):
        if not value.shape[axis] and isinstance(value, np.ndarray):
            return np.zeros(np.delete(value.shape, axis), value.dtype)[()]
        return value[(slice(None),) * axis + (number,)]
    if isinstance(axis, dict):
        return {key: _example(item, axis[key], number) for key, item in value.items()}
    parts = [_example(item, part, number) for item, part in zip(value, axis, strict=True)]
    return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)


def stacked(results: Sequence[Any], axis: Any) -> Any:
    """Return the results of all examples as one, with the examples along an axis."""
    first = results[0]
    if isinstance(first, dict):
        parts = axis if isinstance(axis, dict) else dict.fromkeys(first, axis)
        return {key: stacked([r[key] for r in results], parts[key]) for key in first}
    if isinstance(first, (list, tuple)):
        axes = axis if isinstance(axis, (list, tuple)) else [axis] * len(first)
        columns = [
            stacked(list(c), a) for c, a in zip(zip(*results, strict=True), axes, strict=True)
        ]
        return type(first)(*columns) if hasattr(first, "_fields") else type(first)(columns)
    if first is None:
        return None
    if any(isinstance(item, Tensor) for item in results):
        stack: Any = __import__("srcgrad.tape.functions", fromlist=["stack"]).stack
        return stack(list(results), dim=axis)
    return np.stack(results, axis=axis)
