"""Reaches Numba for those who have it, when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


def compiled(dispatcher: Any, args: Sequence[Any]) -> Any:
    """Compile a jitted function for arguments like these, and return it.

    Raises:
        Exception: Numba does not compile it; which exception that is, is left to Numba.
    """
    from numba import typeof  # noqa: PLC0415 - Numba is optional

    dispatcher.compile(tuple(map(typeof, args)))
    return dispatcher


def lists_in(dispatcher: Any, args: Sequence[Any]) -> tuple[int, bool]:
    """Return how many lists a compiled function returns, and whether there are lists in lists."""
    from numba import typeof, types  # noqa: PLC0415 - Numba is optional

    def count(kind: Any, depth: int) -> tuple[int, bool]:
        if isinstance(kind, types.List):
            inner, _ = count(kind.dtype, depth + 1)
            return 1, inner > 0
        if isinstance(kind, types.BaseTuple):
            found = [count(part, depth) for part in kind]
            return sum(n for n, _ in found), any(nested for _, nested in found)
        return 0, False

    given = tuple(map(typeof, args))
    return count(dispatcher.overloads[given].signature.return_type, 0)


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


def is_jitted(value: Any) -> bool:
    """Say whether a value is a function that Numba compiles."""
    return hasattr(value, "py_func") and hasattr(value, "nopython_signatures")


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the Python function behind one that Numba compiles."""
    found: Callable[..., Any] = getattr(function, "py_func", function)
    return found
