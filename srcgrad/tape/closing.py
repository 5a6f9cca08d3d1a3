"""Hands what a function closes over on as arguments, for functions that SciPy calls."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from srcgrad.tape.core import Core

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
        self.given = tuple(cell.cell_contents for cell in self._open)

    def taking(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that takes `given` as its last arguments.

        The other variables are what they are now, whatever they are bound to later.
        """
        count = len(self._open)

        @functools.wraps(function, updated=())
        def call(*args: Any) -> Any:
            own, closed = args[: len(args) - count], args[len(args) - count :]
            with _holding([*self._open, *self._held], [*closed, *self._values]):
                return function(*own)

        setattr(call, _MARK, True)
        return call

    @contextmanager
    def plain(self, unwrap: Callable[[Any], Any]) -> Iterator[None]:
        """Let the functions find plain values for a while."""
        with _holding(self._open, unwrap(self.given)):
            yield


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
