"""Runs a function's own code, as Python has compiled it, over elements of the field.

What the compiler reads of a function, its normal form, is the compiler's own work: what is lost on
the way there, all that is made of it has lost. The code object is not. It is run with globals,
cells and defaults that hold elements in the place of numbers, so that it changes nothing of the
user's.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator, Mapping
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType
from typing import Any, Final

import numpy as np

from srcgrad.checker import arrays
from srcgrad.checker.nesting import may_fill, may_nest
from srcgrad.checker.runs import NotCovered
from srcgrad.runtime.wrappers import module_of

_PACKAGES: Final = ("site-packages", "dist-packages")
_MOST: Final = 100  # functions that one run looks into


class OwnCode:
    """The code of one function, to be run over elements.

    Attributes:
        may_nest: Whether it may store an array in an entry of an array. NumPy does that unasked
            where entries are objects, so such code runs only where its normal form did not.
    """

    def __init__(self, function: FunctionType, builtins: Mapping[str, Any]) -> None:
        self._function = function
        self._builtins = dict(builtins)
        self._nesting: dict[int, bool] = {}  # what was found of codes, for all runs
        every = (function, *_named_by(function))
        self.may_nest = any(_nests(item.__code__, self._nesting) for item in every)

    def takes(self, parameters: list[str], keyword_only: list[str]) -> bool:
        """Say whether it has so many parameters; those by name are called so.

        The names of others may be taken in a text.
        """
        code = self._function.__code__
        count = code.co_argcount + code.co_kwonlyargcount
        named = list(code.co_varnames[code.co_argcount : count])
        count += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
        return count == len(parameters) and named == keyword_only

    def begin(self) -> Reading:
        """Return what values of outside mean in one run."""
        return Reading(self._function, self._builtins, self._nesting, nests=self.may_nest)


class Reading:
    """What functions mean in one run: their own code, with values of outside that are the run's.

    Attributes:
        entry: The function that is run.
    """

    def __init__(
        self,
        function: FunctionType,
        builtins: Mapping[str, Any],
        nesting: dict[int, bool],
        *,
        nests: bool,
    ) -> None:
        self._builtins = builtins
        self._nesting = nesting
        self._nests = nests
        self._home = _package(function)
        self._made: dict[int, tuple[Any, Any]] = {}
        self._cells: dict[int, tuple[CellType, CellType]] = {}
        self._spaces: dict[int, dict[str, Any]] = {}
        self._real = function

    def untie(self) -> None:
        """Let go of functions, whose globals hold them, when nothing is run any more."""
        for space in self._spaces.values():
            space.clear()
        self._made.clear()
        self._cells.clear()

    def run(self, args: list[Any], named: dict[str, Any]) -> Any:
        """Call the function, in the run that is under way."""
        return self._translated(self._real)(*args, **named)

    def meaning(self, value: Any) -> Any:
        """Return what a function of outside means, or None if it means what it does elsewhere.

        Functions that nobody can look into are hashes elsewhere, where the normal form and the text
        call them alike. Here they may have been looked into by the compiler, so they are refused.
        """
        if isinstance(value, MethodType) and isinstance(value.__func__, FunctionType):
            if self._is_looked_into(value.__func__):
                return MethodType(self._lazily(value.__func__), arrays.outside(value.__self__))
        elif isinstance(value, FunctionType):
            if self._is_looked_into(value):
                return self._lazily(value)
        elif isinstance(value, functools.partial):
            return self._partial(value)
        elif isinstance(value, type) and value.__module__ == "itertools":
            return value
        elif isinstance(value, type) and self._is_users(value.__module__, ""):
            return self._class(value)
        elif isinstance(value, (BuiltinFunctionType, np.ufunc)):
            return None
        return _refused(value)

    def _partial(self, value: Any) -> Any:
        named = {key: arrays.outside(item) for key, item in value.keywords.items()}
        args = map(arrays.outside, value.args)
        return functools.partial(arrays.outside(value.func), *args, **named)

    def _class(self, value: type) -> Any:
        """Return a class with the same methods, or what refuses it if it is not a plain one."""
        known = self._made.get(id(value))
        if known is not None:
            return known[1]
        if type(value) is not type or value.__bases__ != (object,) or "__slots__" in vars(value):
            return _refused(value)
        made = type(value.__name__, (), {})
        self._made[id(value)] = value, made
        for name, item in vars(value).items():
            if name not in ("__dict__", "__weakref__", "__doc__", "__module__"):
                setattr(made, name, self._member(item))
        return made

    def _member(self, item: Any) -> Any:
        """Return what stands in a class for a part of it."""
        if isinstance(item, FunctionType):
            return self._translated(item)
        if isinstance(item, staticmethod):
            return staticmethod(self._member(item.__func__))
        if isinstance(item, classmethod):
            return classmethod(self._member(item.__func__))
        if isinstance(item, property):
            return property(self._member(item.fget), self._member(item.fset))
        return arrays.outside(item)

    def _is_looked_into(self, function: FunctionType) -> bool:
        """Say whether a function is the user's: one of a package that is no library."""
        return self._is_users(_package(function), function.__code__.co_filename)

    def _is_users(self, module: str, file: str) -> bool:
        package = module.partition(".")[0]
        if package == self._home:
            return True
        is_library = package in sys.stdlib_module_names or package == "srcgrad"
        return not is_library and not any(part in file for part in _PACKAGES)

    def _lazily(self, function: FunctionType) -> Any:
        """Return what calls a function, which is translated when it is first called."""

        def call(*args: Any, **named: Any) -> Any:
            return self._translated(function)(*args, **named)

        return call

    def _translated(self, function: FunctionType) -> FunctionType:
        known = self._made.get(id(function))
        if known is not None:
            made: FunctionType = known[1]
            return made
        if len(self._made) > _MOST:
            raise NotCovered("it calls too many functions")
        code = function.__code__
        if code.co_flags & 0x2A0:  # generators and coroutines, which end when nobody knows
            raise NotCovered(f"`{function.__name__}` yields")
        if may_fill(code) or (not self._nests and _nests(code, self._nesting)):
            raise NotCovered(f"`{function.__name__}` may store an array in an entry")
        space = self._space(function, code)
        cells = tuple(map(self._cell, function.__closure__ or ()))
        made = FunctionType(code, space, function.__name__, None, cells or None)
        self._made[id(function)] = function, made
        made.__defaults__ = _each(function.__defaults__)
        only = function.__kwdefaults__
        made.__kwdefaults__ = only and {key: arrays.outside(only[key]) for key in only}
        return made

    def _space(self, function: FunctionType, code: CodeType) -> dict[str, Any]:
        """Return the globals of a function, with the names that its code reads."""
        known = function.__globals__
        space = self._spaces.setdefault(
            id(known), {"__builtins__": self._builtins, "__name__": "srcgrad.checker.run"}
        )
        for name in _names(code):
            if name in known and name not in space:
                space[name] = arrays.outside(known[name])
        return space

    def _cell(self, cell: CellType) -> CellType:
        known = self._cells.get(id(cell))
        if known is not None:
            return known[1]
        made = CellType()
        self._cells[id(cell)] = cell, made
        try:
            contents = cell.cell_contents
        except ValueError:
            return made
        made.cell_contents = arrays.outside(contents)
        return made


def _nests(code: CodeType, known: dict[int, bool]) -> bool:
    """Say whether a code may store an array in an entry, which is `known` of those met before."""
    if id(code) not in known:
        known[id(code)] = may_nest(code)
    return known[id(code)]


def _each(values: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    return None if values is None else tuple(map(arrays.outside, values))


def _package(function: FunctionType) -> str:
    return module_of(function).partition(".")[0]


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names that a code reads from outside, and the codes inside of it."""
    yield from code.co_names
    for item in code.co_consts:
        if isinstance(item, CodeType):
            yield from _names(item)


def _named_by(function: FunctionType) -> Iterator[FunctionType]:
    """Yield the functions that a function calls by name."""
    known = function.__globals__
    found = (known.get(name) for name in _names(function.__code__))
    yield from (item for item in found if isinstance(item, FunctionType))


def _refused(value: Any) -> Any:
    name = str(getattr(value, "__qualname__", type(value).__name__))

    def refuse(*_: Any, **__: Any) -> Any:
        raise NotCovered(f"`{name}` is called, which nobody can look into")

    return refuse
