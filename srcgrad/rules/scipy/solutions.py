"""Rules of what solvers of ``scipy.optimize`` find, by the theorem of implicit functions.

``minimize`` and its like return an object of results. It is read as it is; what is differentiated
are its numbers: ``res.x`` is `Minimiser` of itself and of all that it depends on.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final

import numpy as np
from scipy import optimize

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.rules.scipy.applying import applied
from srcgrad.runtime.scipy.boxes import box
from srcgrad.runtime.scipy.implicit import (
    called_back,
    called_push,
    root_back,
    root_back_back,
    root_back_push,
    root_push,
    value_back,
    value_back_back,
    value_back_push,
    value_push,
)
from srcgrad.runtime.scipy.residuals import cost_of, curve_back, gradient_of


class Root(Function):
    """A root that was found."""

    @staticmethod
    def forward(ctx: Context, found: Any, func: Any, args: Any) -> Any:
        x = found
        ctx.func = func
        ctx.save_for_backward(x, args)
        return x

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, args = ctx.saved_tensors
        return None, None, root_back(grad, ctx.func, x, args)

    @staticmethod
    def jvp(ctx: Context, found_dot: Any, func: Any, args_dot: Any) -> Any:
        x, args = ctx.saved_tensors
        return root_push(ctx.func, x, args, args_dot)


class Minimiser(Function):
    """Where a function is smallest, as it was found."""

    @staticmethod
    def forward(ctx: Context, found: Any, func: Any, args: Any) -> Any:
        x = found
        ctx.func = func
        ctx.save_for_backward(x, args)
        return x

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, args = ctx.saved_tensors
        return None, None, root_back(grad, gradient_of(ctx.func), x, args)

    @staticmethod
    def jvp(ctx: Context, found_dot: Any, func: Any, args_dot: Any) -> Any:
        x, args = ctx.saved_tensors
        return root_push(gradient_of(ctx.func), x, args, args_dot)


class MinimiserWithin(Function):
    """Where a function is smallest within bounds, as it was found."""

    @staticmethod
    def forward(ctx: Context, found: Any, func: Any, args: Any, bounds: Any) -> Any:
        x = found
        ctx.func = func
        ctx.bounds = bounds
        ctx.save_for_backward(x, args)
        return x

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, args = ctx.saved_tensors
        return None, None, root_back(grad, gradient_of(ctx.func), x, args, ctx.bounds)

    @staticmethod
    def jvp(ctx: Context, found_dot: Any, func: Any, args_dot: Any, bounds: Any) -> Any:
        x, args = ctx.saved_tensors
        return root_push(gradient_of(ctx.func), x, args, args_dot, ctx.bounds)


class Minimum(Function):
    """The smallest value of a function, which moving x does not change."""

    @staticmethod
    def forward(ctx: Context, found: Any, func: Any, x: Any, args: Any) -> Any:
        ctx.func = func
        ctx.save_for_backward(x, args)
        return found

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, args = ctx.saved_tensors
        return None, None, None, value_back(grad, ctx.func, x, args)

    @staticmethod
    def jvp(ctx: Context, found_dot: Any, func: Any, x_dot: Any, args_dot: Any) -> Any:
        x, args = ctx.saved_tensors
        return value_push(ctx.func, x, args, args_dot)


class Fit(Function):
    """What makes residuals smallest, as it was found."""

    @staticmethod
    def forward(
        ctx: Context, found: Any, func: Any, args: Any, loss: Any = "linear", f_scale: Any = 1.0
    ) -> Any:
        x = found
        ctx.func = func
        ctx.loss = loss
        ctx.f_scale = f_scale
        ctx.save_for_backward(x, args)
        return x

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, args = ctx.saved_tensors
        if ctx.loss == "linear":
            cost = cost_of(ctx.func)
        else:
            cost = cost_of(ctx.func, ctx.loss, ctx.f_scale)
        return None, None, root_back(grad, gradient_of(cost), x, args)

    @staticmethod
    def jvp(
        ctx: Context,
        found_dot: Any,
        func: Any,
        args_dot: Any,
        loss: Any = None,
        f_scale: Any = None,
    ) -> Any:
        x, args = ctx.saved_tensors
        cost = cost_of(ctx.func, ctx.loss, ctx.f_scale)
        return root_push(gradient_of(cost), x, args, args_dot)


class FitWithin(Function):
    """What makes residuals smallest within bounds, as it was found."""

    @staticmethod
    def forward(
        ctx: Context,
        found: Any,
        func: Any,
        args: Any,
        bounds: Any,
        loss: Any = "linear",
        f_scale: Any = 1.0,
    ) -> Any:
        x = found
        ctx.func = func
        ctx.bounds = bounds
        ctx.loss = loss
        ctx.f_scale = f_scale
        ctx.save_for_backward(x, args)
        return x

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, args = ctx.saved_tensors
        if ctx.loss == "linear":
            cost = cost_of(ctx.func)
        else:
            cost = cost_of(ctx.func, ctx.loss, ctx.f_scale)
        return None, None, root_back(grad, gradient_of(cost), x, args, box(ctx.bounds))

    @staticmethod
    def jvp(
        ctx: Context,
        found_dot: Any,
        func: Any,
        args_dot: Any,
        bounds: Any = None,
        loss: Any = None,
        f_scale: Any = None,
    ) -> Any:
        x, args = ctx.saved_tensors
        cost = cost_of(ctx.func, ctx.loss, ctx.f_scale)
        return root_push(gradient_of(cost), x, args, args_dot, box(ctx.bounds))


class Cost(Function):
    """Half of the sum of squared residuals, or of a robust loss of them, at its smallest."""

    @staticmethod
    def forward(
        ctx: Context,
        found: Any,
        func: Any,
        x: Any,
        args: Any,
        loss: Any = "linear",
        f_scale: Any = 1.0,
    ) -> Any:
        ctx.func = func
        ctx.loss = loss
        ctx.f_scale = f_scale
        ctx.save_for_backward(x, args)
        return found

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, args = ctx.saved_tensors
        if ctx.loss == "linear":
            cost = cost_of(ctx.func)
        else:
            cost = cost_of(ctx.func, ctx.loss, ctx.f_scale)
        return None, None, None, value_back(grad, cost, x, args)

    @staticmethod
    def jvp(
        ctx: Context,
        found_dot: Any,
        func: Any,
        x_dot: Any,
        args_dot: Any,
        loss: Any = None,
        f_scale: Any = None,
    ) -> Any:
        x, args = ctx.saved_tensors
        return value_push(cost_of(ctx.func, ctx.loss, ctx.f_scale), x, args, args_dot)


class Residuals(Function):
    """What is left of residuals at a solution."""

    @staticmethod
    def forward(ctx: Context, found: Any, func: Any, x: Any, args: Any) -> Any:
        ctx.func = func
        ctx.save_for_backward(x, args)
        return found

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, args = ctx.saved_tensors
        grad_x, grad_args = called_back(grad, ctx.func, x, args)
        return None, None, grad_x, grad_args

    @staticmethod
    def jvp(ctx: Context, found_dot: Any, func: Any, x_dot: Any, args_dot: Any) -> Any:
        x, args = ctx.saved_tensors
        return called_push(ctx.func, x, args, x_dot, args_dot)


table = RuleTable("solutions")


@table.rule(optimize.curve_fit)
class CurveFit(Function):
    """The parameters of a curve that fits data best; their covariance has no derivative."""

    @staticmethod
    def forward(
        ctx: Context,
        f: Any,
        xdata: Any,
        ydata: Any,
        p0: Any = None,
        sigma: Any = None,
        absolute_sigma: Any = False,
        check_finite: Any = None,
        bounds: Any = (-np.inf, np.inf),
        method: Any = None,
        jac: Any = None,
    ) -> Any:
        result = optimize.curve_fit(
            f, xdata, ydata, p0, sigma, absolute_sigma, check_finite, bounds, method, jac
        )
        ctx.f = f
        ctx.bounds = bounds
        ctx.save_for_backward(xdata, ydata, sigma, result[0])
        return result

    @staticmethod
    def backward(ctx: Context, grad: Any, grad_covariance: Any) -> Any:
        xdata, ydata, sigma, best = ctx.saved_tensors
        grad_x, grad_y, grad_sigma = curve_back(
            (grad, grad_covariance), ctx.f, best, (xdata, ydata, sigma), ctx.bounds
        )
        return None, grad_x, grad_y, None, grad_sigma


@table.rule(root_back)
class RootBack(Function):
    """The gradients of what a solution depends on, for second derivatives."""

    @staticmethod
    def forward(ctx: Context, grad: Any, func: Any, x: Any, args: Any, bounds: Any = None) -> Any:
        ctx.func = func
        ctx.bounds = bounds
        ctx.save_for_backward(grad, x, args)
        return root_back(grad, func, x, args, bounds)

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        grad, x, args = ctx.saved_tensors
        grad_grad, grad_x, grad_args = root_back_back(grads, grad, ctx.func, x, args, ctx.bounds)
        return grad_grad, None, grad_x, grad_args

    @staticmethod
    def jvp(ctx: Context, grad_dot: Any, func: Any, x_dot: Any, args_dot: Any, bounds: Any) -> Any:
        grad, x, args = ctx.saved_tensors
        tangents = (grad_dot, x_dot, args_dot)
        return root_back_push(tangents, grad, ctx.func, x, args, ctx.bounds)


@table.rule(value_back)
class ValueBack(Function):
    """The gradients of what a smallest value depends on, for second derivatives."""

    @staticmethod
    def forward(ctx: Context, grad: Any, func: Any, x: Any, args: Any) -> Any:
        ctx.func = func
        ctx.save_for_backward(grad, x, args)
        return value_back(grad, func, x, args)

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        grad, x, args = ctx.saved_tensors
        grad_grad, grad_x, grad_args = value_back_back(grads, grad, ctx.func, x, args)
        return grad_grad, None, grad_x, grad_args

    @staticmethod
    def jvp(ctx: Context, grad_dot: Any, func: Any, x_dot: Any, args_dot: Any) -> Any:
        grad, x, args = ctx.saved_tensors
        return value_back_push((grad_dot, x_dot, args_dot), grad, ctx.func, x, args)


applied(Root, Minimiser, MinimiserWithin, Minimum, Fit, FitWithin, Cost, Residuals)
vars(root_back)["__srcgrad_rule__"] = RootBack
vars(value_back)["__srcgrad_rule__"] = ValueBack
RULES = table.freeze()
_REASON: Final = "its result is an object, whose numbers are differentiated"
_SOLVERS: Final = (
    optimize.minimize,
    optimize.minimize_scalar,
    optimize.root,
    optimize.root_scalar,
    optimize.least_squares,
)
CONSTANT = MappingProxyType(dict.fromkeys(_SOLVERS, _REASON))
