"""Reads interpolating objects of SciPy as functions of their points and values."""

from __future__ import annotations

import functools
import importlib
import inspect
from typing import Any, Final

from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.scoping import parameters
from srcgrad.frontend.expand.values import Known, Partial, Static, Value
from srcgrad.ir import gast
from srcgrad.ir.build import at
from srcgrad.ir.walk import walk
from srcgrad.runtime.interpolators import (
    estimates_density,
    interpolates_on_grid,
    is_interpolator,
    is_linear_in_values,
    makes_interpolator,
)

Bound = dict[str, Value]


class Interpolators(Part):
    """The part of the expansion that deals with the interpolating objects of SciPy."""

    def interpolator(
        self, callee: Known, args: list[Value], keywords: Bound, node: Any
    ) -> Value | None:
        """Return what making or calling an interpolating object means, if this is one.

        ``s = CubicSpline(knots, y)`` with values that vary means no object but a function:
        ``s(x)`` is ``interpolation(CubicSpline, knots, y, x)``.
        """
        function = callee.value
        if is_interpolator(function):
            called = Known(_helpers().interpolated)
            return self.frame.call(called, [callee, *args], keywords, node)
        if interpolates_on_grid(function) or estimates_density(function):
            grid = interpolates_on_grid(function)
            called = Known(_grids().on_grid if grid else _kernels().density_at)
            return self.frame.call(called, [callee, *args], keywords, node)
        if not makes_interpolator(function):
            return None
        bound = _by_name(function, args, keywords)
        if bound is None:
            return None
        names = list(bound)[:2]  # x and y, or xi and yi
        knots, values = bound.pop(names[0]), bound.pop(names[1])
        varying = self.frame.varies(values)
        pieces = getattr(_pieces(), _PIECES.get(function.__name__, ""), None)
        if pieces is not None and not bound and (varying or self.frame.varies(knots)):
            return self.frame.call(Known(pieces), [knots, values], {}, node)
        if any(map(self.frame.varies, bound.values())):
            return None  # refused for want of a rule
        if self.frame.varies(knots) or (varying and not is_linear_in_values(function, bound)):
            what = "knots" if self.frame.varies(knots) else "values"
            self.frame.refuse(
                node,
                f"a `{function.__name__}` whose {what} vary",
                "keep the knots constant, and give values to CubicSpline or make_interp_spline",
            )
        knots, values = self.as_now(knots, "knots", node), self.as_now(values, "values", node)
        named = [gast.keyword(name, self.frame.plain(item, node)) for name, item in bound.items()]
        if not varying:
            parts = [self.frame.plain(item, node) for item in (callee, knots, values)]
            made = at(gast.Call(parts[0], parts[1:], named), node)
            spline = self.frame.keep("spline", made, node)
            return Partial(Known(_helpers().interpolated), [spline], {}, spline)
        make: Value = callee
        if named:
            partial = self.frame.constant(functools.partial, "partial")
            options = at(gast.Call(partial, [self.frame.plain(callee, node)], named), node)
            make = self.frame.keep("make", options, node)
        return Partial(Known(_helpers().interpolation), [make, knots, values], {})

    def as_now(self, value: Value, wish: str, node: Any) -> Value:
        """Return a value as it is now, whatever is bound or written later."""
        if isinstance(value, (Static, gast.Constant)) or self.stays(value):
            return value
        wish = getattr(value, "id", wish)
        if not isinstance(value, (gast.BinOp, gast.UnaryOp)):
            value = at(gast.Call(gast.Attribute(value, "copy", gast.Load()), [], []), node)
        return self.frame.keep(wish, value, node)

    def stays(self, value: Any) -> bool:
        """Say whether a value is a parameter that is bound to nothing else, or from outside."""
        if not isinstance(value, gast.Name):
            return False
        tree = self.frame.code.tree
        bound = {
            item.id
            for item in walk(tree)
            if isinstance(item, gast.Name) and isinstance(item.ctx, gast.Store)
        }
        own = value.id in self.frame.own or value.id in self.frame.env
        return value.id not in bound and (not own or value.id in parameters(tree.args))


_PIECES: Final = {"PchipInterpolator": "monotone", "Akima1DInterpolator": "akima"}


def _pieces() -> Any:
    return importlib.import_module("srcgrad.rules.scipy.hermite_splines")


def _helpers() -> Any:
    importlib.import_module("srcgrad.rules.scipy.interpolation")
    return importlib.import_module("srcgrad.runtime.scipy.interpolation")


def _grids() -> Any:
    return importlib.import_module("srcgrad.rules.scipy.grids")


def _kernels() -> Any:
    return importlib.import_module("srcgrad.rules.scipy.kernel_density")


def _by_name(function: Any, args: list[Value], keywords: Bound) -> Bound | None:
    """Return arguments by the names of their parameters; None if they do not fit."""
    try:
        bound = dict(inspect.signature(function).bind(*args, **keywords).arguments)
    except (TypeError, ValueError):
        return None
    told = list(bound)[:2] in (["x", "y"], ["xi", "yi"])
    return bound if told and "kwargs" not in bound else None
