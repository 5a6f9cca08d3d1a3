"""Functions that first choose whose functions they call: backends, registries, own tables."""

from __future__ import annotations

import os
import threading
from importlib.util import find_spec

import numpy as np

from tests.programs.corpus import program


class NumpyBackend:
    """The functions of NumPy, as a package calls those of several libraries."""

    name = "numpy"

    def asarray(self, x):
        return np.asarray(x)

    def exp(self, x):
        return np.exp(x)

    def total(self, x, axis=None):
        return np.sum(x, axis=axis)


class SlowBackend(NumpyBackend):
    """The same with another exponential."""

    name = "slow"

    def __init__(self, base=2.0):
        self.base = base

    def exp(self, x):
        return self.base * np.exp(2.0 * x)


class Registry(dict):
    """A dict of backends, which are made when they are first asked for."""

    def __init__(self):
        super().__init__()
        self.register("numpy")
        self._active = "numpy"

    def register(self, name):
        if find_spec(name) is None and os.environ.get("NEVER_SET") is None:
            raise KeyError(name)
        self[name] = NumpyBackend()

    def __getitem__(self, name):
        try:
            return super().__getitem__(name)
        except KeyError:
            self.register(name)
            return super().__getitem__(name)

    @property
    def active(self):
        return self[self._active]


class Shelf:
    """An object that gives backends by an index and by a property."""

    def __init__(self):
        self.held = {"numpy": NumpyBackend(), "slow": SlowBackend()}
        self.functions = {"numpy": _exp, "slow": _double}
        self.current = "slow"

    def __getitem__(self, name):
        return self.held[name]

    @property
    def active(self):
        return self.held[self.current]

    @property
    def exponential(self):
        return self.functions[self.current]

    def choose(self, name):
        self.current = name


def _exp(x):
    return np.exp(x)


def _double(x):
    return 2.0**x


FUNCTIONS = {"numpy": _exp, "slow": _double}
BACKENDS = Registry()
SHELF = Shelf()


def _scaled(x, backend=None):
    lib = BACKENDS.active if backend is None else BACKENDS[backend]
    return lib.exp(-(lib.asarray(x) ** 2))


@program("v", "s")
def backend_of_a_registry(x, scale, backend=None):
    lib = BACKENDS.active if backend is None else BACKENDS[backend]
    x, scale = map(lib.asarray, (x, scale))
    return lib.total(scale * lib.exp(-x) + _scaled(x / scale, backend=backend))


@program("v")
def backend_by_its_name(x, backend="numpy"):
    lib = BACKENDS.active if backend is None else BACKENDS[backend]
    return lib.total(lib.exp(x) * x)


@program("v")
def backend_that_a_property_gives(x):
    lib = SHELF.active
    return lib.total(lib.exp(x) * lib.base)


@program("v")
def function_that_a_property_gives(x):
    return np.sum(SHELF.exponential(x) * x)


@program("v", by="tape")
def backend_that_is_chosen_before(x):
    lib = SHELF.active
    SHELF.choose("numpy")
    y = lib.exp(x) * SHELF.held["numpy"].total(x)
    SHELF.choose("slow")
    return np.sum(y)


class Upper(dict):
    """A dict whose keys are the same in any case."""

    def __getitem__(self, key):
        return super().__getitem__(key.upper())


class Hidden(dict):
    """A dict that shows a part of what it holds."""

    def items(self):
        return [(key, value) for key, value in super().items() if key != "EXP"]

    def __iter__(self):
        return iter([key for key in super().keys() if key != "EXP"])


class Doubled(list):
    """A list that shows each of its entries twice."""

    def __iter__(self):
        return iter([item for item in super().__iter__() for _ in range(2)])


UPPER = Upper(EXP=_exp, DOUBLE=_double)
HIDDEN = Hidden(EXP=_exp, DOUBLE=_double)
DOUBLED = Doubled([_exp, _double])


@program("v")
def table_that_reads_keys_its_own_way(x):
    return np.sum(UPPER["exp"](x) * x)


@program("v", by="tape")
def table_that_shows_a_part(x):
    y = x
    for name, function in HIDDEN.items():
        y = y * function(x) * len(name)
    return np.sum(y)


@program("v", by="tape")
def list_that_shows_entries_twice(x):
    y = x
    for function in DOUBLED:
        y = y * function(x)
    return np.sum(y)


def _swap(table):
    table["numpy"], table["slow"] = table["slow"], table["numpy"]


@program("v", by="tape")
def table_whose_entries_a_helper_swaps(x):
    _swap(SHELF.held)
    y = SHELF.held["numpy"].exp(x)
    _swap(SHELF.held)
    return np.sum(y * x)


@program("v", by="tape")
def table_whose_entry_is_taken_out_and_put_back(x):
    function = FUNCTIONS.pop("slow")
    y = function(x) if "slow" not in FUNCTIONS else x
    FUNCTIONS["slow"] = function
    return np.sum(y * x)


def library_of(backend):
    if isinstance(backend, str):
        backend = __import__(backend)
    if backend is None:
        try:
            import numpy as backend  # noqa: ICN001 - chosen by name
        except ImportError:
            import math as backend
    return backend


def library_or_numpy(backend):
    return backend or np


def library_that_is_there():
    try:
        import no_such_package_at_all as library
    except ImportError:
        import numpy as library  # noqa: ICN001 - chosen by name
    return library


def exponential_that_is_there():
    try:
        from no_such_package_at_all import exp
    except ImportError:
        exp = np.exp
    return exp


@program("v")
def imported_in_a_try_of_a_helper(x, backend=None):
    be = library_of(backend)
    return be.sum(be.exp(x) * x)


@program("v")
def library_or_another(x, backend=None):
    be = library_or_numpy(backend)
    return be.sum(be.exp(x) * x)


@program("v")
def fallback_for_a_missing_package(x):
    return np.sum(library_that_is_there().tanh(x) * exponential_that_is_there()(x))


@program("v", "n")
def imported_in_a_try_in_a_loop(x, n):
    for _ in range(n):
        try:
            from numpy import tanh as squash
        except ImportError:
            squash = None
        x = squash(x) * 2.0
    return np.sum(x)


def _library(backend):
    if isinstance(backend, str):
        backend = __import__(backend)
    if backend is None:
        try:
            import numpy as backend  # noqa: ICN001 - as packages do
        except ImportError:
            import math as backend
    return backend


def _circle(r, backend=None):
    be = _library(backend)
    return be.pi * r**2


@program("v")
def library_imported_in_each_trip(x):
    total = 0.0
    for r in x:
        total = total + _circle(r)
    return total


@program("v")
def library_imported_over_a_parameter(x, backend=None):
    if backend is None:
        import numpy as backend  # noqa: ICN001 - as packages do
    return backend.sum(backend.sqrt(backend.abs(x) + 1.0))


@program("v")
def function_imported_in_either_branch(x):
    if x[0] > 0.5:
        from numpy import cos as f
    else:
        from numpy import sin as f
    return np.sum(f(x))


@program("v", by="tape")
def another_function_imported_on_the_way(x):
    f = x[1]
    total = 0.0
    for _ in range(2):
        total = total + f
        from numpy import cos as f

        total = total + np.sum(f(x))
        f = x[0]
    return total


@program("v")
def function_under_one_of_two_names(x, backend=None):
    be = _library(backend)
    inverse = getattr(be, "atanh", be.arctanh)
    integral = getattr(np, "trapezoid", None) or np.cumsum
    return integral(inverse(np.tanh(x)))


@program("v")
def function_that_is_not_there(x):
    squash = getattr(np, "no_such_function", None) or np.tanh
    return np.sum(squash(x)) * getattr(np, "no_such_number", 2.0)


class ListBackend(NumpyBackend):
    """Functions for bytes, which nobody gives."""

    kind = bytes


NumpyBackend.kind = np.ndarray
KINDS = [ListBackend, NumpyBackend]
MADE = {kind.__name__: kind() for kind in KINDS}


def _made(kind):
    if kind.__name__ not in MADE:
        MADE[kind.__name__] = kind()
    return MADE[kind.__name__]


def _suits(kind, arrays):
    suits = {isinstance(array, kind.kind) for array in arrays}
    if len(suits) == 1:
        return suits.pop()
    raise ValueError("arrays of several libraries")


def _backend_of(*arrays):
    arrays = [array for array in arrays if array is not None]
    if not len(arrays) > 0:
        raise ValueError("no array")
    for kind in KINDS:
        if _suits(kind, arrays):
            return _made(kind)
    raise ValueError("no such library")


@program("v")
def backend_by_the_kinds_of_arrays(x):
    nx = _backend_of(x, None)
    weights = nx.exp(-x)
    return _backend_of(x, weights).total(weights * x)


@program("v")
def backend_that_is_remembered(x):
    return _made(NumpyBackend).total(np.sin(x) * x)


STACK = [NumpyBackend()]


def _current(x):
    if isinstance(x, np.ndarray):
        return STACK[-1]
    raise TypeError("no array")


@program("v", by="tape")
def backend_that_is_exchanged_meanwhile(x):
    first = _current(x).total(_current(x).exp(x))
    STACK.append(SlowBackend())
    second = _current(x).total(_current(x).exp(x))
    STACK.pop()
    return first + second


class Shim:
    """Hands on to a library what it is asked for, so that another may be put in its place."""

    def __init__(self, library):
        self._library = library

    def __getattr__(self, name):
        if name == "_library":
            return self._library
        return getattr(self._library, name)


class Precision:
    """The dtype of a package, as a property that may be set."""

    def __init__(self, bits=64):
        self.dtype = bits

    @property
    def dtype(self):
        return self._dtype

    @dtype.setter
    def dtype(self, bits):
        self._dtype = np.float32 if bits == 32 else np.float64


xnp = Shim(np)
PRECISION = Precision()


@program("v")
def shim_with_functions_named_as_methods_of_lists(x):
    rising = xnp.sort(x)
    longer = xnp.append(rising, xnp.insert(x, 0, x[1]))
    return xnp.sum(longer * xnp.arange(len(longer)))


def _coefficients(cs):
    if hasattr(cs, "dtype"):
        bs = xnp.empty_like(cs)
    else:
        bs = xnp.empty(len(cs), dtype=PRECISION.dtype)
    last = len(bs) - 1
    bs[last] = cs[last] / 3.0
    for i in range(last - 1, -1, -1):
        bs[i] = cs[i] - 0.3 * bs[i + 1]
    return bs


@program("v")
def shim_beside_a_property_that_may_be_set(x):
    return np.sum(_coefficients(x) ** 2)


class _Functions:
    """The functions of one library, of which a manager keeps one for each thread."""

    def __init__(self, scale):
        self.scale = scale

    @staticmethod
    def dot(a, b):
        return np.dot(a, b)

    def norm(self, v):
        return self.scale * np.sqrt(np.sum(v * v))


class _Manager:
    """Hands calls on to what is kept for the thread, or for all."""

    _of_thread = threading.local()
    _of_all = _Functions(2.0)

    @classmethod
    def dispatched(cls, name):
        def call(*args, **kwargs):
            return getattr(cls._of_thread.__dict__.get("functions", cls._of_all), name)(
                *args, **kwargs
            )

        return call


_dot, _norm = _Manager.dispatched("dot"), _Manager.dispatched("norm")


@program("v")
def functions_that_a_manager_looks_up(x):
    return _dot(x, np.sin(x)) * _norm(x)


class _Cubes(_Functions):
    def norm(self, v):
        return self.scale * np.sum(v**3)


_CUBES = _Cubes(3.0)


@program("v", by="tape")
def functions_exchanged_in_the_dict_of_a_thread(x):
    first = _norm(x)
    kept = _Manager._of_thread.__dict__
    kept.update(functions=_CUBES)
    second = _norm(x)
    kept.clear()
    return first * second
