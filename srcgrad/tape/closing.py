"""Hands what a function closes over on as arguments, for functions that SciPy calls."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from srcgrad.errors import MutationError
from srcgrad.runtime.objects import is_plain_object
from srcgrad.tape.core import Core
from srcgrad.tape.refusing import refusal

Cell = types.CellType
_MARK = "__srcgrad_closed__"


class Closure:
    """The variables that functions, and those that they close over in turn, find around them.

    Attributes:
        given: The values of those that hold tensors, to be handed on.
    """

    def __init__(self, functions: Iterable[Any]) -> None:
        cells = _cells(functions)
        self._open = [cell for cell in cells if _is_tensors(cell.cell_contents)]
        self._held = [cell for cell in cells if not _is_tensors(cell.cell_contents)]
        self._values = [_kept(cell.cell_contents) for cell in self._held]
        self._before = [_contents(value) for value in self._values]
        self._is_checked = False
        self.given = tuple(cell.cell_contents for cell in self._open)

    def taking(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that takes `given` as its last arguments.

        The other variables are what they are now, whatever they are bound to later.

        Raises:
            MutationError: Its first call has written into what one of them holds.
        """
        count = len(self._open)

        @functools.wraps(function, updated=())
        def call(*args: Any) -> Any:
            own, closed = args[: len(args) - count], args[len(args) - count :]
            with _holding([*self._open, *self._held], [*closed, *self._values]):
                result = function(*own)
                now = [cell.cell_contents for cell in self._held]
            self._refuse_writes(function, now)
            return result

        setattr(call, _MARK, True)
        return call

    def _refuse_writes(self, function: Callable[..., Any], now: list[Any]) -> None:
        """Refuse what a call leaves behind: it went into copies, or without a derivative."""
        if self._is_checked:
            return
        self._is_checked = True
        pairs = zip(now, self._before, strict=True)
        if any(_is_changed(value, before) for value, before in pairs):
            name = getattr(function, "__name__", "function")
            raise refusal(
                MutationError,
                f"`{name}`, which a solver calls, writes into what its caller holds",
                "return what it computes",
            )

    @contextmanager
    def plain(self, unwrap: Callable[[Any], Any]) -> Iterator[None]:
        """Let the functions find plain values for a while."""
        with _holding(self._open, unwrap(self.given)):
            yield


def closing_over(value: Any) -> Any:
    """Return a partial as a function that closes over each of its arguments; others as they are.

    >>> closing_over(functools.partial(pow, 2.0))(3.0)
    8.0
    """
    if not isinstance(value, functools.partial):
        return value
    made: Callable[..., Any] = value.func
    for item in reversed(value.args):
        made = _with_first(made, item)
    for name, item in value.keywords.items():
        made = _with_named(made, name, item)
    return made


def _with_first(function: Callable[..., Any], first: Any) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(first, *args, **kwargs)

    return call


def _with_named(function: Callable[..., Any], name: str, value: Any) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **{name: value, **kwargs})

    return call


def _cells(functions: Iterable[Any]) -> list[Cell]:
    found: dict[int, Cell] = {}
    seen: set[int] = set()
    todo = list(functions)
    while todo:
        item = todo.pop()
        plain = isinstance(item, types.FunctionType) and not hasattr(item, _MARK)
        if id(item) in seen or not plain:
            continue
        seen.add(id(item))
        for cell in item.__closure__ or ():
            try:
                todo.append(cell.cell_contents)
            except ValueError:  # not bound yet
                continue
            found[id(cell)] = cell
    return list(found.values())


@contextmanager
def _holding(cells: Sequence[Cell], values: Sequence[Any]) -> Iterator[None]:
    before = [cell.cell_contents for cell in cells]
    try:
        for cell, value in zip(cells, values, strict=True):
            cell.cell_contents = value
        yield
    finally:
        for cell, value in zip(cells, before, strict=True):
            cell.cell_contents = value


def _is_tensors(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(map(_is_tensors, value))
    return isinstance(value, Core)


def _kept(value: Any) -> Any:
    """Return a value as it is now: an array or a list may be written into later."""
    if isinstance(value, np.ndarray) and not isinstance(value, Core):
        return value.copy()
    if type(value) in (list, tuple):
        return type(value)(map(_kept, value))
    return {key: _kept(item) for key, item in value.items()} if type(value) is dict else value


def _contents(value: Any) -> Any:
    """Return what is in a value now, to be compared with what is there later."""
    if isinstance(value, (np.ndarray, list, tuple, dict)):
        return _kept(value)
    return dict(vars(value)) if is_plain_object(value) and hasattr(value, "__dict__") else value


def _is_changed(value: Any, before: Any) -> bool:
    """Say whether something was written into a value; numbers of objects may be counted up."""
    kinds = (np.ndarray, list, tuple, dict)
    if isinstance(value, kinds) and type(value) is not type(before):
        return True
    if isinstance(value, np.ndarray):
        return not np.array_equal(value, before, equal_nan=value.dtype.kind in "fc")
    if isinstance(value, (list, tuple)):
        pairs = zip(value, before, strict=False)
        return len(value) != len(before) or any(_is_changed(*pair) for pair in pairs)
    if isinstance(value, dict):
        return value.keys() != before.keys() or any(
            _is_changed(item, before[key]) for key, item in value.items()
        )
    if isinstance(before, dict) and hasattr(value, "__dict__"):
        new = (item for key, item in vars(value).items() if before.get(key, before) is not item)
        return any(not isinstance(item, int) for item in new)
    return value is not before and not callable(value) and isinstance(value, (float, complex, Core))
