"""Cuts arguments into parts along their first axis, and puts gradients by parts together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from srcgrad.api.structures import float_leaves, mapped
from srcgrad.errors import ArgumentError
from srcgrad.runtime.labelled import is_labelled


class Parts:
    """An argument whose parts are there already, one after another, such as batches of a file.

    Args:
        parts: The parts in order: arrays, containers of arrays, or futures of a Dask cluster that
            stand for such, which stay where they are.
    """

    def __init__(self, parts: Iterable[Any]) -> None:
        self.parts = tuple(parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts)

    def __repr__(self) -> str:
        return f"<srcgrad.distributed.Parts of {len(self)}>"


def length_of(value: Any, name: str = "batch") -> int:
    """Return how many examples are in a value: the length of each array in it.

    >>> length_of({"x": np.ones((4, 2)), "labels": np.arange(4), "weights": None})
    4

    Raises:
        ArgumentError: The lengths differ, or there is something in it that has none.
    """
    found: list[int] = []
    _each(value, lambda leaf: found.append(_length_of_leaf(leaf, name)))
    if not found:
        raise ArgumentError(
            f"`{name}` holds no array that could be split", hint="give it as an array"
        )
    if len(set(found)) > 1:
        raise ArgumentError(
            f"the arrays in `{name}` have different lengths: {', '.join(map(str, found))}",
            hint="split arrays with one entry for each example, and give others as arguments "
            "that `over` does not name",
        )
    return found[0]


def _length_of_leaf(leaf: Any, name: str) -> int:
    shape = getattr(leaf, "shape", None)
    if isinstance(shape, tuple) and shape and not is_labelled(leaf):
        return int(shape[0])
    what = f"a {type(leaf).__name__}" if shape != () else "an array without axes"
    raise ArgumentError(
        f"`{name}` holds {what}, which cannot be split",
        hint="give arrays with one entry for each example, parts that are ready "
        "(srcgrad.distributed.Parts), or an argument that `over` does not name",
    )


def cut(value: Any, start: int, stop: int) -> Any:
    """Return the examples of a value from `start` to `stop`, as views of its arrays."""
    return _each(value, lambda leaf: leaf[start:stop])


def _each(value: Any, function: Any) -> Any:
    def of_leaf(leaf: Any) -> Any:
        return None if leaf is None else function(leaf)

    return mapped(of_leaf, value, of_leaf)


def borders(length: int, count: int) -> list[tuple[int, int]]:
    """Return where `count` parts of a batch begin and end: as equal as can be, none empty.

    >>> borders(7, 3), borders(2, 5), borders(0, 4)
    ([(0, 3), (3, 5), (5, 7)], [(0, 1), (1, 2)], [(0, 0)])
    """
    count = max(1, min(count, length))
    least, longer = divmod(length, count)
    ends = [place * least + min(place, longer) for place in range(count + 1)]
    return list(pairwise(ends))


def calls_of_parts(
    arguments: Mapping[str, Any], over: Sequence[str], count: int | None, workers: int
) -> list[dict[str, Any]]:
    """Return the arguments of the call for each part, by name.

    Args:
        arguments: Those of the whole call, by name.
        over: Which of them are split.
        count: How many parts are asked for; None for one for each worker.
        workers: How many workers there are.

    Raises:
        ArgumentError: They cannot be split, or not into parts that belong together.
    """
    ready = {name: arguments[name] for name in over if isinstance(arguments[name], Parts)}
    cutting = [name for name in over if name not in ready]
    if ready and cutting:
        raise ArgumentError(
            f"`{next(iter(ready))}` is given in parts and `{cutting[0]}` is not",
            hint="give all arguments that are split as Parts, or none",
        )
    if ready:
        _refuse_other_counts({name: len(value) for name, value in ready.items()}, count)
        rows = zip(*ready.values(), strict=True)
        return [{**arguments, **dict(zip(ready, row, strict=True))} for row in rows]
    lengths = {name: length_of(arguments[name], name) for name in cutting}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"`{name}` has {length}" for name, length in lengths.items())
        raise ArgumentError(
            f"what is split together has different lengths: {shown}",
            hint="name in `over` the arguments with one entry for each example",
        )
    ends = borders(next(iter(lengths.values())), count or workers)
    return [
        {**arguments, **{name: cut(arguments[name], *ends_of_part) for name in cutting}}
        for ends_of_part in ends
    ]


def is_ready(arguments: Mapping[str, Any], over: Sequence[str]) -> bool:
    """Say whether what is split is given in parts."""
    return any(isinstance(arguments[name], Parts) for name in over)


def _refuse_other_counts(counts: Mapping[str, int], asked: int | None) -> None:
    numbers = set(counts.values())
    if len(numbers) > 1 or 0 in numbers:
        shown = ", ".join(f"`{name}` has {number}" for name, number in counts.items())
        raise ArgumentError(
            f"arguments in parts that do not belong together: {shown}",
            hint="give each the same number of parts, at least one",
        )
    if asked is not None and asked not in numbers:
        raise ArgumentError(
            f"parts={asked} beside {numbers.pop()} parts that are ready", hint="leave parts= out"
        )


def put_together(grads: Sequence[Any]) -> Any:
    """Return the gradient by a whole argument from those by its parts, in order."""
    if len(grads) == 1:
        return grads[0]
    columns = iter(zip(*map(float_leaves, grads), strict=True))
    return mapped(lambda _: np.concatenate(next(columns)), grads[0])
