"""Reaches Numba for those who have it, when it is first needed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np


def compiled(dispatcher: Any, args: Sequence[Any]) -> Any:
    """Compile a jitted function for arguments like these, and return it.

    Raises:
        Exception: Numba does not compile it; which exception that is, is left to Numba.
    """
    from numba import NumbaPerformanceWarning, typeof  # noqa: PLC0415 - Numba is optional

    with warnings.catch_warnings():  # that there is nothing to share among cores
        warnings.simplefilter("ignore", NumbaPerformanceWarning)
        given = tuple(map(typeof, args))
        dispatcher.compile(given)
    _share_types(dispatcher, given)
    return dispatcher


def _share_types(dispatcher: Any, given: Any) -> None:
    """Let arrays that a function from Numba's cache returns have NumPy's own objects for types.

    It has copies, which are equal, but are not found to be the same by who asks the fast way.
    """
    known = getattr(dispatcher, "overloads", {}).get(given)
    constants = getattr(getattr(known, "environment", None), "consts", None)
    if isinstance(constants, list):
        constants[:] = [
            item.type().dtype if isinstance(item, np.dtype) and item.kind in "biufc" else item
            for item in constants
        ]


@dataclass(frozen=True, slots=True)
class Returned:
    """What a compiled function returns, as far as one has to know that it is the same thing.

    Attributes:
        lists: How many lists there are.
        nested: Whether there are lists in lists, or things that Python does not have.
        tuples: Whether there are tuples among what is returned.
    """

    lists: int
    nested: bool
    tuples: bool


def returned_by(dispatcher: Any, args: Sequence[Any], beside: bool) -> Returned:
    """Return what lists and tuples a compiled function returns for arguments like these.

    `beside` says that it returns a tuple of lists beside its result.
    """
    from numba import typeof, types  # noqa: PLC0415 - Numba is optional

    def look(kind: Any, depth: int) -> Returned:
        if isinstance(kind, types.List):
            inner = look(kind.dtype, depth + 1)
            return Returned(1, inner.lists > 0 or inner.nested, inner.tuples)
        if isinstance(kind, types.BaseTuple):
            found = [look(part, depth + 1) for part in kind]
            lists, nested = sum(item.lists for item in found), any(item.nested for item in found)
            return Returned(lists, nested, depth > 0 or any(item.tuples for item in found))
        known = (types.Number, types.Boolean, types.Array, types.NoneType, types.Optional)
        return Returned(0, not isinstance(kind, known), False)  # a dict of its own would be another

    given = tuple(map(typeof, args))
    kind = dispatcher.overloads[given].signature.return_type
    if not beside:
        return look(kind, 0)
    (whole, lists) = (look(part, 0) for part in kind)
    return Returned(whole.lists + lists.lists, whole.nested or lists.nested, whole.tuples)


def arrays_returned_by(dispatcher: Any, args: Sequence[Any]) -> Any:
    """Return the types of the numbers of an array that a compiled function returns, or of a tuple.

    None stands for whatever is no array, and no tuple of arrays alone.
    """
    from numba import typeof, types  # noqa: PLC0415 - Numba is optional
    from numba.np.numpy_support import as_dtype  # noqa: PLC0415

    kind = dispatcher.overloads[tuple(map(typeof, args))].signature.return_type
    parts = list(kind) if isinstance(kind, types.BaseTuple) else [kind]
    if not parts or not all(type(part) is types.Array for part in parts):
        return None
    found = tuple(as_dtype(part.dtype) for part in parts)
    return found if isinstance(kind, types.BaseTuple) else found[0]


def knows(function: Any) -> bool:
    """Say whether Numba knows a function, of whatever arguments."""
    from numba.core.registry import cpu_target  # noqa: PLC0415 - Numba is optional

    context = cpu_target.typing_context
    context.refresh()
    try:
        return context.resolve_value_type(function) is not None
    except Exception:  # noqa: BLE001 - it raises what it likes
        return False


def line_of(error: BaseException, file: str) -> int:
    """Return the line of a file that an error of Numba speaks of; 0 if it names none."""
    seen: set[int] = set()
    found = 0
    waiting = [error]
    while waiting:
        item = waiting.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        place = getattr(item, "loc", None)
        if place is not None and getattr(place, "filename", "") == file and place.line:
            found = found or int(place.line)
        waiting += [part for part in (item.__cause__, item.__context__) if part is not None]
    return found


def in_short(error: BaseException) -> str:
    """Return the sentence of an error of Numba that says what is wrong."""
    lines = [line.strip() for line in str(error).splitlines()]
    told = [line for line in lines if line and not line.startswith(_PREAMBLE)]
    return told[0] if told else type(error).__name__


_PREAMBLE: Final = ("Failed in", "- Resolution", "File ", "During:", "There are", "^", "<source")


def is_jitted(value: Any) -> bool:
    """Say whether a value is a function that Numba compiles."""
    known = hasattr(type(value), "nopython_signatures")  # before an object is asked, which may run
    return known and hasattr(value, "py_func")


def of_elements(value: Any) -> Any:
    """Return the Python function of numbers behind one that `numba.vectorize` has made, or None."""
    if type(value).__name__ != "DUFunc":
        return None
    return getattr(getattr(value, "_dispatcher", None), "py_func", None)


def python_of(value: Any) -> Any:
    """Return the Python function behind what Numba compiles, or None of anything else."""
    return plain(value) if is_jitted(value) else of_elements(value)


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the Python function behind one that Numba compiles."""
    found: Callable[..., Any] = getattr(function, "py_func", function)
    return found
