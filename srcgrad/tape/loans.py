"""Lends the user's own code stand-ins, and tensors for its arrays, for the time of a call.

The namespaces of the user's modules get the stand-ins for the names that their functions use; the
namespaces of NumPy, of the standard library and of srcgrad are never touched.
"""

from __future__ import annotations

import builtins
import threading
import types
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from srcgrad.locks import Lock
from srcgrad.tape.stand_ins import stand_in
from srcgrad.tape.userspace import Reached, content_of, slots_of

_MISSING = object()


class _Loan:
    """One name of one namespace that has a stand-in; several calls may need it at once."""

    __slots__ = ("before", "lent", "users")

    def __init__(self, before: Any, lent: Any) -> None:
        self.before = before
        self.lent = lent
        self.users = 0


_LOANS: dict[tuple[int, Any], _Loan] = {}
_LOCK = Lock()


def is_lent(owner: Any, name: Any) -> bool:
    """Say whether a call on the tape has put a stand-in under a name of a namespace or the like."""
    if not _LOANS:
        return False
    with _LOCK:
        return (id(owner), name) in _LOANS


class _Names:
    """A namespace of a module as a place to put stand-ins."""

    def __init__(self, scope: dict[str, Any]) -> None:
        self.owner = scope

    def get(self, name: str) -> Any:
        return self.owner.get(name, _MISSING)

    def usable(self, name: str) -> Any:
        return self.owner.get(name, getattr(builtins, name, None))

    def put(self, name: str, value: Any) -> None:
        if value is _MISSING:
            self.owner.pop(name, None)
        else:
            self.owner[name] = value


class _Members:
    """The attributes of a class as a place to put stand-ins."""

    def __init__(self, owner: type) -> None:
        self.owner = owner

    def get(self, name: str) -> Any:
        return vars(self.owner).get(name, _MISSING)

    usable = get

    def put(self, name: str, value: Any) -> None:
        setattr(self.owner, name, value)


class _Cell:
    """A closure cell as a place to put a stand-in."""

    def __init__(self, owner: types.CellType) -> None:
        self.owner = owner

    def get(self, name: str) -> Any:
        return content_of(self.owner)

    usable = get

    def put(self, name: str, value: Any) -> None:
        self.owner.cell_contents = value


class _Items:
    """The entries of a dict, a list, or of an object's attributes as places to put tensors."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def get(self, name: Any) -> Any:
        try:
            return self.owner[name]
        except LookupError:
            return _MISSING

    def put(self, name: Any, value: Any) -> None:
        self.owner[name] = value


class _Fields:
    """The fields of an object that lie in slots as places to put tensors."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def get(self, name: str) -> Any:
        return getattr(self.owner, name, _MISSING)

    def put(self, name: str, value: Any) -> None:
        object.__setattr__(self.owner, name, value)


class _Defaults:
    """The values that parameters of a function have by default as places to put tensors."""

    def __init__(self, owner: types.FunctionType) -> None:
        self.owner = owner

    def get(self, position: int) -> Any:
        values = self.owner.__defaults__ or ()
        return values[position] if position < len(values) else _MISSING

    def put(self, position: int, value: Any) -> None:
        values = list(self.owner.__defaults__ or ())
        values[position] = value
        self.owner.__defaults__ = tuple(values)


Place = _Names | _Members | _Cell | _Items | _Fields | _Defaults
Wrap = Callable[[Any], Any]


def _places(reached: Reached, instead: Wrap) -> Iterator[tuple[Place, Any, Any]]:
    """Yield where a stand-in is needed, under which name, and which."""
    for scope, names in reached.namespaces.values():
        place = _Names(scope)
        for name in names:
            if (found := instead(place.usable(name))) is not None:
                yield place, name, found
    for owner in reached.classes:
        for name, value in list(vars(owner).items()):
            if (found := instead(value)) is not None:
                yield _Members(owner), name, found
    for cell in reached.cells:
        if (found := instead(content_of(cell))) is not None:
            yield _Cell(cell), "", found
    for function in reached.functions:
        yield from _defaults(function, instead)
    for holder in reached.holders:
        yield from _held(holder, instead)


def _lender(wrap: Wrap, *, kinds: bool) -> Wrap:
    """Return what gives the stand-in of a value, or None."""

    def instead(value: Any) -> Any:
        if type(value) is np.ndarray or isinstance(value, (list, dict, tuple)):
            return wrap(value)
        return stand_in(value, kinds=kinds)

    return instead


def _defaults(function: types.FunctionType, instead: Wrap) -> Iterator[tuple[Place, Any, Any]]:
    for position, value in enumerate(function.__defaults__ or ()):
        if (found := instead(value)) is not None:
            yield _Defaults(function), position, found
    yield from _entries(function.__kwdefaults__ or {}, instead)


def _held(holder: Any, instead: Wrap) -> Iterator[tuple[Place, Any, Any]]:
    if isinstance(holder, (list, dict, deque)):
        yield from _entries(holder, instead)
        return
    yield from _entries(getattr(holder, "__dict__", {}), instead)
    for name in slots_of(holder):
        if (found := instead(getattr(holder, name))) is not None:
            yield _Fields(holder), name, found


def _entries(items: Any, instead: Wrap) -> Iterator[tuple[Place, Any, Any]]:
    pairs = items.items() if isinstance(items, dict) else enumerate(items)
    for key, value in list(pairs):
        if (found := instead(value)) is not None:
            yield _Items(items), key, found


def as_it_is(value: Any) -> Any:
    """Lend nothing for an array."""
    return None


@contextmanager
def lent_stand_ins(reached: Reached, wrap: Wrap = as_it_is) -> Iterator[None]:
    """Put stand-ins where reached code looks names up, and take them back at the end.

    Arrays that it finds there are wrapped, if no other thread runs that might see the tensors; nor
    do such threads meet what stands in for types of numbers.
    """
    alone = threading.active_count() == 1
    instead = _lender(wrap if alone else as_it_is, kinds=alone and not reached.asks_for_kinds())
    taken: list[tuple[Place, Any, _Loan]] = []
    with _LOCK:
        for place, name, found in _places(reached, instead):
            key = id(place.owner), name
            loan = _LOANS.get(key)
            if loan is None:
                loan = _LOANS[key] = _Loan(place.get(name), found)
                place.put(name, found)
            taken.append((place, name, loan))
        for scope, names in reached.namespaces.values():  # those that other calls have lent
            for name in names:
                loan = _LOANS.get((id(scope), name))
                if loan is not None and all(loan is not mine for _, _, mine in taken):
                    taken.append((_Names(scope), name, loan))
        for _, _, loan in taken:
            loan.users += 1
    try:
        yield
    finally:
        with _LOCK:
            for place, name, loan in taken:
                _give_back(place, name, loan)


def _give_back(place: Place, name: Any, loan: _Loan) -> None:
    loan.users -= 1
    if loan.users:
        return
    _LOANS.pop((id(place.owner), name), None)
    if place.get(name) is loan.lent:  # else the function has bound the name anew
        place.put(name, loan.before)
