"""Tells values to what keeps them for others to look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import CodeType, FunctionType
from typing import Any, Final

import numpy as np

from srcgrad.errors import MutationError
from srcgrad.runtime.objects import field_names, is_plain_object

_SINGLE: Final = frozenset((float, int, bool, str, type(None), np.float64, np.float32))
_MOST: Final = 5_000


def tell(function: Callable[..., Any], *values: Any) -> None:
    """Call a function with values, for what it keeps of them: what it returns is nobody's.

    >>> history = []
    >>> tell(history.append, 2.0)
    >>> history
    [2.0]
    """
    function(*values)


def keep_apart(kept: Any, *given: Any, deep: bool = False) -> None:
    """Refuse arguments in which a function, or a list or the like, keeps what it is told.

    What is in a list may be an argument, since nobody writes into it, unless `deep` says so.

    Raises:
        MutationError: One of them is, or holds, what `kept` is, or has outside of itself, or one of
            several of those.

    >>> history, x = [1.0], np.ones(2)
    >>> keep_apart(history, 2.0, [3.0])
    >>> keep_apart([x], x)
    >>> keep_apart(history, [history])
    Traceback (most recent call last):
    ...
    srcgrad.errors.MutationError: [SG102] an argument is, or holds, what values are kept in
    hint: give a copy of it
    """
    held = [item for item in given if type(item) not in _SINGLE]
    if not held:
        return
    places = kept if isinstance(kept, tuple) else (kept,)
    functions = [item for item in places if isinstance(item, FunctionType)]
    others = [item for item in places if not isinstance(item, FunctionType)]
    own = _parts([value for item in functions for value in _outside(item)])
    own |= _parts(others) if deep else {id(item): item for item in others}
    for item in _parts(held).values():
        if id(item) in own or any(_share_memory(item, other) for other in own.values()):
            raise MutationError(
                "an argument is, or holds, what values are kept in", hint="give a copy of it"
            )


def _share_memory(one: Any, other: Any) -> bool:
    both = isinstance(one, np.ndarray) and isinstance(other, np.ndarray)
    return both and bool(np.may_share_memory(one, other))


def _outside(function: FunctionType) -> list[Any]:
    """Return what a function, and what is defined in it, reads outside."""
    names = set(_names(function.__code__))
    cells = [cell.cell_contents for cell in function.__closure__ or () if _is_bound(cell)]
    space = function.__globals__
    return [*(space[name] for name in names if name in space), *cells]


def _names(code: CodeType) -> Iterable[str]:
    yield from code.co_names
    for item in code.co_consts:
        if isinstance(item, CodeType):
            yield from _names(item)


def _is_bound(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _parts(values: Iterable[Any]) -> dict[int, Any]:
    """Return the arrays, lists, dicts and objects among values, and in them."""
    waiting, found = list(values), dict[int, Any]()
    while waiting and len(found) < _MOST:
        value = waiting.pop()
        if type(value) in _SINGLE or id(value) in found:
            continue
        if isinstance(value, (list, tuple, set)):
            waiting += value
        elif isinstance(value, dict):
            waiting += value.values()
        elif is_plain_object(value):
            waiting += (getattr(value, name) for name in field_names(value))
        elif not isinstance(value, np.ndarray):
            continue
        if not isinstance(value, tuple):
            found[id(value)] = value
    return found
