"""Finds the user's own code that a call reaches, and lends it stand-ins for the call's time.

The namespaces of the user's modules get the stand-ins for the names that their functions use; the
namespaces of NumPy, of the standard library and of srcgrad are never touched.
"""

from __future__ import annotations

import builtins
import dis
import functools
import sys
import threading
import types
from collections import UserDict, UserList
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from srcgrad.errors import UnsupportedError
from srcgrad.locks import Lock
from srcgrad.tape.core import Core
from srcgrad.tape.identities import fields_compared, may_be_asked_for
from srcgrad.tape.number_stand_ins import KINDS
from srcgrad.tape.refusing import user_span
from srcgrad.tape.stand_ins import stand_in

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
_MISSING = object()
_WRAPPER = type(functools.lru_cache(lambda: None))


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


class Reached:
    """What a call of the user's function may run and touch.

    Attributes:
        codes: What the functions consist of.
        namespaces: For each module's namespace the names in it that reached functions use.
        cells: The closure cells of reached functions.
        holders: Lists, dicts, objects and functions in which reached functions may leave values.
        records: Whether tensors that require a gradient are among what is reached.
    """

    def __init__(self) -> None:
        self.namespaces: dict[int, tuple[dict[str, Any], set[str]]] = {}
        self.cells: list[types.CellType] = []
        self.classes: list[type] = []
        self.holders: list[Any] = []
        self.records = False
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
                todo.extend(self._inside(item))
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
        elif isinstance(item, functools.cached_property):
            yield item.func
        elif isinstance(item, type):
            yield from self._class(item)
        else:
            yield from self._object(item)

    def _class(self, item: type) -> Iterator[Any]:
        for base in item.__mro__:
            if is_users(base.__module__):
                self.classes.append(base)
                yield from vars(base).values()

    def _object(self, item: Any) -> Iterator[Any]:
        if isinstance(item, (list, dict, set)):
            self.holders.append(item)
        if isinstance(item, (list, tuple, set)) and len(item) < 10_000:
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
        if isinstance(module, str) and module.startswith(("srcgrad.runtime.", "srcgrad.api.")):
            yield from map(_content, function.__closure__ or ())  # it may call one of the user's
            yield getattr(function, "__wrapped__", None)
        if not is_users(module or "__main__") and not _is_generated(module):
            return
        if not _is_generated(module):  # its attributes are as much outside as those of objects
            self.holders.append(function)
            yield from vars(function).values()
        self.cells.extend(function.__closure__ or ())
        for cell in function.__closure__ or ():
            yield _content(cell)
        yield from function.__defaults__ or ()
        yield from (function.__kwdefaults__ or {}).values()
        yield getattr(function, "__wrapped__", None)
        scope = function.__globals__
        names = self.namespaces.setdefault(id(scope), (scope, set()))[1]
        free = function.__code__.co_freevars
        cells = dict(zip(free, map(_content, function.__closure__ or ()), strict=True))
        for code in _codes(function.__code__):
            self.codes.append(code)
            names.update(code.co_names)
            self._compared |= fields_compared(code)
            if not self._asks_for_kinds:
                self._asks_for_kinds = may_be_asked_for(KINDS.keys(), code, scope, cells)
            named = [*map(scope.get, code.co_names), *_modules_of(code, cells)]
            if not _BY_TEXT.isdisjoint(code.co_names):  # which may name any of the data
                texts = [item for item in code.co_consts if isinstance(item, str)]
                named += [sys.modules[text] for text in texts if text in sys.modules]
            if not _OF_OWN_MODULE.isdisjoint(code.co_names):
                names.update(_data_of(scope))
                yield from map(scope.get, _data_of(scope))
            for value in named:
                yield from self._named(value, code.co_names)

    def _named(self, value: Any, names: tuple[str, ...]) -> Iterator[Any]:
        """Yield a global, and of a module those of its members that are named next to it."""
        if isinstance(value, types.ModuleType):
            _refuse_threads(value, names)
            if is_users(value.__name__):
                scope = vars(value)
                if not _BY_TEXT.isdisjoint(names):
                    names = (*names, *_data_of(scope))
                self.namespaces.setdefault(id(scope), (scope, set()))[1].update(names)
                yield from (scope[name] for name in names if name in scope)
        elif value is not None:
            _refuse_thread(value)
            yield value


_ANY_FIELD: Final = frozenset(
    "getattr vars __dict__ attrgetter copy deepcopy replace asdict astuple fields".split()
)


_BY_TEXT: Final = frozenset(
    "getattr setattr delattr globals vars __dict__ exec eval modules import_module".split()
)
"""What reads and binds names that stand in no code."""
_OF_OWN_MODULE: Final = frozenset(["globals", "exec", "eval"])


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


def _may_read(code: types.CodeType, field: str) -> bool:
    """Return whether code may read the field of this name of some object."""
    if not _ANY_FIELD.isdisjoint(code.co_names):
        return True
    reads = ("LOAD_ATTR", "LOAD_METHOD")
    return field in code.co_names and any(
        step.argval == field and step.opname in reads for step in dis.get_instructions(code)
    )


def _content(cell: types.CellType) -> Any:
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
    name = getattr(value, "__name__", None) if callable(value) else None
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


# -- lending ---------------------------------------------------------------------------------------


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
        return _content(self.owner)

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


Place = _Names | _Members | _Cell | _Items
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
        if (found := instead(_content(cell))) is not None:
            yield _Cell(cell), "", found
    for holder in reached.holders:
        yield from _held(holder, instead)


def _lender(wrap: Wrap, *, kinds: bool) -> Wrap:
    """Return what gives the stand-in of a value, or None."""

    def instead(value: Any) -> Any:
        return wrap(value) if type(value) is np.ndarray else stand_in(value, kinds=kinds)

    return instead


def _held(holder: Any, instead: Wrap) -> Iterator[tuple[Place, Any, Any]]:
    items = holder if isinstance(holder, (list, dict)) else getattr(holder, "__dict__", {})
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


def reached_by(function: Callable[..., Any], *roots: Any) -> Reached:
    """Return what a call of a function may run, with what its arguments bring."""
    found = Reached()
    for root in (function, *roots):
        found.add(root)
    return found
