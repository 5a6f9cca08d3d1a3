"""Speaks with Dask, whose arrays are programs that nobody has run yet; it is imported by the user.

What would compute in the middle of a function (``if x.sum() > 0``, ``float(x[0])``) is refused
there, by a scheduler that does so for the thread in which a derivative is being taken.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from srcgrad.backends.library import DASK

_TAKING: Final = threading.local()


class ComputedError(TypeError):
    """A value was asked for while a derivative is being taken."""


def is_lazy(value: Any) -> bool:
    """Say whether a value is an array of Dask.

    >>> is_lazy(np.ones(3))
    False
    """
    return DASK.owns(value)


@contextlib.contextmanager
def nothing_computed() -> Iterator[None]:
    """Refuse to compute within a block, in this thread.

    Raises:
        ComputedError: A value is asked for.
    """
    dask: Any = sys.modules["dask"]
    base: Any = sys.modules["dask.base"]

    def refused(graph: Any, keys: Any, **options: Any) -> Any:
        if getattr(_TAKING, "depth", 0):
            _TAKING.asked = ComputedError("it needs a number that is not computed yet")
            raise _TAKING.asked
        return before(graph, keys, **options)

    before = base.get_scheduler() or sys.modules["dask.threaded"].get
    with dask.config.set(scheduler=refused), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The `.*` function is not implemented by Dask")
        _TAKING.depth, _TAKING.asked = getattr(_TAKING, "depth", 0) + 1, None
        try:
            yield
        finally:
            _TAKING.depth -= 1


def raise_if_asked() -> None:
    """Raise what was refused, if the program has caught that and gone on.

    Raises:
        ComputedError: A value was asked for.
    """
    asked = getattr(_TAKING, "asked", None)
    if asked is not None:
        raise asked


def raised(error: BaseException) -> bool:
    """Say whether an error was raised by Dask itself, or by NumPy for what it cannot hold."""
    if str(error).startswith("setting an array element with a sequence"):
        return True
    trace = error.__traceback__
    name = ""
    while trace is not None:
        name, trace = trace.tb_frame.f_globals.get("__name__", ""), trace.tb_next
    return name.partition(".")[0] == "dask"


def in_one_chunk(value: Any) -> Any:
    """Return a number or an array of NumPy as an array of Dask."""
    array: Any = sys.modules["dask.array"]
    return array.from_array(np.asarray(value), chunks=-1)


def like(grad: Any, value: Any) -> Any:
    """Return a gradient with the shape, the type and the chunks of the value that it belongs to."""
    array: Any = sys.modules["dask.array"]
    if not is_lazy(grad):
        grad = array.asarray(grad)
    if grad.dtype.kind == "c" and value.dtype.kind != "c":
        grad = grad.real
    if grad.dtype != value.dtype:
        grad = grad.astype(value.dtype)
    if _known(grad.shape) and _known(value.shape) and grad.shape != value.shape:
        grad = array.broadcast_to(grad, value.shape)
    same = not _known(value.shape) or grad.chunks == value.chunks
    return grad if same else grad.rechunk(value.chunks)


def _known(shape: tuple[Any, ...]) -> bool:
    """Say whether all lengths are known, which they are not behind a mask."""
    return all(length == length for length in shape)  # noqa: PLR0124 - NaN
