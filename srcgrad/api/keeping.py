"""Copies what a forward half has kept, so that the backward half may run again.

A backward half empties the lists of records, and writes into the shadows of memory that has several
names: its views of one memory must stay views of one memory in the copy.
"""

from __future__ import annotations

import ast
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from srcgrad.backends import ARRAYS, is_plain_array
from srcgrad.errors import LibraryGapError
from srcgrad.parsing import parsed

_SAVED = "saved"
_ADJOINT = "grad_"
_PLAIN = frozenset((float, int, bool, complex, str, type(None), np.float64))
_SHARED = frozenset((np.ndarray, list, dict, tuple))
_WRITEABLE = 0x400  # NPY_ARRAY_WRITEABLE; `flags.writeable` warns, of what is broadcast


def keeps_shadows(text: str) -> bool:
    r"""Say whether backward halves in a text read shadows from what was kept.

    >>> keeps_shadows("def f_backward(saved, grad_out):\n    grad_y, y = saved")
    True
    """
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.For):
            targets: list[Any] = [node.target]
        elif isinstance(node, ast.Assign) and _is_kept(node.value):
            targets = node.targets
        else:
            continue
        names = (item for target in targets for item in ast.walk(target))
        if any(isinstance(item, ast.Name) and item.id.startswith(_ADJOINT) for item in names):
            return True
    return False


def _is_kept(value: ast.expr) -> bool:
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.attr == "pop"
    while isinstance(value, ast.Subscript):
        value = value.value
    return isinstance(value, ast.Name) and value.id.startswith((_SAVED, "steps"))


def fresh_lists(kept: Any) -> Any:
    """Copy the lists of records, which a backward half empties."""
    if isinstance(kept, list):
        return [fresh_lists(item) for item in kept]
    return tuple(fresh_lists(item) for item in kept) if type(kept) is tuple else kept


def held_by(value: Any) -> frozenset[int]:
    """Return the identities of the arrays whose memory nested containers and objects hold."""
    found: dict[int, Any] = {}
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if type(item) not in _PLAIN and id(item) not in found:
            found[id(item)] = item
            waiting += _parts_of(item)
    return frozenset(id(_owner(item)) for item in found.values() if is_plain_array(item))


def _parts_of(value: Any) -> list[Any]:
    """Return what a container, an object, a class or a module holds.

    With an object comes what all objects of its class share.
    """
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, (ARRAYS, FunctionType)):
        return []
    if isinstance(value, ModuleType):
        return [v for v in vars(value).values() if type(v) in _SHARED]
    classes = value.__mro__ if isinstance(value, type) else type(value).__mro__
    shared = [v for c in classes for v in vars(c).values() if type(v) in _SHARED]
    if isinstance(value, type):
        return shared
    slots = [getattr(value, n, None) for c in classes for n in getattr(c, "__slots__", ())]
    return [*getattr(value, "__dict__", {}).values(), *slots, *shared]


def _owner(array: Any) -> Any:
    """Return the array whose memory one lies in; those of Dask have each their own."""
    while is_plain_array(getattr(array, "base", None)):
        array = array.base
    return array


def apart(kept: Any, held: frozenset[int] | None = None) -> Any:
    """Copy containers and arrays; what shares memory does so in the copy, too.

    Only memory of the arrays that are `held` is copied, if that is given.

    >>> y = np.zeros(3)
    >>> mine, view = apart((y, y[1:]))
    >>> view += 1
    >>> mine, y
    (array([0., 1., 1.]), array([0., 0., 0.]))
    """
    return _Copies(held).of(kept)


class _Copies:
    """The copies of one walk, by what they were made of."""

    def __init__(self, held: frozenset[int] | None) -> None:
        self._held = held
        self._done: dict[int, Any] = {}
        self._memory: dict[int, tuple[Any, Any]] = {}

    def of(self, value: Any) -> Any:
        if id(value) in self._done:
            return self._done[id(value)]
        made = self._copy(value)
        self._done[id(value)] = made
        return made

    def _copy(self, value: Any) -> Any:
        if isinstance(value, dict):
            new = value.copy()
            new.update({key: self.of(item) for key, item in value.items()})
            return new
        if isinstance(value, list):
            return [self.of(item) for item in value]
        if isinstance(value, tuple):
            parts = [self.of(item) for item in value]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        if type(value) is np.ndarray:
            return self._array(value)
        return self._elsewhere(value) if is_plain_array(value) else value

    def _elsewhere(self, array: Any) -> Any:
        """Copy an array of another library, and once what has the same memory.

        Raises:
            LibraryGapError: Another view of that memory was copied before.
        """
        owner = _owner(array)
        if self._held is not None and id(owner) not in self._held:
            return array
        if id(owner) in self._memory:
            raise LibraryGapError(
                "two views of one memory are kept for the way back, and copied only as arrays of "
                "NumPy are",
                hint="take the gradient by srcgrad.grad, which runs back at once",
            )
        self._memory[id(owner)] = (array, owner)
        return array.copy()

    def _array(self, array: Any) -> Any:
        owner = _owner(array)
        if self._held is not None and id(owner) not in self._held:
            return array
        if array.dtype.hasobject or not array.size:
            return array.copy()
        if id(owner) not in self._memory:
            low, high = byte_bounds(owner)
            copy = np.empty(high - low, np.uint8)
            self._memory[id(owner)] = (copy, owner)
            _viewed(copy, owner, low)[...] = owner
        copy, owner = self._memory[id(owner)]
        made = _viewed(copy, array, byte_bounds(owner)[0])
        made.flags.writeable = bool(array.flags.num & _WRITEABLE)
        return made


def _viewed(memory: Any, like: Any, low: int) -> Any:
    """Return the array in `memory` that lies there as `like` does from the address `low`."""
    offset = like.__array_interface__["data"][0] - low
    return np.ndarray(like.shape, like.dtype, memory.data, offset, like.strides)
