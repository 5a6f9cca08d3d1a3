"""Finds the user's own code that a call reaches, and what that code may read and write."""

from __future__ import annotations

import dis
import functools
import sys
import types
from collections import UserDict, UserList, deque
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from srcgrad.backends.compat import is_of_compat, tells_namespace
from srcgrad.backends.jit import python_of
from srcgrad.by_text import BY_TEXT, OF_OWN_MODULE
from srcgrad.errors import UnsupportedError
from srcgrad.runtime.objects import held_attribute
from srcgrad.tape.core import Core
from srcgrad.tape.identities import fields_compared, may_be_asked_for
from srcgrad.tape.number_stand_ins import KINDS
from srcgrad.tape.refusing import user_span

_LIBRARIES = (
    "numpy", "scipy", "srcgrad", "gast", "torch", "jax", "jaxlib", "tensorflow", "autograd",
    "numba", "cupy", "pandas", "xarray", "dask", "sklearn", "sympy", "matplotlib", "pytest",
    "_pytest", "pluggy", "hypothesis", "IPython", "joblib", "tqdm",
)  # fmt: skip
_FOREIGN = frozenset({*sys.stdlib_module_names, *_LIBRARIES}) - {"__main__"}
_THREADS = {
    ("threading", "Thread"), ("threading", "Timer"), ("concurrent.futures", "ThreadPoolExecutor"),
    ("concurrent.futures", "ProcessPoolExecutor"), ("multiprocessing", "Pool"),
    ("multiprocessing", "Process"), ("multiprocessing.pool", "ThreadPool"),
}  # fmt: skip
KEEPERS: Final = (types.SimpleNamespace, UserDict, UserList)
"""Classes of the standard library whose objects are made to keep things in their fields."""
_STAND_INS: Final = "srcgrad.tape.stand_ins"  # which a call around this one may have lent
_WRAPPER = type(functools.lru_cache(lambda: None))
_KEPT_AS_MADE: Final = (
    tuple, set, np.ndarray, functools.partial, types.BuiltinMethodType, types.MethodWrapperType,
)  # fmt: skip


def is_users(module: Any) -> bool:
    """Return whether a module, by its name, is the user's: its functions are ordinary code."""
    return isinstance(module, str) and module.partition(".")[0] not in _FOREIGN


def _is_generated(module: Any) -> bool:
    """Return whether a module is one of derivatives, which holds functions of the user's text."""
    return isinstance(module, str) and module.startswith("srcgrad._generated.")


def slots_of(value: Any) -> list[str]:
    """Return the names of the fields of an object that are in slots, and set."""
    slots = [vars(base).get("__slots__", ()) for base in type(value).__mro__]
    names = [name for part in slots for name in ([part] if isinstance(part, str) else part)]
    return [name for name in names if not name.startswith("__") and hasattr(value, name)]


def _of_namespace(asked: Any) -> Iterator[Any]:
    """Yield the functions of the library that is told of arrays: programs call them by its name."""
    for value in vars(asked(np.zeros(1))).values():
        if isinstance(value, types.FunctionType) and is_of_compat(value.__module__):
            yield value


class Reached:
    """What a call of the user's function may run and touch.

    Attributes:
        codes: What the functions consist of.
        namespaces: For each module's namespace the names in it that reached functions use.
        cells: The closure cells of reached functions.
        functions: Those functions.
        holders: Lists, dicts, objects and functions in which reached functions may leave values.
        unlendable: Arrays in what keeps what it was made with, such as tuples, each with that.
        records: Whether tensors that require a gradient are among what is reached.
        speaks_torch: Whether the code names anything of the tape, and may know tensors as such.
    """

    def __init__(self) -> None:
        self.namespaces: dict[int, tuple[dict[str, Any], set[str]]] = {}
        self.cells: list[types.CellType] = []
        self.functions: list[types.FunctionType] = []
        self.classes: list[type] = []
        self.holders: list[Any] = []
        self.unlendable: list[tuple[Any, np.ndarray[Any, Any]]] = []
        self.records = False
        self.speaks_torch = False
        self._asks_for_kinds = False
        self._compared: set[str] = set()  # fields of objects that are compared by identity
        self._masked: dict[str, Any] = {}  # fields of objects, which the functions may not read
        self.codes: list[types.CodeType] = []
        self._seen: set[int] = set()
        self._kept: list[Any] = []  # what `_seen` knows by its id must stay alive

    def knew(self, value: Any) -> bool:
        """Return whether a value was there before the call."""
        return id(value) in self._seen

    def everything(self) -> list[Any]:
        """Return every value that was gone into."""
        return self._kept

    def asks_for_kinds(self) -> bool:
        """Say whether a function may ask by ``is`` for a type of NumPy's numbers."""
        spaces = [getattr(item, "__dict__", {}) for item in (*self.holders, *self.classes)]
        names = {item for name in self._compared for item in (name, f"_{name}")}
        held = (space.get(name) for space in spaces for name in names)
        return self._asks_for_kinds or any(isinstance(v, type) and v in KINDS for v in held)

    def names_of(self, value: Any) -> set[str]:
        """Return the names of globals and fields under which a value was found."""
        fields = [getattr(item, "__dict__", {}) for item in self.holders]
        spaces = [*self.namespaces.values(), *((item, set(item)) for item in fields)]
        return {name for scope, names in spaces for name in names if scope.get(name) is value}

    def add(self, value: Any) -> None:
        """Go into a value: a function, a class, an object, or whatever wraps one of them."""
        todo = [value]
        while todo:
            item = todo.pop()
            if id(item) not in self._seen:
                self._seen.add(id(item))
                self._kept.append(item)
                parts = list(self._inside(item))
                if isinstance(item, _KEPT_AS_MADE):
                    held = (part for part in parts if isinstance(part, np.ndarray))
                    self.unlendable += ((item, part) for part in held)
                todo.extend(parts)
        for name, part in self._masked.items():
            if any(_may_read(code, name) for code in self.codes):
                _refuse_masked(part)

    def _inside(self, item: Any) -> Iterator[Any]:
        _refuse_masked(item)
        if isinstance(item, Core):
            self.records = self.records or item.requires_grad
        elif isinstance(item, types.FunctionType):
            yield from self._function(item)
        elif isinstance(item, (types.MethodType, classmethod, staticmethod)):
            yield item.__func__
            yield getattr(item, "__self__", None)
        elif isinstance(item, (types.BuiltinMethodType, types.MethodWrapperType)):
            yield None if isinstance(item.__self__, types.ModuleType) else item.__self__
        elif isinstance(item, functools.partial):
            yield from (item.func, *item.args, *item.keywords.values())
        elif isinstance(item, property):
            yield from (item.fget, item.fset)
        elif isinstance(item, _WRAPPER):
            yield item.__wrapped__
        elif isinstance(item, np.vectorize):
            yield item.pyfunc
        elif (python := python_of(item)) is not None:
            yield python
        elif isinstance(item, functools.cached_property):
            yield item.func
        elif isinstance(item, type):
            yield from self._class(item)
        else:
            yield from self._object(item)

    def _class(self, item: type) -> Iterator[Any]:
        for base in item.__mro__:
            self.speaks_torch = self.speaks_torch or _is_of_tape(base)
            if is_users(base.__module__):
                self.classes.append(base)
                yield from vars(base).values()

    def _object(self, item: Any) -> Iterator[Any]:
        if _is_namespace_elsewhere(item):
            return
        if isinstance(item, (list, dict, set, deque)):
            self.holders.append(item)
        if isinstance(item, (list, tuple, set, deque)) and len(item) < 10_000:
            yield from (part for part in item if not isinstance(part, (float, int, str)))
        elif isinstance(item, dict):
            yield from item.values()
        elif isinstance(item, KEEPERS):
            yield vars(item)
        elif isinstance(item, np.ndarray) and item.dtype == object:
            yield from item.ravel().tolist()
        elif is_users(type(item).__module__) and not isinstance(item, types.ModuleType):
            self.holders.append(item)
            yield type(item)
            for name, part in getattr(item, "__dict__", {}).items():
                if isinstance(part, np.ma.MaskedArray):
                    self._masked.setdefault(name, part)
                else:
                    yield part
            yield from (getattr(item, name) for name in slots_of(item))

    def _function(self, function: types.FunctionType) -> Iterator[Any]:
        module = function.__module__
        self.speaks_torch = self.speaks_torch or _is_of_tape(function)
        if isinstance(module, str) and module.startswith(("srcgrad.runtime.", "srcgrad.api.")):
            yield from map(content_of, function.__closure__ or ())  # it may call one of the user's
            yield getattr(function, "__wrapped__", None)
        if not is_users(module or "__main__") and not _is_generated(module):
            return
        if not _is_generated(module):  # its attributes are as much outside as those of objects
            self.holders.append(function)
            yield from vars(function).values()
        if tells_namespace(function):
            yield from _of_namespace(function)
        self.functions.append(function)
        self.cells.extend(function.__closure__ or ())
        for cell in function.__closure__ or ():
            yield content_of(cell)
        yield from function.__defaults__ or ()
        yield from (function.__kwdefaults__ or {}).values()
        yield getattr(function, "__wrapped__", None)
        scope = function.__globals__
        names = self.namespaces.setdefault(id(scope), (scope, set()))[1]
        free = function.__code__.co_freevars
        cells = dict(zip(free, map(content_of, function.__closure__ or ()), strict=True))
        for code in _codes(function.__code__):
            self.codes.append(code)
            names.update(code.co_names)
            self._compared |= fields_compared(code)
            if not self._asks_for_kinds:
                self._asks_for_kinds = may_be_asked_for(KINDS.keys(), code, scope, cells)
            named = [*map(scope.get, code.co_names), *_modules_of(code, cells)]
            if not BY_TEXT.isdisjoint(code.co_names):  # which may name any of the data
                texts = [item for item in code.co_consts if isinstance(item, str)]
                named += [sys.modules[text] for text in texts if text in sys.modules]
            if not OF_OWN_MODULE.isdisjoint(code.co_names):
                names.update(_data_of(scope))
                yield from map(scope.get, _data_of(scope))
            for value in named:
                yield from self._named(value, code.co_names)

    def _named(
        self, value: Any, names: tuple[str, ...], around: tuple[Any, ...] = ()
    ) -> Iterator[Any]:
        """Yield a global, and of a module those of its members that are named next to it."""
        if isinstance(value, types.ModuleType):
            _refuse_threads(value, names)
            if is_users(value.__name__):
                scope = vars(value)
                if not BY_TEXT.isdisjoint(names):
                    names = (*names, *_data_of(scope))
                self.namespaces.setdefault(id(scope), (scope, set()))[1].update(names)
                for item in (scope[name] for name in names if name in scope):
                    if not isinstance(item, types.ModuleType):
                        yield item
                    elif item not in around:  # of a package
                        yield from self._named(item, names, (*around, value))
            elif value.__name__.partition(".")[0] == "srcgrad":
                parts = (getattr(value, name, None) for name in names)
                self.speaks_torch = self.speaks_torch or any(map(_is_of_tape, parts))
        elif value is not None:
            _refuse_thread(value)
            yield value


def _is_namespace_elsewhere(value: Any) -> bool:
    """Say whether a dict is the namespace of a module that is not the user's, as of `builtins`.

    All code looks names up there, also that of the stand-ins.
    """
    name = value.get("__name__") if isinstance(value, dict) else None
    module = sys.modules.get(name) if isinstance(name, str) and not is_users(name) else None
    return isinstance(module, types.ModuleType) and vars(module) is value


_ANY_FIELD: Final = frozenset(
    "getattr vars __dict__ attrgetter copy deepcopy replace asdict astuple fields".split()
)


def _data_of(scope: dict[str, Any]) -> list[str]:
    """Return the names of the data of a module."""
    kinds = (types.ModuleType, type, types.FunctionType)
    found = [name for name, item in scope.items() if not isinstance(item, kinds)]
    return [name for name in found if not name.startswith("__")]


def _modules_of(code: types.CodeType, cells: dict[str, Any]) -> Iterator[types.ModuleType]:
    """Yield the modules that a function imports itself, or finds in its closure."""
    known = [sys.modules.get(name) for name in code.co_names]
    for item in (*known, *cells.values()):
        if isinstance(item, types.ModuleType):
            yield item


def _is_of_tape(value: Any) -> bool:
    """Return whether something is of the tape: a function of tensors, their class, or a module."""
    name = value.__name__ if isinstance(value, types.ModuleType) else _module_of(value)
    if not isinstance(name, str) or name == _STAND_INS:
        return False
    return f"{name}.".startswith(("srcgrad.tape.", "srcgrad.autograd."))


def _module_of(value: Any) -> Any:
    return getattr(value, "__module__", None) if callable(value) else None


def _may_read(code: types.CodeType, field: str) -> bool:
    """Return whether code may read the field of this name of some object."""
    if not _ANY_FIELD.isdisjoint(code.co_names):
        return True
    reads = ("LOAD_ATTR", "LOAD_METHOD")
    return field in code.co_names and any(
        step.argval == field and step.opname in reads for step in dis.get_instructions(code)
    )


def content_of(cell: types.CellType) -> Any:
    """Return what is in a closure cell, None if nothing is yet."""
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return None


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _refuse_threads(module: types.ModuleType, names: tuple[str, ...]) -> None:
    for name in names:
        if (module.__name__, name) in _THREADS:
            _refuse_thread(getattr(module, name))


_STARTERS = {name for _, name in _THREADS}


def _refuse_thread(value: Any) -> None:
    """Tensors of one thread are strict there only: another thread could cut them off unseen.

    Raises:
        UnsupportedError: The value is what starts a thread or a process.
    """
    name = held_attribute(value, "__name__") if callable(value) else None
    if name in _STARTERS and not is_users(getattr(value, "__module__", "")):
        raise UnsupportedError(
            f"`{name}` starts code that the tape cannot follow",
            span=user_span(),
            hint="call the function directly, without threads or processes",
        )


def _refuse_masked(value: Any) -> None:
    """A masked array would take the plain array out of a tensor that it meets.

    Raises:
        UnsupportedError: The value is a masked array.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise UnsupportedError(
            "a MaskedArray, whose masked elements have no derivative rule",
            span=user_span(),
            hint="use np.where with the mask",
        )


def reached_by(function: Callable[..., Any], *roots: Any) -> Reached:
    """Return what a call of a function may run, with what its arguments bring."""
    found = Reached()
    for root in (function, *roots):
        found.add(root)
    return found
