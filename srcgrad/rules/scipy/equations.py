"""Rules of integrals of functions and of paths: in the numbers handed on to the function."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np
from scipy import integrate

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.rules.scipy.applying import applied
from srcgrad.runtime.scipy.paths import (
    odeint_back,
    odeint_push,
    trajectory_back,
    trajectory_push,
)
from srcgrad.runtime.scipy.solvers import quad_end, quad_parts, quad_push

table = RuleTable("equations")


@table.rule(integrate.quad)
class Quad(Function):
    """The integral of a function from a to b, by Leibniz's rule; and how far it may be off."""

    @staticmethod
    def forward(
        ctx: Context,
        func: Any,
        a: Any,
        b: Any,
        args: Any = (),
        *,
        epsabs: Any = 1.49e-8,
        epsrel: Any = 1.49e-8,
        limit: int = 50,
    ) -> Any:
        ctx.func = func
        ctx.save_for_backward(a, b, args)
        return integrate.quad(func, a, b, args, epsabs=epsabs, epsrel=epsrel, limit=limit)

    @staticmethod
    def backward(ctx: Context, grad: Any, grad_error: Any) -> Any:
        a, b, args = ctx.saved_tensors
        grad_a = quad_end(-grad, ctx.func, a, args) if ctx.needs_input_grad[1] else None
        grad_b = quad_end(grad, ctx.func, b, args) if ctx.needs_input_grad[2] else None
        grad_args = quad_parts(grad, ctx.func, a, b, args) if ctx.needs_input_grad[3] else None
        return None, grad_a, grad_b, grad_args

    @staticmethod
    def jvp(
        ctx: Context,
        func: Any,
        a_dot: Any,
        b_dot: Any,
        args_dot: Any,
        epsabs: Any,
        epsrel: Any,
        limit: Any,
    ) -> Any:
        a, b, args = ctx.saved_tensors
        return quad_push(ctx.func, a, b, args, (a_dot, b_dot, args_dot)), 0.0


@table.rule(integrate.odeint)
class Odeint(Function):
    """The path of a differential equation, by its adjoint equation."""

    @staticmethod
    def forward(
        ctx: Context,
        func: Any,
        y0: Any,
        t: Any,
        args: Any = (),
        *,
        rtol: Any = None,
        atol: Any = None,
    ) -> Any:
        y = integrate.odeint(func, y0, t, args, rtol=rtol, atol=atol)
        ctx.func, ctx.start_shape = func, np.shape(y0)
        ctx.save_for_backward(t, args, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        t, args, y = ctx.saved_tensors
        grad_y0, grad_t, grad_args = odeint_back(grad, ctx.func, y, t, args)
        return None, np.reshape(grad_y0, ctx.start_shape), grad_t, grad_args

    @staticmethod
    def jvp(
        ctx: Context, func: Any, y0_dot: Any, t_dot: Any, args_dot: Any, rtol: Any, atol: Any
    ) -> Any:
        t, args, y = ctx.saved_tensors
        return odeint_push(ctx.func, y, t, args, (y0_dot, t_dot, args_dot))


class Trajectory(Function):
    """The path that `solve_ivp` finds, by its adjoint equation; the times are held."""

    @staticmethod
    def forward(ctx: Context, found: Any, fun: Any, y0: Any, t_span: Any, t: Any, args: Any) -> Any:
        y = found
        ctx.fun = fun
        ctx.t_span, ctx.t = t_span, t
        ctx.save_for_backward(y0, args, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        y0, args, y = ctx.saved_tensors
        grad_y0, grad_args = trajectory_back(grad, ctx.fun, y, (y0, ctx.t_span, ctx.t), args)
        return None, None, grad_y0, None, None, grad_args

    @staticmethod
    def jvp(
        ctx: Context, found_dot: Any, fun: Any, y0_dot: Any, t_span: Any, t: Any, args_dot: Any
    ) -> Any:
        y0, args, y = ctx.saved_tensors
        points = (y0, ctx.t_span, ctx.t)
        return trajectory_push(ctx.fun, y, points, args, (y0_dot, args_dot))


applied(Trajectory)
RULES = table.freeze()
CONSTANT = MappingProxyType(
    {integrate.solve_ivp: "its result is an object, whose numbers are differentiated"}
)
