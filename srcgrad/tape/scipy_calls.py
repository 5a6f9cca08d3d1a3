"""Lets code that calls SciPy run on tensors: its functions convert to arrays, ours record first."""

from __future__ import annotations

import functools
import importlib
import inspect
import types
from typing import Any

import numpy as np

from srcgrad.errors import MissingRuleError
from srcgrad.runtime.interpolators import (
    interpolates_on_grid,
    is_frozen_law,
    is_interpolator,
    law_of,
    makes_interpolator,
    stands_for_object,
)
from srcgrad.runtime.objects import held_attribute
from srcgrad.runtime.results import place_of_args, solver_of
from srcgrad.tape.callers import call_recorded, has_tensor
from srcgrad.tape.scipy_solvers import (
    has_gradient,
    plain,
    recording_caller,
    recording_solver,
)
from srcgrad.tape.scipy_sparse import RecordingClass, class_of, taking_tensors


def is_scipy(value: Any) -> bool:
    """Say whether a value is a module or function of SciPy that does not hand on its calls.

    So is ``numpy.ma``, whose functions would take the array out of a tensor for its own.
    """
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] == "scipy" or value.__name__ == MASKED
    if isinstance(value, np.ufunc):
        return False
    if type(held_attribute(value, "__self__", value)).__name__ == "SuperLU":  # or a method of it
        return True
    module = getattr(value, "__module__", None) or getattr(type(value), "__module__", "")
    return isinstance(module, str) and f"{module}.".startswith(("scipy.", f"{MASKED}."))


MASKED = "numpy.ma"


def recording(value: Any) -> Any:
    """Return a module or function of SciPy as one whose calls on tensors are recorded."""
    if isinstance(value, types.ModuleType):
        return RecordingModule(value)
    if is_frozen_law(value):
        law = RecordingDistribution(law_of(value) or value.dist)
        return FrozenDistribution(law, value.args, value.kwds, value)
    if is_distribution(value):
        return RecordingDistribution(value)
    if makes_interpolator(value):
        return RecordingMaker(value)
    if is_interpolator(value) or interpolates_on_grid(value):
        return (RecordingInterpolator if is_interpolator(value) else RecordingGrid)(value)
    return _recording_callable(value)


def _recording_callable(value: Any) -> Any:
    if solver_of(value) is not None:
        return recording_solver(value)
    place = place_of_args(value)
    if place is not None:
        return recording_caller(value, place)
    if isinstance(value, type):
        takes = value.__module__.startswith("scipy.sparse") or stands_for_object(value)
        return _recording_class(value) if takes else value
    return _recording_call(value) if is_function(value) else taking_tensors(value)


_recording_class = functools.cache(RecordingClass)


def named_class(value: Any) -> Any:
    """Return the class of a value as plain code gets it by its name: always the same object."""
    kind = class_of(value)
    return recording(kind) if kind is not type(value) and is_scipy(kind) else kind


def is_function(value: Any) -> bool:
    """Say whether a value of SciPy is a function: one of Python, or one of several backends."""
    if callable(value) and f"{type(value).__module__}.".startswith(f"{MASKED}."):
        return True
    python = isinstance(value, (types.FunctionType, types.MethodType))
    return python or type(value).__module__ == "uarray"


def is_distribution(value: Any) -> bool:
    """Say whether a value of SciPy is a distribution, such as ``stats.norm``."""
    return hasattr(value, "rvs") and not isinstance(value, type)


class RecordingModule(types.ModuleType):
    """A module of SciPy whose functions record."""

    def __init__(self, module: types.ModuleType) -> None:
        super().__init__(module.__name__)
        self.__wrapped__ = module

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.__wrapped__, name)
        found = recording(value) if is_scipy(value) else value
        setattr(self, name, found)
        return found


class RecordingDistribution:
    """A distribution of SciPy whose methods record."""

    def __init__(self, distribution: Any) -> None:
        self.__wrapped__ = distribution

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Hold parameters fixed: ``norm(m, s).logpdf(x)`` is ``norm.logpdf(x, m, s)``."""
        return FrozenDistribution(self, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.__wrapped__, name)
        return _recording_call(value) if isinstance(value, types.MethodType) else value


_OTHER_ORDER = frozenset(["rvs", "expect", "support", "random_state"])
"""What a distribution takes in another order, or does not have."""


class FrozenDistribution:
    """A distribution whose parameters are given."""

    def __init__(
        self,
        distribution: RecordingDistribution,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        itself: Any = None,
    ) -> None:
        self.dist = distribution
        self.args = args
        self.kwds = kwargs
        self._itself = itself

    def __getattr__(self, name: str) -> Any:
        if name in _OTHER_ORDER and not has_tensor((*self.args, *self.kwds.values())):
            itself = self._itself or self.dist.__wrapped__(*self.args, **self.kwds)
            return getattr(itself, name)
        method = getattr(self.dist, name)
        if name.startswith("_") or not callable(method):
            return method

        def call(*args: Any, **kwargs: Any) -> Any:
            if name in _OTHER_ORDER:
                raise MissingRuleError(
                    f"`{name}` of a distribution whose parameters vary has no derivative rule",
                    hint="draw with `loc + scale * rng.standard_normal(n)` and the like",
                )
            return method(*args, *self.args, **self.kwds, **kwargs)

        return call


GRID = "RegularGridInterpolator"


class RecordingGrid:
    """An object that interpolates on a grid and takes tensors as points."""

    def __init__(self, grid: Any) -> None:
        self.__wrapped__ = grid

    def __call__(self, xi: Any, *args: Any, **kwargs: Any) -> Any:
        if not has_tensor((xi,)):
            return self.__wrapped__(xi, *args, **kwargs)
        if args or kwargs:
            raise MissingRuleError(
                f"a `{GRID}` called with options has no derivative rule",
                hint="give the method when it is made",
            )
        grid = self.__wrapped__
        given = (grid.grid, grid.values, xi, grid.method, grid.bounds_error, grid.fill_value)
        return call_recorded(importlib.import_module("scipy.interpolate").interpn, given, {})

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)


_PIECES = {"PchipInterpolator": "monotone", "Akima1DInterpolator": "akima"}


class RecordingMaker:
    """A class of interpolating objects, or a function that makes them, which takes tensors."""

    def __init__(self, make: Any) -> None:
        self.__wrapped__ = make

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not has_tensor((*args, *kwargs.values())):
            return RecordingInterpolator(self.__wrapped__(*args, **kwargs))
        bound = dict(inspect.signature(self.__wrapped__).bind(*args, **kwargs).arguments)
        names = list(bound)[:2]
        knots, values = (_copied(bound.pop(name)) for name in names)
        bound = {name: item if has_gradient(item) else plain(item) for name, item in bound.items()}
        if has_tensor(bound.values()):
            raise MissingRuleError(
                f"`{self.__wrapped__.__name__}` has no derivative rule in its options",
                hint="keep them constant",
            )
        pieces = _PIECES.get(self.__wrapped__.__name__)
        if pieces is not None and not bound:
            written = importlib.import_module("srcgrad.rules.scipy.hermite_splines")
            return getattr(written, pieces)(knots, values)
        make = functools.partial(self.__wrapped__, **bound) if bound else self.__wrapped__
        return RecordingInterpolation(make, knots, values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)


def _copied(value: Any) -> Any:
    """Return knots or values as they are now: an object does not see them being written."""
    return call_recorded(np.array, (value,), {})


class RecordingInterpolation:
    """An interpolating object made of tensors."""

    def __init__(self, make: Any, knots: Any, values: Any) -> None:
        self._made_of = (make, knots, values)

    def __call__(self, x: Any, nu: int = 0) -> Any:
        return _interpolation().interpolation(*self._made_of, x, nu)

    def __getattr__(self, name: str) -> Any:
        raise MissingRuleError(
            f"the attribute `{name}` of an interpolating object has no derivative rule",
            hint="call the object; `s(x, nu)` is its derivative of order nu",
        )


class RecordingInterpolator:
    """An interpolating object that takes tensors as points."""

    def __init__(self, spline: Any) -> None:
        self.__wrapped__ = spline

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not has_tensor((*args, *kwargs.values())):
            return self.__wrapped__(*args, **kwargs)
        return _interpolation().interpolated(self.__wrapped__, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)


def _interpolation() -> Any:
    importlib.import_module("srcgrad.rules.scipy.interpolation")
    return importlib.import_module("srcgrad.runtime.scipy.interpolation")


def _recording_call(function: Any) -> Any:
    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        if not has_tensor((*args, *kwargs.values())):
            return taking_tensors(function(*args, **kwargs))
        return call_recorded(function, args, kwargs)

    return call
