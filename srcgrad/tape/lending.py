"""Wraps the arguments of plain functions in tensors, and gives back what was written into them."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from srcgrad.errors import MutationError, UnsupportedError
from srcgrad.runtime.copies import same_layout
from srcgrad.runtime.objects import field_names, is_plain_object, rebuilt
from srcgrad.tape.core import Core
from srcgrad.tape.creation import tensor
from srcgrad.tape.modes import STATE
from srcgrad.tape.mutation import KeepSaved
from srcgrad.tape.pynumbers import PythonFloat, as_python, plain
from srcgrad.tape.refusing import refusal
from srcgrad.tape.scipy_sparse import taking_tensors
from srcgrad.tape.stand_ins import stand_in


def is_float(value: Any) -> bool:
    """Say whether a leaf is a floating-point number or array."""
    if isinstance(value, (float, complex)):
        return True
    return getattr(getattr(value, "dtype", None), "kind", "") in ("f", "c")


def leaf_of(value: Any) -> Any:
    """Return the leaf for a number or array that a gradient is asked for."""
    return tensor(value, requires_grad=True)


class Arguments:
    """The arguments of one call as the function gets them, and as the caller has them.

    Attributes:
        tracked: The leaves that gradients are asked for, in the order of the arguments.
    """

    def __init__(self, start: Callable[[Any], Any] | None = None) -> None:
        self._start = start or leaf_of
        self.tracked: list[Any] = []
        self._arrays: list[tuple[Any, Core]] = []
        self._wanted: list[bool] = []  # which of the arrays a gradient is asked for
        self._containers: list[tuple[Any, Any, Any]] = []
        self._objects: list[tuple[Any, Any, dict[str, Any]]] = []
        self._known: dict[int, Any] = {}  # constants: the same object stays the same
        self._replaced: dict[int, Any] = {}
        self._originals: dict[int, Any] = {}
        self._lent: dict[int, Any] = {}
        self._unlendable: dict[int, tuple[Any, Any]] = {}  # by what owns their memory
        self._watched: list[tuple[Any, Any]] = []  # arguments, and what they were
        self._repeated: list[tuple[Core, Core]] = []  # tensors of an outer call, and theirs here

    def wrap(self, value: Any, wanted: bool) -> Any:
        """Return a value with tensors for its arrays, and for its numbers if they are `wanted`."""
        if isinstance(value, Core):
            return self._again(value) if wanted else value
        if isinstance(value, (dict, list, tuple)):
            return self._container(value, wanted)
        if isinstance(value, np.ndarray):
            return self._array(value, wanted) if value.dtype.kind in "fc" else value
        if wanted and is_plain_object(value):
            return self._object(value)
        if wanted:
            return self._number(value)
        # as its name in the user's module is lent, so that `f is np.sum` stays true
        lent = stand_in(value) if callable(value) else None
        return taking_tensors(value) if lent is None else self._note(value, lent, wanted)

    def _number(self, value: Any) -> Any:
        if isinstance(value, bool) or not (is_float(value) or isinstance(value, int)):
            return value
        whole = isinstance(value, int)
        leaf = self._start(float(value) if whole else value)
        self.tracked.append(leaf)
        if isinstance(value, np.generic):
            return self._note(value, +leaf, True)  # no array without axes, as a copy would be
        used = as_python(leaf.clone(), type(value) if type(value) in (int, complex) else float)
        return self._note(value, used, True)

    def _again(self, value: Core) -> Any:
        """A tensor of an outer call on the tape: the gradient is a function of it."""
        leaf = value.clone() if value.requires_grad else _requiring(value)
        self.tracked.append(leaf)
        is_number = not value._array.ndim and not value._is_array  # which nothing writes into
        used: Any = +leaf if is_number else leaf.clone()
        used._is_array = value._is_array
        if isinstance(value, PythonFloat):
            return as_python(used, value._python)
        if isinstance(STATE.mutation, KeepSaved):
            STATE.mutation.refuse_as(value, used)
        self._repeated.append((value, used))
        return used

    def hand_on(self) -> None:
        """Write into what an outer call has lent what the function has written there."""
        for value, used in self._repeated:
            if used._counter[0]:
                value._array[...] = used._array
        self._refill(self._recorded)

    def refuse_more_writes(self) -> None:
        """Let writes into the tensors of an outer call be refused, which would not see them."""
        for _, used in self._repeated:
            _refuse_writes(used, _unseen)

    def _array(self, value: Any, wanted: bool) -> Any:
        if type(value) is not np.ndarray and not isinstance(value, np.memmap):
            if not wanted:
                return value
            raise UnsupportedError(
                f"an array of the type {type(value).__name__} is not differentiated on the tape",
                hint="pass a plain array",
            )
        if not wanted and id(value) in self._known:
            return self._known[id(value)]
        data = same_layout(value)
        if wanted:
            leaf = self._start(value)
            self.tracked.append(leaf)
            used = leaf.clone()
            used._array = data
        else:
            used = Core.wrap(data)
        used._array.flags.writeable = value.flags.writeable
        if value.ndim == 0:
            used._is_array = True
        self._arrays.append((value, used))
        self._wanted.append(wanted)
        return self._note(value, used, wanted)

    def knows(self, value: Any) -> bool:
        """Return whether the function gets something else in the place of a value."""
        return id(value) in self._replaced

    def instead(self, value: Any) -> Any:
        """Return what the function gets in the place of a value that it is given."""
        return self._replaced[id(value)]

    def lend(self, value: Any) -> Any:
        """Return what the function finds in the place of an array or a container, or None.

        For what is an argument, too, that is the same in both places; for other arrays a tensor
        on their memory.
        """
        if id(value) in self._known:
            return self._known[id(value)]
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "fc" or not value.ndim:
            return None
        if id(_owner(value)) in self._unlendable:
            return None  # it stays what it is by its other name, where writes are seen by both
        if id(value) not in self._lent:
            used = self._lent[id(value)] = Core.wrap(value.view())
            used._array.flags.writeable = value.flags.writeable
            self._originals[id(used)] = value
            self._arrays.append((value, used))
            self._wanted.append(True)
        return self._lent[id(value)]

    def _note(self, value: Any, used: Any, wanted: bool) -> Any:
        self._replaced[id(value)] = used
        if not wanted:
            self._known[id(value)] = used
        self._originals[id(used)] = value
        return used

    def _container(self, value: Any, wanted: bool) -> Any:
        if not wanted and id(value) in self._known:
            return self._known[id(value)]
        if isinstance(value, tuple):
            parts = [self.wrap(item, wanted) for item in value]
            if all(new is old for new, old in zip(parts, value, strict=True)):
                return value
            made: Any = type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
            return self._note(value, made, wanted)
        used = copy.copy(value)
        self._note(value, used, wanted)
        for key, item in list(_entries(value)):
            used[key] = self.wrap(item, wanted)
        self._containers.append((value, used, copy.copy(used)))
        return used

    def _object(self, value: Any) -> Any:
        """Return an object of the same class with tensors in its fields; integers stay."""
        held = {name: getattr(value, name) for name in field_names(value)}
        fields = {n: v if isinstance(v, int) else self.wrap(v, True) for n, v in held.items()}
        used = rebuilt(value, fields)
        self._objects.append((value, used, fields))
        return self._note(value, used, True)

    def keep_in_place(self, found: Iterable[tuple[Any, Any]]) -> None:
        """Lend nothing for arrays that the function also finds where no tensor can be put.

        Each is given with what it is in.
        """
        for holder, value in found:  # tensors are those of an outer call, which looks after them
            if not isinstance(value, Core) and id(holder) not in self._replaced:
                self._unlendable[id(_owner(value))] = value, holder

    def guard_shared(self) -> None:
        """Let writes into memory that the function has under two names be refused.

        Each name has a tensor of its own, which does not see what is written into another.
        """
        values = [value for value, _ in [*self._arrays, *self._unlendable.values()]]
        places = [(*byte_bounds(value), i) for i, value in enumerate(values)]
        places.sort()
        for k, (_, end, i) in enumerate(places):
            for start, _, j in itertools.islice(places, k + 1, None):
                if start >= end:
                    break
                self._guard(i, j)

    def _guard(self, i: int, j: int) -> None:
        count = len(self._arrays)
        if max(i, j) >= count:  # one is found where no tensor can be put
            if min(i, j) < count:
                value, used = self._arrays[min(i, j)]
                _refuse_writes(used, _shared)
                self._watched.append((value, value.copy()))
            return
        (first, mine), (second, other) = self._arrays[i], self._arrays[j]
        is_one = first is second and not self._wanted[i] and not self._wanted[j]
        if not is_one and first.size and second.size:
            _refuse_writes(mine, _shared)
            _refuse_writes(other, _shared)

    def refuse_unseen(self) -> None:
        """Refuse the call if it has written into an argument by a name that has no tensor.

        Raises:
            MutationError: It has.
        """
        if any(not np.array_equal(*pair, equal_nan=True) for pair in self._watched):
            raise refusal(
                MutationError,
                "an array that is an argument is written into by another name of it",
                "use one name for it",
            )

    def original(self, value: Any) -> Any:
        """Return what the caller has in the place of a value, without the tape."""
        if id(value) in self._originals:
            return self._originals[id(value)]
        if isinstance(value, Core):
            if isinstance(value, PythonFloat):
                return plain(value)
            return value._array if value._array.ndim or value._is_array else value._array[()]
        return _each(value, self.original)

    def _recorded(self, value: Any) -> Any:
        """Return what an outer call has in the place of a value: tensors stay tensors."""
        for known, used in self._repeated:
            if used is value:
                return known
        if id(value) in self._originals:
            return self._originals[id(value)]
        return value if isinstance(value, Core) else _each(value, self._recorded)

    def identity(self, used: int) -> int:
        """Return the identity of what the caller has in the place of what has an identity."""
        return id(self._originals[used]) if used in self._originals else used

    def give_back(self, *, keep: bool = False, nested: bool = False) -> None:
        """Let the caller's arrays, lists and dicts end as the function has left them.

        With `keep`, what was saved of arrays that were lent gets memory of its own. What is
        `nested` goes back to an outer call with its tensors, which that differentiates again.
        """
        for value, used in self._arrays:
            if keep and id(value) in self._lent and STATE.mutation is not None:
                STATE.mutation.keep(used)
            if id(value) in self._lent or not value.flags.writeable:  # lent: it is the memory
                continue
            if used._counter[0] or not np.array_equal(value, used._array, equal_nan=True):
                value[...] = used._array
        self._refill(self._recorded if nested else self.original)

    def _refill(self, original: Callable[[Any], Any]) -> None:
        for value, used, fields in self._objects:
            for name in field_names(used):
                if getattr(used, name) is not fields.get(name):
                    object.__setattr__(value, name, original(getattr(used, name)))
        for value, used, before in self._containers:
            if _changed(used, before):
                _fill(value, used, original)


def _owner(value: np.ndarray[Any, Any]) -> Any:
    """Return the array whose memory an array is a part of."""
    while isinstance(value.base, np.ndarray):
        value = value.base
    return value


def _each(value: Any, done: Callable[[Any], Any]) -> Any:
    """Do something with each entry of a container, and return others as they are."""
    if isinstance(value, dict):
        return {key: done(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [done(item) for item in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def _entries(value: Any) -> Any:
    return value.items() if isinstance(value, dict) else enumerate(value)


def _changed(used: Any, before: Any) -> bool:
    if len(used) != len(before):
        return True
    pairs = zip(_entries(used), _entries(before), strict=True)
    return any((a[0] is not b[0] and a[0] != b[0]) or a[1] is not b[1] for a, b in pairs)


def _fill(value: Any, used: Any, plain_of: Any) -> None:
    if isinstance(value, dict):
        items = {plain_of(key): plain_of(item) for key, item in used.items()}
        value.clear()
        value.update(items)
    else:
        value[:] = [plain_of(item) for item in used]


def _refuse_writes(used: Core, error: Callable[[], Exception]) -> None:
    if isinstance(STATE.mutation, KeepSaved):
        STATE.mutation.refuse_writes(used, error)


def _shared() -> MutationError:
    return refusal(
        MutationError,
        "this writes into an array that shares its memory with another one that is reached",
        "make one of them a copy",
    )


def _requiring(value: Core) -> Any:
    """Return a leaf of the same value, with its tangent if it has one."""
    leaf = tensor(value._array, requires_grad=True)
    level = STATE.dual_level
    if level is not None:
        level.give(leaf, level.tangent_of(value))
    return leaf


def _unseen() -> MutationError:
    return refusal(
        MutationError,
        "a function whose derivative is taken inside another derivative writes into its argument",
        "work on a copy in it",
    )
