"""Turns what is outside of a program into what lanes meet: functions are hashes of operands."""

from __future__ import annotations

import builtins
import inspect
import sys
import types
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final
from zlib import crc32

import numpy as np

from srcgrad.checker import field
from srcgrad.checker.arithmetic import Shape, arithmetic, canonical, is_number, is_varied, pair_of
from srcgrad.checker.field import by_entry, code_of, hashed
from srcgrad.checker.lanes import Hooks, Lane, noted
from srcgrad.checker.runs import NotCovered, Now
from srcgrad.runtime.wrappers import module_of

Handler = Callable[..., Any]
MOST_TRIPS: Final = 1_000
HANDLERS: Final[dict[str, Handler]] = {}
_LINEAR: Final = frozenset(
    """sum mean cumsum flip fliplr flipud roll take diff trace tril triu repeat tile
    rot90 delete trapezoid compress nansum nanmean average fft.fft fft.ifft""".split()
)
_CONSTANT: Final = frozenset(
    """argmax argmin argsort sign floor ceil round rint trunc isnan isfinite isinf isclose allclose
    any all count_nonzero nonzero flatnonzero searchsorted digitize where_only zeros_like ones_like
    empty_like ndim size shape array_equal iscomplexobj may_share_memory shares_memory isscalar
    lexsort argpartition nanargmax nanargmin argwhere result_type unravel_index indices
    stop_gradient item_shapes shapes_of checkpointed isrealobj
    floor_divide heaviside spacing signbit isneginf isposinf isin unique""".split()
)
_BY_ENTRY: Final = frozenset("math cmath".split())
_DRAWS: Final = frozenset(
    """normal uniform random integers choice shuffle permutation permuted standard_normal seed
    exponential gamma beta poisson binomial laplace gumbel logistic rayleigh rand randn randint
    random_sample lognormal power weibull pareto multivariate_normal standard_exponential
    standard_gamma triangular""".split()
)


def handler(*names: str) -> Callable[[Handler], Handler]:
    """Make a function the meaning of names."""

    def add(function: Handler) -> Handler:
        for name in names:
            HANDLERS[name] = function
        return function

    return add


class Function:
    """A function of outside, which is applied to lanes."""

    def __init__(self, real: Any, name: str) -> None:
        self.real = real
        self.canonical_name = name
        self.short = name.rpartition(".")[2]
        self.handler = HANDLERS.get(name)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        place = _place_of_out(self.real)
        if place is not None and (len(args) > place or keywords.get("out") is not None):
            return self._into(place, args, keywords)
        if self.handler is not None:
            return self.handler(*args, **keywords)
        return unknown(self, args, keywords)

    def _into(self, place: int, args: Any, keywords: Any) -> Any:
        """Write what is computed into an array that is given for it, and return that."""
        rest = {key: item for key, item in keywords.items() if key != "out"}
        out = keywords["out"] if "out" in keywords else args[place]
        if isinstance(out, tuple) and len(out) == 1:
            (out,) = out
        where = rest.pop("where", True) if isinstance(self.real, np.ufunc) else True
        found = self(*args[:place], **rest)
        if out is None:
            return found
        if not isinstance(out, Lane):
            raise NotCovered(f"`{self.short}` writes into several arrays")
        out[...] = found if where is True else HANDLERS["numpy.where"](where, found, out)
        return out

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if isinstance(self.real, np.ufunc):
            return Function(getattr(self.real, name), f"{self.canonical_name}.{name}")
        return outside(getattr(self.real, name))

    def __instancecheck__(self, value: Any) -> bool:
        return isinstance(value, self.real)

    def __repr__(self) -> str:
        return self.canonical_name


class Module:
    """A module of outside."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        found = outside(getattr(self._real, name))
        setattr(self, name, found) if isinstance(found, Function) else None
        return found


def canonical_name(value: Any) -> str:
    """Return the name of a function."""
    if isinstance(value, np.ufunc):
        home = "numpy" if getattr(np, value.__name__, None) is value else "ufunc"
        return f"{home}.{value.__name__}"
    module = module_of(value)
    name: str = getattr(value, "__qualname__", "") or getattr(value, "__name__", "")
    name = name or type(value).__name__
    if module.startswith("numpy") and getattr(np, name, None) is value:
        module = "numpy"
    elif module.startswith("srcgrad.runtime"):
        module = "srcgrad.runtime"
    return f"{module}.{name}"


_FUNCTIONS: Final[dict[int, Any]] = {}


def outside(value: Any) -> Any:  # noqa: PLR0911 - one line a kind of value
    """Return a value of outside as checked programs see it."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, range, slice)):
        if type(value) in _PLAIN or not isinstance(value, (float, complex)):
            return value
        return complex(value) if isinstance(value, complex) else float(value)
    if value is Ellipsis or isinstance(value, (Lane, Function, Module, Shape)):
        return value
    if isinstance(value, type) and issubclass(value, BaseException):
        return value
    if value in KINDS if isinstance(value, type) else False:
        return KINDS[value]
    kind = type(value)
    if issubclass(kind, types.ModuleType):
        key = id(value)
        if key not in _FUNCTIONS:
            _FUNCTIONS[key] = Module(value)
        return _FUNCTIONS[key]
    if callable(value) and (
        isinstance(value, (type, np.ufunc))
        or hasattr(value, "__qualname__")
        or hasattr(value, "__name__")
    ):
        own = BUILTINS.get(getattr(value, "__name__", ""))
        if own is not None and getattr(builtins, value.__name__, None) is value:
            return own
        key = id(value)
        if key not in _FUNCTIONS:
            _FUNCTIONS[key] = Function(value, canonical_name(value))
        return _FUNCTIONS[key]
    return _data(value)


_PLAIN: Final = {bool, int, float, complex, str, bytes}
KINDS: Final[dict[type, Any]] = {}
BUILTINS: Final[dict[str, Any]] = {}


def _data(value: Any) -> Any:
    memo = Now.run.memo
    key = ("outside", id(value))
    if key in memo:
        return memo[key]
    if isinstance(value, (np.floating, np.integer, np.bool_)):
        return value.item()
    if isinstance(value, list):
        made: Any = []
        memo[key] = made
        made.extend(outside(item) for item in value)
        return made
    if type(value) is tuple:
        return tuple(outside(item) for item in value)
    if type(value) in (set, frozenset):
        made = memo[key] = type(value)(value)
        return made
    if type(value) is dict:
        made = memo[key] = {}
        made.update((k, outside(item)) for k, item in value.items())
        return made
    code = id(value)
    dims = None
    if isinstance(value, np.ndarray):
        code = crc32(value.tobytes()) if value.dtype.kind != "O" else code
        dims = value.shape
    entry = hashed(code_of("outside"), code)
    made = Lane((entry, hashed(entry)), entry, dims=dims)
    memo[key] = made
    return made


# -- functions nobody knows


@lru_cache(maxsize=1024)
def _place_of_out(function: Any) -> int | None:
    """Return which argument of a function of NumPy is written into, or None."""
    if isinstance(function, np.ufunc):
        return function.nin
    if not module_of(function).startswith("numpy"):
        return None
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None
    if "out" not in parameters:
        return None
    alone = parameters["out"].kind is inspect.Parameter.KEYWORD_ONLY
    return sys.maxsize if alone else list(parameters).index("out")


@lru_cache(maxsize=1024)
def _is_linear(function: Any) -> bool:
    """Say whether a helper of ours is a linear function of the adjoint that it takes first."""
    name = canonical_name(function)
    short = name.removeprefix("numpy.")
    if short in _LINEAR and name.startswith("numpy."):
        return True
    if not name.startswith("srcgrad.runtime."):
        return False
    try:
        first = next(iter(inspect.signature(function).parameters), "")
    except (TypeError, ValueError):
        return False
    return first.startswith(("grad", "tangent"))


def unknown(function: Function, args: Any, keywords: Any) -> Any:
    """Return what a function that is not known makes of lanes."""
    run = Now.run
    run.step()
    name, short, kind = function.canonical_name, function.short, function.real
    if short in _DRAWS and "random" in name:
        return drawn(name, args, keywords)
    varied = (is_varied(args) or is_varied(keywords)) and short not in _CONSTANT
    if bool(args) and isinstance(args[0], (Lane, float, int)) and _is_linear(kind):
        rest = (code_of(name), *map(canonical, args[1:]), *named(keywords))
        token = hashed(getattr(args[0], "token", 0), *rest)
        made = noted(Lane(field.apply(field.matrix(rest), pair_of(args[0])), token, varied=varied))
        made.bundle = True
        return made
    if (isinstance(kind, np.ufunc) and kind.nout == 1) or name.partition(".")[0] in _BY_ENTRY:
        pairs = [pair_of(item) for item in args]
        number = all(map(is_number, args))
        dims, token = _like(args)
        label = name.replace("math.", "numpy.")
        if keywords:
            label += repr(sorted(keywords))
        return noted(Lane(by_entry(label, *pairs), token, number=number, dims=dims, varied=varied))
    rest = (code_of(name), *map(canonical, args), *named(keywords))
    token = hashed(*rest)
    entry = token
    number = name.startswith("builtins.") and all(map(is_number, args))
    pair = (entry, entry) if number else (entry, hashed(entry, 1))
    made = noted(Lane(pair, 0 if number else token, number=number, varied=varied))
    made.bundle = True
    return made


@handler("numpy.split", "numpy.array_split", "numpy.hsplit", "numpy.vsplit", "numpy.dsplit",
         "numpy.diagonal", "method.diagonal", "numpy.flip", "numpy.fliplr", "numpy.flipud",
         "numpy.rot90")  # fmt: skip
def parts(value: Any, *args: Any, **keywords: Any) -> Any:
    """Return a view that selects in a way of its own."""
    Now.run.step()
    if not isinstance(value, Lane) or value.number:
        return unknown(Function(None, "numpy.parts"), (value, *args), keywords)
    how = hashed(code_of("parts"), *map(canonical, args), *named(keywords))
    return value.view(((("v", how),),))


def _like(args: Any) -> tuple[Any, int]:
    if len(args) == 1 and isinstance(args[0], Lane):
        return args[0].dims, args[0].token
    total: Any = 0.0
    for item in args:
        if isinstance(item, (Lane, int, float)):
            total = plain_sum(total, item)
    if isinstance(total, Lane):
        return total.dims, total.token
    return (), 0


def plain_sum(a: Any, b: Any) -> Any:
    """Return a sum that leaves nothing on a tape."""
    if not isinstance(a, Lane) and not isinstance(b, Lane):
        return 0.0
    tape, Now.run.tape = Now.run.tape, None
    try:
        return arithmetic("+", a, b)
    finally:
        Now.run.tape = tape


def named(keywords: Any) -> list[Any]:
    """Return what stands for keyword arguments."""
    return [(code_of(key), canonical(item)) for key, item in sorted(keywords.items())]


def drawn(name: str, args: Any, keywords: Any) -> Any:
    """Return a random draw, and note that it was made."""
    run = Now.run
    key = (code_of(name), canonical(args), *named(keywords))
    place = len([item for item in run.trace if item[0] == "draw"])
    run.trace.append(("draw", hashed(*key)))
    entry = hashed(place, *key)
    return Lane((entry, hashed(entry, 1)), entry)


def attribute(lane: Lane, name: str) -> Any:  # noqa: PLR0911 - one line a kind of name
    """Return an attribute, or a method, of a lane."""
    if name == "shape":
        return Shape(lane)
    if name == "T":
        return HANDLERS["numpy.transpose"](lane)
    if name == "ndim":
        return HANDLERS["numpy.ndim"](lane)
    if name == "size":
        return HANDLERS["numpy.size"](lane)
    if name in ("real", "imag"):
        return HANDLERS[f"numpy.{name}"](lane)
    if name in ("dtype", "flags", "strides", "itemsize"):
        return Lane((hashed(code_of(name), lane.token),) * 2, 0, number=True)
    if name == "flat":
        return HANDLERS["numpy.ravel"](lane)
    if name in _METHODS:
        real = getattr(np, name, None)
        function = outside(real) if real is not None else Function(None, f"method.{name}")
        return lambda *args, **keywords: function(lane, *args, **keywords)
    if name in _DRAWS:
        return lambda *args, **keywords: drawn(name, (lane, *args), keywords)
    if name in ("append", "insert", "pop", "extend", "update", "setdefault", "popitem", "remove"):
        raise NotCovered(f"a container of outside is changed by `{name}`")
    if name in ("keys", "items", "values", "get"):
        raise NotCovered(f"a container of outside is asked for its `{name}`")
    return lane.view(((("k", code_of(name)),),))


_METHODS: Final = frozenset(
    """sum mean reshape ravel transpose swapaxes squeeze flatten copy astype dot cumsum cumprod prod
    max min argmax argmin argsort std var clip round conj conjugate trace diagonal repeat take fill
    item tolist any all sort searchsorted nonzero compress choose ptp view tobytes itemset put
    partition argpartition is_integer hex toarray todense""".split()
)


def called(lane: Lane, args: Any, keywords: Any) -> Any:
    """Return what calling an object of outside gives."""
    return unknown(Function(None, f"called{lane.pair}"), args, keywords)


Hooks.attribute = staticmethod(attribute)
Hooks.call = staticmethod(called)
