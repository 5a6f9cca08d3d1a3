"""Says where what one function uses is found for another of the same code, here or elsewhere."""

from __future__ import annotations

import builtins
import sys
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import CellType, FunctionType, ModuleType
from typing import Any, Final, Protocol

import numpy as np

from srcgrad.api import fingerprints
from srcgrad.api.fingerprints import UnknownError
from srcgrad.ir.scopes import MISSING

_ATOMS: Final = (type(None), bool, int, float, complex, str, bytes, type(...))
_BUILT_IN: Final = (np.ufunc, type(len), type(np.sum))
_HOMES: Final = ("numpy", "math", "builtins", "scipy.special", "numpy.linalg")

#: A function and those that it captures.
Found = Sequence[FunctionType]


class Place(Protocol):
    """Where something is found."""

    def find(self, found: Found) -> Any:
        """Return what is there for a function and those that it captures.

        Raises:
            UnknownError: Nothing is there, or something else.
        """

    def stored(self) -> Place:
        """Return the same for other processes.

        Raises:
            UnknownError: Another process cannot find it.
        """


@dataclass(frozen=True, slots=True)
class Captured:
    """One of the functions themselves."""

    number: int

    def find(self, found: Found) -> Any:
        """Return the function."""
        return found[self.number]

    def stored(self) -> Place:
        """Return the same place."""
        return self


@dataclass(frozen=True, slots=True)
class Atom:
    """A constant."""

    value: Any

    def find(self, found: Found) -> Any:
        """Return the constant."""
        return self.value

    def stored(self) -> Place:
        """Return the same place."""
        return self


@dataclass(frozen=True, slots=True)
class Nothing:
    """A name that means nothing."""

    def find(self, found: Found) -> Any:
        """Return what stands for no value."""
        return MISSING

    def stored(self) -> Place:
        """Return the same place."""
        return self


@dataclass(frozen=True, slots=True)
class Kept:
    """An object of this process, which is not kept alive."""

    get: Callable[[], Any]

    def find(self, found: Found) -> Any:
        """Return the object, if it is still there."""
        return given(self.get())

    def stored(self) -> Place:
        """Return where its module has it."""
        return Named.of(given(self.get()))


@dataclass(frozen=True, slots=True)
class Named:
    """What a module has under a name, as it was in another process."""

    module: str
    name: str
    fingerprint: str

    @classmethod
    def of(cls, value: Any) -> Named:
        """Return where an object is found by name."""
        if isinstance(value, ModuleType):
            made = cls(value.__name__, "", "")
            if sys.modules.get(made.module) is not value:
                raise UnknownError
            return made
        name: str = getattr(value, "__qualname__", "") or getattr(value, "__name__", "")
        for home in (getattr(value, "__module__", None), *_HOMES):
            made = cls(home or "", name, "")
            if made.reached() is value:
                return cls(made.module, name, fingerprints.of_value(value))
        raise UnknownError

    def reached(self) -> Any:
        """Return what has that name now; None if nothing has."""
        value: Any = sys.modules.get(self.module)
        for part in self.name.split(".") if self.name else ():
            value = getattr(value, part, None)
        return value

    def find(self, found: Found) -> Any:
        """Return what has that name, if it is the same as it was."""
        value = given(self.reached())
        if self.name and fingerprints.of_value(value) != self.fingerprint:
            raise UnknownError
        return value

    def stored(self) -> Place:
        """Return the same place."""
        return self


@dataclass(frozen=True, slots=True)
class CellOf:
    """A cell of a function."""

    function: Place
    number: int

    def find(self, found: Found) -> Any:
        """Return the cell."""
        return (self.function.find(found).__closure__ or ())[self.number]

    def stored(self) -> Place:
        """Return the same for other processes."""
        return CellOf(self.function.stored(), self.number)


@dataclass(frozen=True, slots=True)
class OwnCell:
    """A cell of the compiler's, which holds what one of its own names means."""

    value: Place

    def find(self, found: Found) -> Any:
        """Return such a cell."""
        return CellType(self.value.find(found))

    def stored(self) -> Place:
        """Return the same for other processes."""
        return OwnCell(self.value.stored())


@dataclass(frozen=True, slots=True)
class GlobalsOf:
    """The globals of a function."""

    function: Place

    def find(self, found: Found) -> Any:
        """Return the namespace."""
        return self.function.find(found).__globals__

    def stored(self) -> Place:
        """Return the same for other processes."""
        return GlobalsOf(self.function.stored())


@dataclass(frozen=True, slots=True)
class NamesOf:
    """The names of a module."""

    module: str

    def find(self, found: Found) -> Any:
        """Return the namespace."""
        return vars(given(sys.modules.get(self.module)))

    def stored(self) -> Place:
        """Return the same place."""
        return self


_BUILTINS: Final = NamesOf("builtins")


def place_of_holder(holder: Any, found: Found, others: Sequence[FunctionType]) -> Place:
    """Return where the holder of a name is found: a cell, or a namespace."""
    if isinstance(holder, CellType):
        return _place_of_cell(holder, found, others)
    if holder is vars(builtins):
        return _BUILTINS
    for number, function in enumerate(found):
        if function.__globals__ is holder:
            return GlobalsOf(Captured(number))
    if not isinstance(holder, dict):  # an attribute of a class is looked up on the class
        raise UnknownError
    name = holder.get("__name__")
    if isinstance(name, str) and getattr(sys.modules.get(name), "__dict__", None) is holder:
        return NamesOf(name)
    for function in others:
        if function.__globals__ is holder:
            return GlobalsOf(Kept(weakref.ref(function)))
    raise UnknownError


def _place_of_cell(cell: CellType, found: Found, others: Sequence[FunctionType]) -> Place:
    for number, function in enumerate(found):
        for index, item in enumerate(function.__closure__ or ()):
            if item is cell:
                return CellOf(Captured(number), index)
    for function in others:
        for index, item in enumerate(function.__closure__ or ()):
            if item is cell:
                return CellOf(Kept(weakref.ref(function)), index)
    value = cell.cell_contents
    if not isinstance(value, (FunctionType, ModuleType, type)):
        raise UnknownError
    return OwnCell(place_of_value(value, found))  # those of all functions were looked at


def place_of_value(value: Any, found: Found) -> Place:
    """Return how something that the text names is found: captured, or the very same."""
    for number, function in enumerate(found):
        if function is value:
            return Captured(number)
    if value is MISSING:
        return Nothing()
    if isinstance(value, _ATOMS):
        return Atom(value)
    if isinstance(value, _BUILT_IN):
        return Kept(lambda: value)
    if isinstance(value, (FunctionType, ModuleType, type)):
        return Kept(weakref.ref(value))
    raise UnknownError


def is_atom(value: Any) -> bool:
    """Say whether a value is a constant that no one can change."""
    return isinstance(value, _ATOMS)


def is_as_good(value: Any, other: Any) -> bool:
    """Say whether a value is as good as what was compiled in: the very same, or as a constant."""
    if value is other:
        return True
    return is_atom(value) and type(value) is type(other) and repr(value) == repr(other)


def given(value: Any) -> Any:
    """Return a value, unless there is none."""
    if value is None:
        raise UnknownError
    return value
