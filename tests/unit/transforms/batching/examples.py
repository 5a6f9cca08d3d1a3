"""Arguments of small programs, of each example or of all, and what their batch is compared with."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

COUNT = 5
_RNG = np.random.default_rng(3)
OF_EACH: dict[str, Any] = {
    "x": _RNG.normal(size=(COUNT, 4)),
    "m": _RNG.normal(size=(COUNT, 3, 4)),
    "q": _RNG.normal(size=(COUNT, 4, 4)) + 4 * np.eye(4),
    "t": _RNG.normal(size=(COUNT, 2, 3, 2)),
    "s": _RNG.uniform(0.5, 1.5, size=COUNT),
    "k": np.array([0, 3, 1, 2, 1]),
    "ks": _RNG.integers(0, 3, size=(COUNT, 3)),
    "z": _RNG.normal(size=(COUNT, 4)) + 1j * _RNG.normal(size=(COUNT, 4)),
    "b": _RNG.normal(size=(COUNT, 4)) > 0,
}
"""Arguments by the names of parameters: arrays, whole numbers, complex ones, truths."""
OF_ALL: dict[str, Any] = {
    "w": _RNG.normal(size=4),
    "v": _RNG.normal(size=(3, 4)),
    "c": 0.7,
    "j": 2,
    "items": [1.0, 2.0],
    "named": {"a": 1.5},
    "text": "sum",
}


def leaves(value: Any) -> Iterator[Any]:
    """Yield the numbers and arrays of a result."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item)
    else:
        yield value


class Batch:
    """A program with arguments for it, which its parameters name."""

    def __init__(self, program: Callable[..., Any]) -> None:
        self.program = program
        names = inspect.signature(program).parameters
        self.axes = tuple(0 if name in OF_EACH else None for name in names)
        self._args = [(OF_EACH | OF_ALL)[name] for name in names]

    def args(self) -> list[Any]:
        """Return the arguments, which the program may write into."""
        return copy.deepcopy(self._args)

    def together(self) -> Any:
        """Run the program once, for all examples."""
        return sg.vmap(self.program, in_axes=self.axes, fallback="error")(*self.args())

    def one_by_one(self) -> list[Any]:
        """Run the program for each example."""
        return [
            self.program(
                *(
                    arg[i] if axis == 0 else arg
                    for arg, axis in zip(self.args(), self.axes, strict=True)
                )
            )
            for i in range(COUNT)
        ]


def check(program: Callable[..., Any]) -> None:
    """Compare a program over a batch with one example at a time."""
    batch = Batch(program)
    wanted = [
        np.stack(items) for items in zip(*map(list, map(leaves, batch.one_by_one())), strict=True)
    ]
    for mine, theirs in zip(leaves(batch.together()), wanted, strict=True):
        np.testing.assert_allclose(mine, theirs, strict=True)


def check_refused(program: Callable[..., Any], sentence: str) -> None:
    """See that a program over a batch is refused in these words."""
    with pytest.raises(sg.SrcgradError) as caught:
        Batch(program).together()
    said = str(caught.value).splitlines()[0]
    assert said == f"[SG195] {sentence} is not written for a batch"


def check_raises(program: Callable[..., Any], error: type[Exception]) -> None:
    """See that a program raises what it does for one example."""
    batch = Batch(program)
    with pytest.raises(error):
        batch.one_by_one()
    with pytest.raises(error):
        batch.together()
