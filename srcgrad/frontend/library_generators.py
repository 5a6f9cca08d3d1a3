"""Generators that yield what those of `itertools` do, for the compiler to read in their place.

They are Python like a user's: loops over them, and whatever uses them up, become statements. What
each yields is told in https://docs.python.org/3/library/itertools.html.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType
from typing import Any, Final, cast

from srcgrad.ir import gast


def accumulated(iterable: Iterable[Any]) -> Iterator[Any]:
    """Yield the first value of an iterable, and its sums with those that follow.

    >>> list(accumulated([1, 2, 3]))
    [1, 3, 6]
    """
    total = 0
    for k, value in enumerate(iterable):
        total = total + value if k else value  # the first is that itself, which may be an array
        yield total


def accumulated_from(iterable: Iterable[Any], *, initial: Any) -> Iterator[Any]:
    """Yield a start and its sums with the first values of an iterable.

    >>> list(accumulated_from([1, 2, 3], initial=10))
    [10, 11, 13, 16]
    """
    total = initial
    yield total
    for value in iterable:
        total = total + value
        yield total


def accumulated_by(iterable: Iterable[Any], func: Callable[[Any, Any], Any]) -> Iterator[Any]:
    """Yield the first value of an iterable, and what a function makes of it with each of the rest.

    >>> list(accumulated_by([1, 2, 3, 4], int.__mul__))
    [1, 2, 6, 24]
    """
    total = 0
    for k, value in enumerate(iterable):
        total = func(total, value) if k else value
        yield total


def accumulated_by_from(
    iterable: Iterable[Any], func: Callable[[Any, Any], Any], *, initial: Any
) -> Iterator[Any]:
    """Yield a start, and what a function makes of it with each value of an iterable.

    >>> list(accumulated_by_from([1, 2, 3], int.__mul__, initial=2))
    [2, 2, 4, 12]
    """
    total = initial
    yield total
    for value in iterable:
        total = func(total, value)
        yield total


def taken_while(predicate: Callable[[Any], Any], iterable: Iterable[Any]) -> Iterator[Any]:
    """Yield values up to the first of which something does not hold.

    >>> list(taken_while(bool, [1, 2, 0, 3]))
    [1, 2]
    """
    for value in iterable:
        if not predicate(value):
            break
        yield value


def dropped_while(predicate: Callable[[Any], Any], iterable: Iterable[Any]) -> Iterator[Any]:
    """Yield values from the first on of which something does not hold.

    >>> list(dropped_while(bool, [1, 2, 0, 3]))
    [0, 3]
    """
    drops = True
    for value in iterable:
        drops = drops and predicate(value)
        if not drops:
            yield value


def not_filtered(predicate: Callable[[Any], Any], iterable: Iterable[Any]) -> Iterator[Any]:
    """Yield the values of which something does not hold.

    >>> list(not_filtered(bool, [1, 2, 0, 3]))
    [0]
    """
    for value in iterable:
        if not predicate(value):
            yield value


def compressed(data: Iterable[Any], selectors: Iterable[Any]) -> Iterator[Any]:
    """Yield the values beside which something true stands.

    >>> list(compressed([1, 2, 3], [True, False, True]))
    [1, 3]
    """
    for value, selected in zip(data, selectors):  # noqa: B905 - the shorter one ends it
        if selected:
            yield value


_SIMPLE: Final[dict[Any, Any]] = {
    itertools.takewhile: taken_while,
    itertools.dropwhile: dropped_while,
    itertools.filterfalse: not_filtered,
    itertools.compress: compressed,
}
_OWN: Final = frozenset(
    [*_SIMPLE.values(), accumulated, accumulated_from, accumulated_by, accumulated_by_from],
)


def is_library_generator(function: Any) -> bool:
    """Say whether a function is one of those that stand for another library's."""
    return isinstance(function, FunctionType) and function in _OWN


def generator_for(callee: Any, call: Any) -> FunctionType | None:
    """Return the generator to read for a call of one of `itertools`; None where there is none.

    What the call does not need is not in it: the arguments that it does not take are left out.

    >>> call = gast.parse("accumulate(x, None, initial=y)", mode="eval").body
    >>> generator_for(itertools.accumulate, call).__name__, len(call.args)
    ('accumulated_from', 1)
    """
    if callee in (itertools.takewhile, itertools.dropwhile, itertools.filterfalse):
        known = len(call.args) == len(("predicate", "iterable")) and not _is_none(call.args[0])
        return _SIMPLE[callee] if known else None
    if callee is itertools.compress:
        return cast("FunctionType", compressed)
    if callee is not itertools.accumulate or not call.args:
        return None
    given = {item.arg: item.value for item in call.keywords}
    func = call.args[1] if len(call.args) > 1 else given.get("func")
    starts = "initial" in given and not _is_none(given["initial"])
    if _is_none(func):
        del call.args[1:]
        call.keywords = [item for item in call.keywords if item.arg == "initial" and starts]
        return cast("FunctionType", accumulated_from if starts else accumulated)
    call.keywords = [item for item in call.keywords if item.arg != "initial" or starts]
    return cast("FunctionType", accumulated_by_from if starts else accumulated_by)


def _is_none(node: Any) -> bool:
    return node is None or (isinstance(node, gast.Constant) and node.value is None)
