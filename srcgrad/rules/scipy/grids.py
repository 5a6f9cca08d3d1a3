"""Rules of interpolation on a rectangular grid: in the values and in the points."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.rules.base import Context, Function
from srcgrad.rules.equivalents.registry import EquivalentTable, in_place
from srcgrad.rules.registry import RuleTable
from srcgrad.rules.scipy import image_maps
from srcgrad.runtime import conj
from srcgrad.runtime.scipy.grids import (
    grid_inside,
    grid_places,
    grid_places_back,
    grid_push,
    grid_values,
)
from srcgrad.runtime.scipy.splines import spline_gradient, spline_image_back, spline_values_push

SPLINES = image_maps
"""The rules of the splines that these are made of, which are read with them."""

table = RuleTable("grids")
equivalents = EquivalentTable()


@table.rule(interpolate.interpn)
class Interpn(Function):
    """Values between the points of a grid, which is held fixed."""

    @staticmethod
    def forward(
        ctx: Context,
        points: Any,
        values: Any,
        xi: Any,
        method: str = "linear",
        bounds_error: bool = True,
        fill_value: Any = np.nan,
    ) -> Any:
        ctx.points = points
        ctx.method = method
        ctx.fill_value = fill_value
        ctx.how = {"order": 1, "mode": "nearest", "prefilter": False, "cval": 0.0}
        ctx.save_for_backward(values, xi)
        return interpolate.interpn(points, values, xi, method, bounds_error, fill_value)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        values, xi = ctx.saved_tensors
        places = grid_places(ctx.points, xi)
        known = grad * grid_inside(ctx.points, values, xi, ctx.method, ctx.fill_value)
        grad_values, grad_xi = None, None
        if ctx.needs_input_grad[1]:
            grad_values = spline_image_back(known, places, np.shape(values), ctx.how)
        if ctx.needs_input_grad[2]:
            grad_places = known * conj(spline_gradient(1.0 * values, places, ctx.how))
            grad_xi = grid_places_back(grad_places, ctx.points, xi)
        return None, grad_values, grad_xi

    @staticmethod
    def jvp(
        ctx: Context,
        points: Any,
        values_dot: Any,
        xi_dot: Any,
        method: Any,
        bounds_error: Any,
        fill_value: Any,
    ) -> Any:
        values, xi = ctx.saved_tensors
        places = grid_places(ctx.points, xi)
        moved = grid_push(ctx.points, xi_dot, xi)
        known = grid_inside(ctx.points, values, xi, ctx.method, ctx.fill_value)
        return known * spline_values_push((values_dot, moved), 1.0 * values, places, ctx.how)


class GridPlaces(Function):
    """Where points lie in a grid."""

    @staticmethod
    def forward(ctx: Context, points: Any, xi: Any) -> Any:
        ctx.points = points
        ctx.save_for_backward(xi)
        return grid_places(points, xi)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (xi,) = ctx.saved_tensors
        return None, grid_places_back(grad, ctx.points, xi)

    @staticmethod
    def jvp(ctx: Context, points: Any, xi_dot: Any) -> Any:
        (xi,) = ctx.saved_tensors
        return grid_push(ctx.points, xi_dot, xi)


class GridPlacesBack(Function):
    """The gradient of points, which is a step function of them."""

    linear = ("grad",)
    inert = ("xi",)

    @staticmethod
    def forward(ctx: Context, grad: Any, points: Any, xi: Any) -> Any:
        ctx.points = points
        ctx.xi = xi
        return grid_places_back(grad, points, xi)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grid_push(ctx.points, grad, ctx.xi)


class RegularGrid:
    """What `RegularGridInterpolator` makes."""

    __srcgrad_written_out__ = True

    def __init__(
        self, points: Any, values: Any, method: Any, bounds_error: Any, fill_value: Any
    ) -> None:
        self.points = points
        self.values = values
        self.method = method
        self.bounds_error = bounds_error
        self.fill_value = fill_value

    def __call__(self, xi: Any) -> Any:
        """Return the values at points."""
        return grid_values(
            self.points, self.values, xi, self.method, self.bounds_error, self.fill_value
        )


@equivalents.of(interpolate.RegularGridInterpolator)
def regular_grid(
    points: Any,
    values: Any,
    method: str = "linear",
    bounds_error: bool = True,
    fill_value: Any = np.nan,
) -> Any:
    """Make an object that interpolates on a grid."""
    return RegularGrid(points, values, method, bounds_error, fill_value)


@in_place
def on_grid(grid: Any, xi: Any) -> Any:
    """Return what an object that is there already interpolates."""
    return interpolate.interpn(
        grid.grid, grid.values, xi, grid.method, grid.bounds_error, grid.fill_value
    )


for _function in (regular_grid, RegularGrid.__init__, RegularGrid.__call__):
    in_place(_function)
for _primal, _rule in ((grid_places, GridPlaces), (grid_places_back, GridPlacesBack)):
    vars(_primal)["__srcgrad_rule__"] = _rule
vars(grid_values)["__srcgrad_rule__"] = Interpn
RULES = table.freeze()
EQUIVALENTS = equivalents.freeze()
